"""Texts: the results as they came, in parts, in tables of a bounded size behind the view `results`.

Rule: a table that has its size gets no more rows. DuckDB writes the last 122,880 rows of a table anew with every checkpoint: one table
for all texts would be written again and again, from memory (200 MiB in it: 500 MiB more for each 16 MiB added). Safe for several
threads. Imports msgspec, `core.gate` and `engine.database`.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from millpond.core.gate import TEXTS
from millpond.engine.database import Connection, Database

PART_BYTES = 1 << 20
"""Bytes of a part of a result: whole values of 100 MiB take four times their size while they are written."""
TABLE_BYTES = 32 << 20
"""Texts from which a table is full; the default canvas of 4 GiB has 128 tables then, and the view plans in 10 ms."""
BATCH_BYTES = 16 << 20
"""Bytes of one large result committed at once: 100 MiB in one transaction take three times that until they are written."""

_COLUMNS = "call BIGINT, part BIGINT, text VARCHAR"


class _Table(msgspec.Struct):
    """A table of texts; bytes and calls are of this process, and may be more than what is there."""

    number: int
    size_bytes: int = 0
    calls: set[int] = msgspec.field(default_factory=set[int])

    @property
    def name(self) -> str:
        """As SQL names it."""
        return f"{TEXTS}.texts_{self.number}"


class Texts:
    """All texts of one canvas."""

    def __init__(self, database: Database) -> None:
        """Make the view, or find what a file that was there before holds, which is then not written to: the disk may be full."""
        self._database = database
        self._guard = threading.Lock()
        with database.transaction() as connection:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {TEXTS}")
            found = connection.execute(
                "SELECT CAST(substr(table_name, 7) AS BIGINT) FROM duckdb_tables()"
                " WHERE schema_name = ? AND starts_with(table_name, 'texts_') ORDER BY 1",
                [TEXTS],
            ).fetchall()
            self._tables = [_Table(number, TABLE_BYTES) for (number,) in found]
            for table in self._tables:
                calls = connection.execute(f"SELECT DISTINCT call FROM {table.name}").fetchall()
                table.calls.update(call for (call,) in calls)
            if not self._tables:
                self._extend(connection)

    def room(self, calls: Collection[int], size_bytes: int) -> str:
        """The table that takes the next texts, of these calls and so many bytes. To be asked before the transaction begins."""
        with self._guard:
            if self._tables[-1].size_bytes and self._tables[-1].size_bytes + size_bytes > TABLE_BYTES:
                with self._database.transaction() as connection:
                    self._extend(connection)
            table = self._tables[-1]
            table.size_bytes += size_bytes
            table.calls.update(calls)
            return table.name

    def _extend(self, connection: Connection) -> None:
        """Make another table, and drop those that have lost all their rows."""
        empty = [table for table in self._tables if not table.calls]
        for table in empty:
            connection.execute(f"DROP TABLE {table.name}")
        number = self._tables[-1].number + 1 if self._tables else 1
        tables = [*(table for table in self._tables if table.calls), _Table(number)]
        connection.execute(f"CREATE TABLE {tables[-1].name} ({_COLUMNS})")
        every = " UNION ALL ".join(f"FROM {table.name}" for table in tables)
        connection.execute(f"CREATE OR REPLACE VIEW results AS {every}")
        self._tables = tables

    def insert(self, connection: Connection, table: str, results: Sequence[tuple[int, memoryview]]) -> None:
        """Add the texts of these calls in the caller's transaction."""
        small = [(number, result) for number, result in results if len(result) <= PART_BYTES]
        if small:  # In one statement, for each takes 0.4 ms.
            marks = ", ".join(["(?, 1, ?)"] * len(small))
            values = [value for number, result in small for value in (number, _decoded(result))]
            connection.execute(f"INSERT INTO {table} VALUES {marks}", values)
        for number, result in results:
            if len(result) > PART_BYTES:
                _insert_parts(connection, table, number, enumerate(_parts(result), 1))

    def insert_large(self, number: int, result: memoryview) -> None:
        """Add one text of any size in transactions of its own, in place of one of the same call."""
        self.remove((number,))
        parts = enumerate(_parts(result), 1)
        while some := tuple(islice(parts, BATCH_BYTES // PART_BYTES)):
            table = self.room((number,), sum(len(text) for _, text in some))
            with self._database.transaction() as connection:
                _insert_parts(connection, table, number, some)

    def read(self, connection: Connection, number: int) -> str:
        """The text of a call; empty where there is none."""
        found: list[tuple[int, str]] = []
        for table in self._that_hold((number,)):
            found += connection.execute(f"SELECT part, text FROM {table} WHERE call = ?", [number]).fetchall()
        return "".join(text for _, text in sorted(found))

    def delete(self, connection: Connection, calls: Collection[int]) -> None:
        """Take the texts of these calls away in the caller's transaction."""
        for table in self._that_hold(calls):
            connection.execute(f"DELETE FROM {table} WHERE call IN (SELECT unnest(?::BIGINT[]))", [list(calls)])

    def deleted(self, calls: Collection[int]) -> None:
        """Note that a `delete` of these calls is committed."""
        with self._guard:
            for table in self._tables:
                table.calls.difference_update(calls)

    def remove(self, calls: Collection[int]) -> None:
        """Take the texts of these calls away in a transaction of its own."""
        if self._that_hold(calls):
            with self._database.transaction() as connection:
                self.delete(connection, calls)
            self.deleted(calls)

    def calls(self) -> frozenset[int]:
        """The calls that have a text."""
        with self._guard:
            return frozenset[int]().union(*(table.calls for table in self._tables))

    def _that_hold(self, calls: Collection[int]) -> list[str]:
        with self._guard:
            return [table.name for table in self._tables if not table.calls.isdisjoint(calls)]


def _insert_parts(connection: Connection, table: str, number: int, parts: Iterable[tuple[int, str]]) -> None:
    for part, text in parts:
        connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?)", [number, part, text])


def _parts(result: memoryview) -> Iterator[str]:
    """The text in parts of at most `PART_BYTES`, cut between characters."""
    start = 0
    while start < len(result):
        end = min(start + PART_BYTES, len(result))
        while end < len(result) and end > start + PART_BYTES - 4 and result[end] & 0xC0 == 0x80:
            end -= 1
        yield _decoded(result[start:end])
        start = end


def _decoded(result: memoryview) -> str:
    return str(result, "utf-8", "backslashreplace")
