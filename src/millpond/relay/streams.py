"""Streams: our own standard streams on an event loop, without touching what others share with us.

Rule: never O_NONBLOCK on them, for their open file may be another process's too; what may block does so on a thread. Imports
asyncio and the standard library only.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

PIECE_BYTES = 1 << 20
"""Read at a time: what a pipe can hold where it may be enlarged."""
ATOMIC_BYTES = 4096
"""PIPE_BUF of Linux: a pipe that is writable takes so much without blocking."""
HIGH_WATER_BYTES = 16 << 20
"""Waiting output from which the source is paused, as a full pipe would."""
LOW_WATER_BYTES = 4 << 20
"""Waiting output at which the source goes on."""
LOG_LINES = 1_000
"""Lines that wait for a stderr that nobody reads; further ones are dropped and counted."""


def enlarge_pipe(descriptor: int) -> None:
    """Let a pipe hold 1 MiB, where the system can."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIECE_BYTES)


class Source:
    """A descriptor that is read: by the loop where it can be polled, else by a thread."""

    def __init__(self, descriptor: int, on_bytes: Callable[[bytes], None]) -> None:
        """`on_bytes` gets what came, on the loop; b"" at the end."""
        self._descriptor = descriptor
        self._on_bytes = on_bytes
        self._loop = asyncio.get_running_loop()
        self._polled = False
        self._ended = False
        enlarge_pipe(descriptor)
        try:
            self.resume()
        except (OSError, NotImplementedError):
            threading.Thread(target=self._read_on, name="source", daemon=True).start()

    def pause(self) -> None:
        """Read no more for now; a thread goes on, for nothing can stop it."""
        if self._polled:
            self._loop.remove_reader(self._descriptor)
            self._polled = False

    def resume(self) -> None:
        """Read on."""
        if not self._ended:
            self._loop.add_reader(self._descriptor, self._read)
            self._polled = True

    def _read(self) -> None:
        try:
            piece = os.read(self._descriptor, PIECE_BYTES)
        except OSError:
            piece = b""
        if not piece:
            self._ended = True
            self.pause()
        self._on_bytes(piece)

    def _read_on(self) -> None:
        piece = b"-"
        while piece:
            try:
                piece = os.read(self._descriptor, PIECE_BYTES)
            except OSError:
                piece = b""
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._on_bytes, piece)


class Sink:
    """A descriptor that is written in order: at once where that cannot block, else by a thread."""

    def __init__(self, descriptor: int, on_full: Callable[[bool], None], on_broken: Callable[[], None]) -> None:
        """`on_full` is called on the loop when too much waits (True) and when it has gone (False)."""
        self._descriptor = descriptor
        self._on_full = on_full
        self._on_broken = on_broken
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._waiting_bytes = 0
        self._full = False
        self._broken = False
        self._drained = asyncio.Event()
        self._drained.set()
        enlarge_pipe(descriptor)
        self._thread = threading.Thread(target=self._write_on, name="sink", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write all of it, after what was written before."""
        if self._broken:
            return
        if not self._waiting_bytes and len(data) <= ATOMIC_BYTES and self._is_writable():
            try:
                os.write(self._descriptor, data)
            except OSError:
                self._break()
            return
        self._waiting_bytes += len(data)
        self._drained.clear()
        self._queue.put(data)
        if self._waiting_bytes > HIGH_WATER_BYTES and not self._full:
            self._full = True
            self._on_full(True)

    async def drain(self) -> None:
        """Wait until all is written, or nobody reads any more."""
        await self._drained.wait()

    def _is_writable(self) -> bool:
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        return any(events & select.POLLOUT for _, events in poll.poll(0))

    def _write_on(self) -> None:
        while (data := self._queue.get()) is not None:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._break)
                return
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._written, len(data))

    def _written(self, size: int) -> None:
        self._waiting_bytes -= size
        if not self._waiting_bytes:
            self._drained.set()
        if self._full and self._waiting_bytes < LOW_WATER_BYTES:
            self._full = False
            self._on_full(False)

    def _break(self) -> None:
        self._broken = True
        self._drained.set()
        self._on_broken()


class Log:
    """Our stderr, written by a thread: one that nobody reads blocks nothing."""

    def __init__(self, descriptor: int = 2) -> None:
        self._descriptor = descriptor
        self._lines: deque[bytes] = deque()
        self._dropped = 0
        self._changed = threading.Condition()
        self._writing = False
        threading.Thread(target=self._write_on, name="log", daemon=True).start()

    def line(self, text: str) -> None:
        """One line of our own."""
        self.raw(f"millpond: {' '.join(text.split())}\n".encode("utf-8", "replace"))

    def raw(self, line: bytes) -> None:
        """A line as it is."""
        with self._changed:
            if len(self._lines) < LOG_LINES:
                self._lines.append(line)
            else:
                self._dropped += 1
            self._changed.notify()

    def flush(self, seconds: float) -> None:
        """Wait until all lines are written, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines and not self._writing, seconds)

    def _write_on(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                data = b"".join(self._lines)
                if self._dropped:
                    data += b"millpond: %d lines of stderr dropped, for nobody read them\n" % self._dropped
                self._lines.clear()
                self._dropped = 0
                self._writing = True
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                continue
