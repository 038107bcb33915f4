"""Summarizing: SUMMARIZE, counted exactly over all rows, where DuckDB's own estimates.

Rule: runs in the caller's transaction, which only reads, under its deadline; a query is run once, into a table of the connection.
Imports `core` and the engine's `database`, `fetch` and `profiling`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from millpond.core.model import Column
from millpond.core.names import quote
from millpond.core.profile import Figures, Kind, kind_of
from millpond.core.summary import CLOSE_LOOK, OVERVIEW, PERCENTS, Spread, close_look, fences, overview
from millpond.engine.database import Connection
from millpond.engine.fetch import Fetched
from millpond.engine.profiling import Bounds, count_figures

ESTIMATES = (
    "approx_unique, q25, q50 and q75 are DuckDB's estimates. SUMMARIZE by itself, of a table or a SELECT, is exact."
)
"""Said of a SUMMARIZE inside another statement, or one that is kept or written to a file: it has DuckDB's columns."""

_EVERYTHING = Bounds(rows=1 << 62, distinct=100_000, numbers=100_000)
"""Distinct values up to which spellings are compared; how many there are is counted in any case."""
_TABLE = re.compile(r'FROM\s+(?:\w+|"(?:[^"]|"")+")', re.ASCII)


def summarize(connection: Connection, statement: str) -> Fetched:
    """What SUMMARIZE of this judged statement answers. Raises DuckDB's errors."""
    relation = connection.sql(statement)
    names = relation.columns
    columns = [Column(name=f"c{at}", type=str(kind)) for at, kind in enumerate(relation.types)]
    aliases = ", ".join(column.name for column in columns)
    source = f"(SELECT * FROM ({statement}\n) AS _({aliases}))"
    if not _TABLE.fullmatch(statement):
        connection.execute(f"CREATE TEMP TABLE _summarized AS FROM {source}")
        source = "temp.main._summarized"
    counted = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    figures = count_figures(connection, source, columns, counted[0] if counted else 0, _EVERYTHING)
    spreads = _spreads(connection, source, columns, figures)
    named = [Column(name=name, type=column.type) for name, column in zip(names, columns, strict=True)]
    if len(named) == 1:
        return _fetched(CLOSE_LOOK, close_look(named[0], figures[0], spreads[0]))
    return _fetched(OVERVIEW, overview(named, figures, spreads))


def _fetched(names: Sequence[str], rows: list[tuple[str, ...]]) -> Fetched:
    return Fetched([(name, "VARCHAR") for name in names], list(rows))


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
    beyond = ", ".join(
        f"count(*) FILTER ({name} < {_number(low, columns[at])}), count(*) FILTER ({name} > {_number(high, columns[at])})"
        for at, (low, high) in bounds.items()
        for name in [_finite(columns[at])]
    )
    counts = iter((connection.execute(f"SELECT {beyond} FROM {source}").fetchone() or ()) if beyond else ())
    outside = {at: tuple(islice(counts, 2)) for at in bounds}
    return [_spread(quantiles.get(at), bounds.get(at), outside.get(at)) for at in range(len(columns))]


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


def _number(text: str, column: Column) -> str:
    """A fence as SQL compares it exactly with the column."""
    return f"CAST('{text}' AS DOUBLE)" if column.type in ("DOUBLE", "FLOAT") else text
