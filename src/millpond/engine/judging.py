"""Judging: a text becomes the one statement that may run, or a refusal.

Rule: what is judged is what runs, word for word; what cannot be judged does not run. Imports `core` and the engine's `database` and
`failures`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from millpond.core import gate, trees
from millpond.core.errors import QueryRefused, Refusal
from millpond.core.exactness.doubts import Doubts, doubts
from millpond.core.export import copied
from millpond.core.model import EngineSettings, TableState
from millpond.core.names import fold, quote
from millpond.core.sql import explained, printed_name, summarized, table_column
from millpond.core.values import objects
from millpond.engine import failures
from millpond.engine.database import (
    Connection,
    DatabaseError,
    FatalError,
    Interrupted,
    OutOfMemory,
    ParserError,
    statements,
)
from millpond.engine.tables import Tables

MAX_TABLES = 3
"""Tables whose columns are told where a column is not found."""
_PRAGMA_SHOW = re.compile(r"pragma\s+show_tables(_expanded)?", re.IGNORECASE)
_SHOW = {"_expanded": "SHOW ALL TABLES", None: "SHOW TABLES"}


class Judged(msgspec.Struct, frozen=True):
    """A statement that only reads this canvas."""

    statement: str
    explain: str = ""
    """The words of an EXPLAIN that stand before it."""
    tree: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    """Its parse tree."""
    doubts: Doubts = Doubts()
    """Which of its figures may not be exact, by their types."""
    tables: frozenset[str] = frozenset()
    """The canvas's tables that it names."""
    summarized: str = ""
    """Where it is a SUMMARIZE and nothing else, what that is of: a statement that is judged too."""

    @property
    def estimates(self) -> bool:
        """True where a SUMMARIZE of DuckDB's own stands inside it."""
        return any(node.get("show_type") == "SUMMARY" for node in objects(self.tree))


