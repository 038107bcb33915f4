"""File text: rows of an answer as the lines of a CSV or JSON Lines file.

Rule: every value is written whole and exactly, as an answer writes it, and where the format has no kind for it that is counted. Imports
`core.render` and msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from millpond.core.render import csv_cell, exact_json, plain


class FileText:
    """The text of one file, made piece by piece."""

    def __init__(self, form: Literal["csv", "jsonl"], names: Sequence[str]) -> None:
        """`names` are those of the columns, each once and none empty."""
        self._names = names
        self._line = self._csv if form == "csv" else self._json
        self.head = (",".join(map(csv_cell, names)) + "\n").encode() if form == "csv" else b""
        """What stands before the rows."""
        self.inexact: set[int] = set()
        """The columns of JSON with a value that is no exact number there, or none at all, and so is a string."""
        self.has_lost_null = False
        """True where a NULL looks as an empty text does: an empty line is no row, so a CSV of one column has none."""

    def lines(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """The lines of these rows."""
        return b"".join(map(self._line, rows))

    def _csv(self, row: Sequence[Any]) -> bytes:
        if len(row) == 1 and row[0] is None:
            self.has_lost_null = True
            return b'""\n'
        return (",".join("" if cell is None else csv_cell(plain(cell)) for cell in row) + "\n").encode()

    def _json(self, row: Sequence[Any]) -> bytes:
        cells = [
            cell if cell is None or isinstance(cell, str) else self._exact(at, cell) for at, cell in enumerate(row)
        ]
        return msgspec.json.encode(dict(zip(self._names, cells, strict=True))) + b"\n"

    def _exact(self, at: int, cell: Any) -> Any:
        if at not in self.inexact and _has_inexact(cell):
            self.inexact.add(at)
        return exact_json(cell)


def _has_inexact(value: Any) -> bool:
    """Whether a number is written as a string, at or below this value."""
    if isinstance(value, dict):
        return any(map(_has_inexact, value.values()))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]  # a cell
    if isinstance(value, (list, tuple)):
        return any(map(_has_inexact, value))  # pyright: ignore[reportUnknownArgumentType]  # a cell: any nested value
    return not isinstance(value, str) and isinstance(exact_json(value), str)
