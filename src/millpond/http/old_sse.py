"""Old SSE: a server of the transport of 2024-11-05, one stream for all that it says and an endpoint for what it hears.

Rule: the endpoint lies at the stream's origin; a stream that has ended is opened again before the next request, never
under one. Imports httpx2, asyncio, `core.errors` and http's modules.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import httpx2

from millpond.core.errors import RemoteFailed
from millpond.http.failures import broken, origin_of, refused, silent, unexpected
from millpond.http.headers import EVENT_STREAM, posted
from millpond.http.message import Message, Waiting, answered_keys, one_line
from millpond.http.reading import Say, content_type
from millpond.http.sse import Event, Events
from millpond.http.transport import ACCEPT_SECONDS, INITIALIZE, INITIALIZED, OPENING, OPENING_SECONDS, Note, Sent
from millpond.http.wire import Wire

OPEN_SECONDS = 10.0
"""For the stream to name its endpoint."""


@dataclass(eq=False, slots=True)
class Asked:
    """A message that waits for its answers on the stream."""

    waiting: Waiting
    answered: asyncio.Future[None]
    is_swallowed: bool


class OldSse:
    """One client at one server: a `Transport`."""

    def __init__(self, wire: Wire, say: Say, note: Note) -> None:
        self._wire = wire
        self._say = say
        self._note = note
        self._opening = asyncio.Lock()
        self._stream: asyncio.Task[None] | None = None
        self._endpoint: asyncio.Future[httpx2.URL]
        self._failed: RemoteFailed | None = None
        self._asked: list[Asked] = []
        self._initialize: Message | None = None
        self._initialized: Message | None = None

    @property
    def is_modern(self) -> bool:
        """Never: here a cancellation is a message."""
        return False

    async def open(self) -> None:
        """Open the stream. Raises `RemoteFailed` where it is none of an old server."""
        self._endpoint, self._failed = asyncio.get_running_loop().create_future(), None
        self._stream = asyncio.create_task(self._read())
        await asyncio.wait({self._stream, self._endpoint}, timeout=OPEN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not self._endpoint.done():
            if not self._stream.done():
                await self.close()
                raise silent(self._wire.origin, OPEN_SECONDS)
            raise self._failed or unexpected(self._wire.origin, "a stream that names no endpoint")

    async def request(self, message: Message, waiting: Waiting, on_sent: Sent) -> None:
        """Post requests and wait for their answers on the stream. Raises `RemoteFailed`."""
        if message.method == INITIALIZE:
            self._initialize = self._initialized = None
        await self._open_again()
        if message.method == INITIALIZE:
            self._initialize = message
        await self._ask(message, waiting, on_sent)

    async def _ask(self, message: Message, waiting: Waiting, on_sent: Sent, *, is_swallowed: bool = False) -> None:
        assert self._stream is not None
        asked = Asked(waiting, asyncio.get_running_loop().create_future(), is_swallowed)
        self._asked.append(asked)
        try:
            await self._post(message)
            on_sent()
            limit = OPENING_SECONDS if message.method in OPENING else None
            await asyncio.wait({self._stream, asked.answered}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._asked.remove(asked)
        if waiting.left:
            raise broken(self._wire.origin) if self._stream.done() else silent(self._wire.origin, OPENING_SECONDS)

    async def tell(self, message: Message) -> None:
        """Post what has no answer. Raises `RemoteFailed` where it was not accepted."""
        if message.method == INITIALIZED:
            self._initialized = message
        await self._open_again()
        await self._post(message)

    async def close(self) -> None:
        """Close the stream, which ends the session."""
        if self._stream is not None:
            self._stream.cancel()
            with suppress(asyncio.CancelledError, RemoteFailed):
                await self._stream

    async def _open_again(self) -> None:
        """Open a stream that has ended, and the session with the client's own words."""
        async with self._opening:
            if self._stream is not None and not self._stream.done():
                return
            await self.open()
            if self._initialize is not None:
                waiting = Waiting(self._initialize.ids)
                await self._ask(self._initialize, waiting, lambda: None, is_swallowed=True)
            if self._initialized is not None:
                await self._post(self._initialized)
            self._note("the server's stream had ended, and was opened again; subscriptions and log levels are gone")

    async def _post(self, message: Message) -> None:
        try:
            async with (
                asyncio.timeout(ACCEPT_SECONDS),
                self._wire.send("POST", posted(None, None), message.body, url=self._endpoint.result()) as response,
            ):
                if not response.is_success:
                    raise refused(response, message.method)
        except TimeoutError:
            raise silent(self._wire.origin, ACCEPT_SECONDS) from None

    # --- the stream ---------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        headers = {"accept": EVENT_STREAM, "cache-control": "no-store"}
        try:
            async with self._wire.send("GET", headers) as response:
                if not response.is_success or content_type(response) != EVENT_STREAM:
                    raise refused(response, None)
                events = Events()
                async for piece in response.aiter_bytes():
                    for event in events.feed(piece):
                        await self._event(event)
        except RemoteFailed as failed:
            self._failed = failed

    async def _event(self, event: Event) -> None:
        if event.name == b"endpoint" and not self._endpoint.done():
            self._endpoint.set_result(self._endpoint_url(event.data.strip().decode("utf-8", "replace")))
        elif event.name == b"message" and event.data.strip():
            await self._message(one_line(event.data))

    def _endpoint_url(self, data: str) -> httpx2.URL:
        try:
            url = self._wire.url.join(data)
        except httpx2.InvalidURL:
            raise unexpected(self._wire.origin, "an endpoint that is no URL") from None
        if origin_of(url) != self._wire.origin:
            raise unexpected(self._wire.origin, f"an endpoint at another origin ({origin_of(url)})")
        return url

    async def _message(self, line: bytes) -> None:
        keys = answered_keys(line)
        for asked in tuple(self._asked):
            if asked.waiting.take(keys):
                if not asked.waiting.left and not asked.answered.done():
                    asked.answered.set_result(None)
                if asked.is_swallowed:
                    return
        await self._say(line)
