"""Profiling: what a profile is made of, counted by DuckDB over all rows of a table.

Rule: two statements at most, bounded by columns and rows; every figure is exact, and what would take too long is not counted. Imports
`core` and `engine.database`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from millpond.core.infer import STAMPS
from millpond.core.model import Column
from millpond.core.names import quote
from millpond.core.oddities import NUMBER, STAMP, is_number, is_stamp
from millpond.core.profile import Figures, Kind, kind_of
from millpond.core.render import plain
from millpond.engine.database import Connection, DatabaseError

MAX_COLUMNS = 40
"""Of a table, from its first: no handle shows more."""
MAX_DISTINCT = 1_000
"""Distinct texts up to which a handle looks at all of them."""
MAX_NUMBERS = 40
"""Distinct numbers up to which a handle looks at all of them."""
MAX_DAYS = 4_000
"""Distinct days up to which all of them are looked at: eleven years."""
MAX_TEXT_BYTES = 200
"""Of a text that may be one of few: a longer one is prose."""
EDGE_CHARACTERS = 60
"""Of the least and the greatest value."""

_ESTIMATE_ABOVE = 1.2
"""DuckDB's estimate of distinct values, which chooses what is asked and is never told, is some percent off."""
_VALUES, _DISTINCT, _NUMBERS, _DAYS, _STAMPS = range(5)


class Bounds(NamedTuple):
    """Of what is counted of a column that has many values."""

    rows: int = 200_000
    """Up to which they are counted at all: some milliseconds a column."""
    distinct: int = MAX_DISTINCT
    """Distinct texts up to which all of them are looked at."""
    numbers: int = MAX_NUMBERS
    """The same, of numbers."""


def figures(connection: Connection, table: str, columns: Sequence[Column], rows: int) -> tuple[Figures, ...]:
    """The figures of the first `MAX_COLUMNS` of a table, which SQL names `table`; none where they could not be had.

    Nothing is raised: the table is there whatever becomes of this.
    """
    looked_at = columns[:MAX_COLUMNS]
    try:
        return count_figures(connection, table, looked_at, rows, Bounds()) if looked_at and rows else ()
    except (DatabaseError, MemoryError):
        return ()


def count_figures(
    connection: Connection, table: str, columns: Sequence[Column], rows: int, bounds: Bounds
) -> tuple[Figures, ...]:
    """The figures of all these columns. Raises DuckDB's errors."""
    wanted = ", ".join(part for column in columns for part in _first_questions(column))
    row = connection.execute(f"SELECT {wanted} FROM {table}").fetchone()
    answers = iter(row or ())
    first = [{key: next(answers) for key in _KEYS[kind_of(column.type)]} for column in columns]
    questions = [
        f"({sql})"
        for at, (column, found) in enumerate(zip(columns, first, strict=True))
        for sql in _second_questions(at, column, found, table, bounds if rows <= bounds.rows else Bounds(0))
    ]
    second: defaultdict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    if questions:
        for at, question, value, count in connection.execute(" UNION ALL ".join(questions)).fetchall():
            second[at, question].append((value, count))
    return tuple(
        _of_column(rows, found, bounds, {question: second.get((at, question), []) for question in range(5)})
        for at, found in enumerate(first)
    )


_EDGES = ("present", "low", "high")
_KEYS: dict[Kind, tuple[str, ...]] = {
    Kind.INTEGER: (*_EDGES, "estimate"),
    Kind.FRACTION: (*_EDGES, "estimate", "nans", "infinite"),
    Kind.TEXT: (*_EDGES, "estimate", "shortest", "longest"),
    Kind.FLAG: ("present",),
    Kind.TIME: _EDGES,
    Kind.LIST: ("present", "shortest", "longest", "elements"),
    Kind.OTHER: ("present",),
}
"""What the first statement asks of each kind, in the order of `_first_questions`."""


