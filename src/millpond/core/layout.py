"""Layout: how the elements of a list, or the members of an object, are rows.

Rule: one list at a time, looked at whole; nothing is decoded deeper than it takes to tell. Imports `core.raw`, `core.rows` and msgspec
only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from millpond.core.raw import ARRAY, NULL, OBJECT, STRING, first_byte, read_elements, read_members, read_string
from millpond.core.rows import Layout

MAX_ARRAY_WIDTH = 2_000
"""Columns made from a list of lists; longer inner lists stay one LIST column."""
MANY_MEMBERS = 10
"""Members from which an object of like objects is a map of rows, though their keys differ a little."""
MEMBERS_A_KEY = 10
"""So many times more members than different keys in them are rows too, however few keys each has."""
LIKE_MEMBERS = 3
"""Members from which an object of objects with identical keys is a map of rows."""
MAX_NAME_BYTES = 100
"""Of a text that may be a name in a header."""
LEAST_RECORDS = 2
"""Lists below one that is taken for their header."""

_NAMES = ("columns", "fields", "headers", "header")
_RECORDS = ("rows", "data", "values")
_number_like = re.compile(rb"-?[0-9]|\"[-+]?[0-9][0-9.,]*+\"|true|false")
_data_like = re.compile(r"[-+\d.,:/ ]*")


class Laid(NamedTuple):
    """Rows and how they give their cells."""

    layout: Layout
    names: tuple[str, ...]
    """For `ARRAYS`, the columns' names; for `VALUES`, the one name."""
    rows: Sequence[msgspec.Raw]


def lay_out(rows: Sequence[msgspec.Raw]) -> Laid:
    """The layout of a list's elements, of which there is at least one."""
    kinds = set(map(first_byte, rows))
    if kinds <= {OBJECT, NULL} and OBJECT in kinds:
        return Laid(Layout.OBJECTS, (), rows)
    if kinds == {ARRAY}:
        if (names := _header(rows)) is not None:
            return Laid(Layout.ARRAYS, names, rows[1:])
        widths = {len(read_elements(row)) for row in rows}
        if len(widths) == 1 and 0 < (width := widths.pop()) <= MAX_ARRAY_WIDTH:
            return Laid(Layout.ARRAYS, tuple(f"column{at}" for at in range(width)), rows)
    return Laid(Layout.VALUES, ("value",), rows)


def _header(rows: Sequence[msgspec.Raw]) -> tuple[str, ...] | None:
    """The first of several lists where it names the others' cells: distinct words, and below one of them only numbers or booleans.

    A text of digits counts as a number here, as it stands below a word.
    """
    head = read_elements(rows[0])
    if len(rows) <= LEAST_RECORDS or not head or len(head) > MAX_ARRAY_WIDTH or not all(map(_may_be_name, head)):
        return None
    names = tuple(map(read_string, head))
    if len(set(names)) < len(names) or any(map(_data_like.fullmatch, names)):
        return None
    return names if _has_column_of_numbers(rows[1:], len(names)) else None


def _may_be_name(raw: msgspec.Raw) -> bool:
    return first_byte(raw) == STRING and len(raw) <= MAX_NAME_BYTES


def _has_column_of_numbers(rows: Sequence[msgspec.Raw], width: int) -> bool:
    """Whether some cell is a number in every row that has it; False, too, where a row is wider than that."""
    candidates, filled = set(range(width)), set[int]()
    for row in rows:
        cells = read_elements(row)
        if len(cells) > width:
            return False
        for at in tuple(candidates):
            if at >= len(cells) or first_byte(cells[at]) == NULL:
                continue
            if _number_like.match(cells[at]):
                filled.add(at)
            else:
                candidates.discard(at)
        if not candidates:
            return False
    return bool(candidates & filled)


class Named(NamedTuple):
    """Rows that stand beside their names in one object."""

    laid: Laid
    members: frozenset[str]
    """The two members that they are made of."""


def columns_and_rows(members: Mapping[str, msgspec.Raw]) -> Named | None:
    """The names and rows of `{"columns": [...], "rows": [[...], ...]}`, where every row is a list no longer than the names."""
    columns = next((key for key in _NAMES if key in members), None)
    records = next((key for key in _RECORDS if key in members), None)
    if columns is None or records is None or {first_byte(members[key]) for key in (columns, records)} != {ARRAY}:
        return None
    names = [_name_of(column) for column in read_elements(members[columns])]
    known = tuple(name for name in names if name is not None)
    rows = read_elements(members[records])
    if not known or len(known) < len(names) or any(first_byte(row) != ARRAY for row in rows):
        return None
    if any(len(read_elements(row)) > len(names) for row in rows):
        return None
    return Named(Laid(Layout.ARRAYS, known, rows), frozenset((columns, records)))


def _name_of(column: msgspec.Raw) -> str | None:
    """The name that a column's text or object tells."""
    name = read_members(column).get("name") if first_byte(column) == OBJECT else column
    return None if name is None or first_byte(name) != STRING else read_string(name)


def is_map_of_rows(members: Mapping[str, msgspec.Raw]) -> bool:
    """True for an object of many like objects: `{"NOR": {...}, "SWE": {...}, ...}`."""
    if len(members) < LIKE_MEMBERS or any(first_byte(value) != OBJECT for value in members.values()):
        return False
    key_sets = [frozenset(read_members(value)) for value in members.values()]
    union = frozenset[str]().union(*key_sets)
    if not union:
        return False
    if all(keys == union for keys in key_sets):
        return True
    shared = sum(map(len, key_sets))
    return len(members) >= MANY_MEMBERS and (
        2 * shared >= len(union) * len(key_sets) or len(members) >= MEMBERS_A_KEY * len(union)
    )
