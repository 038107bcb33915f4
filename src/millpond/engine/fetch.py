"""Fetch: the first rows of a statement as Python values that lose nothing.

Rule: a kind of value that Python's side of DuckDB would round, shift or refuse is cast to text in SQL first, and no more is fetched
than can be shown. Imports `engine.database` and `core.names`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from millpond.core.names import quote
from millpond.engine.database import Connection

_EXACT_IN_PYTHON = frozenset(
    {
        "boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
        "uhugeint", "double", "decimal", "varchar", "json", '"null"', "null",
    }
)  # fmt: skip
"""Types whose values arrive whole. Not among them: BIGNUM, FLOAT, stamps (no year past 9999, no nanoseconds), INTERVAL (months
become days), BLOB, BIT, UUID, ENUM."""
_BATCH_ROWS = 64


class Bounds(msgspec.Struct, frozen=True):
    """What can be shown of an answer."""

    rows: int
    answer_bytes: int
    cell_bytes: int


class Fetched(msgspec.Struct, frozen=True):
    """The columns (name, DuckDB type) and the first rows of an answer, with one more than can be shown where there is one."""

    columns: list[tuple[str, str]]
    rows: list[tuple[Any, ...]]
    stopped: bool = False
    """True where there may be more rows, because those that are here fill the answer."""


def fetch(connection: Connection, statement: str, bounds: Bounds) -> Fetched:
    """The first rows of a SELECT that was judged. Raises DuckDB's errors."""
    relation = connection.sql(statement)
    types = list(relation.types)
    columns = [(name, str(kind)) for name, kind in zip(relation.columns, types, strict=True)]
    aliases = [f"c{at}" for at in range(len(types))]
    wanted = ", ".join(_shown(alias, kind, bounds.cell_bytes) for alias, kind in zip(aliases, types, strict=True))
    most = min(bounds.rows, bounds.answer_bytes) + 1  # A row takes a byte at least.
    result = connection.execute(f"SELECT {wanted} FROM ({statement}\n) AS _({', '.join(aliases)}) LIMIT {most}")
    rows: list[tuple[Any, ...]] = []
    size = 0
    while size <= bounds.answer_bytes and (batch := result.fetchmany(_BATCH_ROWS)):
        rows += batch
        size += sum(1 + min(len(cell), bounds.cell_bytes) for row in batch for cell in row if isinstance(cell, str))
    return Fetched(columns, rows, size > bounds.answer_bytes)


def fetch_explain(connection: Connection, statement: str) -> Fetched:
    """The whole answer of an EXPLAIN whose statement was judged."""
    result = connection.execute(statement)
    return Fetched([(str(column[0]), str(column[1])) for column in result.description or ()], result.fetchall())


def _shown(column: str, kind: Any, cell_bytes: int) -> str:
    """The expression that gives a column exactly, and no more of a text or a list than a cell shows."""
    written = _exact_type(kind, "VARCHAR")
    exact = column if written == str(kind) else f"CAST({column} AS {written})"
    if (numbers := _exact_type(kind, "DOUBLE")) != written:
        exact = f"CAST({exact} AS {numbers})"
    if kind.id == "list":
        return f"({exact})[:{cell_bytes + 1}]"
    return f"left(CAST({exact} AS VARCHAR), {cell_bytes + 1})" if numbers in ("VARCHAR", "JSON") else exact


def _exact_type(kind: Any, float_type: str) -> str:
    """The type to cast to. A FLOAT goes through VARCHAR to DOUBLE: 0.1 stays 0.1."""
    name = str(kind.id)
    if name == "struct":
        fields = (f"{quote(field)} {_exact_type(inner, float_type)}" for field, inner in kind.children)
        return f"STRUCT({', '.join(fields)})"
    if name == "list":
        return f"{_exact_type(kind.children[0][1], float_type)}[]"
    if name == "array":
        return f"{_exact_type(kind.children[0][1], float_type)}[{kind.children[1][1]}]"
    if name == "map":
        return f"MAP({_exact_type(kind.children[0][1], float_type)}, {_exact_type(kind.children[1][1], float_type)})"
    return str(kind) if name in _EXACT_IN_PYTHON else float_type if name == "float" else "VARCHAR"
