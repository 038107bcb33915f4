"""Shape: a JSON value becomes row sets, each with its JSON path.

Rule: every list that holds rows becomes a row set, none is chosen for the agent; nothing is decoded deeper than it takes to find
them. Imports `core.raw`, `core.rows` and msgspec only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from millpond.core.raw import (
    ARRAY,
    NULL,
    OBJECT,
    STRING,
    child_path,
    first_byte,
    read_elements,
    read_members,
    read_string,
)
from millpond.core.rows import Layout, RowSet

MAX_WRAPPER_DEPTH = 8
"""Objects opened on the way to a list; deeper ones are leaves. `$.data.repository.issues.nodes` needs 4."""
MAX_LISTS = 64
"""Lists made into tables from one result; where there are more, the object is read as leaves."""
MAX_ARRAY_WIDTH = 2_000
"""Columns made from a list of lists; longer inner lists stay one LIST column."""
MANY_MEMBERS = 10
"""Members from which an object of like objects is a map of rows, though their keys differ a little."""
LIKE_MEMBERS = 3
"""Members from which an object of objects with identical keys is a map of rows."""
MAX_LEAF_DEPTH = 64
"""Depth to which leaves are listed; what lies deeper is one leaf holding its JSON text."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one JSON document."""

    row_sets: tuple[RowSet, ...]
    has_rows: bool
    """True where the lists hold at least half of the document: it is an answer of rows, not one record that has lists."""
    rest: tuple[tuple[str, str], ...] = ()
    """Scalars beside the lists, as (path, JSON text): totals, cursors."""
    empty: tuple[str, ...] = ()
    """Paths of lists without elements: there is nothing to make columns of."""


class _Found:
    """What one walk collects."""

    def __init__(self, markers: Mapping[bytes, bytes]) -> None:
        self.markers = markers
        self.row_sets: list[RowSet] = []
        self.rest: list[tuple[str, str]] = []
        self.empty: list[str] = []
        self.size_bytes = 0

    def add(self, path: str, rows: Sequence[msgspec.Raw], size_bytes: int, keys: Sequence[str] | None = None) -> None:
        layout, names = _layout(rows)
        self.row_sets.append(RowSet(path=path, layout=layout, rows=rows, keys=keys, names=names, markers=self.markers))
        self.size_bytes += size_bytes


def shape(document: bytes | memoryview | msgspec.Raw, markers: Mapping[bytes, bytes], root: str = "$") -> Shape:
    """The row sets of a strict JSON document.

    `root` is the path of the document in the result. Raises `msgspec.DecodeError` where the document is not strict JSON.
    """
    found = _Found(markers)
    raw = document if isinstance(document, msgspec.Raw) else msgspec.json.decode(document, type=msgspec.Raw)
    _walk(raw, root, 0, found)
    has_rows = bool(found.row_sets) and 2 * found.size_bytes >= len(raw)
    many = len(found.row_sets) > MAX_LISTS
    if many or not has_rows:
        leaves = tuple(_leaves(raw, root, 0)) if first_byte(raw) == OBJECT else ()
        leaf_set = _leaf_set(root, leaves, markers)
        return Shape(
            row_sets=leaf_set if many else (*found.row_sets, *leaf_set), has_rows=many, empty=tuple(found.empty)
        )
    return Shape(row_sets=tuple(found.row_sets), has_rows=True, rest=tuple(found.rest), empty=tuple(found.empty))


def _walk(raw: msgspec.Raw, path: str, depth: int, found: _Found) -> None:
    kind = first_byte(raw)
    if kind == ARRAY:
        rows = read_elements(raw)
        if rows:
            found.add(path, rows, len(raw))
        else:
            found.empty.append(path)
    elif kind == OBJECT and depth < MAX_WRAPPER_DEPTH:
        _walk_object(raw, path, depth, found)
    elif kind == STRING and (inner := _json_in_string(raw)) is not None and depth < MAX_WRAPPER_DEPTH:
        before = found.size_bytes
        _walk(inner, path, depth + 1, found)
        if found.size_bytes > before:  # escaped text is longer than what it holds: count what the document spends on it
            found.size_bytes += max(len(raw) - len(inner), 0)
    elif kind != OBJECT and depth:
        found.rest.append((path, str(memoryview(raw)[:200], "utf-8", "replace") + ("…" if len(raw) > 200 else "")))


