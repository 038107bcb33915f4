"""Transport: what a way to a remote server does, and what all ways share.

Rule: requests are answered or fail with `RemoteFailed`, never neither. Imports `core.errors`, the relay's `envelope` and
`spans`, and http's pure modules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from millpond.core.errors import RemoteFailed
from millpond.http.message import Message, Waiting
from millpond.relay.envelope import read_envelope
from millpond.relay.spans import members_of, string_value

INITIALIZE = "initialize"
INITIALIZED = "notifications/initialized"
OPENING = (INITIALIZE, "server/discover")
OPENING_SECONDS = 60.0
"""For the answers that a server gives at once; of all others only the client knows how long they may take."""
ACCEPT_SECONDS = 30.0
"""For a notification to be accepted; the lines behind it wait for that."""
Sent = Callable[[], object]
"""Called once the request is on its way, so that what follows it may follow."""
Note = Callable[[str], None]
"""Writes a line of our own log."""


class NotStreamable(RemoteFailed):
    """The server does not know this transport; it may be one of 2024-11-05."""


class Transport(Protocol):
    """A way to a server."""

    @property
    def is_modern(self) -> bool:
        """True where a request is cancelled by closing its stream."""
        ...

    async def request(self, message: Message, waiting: Waiting, on_sent: Sent) -> None:
        """Send requests and pass on what comes, until all have their answer. Raises `RemoteFailed`."""
        ...

    async def tell(self, message: Message) -> None:
        """Send what has no answer. Raises `RemoteFailed` where it was not accepted."""
        ...

    async def close(self) -> None:
        """End the session."""
        ...


def negotiated_version(line: bytes) -> str | None:
    """The revision in an answer to `initialize`; None in an error."""
    envelope = read_envelope(line)
    if envelope is None or envelope.result is None:
        return None
    members = members_of(line, envelope.result)
    return string_value(line, members.get("protocolVersion"))
