"""Columns: a row set becomes the columns of a table, each with its type and the way its cells are read.

Rule: one pass over all rows, a chunk at a time; what was decoded is dropped again. Imports stages' values (`rows`, `observe`,
`infer`, `naming`) and msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from millpond.core.infer import ColumnType, Route, infer
from millpond.core.model import Column
from millpond.core.naming import column_names
from millpond.core.observe import Lexeme, Observed
from millpond.core.rows import Layout, RowSet

MAX_COLUMNS = 2_000
"""Keys that become columns; where rows have more between them, each row is one JSON value."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A column, the key its cells stand under in the rows, and how they are read."""

    column: Column
    key: str
    type: ColumnType
    present: int
    """Cells that are not null."""
    from_row: bool
    """True where `from_json` of the whole row can give the cell: a direct type under a name that is the key."""

    @property
    def way(self) -> tuple[object, ...]:
        """All that a loaded cell depends on; exponents and nulls that come later change nothing for the cells before."""
        return self.column.name, self.key, self.type.sql, self.type.route, self.type.spec, self.from_row


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How the rows of one set become a table."""

    rows: RowSet
    sources: tuple[Source, ...]
    repeated: frozenset[int] = frozenset()
    """Numbers of the chunks in which an object has a key twice: there the last one is taken, as Python takes it."""

    @property
    def keyed(self) -> bool:
        """True where the map's keys are the first column, `_key`."""
        return self.rows.keys is not None

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns of the table, in order."""
        own = (Column(name="_key", type="VARCHAR"),) if self.keyed else ()
        return (*own, *(source.column for source in self.sources))

    def loads_like(self, other: Plan) -> bool:
        """True where rows that were loaded by one plan need not be loaded again for the other."""
        return self.rows is other.rows and [s.way for s in self.sources] == [s.way for s in other.sources]


_decoder = msgspec.json.Decoder(float_hook=Lexeme)
_string = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def decode_exactly(raws: Sequence[msgspec.Raw]) -> list[Any]:
    """The values of raw JSON, with every number that has a fraction or an exponent as the `Lexeme` it was written as."""
    return list(map(_decoder.decode, raws))


class Planner:
    """The columns of a row set as its chunks are observed: after each one, the plan that holds for all rows so far."""

    def __init__(self, rows: RowSet) -> None:
        self._rows = rows
        self._markers = frozenset(marker.decode() for marker in rows.markers)
        self._top = Observed(top=True)
        self._columns = [Observed() for _ in rows.names]
        self._repeated: set[int] = set()
        self._members = 0

    def observe(self, number: int, chunk: slice) -> None:
        """Take in the rows of a chunk; `number` counts the chunks from 0."""
        raws = self._rows.rows[chunk]
        values: list[Any] = decode_exactly(raws)
        seen = self._seen()
        if self._rows.layout is Layout.ARRAYS:
            turned: Iterable[tuple[Any, ...]] = zip_longest(*values)
            for column, cells in zip(seen, turned, strict=False):
                column.add(cells, self._markers)
        else:
            seen[0].add(values, self._markers)
        members = sum(one.total_members() for one in seen)
        if _repeats_keys(b",".join(raws), members - self._members):
            self._repeated.add(number)
        self._members = members

    def _seen(self) -> Sequence[Observed]:
        return (self._top,) if self._rows.layout is Layout.OBJECTS else self._columns

    def plan(self) -> Plan | None:
        """The columns for what was observed, or None where objects give none: no keys at all, or too many."""
        if self._rows.layout is not Layout.OBJECTS:
            return _plan(self._rows, self._rows.names, self._columns, frozenset(self._repeated))
        fields = self._top.fields
        if not 0 < len(fields) <= MAX_COLUMNS:
            return None
        return _plan(self._rows, list(fields), list(fields.values()), frozenset(self._repeated))


def plan_columns(rows: RowSet) -> Plan:
    """The columns of a row set, from all of its values."""
    planner = Planner(rows)
    for number, chunk in enumerate(rows.chunks()):
        planner.observe(number, chunk)
    return planner.plan() or plan_columns(as_values(rows))


def as_values(rows: RowSet) -> RowSet:
    """The same rows, each as one JSON value: what objects become that give no columns."""
    return msgspec.structs.replace(rows, layout=Layout.VALUES, names=("value",))


def _plan(rows: RowSet, keys: Sequence[str], seen: Sequence[Observed], repeated: frozenset[int]) -> Plan:
    names = column_names(keys)
    sources = tuple(
        _source(key, name, column, rows.layout) for key, name, column in zip(keys, names, seen, strict=True)
    )
    return Plan(rows=rows, sources=sources, repeated=repeated)


def _source(key: str, name: str, seen: Observed, layout: Layout) -> Source:
    kind = infer(seen)
    column = Column(
        name=name, type=kind.sql, exact=kind.exact, renamed_from=None if key == name else key, note=kind.note
    )
    direct = layout is Layout.OBJECTS and key == name and kind.route is Route.DIRECT
    return Source(column=column, key=key, type=kind, present=seen.present(), from_row=direct)


def _repeats_keys(text: bytes, members: int) -> bool:
    """Whether some object of a text has a key twice: the text has more members than were decoded.

    With white space taken out, each member's key ends in `":`. A string that begins with a colon and an escaped quote before one
    give those bytes too, so that strings are emptied where the first count is not that of the decoded members.
    """
    if _count_keys(text) == members:
        return False
    return _count_keys(_string.sub(b'""', text)) != members


def _count_keys(text: bytes) -> int:
    return text.translate(None, b" \t\n\r").count(b'":')
