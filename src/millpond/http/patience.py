"""Patience: how long a client may take to send a request, and what becomes of one that stops in the middle.

Rule: who has not said who they are holds a connection for a bounded time only, however slowly they send. Imports uvicorn, asyncio
and Starlette's types.
"""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 20.0
"""From a connection's start, or from the first byte of a further request, until that request's head is whole."""
PIECE_SECONDS = 60.0
"""Between two pieces of a body."""


class BodyLate(Exception):
    """The next piece of a body did not come in time, or is waited for no longer."""


class Patient(H11Protocol):
    """A connection that is closed where a request's head does not come whole in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came; where it is part of a head, the rest is due."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        is_whole = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]
        if is_whole:
            self._stop()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Patience:
    """Waits for the bodies of requests."""

    def __init__(self) -> None:
        self._waits: set[asyncio.Timeout] = set()
        self._seconds = PIECE_SECONDS

    def of(self, receive: Receive) -> Receive:
        """The same, but that it raises `BodyLate` where a body stops; behind the body it waits for as long as it takes."""
        is_whole = False

        async def received() -> Message:
            nonlocal is_whole
            message = await (receive() if is_whole else self._piece(receive))
            is_whole = is_whole or not message.get("more_body", False)
            return message

        return received

    async def _piece(self, receive: Receive) -> Message:
        wait = asyncio.timeout(self._seconds)
        try:
            async with wait:
                self._waits.add(wait)
                return await receive()
        except TimeoutError:
            raise BodyLate from None
        finally:
            self._waits.discard(wait)

    def end(self) -> None:
        """Wait for no body any longer."""
        self._seconds = 0.0
        now = asyncio.get_running_loop().time()
        for wait in self._waits:
            wait.reschedule(now)
