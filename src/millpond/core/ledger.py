"""Ledger: which calls the canvas keeps, which tables they own, which must go to make room, and how full it is.

Rule: oldest first, and a name that went stays known as evicted or dropped. Values only; who drops tables is the store. Imports
`core.model`, `core.names` and `core.naming`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from millpond.core.model import TableState
from millpond.core.names import fold
from millpond.core.naming import parse_table_name

FULL_PERCENT = 90
"""From which it is told, once, that the canvas is nearly full."""
EASED_PERCENT = 80
"""Below which it is told again, should it fill again."""

Bound = Literal["bytes", "calls", "tables"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a canvas may hold."""

    calls: int
    tables: int
    """That are made; one that is still to be made takes no room."""
    bytes: int
    """Of results as they came, and of kept answers as text."""


@dataclass(frozen=True, slots=True)
class Fullness:
    """How full a canvas is, by the bound that it is closest to."""

    bound: Bound
    has: int
    most: int
    next_to_go: int
    """The number of the call that goes first."""
    tables: tuple[str, ...]
    """Of that call."""

    @property
    def percent(self) -> int:
        """Of the bound, rounded down."""
        return 100 * self.has // self.most


@dataclass(slots=True)
class Entry:
    """A call whose result is kept."""

    size_bytes: int
    tables: tuple[str, ...]


class Ledger:
    """The kept calls of one canvas. Not safe for several threads at once; its owner guards it."""

    def __init__(self, tag: str, bounds: Bounds) -> None:
        self._tag = tag
        self._bounds = bounds
        self._entries: dict[int, Entry] = {}
        self._names: dict[str, str] = {}
        self._owners: dict[str, int] = {}
        self._pending: dict[str, int] = {}
        self._evicted: dict[str, None] = {}
        """Names that do not tell their call, oldest first."""
        self._dropped: dict[str, None] = {}
        self._size_bytes = 0
        self._is_told = False
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
                self._forget(name)
            self.evicted(entry.tables)

    def _forget(self, name: str) -> None:
        for known in (self._names, self._owners, self._pending):
            known.pop(fold(name), None)

    def evicted(self, names: Iterable[str]) -> None:
        """Know these names as evicted from now on."""
        for name in names:
            parts = parse_table_name(name)
            if parts is None or parts.tag != self._tag:
                self._evicted[fold(name)] = None
        self._bound(self._evicted)

    def dropped(self, names: Iterable[str]) -> None:
        """Know these names as dropped from now on."""
        for name in names:
            self._dropped[fold(name)] = None
        self._bound(self._dropped)

    def _bound(self, names: dict[str, None]) -> None:
        while len(names) > self._bounds.calls:
            del names[next(iter(names))]

    def drop(self, name: str) -> None:
        """Take one table out of its call; with its last table, the call takes no more room."""
        number = self._owners[fold(name)]
        entry = self._entries[number]
        entry.tables = tuple(other for other in entry.tables if fold(other) != fold(name))
        if not entry.tables:
            self._size_bytes -= entry.size_bytes
            entry.size_bytes = 0
        self._forget(name)
        self.dropped((name,))

    def owner(self, name: str) -> int | None:
        """The call whose table has this name."""
        return self._owners.get(fold(name))

    def over(self, incoming_calls: int, incoming_bytes: int, incoming_tables: int) -> tuple[int, ...]:
        """The calls that must go, oldest first, for so many more calls, bytes and tables to come within the bounds.

        Where only tables are too many, calls without one stay.
        """
        calls = len(self._entries) + incoming_calls - self._bounds.calls
        size = self._size_bytes + incoming_bytes - self._bounds.bytes
        tables = self._made() + incoming_tables - self._bounds.tables
        going: list[int] = []
        for number in sorted(self._entries) if max(calls, size, tables) > 0 else ():
            if max(calls, size, tables) <= 0:
                break
            made = len(self.tables_of((number,)))
            if calls > 0 or size > 0 or made:
                going.append(number)
                calls, size, tables = calls - 1, size - self._entries[number].size_bytes, tables - made
        return tuple(going)

    def _made(self) -> int:
        return len(self._names) - len(self._pending)

    def fullness(self) -> Fullness | None:
        """What is to be told now: once where a bound is nearly reached, and again only after it was far from all."""
        sizes: tuple[tuple[Bound, int, int], ...] = (
            ("bytes", self._size_bytes, self._bounds.bytes),
            ("calls", len(self._entries), self._bounds.calls),
            ("tables", self._made(), self._bounds.tables),
        )
        bound, has, most = max(sizes, key=lambda size: size[1] / size[2])
        is_full = 100 * has >= most * (EASED_PERCENT if self._is_told else FULL_PERCENT)
        is_news, self._is_told = is_full and not self._is_told, is_full
        if not is_news or not self._entries:
            return None
        oldest = min(self._entries)
        return Fullness(bound, has, most, oldest, self._entries[oldest].tables)

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
        if fold(name) in self._dropped:
            return TableState.DROPPED
        if fold(name) in self._evicted:
            return TableState.EVICTED
        parts = parse_table_name(name)
        if parts is None or parts.tag != self._tag or parts.call > self.last_number or parts.call in self._entries:
            return TableState.UNKNOWN
        return TableState.EVICTED
