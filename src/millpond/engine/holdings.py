"""Holdings: what a canvas holds, within its bounds: the ledger, and the one place where something goes out of the file.

Rule: what goes, goes in a transaction of its own, one at a time, and is said to whoever is answered next. Safe for several threads.
Imports `core` and the engine's `calls`, `database` and `texts`.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from millpond.core.canvas import fullness_note, gone_note
from millpond.core.dropping import dropped_note, own_table
from millpond.core.errors import QueryRefused
from millpond.core.ledger import Bounds, Ledger
from millpond.core.model import OWN_TABLES, EngineSettings, TableState
from millpond.core.names import fold, quote
from millpond.core.saving import name_taken
from millpond.engine import calls as rows_of_calls
from millpond.engine.calls import CallRow
from millpond.engine.database import Connection, Database, DatabaseError
from millpond.engine.texts import Texts

MAX_NEWS = 4
"""Things that went and are not told yet: of more, the oldest are in `calls` only."""


class Holdings:
    """The calls and tables that one canvas holds."""

    def __init__(self, database: Database, texts: Texts, settings: EngineSettings) -> None:
        self._database = database
        self._texts = texts
        self._max_calls = settings.max_calls
        bounds = Bounds(calls=settings.max_calls, tables=settings.max_tables, bytes=settings.max_canvas_bytes)
        self._ledger = Ledger(settings.tag, bounds)
        self._guard = threading.Lock()
        self._held: set[str] = set()
        """Names of answers that are being kept."""
        self._news: list[str] = []
        self.changing = threading.Lock()
        """Held while tables are made, evicted or dropped."""
        self.evicted = 0
        """Calls that were evicted by this process."""

    def reopen(self, connection: Connection) -> frozenset[int]:
        """Enter what a file that was there before holds. Returns the calls that have a text and no row."""
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
        self._ledger.dropped(rows_of_calls.dropped(connection))
        return self._texts.calls() - {row.number for row in rows}

    # --- what is there ------------------------------------------------------------------------------------------

    @property
    def last_number(self) -> int:
        """The highest call number that is committed; 0 in a new canvas."""
        return self._ledger.last_number

    def state(self, name: str) -> TableState:
        """What the canvas knows of this name."""
        with self._guard:
            return TableState.STORED if fold(name) in OWN_TABLES else self._ledger.state(name)

    def names(self) -> tuple[str, ...]:
        """Every name that can be queried now, oldest first, own tables last."""
        with self._guard:
            return (*self._ledger.names(), *OWN_TABLES)

    def pending_calls(self, names: Iterable[str]) -> tuple[int, ...]:
        """The calls whose tables are still to be made, among those that own these names."""
        with self._guard:
            return self._ledger.pending_calls(names)

    def made(self, number: int) -> None:
        """Note that the tables of a call are stored now."""
        with self._guard:
            self._ledger.made(number)

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

    # --- what comes and goes ------------------------------------------------------------------------------------

    def in_the_way(self, size_bytes: int) -> tuple[str, ...]:
        """The tables that would be evicted for one more call of this size, with a table."""
        with self._guard:
            return self._ledger.tables_of(self._ledger.over(1, size_bytes, 1))

    def enter(self, rows: Sequence[CallRow], *, made: bool) -> tuple[str, ...]:
        """Enter committed calls, and evict the oldest to make room for them. Returns what is to be said of it.

        Eviction is a transaction of its own, one at a time: two that delete the same rows beside one another fail.
        """
        size = sum(row.kept_bytes for row in rows)
        tables = sum(len(row.tables) for row in rows) if made else 0
        with self.changing:
            with self._guard:
                gone = self._ledger.over(len(rows), size, tables)
                dropped = self._ledger.tables_of(gone)
            if gone and not self._evict(gone, dropped):
                gone = ()
            with self._guard:
                self.evicted += len(gone)
                self._ledger.remove(gone)
                for row in rows:
                    self._ledger.add(row.number, row.kept_bytes, row.tables, made=made)
                full = self._ledger.fullness()
        return (*([gone_note(gone)] if gone else ()), *([fullness_note(full)] if full else ()))

    def _evict(self, gone: tuple[int, ...], tables: Sequence[str]) -> bool:
        """Drop calls' tables and results. False where that fails: what was to be stored is stored, and room is made later."""
        try:
            with self._database.transaction() as connection:
                drop_tables(connection, tables)
                self._texts.delete(connection, gone)
                rows_of_calls.evict(connection, gone, self._max_calls)
        except DatabaseError:
            return False
        self._texts.deleted(gone)
        return True

    def drop(self, name: str) -> str | None:
        """Drop one table, with the text of its call where no other is left of it. Returns what is to be said; None where there is none.

        Raises `QueryRefused` for a table of the canvas's own, and DuckDB's errors.
        """
        if fold(name) in OWN_TABLES:
            raise QueryRefused(own_table(name))
        with self.changing:
            with self._guard:
                number = self._ledger.owner(name)
                tables = (
                    [] if number is None else [one for one in self._ledger.names() if self._ledger.owner(one) == number]
                )
            if number is None:
                return None
            (name,) = (one for one in tables if fold(one) == fold(name))  # As it was written when it was made.
            left = [one for one in tables if one != name]
            with self._database.transaction() as connection:
                drop_tables(connection, (name,))
                rows_of_calls.drop(connection, number, name, left)
                if not left:
                    self._texts.delete(connection, (number,))
            if not left:
                self._texts.deleted((number,))
            with self._guard:
                self._ledger.drop(name)
        return dropped_note(name, number, has_more=bool(left))

    # --- what is to be told -------------------------------------------------------------------------------------

    def tell(self, notes: Iterable[str]) -> None:
        """Have these said with the next answer: they came of a result that went on as it came."""
        with self._guard:
            self._news = [*self._news, *notes][-MAX_NEWS:]

    def news(self) -> tuple[str, ...]:
        """What is still to be said; once."""
        with self._guard:
            news, self._news = tuple(self._news), []
        return news


def drop_tables(connection: Connection, tables: Iterable[str]) -> None:
    """Drop tables in the caller's transaction; those that are not there are passed over."""
    for name in tables:
        connection.execute(f"DROP TABLE IF EXISTS {quote(name)}")