def _walk_object(raw: msgspec.Raw, path: str, depth: int, found: _Found) -> None:
    members = read_members(raw)
    if (table := _columns_and_rows(members)) is not None:
        names, rows = table
        found.row_sets.append(RowSet(path=path, layout=Layout.ARRAYS, rows=rows, names=names, markers=found.markers))
        found.size_bytes += len(raw)
        return
    if _is_map_of_rows(members):
        found.add(path, list(members.values()), len(raw), keys=list(members))
        return
    for key, value in members.items():
        _walk(value, child_path(path, key), depth + 1, found)


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


def _columns_and_rows(members: Mapping[str, msgspec.Raw]) -> tuple[tuple[str, ...], list[msgspec.Raw]] | None:
    """The names and rows of `{"columns": [...], "rows": [[...], ...]}`, where every row is a list no longer than the names."""
    columns, rows = members.get("columns"), members.get("rows", members.get("data"))
    if columns is None or rows is None or first_byte(columns) != ARRAY or first_byte(rows) != ARRAY:
        return None
    names: list[str] = []
    for column in read_elements(columns):
        name = read_members(column).get("name") if first_byte(column) == OBJECT else column
        if name is None or first_byte(name) != STRING:
            return None
        names.append(read_string(name))
    values = read_elements(rows)
    if not names or any(first_byte(row) != ARRAY for row in values):
        return None
    if any(len(read_elements(row)) > len(names) for row in values):
        return None
    return tuple(names), values


def _is_map_of_rows(members: Mapping[str, msgspec.Raw]) -> bool:
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
    return len(members) >= MANY_MEMBERS and 2 * shared >= len(union) * len(key_sets)


def _layout(rows: Sequence[msgspec.Raw]) -> tuple[Layout, tuple[str, ...]]:
    kinds = set(map(first_byte, rows))
    if kinds <= {OBJECT, NULL} and OBJECT in kinds:
        return Layout.OBJECTS, ()
    if kinds == {ARRAY}:
        widths = {len(read_elements(row)) for row in rows}
        if len(widths) == 1 and 0 < (width := widths.pop()) <= MAX_ARRAY_WIDTH:
            return Layout.ARRAYS, tuple(f"column{at}" for at in range(width))
    return Layout.VALUES, ("value",)


def _leaf_set(root: str, leaves: tuple[tuple[str, bytes], ...], markers: Mapping[bytes, bytes]) -> tuple[RowSet, ...]:
    if not leaves:
        return ()
    rows = [msgspec.Raw(b"[" + msgspec.json.encode(path) + b"," + value + b"]") for path, value in leaves]
    return (RowSet(path=root, layout=Layout.ARRAYS, rows=rows, names=("path", "value"), markers=markers),)


def _leaves(raw: msgspec.Raw, path: str, depth: int) -> Iterator[tuple[str, bytes]]:
    kind = first_byte(raw)
    if depth >= MAX_LEAF_DEPTH or kind not in (OBJECT, ARRAY):
        text = bytes(raw)
        yield path, text if kind not in (OBJECT, ARRAY) else msgspec.json.encode(text.decode())
        return
    if kind == OBJECT:
        members = read_members(raw)
        for key, value in members.items():
            yield from _leaves(value, child_path(path, key), depth + 1)
    else:
        elements = read_elements(raw)
        for at, value in enumerate(elements):
            yield from _leaves(value, f"{path}[{at}]", depth + 1)
        members = elements
    if not members:
        yield path, b'"{}"' if kind == OBJECT else b'"[]"'
