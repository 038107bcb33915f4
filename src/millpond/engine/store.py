"""Store: what a canvas keeps: one transaction a call, its tables and its rows in `calls` and `results`.

Rule: what was acknowledged is committed; a table is made once, from every row. Safe for several threads: each works on a cursor of
its own, and what is shared is guarded. Imports `core` and the engine's modules.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from functools import partial

import msgspec

from millpond.core import plan
from millpond.core.columns import Plan
from millpond.core.errors import CanvasStopped, EngineFailed
from millpond.core.model import Call, EngineSettings, Outcome, TableState, ToolText, Verdict
from millpond.core.names import quote
from millpond.engine import calls as rows_of_calls
from millpond.engine.ahead import load_rows, one_thread
from millpond.engine.calls import CallRow, row_of
from millpond.engine.comments import Meanings
from millpond.engine.database import (
    Connection,
    Database,
    DatabaseError,
    FatalError,
    Interrupted,
    OutOfMemory,
    is_lack_of_memory,
    transaction,
)
from millpond.engine.exits import NO_MEMORY, why
from millpond.engine.handles import Handles
from millpond.engine.holdings import Holdings, drop_tables
from millpond.engine.tables import Saved
from millpond.engine.texts import BATCH_BYTES, Texts

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError)
"""What a result raises that is no JSON after all."""
_TEXT_OF = "SELECT part, substr(text, 1, 500) FROM results WHERE call = {}"


class Store:
    """The calls and tables of one canvas, in one database."""

    def __init__(self, database: Database, settings: EngineSettings) -> None:
        self._database = database
        self._settings = settings
        self._thresholds = plan.Thresholds(
            inline_rows_bytes=settings.inline_rows_bytes, inline_text_bytes=settings.inline_text_bytes
        )
        self._guard = threading.Lock()
        self._flushing = threading.Lock()
        self._sweeping = threading.Lock()
        self._recorded: list[tuple[Call, bytes]] = []
        self._texts = Texts(database)
        self._meanings = Meanings(settings.notes)
        self._handles = Handles(database, settings, self._meanings)
        self._holdings = Holdings(database, self._texts, settings)
        with closing(database.cursor()) as connection:
            rows_of_calls.create(connection, settings.canvas)
            self._orphans = self._holdings.reopen(connection)
        """Calls that a kill left without a row; their texts go when the canvas is written to, for opening it must need no room."""

    @property
    def last_number(self) -> int:
        """The highest call number that is committed; 0 in a new canvas."""
        return self._holdings.last_number

    def learn(self, tools: Sequence[ToolText]) -> None:
        """Know what the server says of its tools, for tables that are made from now on."""
        self._meanings.learn(tools)

    @property
    def evicted(self) -> int:
        """Calls that were evicted by this process."""
        return self._holdings.evicted

    # --- taking results -----------------------------------------------------------------------------------------

    def take(self, call: Call, result: memoryview, query_tool: str) -> Outcome:
        """Decide on a result and store it. Returns after the commit; raises nothing but `CanvasStopped`.

        A result that goes on as it came is recorded like those that never reached the engine.
        """
        try:
            return self._take(call, result, query_tool)
        except MemoryError:
            return Outcome(verdict=Verdict.NO_MEMORY, note=NO_MEMORY)
        except _UNREADABLE:  # Found deep in the rows only, as with invalid UTF-8.
            self.record(msgspec.structs.replace(call, replaceable=False), result)
            return Outcome(verdict=Verdict.KEEP)
        except EngineFailed as error:
            return Outcome(verdict=Verdict.FAILED, note=str(error))
        except FatalError as error:
            raise CanvasStopped(type(error).__name__) from error
        except DatabaseError as error:
            if is_lack_of_memory(error):
                return Outcome(verdict=Verdict.NO_MEMORY, note=NO_MEMORY)
            return Outcome(verdict=Verdict.FAILED, note=why(error))

    def _take(self, call: Call, result: memoryview, query_tool: str) -> Outcome:
        reading = _read(result)
        if reading is None or not call.replaceable or not plan.is_replaced(reading, call.mode, self._thresholds):
            self.record(call, result)
            return Outcome(verdict=Verdict.KEEP)
        try:
            return self._replace(call, result, reading, query_tool)
        except RecursionError:
            return self._replace(call, result, plan.unread(result), query_tool)

    def _replace(self, call: Call, result: memoryview, reading: plan.Reading, query_tool: str) -> Outcome:
        """Store a result, and say what the client gets for it."""
        row = row_of(call, result, plan.names(reading, call.tool, self._settings.tag, call.number))
        plans = self._load(row, result, reading)
        said = self._holdings.enter([row], made=True)
        return self._handles.outcome(call, len(result), query_tool, reading, plans, self._holdings.news() + said)

    def _load(self, row: CallRow, result: memoryview, reading: plan.Reading) -> tuple[Plan, ...]:
        """Store a call with its tables. The text of a large result goes before them, and goes again where they cannot be stored."""
        self._remove_orphans()
        if len(result) <= BATCH_BYTES:
            return self._store(row, [(row.number, result)], reading)
        try:
            self._texts.insert_large(row.number, result)
            return self._store(row, (), reading)
        except BaseException:
            with suppress(DatabaseError, MemoryError):
                self._texts.remove((row.number,))
            raise

    def _store(self, row: CallRow, texts: Sequence[tuple[int, memoryview]], reading: plan.Reading) -> tuple[Plan, ...]:
        table = self._texts.room((row.number,), row.bytes) if texts else ""
        with self._database.transaction() as connection:
            self._forget(connection, row)
            with one_thread() as thread:  # The text goes in while the first rows are looked at.
                keeping = thread.submit(self._texts.insert, connection, table, texts)
                try:
                    plans = tuple(map(partial(load_rows, thread, connection), row.tables, reading.shape.row_sets))
                finally:
                    keeping.result()  # What failed first is the reason, also of all that failed after it.
            self._meanings.write(connection, row.tool, plan.tables(plans, row.tables))
            note = "; ".join(filter(None, (row.note, *plan.notes(reading, plans)))) or None
            rows_of_calls.insert(connection, [msgspec.structs.replace(row, note=note)])
        return plans

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Keep a result that went on as it came; it is committed with the next `flush`."""
        with self._guard:
            self._recorded.append((call, bytes(result)))

    def flush(self) -> None:
        """Commit what was recorded. Raises DuckDB's errors, and `CanvasStopped` where only a new process can commit."""
        with self._flushing:
            with self._guard:
                waiting = list(self._recorded)  # A copy: more is recorded while these are committed.
            if waiting:
                try:
                    self._commit(waiting)
                except FatalError as error:
                    raise CanvasStopped(type(error).__name__) from error
                with self._guard:
                    self._recorded = self._recorded[len(waiting) :]

    def _remove_orphans(self) -> None:
        """Before anything is stored, for one of them may be sent again."""
        with self._sweeping:
            if self._orphans:
                self._texts.remove(self._orphans)
                self._orphans = frozenset[int]()

    def _commit(self, waiting: Sequence[tuple[Call, bytes]]) -> None:
        self._remove_orphans()
        rows = [row_of(call, result, self._pending_names(call, result)) for call, result in waiting]
        for row, (_, result) in zip(rows, waiting, strict=True):
            if len(result) > BATCH_BYTES:
                self._texts.insert_large(row.number, memoryview(result))
        small = [(call.number, memoryview(result)) for call, result in waiting if 0 < len(result) <= BATCH_BYTES]
        numbers = {number for number, _ in small}
        table = self._texts.room(numbers, sum(len(result) for _, result in small))
        with self._database.transaction() as connection:
            for row in rows:
                self._forget(connection, row)
            rows_of_calls.insert(connection, rows)
            self._texts.insert(connection, table, small)
        self._holdings.tell(self._holdings.enter(rows, made=False))

    def _pending_names(self, call: Call, result: bytes) -> tuple[str, ...]:
        if not call.replaceable or call.mode == "never":
            return ()
        reading = _read(memoryview(result))
        if reading is None or not reading.has_rows:
            return ()
        return plan.names(reading, call.tool, self._settings.tag, call.number)

    # --- what the query side asks -------------------------------------------------------------------------------

    def state(self, name: str) -> TableState:
        """What the canvas knows of this name."""
        return self._holdings.state(name)

    def names(self) -> tuple[str, ...]:
        """Every name that can be queried now, oldest first, own tables last."""
        return self._holdings.names()

    def make(self, names: frozenset[str], connection: Connection) -> None:
        """Make the pending tables among these, on a connection that whoever waits for them can interrupt.

        Raises `EngineFailed` where one cannot be made, and DuckDB's errors where it is stopped.
        """
        with self._holdings.changing:
            for number in self._holdings.pending_calls(names):
                try:
                    self._make(number, connection)
                except (FatalError, Interrupted, OutOfMemory):
                    raise
                except (DatabaseError, *_UNREADABLE) as error:
                    raise EngineFailed(f"the tables of call {number} could not be made: {why(error)}") from error
                except RecursionError:
                    raise EngineFailed(
                        f"call {number} is nested too deep for a table: {_TEXT_OF.format(number)}"
                    ) from None

    def _make(self, number: int, connection: Connection) -> None:
        with transaction(connection):
            text = self._texts.read(connection, number)
            found = rows_of_calls.tables(connection, number)
            reading = _read(memoryview(text.encode()))
            if reading is None or found is None:
                raise EngineFailed(f"the result of call {number} is no longer there")
            tool, left = found
            drop_tables(connection, left)
            names = plan.names(reading, tool, self._settings.tag, number)
            # Those that are not left were dropped before they were made.
            lists = [pair for pair in zip(names, reading.shape.row_sets, strict=True) if pair[0] in left]
            with one_thread() as thread:
                plans = tuple(load_rows(thread, connection, name, rows) for name, rows in lists)
            self._meanings.write(connection, tool, plan.tables(plans, left))
        self._holdings.made(number)

    # --- answers that are kept ----------------------------------------------------------------------------------

    def is_taken(self, name: str) -> bool:
        """True where a table, stored or pending, has the name, or is to have it."""
        return self._holdings.is_taken(name)

    def held(self, name: str, call: int) -> AbstractContextManager[None]:
        """Hold a name for the answer of a call. Raises `QueryRefused` where another has it; a call's own table does not count."""
        return self._holdings.held(name, call)

    def in_the_way(self, size_bytes: int) -> tuple[str, ...]:
        """The tables that would be evicted for one more call of this size, with a table."""
        return self._holdings.in_the_way(size_bytes)

    def drop(self, name: str) -> str | None:
        """Drop one table. Returns what is to be said of it; None where there is no such table.

        Raises `QueryRefused` for a table of the canvas's own, and DuckDB's errors.
        """
        return self._holdings.drop(name)

    def news(self) -> tuple[str, ...]:
        """What went, or is to go, and was not told yet; once."""
        return self._holdings.news()

    def save(self, connection: Connection, saved: Saved, go_on: Callable[[], None]) -> tuple[str, ...]:
        """Store a held answer in one transaction, in place of what an earlier try left. Returns notes on what was evicted for it.

        `go_on` is called before the commit; what it raises takes everything back. Raises DuckDB's errors.
        """
        row = msgspec.structs.replace(
            row_of(saved.call, b"", (saved.name,)), bytes=saved.size_bytes, kept_bytes=saved.size_bytes
        )
        with transaction(connection):
            self._forget(connection, row)
            connection.execute(f"CREATE TABLE main.{quote(saved.name)} AS FROM {saved.source}")
            rows_of_calls.insert(connection, [row])
            go_on()
        return self._holdings.enter([row], made=True)

    # --- what stands behind it all -------------------------------------------------------------------------------

    def _forget(self, connection: Connection, row: CallRow) -> None:
        """Take back what an earlier try of the same call may have left: a result is sent again after a restart."""
        if row.number <= self.last_number:
            drop_tables(connection, row.tables)
            rows_of_calls.delete(connection, row.number)
            if row.kept_bytes <= BATCH_BYTES:  # A larger text was stored before, in place of the earlier one.
                self._texts.delete(connection, (row.number,))


def _read(result: memoryview) -> plan.Reading | None:
    try:
        return plan.read(result)
    except (*_UNREADABLE, RecursionError):
        return plan.unread(result)
