"""Summarizing: SUMMARIZE, counted exactly over all rows, where DuckDB's own estimates.

Rule: runs in a transaction that only reads, under the caller's deadline; a query is run once, into a table of the connection; a column
whose facts cannot be had does not cost the others theirs.
Imports `core` and the engine's `database`, `fetch` and `profiling`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import islice

from msgspec.structs import replace

from millpond.core.model import Column
from millpond.core.names import quote
from millpond.core.profile import Figures, Kind, kind_of
from millpond.core.summary import CLOSE_LOOK, OVERVIEW, PERCENTS, Look, Spread, close_look, fences, overview, unseen
from millpond.engine.database import (
    BEGIN_READING,
    Connection,
    DatabaseError,
    FatalError,
    Interrupted,
    is_lack_of_memory,
)
from millpond.engine.fetch import Fetched
from millpond.engine.profiling import Bounds, count_figures

ESTIMATES = (
    "approx_unique, q25, q50 and q75 are DuckDB's estimates. SUMMARIZE by itself, of a table or a SELECT, is exact."
)
"""Said of a SUMMARIZE inside another statement, or one that is kept or written to a file: it has DuckDB's columns."""

_EVERYTHING = Bounds(rows=1 << 62, distinct=100_000, numbers=100_000)
"""Distinct values up to which spellings are compared; how many there are is counted in any case."""
_BATCH_COLUMNS = 50
"""Looked at by one statement: DuckDB's work grows with the square of what a statement asks."""
_TABLE = re.compile(r'FROM\s+(\w+|"(?:[^"]|"")+")', re.ASCII)


def summarize(connection: Connection, statement: str, most: int, go_on: Callable[[], None]) -> Fetched:
    """What SUMMARIZE of this judged statement answers, of its first `most` columns.

    `go_on` raises where the answer is not wanted any more: DuckDB forgets an interrupt between two statements. Raises DuckDB's errors.
    """
    relation = connection.sql(statement)
    names = relation.columns
    named = [Column(name=name, type=str(kind)) for name, kind in zip(names, relation.types, strict=True)]
    table = _TABLE.fullmatch(statement)
    source = table[1] if table else _run(connection, statement, len(names), most)
    columns = named[:most] if table else [replace(column, name=f"c{at}") for at, column in enumerate(named[:most])]
    counted = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    rows = counted[0] if counted else 0
    if len(named) == 1:
        (look,) = _looks(connection, source, columns, rows)
        return _fetched(CLOSE_LOOK, close_look(named[0], look))
    looks: list[Look | None] = []
    for at in range(0, len(columns), _BATCH_COLUMNS):
        go_on()
        looks += _apart(connection, source, columns[at : at + _BATCH_COLUMNS], rows)
    go_on()
    notes = unseen(names, len(columns), source if table else f"({statement}\n)")
    return _fetched(OVERVIEW, overview(named, looks), notes)


def _run(connection: Connection, statement: str, columns: int, most: int) -> str:
    """Run a query into a table of the connection, which outlives the transaction: its first `most` columns as c0, c1, ..."""
    aliases = [f"c{at}" for at in range(columns)]
    kept, given = ", ".join(aliases[:most]), ", ".join(aliases)
    connection.execute(f"CREATE TEMP TABLE _summarized AS SELECT {kept} FROM ({statement}\n) AS _({given})")
    connection.execute("COMMIT")
    connection.execute(BEGIN_READING)
    return "temp.main._summarized"


def _apart(connection: Connection, source: str, columns: Sequence[Column], rows: int) -> list[Look | None]:
    """What is found of these columns: where one fails, the others are looked at without it. Raises what has nothing to do with a column."""
    try:
        return [*_looks(connection, source, columns, rows)]
    except (FatalError, Interrupted):
        raise
    except DatabaseError as error:
        if is_lack_of_memory(error):
            raise
        connection.execute("ROLLBACK")
        connection.execute(BEGIN_READING)
    if len(columns) == 1:
        return [None]
    return [look for column in columns for look in _apart(connection, source, [column], rows)]


def _looks(connection: Connection, source: str, columns: Sequence[Column], rows: int) -> list[Look]:
    figures = count_figures(connection, source, columns, rows, _EVERYTHING)
    return [Look(*both) for both in zip(figures, _spreads(connection, source, columns, figures), strict=True)]


def _fetched(names: Sequence[str], rows: list[tuple[str, ...]], notes: tuple[str, ...] = ()) -> Fetched:
    return Fetched([(name, "VARCHAR") for name in names], list(rows), stopped=bool(notes), notes=notes)


def _spreads(
    connection: Connection, source: str, columns: Sequence[Column], figures: Sequence[Figures]
) -> list[Spread]:
    """The quantiles of every column that has an order worth it, and of numbers what lies far out."""
    shares = ", ".join(f"{percent / 100}" for percent in PERCENTS)
    asked = {at: column for at, column in enumerate(columns) if _has_order(column) and figures[at].low is not None}
    if not asked:
        return [Spread()] * len(columns)
    wanted = ", ".join(f"CAST(quantile_disc({_finite(column)}, [{shares}]) AS VARCHAR[])" for column in asked.values())
    quantiles = dict(zip(asked, connection.execute(f"SELECT {wanted} FROM {source}").fetchone() or (), strict=True))
    halves = {at: (found[1], found[3]) for at, found in quantiles.items() if _is_number(asked[at])}
    bounds = {at: fences(q25, q75) for at, (q25, q75) in halves.items() if q25 != q75}
    beyond = [side for at, between in bounds.items() for side in _sides(columns[at], between, figures[at])]
    found = connection.execute(f"SELECT {', '.join(beyond)} FROM {source}").fetchone() if beyond else ()
    counts = iter(found or ())
    outside = {at: tuple(islice(counts, 2)) for at in bounds}
    return [_spread(quantiles.get(at), bounds.get(at), outside.get(at)) for at in range(len(columns))]


def _sides(column: Column, between: tuple[str, str], figures: Figures) -> tuple[str, str]:
    """What counts the values below and above the fences.

    A fence that no value is beyond is not asked about: its type may be too narrow for it.
    """
    name, (low, high) = _finite(column), between
    is_below, is_above = Decimal(figures.low or 0) < Decimal(low), Decimal(figures.high or 0) > Decimal(high)
    return (
        f"count_if({name} < CAST('{low}' AS {column.type}))" if is_below else "0",
        f"count_if({name} > CAST('{high}' AS {column.type}))" if is_above else "0",
    )


def _spread(quantiles: list[str] | None, bounds: tuple[str, str] | None, outside: tuple[int, ...] | None) -> Spread:
    low, high = bounds or (None, None)
    below, above = outside or (0, 0)
    return Spread(quantiles=tuple(quantiles or ()), low_fence=low, high_fence=high, below=below, above=above)


def _has_order(column: Column) -> bool:
    return kind_of(column.type) in (Kind.INTEGER, Kind.FRACTION, Kind.TIME)


def _is_number(column: Column) -> bool:
    """Whether it has fences: stamps have none, and BIGNUM no literals."""
    return kind_of(column.type) in (Kind.INTEGER, Kind.FRACTION) and column.type != "BIGNUM"


def _finite(column: Column) -> str:
    name = quote(column.name)
    return f"CASE WHEN isfinite({name}) THEN {name} END" if column.type in ("DOUBLE", "FLOAT") else name
