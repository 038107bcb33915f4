"""Legacy: a session of the revisions that open with `initialize` (2025-03-26 to 2025-11-25), over HTTP.

Rule: the client's ids are its own and pass unchanged. What the server sends goes to the stream of the request that it
belongs to where that can be told, else to the one that belongs to none. Imports the SDK, the
relay's modules and this package's modules.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, REQUEST_CANCELLED
from mcp_types.version import is_version_at_least

from millpond.http.bodies import Kind, Message
from millpond.http.connection import Connection
from millpond.http.events import Stream
from millpond.http.hosted import Hosted, Open, Terms
from millpond.http.replies import error_body
from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.log import Log
from millpond.relay.requests import id_key, raw_member
from millpond.relay.spans import members_of

ID_BYTES = 24
"""Random bytes of a session's id: 192 bits, for whoever knows it may use the session."""
RESUMABLE_VERSION = "2025-11-25"
"""From it on, clients know an event without data, which tells them where to come back to."""
OF_NO_REQUEST = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    }
)
"""What a server says of itself, whatever it is asked meanwhile."""
EVENT_ID = re.compile(r"(?P<stream>[0-9]{1,15})-(?P<number>[0-9]{1,15})")
LARGEST_EVENT_BYTES = 1_000_000
"""Clients on the Python SDK refuse an event of more than 1 MiB, and take any body."""
HEAD_SECONDS = 0.5
"""For which an answer's form stays open: a client that is cut off later can come back for it."""
FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that is to be answered."""

    id: bytes
    stream: Stream
    token: bytes | None


class LegacySession(Hosted):
    """One client's session and its own server."""

    def __init__(
        self, owner: int, terms: Terms, begin: Open, log: Log, on_over: Callable[[LegacySession], None]
    ) -> None:
        """`on_over` is called once the server and its canvas are gone."""
        super().__init__(begin, terms, log)
        self.id = secrets.token_urlsafe(ID_BYTES)
        self.owner = owner
        """The caller who began it, and who alone may use it."""
        self._on_over = on_over
        self._asked: dict[bytes, _Asked] = {}
        self._unasked = self._outbox.open()
        self._has_lost = False

    def on_over(self) -> None:
        """The server and its canvas are gone."""
        self._on_over(self)

    # --- from the client ----------------------------------------------------------------------------------------

    async def initialize(self, message: Message, connection: Connection) -> bytes | None:
        """Pass on the request that opens the session; its answer, or None where the client went away.

        The session is ended where the server refuses it.
        """
        stream = await self._ask(message, connection)
        while (answer := stream.answer()) is None:
            if not await connection.hears(stream, FOREVER) or (event := stream.next()) is None:
                return None
            if not stream.is_complete:
                self._unasked.add(event[1])
                stream.has_sent(event[0])
        stream.detach(connection)
        self._outbox.discard(stream)
        envelope = read_envelope(answer)
        if envelope is None or envelope.result is None:
            self.end()
        return answer

    def has_open(self, message: Message) -> bool:
        """True where a request of this id waits for its answer."""
        return id_key(message.id) in self._asked

    async def tell(self, message: Message) -> None:
        """Pass on a notification or an answer. A request that is cancelled is answered here: its server may not."""
        await self.send(message.line)
        if message.kind is Kind.NOTIFICATION and message.envelope.method == "notifications/cancelled":
            asked = self._asked.pop(id_key(raw_member(message.envelope, "requestId") or b""), None)
            if asked is not None:
                asked.stream.add(error_body(asked.id, REQUEST_CANCELLED, "Request cancelled"))
                asked.stream.complete()

    async def ask(self, message: Message, version: str, connection: Connection) -> None:
        """Pass on a request, and send its stream of events; an answer too large for an event is a body of its own."""
        stream = await self._ask(message, connection)
        await connection.hears(stream, HEAD_SECONDS)
        answer = stream.answer()
        if answer is not None and len(answer) > LARGEST_EVENT_BYTES:
            await connection.json(answer, headers={MCP_SESSION_ID_HEADER: self.id})
            stream.detach(connection)
            self._outbox.discard(stream)
            return
        await connection.events(are_numbered=True, headers={MCP_SESSION_ID_HEADER: self.id})
        is_resumable = is_version_at_least(version, RESUMABLE_VERSION)
        if is_resumable:
            await connection.prime(stream)
        await self._forward(stream, connection, is_resumable=is_resumable)

    async def _ask(self, message: Message, connection: Connection) -> Stream:
        stream = self._outbox.open()
        stream.attach(connection)
        self._asked[id_key(message.id)] = _Asked(message.id, stream, _token(message.envelope))
        await self.send(message.line)
        if self.is_ending:
            stream.complete()
        return stream

    def place(self, last_event_id: str | None) -> tuple[Stream, int | None] | None:
        """The stream that a client comes back to, and the event it has; None where it is not kept any more."""
        if last_event_id is None:
            return self._unasked, None
        found = EVENT_ID.fullmatch(last_event_id)
        stream = None if found is None else self._outbox.find(int(found["stream"]))
        return None if found is None or stream is None else (stream, int(found["number"]))

    @property
    def is_listened_to(self) -> bool:
        """True where a connection gets what belongs to no request."""
        return self._unasked.reader is not None

    async def listen(self, stream: Stream, after: int | None, version: str, connection: Connection) -> None:
        """Send what belongs to no request, or the rest of a stream that was cut."""
        stream.attach(connection, after)
        await connection.events(are_numbered=True, headers={MCP_SESSION_ID_HEADER: self.id})
        is_resumed = after is not None and is_version_at_least(version, RESUMABLE_VERSION)
        if is_resumed:
            await connection.prime(stream)
        await self._forward(stream, connection, is_resumable=is_resumed and stream is not self._unasked)

    async def _forward(self, stream: Stream, connection: Connection, *, is_resumable: bool) -> None:
        seconds = self._terms.poll_seconds if is_resumable and self._terms.poll_seconds else FOREVER
        try:
            await connection.forward(stream, seconds)
        finally:
            stream.detach(connection)

    # --- from the server ----------------------------------------------------------------------------------------

    def write(self, line: bytes) -> None:
        """Put a line of the server, or an answer of ours, into its stream."""
        envelope = read_envelope(line)
        if envelope is None:
            self._log.line("http: a line of the server that is no message was dropped")
        elif envelope.method is not None:
            self._stream_of(envelope).add(line)
        elif (asked := self._asked.pop(id_key(envelope.id or b""), None)) is not None:
            asked.stream.add(line)
            asked.stream.complete()
        if self._outbox.lost and not self._has_lost:
            self._has_lost = True
            self._log.line("http: messages that no client came to read are dropped, oldest first")

    def _stream_of(self, envelope: Envelope) -> Stream:
        if envelope.method in OF_NO_REQUEST:
            return self._unasked
        if (token := raw_member(envelope, "progressToken")) is not None:
            named = [asked for asked in self._asked.values() if asked.token == id_key(token)]
            if named:
                return named[-1].stream
        if len(self._asked) == 1:
            return next(iter(self._asked.values())).stream
        if self.is_listened_to:
            return self._unasked
        read = [asked.stream for asked in self._asked.values() if asked.stream.reader is not None]
        return read[-1] if read else self._unasked


def _token(envelope: Envelope) -> bytes | None:
    place = members_of(envelope.line, envelope.of_params().get("_meta")).get("progressToken")
    return None if place is None else id_key(place.of(envelope.line))
