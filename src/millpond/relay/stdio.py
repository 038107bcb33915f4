"""Stdio: the client's end of a session on our standard streams, and the session's beginning and end.

Rule: an ended side ends the session. Imports asyncio, `core` and the relay's modules.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine

from millpond.core.errors import ServerFailed
from millpond.core.model import SessionEngine
from millpond.relay.driver import Driver
from millpond.relay.lines import Lines
from millpond.relay.log import Log
from millpond.relay.server_end import StartServer
from millpond.relay.session import Session
from millpond.relay.signals import EXIT_SIGNAL, watch_signals
from millpond.relay.streams import Sink, Source

STDIN, STDOUT = 0, 1
EXIT_OK = 0


class Stdio:
    """One session over standard streams."""

    def __init__(self, session: Session, engine: SessionEngine, log: Log) -> None:
        self._driver = Driver(session, engine, log, self)
        self._lines = Lines()
        self._client_ended = False
        self._is_open = False
        """The last line that was written came without its end."""
        self._signal = 0

    async def run(self, start_server: StartServer, start_engine: Callable[[], Coroutine[None, None, None]]) -> int:
        """Relay until either side ends; returns the exit code. `start_engine` is called once the server shows tools.

        Raises `ServerFailed` where it cannot be started, or ends before the client does.
        """
        driver = self._driver
        driver.start(start_server, start_engine)
        try:
            self._sink = Sink(STDOUT, driver.on_client_full, driver.changed)
            self._source = Source(STDIN, self._on_client)
            watch_signals(self._on_signal)
            await driver.until(lambda: self._client_ended or driver.server_ended or driver.is_over)
            is_server_first = driver.server_ended and not self._client_ended and not driver.is_over
            if not driver.server_ended:
                await driver.end_server()
            await driver.pay_debts()
            if is_server_first:
                raise ServerFailed(driver.last_words())
            return EXIT_SIGNAL + self._signal if self._signal else EXIT_OK
        finally:
            driver.kill()

    def _on_client(self, piece: bytes) -> None:
        rest = [] if piece else [self._lines.rest()]
        for line in self._lines.feed(piece) if piece else filter(None, rest):
            self._driver.from_client(line)
        if not piece:
            self._client_ended = True
            self._driver.changed()

    def _on_signal(self, number: int) -> None:
        """The first signal ends the session in order, the second one at once."""
        if self._signal:
            self._driver.kill()
            os._exit(EXIT_SIGNAL + number)
        self._signal = number
        self._driver.hurry()

    # --- the client's end, as the driver sees it ----------------------------------------------------------------

    @property
    def waiting_bytes(self) -> int:
        """What was written and is not yet with the client's pipe."""
        return self._sink.waiting_bytes

    def write(self, line: bytes) -> None:
        """Send a line. One that came without its end is ended before another follows it, which would be lost in it."""
        self._sink.write(b"\n" + line if self._is_open else line)
        self._is_open = not line.endswith(b"\n")

    def hear(self, wanted: bool) -> None:
        """Read on, or no more for now."""
        if wanted:
            self._source.resume()
        else:
            self._source.pause()

    def is_gone(self) -> bool:
        """True where the client reads no more; without a line to write, only a look tells."""
        if self._client_ended:
            self._sink.look()
        return self._sink.is_broken

    async def drain(self) -> None:
        """Wait until all is written."""
        await self._sink.drain()
