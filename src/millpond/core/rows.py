"""Row sets: the lists found in a result, still as raw JSON, with what it takes to name and to load them.

Rule: values only; a cell is a slice of the result's own text. Imports msgspec and the standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

FIRST_CHUNK_ROWS = 1024
"""Of the first chunks: what comes first is loaded while the rest is still being observed."""
FIRST_CHUNKS = 4
MAX_CHUNK_ROWS = 2048
"""Rows decoded or loaded at a time: 2,048 to 8,192 is where DuckDB's `from_json` is fastest."""
MAX_CHUNK_BYTES = 4 << 20
"""Bytes of raw rows decoded or loaded at a time, so that memory grows by steps and not with the result."""


class Layout(StrEnum):
    """How the rows of a set give their cells."""

    OBJECTS = "objects"
    """Each row is an object (or null): a column for each key."""
    ARRAYS = "arrays"
    """Each row is a list: the columns are `names`."""
    VALUES = "values"
    """Each row is one value: a single column."""


class RowSet(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one list of a result."""

    path: str
    """JSON path of the list: `$.items`."""
    layout: Layout
    rows: Sequence[msgspec.Raw]
    keys: Sequence[str] | None = None
    """For a map of like objects, the key of each row: they become the column `_key`."""
    names: tuple[str, ...] = ()
    """For `ARRAYS`, the columns' names as they came; for `VALUES`, the one name."""
    markers: Mapping[bytes, bytes] = msgspec.field(default_factory=dict[bytes, bytes])
    """Number lexemes that stand in the raw text for what strict JSON has no word for: `{b"0e91": b"NaN"}`."""

    def chunks(self) -> Iterator[slice]:
        """Consecutive slices of the rows, each within `MAX_CHUNK_ROWS` and, but for a single row, `MAX_CHUNK_BYTES`."""
        start = size = number = 0
        most_rows = FIRST_CHUNK_ROWS
        for at, length in enumerate(map(len, self.rows)):
            if at > start and (at - start == most_rows or size + length > MAX_CHUNK_BYTES):
                yield slice(start, at)
                start, size, number = at, 0, number + 1
                most_rows = FIRST_CHUNK_ROWS if number < FIRST_CHUNKS else MAX_CHUNK_ROWS
            size += length
        if start < len(self.rows):
            yield slice(start, len(self.rows))


def restore(text: bytes, markers: Mapping[bytes, bytes]) -> bytes:
    """Put back what the markers stand for."""
    for marker, token in markers.items():
        text = text.replace(marker, token)
    return text


def join_rows(rows: Sequence[Any], markers: Mapping[bytes, bytes]) -> str:
    """The JSON text of a list of raw values."""
    return str(restore(b"[" + b",".join(rows) + b"]", markers), "utf-8")