class Judge:
    """Judges statements for one canvas. Safe for several threads."""

    def __init__(self, tables: Tables, settings: EngineSettings, catalog: str) -> None:
        self._tables = tables
        self._settings = settings
        self._catalog = catalog

    def judge(self, connection: Connection, sql: str) -> Judged:
        """The statement to run, its tables made. Raises `QueryRefused`, and DuckDB's errors where it is stopped."""
        named: set[str] = set()
        try:
            return self._judge(connection, sql, named)
        except RecursionError:
            raise QueryRefused(failures.too_deep()) from None
        except (FatalError, Interrupted, OutOfMemory):
            raise
        except DatabaseError as error:
            raise QueryRefused(failures.explain(str(error), self._asked(connection, sql, named))) from error

    def may_ask(self, tree: dict[str, Any]) -> bool:
        """True where a tree that was made from a judged one still only reads this canvas."""
        return gate.judge_tree(tree, self._catalog, lambda name: self._is_table(name, set())) is None

    def asked(self, sql: str) -> failures.Asked:
        """A question that failed, with what is known around it."""
        return failures.Asked(sql=sql, names=self._tables.names(), tag=self._settings.tag, state=self._tables.state)

    def _judge(self, connection: Connection, sql: str, named: set[str]) -> Judged:
        found = statements(connection, sql)
        if len(found) != 1:
            raise QueryRefused(failures.not_one(len(found)))
        kind, text = found[0]
        if kind == "EXPLAIN" and (parts := explained(text)) is not None:
            return Judged(self._judge(connection, parts.statement, named).statement, parts.words)
        if kind == "PRAGMA" and (shown := _PRAGMA_SHOW.fullmatch(text)):
            return Judged(_SHOW[shown[1] and shown[1].lower()])
        if kind != "SELECT":
            raise QueryRefused(self._in_place_of_copy(kind, text) or failures.not_a_select(kind))
        if (rest := summarized(text)) is not None:
            inner = self._judge(connection, self._summarized(connection, rest), named)
            return msgspec.structs.replace(
                inner, statement=f"SUMMARIZE {inner.statement}", tree={}, doubts=Doubts(), summarized=inner.statement
            )
        tree = self._judge_tree(connection, text, named)
        tables = frozenset(named)
        self._tables.make(tables, connection)
        plan = self._judge_plan(connection, text, tree, named)
        return Judged(text, tree=tree, doubts=doubts(plan), tables=tables)

    def _in_place_of_copy(self, kind: str, text: str) -> Refusal | None:
        return copied(text) if kind == "COPY" and self._settings.export_directory else None

    def _summarized(self, connection: Connection, rest: str) -> str:
        """What follows SUMMARIZE as a statement: a table, a table's column (`t.state`), or a query."""
        if (parts := table_column(rest)) and self._is_table(parts.table, set()):
            return f"SELECT {quote(parts.column)} FROM {quote(parts.table)}"
        try:
            statements(connection, f"FROM {rest}")
        except ParserError:
            return rest
        return f"FROM {rest}"

    def _judge_tree(self, connection: Connection, sql: str, named: set[str]) -> dict[str, Any]:
        tree = _serialized(connection, "json_serialize_sql", sql)
        if tree.get("error"):
            raise QueryRefused(self._failed(connection, tree, sql, named))
        verdict = gate.judge_tree(tree, self._catalog, lambda name: self._is_table(name, named))
        if isinstance(verdict, Refusal):
            raise QueryRefused(verdict)
        if verdict is not None:
            raise QueryRefused(failures.unknown_table(verdict, self.asked(sql)))
        return tree

    def _is_table(self, name: str, named: set[str]) -> bool:
        known = self._tables.state(name) in (TableState.STORED, TableState.PENDING)
        if known:
            named.add(name)
        return known

    def _judge_plan(self, connection: Connection, sql: str, tree: dict[str, Any], named: set[str]) -> dict[str, Any]:
        """What the binder resolved must be the canvas's, whatever the text called it."""
        plan = _serialized(connection, "json_serialize_plan", sql) or _plan_without_bignum_constants(connection, tree)
        if not plan:
            raise QueryRefused(failures.not_judged())
        if plan.get("error"):
            raise QueryRefused(self._failed(connection, plan, sql, named))
        verdict = gate.judge_plan(plan, self._catalog)
        if verdict is not None:
            raise QueryRefused(verdict)
        return plan

    def _failed(self, connection: Connection, answer: dict[str, Any], sql: str, named: set[str]) -> Refusal:
        kind, message = str(answer.get("error_type", "")), str(answer.get("error_message", ""))
        if kind == "interrupt":
            raise Interrupted(message)
        if kind == "out of memory":
            raise OutOfMemory(message)
        return failures.refusal(kind, message, self._asked(connection, sql, named))

    def _asked(self, connection: Connection, sql: str, named: set[str]) -> failures.Asked:
        columns = [
            (table, ", ".join(printed_name(column) for column in found))
            for table in sorted(named, key=fold)[:MAX_TABLES]
            if (found := _columns(connection, table))
        ]
        return msgspec.structs.replace(self.asked(sql), columns=columns)


def _columns(connection: Connection, table: str) -> list[str]:
    try:
        return [str(row[0]) for row in connection.execute(f"DESCRIBE {quote(table)}").fetchall()]
    except DatabaseError:
        return []


def _plan_without_bignum_constants(connection: Connection, tree: dict[str, Any]) -> dict[str, Any]:
    """The plan of a statement that differs only in where its BIGNUM constants stand."""
    (same,) = printed(connection, [trees.without_bignum_constants(tree)])
    return _serialized(connection, "json_serialize_plan", same)


def _serialized(connection: Connection, function: str, sql: str) -> dict[str, Any]:
    """What DuckDB writes of a statement; {} where it writes nothing, which it does for a BIGNUM constant in a plan (contract test)."""
    found = connection.execute(f"SELECT {function}(?::VARCHAR)", [sql]).fetchone()
    return json.loads(found[0]) if found and found[0] else {}


def printed(connection: Connection, statements: Sequence[dict[str, Any]]) -> list[str]:
    """Parse trees as SQL. Raises DuckDB's errors for what does not come back."""
    if not statements:
        return []
    calls = ", ".join("json_deserialize_sql(?::JSON)" for _ in statements)
    found = connection.execute(f"SELECT {calls}", [json.dumps(tree) for tree in statements]).fetchone()
    return [str(text) for text in found or ()]
