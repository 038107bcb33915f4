"""Saving: what an answer that is kept as a table is called, what its columns are, and what is said of it.

Rule: every name that is given or proposed here is read bare by SQL or printed in quotes, and a proposed one is free. Imports
stages' values, `core.clip`, `core.errors`, `core.examples`, `core.handle`, `core.naming`, `core.names`, `core.sizes` and
`core.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from millpond.core.clip import shown
from millpond.core.errors import Reason, Refusal
from millpond.core.examples import example
from millpond.core.handle import kept_lines
from millpond.core.model import Table
from millpond.core.names import fold
from millpond.core.naming import column_names, named_anew, parse_table_name, slug
from millpond.core.profile import Profile
from millpond.core.sizes import human_size
from millpond.core.sql import QUOTED_WORDS, printed_name

MAX_NAME_CHARACTERS = 63
"""Of a table's name: it is written again and again."""
MAX_COLUMN_CHARACTERS = 40
"""Of a column's name that is made of an expression."""
MAX_TOKENS = 200
"""Of the columns with their figures; a result's handle has 300 in all."""
WHOLE_ROWS = 20
"""Up to which an answer that is kept is shown whole, where the agent does not say how many it wants to see."""
FIRST_ROWS = 3
"""Shown of a longer one: it is kept to be asked, and its columns are told."""
MAX_RENAMED = 6
"""Columns whose new names are said; DESCRIBE shows the others."""

_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{0,{MAX_NAME_CHARACTERS - 1}}}")
_SHOWN = frozenset({"databases", "schemas", "tables", "variables"})
"""What DESCRIBE reads as a word of its own."""
_EXPRESSION = re.compile(r"[()\[\]]|^'|^$")
"""In a column's name: DuckDB has made it of an expression without an alias, or it is empty."""


def name_fault(name: str, tag: str) -> Refusal | None:
    """Why no answer can be kept under this name, whatever the canvas holds; `tag` is that of its results' tables."""
    if not _NAME.fullmatch(name):
        return Refusal(
            Reason.BAD_ARGUMENT,
            f"`save_as` must be ASCII letters, digits and _, at most {MAX_NAME_CHARACTERS} and no digit first;"
            f" {shown(name, 80)!r} came. Give a name such as {_from_words(name)}.",
        )
    if fold(name) in QUOTED_WORDS | _SHOWN:
        return Refusal(Reason.BAD_ARGUMENT, f"`save_as`: {name} is a word of SQL. Give a name such as {name}_rows.")
    parts = parse_table_name(name)
    if parts is not None and parts.tag == tag:
        return Refusal(
            Reason.NAME_TAKEN,
            f"{name} has the form of the names that results' tables get. Give another name, such as {parts.tool}_rows.",
        )
    return None


def _from_words(name: str) -> str:
    return f"saved_{slug(name, MAX_COLUMN_CHARACTERS)}".rstrip("_") + "_rows"


def name_taken(name: str, call: int | None, is_taken: Callable[[str], bool]) -> Refusal:
    """Another table has the name; `call` is that which made it, where one did."""
    stem, number = name[: MAX_NAME_CHARACTERS - 8], 2
    while is_taken(f"{stem}_v{number}"):
        number += 1
    owner = "" if call is None else f" by call {call}"
    return Refusal(
        Reason.NAME_TAKEN,
        f"{name} is taken{owner}, and no table is written over. Ask of it as it is, or give another name, such as"
        f" {stem}_v{number}.",
    )


def too_large(size_bytes: int, max_bytes: int) -> Refusal:
    """A table that fits no canvas of this size."""
    return Refusal(
        Reason.CANVAS_FULL,
        f"The answer is {human_size(size_bytes)}, and the canvas holds {human_size(max_bytes)}. Save fewer rows or columns,"
        " aggregate, or leave `save_as` out. The limit is `max_canvas_bytes` in Millpond's configuration.",
    )


def no_room(size_bytes: int, tables: Sequence[str]) -> Refusal:
    """A table for which those that it is made of would have to go."""
    return Refusal(
        Reason.CANVAS_FULL,
        f"The canvas is full: for {human_size(size_bytes)} more it would lose {printed_name(tables[0])}, which the query reads."
        " Save fewer rows or columns, aggregate, or leave `save_as` out.",
    )


def saved_columns(names: Sequence[str]) -> tuple[str, ...]:
    """A name for each column of an answer: its own where that can be asked for, else one of its expression's words."""
    return column_names((_column(at, name) for at, name in enumerate(names, start=1)), reserved=())


def _column(at: int, name: str) -> str:
    if not _EXPRESSION.search(name):
        return name
    words = slug(name, MAX_COLUMN_CHARACTERS)
    return f"column_{at}" if not words or words[0].isdigit() else words


def shown_rows(rows: int, most: int) -> int:
    """How many rows are shown of an answer that is kept, and at most `most`, where the agent does not say it."""
    return min(most, rows if rows <= WHOLE_ROWS else FIRST_ROWS)


def saved_notes(table: Table, size_bytes: int, profile: Profile | None) -> list[str]:
    """The handle of a kept answer. There is no profile where the answer shows all rows: they say more than figures about them."""
    name = printed_name(table.name)
    count = "1 row" if table.rows == 1 else f"{table.rows} rows"
    suits = profile and example(table, profile.figures)
    said = [
        f"Saved: {count} ({human_size(size_bytes)}) in {name}, all that the query gives. Ask of it as of any table:",
        f"  {suits or f'SELECT count(*) FROM {name}'}",
        *(kept_lines(table, profile, MAX_TOKENS) if profile else ()),
    ]
    return ["\n".join(said)]


def renamed_notes(name: str | None, columns: Sequence[tuple[str, str]]) -> list[str]:
    """Which columns have new names, of (name in the answer, name in the table); without the table's name where it has none yet."""
    renamed = named_anew(columns, MAX_COLUMN_CHARACTERS)
    if not renamed:
        return []
    more = len(renamed) - MAX_RENAMED
    listed = f"; DESCRIBE {printed_name(name)} lists them" if name is not None else ""
    rest = f", and {more} more{listed}" if more > 0 else ""
    return [f"Columns named anew: {', '.join(renamed[:MAX_RENAMED])}{rest}."]
