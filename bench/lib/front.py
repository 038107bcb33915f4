"""Front: a started `millpond --http`, and raw sessions of it over HTTP.

Rule: an answer's time ends when its body is there; nothing of it is decoded before. Every wait has an end. A session keeps a stream
open for what the server says of its own accord, as clients on the SDKs do. Imports the library and the standard library only.
"""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType

from lib.client import PATIENCE_SECONDS, NoAnswer

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
VERSION = "2025-11-25"
_data = re.compile(rb"^data: (.*)$", re.MULTILINE)


class Front:
    """The process, from its start to its end."""

    def __init__(self, server: Sequence[str], settings: Path, env: Mapping[str, str]) -> None:
        """Start it before this server's command, with `env` on top of this process's environment. Raises `NoAnswer`."""
        command = (sys.executable, "-m", "millpond", "--http", "127.0.0.1:0", "--config", str(settings), "--", *server)
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **env}
        )
        self._ports: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.troubles: list[str] = []
        """What its log says of its engines: nothing, as long as all goes well."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.port = self._ports.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            self.process.kill()
            raise NoAnswer("it does not serve") from None

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr as lines:
            for line in lines:
                if found := re.search(rb"serving http://\S+:(\d+)/", line):
                    self._ports.put(int(found[1]))
                elif line.startswith(b"millpond: engine: "):
                    self.troubles.append(line.decode().strip())

    def stop(self) -> int:
        """End it by a signal, and return its exit code. Raises `subprocess.TimeoutExpired`."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)

    def __enter__(self) -> Front:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE_SECONDS)


class HttpSession:
    """One client's session, after the handshake and a first `tools/list`; one request at a time."""

    def __init__(self, port: int) -> None:
        """Begin it. Raises `NoAnswer`."""
        self._port = port
        self._id = 0
        self._headers = dict(HEADERS)
        self._asking = self._connection()
        who = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": who})
        self._send("POST", b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        self._listening = self._connection()
        self._listening.request("GET", "/mcp", headers=self._headers)
        self._heard = self._listening.getresponse()
        self.request("tools/list", {})

    def _connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECONDS)

    def _send(self, method: str, body: bytes | None = None) -> bytes:
        """The body that answers a request of HTTP. Raises `NoAnswer`."""
        try:
            self._asking.request(method, "/mcp", body, self._headers)
            response = self._asking.getresponse()
            answer = response.read()
        except (OSError, HTTPException) as error:
            raise NoAnswer(f"{type(error).__name__} for {method}") from error
        if response.status not in (200, 202):
            raise NoAnswer(f"{response.status} for {method}: {answer[:200].decode(errors='replace')}")
        if given := response.headers.get("mcp-session-id"):
            self._headers |= {"Mcp-Session-Id": given, "MCP-Protocol-Version": VERSION}
        return answer

    def _message(self, method: str, params: object) -> bytes:
        self._id += 1
        return json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode()

    def request(self, method: str, params: object) -> tuple[bytes, float]:
        """The message that answers a request, and the seconds it took. Raises `NoAnswer`."""
        message = self._message(method, params)
        begin = time.perf_counter()
        answer = self._send("POST", message)
        seconds = time.perf_counter() - begin
        events: list[bytes] = _data.findall(answer)
        return (events[-1] if events else answer), seconds

    def call(self, tool: str, **arguments: object) -> tuple[bytes, float]:
        """The message that answers a tool's call, and the seconds it took. Raises `NoAnswer`."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def pause(self) -> None:
        """Let go of the connection of the requests; the next one opens another."""
        self._asking.close()

    def end(self) -> None:
        """Have it ended. Raises `NoAnswer`."""
        self._send("DELETE")
        self._close()

    def vanish(self, tool: str) -> None:
        """Call a tool and go away before its answer, without a word."""
        self._asking.request(
            "POST", "/mcp", self._message("tools/call", {"name": tool, "arguments": {}}), self._headers
        )
        self._close()

    def _close(self) -> None:
        self._heard.close()
        for connection in (self._asking, self._listening):
            connection.close()
