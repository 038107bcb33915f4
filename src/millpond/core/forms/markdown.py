"""Tables of a Markdown text, with short prose around them.

Rule: a header, a rule of dashes of the same width, rows; a row with more cells than the header makes the text no
table, since a cell would be lost. Imports `forms.cells`, `forms.text` and the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from millpond.core.forms.cells import CHUNK_ROWS, NumberColumns, encode_rows, encode_table
from millpond.core.forms.text import Form, FormText, is_around, prose_note

_rule_cell = re.compile(r":?-+:?")
_pipe = re.compile(r"(?<!\\)\|")


class _Found:
    """One table: its header, and its rows of the same width."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.rows: list[list[str]] = []


def read_markdown(text: str) -> FormText | None:
    """The form of a text that is one or more tables; several become the members `table_1`, `table_2` and so on."""
    if "|" not in text or "-" not in text:
        return None
    lines = text.split("\n")
    tables: list[_Found] = []
    prose: list[str] = []
    at = 0
    while at < len(lines):
        table = _header(lines, at)
        if table is None:
            prose.append(lines[at])
            at += 1
            continue
        at = _fill(table, lines, at + 2)
        if at < 0 or not table.rows:
            return None
        tables.append(table)
    around = "\n".join(prose).strip()
    if not tables or not is_around(len(around), len(text) - len(around)):
        return None
    return FormText(form=Form.MARKDOWN, json=_encode(tables), notes=prose_note(around))


def _header(lines: Sequence[str], at: int) -> _Found | None:
    """The table that begins at this line, still without rows."""
    if "|" not in lines[at] or at + 1 == len(lines) or "|" not in lines[at + 1]:
        return None
    names, rule = _cells(lines[at]), _cells(lines[at + 1])
    if len(names) != len(rule) or not all(map(_rule_cell.fullmatch, rule)) or not any(names):
        return None
    return _Found(names)


def _fill(table: _Found, lines: Sequence[str], at: int) -> int:
    """Give the table its rows, and return where they end; negative where one has too many cells."""
    width = len(table.names)
    while at < len(lines) and "|" in lines[at]:
        cells = _cells(lines[at])
        if len(cells) > width:
            return -1
        table.rows.append(cells + [""] * (width - len(cells)))
        at += 1
    return at


def _cells(line: str) -> list[str]:
    cells = _pipe.split(line.strip().removeprefix("|"))
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()  # what follows the pipe at the end of the line
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _encode(tables: Sequence[_Found]) -> bytes:
    if len(tables) == 1:
        return _encode_one(tables[0])
    members = (b'"table_%d":' % number + _encode_one(table) for number, table in enumerate(tables, 1))
    return b"{" + b",".join(members) + b"}"


def _encode_one(table: _Found) -> bytes:
    numbers = NumberColumns(len(table.names))
    chunks = [table.rows[start : start + CHUNK_ROWS] for start in range(0, len(table.rows), CHUNK_ROWS)]
    for chunk in chunks:
        numbers.add(chunk)
    found = numbers.found()
    return encode_table(table.names, (encode_rows(chunk, found) for chunk in chunks))
