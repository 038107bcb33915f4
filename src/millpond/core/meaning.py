"""Meaning: what tables and columns are said to mean, by the configuration's notes and by the server's own schema.

Rule: the configuration comes first; texts of others are data, on one line and clipped; no text of either makes a result fail.
Imports `core.model`, `core.names`, `core.near`, `core.schema_texts` and the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from millpond.core.model import Column, Table, ToolNotes
from millpond.core.names import fold
from millpond.core.near import near_name
from millpond.core.schema_texts import Field, one_line, row_fields, texts_of_columns

MAX_COMMENT_CHARACTERS = 500
"""Of a table's or a column's comment: what one cell of an answer shows."""
MAX_COMMENTS = 64
"""Columns of a table that get one; each costs 0.2 ms, more in a wide table."""
VALUE_COLUMN = "value"
"""The one column of rows that are no objects: what is said of the row is said of it."""

_JSON = "JSON"
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


class Said(NamedTuple):
    """What the server says of one tool."""

    description: str
    schema: object
    """Its `outputSchema`, decoded; None where it has none."""


class Comments(NamedTuple):
    """What a table's comments say."""

    table: str
    """"" where there is nothing to say."""
    columns: tuple[tuple[str, str], ...]
    """(column, text), at most `MAX_COMMENTS`."""


class Stray(NamedTuple):
    """A note of the configuration that fits nothing of a result."""

    kind: str
    """`tables` or `columns`, as the configuration's table is called."""
    key: str
    near: str
    """A name of the result that may be meant, else ""."""


def comments(notes: ToolNotes | None, said: Said, table: Table) -> Comments:
    """The comments of a table that one result of a tool gave."""
    fields = row_fields(said.schema, table.path)
    theirs = texts_of_columns(fields)
    ours = _noted_columns(notes, table)
    found: dict[str, str] = {}
    for column in table.columns:
        key = column.renamed_from if column.renamed_from is not None else column.name
        text = theirs.get(key, "")
        if not text and len(table.columns) == 1 and column.name == VALUE_COLUMN:
            text = fields.get((), "")
        if both := _both("; ".join(ours.get(column.name, ())), text):
            found[column.name] = both
    first = sorted(found, key=lambda name: name not in ours)[:MAX_COMMENTS]
    left_out = f"; {len(found) - len(first)} more columns have descriptions" if len(found) > len(first) else ""
    own = "; ".join(_of_table(notes, table))
    text = _both(own, said.description)
    return Comments(f"{text}{left_out}".removeprefix("; "), tuple((name, found[name]) for name in first))


def about(notes: ToolNotes, table: Table) -> tuple[str, ...]:
    """What the configuration says of a table and its columns, for a handle."""
    columns = _noted_columns(notes, table)
    return (
        *_of_table(notes, table),
        *(f"{name}: {text}" for name, texts in columns.items() for text in texts),
    )


def stray(notes: ToolNotes, tables: Sequence[Table], known: Collection[str]) -> tuple[Stray, ...]:
    """The notes that fit nothing of a result. `known` are paths and fields that are right, though the result may lack them."""
    paths = [table.path for table in tables]
    names = list(_all_names(tables))
    return (
        *(
            Stray("tables", path, near_name(path, paths))
            for path, _ in notes.tables
            if path not in paths and path not in known
        ),
        *(
            Stray("columns", name, near_name(name, names))
            for name, _ in notes.columns
            if names and name not in known and not any(find_column(table, name) for table in tables)
        ),
    )


def schema_fields(said: Said, tables: Iterable[Table]) -> set[str]:
    """The fields, dotted, that the schema has for the rows of these tables."""
    return {".".join(field) for table in tables for field in row_fields(said.schema, table.path)}


def find_column(table: Table, name: str) -> tuple[Column, Field] | None:
    """The column that a note's name means and the field in it: `user.login` is a column of that name, or a field of `user`."""
    columns = {fold(key): column for column in table.columns for key in _keys(column)}
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        column = columns.get(fold(".".join(parts[:count])))
        if column is not None and _has_fields(column, parts[count:]):
            return column, tuple(parts[count:])
    return None


def _keys(column: Column) -> tuple[str, ...]:
    return (column.name,) if column.renamed_from is None else (column.renamed_from, column.name)


def _has_fields(column: Column, fields: Sequence[str]) -> bool:
    return not fields or column.type == _JSON or {fold(one) for one in fields} <= set(map(fold, _fields(column)))


def _fields(column: Column) -> list[str]:
    """The names of all fields in a column's type, however deep."""
    return [name.replace('""', '"') for name in _QUOTED.findall(column.type)]


def _all_names(tables: Iterable[Table]) -> Iterator[str]:
    for table in tables:
        for column in table.columns:
            yield column.name
            yield from (f"{column.name}.{field}" for field in _fields(column))


def _of_table(notes: ToolNotes | None, table: Table) -> tuple[str, ...]:
    if notes is None:
        return ()
    return tuple(filter(None, (notes.note, *(text for path, text in notes.tables if path == table.path))))


def _noted_columns(notes: ToolNotes | None, table: Table) -> Mapping[str, Sequence[str]]:
    """The notes on a table's columns, by column; those on a field within one name it."""
    found: dict[str, list[str]] = {}
    for name, text in notes.columns if notes is not None else ():
        place = find_column(table, name)
        if place is not None:
            column, fields = place
            found.setdefault(column.name, []).append(f"{name}: {text}" if fields else text)
    return found


def _both(ours: str, theirs: str) -> str:
    text = f"{ours} (the server says: {theirs})" if ours and theirs else ours or theirs
    return one_line(text, MAX_COMMENT_CHARACTERS)
