"""Store: what a canvas keeps: one transaction a call, its tables and its rows in `calls` and `results`.

Rule: what was acknowledged is committed; a table is made once, from every row. Safe for several threads: each works on a cursor of
its own, and the ledger is guarded. Imports `core` and the engine's modules that write, and `handles`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import msgspec

from millpond.core import plan
from millpond.core.columns import Plan
from millpond.core.errors import CanvasStopped, EngineFailed, QueryRefused
from millpond.core.ledger import Ledger
from millpond.core.model import Call, EngineSettings, Outcome, TableState, ToolText, Verdict
from millpond.core.names import fold, quote
from millpond.core.saving import name_taken
from millpond.engine import calls as rows_of_calls
from millpond.engine.ahead import load_rows
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
from millpond.engine.tables import Saved
from millpond.engine.texts import BATCH_BYTES, Texts

OWN_TABLES = ("calls", "results")

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
        self._ledger = Ledger(settings.tag, settings.max_calls, settings.max_canvas_bytes)
        self._guard = threading.Lock()
        self._flushing = threading.Lock()
        self._changing = threading.Lock()
        self._sweeping = threading.Lock()
        self._recorded: list[tuple[Call, bytes]] = []
        self._held: set[str] = set()
        """Names of answers that are being kept."""
        self._texts = Texts(database)
        self._meanings = Meanings(settings.notes)
        self._handles = Handles(database, settings, self._meanings)
        self._orphans: frozenset[int] = frozenset()
        """Calls that a kill left without a row; their texts go when the canvas is written to, for opening it must need no room."""
        connection = database.cursor()
        rows_of_calls.create(connection)
        self._reopen(connection)
        connection.close()

    @property
    def last_number(self) -> int:
        """The highest call number that is committed; 0 in a new canvas."""
        return self._ledger.last_number

    def learn(self, tools: Sequence[ToolText]) -> None:
        """Know what the server says of its tools, for tables that are made from now on."""
        self._meanings.learn(tools)

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
        gone = _gone_note(self._enter([row], made=True))
        return self._handles.outcome(call, len(result), query_tool, reading, plans, gone)

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
            plans = tuple(map(partial(load_rows, connection), row.tables, reading.shape.row_sets))
            self._meanings.write(connection, row.tool, plan.tables(plans, row.tables))
            note = row.note or "; ".join(plan.notes(reading, plans)) or None
            rows_of_calls.insert(connection, [msgspec.structs.replace(row, note=note)])
            if texts:
                self._texts.insert(connection, table, texts)
        return plans

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Keep a result that went on as it came; it is committed with the next `flush`."""
        with self._guard:
            self._recorded.append((call, bytes(result)))

    def flush(self) -> int:
        """Commit what was recorded. Returns the highest number that is committed.

        Raises DuckDB's errors, and `CanvasStopped` where only a new process can commit.
        """
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
            return self._ledger.last_number

    def _remove_orphans(self) -> None:
        """Before anything is stored, for one of them may be sent again."""
        with self._sweeping:
            if self._orphans:
                self._texts.remove(self._orphans)
                self._orphans = frozenset()

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
        self._enter(rows, made=False)

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
        with self._guard:
            return TableState.STORED if fold(name) in OWN_TABLES else self._ledger.state(name)

    def names(self) -> tuple[str, ...]:
        """Every name that can be queried now, oldest first, own tables last."""
        with self._guard:
            return (*self._ledger.names(), *OWN_TABLES)

    def make(self, names: frozenset[str], connection: Connection) -> None:
        """Make the pending tables among these, on a connection that whoever waits for them can interrupt.

        Raises `EngineFailed` where one cannot be made, and DuckDB's errors where it is stopped.
        """
        with self._changing:
            with self._guard:
                numbers = self._ledger.pending_calls(names)
            for number in numbers:
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
            tool, names = found
            _drop(connection, names)
            plans = tuple(map(partial(load_rows, connection), names, reading.shape.row_sets))
            self._meanings.write(connection, tool, plan.tables(plans, names))
        with self._guard:
            self._ledger.made(number)

    # --- answers that are kept ----------------------------------------------------------------------------------

    def is_taken(self, name: str) -> bool:
        """True where a table, stored or pending, has the name, or is to have it."""
        with self._guard:
            return fold(name) in (*OWN_TABLES, *self._held) or self._ledger.owner(name) is not None

    @contextmanager
    def held(self, name: str, call: int) -> Generator[None]:
        """Hold a name for the answer of a call. Raises `QueryRefused` where another has it; a call's own table does not count."""
        with self._guard:
            owner = self._ledger.owner(name)
            is_free = fold(name) not in (*OWN_TABLES, *self._held) and owner in (None, call)
            if is_free:
                self._held.add(fold(name))
        if not is_free:
            raise QueryRefused(name_taken(name, owner, self.is_taken))
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(fold(name))

    def in_the_way(self, size_bytes: int) -> tuple[str, ...]:
        """The tables that would be evicted for one more call of this size."""
        with self._guard:
            return self._ledger.tables_of(self._ledger.over(1, size_bytes))

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
        return _gone_note(self._enter([row], made=True))

    # --- what stands behind it all -------------------------------------------------------------------------------

    def _forget(self, connection: Connection, row: CallRow) -> None:
        """Take back what an earlier try of the same call may have left: a result is sent again after a restart."""
        if row.number <= self.last_number:
            _drop(connection, row.tables)
            rows_of_calls.delete(connection, row.number)
            if row.kept_bytes <= BATCH_BYTES:  # A larger text was stored before, in place of the earlier one.
                self._texts.delete(connection, (row.number,))

    def _enter(self, rows: Sequence[CallRow], *, made: bool) -> tuple[int, ...]:
        """Enter committed calls in the ledger, and evict the oldest to make room for them. Returns the evicted ones' numbers.

        Eviction is a transaction of its own, one at a time: two that delete the same rows beside one another fail.
        """
        with self._changing:
            with self._guard:
                gone = self._ledger.over(len(rows), sum(row.kept_bytes for row in rows))
                tables = self._ledger.tables_of(gone)
            if gone and not self._evict(gone, tables):
                gone = ()
            with self._guard:
                self._ledger.remove(gone)
                for row in rows:
                    self._ledger.add(row.number, row.kept_bytes, row.tables, made=made)
        return gone

    def _evict(self, gone: tuple[int, ...], tables: Sequence[str]) -> bool:
        """Drop calls' tables and results. False where that fails: what was to be stored is stored, and room is made later."""
        try:
            with self._database.transaction() as connection:
                _drop(connection, tables)
                self._texts.delete(connection, gone)
                rows_of_calls.evict(connection, gone, self._settings.max_calls)
        except DatabaseError:
            return False
        self._texts.deleted(gone)
        return True

    def _reopen(self, connection: Connection) -> None:
        """Enter what a file that was there before holds."""
        stored = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        rows = rows_of_calls.stored(connection)
        for row in rows:
            self._ledger.last_number = max(self._ledger.last_number, row.number)
            if row.is_evicted:
                self._ledger.evicted(row.tables)
            else:
                self._ledger.add(
                    row.number, row.kept_bytes, row.tables, made=all(name in stored for name in row.tables)
                )
        self._orphans = self._texts.calls() - {row.number for row in rows}


def _drop(connection: Connection, tables: Iterable[str]) -> None:
    for name in tables:
        connection.execute(f"DROP TABLE IF EXISTS {quote(name)}")


def _read(result: memoryview) -> plan.Reading | None:
    try:
        return plan.read(result)
    except (*_UNREADABLE, RecursionError):
        return plan.unread(result)


def _gone_note(gone: tuple[int, ...]) -> tuple[str, ...]:
    if not gone:
        return ()
    which = f"call {gone[0]}" if len(gone) == 1 else f"calls {gone[0]} to {gone[-1]}"
    return (f"{which} evicted to make room",)
