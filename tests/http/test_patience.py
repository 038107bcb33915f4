"""Clients that begin a request and do not end it, on real connections with short deadlines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from millpond.http import patience
from millpond.http.patience import BodyLate, Patience, Patient

SECONDS = 30
"""The longest wait for anything."""
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


class Server(uvicorn.Server):
    """Answers with a body's length, or with 408."""

    def __init__(self) -> None:
        self.patience = Patience()
        self.reads = asyncio.Event()
        super().__init__(
            uvicorn.Config(self.app, http=Patient, interface="asgi3", lifespan="off", ws="none", log_config=None)
        )

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, self.patience.of(receive))
        self.reads.set()
        try:
            reply = PlainTextResponse(str(len(await request.body())))
        except BodyLate:
            reply = PlainTextResponse("late", 408)
        await reply(scope, receive, send)


@asynccontextmanager
async def connected() -> AsyncGenerator[tuple[Server, asyncio.StreamReader, asyncio.StreamWriter]]:
    """A server, and a connection to it."""
    server = Server()
    config = server.config
    config.load()

    def protocol() -> Patient:
        return Patient(config=config, server_state=server.server_state, app_state={})

    listening = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    async with listening, asyncio.timeout(SECONDS):
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        try:
            yield server, reader, writer
        finally:
            writer.close()


@pytest.mark.parametrize("sent", [b"", b"POST / HT"])
def test_a_head_that_is_never_whole_is_not_waited_for(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPF-25"""
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.05)

    async def talk() -> bytes:
        async with connected() as (_, reader, writer):
            writer.write(sent)
            return await reader.read()

    assert asyncio.run(talk()) == b""


def test_nor_is_the_head_of_a_second_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPF-25"""
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.05)

    async def talk() -> tuple[bytes, bytes]:
        async with connected() as (_, reader, writer):
            writer.write(HEAD + b"1234")
            first = await reader.readuntil(b"\r\n\r\n4")
            writer.write(b"POST / HT")
            return first, await reader.read()

    first, rest = asyncio.run(talk())
    assert b"200 OK" in first
    assert rest == b""


def test_a_request_that_is_answered_slowly_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPF-25"""
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.05)

    async def talk() -> bytes:
        async with connected() as (_, reader, writer):
            writer.write(HEAD + b"12")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(1), 0.2)
            writer.write(b"34")
            return await reader.readline()

    assert b"200 OK" in asyncio.run(talk())


def test_a_body_that_stops_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTPF-25"""
    monkeypatch.setattr(patience, "PIECE_SECONDS", 0.05)

    async def talk() -> bytes:
        async with connected() as (_, reader, writer):
            writer.write(HEAD + b"12")
            return await reader.readline()

    assert b"408" in asyncio.run(talk())


def test_no_body_is_waited_for_at_the_end() -> None:
    """HTTPF-25"""

    async def talk() -> bytes:
        async with connected() as (server, reader, writer):
            writer.write(HEAD + b"12")
            await server.reads.wait()
            server.patience.end()
            return await reader.readline()

    assert b"408" in asyncio.run(talk())
