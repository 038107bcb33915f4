"""Replies: what the own tool answers, rows or a refusal, as the raw `result` value.

Rule: the answer stands in the first text block, what it leaves out in a second; the same for programs in `_meta`. Imports
`core.errors`, `core.export`, `core.steps` and msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from millpond.core.errors import Refusal
from millpond.core.export import Exported
from millpond.core.steps import LABEL

MAX_PIECE_CHARACTERS = 500
"""Of a long text, read piece by piece."""
MAX_CHARACTER_BYTES = 4
"""In UTF-8."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Rows that were asked for."""

    text: str
    columns: tuple[tuple[str, str], ...]
    """Names and DuckDB types."""
    rows: int
    truncated: bool
    total: int | None = None
    saved_as: str | None = None
    notes: Sequence[str] = ()
    exported: Exported | None = None
    """The file that holds the rows in place of the text."""


def answer_result(answer: Answer) -> bytes:
    """The `result` value for rows."""
    blocks = [answer.text, *(["\n".join(answer.notes)] if answer.notes else [])]
    meta: dict[str, Any] = {
        "columns": [{"name": name, "type": kind} for name, kind in answer.columns],
        "rows": answer.rows,
        "truncated": answer.truncated,
        "total": answer.total,
        "saved_as": answer.saved_as,
        "notes": list(answer.notes),
    }
    if answer.exported is not None:
        meta["exported"] = answer.exported
    content = [{"type": "text", "text": text} for text in blocks]
    return msgspec.json.encode({"content": content, "isError": False, "_meta": {"millpond/result": meta}})


def refusal_result(refusal: Refusal) -> bytes:
    """The `result` value of an own tool that refused."""
    text = f"{refusal.message}{LABEL}{refusal.step}" if refusal.step else refusal.message
    return msgspec.json.encode(
        {
            "content": [{"type": "text", "text": text}],
            "isError": True,
            "_meta": {"millpond/error": {"reason": refusal.reason}},
        }
    )


class Cuts(msgspec.Struct, frozen=True, kw_only=True):
    """What was left out of an answer."""

    rows: int
    """Rows that are there."""
    max_rows: int | None = None
    """The limit, where there were more rows."""
    answer_bytes: int | None = None
    """The limit, where more rows did not fit."""
    cells: int = 0
    names: int = 0
    cell_bytes: int = 0
    """Where cells and names were cut."""
    total: int | None = None
    """Rows in all, where that is known."""
    offset: int = 0
    """That the statement ends with: the rows that are there follow so many."""
    is_listing: bool = False
    """True where the statement shows or describes, and no ORDER BY or OFFSET can stand in it."""
    described: str = ""
    """Of such a statement, itself where it may stand in brackets behind FROM."""
    is_wide: bool = False
    """True where characters of more than a byte were shown."""
    is_kept: bool = False
    """True where the whole is in a table of its own, which is said elsewhere."""


def cut_notes(cuts: Cuts) -> list[str]:
    """What an answer leaves out, each with what to do about it."""
    notes: list[str] = []
    last = cuts.offset + cuts.rows
    rows = f"Only rows {cuts.offset + 1} to {last}" if cuts.offset else f"Only the first {cuts.rows} rows"
    rows += f" of {cuts.offset + cuts.total}" if cuts.total is not None else " of more"
    is_cut = cuts.answer_bytes is not None or cuts.max_rows is not None
    if is_cut and cuts.is_kept:
        notes.append(f"{rows} are shown.")
    elif cuts.answer_bytes is not None:
        notes.append(f"{rows}: the answer is full at {cuts.answer_bytes} bytes. {_more_bytes(cuts, last)}.")
    elif cuts.max_rows is not None:
        notes.append(f"{rows} (max_rows {cuts.max_rows}). {_more_rows(cuts, last)}.")
    if cuts.cells:
        piece = _piece_characters(cuts)
        cells = "1 cell is" if cuts.cells == 1 else f"{cuts.cells} cells are"
        notes.append(
            f"{cells} cut at {cuts.cell_bytes} bytes, marked with …. Select fewer columns, or read on in one with"
            f" substr(column::VARCHAR, 1, {piece}), substr(column::VARCHAR, {piece + 1}, {piece})."
        )
    if cuts.names:
        notes.append(f"Names of columns are cut at {cuts.cell_bytes} bytes. Name the columns with AS.")
    if not cuts.rows:
        notes.append("No rows.")
    return notes


def _more_rows(cuts: Cuts, last: int) -> str:
    """How the rows past `max_rows` are asked for."""
    if not cuts.is_listing:
        return f"Aggregate, or page with ORDER BY and OFFSET {last}"
    page = f", or page with {_paged(cuts, last)}" if cuts.described else ""
    return f"Set max_rows to {'more' if cuts.total is None else cuts.total}{page}"


def _more_bytes(cuts: Cuts, last: int) -> str:
    """How the rows that did not fit are asked for."""
    if not cuts.is_listing:
        return f"Select fewer columns, aggregate, or page with ORDER BY and OFFSET {last}"
    return (
        f"Page with {_paged(cuts, last)}"
        if cuts.described
        else "Ask about fewer columns, as SUMMARIZE SELECT a, b FROM t"
    )


def _paged(cuts: Cuts, last: int) -> str:
    return f"FROM ({cuts.described}) OFFSET {last}"


def _piece_characters(cuts: Cuts) -> int:
    """Characters of a text that fit a cell, whichever they are."""
    most = cuts.cell_bytes // MAX_CHARACTER_BYTES if cuts.is_wide else cuts.cell_bytes
    return max(min(most, MAX_PIECE_CHARACTERS), 1)
