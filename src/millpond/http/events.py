"""Events: what goes to a client over its connections, kept so that one that comes back gets the rest.

Rule: an event is in one stream and has a number there. What was sent is kept up to a bound, what nobody reads up to the
same bound, and what a connected client is still to get holds its server up. Imports asyncio and the relay's `streams`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from millpond.relay.streams import HIGH_WATER_BYTES, LOW_WATER_BYTES

EVENT_BYTES = 2_048
"""What an event takes, besides its line, where it is alone in its stream."""


class Stream:
    """The messages that answer one request, or belong to none."""

    def __init__(self, name: int, outbox: Outbox) -> None:
        self.name = name
        self.is_complete = False
        """True where nothing is to come."""
        self.reader: object | None = None
        """The connection that gets it; a later one takes its place."""
        self.sent = 0
        """The number of the last event that a connection was given; they count from 1."""
        self.unsent_bytes = 0
        """Of the events after it."""
        self._outbox = outbox
        self._lines: deque[bytes] = deque()
        self._first = 1
        self._changed = asyncio.Event()

    def add(self, line: bytes) -> None:
        """The next event."""
        self._lines.append(line)
        self._outbox.moved(self, len(line) + EVENT_BYTES)
        self._changed.set()

    def complete(self) -> None:
        """Nothing is to come."""
        self.is_complete = True
        self._changed.set()
        if not self._lines:
            self._outbox.discard(self)

    def attach(self, reader: object, after: int | None = None) -> None:
        """Have this reader get what is there, from behind the event of that number where one is given, and what comes."""
        if self.reader is not None:
            self.detach(self.reader)
        if after is not None and after < self.sent:
            kept = self._bytes(after, self.sent)
            self.sent = max(after, self._first - 1)
            self._outbox.moved(self, kept)
            self._outbox.keeps(-kept)
        self._outbox.parks(-self.unsent_bytes)
        self.reader = reader
        self._outbox.waits(self.unsent_bytes)
        self._changed.set()

    def detach(self, reader: object) -> None:
        """The reader gets no more; one whose place was taken already changes nothing."""
        if reader is self.reader:
            self._outbox.waits(-self.unsent_bytes)
            self.reader = None
            self._outbox.parks(self.unsent_bytes)

    def next(self) -> tuple[int, bytes] | None:
        """The number of the next event, and the event; None where there is none yet."""
        number = max(self.sent + 1, self._first)
        return (number, self._lines[number - self._first]) if number < self._first + len(self._lines) else None

    def answer(self) -> bytes | None:
        """The only event of a stream that is complete; None where there are more, or more may come."""
        event = self.next()
        is_last = event is not None and event[0] == self._first + len(self._lines) - 1
        return event[1] if event is not None and is_last and self.is_complete else None

    def has_sent(self, number: int) -> None:
        """The reader was given the event of this number, the next one."""
        size = self._bytes(number - 1, number)
        self.sent = number
        self._outbox.moved(self, -size)
        self._outbox.keep(self, number, size)

    async def changed(self) -> None:
        """Wait until there is a next event, or none is to come."""
        while self.next() is None and not self.is_complete:
            self._changed.clear()
            await self._changed.wait()

    def forget(self, number: int) -> int:
        """Drop the events up to that number and return their bytes."""
        size = self._bytes(self._first - 1, number)
        while self._lines and self._first <= number:
            self._lines.popleft()
            self._first += 1
        if self.is_complete and not self._lines:
            self._outbox.discard(self)
        return size

    def _bytes(self, after: int, last: int) -> int:
        """Of the events behind one number, up to another."""
        numbers = range(max(after + 1, self._first), min(last + 1, self._first + len(self._lines)))
        return sum(len(self._lines[number - self._first]) + EVENT_BYTES for number in numbers)


class Outbox:
    """The streams of one client."""

    def __init__(self, most_bytes: int, on_full: Callable[[bool], None]) -> None:
        """`on_full` is told when connected readers are too far behind (True), and when no longer (False)."""
        self._most_bytes = most_bytes
        self._on_full = on_full
        self._kept: deque[tuple[Stream, int]] = deque()
        self._kept_bytes = 0
        self._parked_bytes = 0
        self._is_full = False
        self._count = 0
        self._streams: dict[int, Stream] = {}
        self.waiting_bytes = 0
        """Of events that a connected reader is still to get."""
        self.lost = 0
        """Events that were dropped before anyone was given them."""

    def open(self) -> Stream:
        """A new stream; the first one is named 0."""
        stream = Stream(self._count, self)
        self._streams[self._count] = stream
        self._count += 1
        return stream

    def find(self, name: int) -> Stream | None:
        """The stream of this name, as long as events of it are kept or to come."""
        return self._streams.get(name)

    def discard(self, stream: Stream) -> None:
        """Nobody comes back to this stream."""
        self._streams.pop(stream.name, None)

    def complete(self) -> None:
        """Nothing is to come in any stream."""
        for stream in list(self._streams.values()):
            stream.complete()

    # --- what the streams tell ----------------------------------------------------------------------------------

    def moved(self, stream: Stream, size: int) -> None:
        """So many bytes of a stream came to be unsent, or are no longer."""
        stream.unsent_bytes += size
        if stream.reader is not None:
            self.waits(size)
        else:
            self.parks(size)
            self._drop_parked(stream)

    def _drop_parked(self, stream: Stream) -> None:
        """A stream that nobody reads drops its own oldest."""
        while self._parked_bytes > self._most_bytes and (oldest := stream.next()) is not None:
            number, line = oldest
            size = len(line) + EVENT_BYTES
            stream.sent = number
            stream.unsent_bytes -= size
            self._parked_bytes -= size
            self._kept_bytes -= stream.forget(number) - size
            self.lost += 1

    def waits(self, size: int) -> None:
        """So many bytes more, or fewer, wait for connected readers."""
        self.waiting_bytes += size
        if self.waiting_bytes > HIGH_WATER_BYTES and not self._is_full:
            self._is_full = True
            self._on_full(True)
        elif self._is_full and self.waiting_bytes < LOW_WATER_BYTES:
            self._is_full = False
            self._on_full(False)

    def parks(self, size: int) -> None:
        """So many bytes more, or fewer, wait for readers that are not there."""
        self._parked_bytes += size

    def keep(self, stream: Stream, number: int, size: int) -> None:
        """An event was sent; it is kept for a client that comes back, as far as there is room."""
        self._kept.append((stream, number))
        self.keeps(size)
        while self._kept_bytes > self._most_bytes and self._kept:
            oldest, last = self._kept.popleft()
            self._kept_bytes -= oldest.forget(min(last, oldest.sent))

    def keeps(self, size: int) -> None:
        """So many bytes more, or fewer, are kept of what was sent."""
        self._kept_bytes += size
