"""Actions: what a session wants done, and what it is told of the configuration.

Rule: values only; drivers carry them out in their order. Imports `core.model`, `core.paging` and the
relay's `resources` and `spans`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from millpond.core.model import Call, Mode, Resources, ToolText
from millpond.core.paging import Paging
from millpond.relay.resources import Listing
from millpond.relay.spans import Member


@dataclass(frozen=True, slots=True)
class ToServer:
    """Send this line to the server."""

    line: bytes


@dataclass(frozen=True, slots=True)
class ToClient:
    """Send this line to the client."""

    line: bytes


@dataclass(frozen=True, slots=True)
class Take:
    """Give a result to the engine; its line goes to the client as `Session.taken` then says."""

    call: Call
    line: bytes
    result: Member
    query_tool: str
    said: str | None = None
    """A line for the agent that goes with whatever the client gets."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Have the engine record a result that went on."""

    call: Call
    result: memoryview


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer an own call; the result goes to the client in the line that `Session.answered` makes."""

    key: bytes
    """What a later `Stop` names it by."""
    id: bytes
    """The id as the client wrote it."""
    arguments: bytes
    query_tool: str
    is_modern: bool
    """True for a request of 2026-07-28, whose answer says `resultType`."""
    call: Call | None = None
    """What `calls` gets of it, where its answer is to be kept."""
    progress_token: bytes | None = None
    """Raw, as the client wrote it; None where it wants no progress told."""
    conversation: str | None = None
    """The conversation whose canvas is asked; None is the session's own."""


@dataclass(frozen=True, slots=True)
class Look:
    """Have a resource read, or the tables listed; the line of `Session.looked` goes to the client."""

    uri: str
    """Empty for a list of all tables."""
    listing: Listing | None = None
    """The server's list that ours goes into."""
    key: bytes = b""
    """What a later `Stop` names it by; empty for a list."""
    id: bytes = b""
    """The id as the client wrote it."""
    is_modern: bool = False


@dataclass(frozen=True, slots=True)
class Alarm:
    """Call `Session.overdue` with this key after so many seconds, unless a `Stop` comes before."""

    key: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class Stop:
    """Cancel the own call or the alarm of this key."""

    key: bytes


@dataclass(frozen=True, slots=True)
class Learn:
    """Have the engine know what the server says of these tools."""

    tools: tuple[ToolText, ...]


@dataclass(frozen=True, slots=True)
class Say:
    """Tell whoever reads the log, in one line without the conversation's data; once a process, however many sessions say it."""

    text: str


Action = ToServer | ToClient | Take | Keep | Ask | Look | Alarm | Stop | Learn | Say


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a session is told of the configuration; sizes in bytes."""

    modes: Mapping[str, Mode]
    inline_rows_bytes: int
    max_result_bytes: int
    max_line_bytes: int
    resources: Resources = "auto"
    exports: bool = False
    """True where the own tool may write files."""
    keeps: bool = False
    """True where a canvas may have tables before the session's first call."""
    paging: Mapping[str, Paging] = field(default_factory=lambda: MappingProxyType({}))
    """How the pages of a tool are collected, for the tools that the configuration names."""
    page_id: str = "millpond-page"
    """What ids of own requests begin with: nothing that a client could have as an id."""

    conversation_keys: tuple[str, ...] = ()
    """Of a call's `_meta`: the value of the first that is there tells its conversation."""

    def mode(self, tool: str) -> Mode:
        """The mode of a tool."""
        return self.modes.get(tool, "auto")
