"""Client: a raw client over stdio that does nothing between a request and its answer but read.

Rule: an answer's time ends when its line is there; nothing of it is decoded before. Every wait has an end: a process that does not
answer in time is killed. Imports the standard library only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

PATIENCE_SECONDS = 60.0
_READ_BYTES = 1 << 16
_LOOK_SECONDS = 0.5
_answered = re.compile(rb'\{"jsonrpc": ?"2\.0", ?"id": ?(\d+)')


class NoAnswer(Exception):
    """The other end closed its output, or did not answer in time."""


class Client:
    """A started server, or one behind a proxy, after the handshake and a first `tools/list`."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str] | None = None, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Start it. Raises `NoAnswer`."""
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=_READ_BYTES,
            env=None if env is None else dict(env),
        )
        self._id = 0
        self._patience_seconds = patience_seconds
        self._deadline = float("inf")
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        who = {"name": "bench", "version": "1"}
        self.server = self.request(
            "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}
        )
        self._send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.tools: list[dict[str, Any]] = self.request("tools/list", {})["tools"]
        self.start_seconds = time.perf_counter() - begin
        """From the start of the process until its tools are known."""

    def _watch(self) -> None:
        while not self._closed.wait(_LOOK_SECONDS):
            if time.perf_counter() > self._deadline:
                self.process.kill()
                return

    def _send(self, data: bytes) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError as error:
            raise NoAnswer(self._why()) from error

    def _why(self) -> str:
        late = time.perf_counter() > self._deadline
        return f"no answer within {self._patience_seconds:.0f} s" if late else "it ended before it answered"

    def _line(self) -> tuple[int, bytes]:
        """The next answer's id and line; what is no answer is passed over."""
        assert self.process.stdout
        while line := self.process.stdout.readline():
            if found := _answered.match(line):
                return int(found[1]), line
        raise NoAnswer(self._why())

    def _message(self, method: str, params: object) -> bytes:
        self._id += 1
        return json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode() + b"\n"

    def timed(self, method: str, params: object) -> tuple[bytes, float]:
        """The line that answers a request, and the seconds it took. Raises `NoAnswer`."""
        message = self._message(method, params)
        begin = time.perf_counter()
        self._deadline = begin + self._patience_seconds
        self._send(message)
        while True:
            ident, line = self._line()
            if ident == self._id:
                break
        seconds = time.perf_counter() - begin
        self._deadline = float("inf")
        return line, seconds

    def request(self, method: str, params: object) -> dict[str, Any]:
        """The `result` of a request. Raises `NoAnswer`."""
        line, _ = self.timed(method, params)
        return json.loads(line).get("result", {})

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> tuple[bytes, float]:
        """The line that answers a tool's call, and the seconds it took. Raises `NoAnswer`."""
        return self.timed("tools/call", {"name": tool, "arguments": arguments or {}})

    def seconds(self, tool: str) -> float:
        """How long a call takes. Raises `NoAnswer`."""
        return self.call(tool)[1]

    def at_once(self, tool: str, count: int) -> list[float]:
        """Call a tool so many times without waiting; for each call, the seconds until its answer was there. Raises `NoAnswer`."""
        messages = b"".join(self._message("tools/call", {"name": tool, "arguments": {}}) for _ in range(count))
        waited = set(range(self._id - count + 1, self._id + 1))
        seconds: list[float] = []
        begin = time.perf_counter()
        self._deadline = begin + self._patience_seconds
        self._send(messages)
        while waited:
            ident, _ = self._line()
            seconds.append(time.perf_counter() - begin)
            waited.discard(ident)
        self._deadline = float("inf")
        return seconds

    def close(self) -> None:
        """Close its input and wait for its end."""
        self._closed.set()
        try:
            self.process.communicate(timeout=15)
        except (subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.communicate()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def without_path() -> dict[str, str]:
    """This process's environment without `PYTHONPATH`: other programs' packages are their own."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
