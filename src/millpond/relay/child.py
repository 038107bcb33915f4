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

from millpond.core.config import Server
from millpond.core.errors import ServerFailed
from millpond.relay.lines import Lines
from millpond.relay.log import Log
from millpond.relay.server_end import Owner
from millpond.relay.streams import Sink, Source

LAST_WORDS_LINES = 5
"""Of the server's stderr, for the message when it ends."""
LAST_WORD_CHARACTERS = 300
"""Of each of them."""
LONGEST_STDERR_LINE_BYTES = 1 << 16
"""A line of stderr longer than this is passed on in pieces."""
QUIET_SECONDS = 0.5
"""After the process's end, without a byte on its pipes: then it is over, even if what it left behind holds them."""
END_TREE_SECONDS = 5.0
"""For the tool of Windows that ends a process and its children."""
LOOK_SECONDS = 0.1
"""Between two looks at a log that has to catch up, which no event tells of."""


class Child:
    """The running server: a `ServerEnd`."""

    def __init__(self, process: subprocess.Popen[bytes], owner: Owner, log: Log) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process = process
        self._owner = owner
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._lines, self._stderr_lines = Lines(), Lines()
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS_LINES)
        self._open = {"stdout", "stderr", "process"}
        self._pipes = {"stdout": process.stdout, "stderr": process.stderr}
        self._has_heard = False
        self._has_answered = False
        self._stdin = Sink(os.dup(process.stdin.fileno()), owner.on_full, owner.on_deaf)
        process.stdin.close()  # The sink closes its own when all is written.
        self._stdout = Source(process.stdout.fileno(), self._on_stdout)
        self._stderr = Source(process.stderr.fileno(), self._on_stderr)
        threading.Thread(target=self._wait, name="server", daemon=True).start()

    @classmethod
    def start(cls, server: Server, log: Log, owner: Owner) -> Child:
        """Start the server; its stderr goes to the log. Raises `ServerFailed` where the command cannot be run."""
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
        return cls(process, owner, log)

    @property
    def has_ended(self) -> bool:
        """True where the process is over; what it wrote may still be on its way."""
        return "process" not in self._open

    def write(self, line: bytes) -> None:
        """Send a line to its stdin."""
        self._stdin.write(line)

    def close(self) -> None:
        """Close its stdin, after what was written."""
        self._stdin.close()

    def pause(self) -> None:
        """Read its stdout no more for now."""
        self._stdout.pause()

    def resume(self) -> None:
        """Read its stdout on."""
        self._stdout.resume()

    def terminate(self) -> None:
        """Send TERM to the server and all it started; on Windows, which has no such request, end them."""
        if sys.platform == "win32":
            _end_tree(self._process)
        else:
            self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """End what is left of the group at once."""
        if sys.platform == "win32":
            _end_tree(self._process)
        else:
            self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: int) -> None:
        assert sys.platform != "win32"
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def last_words(self) -> str:
        """How it ended, and what it last wrote on stderr."""
        how = _how_ended(self._process.returncode)
        words = " | ".join(self._last_words)
        said = f"its last words: {words}" if words else "it wrote nothing on stderr"
        return f"the server {how}; {said}" + ("" if self._has_answered else " (before it answered anything)")

    # --- what is heard of it ------------------------------------------------------------------------------------

    def _on_stdout(self, piece: bytes) -> None:
        self._has_heard = True
        for line in self._lines.feed(piece) if piece else self._rest(self._lines):
            self._has_answered = True
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
            self._log.raw(line if line.endswith(b"\n") else line + b"\n")
        if not piece:
            self._end_of("stderr")
        elif self._log.is_behind and not self._stderr.is_paused:
            self._stderr.pause()
            self._await_log()

    def _await_log(self) -> None:
        if self._log.is_behind:
            self._loop.call_later(LOOK_SECONDS, self._await_log)
        else:
            self._stderr.resume()

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
        if self._has_heard or self._stdout.is_paused or self._stderr.is_paused:
            self._has_heard = False
            self._loop.call_later(QUIET_SECONDS, self._end_if_quiet)
            return
        for what, source in (("stdout", self._stdout), ("stderr", self._stderr)):
            source.close()
            self._end_of(what, is_read=sys.platform == "win32")

    def _end_of(self, what: str, *, is_read: bool = False) -> None:
        """One of the three is over, and its pipe is closed; but not under a thread that still reads it, which would hold us up."""
        if what in self._open:
            self._open.discard(what)
            if what in self._pipes and not is_read:
                self._pipes[what].close()
            if not self._open:
                self._stdin.close()
                self._owner.on_exit()


def _end_tree(process: subprocess.Popen[bytes]) -> None:
    """End a process of Windows with all it started: `npx.cmd` is a shell, whose own end would leave the server running."""
    if process.poll() is None:
        words = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        with suppress(OSError):
            subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=END_TREE_SECONDS)
        process.kill()


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
