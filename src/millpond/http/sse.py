"""Sse: server-sent events out of bytes that come in pieces of any size.

Rule: data stays bytes, has no size limit, and costs time linear in its length. Imports the relay's `lines`.
"""

from __future__ import annotations

from dataclasses import dataclass

from millpond.relay.lines import Lines

MARK = b"\xef\xbb\xbf"
"""A byte order mark, which may open a stream and says nothing."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event."""

    name: bytes
    """`message` where the stream names none."""
    data: bytes
    """The lines of its data, each with a `\\n` at its end; empty where it has none."""
    id: bytes | None
    """What a later connection resumes after; None where the event has none."""
    retry_ms: int | None
    """Milliseconds that the server wants between two connections."""


class Events:
    """Joins the pieces of one stream into events."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._is_first = True
        self._ended_in_return = False
        self._begin()

    def _begin(self) -> None:
        self._name, self._id, self._retry_ms = b"", None, None
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[Event]:
        """The events that this piece completes. A line ends at `\\n`, `\\r` or both; an event at an empty line."""
        if self._ended_in_return and piece:
            piece = piece.removeprefix(b"\n")
        self._ended_in_return = piece.endswith(b"\r") if piece else self._ended_in_return
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        events = (self._on_line(line) for line in self._lines.feed(piece))
        return [event for event in events if event is not None]

    def _on_line(self, line: bytes) -> Event | None:
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(MARK)
        if line == b"\n":
            return self._end()
        head, colon, _ = line[:8].partition(b":")  # `event` is the longest name that counts
        if not colon:
            head = line[:8].removesuffix(b"\n")
        start = len(head) + len(colon)
        start += line.startswith(b" ", start) if colon else 0
        self._on_field(head, line[start:])
        return None

    def _on_field(self, name: bytes, value: bytes) -> None:
        """A field and its value, which ends with `\\n`."""
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value[:-1]
        elif name == b"id" and b"\0" not in value:
            self._id = value[:-1]
        elif name == b"retry" and value[:-1].isdigit():
            self._retry_ms = int(value[:12])

    def _end(self) -> Event | None:
        has_any = self._data or self._name or self._id is not None or self._retry_ms is not None
        data = self._data[0] if len(self._data) == 1 else b"".join(self._data)
        event = Event(self._name or b"message", data, self._id, self._retry_ms) if has_any else None
        self._begin()
        return event
