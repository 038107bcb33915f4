"""Judging: a text becomes the one statement that may run, or a refusal.

Rule: what is judged is what runs, word for word; what cannot be judged does not run. Imports `core` and the engine's `database`,
`failures`, `mending`, `printing` and `tables`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from millpond.core import gate, showing, trees
from millpond.core.errors import QueryRefused, Refusal
from millpond.core.exactness.doubts import Doubts, doubts
from millpond.core.export import copied, copy_refused
from millpond.core.mending.faults import Fault
from millpond.core.model import EngineSettings, TableState
from millpond.core.names import fold, quote, quoted_text
from millpond.core.sql import TableColumn, explained, printed_name, summarized, table_column
from millpond.core.steps import SHOW_TABLES
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
from millpond.engine.mending import MAX_TABLES, Mender, Unread
from millpond.engine.printing import printed
from millpond.engine.tables import Tables

_MISSING = re.compile(r'Referenced column "(.+?)" not found')
_PRAGMA_SHOW = re.compile(r"pragma\s+show_tables(_expanded)?", re.IGNORECASE)


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
        self._mender = Mender(
            lambda connection, sql: self._judge(connection, sql, set()),
            lambda name: failures.near_tables(name, self._tables.names()),
        )

    def judge(self, connection: Connection, sql: str) -> Judged:
        """The statement to run, its tables made. Raises `QueryRefused`, and DuckDB's errors where it is stopped."""
        named: set[str] = set()
        try:
            return self._judge(connection, sql, named)
        except Unread as unread:
            raise QueryRefused(self._with_step(connection, unread)) from None
        except RecursionError:
            raise QueryRefused(failures.too_deep()) from None
        except (FatalError, Interrupted, OutOfMemory):
            raise
        except DatabaseError as error:
            raise QueryRefused(self._unparsed(connection, sql, error, named)) from error

    def ran_into(self, connection: Connection, judged: Judged, error: DatabaseError) -> Refusal:
        """What is said of a statement that DuckDB failed while it ran, with one that may not."""
        message = str(error)
        refusal = failures.explain(message, self._asked(connection, judged.statement, judged.tables), ran=True)
        step = self._mender.running(connection, message, judged.tree) if judged.tree else ""
        return replace(refusal, step=step) if step else refusal

    def _with_step(self, connection: Connection, unread: Unread) -> Refusal:
        step = self._mender.reading(connection, unread)
        return failures.mended(unread.refusal, step) if step else unread.refusal

    def _unparsed(self, connection: Connection, sql: str, error: DatabaseError, named: set[str]) -> Refusal:
        """A text that DuckDB could not take apart; where the fault lies is told by another function."""
        refusal = failures.explain(str(error), self._asked(connection, sql, named))
        told = _serialized(connection, "json_serialize_sql", sql)
        unread = Unread(refusal, _fault(told, sql) if told.get("error") else Fault("parser", str(error), sql))
        return self._with_step(connection, unread)

    def may_ask(self, tree: dict[str, Any]) -> bool:
        """True where a tree that was made from a judged one still only reads this canvas."""
        return gate.judge_tree(tree, self._catalog, lambda name: self._is_table(name, set())) is None

    def asked(self, sql: str) -> failures.Asked:
        """A question that failed, with what is known around it."""
        return failures.Asked(sql=sql, names=self._tables.names(), tag=self._settings.tag, state=self._tables.state)

    def _judge(self, connection: Connection, sql: str, named: set[str]) -> Judged:
        found = statements(connection, sql)
        if len(found) != 1:
            raise QueryRefused(failures.not_one([text for _, text in found]))
        kind, text = found[0]
        if kind == "EXPLAIN" and (parts := explained(text)) is not None:
            return Judged(self._behind(connection, parts.words, parts.statement, named).statement, parts.words)
        if kind == "PRAGMA" and (asked := _PRAGMA_SHOW.fullmatch(text)):
            return self._judge(connection, "SHOW ALL TABLES" if asked[1] else "SHOW TABLES", named)
        if kind != "SELECT":
            step = self._mender.not_a_read(connection, text, SHOW_TABLES)
            refusal = self._in_place_of_copy(connection, kind, text) or failures.not_a_select(kind, text, step)
            raise QueryRefused(refusal)
        if (rest := summarized(text)) is not None:
            inner = self._behind(connection, "SUMMARIZE", self._summarized(connection, rest), named)
            return msgspec.structs.replace(
                inner, statement=f"SUMMARIZE {inner.statement}", tree={}, doubts=Doubts(), summarized=inner.statement
            )
        tree = self._judge_tree(connection, text, named)
        tables = frozenset(named)
        self._tables.make(tables, connection)
        plan = self._judge_plan(connection, text, tree, named)
        if showing.shown(tree) == "TABLES":
            return Judged(self._all_tables())
        return Judged(text, tree=tree, doubts=doubts(plan), tables=tables)

    def _behind(self, connection: Connection, words: str, sql: str, named: set[str]) -> Judged:
        """Judge what stands behind the words of an EXPLAIN or a SUMMARIZE; what is wrong with it is mended behind them."""
        try:
            return self._judge(connection, sql, named)
        except Unread as unread:
            unread.words = f"{words} {unread.words}"
            raise

    def _in_place_of_copy(self, connection: Connection, kind: str, text: str) -> Refusal | None:
        call = copied(text) if kind == "COPY" and self._settings.export_directory else None
        return None if call is None else copy_refused(call, self._mender.sound(connection, call))

    def _summarized(self, connection: Connection, rest: str) -> str:
        """What follows SUMMARIZE as a statement: a table, a table's column (`t.state`), or a query."""
        if (parts := table_column(rest)) and self._has_columns(parts):
            return f"SELECT {quote(parts.column)} FROM {quote(parts.table)}"
        try:
            statements(connection, f"FROM {rest}")
        except ParserError:
            return rest
        return f"FROM {rest}"

    def _has_columns(self, parts: TableColumn) -> bool:
        """Whether the first of two names is meant to be a table, and not a schema with the second as its table."""
        return fold(parts.table) != gate.MAIN and not (
            self._is_table(parts.column, set()) and not self._is_table(parts.table, set())
        )

    def _all_tables(self) -> str:
        """What SHOW TABLES gives, with the tables that are made when they are first named."""
        names = ", ".join(quoted_text(name) for name in self._tables.names())
        return f"SELECT unnest([{names}]) AS name ORDER BY ALL"

    def _judge_tree(self, connection: Connection, sql: str, named: set[str]) -> dict[str, Any]:
        tree = _serialized(connection, "json_serialize_sql", sql)
        if tree.get("error"):
            raise self._failed(connection, tree, sql, named)
        verdict = gate.judge_tree(tree, self._catalog, lambda name: self._is_table(name, named))
        if isinstance(verdict, Refusal):
            raise QueryRefused(verdict)
        if verdict is not None:
            missing = Fault("catalog", f"Table with name {verdict} does not exist!", sql)
            raise Unread(failures.unknown_table(verdict, self.asked(sql)), missing, named, verdict)
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
            raise self._failed(connection, plan, sql, named, tree)
        verdict = gate.judge_plan(plan, self._catalog)
        if verdict is not None:
            raise QueryRefused(verdict)
        return plan

    def _failed(
        self,
        connection: Connection,
        answer: dict[str, Any],
        sql: str,
        named: set[str],
        tree: dict[str, Any] | None = None,
    ) -> Unread:
        fault = _fault(answer, sql, tree)
        if fault.kind == "interrupt":
            raise Interrupted(fault.message)
        if fault.kind == "out of memory":
            raise OutOfMemory(fault.message)
        asked = self._asked(connection, sql, named)
        if (missing := _MISSING.search(fault.message)) is not None:
            asked = msgspec.structs.replace(asked, elsewhere=_elsewhere(connection, missing[1], named))
        refused = failures.refusal(fault.kind, fault.message, asked)
        return Unread(refused, fault, named, str(answer.get("name", "")))

    def _asked(self, connection: Connection, sql: str, named: Iterable[str]) -> failures.Asked:
        columns = [
            (table, ", ".join(printed_name(column) for column in found))
            for table in sorted(named, key=fold)[:MAX_TABLES]
            if (found := _columns(connection, table))
        ]
        return msgspec.structs.replace(self.asked(sql), columns=columns)


def _fault(answer: dict[str, Any], sql: str, tree: dict[str, Any] | None = None) -> Fault:
    """The fault that one of DuckDB's functions writes in place of a tree or a plan."""
    at = re.fullmatch(r"\[(\d+),\s*(\d+)\]", str(answer.get("location", "")))
    place = (int(at[1]), int(at[2])) if at else None
    return Fault(str(answer.get("error_type", "")), str(answer.get("error_message", "")), sql, place, tree)


def _elsewhere(connection: Connection, column: str, named: Iterable[str]) -> list[str]:
    """The tables that have a column of this name, but for those that are named."""
    found = connection.execute(
        "SELECT DISTINCT table_name FROM duckdb_columns() WHERE lower(column_name) = lower(?) AND schema_name = 'main'"
        " AND NOT internal AND NOT list_contains(?, lower(table_name)) ORDER BY ALL DESC LIMIT ?",
        [column, [fold(name) for name in named], MAX_TABLES],
    ).fetchall()
    return [f"{printed_name(table)} has a column {printed_name(column)}." for (table,) in found]


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
