"""Showing: what DESCRIBE, SHOW and EXPLAIN answer, asked of DuckDB and cut to what an agent reads.

Rule: the statement was judged, and what is run in its place reads the same. Imports `core` and the engine's `database`, `fetch`
and `judging`.
"""

from __future__ import annotations

import json

import msgspec

from millpond.core.gate import TEXTS
from millpond.core.showing import (
    PLAN,
    plan_notes,
    plan_rows,
    shown,
    tables_with_columns,
    without_constants,
)
from millpond.engine.database import Connection
from millpond.engine.fetch import Bounds, Fetched, fetch, fetch_explain
from millpond.engine.judging import Judged

MAX_DESCRIBED_CHARACTERS = 120
"""Of a statement that a notice repeats."""
_AS_JSON = {"EXPLAIN": "EXPLAIN (FORMAT JSON)", "EXPLAIN ANALYZE": "EXPLAIN (ANALYZE, FORMAT JSON)"}


def fetch_shown(connection: Connection, judged: Judged, bounds: Bounds) -> Fetched:
    """The first rows of a statement that was judged, in short form where it shows what there is. Raises DuckDB's errors."""
    kind = shown(judged.tree)
    fetched = fetch(connection, judged.statement, bounds)
    if kind in ("DESCRIBE", "SHOW"):
        columns, rows = without_constants(fetched.columns, fetched.rows)
        return msgspec.structs.replace(fetched, columns=columns, rows=rows)
    if kind == "ALL":
        columns, rows = tables_with_columns(fetched.rows, TEXTS)
        return msgspec.structs.replace(fetched, columns=columns, rows=rows)
    return fetched


def is_listing(judged: Judged) -> bool:
    """Whether a statement shows, describes, summarizes or explains: ORDER BY and OFFSET cannot stand behind it."""
    return bool(judged.explain or judged.summarized or not judged.tree or shown(judged.tree))


def described(judged: Judged) -> str:
    """A statement that describes a table, where it is short and may stand in brackets behind FROM; "" for any other."""
    is_short = len(judged.statement) <= MAX_DESCRIBED_CHARACTERS
    return judged.statement if is_short and not judged.explain and shown(judged.tree) in ("DESCRIBE", "SHOW") else ""


def fetch_plan(connection: Connection, judged: Judged) -> Fetched:
    """The plan of a statement that was judged, an operator a row; as DuckDB writes it where another form is asked for."""
    asked = _AS_JSON.get(judged.explain)
    if asked is None:
        return fetch_explain(connection, f"{judged.explain} {judged.statement}")
    found = fetch_explain(connection, f"{asked} {judged.statement}")
    plan = json.loads(found.rows[-1][1])
    return Fetched(list(PLAN), plan_rows(plan), notes=plan_notes(plan))
