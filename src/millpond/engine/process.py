"""Process: one engine process as the link holds it: frames out without copies, frames in, its stderr, its end.

Rule: decides nothing; what comes is handed on, and the end is told once. Every method runs on the event loop and none blocks it.
Imports `core` and asyncio only.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

import msgspec

from millpond.core.frames import decode_answer, encode_head
from millpond.core.model import Answer, EngineSettings, Request
from millpond.core.unframe import Splitter

if sys.platform == "linux":
    import fcntl

_PIPE_BYTES = 1 << 20
"""The largest pipe that Linux gives without privileges; the usual 64 KiB means a switch of processes for each of them."""
_SLICE_BYTES = 1 << 18
"""Written at once: what the pipe does not take of a slice is copied by asyncio."""
_TURN_BYTES = 1 << 21
"""Written in one turn of the event loop, so that others get theirs beside a body of 100 MiB."""
_LOG_LINE_BYTES = 500
_CLOSE_SECONDS = 1.0
"""From the end of the process until its pipes are closed from this side, and from the end of a pipe until it is killed."""
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}
"""Each further arena of glibc reserves 64 MiB of address space, and there is one a thread: 0.9 GiB in all."""


class Process(asyncio.SubprocessProtocol):
    """A running engine process."""

    def __init__(self, on_answer: Callable[[Answer, bytes], None], log: Callable[[str], None]) -> None:
        """Use `spawn`."""
        self._on_answer = on_answer
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._outbox: deque[memoryview] = deque()
        self._paused = False
        self._scheduled = False
        self._splitter = Splitter()
        self._stderr = b""
        self.ended: asyncio.Future[int] = self._loop.create_future()
        """The exit code, negative for a signal, when the process is gone and all it wrote has been read."""

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        settings: EngineSettings,
        on_answer: Callable[[Answer, bytes], None],
        log: Callable[[str], None],
    ) -> Process:
        """Start a process and tell it its settings. Raises `OSError` where it cannot be started."""
        _, process = await asyncio.get_running_loop().subprocess_exec(
            lambda: cls(on_answer, log),
            *command,
            env={**os.environ, **_ENVIRONMENT},
            start_new_session=True,  # Ctrl-C in a terminal is for the relay, which ends this process in its turn.
        )
        process._queue(encode_head(settings, 0))
        return process

    def send(self, message: Request, body: bytes | memoryview = b"") -> None:
        """Have a frame written, after those before it. A process that is gone takes nothing, and nothing is said."""
        self._queue(encode_head(message, len(body)), body)

    def finish(self) -> None:
        """End its input; it then ends by itself."""
        self._outbox.clear()
        self._input.close()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._outbox.clear()
        if self._transport.get_returncode() is not None:
            return
        if sys.platform == "win32":
            self._transport.kill()
            return
        try:  # Python 3.11's own `kill` may reap the process before asyncio does, and its exit code is lost.
            os.kill(self._transport.get_pid(), signal.SIGKILL)
        except ProcessLookupError:
            return

    # --- writing ------------------------------------------------------------------------------------------------

    def _queue(self, *parts: bytes | memoryview) -> None:
        self._outbox.extend(memoryview(part).cast("B") for part in parts if len(part))
        if not self._scheduled:
            self._write()

    def _write(self) -> None:
        self._scheduled = False
        budget = _TURN_BYTES
        while self._outbox and not self._paused and not self._input.is_closing():
            if budget <= 0:
                self._scheduled = True
                self._loop.call_soon(self._write)
                return
            part = self._outbox.popleft()
            if len(part) > _SLICE_BYTES:
                self._outbox.appendleft(part[_SLICE_BYTES:])
                part = part[:_SLICE_BYTES]
            budget -= len(part)
            self._input.write(part)

    def pause_writing(self) -> None:
        """Called by asyncio: the pipe is full."""
        self._paused = True

    def resume_writing(self) -> None:
        """Called by asyncio: the pipe takes more."""
        self._paused = False
        if not self._scheduled:
            self._write()

    # --- what asyncio tells -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio: the process runs."""
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._input = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        _enlarge(self._input)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Called by asyncio: answers, or text on stderr."""
        if fd == 2:
            self._hear(data)
            return
        try:
            for head, body in self._splitter.feed(data):
                self._on_answer(decode_answer(head), body)
        except (ValueError, msgspec.MsgspecError) as error:
            self._log(f"engine: unreadable answer, the process is ended: {error}")
            self.kill()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Called by asyncio: without its pipes a process is of no use. Most often it is ending, with a code that counts."""
        if fd != 2:
            self._loop.call_later(_CLOSE_SECONDS, self.kill)

    def process_exited(self) -> None:
        """Called by asyncio: a pipe that someone else holds open is not waited for."""
        self._loop.call_later(_CLOSE_SECONDS, self._transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio: it has ended, and all that it wrote has been read."""
        self._outbox.clear()
        self._transport.close()
        if self._stderr:
            self._hear(b"\n")
        if not self.ended.done():
            code = self._transport.get_returncode()
            self.ended.set_result(-1 if code is None else code)

    def _hear(self, data: bytes) -> None:
        *lines, rest = (self._stderr + data).split(b"\n")
        self._stderr = rest[-_LOG_LINE_BYTES:]
        for line in lines:
            if line.strip():
                self._log(f"engine: {line[:_LOG_LINE_BYTES].decode(errors='replace').rstrip()}")


def _enlarge(transport: asyncio.BaseTransport) -> None:
    """Elsewhere than on Linux, pipes keep their size."""
    if sys.platform != "linux" or transport.is_closing():
        return
    try:
        fcntl.fcntl(transport.get_extra_info("pipe"), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:  # Over the user's allowance for pipes, or a socket (Python 3.11).
        return
