"""Page: what the page's server answers behind its guard: files, the sessions, one session's events, its questions.

Rule: files are those that lie beside this module, listed once; a question goes to the session's door as it came, and
is stopped when the browser leaves. Imports Starlette, sse-starlette and this package's modules.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncGenerator
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import msgspec
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from millpond.viewer.door import MOST_ROWS, Hello, Question
from millpond.viewer.knock import Gone, ask, follow, greet
from millpond.viewer.places import SUFFIX, doors

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
MOST_BODY_BYTES = 4 << 20
"""Of a question; the gate refuses a statement over 1 MiB itself."""
PING_SECONDS = 15
"""Between two signs of life on a stream of events, by which a browser that has left is noticed."""
_ENDED = msgspec.json.encode(
    {
        "content": [{"type": "text", "text": "The session has ended."}],
        "isError": True,
        "_meta": {"millpond/error": {"reason": "ended"}},
    }
)
"""What a question to a session that is gone is answered with, in the form of the session's own refusals."""
_NAME = re.compile(r"[0-9a-f]{12}")


class _Asked(msgspec.Struct, frozen=True):
    sql: str
    max_rows: int = MOST_ROWS


class _Session(msgspec.Struct, frozen=True):
    id: str
    hello: Hello


def static_files() -> dict[str, tuple[bytes, str]]:
    """Every file of the page by its path, with its media type."""
    root = files("millpond.viewer") / "static"
    found: dict[str, tuple[bytes, str]] = {}
    for folder, prefix in ((root, ""), (root / "vendor", "vendor/")):
        for file in folder.iterdir():
            kind = KINDS.get(Path(file.name).suffix)
            if kind:
                found[f"{prefix}{file.name}"] = (file.read_bytes(), kind)
    return found


def script_hash(index: bytes) -> str:
    """The hash, as a policy names it, of the one script that stands in the page: the map of its modules."""
    [script] = re.findall(rb'<script type="importmap">(.*?)</script>', index, re.DOTALL)
    return base64.b64encode(hashlib.sha256(script).digest()).decode()


def application(directory: Path, static: dict[str, tuple[bytes, str]]) -> Starlette:
    """The ASGI application for the sessions whose doors are in the folder."""
    answers = _Answers(directory, static)
    return Starlette(
        routes=[
            Route("/sessions", answers.sessions),
            Route("/sessions/{id}/events", answers.events),
            Route("/sessions/{id}/query", answers.query, methods=["POST"]),
            Route("/{path:path}", answers.file),
        ]
    )


class _Answers:
    """What is answered at each address."""

    def __init__(self, directory: Path, static: dict[str, tuple[bytes, str]]) -> None:
        self._directory = directory
        self._static = static

    async def file(self, request: Request) -> Response:
        found = self._static.get(request.path_params["path"] or "index.html")
        return Response(found[0], media_type=found[1]) if found else _nothing()

    async def sessions(self, request: Request) -> Response:
        paths = doors(self._directory)
        hellos = await asyncio.gather(*map(greet, paths))
        found = [_Session(path.stem, hello) for path, hello in zip(paths, hellos, strict=True) if hello]
        found.sort(key=lambda session: session.hello.began, reverse=True)
        return _json(msgspec.json.encode(found))

    async def events(self, request: Request) -> Response:
        path = self._door(request)
        return EventSourceResponse(_events(path), ping=PING_SECONDS) if path else _nothing()

    async def query(self, request: Request) -> Response:
        if request.headers.get("content-type") != "application/json":
            return Response("Unsupported Media Type\n", 415)
        body = await _body(request)
        if body is None:
            return Response("Content Too Large\n", 413)
        try:
            asked = msgspec.json.decode(body, type=_Asked)
        except msgspec.DecodeError:
            return Response("Bad Request\n", 400)
        path = self._door(request)
        if path is None:
            return _json(_ENDED)
        return await _answer(path, Question(sql=asked.sql, max_rows=asked.max_rows), request)

    def _door(self, request: Request) -> Path | None:
        name = str(request.path_params["id"])
        path = self._directory / f"{name}{SUFFIX}"
        return path if _NAME.fullmatch(name) and path in doors(self._directory) else None


async def _events(path: Path) -> AsyncGenerator[dict[str, str]]:
    """Everything that the session tells, each as one event, and that it has ended."""
    with suppress(Gone):
        async for line in follow(path):
            yield {"data": line}
    yield {"data": '{"kind":"ended"}'}


async def _answer(path: Path, question: Question, request: Request) -> Response:
    asking = asyncio.create_task(ask(path, question))
    left = asyncio.create_task(_left(request))
    try:
        await asyncio.wait((asking, left), return_when=asyncio.FIRST_COMPLETED)
        return _json(asking.result()) if asking.done() else Response(status_code=499)
    except Gone:
        return _json(_ENDED)
    finally:
        for task in (asking, left):
            task.cancel()
            with suppress(asyncio.CancelledError, Gone):
                await task


async def _left(request: Request) -> None:
    """Returns when the browser has left. The body is read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request) -> bytes | None:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BODY_BYTES:
            return None
    return bytes(body)


def _json(data: bytes) -> Response:
    return Response(data, media_type="application/json")


def _nothing() -> Response:
    return Response("Not Found\n", 404)
