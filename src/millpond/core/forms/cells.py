"""Tables in which everything is text: what of it are numbers, and how they are written as JSON.

Rule: a column is numbers only where every cell that is not empty is a canonical JSON number; `007`, `+1`, `1,5`, dates
and versions are text. Imports `core.relaxed`, `forms.text`, msgspec and the standard
library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from millpond.core.forms.text import json_string
from millpond.core.relaxed import MAX_INTEGER_DIGITS

CHUNK_ROWS = 4096
"""Rows held as Python values at a time."""

_number = rf"-?(?:0|[1-9][0-9]{{0,{MAX_INTEGER_DIGITS - 1}}}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?+"
_numbers_or_empty = re.compile(rf"(?:(?:{_number})?+\n)*+")
_is_number = re.compile(_number)
_encoder = msgspec.json.Encoder()


class NumberColumns:
    """Which columns hold numbers only, over rows that are seen a chunk at a time."""

    def __init__(self, width: int) -> None:
        self._maybe = set(range(width))
        self._filled: set[int] = set()

    def add(self, rows: Sequence[Sequence[str]]) -> None:
        """See further rows, each of the width given."""
        columns = list(zip(*rows, strict=True))
        for at in tuple(self._maybe):
            cells = columns[at]
            joined = "\n".join((*cells, ""))
            if joined.count("\n") != len(cells) or _numbers_or_empty.fullmatch(joined) is None:
                self._maybe.discard(at)
            elif len(joined) > len(cells):
                self._filled.add(at)

    def found(self) -> frozenset[int]:
        """The columns, by position from 0: no cell is anything else, and at least one is not empty."""
        return frozenset(self._maybe & self._filled)


def is_number(cell: str) -> bool:
    """Whether a cell is a canonical JSON number of at most 4,000 digits before the point."""
    return _is_number.fullmatch(cell) is not None


def encode_rows(rows: Sequence[Sequence[str]], numbers: frozenset[int]) -> bytes:
    """The rows as JSON lists with commas between, without the brackets around them; empty cells of numbers are null."""
    if not numbers:
        return _encoder.encode(rows)[1:-1]
    columns: list[Iterable[object]] = list(zip(*rows, strict=True))
    for at in numbers:
        columns[at] = [msgspec.Raw(str(cell)) if cell else None for cell in columns[at]]
    return _encoder.encode(list(zip(*columns, strict=True)))[1:-1]


def encode_table(names: Iterable[str], parts: Iterable[bytes]) -> bytes:
    """The table of encoded rows as `{"columns": [...], "rows": [...]}`: the shape that keeps names that occur twice."""
    columns = ",".join(map(json_string, names)).encode()
    return b'{"columns":[' + columns + b'],"rows":[' + b",".join(parts) + b"]}"
