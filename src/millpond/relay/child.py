"""Child: the wrapped server's process, in a session and process group of its own.

Rule: its stdin is closed before anything is sent to it, and whatever it started goes with it. It sees pipes, as of any
host. Imports asyncio, `core` and the relay's modules.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from millpond.core.config import Server
from millpond.core.errors import ServerFailed
from millpond.relay.lines import Lines
from millpond.relay.streams import Sink, Source

LAST_WORDS_LINES = 5
"""Of the server's stderr, for the message when it ends."""
LAST_WORD_CHARACTERS = 300
"""Of each of them."""
LONGEST_STDERR_LINE_BYTES = 1 << 16
"""A line of stderr longer than this is passed on in pieces."""
QUIET_SECONDS = 0.5
"""After the process's end, without a byte on its pipes: then it is over, even if what it left behind holds them."""


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

    def on_deaf(self) -> None:
        """It reads its stdin no more, or its stdout has ended, and it has not ended itself."""
        ...

    def on_exit(self) -> None:
        """It has ended, and all that it wrote was heard."""
        ...


class Child:
    """The running server."""

    def __init__(self, process: subprocess.Popen[bytes], owner: Owner) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process = process
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._lines, self._stderr_lines = Lines(), Lines()
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS_LINES)
        self._open = {"stdout", "stderr", "process"}
        self._has_heard = False
        self.stdin = Sink(os.dup(process.stdin.fileno()), owner.on_full, owner.on_deaf)
        process.stdin.close()  # The sink closes its own when all is written.
        self.stdout = Source(process.stdout.fileno(), self._on_stdout)
        self.stderr = Source(process.stderr.fileno(), self._on_stderr)
        threading.Thread(target=self._wait, name="server", daemon=True).start()

    @classmethod
    def start(cls, server: Server, owner: Owner) -> Child:
        """Start the server. Raises `ServerFailed` where the command cannot be run."""
        environment = {**os.environ, **server.env}
        words = [_found(server.command[0], environment), *server.command[1:]]
        try:
            process = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=server.cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ServerFailed(f"the server cannot be started: {_what_failed(server, error)}") from error
        return cls(process, owner)

    @property
    def has_ended(self) -> bool:
        """True where the process is over; what it wrote may still be on its way."""
        return "process" not in self._open

    def signal_group(self, number: int) -> None:
        """Send a signal to the server and all it started."""
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """End what is left of the group at once."""
        self.signal_group(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    def last_words(self) -> str:
        """How it ended, and what it last wrote on stderr."""
        how = _how_ended(self._process.returncode)
        words = " | ".join(self._last_words)
        return f"the server {how}" + (f"; its last words: {words}" if words else "; it wrote nothing on stderr")

    # --- what is heard of it ------------------------------------------------------------------------------------

    def _on_stdout(self, piece: bytes) -> None:
        self._has_heard = True
        for line in self._lines.feed(piece) if piece else self._rest(self._lines):
            self._owner.on_line(line)
        if not piece:
            self._end_of("stdout")
            self._loop.call_later(QUIET_SECONDS, self._deaf_unless_ended)

    def _deaf_unless_ended(self) -> None:
        if not self.has_ended:
            self._owner.on_deaf()

    def _on_stderr(self, piece: bytes) -> None:
        self._has_heard = True
        lines = self._stderr_lines.feed(piece) if piece else self._rest(self._stderr_lines)
        if self._stderr_lines.waiting_bytes > LONGEST_STDERR_LINE_BYTES:
            lines += self._rest(self._stderr_lines)
        for line in lines:
            if text := line.decode("utf-8", "replace").strip():
                self._last_words.append(text[:LAST_WORD_CHARACTERS])
            self._owner.on_stderr(line if line.endswith(b"\n") else line + b"\n")
        if not piece:
            self._end_of("stderr")

    def _rest(self, lines: Lines) -> list[bytes]:
        return [rest] if (rest := lines.rest()) else []

    def _wait(self) -> None:
        self._process.wait()
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._on_process_end)

    def _on_process_end(self) -> None:
        self._end_of("process")
        self._has_heard = False
        self._loop.call_later(QUIET_SECONDS, self._end_if_quiet)

    def _end_if_quiet(self) -> None:
        """A process that was left behind may hold the pipes; what it still writes is heard, its silence ends it."""
        if self._has_heard or self.stdout.is_paused or self.stderr.is_paused:
            self._has_heard = False
            self._loop.call_later(QUIET_SECONDS, self._end_if_quiet)
            return
        for what, source in (("stdout", self.stdout), ("stderr", self.stderr)):
            source.close()
            self._end_of(what)

    def _end_of(self, what: str) -> None:
        if what in self._open:
            self._open.discard(what)
            if not self._open:
                self._owner.on_exit()


def _found(name: str, environment: Mapping[str, str]) -> str:
    """The command's file where the system does not look for it by itself: `npx` is `npx.cmd` on Windows."""
    if sys.platform != "win32":
        return name
    return shutil.which(name, path=environment.get("PATH")) or name


def _what_failed(server: Server, error: Exception) -> str:
    name, cwd = server.command[0], server.cwd
    if isinstance(error, FileNotFoundError) and cwd is not None and not os.path.isdir(cwd):
        return f"its folder {cwd} does not exist; check cwd"
    if isinstance(error, FileNotFoundError):
        return f"there is no command {name}; check its spelling and PATH, or give its whole path"
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return f"{name}: {reason}; check the command"


def _how_ended(code: int | None) -> str:
    if code is None:
        return "closed its output"
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
