"""Modern: requests of 2026-07-28 over HTTP: no session, each request for itself, one server for each caller.

Rule: what the SDK's server checks of a request is checked here, in its order and by its functions; ids are mapped, so
that two clients with the same id do not meet; a client that goes away has its request cancelled. Imports the SDK, the
relay's modules and this package's modules.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS, InboundLadderRejection, validate_mcp_param_headers
from mcp_types.jsonrpc import METHOD_NOT_FOUND
from starlette.datastructures import Headers

from millpond.http.bodies import Message
from millpond.http.connection import PING_SECONDS, Connection
from millpond.http.edge import Edge, Returned
from millpond.http.events import Stream
from millpond.http.hosted import Hosted, Open, Terms
from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.log import Log
from millpond.relay.requests import cancelled_line, error_line
from millpond.relay.spans import list_elements, members_of, string_value

MOST_UNREAD_BYTES = 64 << 20
"""Of one request's messages that its client does not read; then its connection is cut, for others wait for no one."""
MOST_SCHEMAS = 1_000
"""Tools whose headers are checked; with more, the first are forgotten."""


class ModernServer(Hosted):
    """One caller's server, and the requests to it."""

    def __init__(self, idle_seconds: float, begin: Open, log: Log, on_over: Callable[[ModernServer], None]) -> None:
        """`on_over` is called once the server and its canvas are gone."""
        super().__init__(begin, Terms(idle_seconds=idle_seconds, most_bytes=0), log)
        self._on_over = on_over
        self._edge = Edge()
        self._streams: dict[int, Stream] = {}
        self._schemas: dict[str, Any] = {}

    @property
    def waiting_bytes(self) -> int:
        """None, as far as the server is concerned: a client that reads slowly holds nobody up but itself."""
        return 0

    def on_over(self) -> None:
        """The server and its canvas are gone."""
        self._on_over(self)

    def on_full(self, full: bool) -> None:
        """Nor is the server held up by it."""

    def header_fault(self, message: Message, headers: Headers) -> InboundLadderRejection | None:
        """What is wrong with the headers that repeat arguments of a call, as far as the tool's schema was listed."""
        params: dict[str, Any] = message.body.get("params", {})
        schema = self._schemas.get(str(params.get("name")))
        arguments: Any = params.get("arguments") or {}
        if message.envelope.method != "tools/call" or schema is None or not isinstance(arguments, dict):
            return None
        return validate_mcp_param_headers(schema, cast(dict[str, Any], arguments), headers)

    async def ask(self, message: Message, connection: Connection) -> bool:
        """Pass on a request, and answer it; False where it cannot be passed on, and nothing was sent."""
        sent = self._edge.sent(message.envelope)
        if sent is None:
            return False
        number, line = sent
        stream = self._streams[number] = self._outbox.open()
        stream.attach(connection)
        try:
            await self.send(line)
            await self._answer(stream, connection)
        finally:
            stream.detach(connection)
            self._outbox.discard(stream)
            if self._streams.pop(number, None) is not None and not stream.is_complete:
                await self._cancel(number)
        return True

    async def _answer(self, stream: Stream, connection: Connection) -> None:
        """One JSON value where nothing comes before it; a stream of events from the first of these, or after a while."""
        if self.is_ending:
            stream.complete()
        await connection.hears(stream, PING_SECONDS)
        if connection.is_gone:
            return
        answer = stream.answer()
        if answer is not None:
            await connection.json(answer, _status(answer))
            return
        await connection.events(are_numbered=False)
        await connection.forward(stream)

    async def _cancel(self, number: int) -> None:
        self._edge.forget(number)
        await self.send(cancelled_line(b"%d" % number, "the client went away"))

    # --- from the server ----------------------------------------------------------------------------------------

    def write(self, line: bytes) -> None:
        """Put a line of the server, or an answer of ours, into the stream of its request."""
        returned = self._edge.came(line)
        if returned is None:
            return
        number = returned.number if returned.number is not None else self._only_open(line)
        stream = self._streams.get(number) if number is not None else None
        if stream is None or number is None:
            return
        stream.add(returned.line)
        if returned.asked is not None:
            self._learn(returned)
            stream.complete()
        elif stream.unsent_bytes > MOST_UNREAD_BYTES and stream.answer() is None:
            self._log.line("http: a client that does not read its messages was disconnected")
            stream.detach(stream.reader)

    def _only_open(self, line: bytes) -> int | None:
        """The one request that a message which names none can belong to. A server asks nothing in this era."""
        envelope = read_envelope(line)
        if envelope is not None and envelope.id is not None:
            if self._driver is not None:
                message = "a server asks nothing of a client in this revision"
                self._driver.from_client(error_line(envelope.id, message, METHOD_NOT_FOUND))
            return None
        open_now = self._edge.open()
        return open_now[0] if len(open_now) == 1 else None

    def _learn(self, returned: Returned) -> None:
        """Remember the schemas that ask for headers, from a list of tools that passes."""
        envelope = returned.envelope
        if returned.asked is None or returned.asked.method != "tools/list" or envelope is None:
            return
        for name, schema in _schemas(envelope):
            self._schemas.pop(name, None)
            if schema is not None:
                self._schemas[name] = schema
        while len(self._schemas) > MOST_SCHEMAS:
            del self._schemas[next(iter(self._schemas))]


def _status(answer: bytes) -> int:
    """The status that an error's code has; 200 for a result."""
    envelope = read_envelope(answer)
    if envelope is None or envelope.error is None:
        return 200
    code = members_of(answer, envelope.error).get("code")
    text = b"" if code is None else code.of(answer)
    return ERROR_CODE_HTTP_STATUS.get(int(text), 200) if text[:1] == b"-" and text[1:].isdigit() else 200


def _schemas(envelope: Envelope) -> list[tuple[str, Any]]:
    """The names of the tools on a page, each with its schema where that asks for headers."""
    line, result = envelope.line, envelope.result
    if result is None:
        return []
    tools = members_of(line, result).get("tools")
    found: list[tuple[str, Any]] = []
    for tool in (list_elements(line, tools.start, tools.stop) if tools is not None else None) or ():
        members = members_of(line, tool)
        name, schema = string_value(line, members.get("name")), members.get("inputSchema")
        if name is not None and schema is not None:
            raw = schema.of(line)
            found.append((name, json.loads(raw) if b"x-mcp-header" in raw else None))
    return found
