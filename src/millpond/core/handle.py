"""Handle: the short text that stands in for a large result, and the same facts for programs.

Rule: what was kept and what was not is always said; the preview gives way first, then the columns' list, each cut disclosed; every
SQL it prints runs as printed. Imports `core.model`, `core.preview`, `core.tokens` and msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from millpond.core.model import Column, Table
from millpond.core.preview import Preview
from millpond.core.sql import printed_name
from millpond.core.tokens import estimate_tokens

PREVIEW_ROWS = 3
"""Rows of the first table that a handle shows at most; they are for the eye, never for counting."""
MAX_TABLES_LISTED = 12
"""Tables that a handle lists with their columns; the others are in `calls`."""


class HandleText(msgspec.Struct, frozen=True, kw_only=True):
    """All that a handle is made of."""

    canvas: str
    call: int
    bytes: int
    query_tool: str
    tables: tuple[Table, ...]
    previews: tuple[Preview, ...]
    """One for each table, in the same order."""
    notes: tuple[str, ...] = ()
    rest: tuple[tuple[str, str], ...] = ()
    empty: tuple[str, ...] = ()


def handle_text(handle: HandleText, max_tokens: int) -> str:
    """The text block of a handle, at most `max_tokens` by estimate where that leaves its first line and the tables' names."""
    for rows, columns in ((PREVIEW_ROWS, 40), (2, 40), (1, 40), (1, 24), (0, 24), (0, 12), (0, 6)):
        text = _compose(handle, rows, columns)
        if estimate_tokens(text) <= max_tokens:
            return text
    return text


def handle_meta(handle: HandleText) -> dict[str, object]:
    """The value of `_meta["millpond/handle"]`."""
    return {
        "canvas": handle.canvas,
        "call": handle.call,
        "bytes": handle.bytes,
        "note": "; ".join(handle.notes) or None,
        "tables": [
            {
                "name": table.name,
                "path": table.path,
                "rows": table.rows,
                "columns": [
                    {"name": c.name, "type": c.type, "exact": c.exact, "renamed_from": c.renamed_from}
                    for c in table.columns
                ],
            }
            for table in handle.tables
        ],
    }


def _compose(handle: HandleText, preview_rows: int, columns: int) -> str:
    lines: list[str] = []
    if handle.tables:
        first = handle.tables[0]
        size = human_size(handle.bytes)
        lines.append(
            f"{first.rows} {_plural('row', first.rows)} in {first.name} (from {first.path}; {size} kept out of the"
            f" conversation). Ask with {handle.query_tool}:"
        )
        lines.append(f"  {handle.previews[0].example.format(table=printed_name(first.name))}")
        lines.append(column_line(first.columns, columns))
        lines.extend(_preview_lines(handle.previews[0], preview_rows, min(columns, len(first.columns))))
        lines.extend(_other_tables(handle.tables[1:], max(columns // 2, 6)))
    else:
        lines.append(
            f"{human_size(handle.bytes)} kept out of the conversation; no rows in it to make a table of. Read it with"
            f" {handle.query_tool}:"
        )
        lines.append(f"  SELECT part, substr(text, 1, 500) FROM results WHERE call = {handle.call}")
    lines.extend(_what_else(handle))
    return "\n".join(lines)


def _other_tables(tables: Sequence[Table], columns: int) -> list[str]:
    lines = [
        f"also {table.rows} {_plural('row', table.rows)} in {table.name} (from {table.path}):"
        f" {column_line(table.columns, columns)}"
        for table in tables[: MAX_TABLES_LISTED - 1]
    ]
    if len(tables) >= MAX_TABLES_LISTED:
        lines.append(f"and {len(tables) - MAX_TABLES_LISTED + 1} tables more: SELECT tables FROM calls")
    return lines


def column_line(columns: Sequence[Column], most: int) -> str:
    """The columns with their types in one line; past `most`, where to find the others."""
    shown = " | ".join(map(_column, columns[:most]))
    return shown if len(columns) <= most else f"{shown} | and {len(columns) - most} columns more: DESCRIBE lists all"


def _column(column: Column) -> str:
    text = f"{printed_name(column.name)} {_short_type(column.type)}"
    if column.note:
        text += f" {column.note}"
    if column.renamed_from is not None:
        text += f" (key {msgspec.json.encode(column.renamed_from[:40]).decode()})"
    return text


def _short_type(sql: str) -> str:
    """`STRUCT {login, id}` for `STRUCT("login" VARCHAR, "id" BIGINT)`, `LIST {name}` for a list of them."""
    lists = 0
    while sql.endswith("[]"):
        sql, lists = sql[:-2], lists + 1
    if sql.startswith("STRUCT("):
        names = _field_names(sql)
        inner = "{" + ", ".join(names[:8]) + (", …" if len(names) > 8 else "") + "}"
        sql = f"STRUCT {inner}" if not lists else inner
    elif lists:
        sql = f"of {sql}"
    return "LIST " * lists + sql


def _field_names(sql: str) -> list[str]:
    """The names of a STRUCT's own fields, from its type as `core.infer` writes it."""
    names: list[str] = []
    depth, at = 0, len("STRUCT")
    expects_name = False
    while at < len(sql):
        char = sql[at]
        if char == '"':
            end = at + 1
            while sql[end] != '"' or sql[end + 1 : end + 2] == '"':
                end += 2 if sql[end] == '"' else 1
            if expects_name and depth == 1:
                names.append(sql[at + 1 : end].replace('""', '"'))
            expects_name, at = False, end
        elif char in "()":
            depth += 1 if char == "(" else -1
            expects_name = char == "(" and depth == 1
        elif char == "," and depth == 1:
            expects_name = True
        at += 1
    return names


def _preview_lines(preview: Preview, rows: int, columns: int) -> list[str]:
    shown = preview.rows[:rows]
    if not shown:
        return []
    head = "first row:" if len(shown) == 1 else f"first {len(shown)} rows:"
    return [head, *(" | ".join(row[:columns]) for row in shown)]


def _what_else(handle: HandleText) -> list[str]:
    lines: list[str] = []
    if handle.rest:
        shown = ", ".join(f"{path} = {text[:60]}" for path, text in handle.rest[:6])
        more = f", and {len(handle.rest) - 6} more" if len(handle.rest) > 6 else ""
        lines.append(f"beside the rows: {shown}{more}")
    if handle.empty:
        lines.append("empty lists: " + ", ".join(handle.empty[:6]) + (", …" if len(handle.empty) > 6 else ""))
    lines.extend(f"note: {note}" for note in handle.notes)
    return lines


def human_size(size_bytes: int) -> str:
    """A size for the eye: `91 KB`, `1.4 MB` (1 KB is 1,024 bytes)."""
    if size_bytes < 1024:
        return f"{size_bytes} bytes"
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.0f} KB"
    return f"{size_bytes / 1024 / 1024:.1f} MB"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
