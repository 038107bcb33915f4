"""Dropping: the one statement that takes something out of a canvas, and what is said of it.

Rule: `DROP TABLE name` and nothing else is it, word for word: no second name, no schema, no option. Imports `core.errors`,
`core.names`, `core.sql` and `core.steps`.
"""

from __future__ import annotations

import re

from millpond.core.errors import Reason, Refusal
from millpond.core.names import unquoted
from millpond.core.sql import printed_name
from millpond.core.steps import SHOW_TABLES

_DROP = re.compile(
    r"\s*DROP\s+TABLE\s+(?P<name>[A-Za-z_][A-Za-z0-9_]*|\"(?:[^\"]|\"\")+\")\s*;?\s*",
    re.IGNORECASE | re.ASCII,
)


def dropped_name(sql: str) -> str | None:
    """The table that a statement drops; None where it is no such statement."""
    found = _DROP.fullmatch(sql)
    return None if found is None else unquoted(found["name"])


def own_table(name: str) -> Refusal:
    """One of the canvas's own tables."""
    return Refusal(
        Reason.NOT_A_READ,
        f"{name} is the canvas's own and stays. DROP TABLE takes one table of a result or of a kept answer.",
        SHOW_TABLES,
    )


def nothing_to_keep() -> Refusal:
    """A drop whose answer is to be kept."""
    return Refusal(Reason.BAD_ARGUMENT, "DROP TABLE gives no rows to keep. Leave `save_as` out.")


def dropped_note(name: str, call: int, *, has_more: bool) -> str:
    """What became of a table, and of the result that it was made of."""
    if has_more:
        others = f"SELECT tables FROM calls WHERE number = {call}"
        return f"Dropped {printed_name(name)}. Its result stays, for call {call} has other tables: {others}"
    return f"Dropped {printed_name(name)}, and what call {call} kept of its result."
