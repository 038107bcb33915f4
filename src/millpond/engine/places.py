"""Places: how many engine processes run at once, which one ends for another, and when an idle one ends.

Rule: an engine that ends here starts again when it is asked, and has all that was acknowledged; one that is busy is never ended. Runs
on the event loop. Imports asyncio and `core.seats`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from millpond.core.seats import LINGER_SECONDS, Seats

FOREVER_SECONDS = float("inf")


class Tenant(Protocol):
    """An engine that may have a place."""

    @property
    def is_busy(self) -> bool:
        """True where something waits for it."""
        ...

    def rest(self) -> None:
        """End the process, and `leave` once it is gone; nothing where it is busy or at rest."""
        ...


class Places:
    """The places of one front."""

    def __init__(
        self, most: int, idle_seconds: float = FOREVER_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """So many engines run at once; one that nobody asked for `idle_seconds` ends."""
        self._seats: Seats[Tenant] = Seats(most, idle_seconds)
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._waiting: dict[Tenant, asyncio.Future[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None

    async def enter(self, tenant: Tenant, seconds: float) -> bool:
        """Have a place, waiting so long at most. False where none became free."""
        if not self._waiting and self._seats.take(tenant, self._clock()):
            self._look_later()
            return True
        given = self._waiting[tenant] = asyncio.get_running_loop().create_future()
        self._make_way()
        try:
            async with asyncio.timeout(seconds):
                await given
            return True
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(tenant, None)

    def touch(self, tenant: Tenant) -> None:
        """Note that it is used."""
        self._seats.touch(tenant, self._clock())

    def settle(self, tenant: Tenant) -> None:
        """Note that its process takes requests from now on."""
        self._seats.settle(tenant, self._clock())

    def leave(self, tenant: Tenant) -> None:
        """Free its place, for whoever has waited longest."""
        if not self._seats.leave(tenant):
            return
        for waiting, given in list(self._waiting.items()):
            if not self._seats.take(waiting, self._clock()):
                break
            del self._waiting[waiting]
            if not given.done():
                given.set_result(None)
        self._look_later()

    def on_idle(self, tenant: Tenant) -> None:
        """It has nothing to do from now on: it may make way."""
        self.touch(tenant)
        self._make_way()

    def _make_way(self) -> None:
        """Have as many end as others wait for: now, or when they have been there for a moment."""
        if not self._waiting:
            return
        for tenant in self._seats.make_way(len(self._waiting), lambda one: one.is_busy, self._clock()):
            tenant.rest()
        if self._again is None:
            self._again = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._make_way_again)

    def _make_way_again(self) -> None:
        self._again = None
        self._make_way()

    def look(self) -> None:
        """End those that nobody asked for long."""
        for tenant in self._seats.idle(self._clock(), lambda one: one.is_busy):
            tenant.rest()
        self._timer = None
        self._look_later()

    def _look_later(self) -> None:
        seconds = self._seats.next_look_seconds(self._clock())
        if self._timer is None and seconds is not None and seconds < FOREVER_SECONDS:
            self._timer = asyncio.get_running_loop().call_later(seconds, self.look)
