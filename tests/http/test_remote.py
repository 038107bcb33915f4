"""A remote server as the relay sees it, in one process: bounds that are too long to be waited for, and who waits for whom."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Coroutine
from typing import Any

import pytest

from http_client import INITIALIZED
from http_server import Answer, Asked, HttpServer, Mcp
from millpond.core.config import RemoteServer
from millpond.core.errors import ServerFailed
from millpond.http.remote import Remote
from millpond.relay.log import Log
from relay_client import SECONDS


class Owner:
    """What the relay is to the server's end."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.full: list[bool] = []
        self.exited = asyncio.Event()

    def on_line(self, line: bytes) -> None:
        self.lines.put_nowait(line)

    def on_full(self, full: bool) -> None:
        self.full.append(full)

    def on_deaf(self) -> None:
        pass

    def on_exit(self) -> None:
        self.exited.set()

    async def error(self) -> str:
        """The message of the error that comes next."""
        return json.loads(await asyncio.wait_for(self.lines.get(), SECONDS))["error"]["message"]


class Open(Mcp):
    """A server that knows every session."""

    def _knows(self, asked: Asked) -> bool:
        return True


def run(url: str, talk: Any) -> None:
    """Have `talk(remote, owner)` in a loop of its own; the remote has ended when it returns."""

    async def whole() -> None:
        owner, sink = Owner(), os.open(os.devnull, os.O_WRONLY)
        remote = Remote.start(RemoteServer(name="x", url=url), Log(sink), owner)
        talking: Coroutine[Any, Any, None] = talk(remote, owner)
        await talking
        remote.kill()
        await asyncio.wait_for(owner.exited.wait(), SECONDS)

    asyncio.run(whole())


def ping(ident: int, padding: int = 0) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"p":"%b"}}\n' % (ident, b"x" * padding)


async def never(asked: Asked, answer: Answer) -> None:
    await answer.gone()


def test_a_server_that_does_not_answer_the_first_words_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPC-15, HTTPC-13"""
    monkeypatch.setattr("millpond.http.streamable.OPENING_SECONDS", 0.05)

    async def talk(remote: Remote, owner: Owner) -> None:
        for ident, method in ((1, b"initialize"), (2, b"server/discover")):
            remote.write(b'{"jsonrpc":"2.0","id":%d,"method":"%b"}\n' % (ident, method))
            assert "did not answer within 0 s: check that it runs" in await owner.error()

    with HttpServer(Open({"initialize": never, "server/discover": never})) as server:
        run(server.url, talk)


def test_a_server_of_2024_that_does_not_answer_the_first_words_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPC-15, HTTPC-12"""
    monkeypatch.setattr("millpond.http.old_sse.OPENING_SECONDS", 0.05)

    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.verb == "GET":
            await answer.begin()
            await answer.event(b"/messages", event="endpoint")
            await answer.gone()
        await answer.send(status=405 if asked.path == "/mcp" else 202)

    async def talk(remote: Remote, owner: Owner) -> None:
        remote.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        assert "did not answer within 0 s" in await owner.error()

    with HttpServer(handle) as server:
        run(server.url, talk)


def test_a_lost_session_whose_server_is_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPC-15, HTTPC-09"""

    async def initialize(asked: Asked, answer: Answer) -> None:
        if len(server.asked) > 1:
            await answer.gone()
        mcp.sessions.add("s")
        await answer.result(asked, '{"protocolVersion":"2025-06-18"}', mcp_session_id="s")

    async def talk(remote: Remote, owner: Owner) -> None:
        remote.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        await owner.lines.get()
        mcp.sessions.clear()
        monkeypatch.setattr("millpond.http.streamable.OPENING_SECONDS", 0.05)
        remote.write(ping(2))
        assert "cannot be opened again: the server at" in await owner.error()

    mcp = Mcp({"initialize": initialize})
    with HttpServer(mcp) as server:
        run(server.url, talk)


def test_a_notification_that_is_not_accepted_holds_the_next_line_up_for_so_long_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """HTTPC-15, HTTPC-05"""
    monkeypatch.setattr("millpond.http.streamable.ACCEPT_SECONDS", 0.05)

    async def talk(remote: Remote, owner: Owner) -> None:
        remote.write(b'{"jsonrpc":"2.0","id":0,"method":"initialize"}\n')
        remote.write(INITIALIZED)
        remote.write(ping(1))
        assert [json.loads(await owner.lines.get())["id"] for _ in range(2)] == [0, 1]

    with HttpServer(Mcp({"notifications/initialized": never})) as server:
        run(server.url, talk)


def test_a_port_that_takes_no_connection_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPC-15, HTTPC-14"""
    monkeypatch.setattr("millpond.http.wire.CONNECT_SECONDS", 0.2)

    async def talk(remote: Remote, owner: Owner) -> None:
        await asyncio.wait_for(owner.exited.wait(), SECONDS)
        assert remote.has_ended
        assert remote.last_words().endswith("no connection within 10 s; check the URL and the network")

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:  # the queue of connections is full, and no more are heard of
            one.setblocking(False)
            one.connect_ex(listening.getsockname())
        run(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", talk)
        for one in waiting:
            one.close()


def test_a_server_that_does_not_read_stops_the_client_until_it_does() -> None:
    """HTTPC-20"""
    released = asyncio.Event()

    async def slow(asked: Asked, answer: Answer) -> None:
        await released.wait()
        await answer.result(asked, "{}")

    async def talk(remote: Remote, owner: Owner) -> None:
        remote.write(b'{"jsonrpc":"2.0","id":0,"method":"initialize"}\n')  # what follows waits for the answer
        for ident in range(1, 7):
            remote.write(ping(ident, 1 << 20))
        assert owner.full == [True]
        server.call(released.set)
        assert {json.loads(await owner.lines.get())["id"] for _ in range(7)} == set(range(7))
        assert owner.full == [True, False]

    with HttpServer(Mcp({"initialize": slow, "ping": answered})) as server:
        run(server.url, talk)


async def answered(asked: Asked, answer: Answer) -> None:
    await answer.result(asked, "{}")


def test_more_than_256_requests_wait_and_a_cancellation_still_goes_out() -> None:
    """HTTPC-06"""
    released, calls = asyncio.Event(), 300

    async def wait(asked: Asked, answer: Answer) -> None:
        await released.wait()
        await answer.result(asked, "{}")

    async def talk(remote: Remote, owner: Owner) -> None:
        for ident in range(calls):
            remote.write(ping(ident))
        remote.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}\n')
        await asyncio.to_thread(server.until, lambda: "notifications/cancelled" in server.posted())
        assert server.posted().count("ping") == 256
        server.call(released.set)
        assert {json.loads(await owner.lines.get())["id"] for _ in range(calls)} == set(range(calls))

    with HttpServer(Open({"ping": wait})) as server:
        run(server.url, talk)


def test_a_url_that_the_http_library_refuses_is_a_server_that_cannot_be_started() -> None:
    """HTTPC-14"""

    async def talk() -> None:
        with pytest.raises(ServerFailed, match="the server's URL cannot be used"):
            Remote.start(RemoteServer(name="x", url="http://[::1/"), Log(2), Owner())

    asyncio.run(talk())
