"""Millpond over HTTP in a process, and a raw client of it: what it reads is what came, and every wait has an end."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from types import TracebackType
from typing import Any, Self

SERVERS = Path(__file__).parent / "servers"
HTTP_RAW_SERVER = (sys.executable, str(SERVERS / "http_raw_server.py"))
SECONDS = 30
"""The longest wait for anything."""
BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
MODERN = "2026-07-28"
META = b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"raw","version":"1"}}}'
)


class Served:
    """A process that serves HTTP, and says where on stderr: `serving http://…`."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **(env or {})}
        )
        assert self.process.stderr
        self._stderr = self.process.stderr
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()
        found = self.stderr_until("serving http")
        self.port = int(re.findall(r":(\d+)/", found)[-1])
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def _collect(self) -> None:
        with self._stderr:
            for line in self._stderr:
                self._lines.put(line.decode())
        self._lines.put("")

    def stderr_until(self, part: str) -> str:
        """The next line of stderr that holds this; fails at its end."""
        while part not in (line := self._lines.get(timeout=SECONDS)):
            assert line, f"stderr ended without {part!r}"
        return line

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it by a signal, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)

    def tidy(self) -> None:
        """End what a test began."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.tidy()
        if self.process.poll() is None:
            self.stop()
        self._thread.join(SECONDS)


class Front(Served):
    """A started `millpond --http`."""

    def __init__(
        self, *options: str, server: Sequence[str] = HTTP_RAW_SERVER, env: Mapping[str, str] | None = None
    ) -> None:
        """`server` is a command, or a URL alone."""
        self._replies: list[Reply] = []
        self._sessions: list[Session] = []
        behind = server if server[0].startswith("http") else ("--", *server)
        super().__init__([sys.executable, "-m", "millpond", "--http", "127.0.0.1:0", *options, *behind], env)

    def tidy(self) -> None:
        """End what a test began."""
        if self.process.poll() is None:
            for session in self._sessions:
                session.delete()
        for reply in self._replies:
            reply.close()
        self._sessions.clear()
        self._replies.clear()

    # --- requests -----------------------------------------------------------------------------------------------

    def send(self, method: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """Send a request on a connection of its own; its answer's head has come."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        given = headers or {}
        connection.putrequest(method, "/mcp", skip_host="Host" in given, skip_accept_encoding=True)
        for name, value in given.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        reply = Reply(connection, connection.getresponse())
        self._replies.append(reply)
        return reply

    def session(self, headers: Mapping[str, str] | None = None) -> Session:
        """A session of 2025-11-25."""
        reply = self.send("POST", INITIALIZE, {**BOTH, **(headers or {})})
        assert reply.status == 200, reply.body()
        session = Session(self, reply.headers["mcp-session-id"], headers or {})
        reply.body()
        assert session.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}').status == 202
        self._sessions.append(session)
        return session

    def modern(
        self, method: str, params: bytes = b"", ident: bytes = b"1", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send a request of 2026-07-28; `params` are further members, each with a comma before it."""
        meta = META if b'"_meta"' in params else META + b"}"
        inner = params if b'"_meta"' in params else b',"_meta":' + meta + params
        body = (
            b'{"jsonrpc":"2.0","id":' + ident + b',"method":"' + method.encode() + b'","params":{' + inner[1:] + b"}}"
        )
        name = re.search(rb'"(?:name|uri)":"([^"]*)"', params)
        named = {"Mcp-Name": name[1].decode()} if name and method == "tools/call" else {}
        return self.send(
            "POST", body, {**BOTH, "MCP-Protocol-Version": MODERN, "Mcp-Method": method, **named, **(headers or {})}
        )


class Session:
    """A legacy session, as its client sees it."""

    def __init__(self, front: Front, ident: str, headers: Mapping[str, str]) -> None:
        self.front = front
        self.id = ident
        self.headers = {**BOTH, "Mcp-Session-Id": ident, "MCP-Protocol-Version": "2025-11-25", **headers}

    def post(self, body: bytes) -> Reply:
        """Send a body."""
        return self.front.send("POST", body, self.headers)

    def ask(self, method: str, params: bytes = b"{}", ident: bytes = b"1") -> Reply:
        """Send a request."""
        line = b'{"jsonrpc":"2.0","id":' + ident + b',"method":"' + method.encode() + b'","params":' + params + b"}"
        return self.post(line)

    def get(self, headers: Mapping[str, str] | None = None) -> Reply:
        """Open a stream."""
        return self.front.send("GET", None, {**self.headers, **(headers or {})})

    def delete(self) -> Reply:
        """End the session."""
        return self.front.send("DELETE", None, self.headers)


class Reply:
    """An answer, as its bytes."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse) -> None:
        self._connection = connection
        self._response = response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.last_id = ""
        """The id of the last event."""

    def body(self) -> bytes:
        """All of the body."""
        try:
            return self._response.read()
        finally:
            self.close()

    def json(self) -> Any:
        """The body's value, or that of the last event, which is the answer."""
        return json.loads(self.events()[-1] if self.is_stream else self.body())

    @property
    def is_stream(self) -> bool:
        """True for a stream of events."""
        return self.headers.get("content-type", "").startswith("text/event-stream")

    def event(self) -> bytes | None:
        """The data of the next event that has some; None at the end."""
        data: list[bytes] = []
        while line := self._response.readline():
            name, _, value = line.rstrip(b"\n").partition(b": ")
            if name == b"id":
                self.last_id = value.decode()
            elif name == b"data":
                data.append(value)
            elif line == b"\n" and data:
                return b"\n".join(data)
        return None

    def place(self) -> str:
        """The id of the event without data with which a stream opens."""
        while not self.last_id:
            line = self._response.readline()
            assert line
            if line.startswith(b"id: "):
                self.last_id = line[4:].decode().strip()
        return self.last_id

    def events(self) -> list[bytes]:
        """The data of all events that are still to come."""
        try:
            return list(iter(self.event, None))
        finally:
            self.close()

    def line(self) -> bytes:
        """The one message of the body, whichever form it has."""
        if not self.is_stream:
            return self.body()
        [line] = self.events()
        return line

    def close(self) -> None:
        """Go away without reading on."""
        if (sock := self._connection.sock) is not None:
            sock.close()
        self._response.close()
        self._connection.close()
