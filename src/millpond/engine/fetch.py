"""Fetch: the rows of a statement as Python values that lose nothing.

Rule: a kind of value that Python's side of DuckDB would round, shift or refuse is cast to text in SQL first. Imports
`engine.database`, `core.names` and `core.sql`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from millpond.core.names import quote
from millpond.core.sql import after_explain, without_leading_comments
from millpond.engine.database import Connection

_EXACT_IN_PYTHON = frozenset(
    {
        "boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
        "uhugeint", "double", "decimal", "varchar", "json", '"null"', "null",
    }
)  # fmt: skip
"""Types whose values arrive whole. Not among them: BIGNUM, FLOAT, stamps (no year past 9999, no nanoseconds), INTERVAL (months
become days), BLOB, BIT, UUID, ENUM."""


class Fetched(msgspec.Struct, frozen=True):
    """The columns (name, DuckDB type) and the first rows of an answer."""

    columns: list[tuple[str, str]]
    rows: list[tuple[Any, ...]]


def fetch(connection: Connection, sql: str, most: int) -> Fetched:
    """The first `most` rows of a statement that was judged. Raises DuckDB's errors."""
    statement = sql.strip().rstrip(";")
    if after_explain(statement) != without_leading_comments(statement):
        explained = connection.execute(statement)
        columns = [(str(column[0]), str(column[1])) for column in explained.description or ()]
        return Fetched(columns, explained.fetchmany(most))
    relation = connection.sql(statement)
    types = list(relation.types)
    columns = [(name, str(kind)) for name, kind in zip(relation.columns, types, strict=True)]
    casts = [_cast(kind) for kind in types]
    aliases = [f"c{at}" for at in range(len(types))]
    wanted = ", ".join(
        f"CAST({alias} AS {cast})" if cast else alias for alias, cast in zip(aliases, casts, strict=True)
    )
    wrapped = f"SELECT {wanted} FROM ({statement}\n) AS _({', '.join(aliases)}) LIMIT {most}"
    return Fetched(columns, connection.execute(wrapped).fetchall())


def _cast(kind: Any) -> str | None:
    """The type to cast to, or None where every value arrives whole."""
    written = _exact_type(kind)
    return None if written == str(kind) else written


def _exact_type(kind: Any) -> str:
    name = str(kind.id)
    if name == "struct":
        return "STRUCT(" + ", ".join(f"{quote(field)} {_exact_type(inner)}" for field, inner in kind.children) + ")"
    if name == "list":
        return f"{_exact_type(kind.children[0][1])}[]"
    if name == "array":
        return f"{_exact_type(kind.children[0][1])}[{kind.children[1][1]}]"
    if name == "map":
        return f"MAP({_exact_type(kind.children[0][1])}, {_exact_type(kind.children[1][1])})"
    return str(kind) if name in _EXACT_IN_PYTHON else "VARCHAR"
