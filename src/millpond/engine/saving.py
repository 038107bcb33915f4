"""Saving: the whole answer of a judged statement becomes a table of this canvas, or is lent to another.

Rule: the statement runs where nothing can be written, into a table of its connection; what is written is a copy of that, in a
transaction of ours that a stop rolls back. Imports `core` and the engine's `database`, `exchange`, `fetch`, `judging`, `profiling`
and `tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

import msgspec

from millpond.core.arguments import Arguments
from millpond.core.errors import QueryRefused, Reason, Refusal
from millpond.core.model import Call, Column, EngineSettings, Table, Visit
from millpond.core.names import fold, quote
from millpond.core.profile import profile_of
from millpond.core.saving import (
    name_fault,
    name_taken,
    no_room,
    renamed_notes,
    saved_columns,
    saved_notes,
    shown_rows,
    too_large,
)
from millpond.engine.database import Connection, Database
from millpond.engine.exchange import borrowed, lend
from millpond.engine.fetch import Bounds, Fetched, fetch
from millpond.engine.judging import Judged
from millpond.engine.profiling import figures
from millpond.engine.tables import Saved, Tables

_SOURCE = 'temp.main."_saved"'
_VIEWS = "SELECT 1 FROM duckdb_views() WHERE schema_name = 'main' AND lower(view_name) = lower(?)"
"""DuckDB's own; a table of such a name would be read in its place."""


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is whole in a table of its connection."""

    fetched: Fetched
    """Its first rows, under the columns' new names."""
    rows: int
    size_bytes: int
    """Of its values as text, as the canvas counts its results."""
    columns: tuple[Column, ...]
    """Of the table."""
    names: tuple[str, ...]
    """Of the same columns in the answer."""
    bounds: Bounds
    """What is shown of it."""

    @property
    def renamed(self) -> list[tuple[str, str]]:
        """Each column's name in the answer, and in the table."""
        return [(old, new.name) for old, new in zip(self.names, self.columns, strict=True)]


class Keeping(Protocol):
    """What becomes of a whole answer."""

    @property
    def given(self) -> Judged | None:
        """What runs in place of the agent's statement, which has run elsewhere; None where that is to be judged and run here."""
        ...

    def run(self, connection: Connection, judged: Judged, bounds: Bounds) -> KeptAnswer:
        """Run the statement into a table of the connection. Raises `QueryRefused` and DuckDB's errors."""
        ...

    def store(self, connection: Connection, kept: KeptAnswer, go_on: Callable[[], None]) -> list[str]:
        """Put it where it is to be, and say what is to be said; `go_on` raises where that is no longer wanted."""
        ...


class Saver:
    """Keeps answers of one canvas."""

    def __init__(self, database: Database, tables: Tables, settings: EngineSettings) -> None:
        self._database = database
        self._tables = tables
        self._settings = settings

    @contextmanager
    def held(
        self, connection: Connection, arguments: Arguments, call: Call | None, visit: Visit
    ) -> Generator[Keeping | None]:
        """What becomes of the answer; the name that is asked for is nobody else's meanwhile. None where it is only shown.

        Raises `QueryRefused` for a name that cannot be given, before anything has run.
        """
        if visit.lend is not None:
            yield Lending(self._database, self._settings.max_canvas_bytes, visit.lend)
            return
        name = arguments.save_as
        if name is None:
            yield None
            return
        if call is None:
            raise QueryRefused(Refusal(Reason.BAD_ARGUMENT, "`save_as` could not be read. Give it once."))
        fault = name_fault(name, self._settings.tag)
        if fault is None and connection.execute(_VIEWS, [name]).fetchone():
            fault = name_taken(name, None, self._tables.is_taken)
        if fault is not None:
            raise QueryRefused(fault)
        with self._tables.held(name, call.number), self._borrowed(visit) as given:
            saved = Saved(call=call, name=name, source=_SOURCE)
            yield Saving(
                self._tables, self._settings.max_canvas_bytes, saved, given, is_brief=arguments.max_rows is None
            )

    @contextmanager
    def _borrowed(self, visit: Visit) -> Generator[Judged | None]:
        if visit.borrow is None:
            yield None
            return
        with borrowed(self._database, visit.borrow) as rows:
            yield Judged(f"FROM {rows}")