def _first_questions(column: Column) -> Iterator[str]:
    name, kind = quote(column.name), kind_of(column.type)
    low, high = f"min({name})", f"max({name})"
    is_float = column.type in ("DOUBLE", "FLOAT")
    if is_float:
        low, high = (f"{edge} FILTER (isfinite({name}))" for edge in (low, high))
    elif kind is Kind.TEXT:
        low, high = (f"left({edge}, {EDGE_CHARACTERS})" for edge in (low, high))
    elif kind is Kind.TIME or column.type == "BIGNUM":
        low, high = (f"CAST({edge} AS VARCHAR)" for edge in (low, high))
    length = "strlen" if kind is Kind.TEXT else "len"
    written = {
        "present": f"count({name})",
        "low": low,
        "high": high,
        "estimate": f"approx_count_distinct({name})",
        "shortest": f"min({length}({name}))",
        "longest": f"max({length}({name}))",
        "elements": f"sum(len({name}))",
        "nans": f"count_if(isnan({name}))" if is_float else "0",
        "infinite": f"count_if(isinf({name}))" if is_float else "0",
    }
    return (written[key] for key in _KEYS[kind])


def _second_questions(at: int, column: Column, found: dict[str, Any], table: str, bounds: Bounds) -> Iterator[str]:
    """The statements of four columns each (column, question, value, count) that the first answers make worth asking."""
    name, kind = quote(column.name), kind_of(column.type)
    if not found["present"]:
        return
    if kind is Kind.TIME or (kind is Kind.TEXT and is_stamp(found["low"]) and is_stamp(found["high"])):
        text = f"left(CAST({name} AS VARCHAR), 10)"
        yield f"SELECT {at}, {_DAYS}, {text}, count(*) FROM {table} WHERE {name} IS NOT NULL GROUP BY {text} LIMIT {MAX_DAYS + 1}"
        if kind is Kind.TEXT and column.note != STAMPS:
            yield _matching(at, _STAMPS, name, STAMP, table)
        return
    if kind in (Kind.LIST, Kind.OTHER):
        return
    if kind is Kind.TEXT and (is_number(found["low"]) or is_number(found["high"])):
        yield _matching(at, _NUMBERS, name, NUMBER, table)
    most = bounds.distinct if kind is Kind.TEXT else bounds.numbers
    if found.get("estimate", 0) <= _ESTIMATE_ABOVE * most and (found.get("longest") or 0) <= MAX_TEXT_BYTES:
        grouped = f"FROM {table} WHERE {name} IS NOT NULL GROUP BY {name} LIMIT {int(_ESTIMATE_ABOVE * most) + 1}"
        yield f"SELECT {at}, {_VALUES}, CAST({name} AS VARCHAR), count(*) {grouped}"
    elif kind is not Kind.FRACTION and bounds.rows:
        yield f"SELECT {at}, {_DISTINCT}, NULL, count(DISTINCT {name}) FROM {table}"


def _matching(at: int, question: int, name: str, pattern: str, table: str) -> str:
    matches = f"regexp_full_match({name}, '{pattern}')"
    return f"SELECT {at}, {question}, NULL, count(*) FILTER ({matches}) FROM {table}"


def _of_column(rows: int, found: dict[str, Any], bounds: Bounds, answers: dict[int, list[tuple[str, int]]]) -> Figures:
    values = _within(answers[_VALUES], int(_ESTIMATE_ABOVE * bounds.distinct))
    stamps = answers[_STAMPS]
    days = answers[_DAYS] if not stamps or stamps[0][1] == found["present"] else []
    distinct = len(values) or next((count for _, count in answers[_DISTINCT]), None)
    return Figures(
        rows=rows,
        present=found["present"],
        low=_text(found.get("low")),
        high=_text(found.get("high")),
        shortest=found.get("shortest"),
        longest=found.get("longest"),
        elements=found.get("elements"),
        nans=found.get("nans", 0),
        infinite=found.get("infinite", 0),
        distinct=distinct,
        values=tuple(sorted(values, key=lambda value: (-value[1], value[0]))),
        numbers=next((count for _, count in answers[_NUMBERS]), None),
        days=tuple(sorted(day for day, _ in _within(days, MAX_DAYS))),
    )


def _text(value: Any) -> str | None:
    return None if value is None else plain(value)


def _within(rows: list[tuple[str, int]], most: int) -> list[tuple[str, int]]:
    """All of them, or none where there may be more than were read."""
    return rows if len(rows) <= most else []
