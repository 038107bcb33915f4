"""Replies: what the own tool answers, rows or a refusal, as the raw `result` value.

Rule: the answer stands in the first text block, what it leaves out in a second; the same for programs in `_meta`. Imports
`core.errors` and msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from millpond.core.errors import Refusal


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


def answer_result(answer: Answer) -> bytes:
    """The `result` value for rows."""
    blocks = [answer.text, *(["\n".join(answer.notes)] if answer.notes else [])]
    meta = {
        "columns": [{"name": name, "type": kind} for name, kind in answer.columns],
        "rows": answer.rows,
        "truncated": answer.truncated,
        "total": answer.total,
        "saved_as": answer.saved_as,
        "notes": list(answer.notes),
    }
    content = [{"type": "text", "text": text} for text in blocks]
    return msgspec.json.encode({"content": content, "isError": False, "_meta": {"millpond/result": meta}})


def refusal_result(refusal: Refusal) -> bytes:
    """The `result` value of an own tool that refused."""
    return msgspec.json.encode(
        {
            "content": [{"type": "text", "text": refusal.message}],
            "isError": True,
            "_meta": {"millpond/error": {"reason": refusal.reason}},
        }
    )


def cut_notes(*, rows: int, more: bool, asked: int, by_bytes: int | None, cut_cells: int, cell_bytes: int) -> list[str]:
    """What an answer leaves out, each with what to do about it."""
    notes: list[str] = []
    if by_bytes is not None:
        notes.append(
            f"Only the first {rows} rows: the answer is full at {by_bytes} bytes. Select fewer columns, aggregate, or page with"
            f" LIMIT {max(rows, 1)} OFFSET {rows}."
        )
    elif more:
        notes.append(
            f"Only the first {rows} rows of more (max_rows {asked}). Aggregate, or page with ORDER BY and LIMIT {asked} OFFSET"
            f" {rows}."
        )
    if cut_cells:
        cells = "1 cell is" if cut_cells == 1 else f"{cut_cells} cells are"
        notes.append(
            f"{cells} cut at {cell_bytes} bytes, marked with …. Read on with substr(column, {cell_bytes + 1}, {cell_bytes})."
        )
    return notes
