"""Reading: the messages in a response, each said as one line.

Rule: a body or an event is one message, whatever its size; what it answers is struck out before the client sees it.
Imports httpx2, the standard library, the relay's `requests` and http's pure modules.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2

from millpond.http.message import UNNAMED, Waiting, answered_keys, one_line, with_id
from millpond.http.sse import Event, Events
from millpond.relay.requests import id_key

AFTER_SECONDS = 1.0
"""For a stream to end by itself once all is answered: its connection can then be used again."""
RETRY_SECONDS = 1.0
"""Between two connections of a stream, where the server names no time."""

LEAST_RETRY_SECONDS = 0.01
"""Between two connections, even where the server wants none."""

Say = Callable[[bytes], Awaitable[None]]
"""Passes a line on to the client; waits where it takes no more."""


def content_type(response: httpx2.Response) -> str:
    """`application/json`, without parameters."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


async def whole_body(response: httpx2.Response) -> bytes:
    """The body as one line."""
    pieces = [piece async for piece in response.aiter_bytes()]
    return one_line(b"".join([*pieces, b"\n"]))


class Reading:
    """What comes in answer to one message, on one or, where it is resumed, several connections."""

    def __init__(
        self, waiting: Waiting, say: Say, on_answer: Callable[[bytes], None], *, swallows: bool = False
    ) -> None:
        """`on_answer` gets every line that answers the message; with `swallows` the client does not get it."""
        self._waiting = waiting
        self._say = say
        self._on_answer = on_answer
        self._swallows = swallows
        self.last_event_id: str | None = None
        """What a new connection resumes after; None where the server gave none."""
        self.retry_seconds = RETRY_SECONDS
        self.has_heard = False
        """True where any event came on the last connection."""

    async def events(self, response: httpx2.Response) -> None:
        """Read a stream of events until it ends, or all is answered."""
        events, self.has_heard = Events(), False
        pieces, end = response.aiter_bytes(), None
        is_bounded = bool(self._waiting.left)
        while (piece := await _next(pieces, end)) is not None:
            for event in events.feed(piece):
                await self._event(event)
            if is_bounded and end is None and not self._waiting.left:
                end = asyncio.get_running_loop().time() + AFTER_SECONDS

    async def _event(self, event: Event) -> None:
        self.has_heard = True
        if event.id and event.id.isascii() and event.id.decode().isprintable():  # else no header could carry it
            self.last_event_id = event.id.decode()
        if event.retry_ms is not None:
            self.retry_seconds = max(event.retry_ms / 1_000, LEAST_RETRY_SECONDS)
        if event.name == b"message" and event.data:
            await self.message(one_line(event.data))

    def is_answer(self, line: bytes) -> bool:
        """Whether it answers the message."""
        left = self._waiting.left
        keys = {id_key(raw_id) for raw_id in left}
        return bool(left) and (not keys.isdisjoint(answered_keys(line)) or with_id(line, left[0]) is not None)

    async def message(self, line: bytes) -> None:
        """A message of the server; a blank one is none."""
        if line.isspace():
            return
        keys, left = answered_keys(line), self._waiting.left
        names_none = not set(keys) - {UNNAMED}
        if names_none and len(left) == 1 and (own := with_id(line, left[0])) is not None:
            keys, line = answered_keys(own), own
        if self._waiting.take(keys):
            self._on_answer(line)
            if self._swallows:
                return
        await self._say(line)


async def _next(pieces: AsyncIterator[bytes], end: float | None) -> bytes | None:
    """The next piece; None at the stream's end, or at that time of the loop."""
    try:
        async with asyncio.timeout_at(end):
            return await anext(pieces, None)
    except TimeoutError:
        return None
