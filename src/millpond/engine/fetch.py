"""Fetch: the first rows of a statement as Python values that lose nothing.

Rule: a kind of value that Python's side of DuckDB would round, shift or refuse is cast to text in SQL first, and no more is fetched
than can be shown. Imports `engine.database` and `core.names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
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
NESTED = frozenset({"struct", "list", "array", "map"})
"""Types whose values are lists and objects."""
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
    notes: tuple[str, ...] = ()
    """What is to be said under the answer."""


def fetch(connection: Connection, statement: str, bounds: Bounds) -> Fetched:
    """The first rows of a SELECT that was judged. Raises DuckDB's errors."""
    relation = connection.sql(statement)
    types = list(relation.types)
    columns = [(name, str(kind)) for name, kind in zip(relation.columns, types, strict=True)]
    names = aliases(len(types))
    wanted = ", ".join(_shown(name, kind, bounds.cell_bytes) for name, kind in zip(names, types, strict=True))
    most = min(bounds.rows, bounds.answer_bytes) + 1  # A row takes a byte at least.
    result = connection.execute(f"SELECT {wanted} FROM ({statement}\n) AS _({', '.join(names)}) LIMIT {most}")
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


def fetch_all(connection: Connection, statement: str, batch_rows: int) -> Iterator[list[tuple[Any, ...]]]:
    """All rows of a SELECT that was judged, whole, so many at once. Raises DuckDB's errors."""
    types = list(connection.sql(statement).types)
    names = aliases(len(types))
    wanted = ", ".join(_exact(name, kind) for name, kind in zip(names, types, strict=True))
    result = connection.execute(f"SELECT {wanted} FROM ({statement}\n) AS _({', '.join(names)})")
    while batch := result.fetchmany(batch_rows):
        yield batch


def aliases(count: int) -> list[str]:
    """Names for so many columns of a subquery, whatever its own are."""
    return [f"c{at}" for at in range(count)]


def is_text_in_python(kind: Any) -> bool:
    """Whether values of this type, or some below them, arrive as texts though they are none."""
    return "VARCHAR" in cast_type(
        kind, lambda leaf: "VARCHAR" if _leaf(leaf, "DOUBLE") == "VARCHAR" != str(leaf) else "x"
    )


def _shown(column: str, kind: Any, cell_bytes: int) -> str:
    """The expression that gives a column exactly, and no more of a text or a list than a cell shows."""
    exact = _exact(column, kind)
    if kind.id == "list":
        return f"({exact})[:{cell_bytes + 1}]"
    is_text = _exact_type(kind, "DOUBLE") in ("VARCHAR", "JSON")
    return f"left(CAST({exact} AS VARCHAR), {cell_bytes + 1})" if is_text else exact


def _exact(column: str, kind: Any) -> str:
    """The expression that gives a column whole and exactly. A FLOAT goes through VARCHAR to DOUBLE: 0.1 stays 0.1."""
    written, numbers = _exact_type(kind, "VARCHAR"), _exact_type(kind, "DOUBLE")
    exact = column if written == str(kind) else f"CAST({column} AS {written})"
    return exact if numbers == written else f"CAST({exact} AS {numbers})"


def _exact_type(kind: Any, float_type: str) -> str:
    return cast_type(kind, partial(_leaf, float_type=float_type))


def _leaf(kind: Any, float_type: str) -> str:
    name = str(kind.id)
    return str(kind) if name in _EXACT_IN_PYTHON else float_type if name == "float" else "VARCHAR"


def cast_type(kind: Any, leaf: Callable[[Any], str]) -> str:
    """The type to cast to, where `leaf` says it of a type that is not nested."""
    name = str(kind.id)
    if name == "struct":
        fields = (f"{quote(field)} {cast_type(inner, leaf)}" for field, inner in kind.children)
        return f"STRUCT({', '.join(fields)})"
    if name == "list":
        return f"{cast_type(kind.children[0][1], leaf)}[]"
    if name == "array":
        return f"{cast_type(kind.children[0][1], leaf)}[{kind.children[1][1]}]"
    if name == "map":
        return f"MAP({cast_type(kind.children[0][1], leaf)}, {cast_type(kind.children[1][1], leaf)})"
    return leaf(kind)
