"""A raw HTTP server in the test's own process: what it was asked is kept as bytes, and how it answers is the test's.

`HttpServer(handle)` calls `handle(asked, answer)` for every request; `Mcp` is such a function that behaves, whose tools
are functions of the same kind.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from relay_client import SECONDS

JSON, EVENTS = "application/json", "text/event-stream"
MODERN = "2026-07-28"


@dataclass(frozen=True)
class Asked:
    """A request."""

    verb: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        """Its JSON-RPC message."""
        return json.loads(self.body)

    @property
    def method(self) -> str | None:
        """The message's method."""
        return self.message.get("method") if self.verb == "POST" and self.body.lstrip()[:1] == b"{" else None


class Answer:
    """What is sent in answer to a request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.event_bytes = 0

    async def send(self, body: bytes = b"", status: int = 200, kind: str = JSON, **headers: str) -> None:
        """A whole response."""
        self._head(status, kind, {**headers, "content-length": str(len(body))})
        self._writer.write(body)
        await self._writer.drain()

    async def result(self, asked: Asked, result: str, status: int = 200, **headers: str) -> None:
        """A JSON-RPC result as a JSON body."""
        await self.send(result_of(asked, result), status, **headers)

    async def begin(self, status: int = 200, kind: str = EVENTS, **headers: str) -> None:
        """The head of a response that comes in pieces."""
        self._head(status, kind, {**headers, "transfer-encoding": "chunked"})
        await self._writer.drain()

    async def piece(self, data: bytes) -> None:
        """A piece of the body."""
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await self._writer.drain()
        self.event_bytes += len(data)

    async def event(self, data: bytes, **fields: str) -> None:
        """An event; newlines part its data."""
        lines = [f"{name}: {value}\n".encode() for name, value in fields.items()]
        lines += [b"data: " + line + b"\n" for line in data.split(b"\n")]
        await self.piece(b"".join(lines) + b"\n")

    async def end(self) -> None:
        """The end of a body that came in pieces."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    def cut(self) -> None:
        """Break the connection."""
        self._writer.transport.abort()

    async def gone(self) -> None:
        """Wait until the client has closed the connection."""
        await self._reader.read()

    def _head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "\r\n"]).encode())


Handle = Callable[[Asked, Answer], Awaitable[None]]


class HttpServer:
    """A server on a port of its own, on a thread of its own."""

    def __init__(self, handle: Handle, *, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        self._handle, self._tls, self._port = handle, tls, port
        self._changed = threading.Condition()
        self._started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()), daemon=True)
        self.asked: list[Asked] = []
        self.port = port

    @property
    def origin(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def posted(self) -> list[str | None]:
        """The methods of what was posted."""
        return [asked.method for asked in self.asked if asked.verb == "POST"]

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until it holds; looked at whenever something is asked or told."""
        with self._changed:
            assert self._changed.wait_for(holds, SECONDS), [(one.verb, one.path, one.body[:200]) for one in self.asked]

    def call(self, function: Callable[[], object]) -> None:
        """Call it on the server's loop."""
        self._loop.call_soon_threadsafe(function)

    def tell(self) -> None:
        """Have `until` look again."""
        with self._changed:
            self._changed.notify_all()

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self._port, ssl=self._tls, limit=1 << 26)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._over.wait()
        server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            while asked := await _read(reader):
                with self._changed:
                    self.asked.append(asked)
                    self._changed.notify_all()
                await self._handle(asked, Answer(reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):  # the last at the server's end
            pass
        finally:
            writer.transport.abort()

    def __enter__(self) -> HttpServer:
        self._thread.start()
        assert self._started.wait(SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(SECONDS)
        self._loop.close()


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    verb, path, _ = head[0].split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return Asked(verb, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def result_of(asked: Asked, result: str) -> bytes:
    """A JSON-RPC result for a request."""
    return f'{{"jsonrpc":"2.0","id":{json.dumps(asked.message["id"])},"result":{result}}}'.encode()


class Mcp:
    """A server of both eras that answers with raw JSON; `methods` are functions that answer in their own way."""

    def __init__(self, methods: Mapping[str, Handle] | None = None, version: str = "2025-06-18") -> None:
        self.methods = {**(methods or {})}
        self.version = version
        self.sessions: set[str] = set()
        self.opened = 0
        self.capabilities = "{}"
        self.tools = '[{"name":"small","inputSchema":{"type":"object"}}]'

    async def __call__(self, asked: Asked, answer: Answer) -> None:
        handle = self.methods.get(asked.method or asked.verb)
        if not self._knows(asked):
            await answer.send(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}', 404)
        elif handle is not None:
            await handle(asked, answer)
        elif asked.verb != "POST":
            await answer.send(status=405 if asked.verb == "GET" else 200)
        elif asked.method is None or "id" not in asked.message:
            await answer.send(status=202)
        else:
            await self._answer(asked, answer)

    def _knows(self, asked: Asked) -> bool:
        is_opening = asked.method == "initialize" or asked.headers.get("mcp-protocol-version") == MODERN
        return is_opening or asked.headers.get("mcp-session-id") in self.sessions

    async def _answer(self, asked: Asked, answer: Answer) -> None:
        match asked.method:
            case "initialize":
                self.opened += 1
                self.sessions.add(session := f"session-{self.opened}")
                opened = f'{{"protocolVersion":"{self.version}","capabilities":{self.capabilities}}}'
                await answer.result(asked, opened, mcp_session_id=session)
            case "tools/list":
                await answer.result(asked, f'{{"tools":{self.tools}}}')
            case _:
                await answer.result(asked, "{}")
