"""Ledger: which calls the canvas keeps, which tables they own, and which must go to make room.

Rule: oldest first, and a name that went stays known as evicted. Values only; who drops tables is the store. Imports `core.names`
and `core.naming`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from millpond.core.model import TableState
from millpond.core.names import fold
from millpond.core.naming import parse_table_name


@dataclass(slots=True)
class Entry:
    """A call whose result is kept."""

    size_bytes: int
    tables: tuple[str, ...]


class Ledger:
    """The kept calls of one canvas. Not safe for several threads at once; the store guards it."""

    def __init__(self, tag: str, max_calls: int, max_canvas_bytes: int) -> None:
        self._tag = tag
        self._max_calls = max_calls
        self._max_canvas_bytes = max_canvas_bytes
        self._entries: dict[int, Entry] = {}
        self._names: dict[str, str] = {}
        self._owners: dict[str, int] = {}
        self._pending: dict[str, int] = {}
        self._evicted: dict[str, None] = {}
        """Names that do not tell their call, oldest first."""
        self._size_bytes = 0
        self.last_number = 0

    def add(self, number: int, size_bytes: int, tables: Iterable[str], *, made: bool) -> None:
        """Enter a call; `made` tells that its tables are stored, not pending. A number entered before is entered anew."""
        self.remove((number,))
        entry = Entry(size_bytes, tuple(tables))
        self._entries[number] = entry
        self._size_bytes += size_bytes
        self.last_number = max(self.last_number, number)
        for name in entry.tables:
            self._names[fold(name)] = name
            self._owners[fold(name)] = number
            if not made:
                self._pending[fold(name)] = number

    def remove(self, numbers: Iterable[int]) -> None:
        """Forget calls; their tables are evicted from now on."""
        for number in numbers:
            entry = self._entries.pop(number, None)
            if entry is None:
                continue
            self._size_bytes -= entry.size_bytes
            for name in entry.tables:
                self._names.pop(fold(name), None)
                self._owners.pop(fold(name), None)
                self._pending.pop(fold(name), None)
            self.evicted(entry.tables)

    def evicted(self, names: Iterable[str]) -> None:
        """Know these names as evicted from now on."""
        for name in names:
            parts = parse_table_name(name)
            if parts is None or parts.tag != self._tag:
                self._evicted[fold(name)] = None
        while len(self._evicted) > self._max_calls:
            del self._evicted[next(iter(self._evicted))]

    def owner(self, name: str) -> int | None:
        """The call whose table has this name."""
        return self._owners.get(fold(name))

    def over(self, incoming_calls: int, incoming_bytes: int) -> tuple[int, ...]:
        """The calls that must go, oldest first, for so many more calls and bytes to come within the bounds."""
        calls, size = len(self._entries) + incoming_calls, self._size_bytes + incoming_bytes
        going: list[int] = []
        for number in sorted(self._entries) if calls > self._max_calls or size > self._max_canvas_bytes else ():
            if calls <= self._max_calls and size <= self._max_canvas_bytes:
                break
            going.append(number)
            calls -= 1
            size -= self._entries[number].size_bytes
        return tuple(going)

    def tables_of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The stored tables of these calls."""
        kept = [name for number in numbers for name in self._entries[number].tables]
        return tuple(name for name in kept if fold(name) not in self._pending)

    def made(self, number: int) -> None:
        """Note that the tables of a call are stored now."""
        for name in self._entries[number].tables:
            self._pending.pop(fold(name), None)

    def pending_calls(self, names: Iterable[str]) -> tuple[int, ...]:
        """The calls whose tables are still to be made, among those that own these names."""
        numbers = (self._pending.get(fold(name)) for name in names)
        return tuple(dict.fromkeys(number for number in numbers if number is not None))

    def names(self) -> tuple[str, ...]:
        """All tables, stored and pending, oldest first."""
        return tuple(self._names.values())

    def state(self, name: str) -> TableState:
        """What is known of a name."""
        if fold(name) in self._pending:
            return TableState.PENDING
        if fold(name) in self._names:
            return TableState.STORED
        if fold(name) in self._evicted:
            return TableState.EVICTED
        parts = parse_table_name(name)
        if parts is None or parts.tag != self._tag or parts.call > self.last_number or parts.call in self._entries:
            return TableState.UNKNOWN
        return TableState.EVICTED
