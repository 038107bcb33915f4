"""Store: what a canvas keeps: one transaction a call, its tables and its rows in `calls` and `results`.

Rule: what was acknowledged is committed; a table is made once, from every row. Safe for several threads: each works on a cursor of
its own, and the ledger is guarded. Imports `core` and the engine's `database` and `load`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec

from millpond.core import plan
from millpond.core.errors import EngineFailed
from millpond.core.handle import HandleText, handle_meta, handle_text
from millpond.core.ledger import Ledger
from millpond.core.model import Call, EngineSettings, Outcome, TableState, Verdict
from millpond.core.names import fold, quote
from millpond.core.preview import preview
from millpond.core.replacement import replace_result
from millpond.engine.ahead import load_rows
from millpond.engine.database import Connection, Database, DatabaseError, OutOfMemory
from millpond.engine.exits import NO_MEMORY

PART_BYTES = 1 << 20
"""Bytes of a part of a result in `results`: whole values of 100 MiB take four times their size while they are written."""
OWN_TABLES = ("calls", "results")

_CREATE = """
CREATE TABLE IF NOT EXISTS calls (
    number BIGINT, tool VARCHAR, arguments VARCHAR, time VARCHAR, bytes BIGINT, tables VARCHAR[], note VARCHAR);
CREATE TABLE IF NOT EXISTS results (call BIGINT, part BIGINT, text VARCHAR);
"""
_CALL_SPEC = (
    '[{"number":"BIGINT","tool":"VARCHAR","arguments":"VARCHAR","time":"VARCHAR","bytes":"BIGINT",'
    '"tables":["VARCHAR"],"note":"VARCHAR"}]'
)
_EVICTED = "evicted to make room; call the tool again for its rows"


class _Row(msgspec.Struct, frozen=True):
    number: int
    tool: str
    arguments: str
    time: str
    bytes: int
    tables: tuple[str, ...]
    note: str | None


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
        self._recorded: list[tuple[Call, bytes]] = []
        connection = database.cursor()
        connection.execute(_CREATE)
        self._reopen(connection)
        connection.close()

    @property
    def last_number(self) -> int:
        """The highest call number that is committed; 0 in a new canvas."""
        return self._ledger.last_number

    # --- taking results -----------------------------------------------------------------------------------------

    def take(self, call: Call, result: memoryview, query_tool: str) -> Outcome:
        """Decide on a result and store it. Returns after the commit; never raises.

        A result that goes on as it came is recorded like those that never reached the engine.
        """
        try:
            return self._take(call, result, query_tool)
        except (MemoryError, OutOfMemory):
            return Outcome(verdict=Verdict.NO_MEMORY, note=NO_MEMORY)
        except EngineFailed as error:
            return Outcome(verdict=Verdict.FAILED, note=str(error))
        except DatabaseError as error:
            return Outcome(verdict=Verdict.FAILED, note=f"the engine could not store it ({type(error).__name__})")

    def _take(self, call: Call, result: memoryview, query_tool: str) -> Outcome:
        reading = _read(result)
        if reading is None or not call.replaceable or not plan.is_replaced(reading, call.mode, self._thresholds):
            self.record(call, result)
            return Outcome(verdict=Verdict.KEEP)
        names = plan.names(reading, call.tool, self._settings.tag, call.number)
        with self._transaction() as connection:
            self._forget(connection, call.number, names)
            plans = tuple(map(partial(load_rows, connection), names, reading.shape.row_sets))
            row = self._row(call, result, names, "; ".join(reading.payload.notes))
            self._insert(connection, [(row, result)])
        gone = self._enter([row], made=True)
        handle = HandleText(
            canvas=self._settings.canvas,
            call=call.number,
            bytes=len(result),
            query_tool=query_tool,
            tables=plan.tables(plans, names),
            previews=tuple(preview(table, rows=3) for table in plans),
            notes=reading.payload.notes + _gone_note(gone),
            rest=reading.shape.rest,
            empty=reading.shape.empty,
        )
        text = handle_text(handle, self._settings.handle_tokens)
        return Outcome(verdict=Verdict.REPLACE, body=replace_result(reading.payload, text, handle_meta(handle)))

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Keep a result that went on as it came; it is committed with the next `flush`."""
        with self._guard:
            self._recorded.append((call, bytes(result)))

    def flush(self) -> int:
        """Commit what was recorded. Returns the highest number that is committed."""
        with self._flushing:
            with self._guard:
                waiting = list(self._recorded)  # A copy: more is recorded while these are committed.
            if waiting:
                self._commit(waiting)
                with self._guard:
                    self._recorded = self._recorded[len(waiting) :]
            return self._ledger.last_number

    def _commit(self, waiting: Sequence[tuple[Call, bytes]]) -> None:
        rows = [
            (self._row(call, result, self._pending_names(call, result), None), memoryview(result))
            for call, result in waiting
        ]
        with self._transaction() as connection:
            for row, _ in rows:
                self._forget(connection, row.number, row.tables)
            self._insert(connection, rows)
        self._enter([row for row, _ in rows], made=False)

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

    def make(self, names: frozenset[str]) -> None:
        """Make the pending tables among these. Raises `EngineFailed` where one cannot be made."""
        with self._changing:
            with self._guard:
                numbers = self._ledger.pending_calls(names)
            for number in numbers:
                try:
                    self._make(number)
                except DatabaseError as error:
                    raise EngineFailed(f"the tables of call {number} could not be made: {error}") from error

    def _make(self, number: int) -> None:
        with self._transaction() as connection:
            parts = connection.execute("SELECT text FROM results WHERE call = ? ORDER BY part", [number]).fetchall()
            found = connection.execute("SELECT tables FROM calls WHERE number = ?", [number]).fetchone()
            reading = _read(memoryview("".join(part for (part,) in parts).encode()))
            if reading is None or found is None:
                raise EngineFailed(f"the result of call {number} is no longer there")
            _drop(connection, found[0])
            for name, rows in zip(found[0], reading.shape.row_sets, strict=True):
                load_rows(connection, name, rows)
        with self._guard:
            self._ledger.made(number)

    # --- rows of calls and results ------------------------------------------------------------------------------

    def _row(self, call: Call, result: bytes | memoryview, names: tuple[str, ...], note: str | None) -> _Row:
        arguments = call.arguments.decode("utf-8", "backslashreplace")
        return _Row(call.number, call.tool, arguments, call.time, len(result), names, note or None)

    def _insert(self, connection: Connection, rows: Sequence[tuple[_Row, memoryview]]) -> None:
        text = msgspec.json.encode([row for row, _ in rows]).decode()
        connection.execute(
            f"INSERT INTO calls SELECT r.* FROM (SELECT unnest(from_json(?, '{_CALL_SPEC}')) AS r)", [text]
        )
        small = [
            {"call": row.number, "part": 1, "text": str(result, "utf-8", "backslashreplace")}
            for row, result in rows
            if len(result) <= PART_BYTES
        ]
        if small:
            spec = '[{"call":"BIGINT","part":"BIGINT","text":"VARCHAR"}]'
            connection.execute(
                f"INSERT INTO results SELECT r.* FROM (SELECT unnest(from_json(?, '{spec}')) AS r)",
                [msgspec.json.encode(small).decode()],
            )
        for row, result in rows:
            if len(result) > PART_BYTES:
                for part, text in enumerate(_parts(result), 1):
                    connection.execute("INSERT INTO results VALUES (?, ?, ?)", [row.number, part, text])

    def _forget(self, connection: Connection, number: int, names: Sequence[str]) -> None:
        """Take back what an earlier try of the same call may have left: a result is sent again after a restart."""
        if number > self.last_number:
            return
        _drop(connection, names)
        connection.execute("DELETE FROM calls WHERE number = ?", [number])
        connection.execute("DELETE FROM results WHERE call = ?", [number])

    def _enter(self, rows: Sequence[_Row], *, made: bool) -> tuple[int, ...]:
        """Enter committed calls in the ledger, and evict the oldest to make room for them. Returns the evicted ones' numbers.

        Eviction is a transaction of its own, one at a time: two that delete the same rows beside one another fail.
        """
        with self._changing:
            with self._guard:
                gone = self._ledger.over(len(rows), sum(row.bytes for row in rows))
                tables = self._ledger.tables_of(gone)
            if gone and not self._evict(gone, tables):
                gone = ()
            with self._guard:
                self._ledger.remove(gone)
                for row in rows:
                    self._ledger.add(row.number, row.bytes, row.tables, made=made)
        return gone

    def _evict(self, gone: tuple[int, ...], tables: Sequence[str]) -> bool:
        """Drop calls' tables and results. False where that fails: what was to be stored is stored, and room is made later."""
        try:
            with self._transaction() as connection:
                _drop(connection, tables)
                connection.execute("DELETE FROM results WHERE call IN (SELECT unnest(?::BIGINT[]))", [list(gone)])
                connection.execute(
                    "UPDATE calls SET note = ? WHERE number IN (SELECT unnest(?::BIGINT[]))", [_EVICTED, list(gone)]
                )
                connection.execute("DELETE FROM calls WHERE number < ?", [gone[-1] - self._settings.max_calls])
        except DatabaseError:
            return False
        return True

    def _reopen(self, connection: Connection) -> None:
        """Enter what a file that was there before holds."""
        stored = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        rows = connection.execute("SELECT number, bytes, tables, note FROM calls ORDER BY number").fetchall()
        for number, size_bytes, tables, note in rows:
            self._ledger.last_number = max(self._ledger.last_number, number)
            if note != _EVICTED:
                self._ledger.add(number, size_bytes, tables, made=all(name in stored for name in tables))

    def _transaction(self) -> _Transaction:
        return _Transaction(self._database.cursor())


