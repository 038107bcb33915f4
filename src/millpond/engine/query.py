"""Query: one question of an agent, from raw arguments to the raw result.

Rule: nothing runs before it is judged, everything runs inside BEGIN TRANSACTION READ ONLY, and whatever happens becomes an answer or
an error with a reason. Imports `core` and the engine's modules.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Literal

from millpond.core import gate
from millpond.core.arguments import Arguments, read_arguments
from millpond.core.errors import EngineFailed, QueryRefused, Reason, Refusal
from millpond.core.model import EngineSettings, Tables, TableState
from millpond.core.render import render
from millpond.core.replies import Answer, answer_result, cut_notes, refusal_result
from millpond.core.sql import after_explain, without_leading_comments
from millpond.engine import exits, failures
from millpond.engine.database import Connection, Database, DatabaseError, Interrupted, OutOfMemory, statements
from millpond.engine.fetch import Fetched, fetch

Why = Literal["cancelled", "timeout"]
_PRAGMA_SHOW = re.compile(r"pragma\s+show_tables(_expanded)?\s*;?\s*", re.IGNORECASE)


class QueryRunner:
    """Answers the own tool on one canvas. Safe for several threads: each question has a cursor of its own."""

    def __init__(self, database: Database, tables: Tables, settings: EngineSettings) -> None:
        self._database = database
        self._tables = tables
        self._settings = settings
        self._guard = threading.Lock()
        self._running: dict[int, Connection] = {}
        self._stopped: dict[int, Why] = {}
        connection = database.cursor()
        found = connection.execute("SELECT current_database()").fetchone()
        connection.close()
        self._catalog = str(found[0]) if found else ""

    def answer(self, id: int, arguments: bytes | memoryview, query_tool: str) -> bytes:
        """The `result` value for these raw arguments. Never raises but for what ends the process."""
        try:
            return answer_result(self._answer(id, arguments, query_tool))
        except QueryRefused as refused:
            return refusal_result(refused.refusal)
        except EngineFailed as error:
            return refusal_result(Refusal(Reason.EXECUTION_ERROR, f"{error}. Call the tool again for its rows."))
        except (MemoryError, OutOfMemory):
            return refusal_result(exits.out_of_memory())
        except DatabaseError as error:
            return refusal_result(failures.explain(error, self._tables.names(), self._settings.directory))
        finally:
            with self._guard:
                self._stopped.pop(id, None)

    def stop(self, id: int, why: Why) -> None:
        """Make the query that runs under this id end with that reason; another id is passed over."""
        with self._guard:
            connection = self._running.get(id)
            if connection is not None:
                self._stopped[id] = why
                connection.interrupt()

    def _answer(self, id: int, raw: bytes | memoryview, query_tool: str) -> Answer:
        arguments = read_arguments(raw, query_tool)
        if isinstance(arguments, Refusal):
            raise QueryRefused(arguments)
        self._not_offered(arguments)
        self._tables.flush()
        with self._cursor(id) as connection:
            sql = self._judged(connection, arguments.sql)
            most = arguments.max_rows or self._settings.max_rows
            found = self._run(connection, sql, most, exact_total=arguments.exact_total)
        return self._compose(arguments, found, most)

    def _not_offered(self, arguments: Arguments) -> None:
        if arguments.canvas is not None and arguments.canvas != self._settings.canvas:
            raise QueryRefused(
                Refusal(Reason.CANVAS_NOT_FOUND, "There is no such canvas here. Leave `canvas` out to ask this one.")
            )
        if arguments.save_as is not None:
            raise QueryRefused(
                Refusal(
                    Reason.BAD_ARGUMENT,
                    "`save_as` is not offered. Leave it out, and write the query as a CTE (WITH) instead.",
                )
            )

    @contextmanager
    def _cursor(self, id: int) -> Generator[Connection]:
        connection = self._database.cursor()
        with self._guard:
            self._running[id] = connection
        try:
            yield connection
        except Interrupted as error:
            with self._guard:
                why = self._stopped.get(id)
            if why == "timeout":
                raise QueryRefused(exits.timed_out(self._settings.timeout_seconds)) from error
            raise QueryRefused(
                Refusal(Reason.CANCELLED, "The query was cancelled. Run it again if it is still wanted.")
            ) from error
        finally:
            with self._guard:
                self._running.pop(id, None)
            connection.close()

    # --- judging ------------------------------------------------------------------------------------------------

    def _judged(self, connection: Connection, sql: str) -> str:
        """The statement to run. Raises `QueryRefused`."""
        found = statements(connection, sql)
        if len(found) != 1:
            raise QueryRefused(failures.not_one(len(found)))
        kind, text = found[0]
        if kind == "EXPLAIN":
            self._judged(connection, after_explain(text))
            return text
        if kind == "PRAGMA" and (shown := _PRAGMA_SHOW.fullmatch(without_leading_comments(text))):
            return "SHOW ALL TABLES" if shown[1] else "SHOW TABLES"
        if kind != "SELECT":
            raise QueryRefused(failures.not_a_select(kind, text))
        self._judge_tree(connection, text)
        self._judge_plan(connection, text)
        return text

    def _judge_tree(self, connection: Connection, sql: str) -> None:
        named: set[str] = set()
        tree = _serialized(connection, "json_serialize_sql", sql)
        verdict = gate.judge_tree(tree, lambda name: self._is_table(name, named))
        if isinstance(verdict, Refusal):
            raise QueryRefused(verdict)
        if verdict is not None:
            state = self._tables.state(verdict)
            names = self._tables.names()
            raise QueryRefused(
                failures.unknown_table(
                    verdict, evicted=state is TableState.EVICTED, tag=self._settings.tag, names=names
                )
            )
        self._tables.make(frozenset(named))

    def _is_table(self, name: str, named: set[str]) -> bool:
        state = self._tables.state(name)
        if state is TableState.PENDING:
            named.add(name)
        return state in (TableState.STORED, TableState.PENDING)

    def _judge_plan(self, connection: Connection, sql: str) -> None:
        """What the binder resolved must be the canvas's, whatever the text called it."""
        plan = _serialized(connection, "json_serialize_plan", sql)
        if plan.get("error"):
            if "serializ" in str(plan.get("error_message", "")).lower():
                return  # a plan that DuckDB cannot write down (contract test: SHOW and SUMMARIZE); its tree was judged whole
            raise QueryRefused(failures.from_message(str(plan.get("error_message")), self._tables.names()))
        verdict = gate.judge_plan(plan, self._catalog)
        if verdict is not None:
            raise QueryRefused(verdict)

    # --- running ------------------------------------------------------------------------------------------------

    def _run(self, connection: Connection, sql: str, most: int, *, exact_total: bool) -> _Found:
        connection.execute("BEGIN TRANSACTION READ ONLY")
        try:
            fetched = fetch(connection, sql, most + 1)
            total: int | None = len(fetched.rows) if len(fetched.rows) <= most else None
            if exact_total and total is None:
                counted = connection.execute(f"SELECT count(*) FROM ({_bare(sql)}\n)").fetchone()
                total = counted[0] if counted else None
            return _Found(fetched, total)
        finally:
            connection.execute("ROLLBACK")

    def _compose(self, arguments: Arguments, found: _Found, most: int) -> Answer:
        names = [name for name, _ in found.fetched.columns]
        rows = found.fetched.rows[:most]
        limit, cell = self._settings.max_answer_bytes, self._settings.max_cell_bytes
        text = render(names, rows, arguments.format, limit, cell)
        full = text.rows < len(rows)
        more = full or len(found.fetched.rows) > most
        notes = cut_notes(
            rows=text.rows,
            more=more,
            asked=most,
            by_bytes=limit if full else None,
            cut_cells=text.cut_cells,
            cell_bytes=cell,
        )
        if more and arguments.exact_total and found.total is not None:
            notes.append(f"{found.total} rows in all.")
        return Answer(
            text=text.text,
            columns=tuple(found.fetched.columns),
            rows=text.rows,
            truncated=more,
            total=found.total if not more or arguments.exact_total else None,
            notes=notes,
        )


class _Found:
    """What a statement gave."""

    def __init__(self, fetched: Fetched, total: int | None) -> None:
        self.fetched = fetched
        self.total = total


def _bare(sql: str) -> str:
    return sql.strip().rstrip(";")


def _serialized(connection: Connection, function: str, sql: str) -> dict[str, Any]:
    found = connection.execute(f"SELECT {function}(?::VARCHAR)", [_bare(sql)]).fetchone()
    parsed: dict[str, Any] = json.loads(found[0]) if found else {}
    if function == "json_serialize_sql" and parsed.get("error"):
        raise QueryRefused(failures.from_message(str(parsed.get("error_message")), ()))
    return parsed
