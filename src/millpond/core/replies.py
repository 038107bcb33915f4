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
    is_kept: bool = False
    """True where the whole is in a table of its own, which is said elsewhere."""


def cut_notes(cuts: Cuts) -> list[str]:
    """What an answer leaves out, each with what to do about it."""
    notes: list[str] = []
    last = cuts.offset + cuts.rows
    rows = f"Only rows {cuts.offset + 1} to {last}" if cuts.offset else f"Only the first {cuts.rows} rows"
    rows += f" of {cuts.offset + cuts.total}" if cuts.total is not None else " of more"
    page = f"page with ORDER BY and OFFSET {last}"
    is_cut = cuts.answer_bytes is not None or cuts.max_rows is not None
    if is_cut and cuts.is_kept:
        notes.append(f"{rows} are shown.")
    elif cuts.answer_bytes is not None:
        notes.append(
            f"{rows}: the answer is full at {cuts.answer_bytes} bytes. Select fewer columns, aggregate, or {page}."
        )
    elif cuts.max_rows is not None:
        notes.append(f"{rows} (max_rows {cuts.max_rows}). Aggregate, or {page}.")
    if cuts.cells:
        cells = "1 cell is" if cuts.cells == 1 else f"{cuts.cells} cells are"
        notes.append(
            f"{cells} cut at {cuts.cell_bytes} bytes, marked with …. Select fewer columns, or read on in one with"
            " substr(column::VARCHAR, 1, 500), substr(column::VARCHAR, 501, 500)."
        )
    if cuts.names:
        notes.append(f"Names of columns are cut at {cuts.cell_bytes} bytes. Name the columns with AS.")
    if not cuts.rows:
        notes.append("No rows.")
    return notes