class _Transaction:
    """A transaction on a cursor of its own: committed at the end, rolled back on any error."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> Connection:
        self._connection.execute("BEGIN TRANSACTION")
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self._connection.execute("COMMIT" if kind is None else "ROLLBACK")
        finally:
            self._connection.close()


def _drop(connection: Connection, tables: Iterable[str]) -> None:
    for name in tables:
        connection.execute(f"DROP TABLE IF EXISTS {quote(name)}")


def _read(result: memoryview) -> plan.Reading | None:
    try:
        return plan.read(result)
    except (msgspec.DecodeError, RecursionError):
        return None


def _parts(result: memoryview) -> Iterator[str]:
    """The text in parts of at most `PART_BYTES`, cut between characters."""
    start = 0
    while start < len(result):
        end = min(start + PART_BYTES, len(result))
        while end < len(result) and end > start + PART_BYTES - 4 and result[end] & 0xC0 == 0x80:
            end -= 1
        yield str(result[start:end], "utf-8", "backslashreplace")
        start = end


def _gone_note(gone: tuple[int, ...]) -> tuple[str, ...]:
    if not gone:
        return ()
    which = f"call {gone[0]}" if len(gone) == 1 else f"calls {gone[0]} to {gone[-1]}"
    return (f"{which} evicted to make room",)
