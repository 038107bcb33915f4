"""Log: our stderr, written by a thread, so that one that nobody reads blocks nothing.

Rule: a line is written whole or not at all, and what is dropped is counted. Imports the relay's `streams`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress

from millpond.relay.streams import write_all

BEHIND_BYTES = 1 << 20
"""Waiting lines from which whoever writes many should wait."""
MOST_BYTES = 4 << 20
"""Waiting lines from which further ones are dropped."""
STALLED_SECONDS = 1.0
"""Without progress for so long, nobody reads: waiting would hold the server up for nothing."""


class Log:
    """One line each, on a descriptor that may be slow or unread. Safe from any thread."""

    def __init__(self, descriptor: int = 2) -> None:
        self._descriptor = descriptor
        self._lines: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._dropped = 0
        self._said: set[str] = set()
        self._progress = time.monotonic()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def is_behind(self) -> bool:
        """True where much waits that is still being read."""
        is_moving = time.monotonic() - self._progress < STALLED_SECONDS
        return self._waiting_bytes > BEHIND_BYTES and is_moving

    def line(self, text: str) -> None:
        """One line of our own."""
        self.raw(f"millpond: {' '.join(text.split())}\n".encode("utf-8", "replace"))

    def once(self, text: str) -> None:
        """One line of our own, the first time only: for what many sessions of a process would say alike."""
        if text not in self._said:
            self._said.add(text)
            self.line(text)

    def raw(self, line: bytes) -> None:
        """A line as it is."""
        with self._changed:
            if self._waiting_bytes > MOST_BYTES:
                self._dropped += 1
                return
            self._lines.append(line)
            self._waiting_bytes += len(line)
            self._changed.notify_all()
            if self._thread is None:
                self._progress = time.monotonic()
                self._thread = threading.Thread(target=self._write_on, name="log", daemon=True)
                self._thread.start()

    def flush(self, seconds: float) -> None:
        """Wait until all lines are written, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting_bytes, seconds)

    def _write_on(self) -> None:
        while True:
            data = self._next()
            with suppress(OSError):  # nobody reads: there is nowhere to say so
                write_all(self._descriptor, data)
            self._written(len(data))

    def _next(self) -> bytes:
        with self._changed:
            if not self._waiting_bytes:
                self._changed.wait_for(lambda: self._lines)
                self._progress = time.monotonic()
            if self._dropped:
                dropped = b"millpond: %d lines of stderr were dropped, for nobody read them\n" % self._dropped
                self._lines.append(dropped)
                self._waiting_bytes += len(dropped)
                self._dropped = 0
            return self._lines.popleft()

    def _written(self, size: int) -> None:
        with self._changed:
            self._waiting_bytes -= size
            self._progress = time.monotonic()
            self._changed.notify_all()
