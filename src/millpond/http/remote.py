"""Remote: a server at a URL as a `ServerEnd`.

Rule: lines go out in their order, requests wait for no answers but that of `initialize`, and every request is answered:
by the server, or with an error that says why not. Imports asyncio, `core`, the relay's modules and http's modules.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx2

from millpond.core.config import RemoteServer
from millpond.core.errors import RemoteFailed, ServerFailed
from millpond.http.message import CANCELLED, Message, Waiting, read_message
from millpond.http.old_sse import OldSse
from millpond.http.streamable import Streamable
from millpond.http.transport import INITIALIZE, NotStreamable, Transport
from millpond.http.wire import Wire
from millpond.relay.log import Log
from millpond.relay.requests import error_line, id_key
from millpond.relay.server_end import Owner
from millpond.relay.session import LISTEN
from millpond.relay.streams import HIGH_WATER_BYTES, LOW_WATER_BYTES

MOST_AT_ONCE = 256
"""Requests under way, each with a connection of its own; more wait for one of them."""


@dataclass(eq=False, slots=True)
class Exchange:
    """A message with requests, on its way."""

    message: Message
    sent: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    """Set too where it will not be; its stream may go on."""
    task: asyncio.Task[None] | None = None


class Remote:
    """One client's way to the server."""

    def __init__(self, wire: Wire, log: Log, owner: Owner) -> None:
        self._wire = wire
        self._log = log
        self._owner = owner
        self._transport: Transport = Streamable(wire, self._say, self._note)
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self._waiting_bytes = 0
        self._is_full = False
        self._exchanges: set[Exchange] = set()
        self._later: deque[Exchange] = deque()
        self._changed = asyncio.Event()
        self._may_speak = asyncio.Event()
        self._may_speak.set()
        self._is_over = asyncio.Event()
        self._last_words = f"the connection to {wire.origin} was closed"
        self._life = asyncio.create_task(self._live())

    @classmethod
    def start(cls, server: RemoteServer, log: Log, owner: Owner) -> Remote:
        """Begin to connect; that it fails is heard as the server's end. Raises `ServerFailed` for an impossible URL."""
        try:
            return cls(Wire(server), log, owner)
        except (httpx2.InvalidURL, ValueError) as error:
            raise ServerFailed("the server's URL cannot be used; check it") from error

    # --- what the relay asks ------------------------------------------------------------------------------------

    @property
    def has_ended(self) -> bool:
        """True where all connections are closed."""
        return self._life.done()

    def write(self, line: bytes) -> None:
        """Send a line."""
        message = read_message(line)
        if message is not None:
            self._queue.put_nowait(message)
            self._count(len(message.body))

    def close(self) -> None:
        """End the session when all that was written is answered; a subscription, which never is, does not count."""
        self._queue.put_nowait(None)

    def pause(self) -> None:
        """Say nothing for now; streams are read no further than a message."""
        self._may_speak.clear()

    def resume(self) -> None:
        """Say on."""
        self._may_speak.set()

    def terminate(self) -> None:
        """End the session now, and tell the server."""
        self._is_over.set()

    def kill(self) -> None:
        """Close all connections now."""
        self._life.cancel()

    def last_words(self) -> str:
        """Why it ended."""
        return self._last_words

    # --- life ---------------------------------------------------------------------------------------------------

    async def _live(self) -> None:
        reaching = asyncio.create_task(self._reach())
        sending = asyncio.create_task(self._send_on())
        ending = asyncio.create_task(self._is_over.wait())
        try:
            await asyncio.wait({sending, ending}, return_when=asyncio.FIRST_COMPLETED)
            await self._cancelled(reaching, sending, ending, *(one.task for one in self._exchanges if one.task))
            await self._transport.close()
        finally:
            for task in (reaching, sending, ending, *(one.task for one in self._exchanges if one.task)):
                task.cancel()
            await self._wire.aclose()
            self._owner.on_exit()

    async def _cancelled(self, *tasks: asyncio.Task[Any]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _reach(self) -> None:
        """Find out at once that there is no server, rather than with the client's first request."""
        try:
            await self._wire.reach()
        except RemoteFailed as failed:
            self._end_unreached(failed)

    def _end_unreached(self, failed: RemoteFailed) -> bool:
        """A server that was never there is one that cannot be started."""
        if self._wire.has_answered or not failed.is_unreachable:
            return False
        self._last_words = str(failed)
        self._is_over.set()
        return True

    # --- sending ------------------------------------------------------------------------------------------------

    async def _send_on(self) -> None:
        while (message := await self._queue.get()) is not None:
            try:
                await self._send(message)
            except RemoteFailed as failed:
                self._note(f"a notification was lost: {failed}")
            except Exception as error:  # A fault of ours must not cost anyone the lines behind it.
                self._note(f"a line was lost: {type(error).__name__}")
        await self._until_answered()

    async def _send(self, message: Message) -> None:
        if message.ids:
            await self._begin(Exchange(message))
            return
        self._count(-len(message.body))
        if message.method != CANCELLED or not self._is_cancelled_here(message):
            await self._until_sent()
            await self._transport.tell(message)

    async def _begin(self, exchange: Exchange) -> None:
        if len(self._exchanges) >= MOST_AT_ONCE:
            self._later.append(exchange)
            return
        self._start(exchange)
        if exchange.message.method == INITIALIZE:
            await exchange.answered.wait()  # what follows needs the session and the revision that it gives

    def _start(self, exchange: Exchange) -> None:
        self._exchanges.add(exchange)
        exchange.task = asyncio.create_task(self._run(exchange))
        exchange.task.add_done_callback(partial(self._on_done, exchange))

    def _on_done(self, exchange: Exchange, _: asyncio.Task[None]) -> None:
        self._on_sent(exchange)
        self._on_answered(exchange)
        self._exchanges.discard(exchange)
        if self._later and not self._is_over.is_set():
            self._start(self._later.popleft())

    def _on_sent(self, exchange: Exchange) -> None:
        if not exchange.sent.is_set():
            exchange.sent.set()
            self._count(-len(exchange.message.body))

    def _on_answered(self, exchange: Exchange) -> None:
        exchange.answered.set()
        self._changed.set()

    async def _until_sent(self) -> None:
        """What was written before a notification is on its way before it."""
        for exchange in tuple(self._exchanges):
            await exchange.sent.wait()

    async def _until_answered(self) -> None:
        def is_owed(exchange: Exchange) -> bool:
            return exchange.message.method != LISTEN and not exchange.answered.is_set()

        while self._later or any(map(is_owed, self._exchanges)):
            self._changed.clear()
            await self._changed.wait()

    def _is_cancelled_here(self, cancellation: Message) -> bool:
        """In 2026-07-28 a request's stream is closed instead of a cancellation being sent."""
        key = cancellation.cancels
        for exchange in (*self._exchanges, *self._later):
            is_named = key in [id_key(raw) for raw in exchange.message.ids]
            if is_named and exchange.message.version is not None:
                if exchange.task is not None:
                    exchange.task.cancel()
                else:
                    self._later.remove(exchange)
                    self._on_sent(exchange)
                return True
        return self._transport.is_modern

    # --- one exchange -------------------------------------------------------------------------------------------

    async def _run(self, exchange: Exchange) -> None:
        waiting = Waiting(exchange.message.ids, partial(self._on_answered, exchange))
        try:
            await self._request(exchange, waiting)
        except RemoteFailed as failed:
            if not self._end_unreached(failed):
                await self._fail(waiting, failed)
        except Exception as error:
            self._note(f"an answer was lost: {type(error).__name__}")
            await self._fail(waiting, RemoteFailed(f"Millpond failed at this request ({type(error).__name__})"))

    async def _request(self, exchange: Exchange, waiting: Waiting) -> None:
        on_sent = partial(self._on_sent, exchange)
        try:
            await self._transport.request(exchange.message, waiting, on_sent)
        except NotStreamable as failed:
            self._transport = await self._old_server(failed)
            await self._transport.request(exchange.message, waiting, on_sent)

    async def _old_server(self, failed: NotStreamable) -> Transport:
        """The server as one of 2024-11-05, where it is one; else it fails as it did."""
        old = OldSse(self._wire, self._say, self._note)
        with suppress(RemoteFailed):
            await old.open()
            return old
        raise RemoteFailed(str(failed))

    async def _fail(self, waiting: Waiting, failed: RemoteFailed) -> None:
        for raw_id in waiting.left:
            await self._say(error_line(raw_id, str(failed), failed.code))

    # --- what the client hears, and who waits for whom ----------------------------------------------------------

    async def _say(self, line: bytes) -> None:
        await self._may_speak.wait()
        self._owner.on_line(line)

    def _note(self, text: str) -> None:
        self._log.line(f"http: {text}")

    def _count(self, size: int) -> None:
        self._waiting_bytes += size
        is_full = self._waiting_bytes > (LOW_WATER_BYTES if self._is_full else HIGH_WATER_BYTES)
        if is_full != self._is_full:
            self._is_full = is_full
            self._owner.on_full(is_full)