class Saving:
    """One answer that is to be kept."""

    def __init__(self, tables: Tables, max_bytes: int, saved: Saved, given: Judged | None, *, is_brief: bool) -> None:
        self._tables = tables
        self._is_brief = is_brief
        self._max_bytes = max_bytes
        self._saved = saved
        self.given = given
        """What another canvas has lent."""

    def run(self, connection: Connection, judged: Judged, bounds: Bounds) -> KeptAnswer:
        """Run the statement into a table of the connection. Raises `QueryRefused` and DuckDB's errors."""
        names, columns = _collect(connection, judged)
        rows, size_bytes = _measured(connection, [column.name for column in columns])
        self._check_room(size_bytes, judged)
        if self._is_brief:
            bounds = msgspec.structs.replace(bounds, rows=shown_rows(rows, bounds.rows))
        fetched = fetch(connection, f"FROM {_SOURCE}", bounds)
        return KeptAnswer(
            fetched=fetched, rows=rows, size_bytes=size_bytes, columns=columns, names=names, bounds=bounds
        )

    def store(self, connection: Connection, kept: KeptAnswer, go_on: Callable[[], None]) -> list[str]:
        """Copy it into the canvas, and say what was kept; `go_on` raises where that is no longer wanted."""
        saved = msgspec.structs.replace(self._saved, size_bytes=kept.size_bytes)
        gone = self._tables.save(connection, saved, go_on)
        table = Table(name=saved.name, path="$", rows=kept.rows, columns=kept.columns)
        profile = None
        if kept.rows > min(len(kept.fetched.rows), kept.bounds.rows):
            profile = profile_of(kept.columns, figures(connection, _SOURCE, kept.columns, kept.rows))
        return [*saved_notes(table, kept.size_bytes, profile), *renamed_notes(saved.name, kept.renamed), *gone]

    def _check_room(self, size_bytes: int, judged: Judged) -> None:
        if size_bytes > self._max_bytes:
            raise QueryRefused(too_large(size_bytes, self._max_bytes))
        read = {fold(name) for name in judged.tables}
        going = [name for name in self._tables.in_the_way(size_bytes) if fold(name) in read]
        if going:
            raise QueryRefused(no_room(size_bytes, going))


class Lending:
    """One answer that another canvas is to keep."""

    given = None

    def __init__(self, database: Database, max_bytes: int, file: str) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._file = file

    def run(self, connection: Connection, judged: Judged, bounds: Bounds) -> KeptAnswer:
        """Run the statement into a table of the connection. Raises `QueryRefused` and DuckDB's errors."""
        names, columns = _collect(connection, judged)
        rows, size_bytes = _measured(connection, [column.name for column in columns])
        if size_bytes > self._max_bytes:
            raise QueryRefused(too_large(size_bytes, self._max_bytes))
        return KeptAnswer(
            fetched=Fetched([], []), rows=rows, size_bytes=size_bytes, columns=columns, names=names, bounds=bounds
        )

    def store(self, connection: Connection, kept: KeptAnswer, go_on: Callable[[], None]) -> list[str]:
        """Write it into the file; what is said is for whoever keeps it."""
        go_on()
        lend(self._database, connection, self._file, _SOURCE)
        return renamed_notes(None, kept.renamed)


def _collect(connection: Connection, judged: Judged) -> tuple[tuple[str, ...], tuple[Column, ...]]:
    """Run a statement into the table of the connection. Returns the names of the answer's columns, and the table's columns."""
    if judged.explain:
        raise QueryRefused(
            Refusal(
                Reason.BAD_ARGUMENT, "EXPLAIN gives no rows to keep. Leave `save_as` out, or send the SELECT itself."
            )
        )
    relation = connection.sql(judged.statement)
    names = relation.columns
    columns = saved_columns(names)
    aliases = ", ".join(map(quote, columns))
    connection.execute(f"CREATE TEMP TABLE _saved AS SELECT * FROM ({judged.statement}\n) AS _({aliases})")
    kinds = zip(columns, relation.types, strict=True)
    return tuple(names), tuple(Column(name=name, type=str(kind)) for name, kind in kinds)


def _measured(connection: Connection, columns: Sequence[str]) -> tuple[int, int]:
    """The rows, and the bytes of all values as text with one for what stands between two."""
    sizes = " + ".join(f"coalesce(sum(strlen(CAST({quote(name)} AS VARCHAR))), 0)" for name in columns)
    found = connection.execute(f"SELECT count(*), {sizes} FROM {_SOURCE}").fetchone()
    rows, text_bytes = found or (0, 0)
    return rows, int(text_bytes) + rows * len(columns)
