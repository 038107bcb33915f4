"""Connection: one POST or GET, answered with one JSON value or with a stream of events.

Rule: a client that goes away is noticed at once, and one that waits hears from us often enough that nothing between
cuts the line. Imports asyncio, Starlette's types, and this package's `events`,
`headers` and `message`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType

from starlette.types import Receive, Send

from millpond.http.events import Stream
from millpond.http.headers import JSON
from millpond.http.message import unbroken

PING_SECONDS = 15.0
"""Between two comments on a silent stream, as the SDK has it."""
RETRY_MILLISECONDS = 500
"""After which a client whose stream has ended should come back."""
PING = b": ping\n\n"
SSE_HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "connection": "keep-alive",
    "x-accel-buffering": "no",
}


class Connection:
    """The answering side of one request whose body was read."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self.is_gone = False
        """True where the client went away."""

    async def __aenter__(self) -> Connection:
        self._watch = asyncio.create_task(self._until_gone())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.cancel()
        with suppress(asyncio.CancelledError):
            await self._watch

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True

    async def hears(self, stream: Stream, seconds: float) -> bool:
        """Wait for the stream's next event or its end, at most so long; False where neither came, or the client went."""
        if stream.next() is None and not stream.is_complete:
            changed = asyncio.create_task(stream.changed())
            await asyncio.wait({changed, self._watch}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
        return not self.is_gone and (stream.next() is not None or stream.is_complete)

    async def json(self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """Answer with one JSON value."""
        body = body.rstrip(b"\r\n")
        length = {"content-type": JSON, "content-length": str(len(body)), **(headers or {})}
        await self._send({"type": "http.response.start", "status": status, "headers": _raw(length)})
        await self._send({"type": "http.response.body", "body": body})

    async def events(self, *, are_numbered: bool, headers: Mapping[str, str] | None = None) -> None:
        """Begin a stream of events; `forward` sends them. With numbers, a client can come back for the rest."""
        self._are_numbered = are_numbered
        await self._send(
            {"type": "http.response.start", "status": 200, "headers": _raw({**SSE_HEADERS, **(headers or {})})}
        )

    async def prime(self, stream: Stream) -> None:
        """Tell the client what to come back with should the line be cut before the first event."""
        event = b"id: %d-%d\nretry: %d\ndata:\n\n" % (stream.name, stream.sent, RETRY_MILLISECONDS)
        await self._send({"type": "http.response.body", "body": event, "more_body": True})

    async def forward(self, stream: Stream, seconds: float = float("inf")) -> None:
        """Send the stream's events until its end, until its reader is another, or for so long; then end the answer."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while stream.reader is self and not self.is_gone:
            event = stream.next()
            if event is not None:
                number, line = event
                ident = b"id: %d-%d\n" % (stream.name, number) if self._are_numbered else b""
                await self._body(b"event: message\n" + ident + b"data: " + unbroken(line.rstrip(b"\r\n")) + b"\n\n")
                if stream.reader is self and not self.is_gone:
                    stream.has_sent(number)
            elif stream.is_complete or loop.time() >= end:
                break
            elif not await self.hears(stream, min(PING_SECONDS, end - loop.time())) and loop.time() < end:
                await self._body(PING)
        await self._send({"type": "http.response.body", "body": b""})

    async def _body(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
