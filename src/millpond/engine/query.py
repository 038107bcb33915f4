"""Query: one question of an agent, from raw arguments to the raw result.

Rule: nothing runs before it is judged, everything runs inside BEGIN TRANSACTION READ ONLY, and whatever happens becomes an answer or
an error with a reason. Imports `core` and the engine's modules.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial

import msgspec

from millpond.core import canvas
from millpond.core.arguments import Arguments, read_arguments
from millpond.core.clip import clip
from millpond.core.dropping import dropped_name, nothing_to_keep
from millpond.core.errors import CanvasStopped, EngineFailed, QueryRefused, Reason, Refusal
from millpond.core.export import exported_text
from millpond.core.model import Call, EngineSettings, Visit
from millpond.core.render import render
from millpond.core.replies import Answer, Cuts, answer_result, cut_notes, refusal_result
from millpond.core.sql import last_offset
from millpond.core.steps import addressed
from millpond.engine import exits, failures
from millpond.engine.checking import Checker
from millpond.engine.comments import table_comment, with_comments
from millpond.engine.database import (
    BEGIN_READING,
    Connection,
    Database,
    DatabaseError,
    FatalError,
    Interrupted,
    is_lack_of_memory,
)
from millpond.engine.exits import why
from millpond.engine.exporting import Exporter
from millpond.engine.fetch import Bounds, Fetched
from millpond.engine.judging import Judge, Judged
from millpond.engine.looking import Looker
from millpond.engine.parts import Why
from millpond.engine.saving import Keeping, KeptAnswer, Saver
from millpond.engine.showing import described, fetch_plan, fetch_shown, is_listing
from millpond.engine.summarizing import ESTIMATES, summarize
from millpond.engine.tables import Tables

_HOME = Visit()


class QueryRunner:
    """Answers the own tool on one canvas. Safe for several threads: each question has a cursor of its own."""

    def __init__(self, database: Database, tables: Tables, settings: EngineSettings) -> None:
        self._database = database
        self._tables = tables
        self._settings = settings
        self._guard = threading.Lock()
        self._running: dict[int, Connection] = {}
        self._stopped: dict[int, Why] = {}
        with closing(database.cursor()) as connection:
            found = connection.execute("SELECT current_database()").fetchone()
        self._judge = Judge(tables, settings, str(found[0]) if found else "")
        self._clock = time.monotonic
        self._checker = Checker(self._judge, self._clock)
        self._saver = Saver(database, tables, settings)
        self._exporter = Exporter(settings)
        self._looker = Looker(tables, self._judge)

    def answer(
        self,
        id: int,
        arguments: bytes | memoryview,
        query_tool: str,
        call: Call | None = None,
        visit: Visit | None = None,
    ) -> bytes:
        """The `result` value for these raw arguments; `call` is what `calls` gets, where the answer is to be kept.

        `visit` tells what part another canvas has in it. Raises `CanvasStopped` where only a new process can answer.
        """
        try:
            asked = read_arguments(arguments, query_tool, exports=bool(self._settings.export_directory))
            if isinstance(asked, Refusal):
                return refusal_result(asked)
            return self._guarded(partial(self._answered, id, asked, call, visit), asked.sql, asked.canvas)
        finally:
            self._forget(id)

    def look(self, id: int, uri: str) -> bytes:
        """What a `millpond://` URI names, or where it is empty what there is: a `Looked` as JSON, or an own error.

        Raises `CanvasStopped` where only a new process can answer.
        """
        try:
            return self._guarded(partial(self._looked, id, uri))
        finally:
            self._forget(id)

    def stop(self, id: int, why: Why) -> None:
        """Make the query that runs under this id end with that reason; another id is passed over."""
        with self._guard:
            connection = self._running.get(id)
            if connection is not None:
                self._stopped[id] = why
                connection.interrupt()

    def _forget(self, id: int) -> None:
        with self._guard:
            self._stopped.pop(id, None)

    def _looked(self, id: int, uri: str) -> bytes:
        self._behind()
        with self._cursor(id) as connection:
            return self._looker.look(connection, uri)

    def _answered(self, id: int, arguments: Arguments, call: Call | None, visit: Visit | None) -> bytes:
        self._is_here(arguments, visit)
        self._exporter.check(arguments)
        behind = self._behind()
        name = dropped_name(arguments.sql)
        if name is not None:
            return self._drop(name, arguments, visit)
        return self._answer(id, arguments, call, visit or _HOME, behind)

    def _guarded(self, work: Callable[[], bytes], sql: str = "", named: str | None = None) -> bytes:
        """What the work gives; an own error for all that it raises, but for `CanvasStopped`.

        `sql` is the statement that was asked, and `named` the canvas that the call named: what it is told to send names that too.
        """
        try:
            return work()
        except QueryRefused as refused:
            refusal = refused.refusal
        except EngineFailed as error:
            refusal = Refusal(Reason.EXECUTION_ERROR, f"{error}. Call the tool again for its rows.")
        except MemoryError:
            refusal = exits.out_of_memory()
        except FatalError as error:
            raise CanvasStopped(type(error).__name__) from error
        except DatabaseError as error:
            is_lack = is_lack_of_memory(error)
            refusal = (
                exits.out_of_memory() if is_lack else failures.explain(str(error), self._judge.asked(sql), ran=True)
            )
        if named is not None and refusal.step:
            refusal = replace(refusal, step=addressed(refusal.step, named))
        return refusal_result(refusal)

    def _answer(self, id: int, arguments: Arguments, call: Call | None, visit: Visit, behind: tuple[str, ...]) -> bytes:
        with self._cursor(id) as connection, self._saver.held(connection, arguments, call, visit) as keeping:
            given = None if keeping is None else keeping.given
            judged = given or self._judge.judge(connection, arguments.sql)
            self._go_on(id)
            started = self._clock()
            if arguments.export is not None:
                with self._told(connection, judged):
                    return self._export(id, connection, judged, arguments.export, behind)
            with self._told(connection, judged):
                found = self._run(connection, judged, arguments, keeping, partial(self._go_on, id))
            more = self._checker.notes(connection, judged, found.fetched.rows, started)
            more = [*table_comment(connection, judged.tree), *more, *_estimates(judged, is_kept=keeping is not None)]
            if keeping is not None and found.kept is not None:
                more = keeping.store(connection, found.kept, partial(self._go_on, id)) + more
        if visit.lend is not None:
            return answer_result(Answer(text="", columns=(), rows=0, truncated=False, notes=[*more, *behind]))
        notes = [*more, *visit.notes, *behind, *self._tables.news()]
        return answer_result(self._compose(arguments, judged, found, notes))

    def _export(self, id: int, connection: Connection, judged: Judged, name: str, behind: tuple[str, ...]) -> bytes:
        started = self._clock()
        written = self._exporter.write(connection, judged, name, partial(self._go_on, id))
        doubts = self._checker.notes(connection, judged, written.sample, started)
        return answer_result(
            Answer(
                text=exported_text(written.exported),
                columns=written.columns,
                rows=0,
                truncated=False,
                total=written.exported.rows,
                notes=[*written.notes, *doubts, *_estimates(judged, is_kept=True), *behind],
                exported=written.exported,
            )
        )

    @contextmanager
    def _told(self, connection: Connection, judged: Judged) -> Generator[None]:
        """Where a statement fails at a value, raise `QueryRefused` with one that may not."""
        try:
            yield
        except (FatalError, Interrupted):
            raise
        except DatabaseError as error:
            if is_lack_of_memory(error):
                raise
            raise QueryRefused(self._judge.ran_into(connection, judged, error)) from error

    def _drop(self, name: str, arguments: Arguments, visit: Visit | None) -> bytes:
        """Drop a table. Sent again after a restart, it says what became of it."""
        if visit is not None:
            raise QueryRefused(canvas.no_guest("nothing is dropped there"))
        if arguments.save_as is not None or arguments.export is not None:
            raise QueryRefused(nothing_to_keep())
        said = self._tables.drop(name)
        if said is None:
            raise QueryRefused(failures.unknown_table(name, self._judge.asked(arguments.sql)))
        return answer_result(Answer(text=said, columns=(), rows=0, truncated=False, total=0, notes=self._tables.news()))

    def _is_here(self, arguments: Arguments, visit: Visit | None) -> None:
        """Raises `QueryRefused` where another canvas is meant: who reaches others has seen to it before."""
        if arguments.canvas is None or (visit is not None and visit.borrow is not None):
            return
        if not canvas.is_id(arguments.canvas):
            raise QueryRefused(canvas.malformed())
        if not canvas.is_same(arguments.canvas, self._settings.canvas):
            raise QueryRefused(canvas.not_found())

    def _behind(self) -> tuple[str, ...]:
        """Commit what was recorded. Where that fails, what is stored can still be asked, and the answer says what it lacks."""
        try:
            self._tables.flush()
        except FatalError:
            raise
        except DatabaseError as error:
            return (
                f"The latest small results are not in the tables yet: {why(error)}. Call their tools again if you need them.",
            )
        return ()

    @contextmanager
    def _cursor(self, id: int) -> Generator[Connection]:
        connection = self._database.cursor()
        with self._guard:
            self._running[id] = connection
        try:
            yield connection
        except Interrupted:
            with self._guard:
                why = self._stopped.get(id, "cancelled")
            raise QueryRefused(self._stopping(why)) from None
        finally:
            with self._guard:
                self._running.pop(id, None)
            connection.close()

    def _go_on(self, id: int) -> None:
        """Raises `QueryRefused` where the query was stopped between two statements: DuckDB forgets such an interrupt."""
        with self._guard:
            why = self._stopped.get(id)
        if why is not None:
            raise QueryRefused(self._stopping(why))

    def _stopping(self, why: Why) -> Refusal:
        if why == "timeout":
            return exits.timed_out(self._settings.timeout_seconds)
        return Refusal(Reason.CANCELLED, "The query was cancelled. Run it again if it is still wanted.")

    def _run(
        self,
        connection: Connection,
        judged: Judged,
        arguments: Arguments,
        keeping: Keeping | None,
        go_on: Callable[[], None],
    ) -> _Found:
        connection.execute(BEGIN_READING)
        try:
            if keeping is not None:
                kept = keeping.run(connection, judged, self._bounds(arguments))
                connection.execute("COMMIT")  # A table of the connection too is gone with a rollback.
                return _Found(kept.fetched, kept.rows, kept)
            if judged.explain:
                fetched = fetch_plan(connection, judged)
                return _Found(fetched, len(fetched.rows))
            if judged.summarized:
                fetched = summarize(connection, judged.summarized, self._bounds(arguments).rows, go_on)
                return _Found(fetched, None if fetched.stopped else len(fetched.rows))
            fetched = fetch_shown(connection, judged, self._bounds(arguments))
            fetched = with_comments(connection, judged.tree, fetched)
            whole = len(fetched.rows) <= self._bounds(arguments).rows and not fetched.stopped
            total: int | None = len(fetched.rows) if whole else None
            if arguments.exact_total and total is None:
                counted = connection.execute(f"SELECT count(*) FROM ({judged.statement}\n)").fetchone()
                total = counted[0] if counted else None
            return _Found(fetched, total)
        finally:
            with suppress(DatabaseError):  # The connection is closed next, which ends the transaction too.
                connection.execute("ROLLBACK")

    def _bounds(self, arguments: Arguments) -> Bounds:
        settings = self._settings
        return Bounds(arguments.max_rows or settings.max_rows, settings.max_answer_bytes, settings.max_cell_bytes)

    def _compose(self, arguments: Arguments, judged: Judged, found: _Found, more_notes: list[str]) -> Answer:
        bounds = self._bounds(arguments) if found.kept is None else found.kept.bounds
        cell_bytes = bounds.answer_bytes if judged.explain or judged.summarized else bounds.cell_bytes
        names = [name for name, _ in found.fetched.columns]
        rows = found.fetched.rows[: bounds.rows]
        text = render(names, rows, arguments.format, bounds.answer_bytes, cell_bytes)
        more = text.rows < len(found.fetched.rows)
        cuts = Cuts(
            rows=text.rows,
            max_rows=bounds.rows if more and text.rows == bounds.rows else None,
            answer_bytes=bounds.answer_bytes if more and text.rows < bounds.rows else None,
            cells=text.cut_cells,
            names=text.cut_names,
            cell_bytes=text.cell_bytes,
            total=found.total if more else None,
            offset=last_offset(judged.statement),
            is_listing=is_listing(judged),
            described=described(judged),
            is_wide=not text.text.replace("…", "").isascii(),
            is_kept=found.kept is not None,
        )
        return Answer(
            text=text.text,
            columns=tuple((clip(name, bounds.cell_bytes).text, kind) for name, kind in found.fetched.columns),
            rows=text.rows,
            truncated=more or bool(judged.summarized and found.fetched.stopped),
            total=found.total if not more or arguments.exact_total or found.kept else None,
            saved_as=arguments.save_as,
            notes=[*cut_notes(cuts), *found.fetched.notes, *more_notes],
        )


def _estimates(judged: Judged, *, is_kept: bool) -> list[str]:
    """What is to be said where a SUMMARIZE has DuckDB's columns: in another statement, and in what is kept or written."""
    return [ESTIMATES] if judged.estimates or (judged.summarized and is_kept) else []


class _Found(msgspec.Struct, frozen=True):
    """What a statement gave."""

    fetched: Fetched
    total: int | None
    """How many rows there are in all, where that is known."""
    kept: KeptAnswer | None = None
    """The whole of it, where it is to be kept."""
