"""A raw client of a relay in a process: what it reads is what came, and every wait has an end."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

SERVERS = Path(__file__).parent / "servers"
RAW_SERVER = (sys.executable, str(SERVERS / "raw_server.py"))
RELAY = (sys.executable, str(SERVERS / "relay_with_fake_engine.py"))
MILLPOND = (sys.executable, "-m", "millpond", "--")
SECONDS = 30
"""The longest wait for anything."""


class Client:
    """A started relay, or a server without one."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None, *, reads: bool = True) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **(env or {})}
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._readers: list[threading.Thread] = []
        self._out: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._err: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._collect(self.process.stderr, self._err)
        if reads:
            self.read()

    def read(self) -> None:
        """Begin to read what comes, where that was not wanted from the start."""
        self._collect(self.stdout, self._out)

    def _collect(self, stream: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
        def collect() -> None:
            with stream:
                for line in stream:
                    lines.put(line)
            lines.put(b"")

        thread = threading.Thread(target=collect, daemon=True)
        thread.start()
        self._readers.append(thread)

    def send(self, *lines: bytes) -> None:
        """Send lines as they are."""
        self.stdin.write(b"".join(lines))
        self.stdin.flush()

    def line(self) -> bytes:
        """The next line of stdout; empty at its end."""
        return self._out.get(timeout=SECONDS)

    def lines(self) -> Iterator[bytes]:
        """The lines of stdout that are still to come."""
        return iter(self.line, b"")

    def stderr(self) -> list[str]:
        """The lines of stderr that are still to come."""
        return [line.decode() for line in iter(lambda: self._err.get(timeout=SECONDS), b"")]

    def stderr_until(self, end: str) -> None:
        """Wait for a line of stderr with that end."""
        while (line := self._err.get(timeout=SECONDS)) and not line.decode().rstrip().endswith(end):
            pass

    def request(self, method: str, params: object = None, ident: int | str = 1) -> None:
        """Send a request."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": ident, "method": method}
        self.send(json.dumps(message if params is None else {**message, "params": params}).encode() + b"\n")

    def ask(self, method: str, params: object = None, ident: int | str = 1) -> Any:
        """Send a request, and decode the next line: its answer."""
        self.request(method, params, ident)
        return json.loads(self.line())

    def call(self, tool: str, ident: int | str = 1, **arguments: object) -> None:
        """Send a call of a tool."""
        self.request("tools/call", {"name": tool, "arguments": arguments}, ident)

    def result(self, tool: str, ident: int | str = 1, **arguments: object) -> Any:
        """Call a tool whose answer comes next, and decode the JSON in its text."""
        self.call(tool, ident, **arguments)
        return text_of(self.line())

    def open(self) -> Client:
        """Shake hands and list the tools."""
        assert "result" in self.ask("initialize", {"protocolVersion": "2025-11-25"})
        assert "result" in self.ask("tools/list")
        return self

    def wait(self) -> int:
        """The exit code."""
        return self.process.wait(SECONDS)

    def close(self) -> int:
        """Close the relay's stdin, and wait for its end."""
        self.stdin.close()
        return self.wait()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.wait()
        self.stdin.close()
        for reader in self._readers:
            reader.join(SECONDS)


def wait_for_the_end_of_all(descriptor: int) -> bool:
    """True when no process holds the other end of the pipe any more."""
    return bool(select.select([descriptor], [], [], SECONDS)[0]) and os.read(descriptor, 1) == b""


def text_of(line: bytes) -> Any:
    """What the JSON in the first text block of a result says."""
    return json.loads(json.loads(line)["result"]["content"][0]["text"])
