"""The page's server, request by request: who is let in, and what goes with every answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message

from engine_link import bounded, on_loop, until
from millpond.viewer.guard import Guard, headers
from millpond.viewer.page import MOST_BODY_BYTES, application, script_hash, static_files
from viewer_session import Shown, shown

TOKEN = "t" * 43
HOST = "127.0.0.1:8100"


@dataclass
class Reply:
    """An answer to one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


def guarded(directory: Path) -> ASGIApp:
    static = static_files()
    return Guard(application(directory, static), TOKEN, 8100, headers(script_hash(static["index.html"][0])))


async def fetch(
    app: ASGIApp,
    path: str = "",
    body: bytes | None = None,
    *,
    token: str = TOKEN,
    leaves: asyncio.Event | None = None,
    sent: Mapping[str, str] | None = None,
) -> Reply:
    """What a browser gets; `leaves` tells when it does not wait any longer."""
    given: Mapping[str, str] = {
        "host": HOST,
        "content-type": "application/json",
        **{k.replace("_", "-"): v for k, v in (sent or {}).items()},
    }
    scope = {
        "type": "http",
        "method": "GET" if body is None else "POST",
        "path": f"/{token}/{path}",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    reply, messages = Reply(), [{"type": "http.request", "body": body or b"", "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await (leaves or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            reply.body += message.get("body", b"")

    await bounded(app(scope, receive, send))
    return reply


async def asked(session: Shown, sql: object, **sent: str) -> Reply:
    body = json.dumps({"sql": sql}).encode()
    return await fetch(guarded(session.directory), f"sessions/{session.path.stem}/query", body, sent=sent)


@on_loop
async def test_every_file_of_the_page_needs_the_token(tmp_path: Path) -> None:
    """INSPECT-20"""
    app = guarded(tmp_path)
    for path in ("", *static_files(), "sessions", "sessions/0123456789ab/events"):
        for token in ("", "T" * 43, TOKEN[:-1], TOKEN + "t", "ü"):
            assert (await fetch(app, path, token=token)).status == 404
    for path in ("", *static_files(), "sessions"):
        assert (await fetch(app, path)).status == 200
    for path in ("../guard.py", "vendor/../../guard.py", "static/index.html", "sessions/..%2f/events"):
        assert (await fetch(app, path)).status == 404


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8100", "origin": "http://localhost:8100"}, 200),
        ({"origin": "http://127.0.0.1:8100", "sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"host": "evil.example:8100"}, 421),
        ({"host": "127.0.0.1:8101"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:8101"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
    ],
)
@on_loop
async def test_other_hosts_origins_and_sites_are_refused(tmp_path: Path, sent: dict[str, str], status: int) -> None:
    """INSPECT-21"""
    assert (await fetch(guarded(tmp_path), sent=sent)).status == status


@on_loop
async def test_every_answer_says_what_a_browser_may_do_with_it(tmp_path: Path) -> None:
    """INSPECT-22"""
    app = guarded(tmp_path)
    for reply in (
        await fetch(app),
        await fetch(app, token="no"),
        await fetch(app, "sessions"),
        await fetch(app, "nope"),
    ):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-content-type-options"] == "nosniff"


@on_loop
async def test_a_question_goes_to_the_session_and_its_answer_comes_back_as_it_is(tmp_path: Path) -> None:
    """INSPECT-08"""
    async with shown(tmp_path) as session:
        reply = await asked(session, "SELECT 1")
        assert (reply.status, reply.body.rstrip()) == (200, session.engine.result)
        listed = await fetch(guarded(session.directory), "sessions")
        [one] = json.loads(listed.body)
        assert (one["id"], one["hello"]["server"]) == (session.path.stem, "files")


@on_loop
async def test_what_is_no_question_is_refused(tmp_path: Path) -> None:
    """INSPECT-21"""
    async with shown(tmp_path) as session:
        assert (await asked(session, 5)).status == 400
        assert (await asked(session, "SELECT 1", content_type="text/plain")).status == 415
        assert (await asked(session, "x" * MOST_BODY_BYTES)).status == 413
        assert session.engine.asked == []


@on_loop
async def test_a_question_is_stopped_where_the_browser_leaves(tmp_path: Path) -> None:
    """INSPECT-10"""
    async with shown(tmp_path) as session:
        session.engine.may_answer.clear()
        leaves, body = asyncio.Event(), b'{"sql":"SELECT 1"}'
        path = f"sessions/{session.path.stem}/query"
        question = asyncio.create_task(fetch(guarded(session.directory), path, body, leaves=leaves))
        await bounded(session.engine.was_asked.wait())
        leaves.set()
        assert (await bounded(question)).status == 499
        await until(lambda: session.engine.stopped == 1)


@on_loop
async def test_a_question_to_a_session_that_ends_says_so(tmp_path: Path) -> None:
    """INSPECT-11"""
    async with shown(tmp_path) as session:
        session.engine.may_answer.clear()
        question = asyncio.create_task(asked(session, "SELECT 1"))
        await bounded(session.engine.was_asked.wait())
        await session.door.close()
        assert b'"reason":"ended"' in (await bounded(question)).body
        gone = await fetch(guarded(session.directory), "sessions/0123456789ab/query", b'{"sql":"SELECT 1"}')
        assert b'"reason":"ended"' in gone.body


@on_loop
async def test_events_tell_what_is_kept_what_comes_and_the_end(tmp_path: Path) -> None:
    """INSPECT-04, INSPECT-11"""
    async with shown(tmp_path) as session:
        path = f"sessions/{session.path.stem}/events"
        stream = asyncio.create_task(fetch(guarded(session.directory), path))
        await until(lambda: session.door.connections == 1)
        await until(lambda: session.record.followers == 1)
        await session.watched.query(b'{"sql":"SELECT 1"}', "query")
        await session.door.close()
        reply = await bounded(stream)
    told: list[Any] = [json.loads(line[6:]) for line in reply.body.decode().splitlines() if line.startswith("data: ")]
    assert [one["kind"] for one in told] == ["hello", "gone", "query", "query", "ended"]
    assert reply.headers["content-type"].startswith("text/event-stream")


def test_nothing_of_the_page_comes_from_elsewhere() -> None:
    """INSPECT-23"""
    for name, (data, _) in static_files().items():
        if not name.startswith("vendor/"):
            links = [word for word in data.split() if b"://" in word and b"www.w3.org/2000/svg" not in word]
            assert links == [], name
            assert b"innerHTML" not in data, name
