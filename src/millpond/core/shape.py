"""Shape: a JSON value becomes row sets, each with its JSON path.

Rule: every list that holds rows becomes a row set, none is chosen for the agent; nothing is decoded deeper than it takes to find
them. Imports `core.layout`, `core.leaves`, `core.raw`, `core.rows` and msgspec only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from millpond.core.layout import MANY_MEMBERS, Laid, columns_and_rows, is_map_of_rows, lay_out
from millpond.core.leaves import read_leaves
from millpond.core.raw import ARRAY, OBJECT, STRING, child_path, first_byte, read_elements, read_members, read_string
from millpond.core.rows import Layout, RowSet

MAX_WRAPPER_DEPTH = 8
"""Objects opened on the way to a list; deeper ones are leaves. `$.data.repository.issues.nodes` needs 4."""
MAX_LISTS = 64
"""Lists made into tables from one result; where there are more, the object is read as leaves."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one JSON document."""

    row_sets: tuple[RowSet, ...]
    has_rows: bool
    """True where the lists hold at least half of the document: it is an answer of rows, not one record that has lists."""
    rest: tuple[tuple[str, msgspec.Raw], ...] = ()
    """Scalars beside the lists, as (path, JSON text): totals, cursors."""
    empty: tuple[str, ...] = ()
    """Paths of lists without elements: there is nothing to make columns of."""


class _Found:
    """What one walk collects."""

    def __init__(self, markers: Mapping[bytes, bytes]) -> None:
        self.markers = markers
        self.row_sets: list[RowSet] = []
        self.rest: list[tuple[str, msgspec.Raw]] = []
        self.empty: list[str] = []
        self.size_bytes = 0

    def add(self, path: str, laid: Laid, size_bytes: int, keys: Sequence[str] | None = None) -> None:
        layout, names, rows = laid
        self.row_sets.append(RowSet(path=path, layout=layout, rows=rows, keys=keys, names=names, markers=self.markers))
        self.size_bytes += size_bytes

    def take(self, other: _Found) -> None:
        """Add what another walk collected."""
        self.row_sets += other.row_sets
        self.rest += other.rest
        self.empty += other.empty
        self.size_bytes += other.size_bytes

    def is_full(self) -> bool:
        """True where there are more lists than become tables: nothing of this walk counts."""
        return len(self.row_sets) > MAX_LISTS

    def objects_bytes(self) -> int:
        """Bytes of the rows that are objects."""
        found = (rows.rows for rows in self.row_sets if rows.layout is Layout.OBJECTS)
        return sum(sum(map(len, rows)) for rows in found)


def shape(document: bytes | memoryview | msgspec.Raw, markers: Mapping[bytes, bytes], root: str = "$") -> Shape:
    """The row sets of a strict JSON document.

    `root` is the path of the document in the result. Raises `msgspec.DecodeError` where the document is not strict JSON.
    """
    found = _Found(markers)
    raw = document if isinstance(document, msgspec.Raw) else msgspec.json.decode(document, type=msgspec.Raw)
    _walk(raw, root, 0, found)
    has_rows = bool(found.row_sets) and 2 * found.size_bytes >= len(raw)
    if found.is_full():
        return Shape(row_sets=(_leaf_set(raw, root, markers),), has_rows=True)
    if has_rows:
        return Shape(row_sets=tuple(found.row_sets), has_rows=True, rest=tuple(found.rest), empty=tuple(found.empty))
    leaf_sets = (_leaf_set(raw, root, markers),) if first_byte(raw) in (OBJECT, ARRAY) else ()
    return Shape(row_sets=(*leaf_sets, *found.row_sets), has_rows=False, empty=tuple(found.empty))


def _leaf_set(raw: msgspec.Raw, root: str, markers: Mapping[bytes, bytes]) -> RowSet:
    rows = read_leaves(raw, root)
    return RowSet(path=root, layout=Layout.ARRAYS, rows=rows, names=("path", "value"), markers=markers)


def _walk(raw: msgspec.Raw, path: str, depth: int, found: _Found) -> None:
    kind = first_byte(raw)
    if kind == ARRAY:
        _walk_list(raw, path, depth, found)
    elif kind == OBJECT and depth < MAX_WRAPPER_DEPTH:
        _walk_object(raw, path, depth, found)
    elif kind == STRING and (inner := _json_in_string(raw)) is not None and depth < MAX_WRAPPER_DEPTH:
        before = found.size_bytes
        _walk(inner, path, depth + 1, found)
        if found.size_bytes > before:  # escaped text is longer than what it holds: count what the document spends on it
            found.size_bytes += max(len(raw) - len(inner), 0)
    elif kind != OBJECT and depth:
        found.rest.append((path, raw))


def _walk_list(raw: msgspec.Raw, path: str, depth: int, found: _Found) -> None:
    rows = read_elements(raw)
    if not rows:
        found.empty.append(path)
    elif depth < MAX_WRAPPER_DEPTH and _are_pages(rows):
        for at, row in enumerate(rows):
            _walk(row, f"{path}[{at}]", depth + 1, found)
    else:
        found.add(path, lay_out(rows), len(raw))


def _are_pages(rows: Sequence[msgspec.Raw]) -> bool:
    """Whether a short list is no row set but holds some: lists of objects make up at least half of it."""
    if len(rows) > MAX_LISTS:
        return False
    lists = (row for row in rows if first_byte(row) == ARRAY)
    pages = (row for row in lists if {first_byte(element) for element in read_elements(row)} == {OBJECT})
    return 2 * sum(map(len, pages)) >= sum(map(len, rows))


def _walk_object(raw: msgspec.Raw, path: str, depth: int, found: _Found) -> None:
    members = read_members(raw)
    named = columns_and_rows(members)
    if named is not None:
        found.add(path, named.laid, len(raw))
        _walk_members({key: members[key] for key in members if key not in named.members}, path, depth, found)
    elif is_map_of_rows(members):
        _read_map(raw, members, path, depth, found)
    else:
        _walk_members(members, path, depth, found)


def _walk_members(members: Mapping[str, msgspec.Raw], path: str, depth: int, found: _Found) -> None:
    for key, value in members.items():
        if found.is_full():
            break
        _walk(value, child_path(path, key), depth + 1, found)


def _read_map(raw: msgspec.Raw, members: Mapping[str, msgspec.Raw], path: str, depth: int, found: _Found) -> None:
    """A map of rows; but a few members that hold little else than lists of objects are wrappers of these."""
    if len(members) < MANY_MEMBERS:
        inside = _Found(found.markers)
        _walk_members(members, path, depth, inside)
        if 2 * inside.objects_bytes() >= len(raw):
            found.take(inside)
            return
    found.add(path, lay_out(list(members.values())), len(raw), keys=list(members))


def _json_in_string(raw: msgspec.Raw) -> msgspec.Raw | None:
    """The JSON list or object that a string holds, where the whole string is one."""
    head = bytes(memoryview(raw)[1:40]).lstrip(b" \\nrt")
    if head[:1] not in (b"[", b"{"):
        return None
    text = read_string(raw)
    try:
        return msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return None
