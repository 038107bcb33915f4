"""Columns: a row set becomes the columns of a table, each with its type and the way its cells are read.

Rule: one pass over all rows, a chunk at a time; what was decoded is dropped again. Imports stages' values (`rows`, `observe`,
`infer`, `naming`) and msgspec.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
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


_decoder = msgspec.json.Decoder(float_hook=Lexeme)


def decode_exactly(raws: Sequence[msgspec.Raw]) -> list[Any]:
    """The values of raw JSON, with every number that has a fraction or an exponent as the `Lexeme` it was written as."""
    return list(map(_decoder.decode, raws))


def plan_columns(rows: RowSet) -> Plan:
    """The columns of a row set, from all of its values."""
    markers = frozenset(marker.decode() for marker in rows.markers)
    if rows.layout is Layout.OBJECTS:
        top = Observed(top=True)
        repeated = _observe_objects(rows, top, markers)
        if len(top.fields) > MAX_COLUMNS or not top.fields:
            return plan_columns(msgspec.structs.replace(rows, layout=Layout.VALUES, names=("value",)))
        return _plan(rows, list(top.fields), list(top.fields.values()), repeated)
    columns = [Observed() for _ in rows.names]
    for chunk in rows.chunks():
        values: list[list[Any]] = decode_exactly(rows.rows[chunk])
        if rows.layout is Layout.VALUES:
            columns[0].add(values, markers)
        else:
            for column, cells in zip(columns, zip_longest(*values), strict=False):
                column.add(cells, markers)
    return _plan(rows, rows.names, columns, frozenset())


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


def _observe_objects(rows: RowSet, top: Observed, markers: Collection[str]) -> frozenset[int]:
    """Observe every row; gives the numbers of the chunks in which some object has a key twice."""
    repeated: set[int] = set()
    before = 0
    for number, chunk in enumerate(rows.chunks()):
        raws = rows.rows[chunk]
        top.add(decode_exactly(raws), markers)
        members = top.total_members()
        if _may_repeat_keys(raws, members - before):
            repeated.add(number)
        before = members
    return frozenset(repeated)


def _may_repeat_keys(raws: Sequence[msgspec.Raw], members: int) -> bool:
    """False only where no object has a key twice.

    With white space taken out, each member's key ends in `":`. A string that begins with a colon and an escaped quote before one
    give those bytes too, so the count is never below the number of members in the text; where it equals the number of decoded
    members, none was lost.
    """
    return b",".join(raws).translate(None, b" \t\n\r").count(b'":') != members
