"""Child: the wrapped server's process, in a process group of its own.

Rule: its stdin is closed before anything is sent to it, and whatever it started goes with it. Imports asyncio and the relay's modules.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol, cast

from millpond.core.errors import ServerFailed
from millpond.relay.lines import Lines
from millpond.relay.streams import enlarge_pipe

LAST_WORDS_LINES = 5
"""Of the server's stderr, for the message when it ends."""
LAST_WORD_CHARACTERS = 300
"""Of each of them."""
LONGEST_STDERR_LINE_BYTES = 1 << 20
"""A line of stderr longer than this is passed on in pieces."""


class Owner(Protocol):
    """What hears of the server. Called on the loop."""

    def on_line(self, line: bytes) -> None:
        """A line of its stdout; the last one may lack its end."""
        ...

    def on_stderr(self, line: bytes) -> None:
        """A line of its stderr."""
        ...

    def on_full(self, full: bool) -> None:
        """Whether its stdin takes no more for now."""
        ...

    def on_exit(self) -> None:
        """It has ended, and all that it wrote was heard."""
        ...


class Child(asyncio.SubprocessProtocol):
    """The running server."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._out, self._err = Lines(), Lines()
        self._err_bytes = 0
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS_LINES)
        self._gone: set[str] = set()
        self.exited = asyncio.Event()

    @classmethod
    async def start(cls, command: tuple[str, ...], env: Mapping[str, str], cwd: str | None, owner: Owner) -> Child:
        """Start the server. Raises `ServerFailed` where the command cannot be run."""
        loop = asyncio.get_running_loop()
        try:
            transport, child = await loop.subprocess_exec(
                lambda: cls(owner), *command, env={**os.environ, **env}, cwd=cwd, start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            raise ServerFailed(f"the server cannot be started: {command[0]}: {reason}; check the command and its PATH") from error
        child._transport = transport  # noqa: SLF001  # set once, by its own constructor in all but name
        for number in (0, 1):
            pipe = transport.get_pipe_transport(number)
            if pipe is not None and (file := pipe.get_extra_info("pipe")) is not None:
                enlarge_pipe(file.fileno())
        return child

    # --- what the loop calls ------------------------------------------------------------------------------------

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Bytes of stdout or stderr."""
        if fd == 1:
            for line in self._out.feed(data):
                self._owner.on_line(line)
        else:
            self._stderr(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """A pipe has ended."""
        if fd == 1 and (rest := self._out.rest()):
            self._owner.on_line(rest)
        if fd == 2 and (rest := self._err.rest()):
            self._hear(rest + b"\n")
        if fd:
            self._mark(str(fd))

    def process_exited(self) -> None:
        """The process itself has ended; a grandchild may still hold its pipes."""
        self.exited.set()
        self._mark("process")
        asyncio.get_running_loop().call_later(0.5, self._mark, "1", "2")

    def pause_writing(self) -> None:
        """Its stdin is full."""
        self._owner.on_full(True)

    def resume_writing(self) -> None:
        """Its stdin takes more."""
        self._owner.on_full(False)

    def _mark(self, *gone: str) -> None:
        before = len(self._gone)
        self._gone.update(gone)
        if before < 3 == len(self._gone):
            self._owner.on_exit()

    def _stderr(self, data: bytes) -> None:
        self._err_bytes += len(data)
        for line in self._err.feed(data):
            self._err_bytes = 0
            self._hear(line)
        if self._err_bytes > LONGEST_STDERR_LINE_BYTES:
            self._err_bytes = 0
            self._hear(self._err.rest() + b"\n")

    def _hear(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if text:
            self._last_words.append(text[:LAST_WORD_CHARACTERS])
        self._owner.on_stderr(line)

    # --- what the relay asks ------------------------------------------------------------------------------------

    def write(self, line: bytes) -> None:
        """Write to its stdin; lost where it is closed, as on a direct connection."""
        pipe = self._transport.get_pipe_transport(0)
        if pipe is not None and not pipe.is_closing():
            cast(asyncio.WriteTransport, pipe).write(line)

    def close_stdin(self) -> None:
        """Tell it that the client has gone, after what was written."""
        pipe = self._transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()

    def pause_reading(self, paused: bool) -> None:
        """Hear no more of its stdout for now, or go on."""
        pipe = self._transport.get_pipe_transport(1)
        if pipe is not None and not pipe.is_closing():
            reader = cast(asyncio.ReadTransport, pipe)
            reader.pause_reading() if paused else reader.resume_reading()

    async def wait(self, seconds: float) -> bool:
        """Wait for its end, at most so long; True where it came."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), seconds)
        return self.exited.is_set()

    async def end(self, term_seconds: float) -> None:
        """TERM to the whole group, KILL to what is left of it."""
        self.signal_group(signal.SIGTERM)
        await self.wait(term_seconds)
        if sys.platform != "win32":
            self.signal_group(signal.SIGKILL)
        await self.wait(term_seconds)

    def signal_group(self, number: int) -> None:
        """Send a signal to the server and all it started."""
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._transport.kill()
            else:
                os.killpg(self._transport.get_pid(), number)

    def last_words(self) -> str:
        """How it ended, and what it last wrote on stderr."""
        code = self._transport.get_returncode()
        how = "closed its output" if code is None else f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        words = " | ".join(self._last_words)
        return f"the server {how}" + (f"; its last words: {words}" if words else "; it wrote nothing on stderr")
