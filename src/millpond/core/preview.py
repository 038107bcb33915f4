"""Preview: the first rows of a table for the eye, and a query that suits it.

Rule: cells are data: they are cut, and nothing in one can end a line or look like a column's edge. Imports stages' values,
`core.clip`, `core.numbers`, `core.sql` and msgspec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from millpond.core.clip import shown
from millpond.core.columns import Plan, decode_exactly
from millpond.core.infer import Route
from millpond.core.numbers import sum_fits
from millpond.core.rows import Layout
from millpond.core.sql import printed_name

MAX_CELL_CHARACTERS = 40
"""Of a cell in a preview; the rest is one query away."""
MAX_ROW_CHARACTERS = 160
"""Shared by the cells of a row where they are few: a line of a log stands there whole, and shows how it is taken apart."""
EXAMPLE_ROWS = 200
"""First rows looked at to choose the example; it is a suggestion, and runs whatever they hold."""
MAX_EXAMPLE_NAME_CHARACTERS = 40
"""Of a column that an example names."""
FEW_VALUES = 20
"""Distinct values up to which a column is one to group by."""


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What a handle shows of one table."""

    rows: tuple[tuple[str, ...], ...]
    example: str
    """A query on `{table}`, as `str.format` fills it."""


def preview(plan: Plan, rows: int) -> Preview:
    """The first `rows` rows as text, and an example query for the table."""
    first = decode_exactly(plan.rows.rows[:EXAMPLE_ROWS])
    cells = [_cells(plan, value) for value in first]
    keys = plan.rows.keys
    shown_cells = [[keys[at], *row] if keys is not None else row for at, row in enumerate(cells[:rows])]
    columns = max((len(row) for row in shown_cells if row), default=1)
    most = max(MAX_CELL_CHARACTERS, MAX_ROW_CHARACTERS // columns)
    texts = [tuple(_cell_text(cell, plan.rows.markers, most) for cell in row) for row in shown_cells]
    return Preview(rows=tuple(texts), example=_example(plan, cells))


def _cells(plan: Plan, value: Any) -> list[Any]:
    if plan.rows.layout is Layout.OBJECTS:
        return [value.get(source.key) if value else None for source in plan.sources]
    if plan.rows.layout is Layout.ARRAYS:
        return [*value, *[None] * (len(plan.sources) - len(value))]
    return [value]


def _cell_text(value: Any, markers: Mapping[bytes, bytes], most: int) -> str:
    if value is None:
        return "NULL"
    text = value if isinstance(value, str) else _compact.encode(value).decode()
    for marker, token in markers.items():
        text = text.replace(marker.decode(), token.decode())
    if isinstance(value, str) and text in ("", "NULL"):
        text = f'"{text}"'
    return shown(text, most).replace("|", "\\|")


def _lexeme(value: Any) -> msgspec.Raw:
    """A number as it was written: the one kind of value here that msgspec does not know."""
    return msgspec.Raw(value.encode())


_compact = msgspec.json.Encoder(enc_hook=_lexeme)


def _example(plan: Plan, rows: Sequence[Sequence[Any]]) -> str:
    best: tuple[int, str] | None = None
    number = None
    named = [source for source in enumerate(plan.sources) if len(source[1].column.name) <= MAX_EXAMPLE_NAME_CHARACTERS]
    for at, source in named:
        kind, name = source.type, printed_name(source.column.name).replace("{", "{{").replace("}", "}}")
        if kind.sql in ("VARCHAR", "BOOLEAN") and kind.note is None and kind.route is Route.DIRECT:
            distinct = len({row[at] for row in rows})
            if 2 <= distinct <= FEW_VALUES and 2 * distinct <= len(rows) and (best is None or distinct < best[0]):
                best = (distinct, name)
        elif number is None and sum_fits(kind.sql, len(plan.rows.rows)):
            number = name
    if best is not None:
        return f"SELECT {best[1]}, count(*) FROM {{table}} GROUP BY ALL ORDER BY 2 DESC"
    if number is not None:
        return f"SELECT count(*), min({number}), max({number}), sum({number}) FROM {{table}}"
    return "SELECT count(*) FROM {table}"
