"""Stats: what one session came to, in counts, and the sum of many.

Rule: names of servers and tools, and numbers; no argument, no row, no text of a call. Imports `core.clip`, `core.sizes` and msgspec.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec

from millpond.core.clip import shown
from millpond.core.sizes import counted, human_size

MAX_TOOLS = 256
"""Tools of one session that are named; the rest is one entry."""
MAX_NAME_CHARACTERS = 128
"""Of a server's or a tool's name, as clients bound it."""
OTHERS = "(others)"

Count = Annotated[int, msgspec.Meta(ge=0)]


class ToolCount(msgspec.Struct, frozen=True, kw_only=True):
    """What the calls of one tool came to."""

    calls: Count = 0
    replaced: Count = 0
    """Calls whose result became a table and a handle."""
    bytes: Count = 0
    """Of all results as they came."""
    kept_out_bytes: Count = 0
    """What the replaced results were larger than their handles."""
    kept_out_tokens: Count = 0
    """The same, estimated (`core.tokens`)."""

    def plus(self, other: ToolCount) -> ToolCount:
        """Both together."""
        return ToolCount(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})


class SessionCount(msgspec.Struct, frozen=True, kw_only=True):
    """What one session came to: a line of the record."""

    time: str
    """Its end: ISO 8601 in UTC, to be compared as text."""
    server: str
    tools: Mapping[str, ToolCount]
    queries: Count = 0
    evictions: Count = 0
    """Calls whose tables and texts went to make room."""
    restarts: Count = 0
    """Of the engine's process."""

    @property
    def total(self) -> ToolCount:
        """All tools together."""
        return _sum(self.tools.values())


class ServerCount(NamedTuple):
    """What the sessions of one server came to."""

    sessions: int
    sum: SessionCount
    """Its `time` is the latest."""


class Lines(NamedTuple):
    """What a record holds."""

    sessions: tuple[SessionCount, ...]
    broken: int
    """Lines that cannot be read."""


_decoder = msgspec.json.Decoder(SessionCount)


def session_line(session: SessionCount) -> bytes:
    """A session as a line of the record, bounded whatever its names are."""
    tools: dict[str, ToolCount] = {}
    for name, count in session.tools.items():
        key = shown(name, MAX_NAME_CHARACTERS)
        key = key if key in tools or len(tools) < MAX_TOOLS else OTHERS
        tools[key] = tools.get(key, ToolCount()).plus(count)
    named = msgspec.structs.replace(session, server=shown(session.server, MAX_NAME_CHARACTERS), tools=tools)
    return msgspec.json.encode(named) + b"\n"


def session_sentence(session: SessionCount) -> str:
    """What is said at a session's end; "" where nothing was kept out and nothing asked."""
    total = session.total
    if not total.replaced and not session.queries:
        return ""
    parts = [
        f"{counted(total.calls, 'call')}, {counted(total.replaced, 'result')} kept out of the conversation"
        f" ({human_size(total.kept_out_bytes)}, about {total.kept_out_tokens:,} tokens)",
        "1 query" if session.queries == 1 else f"{session.queries:,} queries",
        *([counted(session.evictions, "call") + " evicted"] if session.evictions else []),
        *([counted(session.restarts, "restart") + " of the engine"] if session.restarts else []),
    ]
    return "; ".join(parts)


def read_lines(data: bytes) -> Lines:
    """The sessions in a record; lines that are none are counted and passed over."""
    sessions: list[SessionCount] = []
    lines = [line for line in data.split(b"\n") if line.strip()]
    for line in lines:
        try:
            sessions.append(_decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    return Lines(tuple(sessions), len(lines) - len(sessions))


def by_server(sessions: Iterable[SessionCount]) -> dict[str, ServerCount]:
    """The sessions of each server together, and each tool's; servers and tools by what was kept out, the most first."""
    found: dict[str, list[SessionCount]] = {}
    for session in sessions:
        found.setdefault(session.server, []).append(session)
    counts = {name: ServerCount(len(several), _together(several)) for name, several in found.items()}
    return dict(sorted(counts.items(), key=lambda item: (-item[1].sum.total.kept_out_bytes, item[0])))


def _together(sessions: Sequence[SessionCount]) -> SessionCount:
    tools: dict[str, ToolCount] = {}
    for session in sessions:
        for name, count in session.tools.items():
            tools[name] = tools.get(name, ToolCount()).plus(count)
    return SessionCount(
        time=max(session.time for session in sessions),
        server=sessions[0].server,
        tools=dict(sorted(tools.items(), key=lambda item: (-item[1].kept_out_bytes, -item[1].calls, item[0]))),
        queries=sum(session.queries for session in sessions),
        evictions=sum(session.evictions for session in sessions),
        restarts=sum(session.restarts for session in sessions),
    )


def _sum(counts: Iterable[ToolCount]) -> ToolCount:
    total = ToolCount()
    for count in counts:
        total = total.plus(count)
    return total
