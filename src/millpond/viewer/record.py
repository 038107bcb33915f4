"""Record: what a session keeps of itself for a page that is opened later, within a bound of bytes.

Rule: values and a bound; the oldest goes first, and what went is still counted. Whoever follows is told at once and
may not block. Imports msgspec and the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

MOST_TEXT_BYTES = 16_384
"""Kept of one text (arguments, a statement, a handle, an answer); the page says where one is cut."""
ENTRY_BYTES = 160
"""What Python takes for an entry beside its text, so that the bound is one of memory also where all calls are small."""


class TableSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A table that a result became."""

    name: str
    path: str = ""
    rows: int = 0


class CallSeen(msgspec.Struct, frozen=True, kw_only=True, tag="call", tag_field="kind"):
    """A result of a tool of the server, and what became of it."""

    number: int
    """The call's number in `calls`."""
    tool: str
    arguments: str
    time: str
    """When the result came: ISO 8601 in UTC."""
    state: Literal["storing", "replaced", "passed", "failed"]
    bytes: int
    """Of the result as it came."""
    sent_bytes: int = 0
    """Of what the client got for it; 0 while it is being stored."""
    handle: str | None = None
    tables: tuple[TableSeen, ...] = ()
    note: str | None = None


class QuerySeen(msgspec.Struct, frozen=True, kw_only=True, tag="query", tag_field="kind"):
    """A question of the agent, and its answer."""

    number: int
    """Counts the session's questions from 1."""
    sql: str
    time: str
    """When it was asked: ISO 8601 in UTC."""
    state: Literal["running", "answered", "refused", "cancelled"]
    milliseconds: int | None = None
    bytes: int = 0
    """Of the answer, as the client got it."""
    answer: str | None = None
    is_cut: bool = False
    """True where `answer` is only the first `MOST_TEXT_BYTES` of it."""
    rows: int | None = None
    reason: str | None = None
    saved_as: str | None = None


Seen = CallSeen | QuerySeen
_seen = msgspec.json.Decoder(Seen)


class Gone(msgspec.Struct, frozen=True, kw_only=True, tag="gone", tag_field="kind"):
    """What is no longer kept, summed up."""

    calls: int = 0
    queries: int = 0
    came_bytes: int = 0
    """Of results as they came."""
    sent_bytes: int = 0
    """Of what the client got for them."""
    answer_bytes: int = 0
    """Of answers to queries."""

    def with_one_more(self, seen: Seen) -> Gone:
        """The sums, this one included."""
        is_call = isinstance(seen, CallSeen)
        return Gone(
            calls=self.calls + is_call,
            queries=self.queries + (not is_call),
            came_bytes=self.came_bytes + (seen.bytes if is_call else 0),
            sent_bytes=self.sent_bytes + (seen.sent_bytes if is_call else 0),
            answer_bytes=self.answer_bytes + (0 if is_call else seen.bytes),
        )


class Record:
    """The latest calls and questions of a session. Not safe for several threads: all of it is on the event loop."""

    def __init__(self, max_kept_bytes: int) -> None:
        """Keep at most so many bytes; an entry takes its text and `ENTRY_BYTES`."""
        self._max_kept_bytes = max_kept_bytes
        self._kept: dict[int, bytes] = {}
        """The lines of calls by their numbers, of questions by theirs below 0."""
        self._kept_bytes = 0
        self._gone = Gone()
        self._followers: list[Callable[[bytes], None]] = []

    def put(self, seen: Seen) -> None:
        """Keep it, in place of what was known of the same call or question, and tell those who follow."""
        line = msgspec.json.encode(seen)
        key = seen.number if isinstance(seen, CallSeen) else -seen.number
        earlier = self._kept.get(key)
        self._kept[key] = line
        self._kept_bytes += len(line) - len(earlier) if earlier else len(line) + ENTRY_BYTES
        while self._kept_bytes > self._max_kept_bytes:
            oldest = self._kept.pop(next(iter(self._kept)))
            self._kept_bytes -= len(oldest) + ENTRY_BYTES
            self._gone = self._gone.with_one_more(_seen.decode(oldest))
        for tell in tuple(self._followers):
            tell(line)

    def lines(self) -> list[bytes]:
        """What is kept, each as one line of JSON without its end, oldest first; before it what is no longer."""
        return [msgspec.json.encode(self._gone), *self._kept.values()]

    @property
    def followers(self) -> int:
        """How many are told."""
        return len(self._followers)

    def follow(self, tell: Callable[[bytes], None]) -> Callable[[], None]:
        """Have everything that is put from now on told; returns what ends that."""
        self._followers.append(tell)
        return lambda: self._followers.remove(tell)
