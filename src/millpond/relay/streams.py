"""Streams: descriptors on an event loop, without touching what others share with us.

Rule: never O_NONBLOCK, for an open file may be another process's too; what may block does so on a thread. A sink says
when it is full, so that whoever feeds it pauses its source. Imports asyncio and the standard library only.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

PIECE_BYTES = 1 << 20
"""Read at a time from what is busy, and what a pipe holds where it may be enlarged."""
SMALL_PIECE_BYTES = 1 << 16
"""Read at a time from what is quiet: a large buffer costs more than a small message."""
ATOMIC_BYTES = 512 if sys.platform == "darwin" else 4096
"""PIPE_BUF: a pipe that is writable takes so much without blocking."""
_ERRORS, _WRITABLE = (0, 0) if sys.platform == "win32" else (select.POLLERR | select.POLLNVAL, select.POLLOUT)
HIGH_WATER_BYTES = 4 << 20
"""Waiting output from which a sink is full."""
LOW_WATER_BYTES = 1 << 20
"""Waiting output at which it is no longer."""


def enlarge_pipe(descriptor: int) -> None:
    """Let a pipe hold `PIECE_BYTES`, where it is one and the system can."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIECE_BYTES)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, waiting as long as that takes. Raises `OSError` where nobody reads."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:PIECE_BYTES]) :]


class Source:
    """A descriptor that is read: by the loop where it can be polled, else by a thread."""

    def __init__(self, descriptor: int, on_bytes: Callable[[bytes], None]) -> None:
        """`on_bytes` gets what came, on the loop; b"" at the end, once."""
        self._descriptor = descriptor
        self._on_bytes = on_bytes
        self._loop = asyncio.get_running_loop()
        self._size = SMALL_PIECE_BYTES
        self._has_ended = False
        self._may_read = threading.Event()
        self._may_read.set()
        enlarge_pipe(descriptor)
        try:
            self._loop.add_reader(descriptor, self._read)
            self._is_polled = True
        except (OSError, NotImplementedError):  # a regular file, or a system whose loop polls sockets only
            self._is_polled = False
            threading.Thread(target=self._read_on, name="source", daemon=True).start()

    @property
    def is_paused(self) -> bool:
        """True between `pause` and `resume`."""
        return not self._may_read.is_set()

    def pause(self) -> None:
        """Read no more for now."""
        if not self.is_paused:
            self._may_read.clear()
            if self._is_polled and not self._has_ended:
                self._loop.remove_reader(self._descriptor)

    def resume(self) -> None:
        """Read on."""
        if self.is_paused:
            self._may_read.set()
            if self._is_polled and not self._has_ended:
                self._loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Hear no more of it."""
        self.pause()
        self._has_ended = True

    def _read(self) -> None:
        piece = self._next_piece()
        if not piece:
            self._has_ended = True
            self._loop.remove_reader(self._descriptor)
        self._on_bytes(piece)

    def _next_piece(self) -> bytes:
        try:
            piece = os.read(self._descriptor, self._size)
        except OSError:
            return b""
        self._size = PIECE_BYTES if len(piece) == self._size else SMALL_PIECE_BYTES
        return piece

    def _read_on(self) -> None:
        """One piece at a time: the next is read when the loop has dealt with this one."""
        dealt_with = threading.Semaphore(0)

        def deal(piece: bytes) -> None:
            if not self._has_ended:
                self._has_ended = not piece
                self._on_bytes(piece)
            dealt_with.release()

        piece = b"-"
        while piece:
            self._may_read.wait()
            piece = self._next_piece()
            try:
                self._loop.call_soon_threadsafe(deal, piece)
            except RuntimeError:  # the loop has ended
                return
            dealt_with.acquire()


class Sink:
    """A descriptor that is written in order: at once where that cannot block, else by a thread."""

    def __init__(self, descriptor: int, on_full: Callable[[bool], None], on_broken: Callable[[], None]) -> None:
        """On the loop: `on_full` when too much waits (True) and when it has gone (False); `on_broken`: nobody reads."""
        self._descriptor = descriptor
        self._on_full = on_full
        self._on_broken = on_broken
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_full = False
        self._is_closed = False
        self._drained = asyncio.Event()
        self._drained.set()
        if sys.platform != "win32":
            self._poll = select.poll()
            self._poll.register(descriptor, select.POLLOUT)
        self.is_broken = False
        """True where what is written is lost."""
        self.waiting_bytes = 0
        """What was written here and is not yet with the reader's pipe."""
        enlarge_pipe(descriptor)

    def write(self, data: bytes) -> None:
        """Write all of it, after what was written before; lost where nobody reads any more."""
        if self.is_broken or self._is_closed:
            return
        if not self.waiting_bytes and len(data) <= ATOMIC_BYTES and self._has_event(_WRITABLE):
            try:
                os.write(self._descriptor, data)
            except OSError:
                self._break()
            return
        self.waiting_bytes += len(data)
        self._drained.clear()
        self._put(data)
        if self.waiting_bytes > HIGH_WATER_BYTES and not self._is_full:
            self._is_full = True
            self._on_full(True)

    def close(self) -> None:
        """Close the descriptor when all is written."""
        if not self._is_closed:
            self._is_closed = True
            self._put(None)

    async def drain(self) -> None:
        """Wait until all is written, or nobody reads any more."""
        await self._drained.wait()

    def look(self) -> None:
        """Find out whether the reader has gone, without writing."""
        if self._has_event(_ERRORS):
            self._break()

    def _has_event(self, wanted: int) -> bool:
        """Whether one of these events of `poll` is there now; never where the system has no `poll`."""
        if sys.platform == "win32":
            return False
        return any(events & wanted for _, events in self._poll.poll(0))

    def _put(self, data: bytes | None) -> None:
        self._queue.put(data)
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_on, name="sink", daemon=True)
            self._thread.start()

    def _write_on(self) -> None:
        is_broken = False
        while (data := self._queue.get()) is not None:
            if is_broken:
                continue
            try:
                write_all(self._descriptor, data)
            except OSError:
                is_broken = True
                self._tell(self._break)
            else:
                self._tell(self._written, len(data))
            del data  # not held while the next is waited for
        os.close(self._descriptor)

    def _tell(self, told: Callable[..., None], *arguments: int) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(told, *arguments)

    def _written(self, size: int) -> None:
        self.waiting_bytes -= size
        if not self.waiting_bytes:
            self._drained.set()
        if self._is_full and self.waiting_bytes < LOW_WATER_BYTES:
            self._is_full = False
            self._on_full(False)

    def _break(self) -> None:
        if self.is_broken:
            return
        self.is_broken = True
        self.waiting_bytes = 0
        self._drained.set()
        if self._is_full:
            self._is_full = False
            self._on_full(False)
        self._on_broken()
