"""Config notes: what `[tools."NAME"]` says of a tool's tables and columns.

Rule: a note is one line within a bound, at this door; whether it fits the data is seen when there is data. Imports `core.model` and
the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, cast

from millpond.core.model import ToolNotes

KEYS = ("note", "tables", "columns")
MAX_NOTE_CHARACTERS = 500
"""Of one note: it stands in every handle of its tool, which has 300 tokens."""
EXPECTED = f"a string of 1 to {MAX_NOTE_CHARACTERS} characters"

Wrong = Callable[[str, str, object, str], NoReturn]
"""Raises `ConfigError` for a key, what was expected there, what came, and what to do."""


def read_notes(tool: str, where: str, table: Mapping[str, Any], wrong: Wrong) -> ToolNotes | None:
    """The notes in a tool's table, None where it has none; `where` is the table as messages name it. Raises what `wrong` raises."""
    if not any(key in table for key in KEYS):
        return None
    return ToolNotes(
        tool=tool,
        note=_note(f"[{where}] note", table["note"], wrong) if "note" in table else "",
        tables=tuple(_texts(where, "tables", table.get("tables", {}), wrong)),
        columns=tuple(_texts(where, "columns", table.get("columns", {}), wrong)),
    )


def _texts(where: str, name: str, value: object, wrong: Wrong) -> Iterator[tuple[str, str]]:
    """The (path or column, note) of one table. `user.login = ` without quotes is a table to TOML, and a dotted name here."""
    if not isinstance(value, dict):
        wrong(f"[{where}] {name}", "a table", value, f'write [{where}.{name}] and below it "NAME" = "..."')
    waiting = list(cast("dict[str, object]", value).items())
    while waiting:
        key, text = waiting.pop(0)
        if isinstance(text, dict):
            waiting[:0] = [(f"{key}.{below}", one) for below, one in cast("dict[str, object]", text).items()]
        else:
            yield key, _note(f"[{where}.{name}] {key}", text, wrong)


def _note(key: str, value: object, wrong: Wrong) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not 0 < len(text) <= MAX_NOTE_CHARACTERS:
        wrong(key, EXPECTED, value, 'write for example "in cents; exclude cancelled orders"')
    return text
