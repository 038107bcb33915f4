"""Hosted: a server that runs for one session or one caller, from its start to its end.

Rule: it is the driver's client, so that what holds on standard streams holds here; its end answers all that wait.
Imports asyncio, the relay's `driver`, `log` and `siblings`, and this package's `events` and `guard`.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from millpond.http.events import Outbox
from millpond.http.guard import ANYONE
from millpond.relay.driver import ClientEnd, Driver
from millpond.relay.log import Log
from millpond.relay.siblings import Shown


class Open(Protocol):
    """Begins a session of its own: a canvas, an engine, a server that has been started."""

    def __call__(
        self, client: ClientEnd, own: Shown | None = None, caller: int = ANYONE
    ) -> AbstractAsyncContextManager[Driver]:
        """`own` are the own tools where the client was shown them before. Raises `MillpondError` on entry."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for every server."""

    idle_seconds: float
    """After which one that no client is connected to is ended."""
    most_bytes: int
    """Kept of what was sent, and of what nobody has read yet; for clients that come back."""
    poll_seconds: float = 0.0
    """After which a connection that waits for an answer is closed, for its client to come back; 0 is never."""


class Running(set["Hosted"]):
    """The servers that run, those that are ending included."""

    def close(self) -> None:
        """End every one at once."""
        for server in self:
            server.end(hurry=True)

    async def closed(self) -> None:
        """Wait until every one has ended."""
        await asyncio.gather(*(server.ended() for server in self))

    def kill(self) -> None:
        """End every one's process group, without a word."""
        for server in self:
            server.kill()


class Hosted:
    """A running server, and what it sends."""

    def __init__(self, begin: Open, terms: Terms, log: Log) -> None:
        """Nothing is started yet."""
        self._begin = begin
        self._terms = terms
        self._log = log
        self._outbox = Outbox(terms.most_bytes, self.on_full)
        self._connections = 0
        self._idle: asyncio.TimerHandle | None = None
        self._may_send = asyncio.Event()
        self._may_send.set()
        self._is_ending = False
        self._is_hurried = False
        self._driver: Driver | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def is_ending(self) -> bool:
        """True where it takes nothing more."""
        return self._is_ending or (self._driver is not None and self._driver.server_ended)

    @property
    def own(self) -> Shown | None:
        """The own tools, once the client was shown them."""
        return None if self._driver is None else self._driver.own

    async def start(self, own: Shown | None = None) -> None:
        """Start the server. Raises `MillpondError` where that fails; then there is no end to wait for."""
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(started, own))
        await asyncio.shield(started)

    async def _run(self, started: asyncio.Future[None], own: Shown | None) -> None:
        try:
            async with self._begin(self, own) as driver:
                self._driver = driver
                started.set_result(None)
                await self._serve(driver)
        except Exception as error:
            if started.done():
                raise
            started.set_exception(error)
        finally:
            self._is_ending = True
            self._may_send.set()
            self._outbox.complete()
            if self._idle is not None:
                self._idle.cancel()
            self.on_over()

    async def _serve(self, driver: Driver) -> None:
        if self._is_hurried:
            driver.hurry()
        await driver.until(lambda: driver.server_ended or self._is_ending)
        if driver.server_ended:
            self._log.line(f"http: {driver.last_words()}")
        else:
            await driver.end_server()
        await driver.pay_debts()

    async def send(self, line: bytes) -> None:
        """Give the session a line of the client, when it takes one."""
        await self._may_send.wait()
        if self._driver is not None:
            self._driver.from_client(line)

    def connected(self) -> None:
        """A connection waits for it: it is not idle."""
        self._connections += 1
        if self._idle is not None:
            self._idle.cancel()

    def disconnected(self) -> None:
        """A connection has ended; without any, the server is ended after a while."""
        self._connections -= 1
        if not self._connections and not self.is_ending:
            self._idle = asyncio.get_running_loop().call_later(self._terms.idle_seconds, self.end)

    def on_over(self) -> None:
        """The server and its canvas are gone."""

    def end(self, *, hurry: bool = False) -> None:
        """Have the server ended; what it still answers is passed on, but with `hurry` nothing is waited for."""
        self._is_ending = True
        self._is_hurried |= hurry
        if self._driver is not None:
            if hurry:
                self._driver.hurry()
            self._driver.changed()

    def kill(self) -> None:
        """End the server's process group, without a word."""
        if self._driver is not None:
            self._driver.kill()

    async def ended(self) -> None:
        """Wait until all of it has ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def on_full(self, full: bool) -> None:
        """Connected clients are too far behind, or no longer."""
        if self._driver is not None:
            self._driver.on_client_full(full)

    # --- the client's end, as the driver sees it ----------------------------------------------------------------

    @property
    def waiting_bytes(self) -> int:
        """What connected clients are still to get."""
        return self._outbox.waiting_bytes

    def write(self, line: bytes) -> None:
        """Send a line to whom it belongs."""
        raise NotImplementedError

    def hear(self, wanted: bool) -> None:
        """Take lines of the client, or have them wait."""
        if wanted:
            self._may_send.set()
        else:
            self._may_send.clear()

    def is_gone(self) -> bool:
        """True where the client ended the session."""
        return self._is_ending

    async def drain(self) -> None:
        """What is written waits for its connections beyond the session's end."""
