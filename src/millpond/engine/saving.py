"""Saving: the whole answer of a judged statement becomes a table of the canvas.

Rule: the statement runs where nothing can be written, into a table of its connection; what is written is a copy of that, in a
transaction of ours that a stop rolls back. Imports `core` and the engine's `database`, `fetch`, `judging`, `profiling` and `tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

import msgspec

from millpond.core.arguments import Arguments
from millpond.core.errors import QueryRefused, Reason, Refusal
from millpond.core.model import Call, Column, EngineSettings, Table
from millpond.core.names import fold, quote
from millpond.core.profile import profile_of
from millpond.core.saving import name_fault, name_taken, no_room, saved_columns, saved_notes, too_large
from millpond.engine.database import Connection
from millpond.engine.fetch import Bounds, Fetched, fetch
from millpond.engine.judging import Judged
from millpond.engine.profiling import figures
from millpond.engine.tables import Saved, Tables

_SOURCE = 'temp.main."_saved"'
_VIEWS = "SELECT 1 FROM duckdb_views() WHERE schema_name = 'main' AND lower(view_name) = lower(?)"
"""DuckDB's own; a table of such a name would be read in its place."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
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


class Saver:
    """Keeps answers of one canvas."""

    def __init__(self, tables: Tables, settings: EngineSettings) -> None:
        self._tables = tables
        self._settings = settings

    @contextmanager
    def held(self, connection: Connection, arguments: Arguments, call: Call | None) -> Generator[Saving | None]:
        """The name that is asked for is nobody else's meanwhile. None where none is asked for.

        Raises `QueryRefused` for a name that cannot be given, before anything has run.
        """
        name = arguments.save_as
        if name is None:
            yield None
            return
        if call is None:
            raise QueryRefused(
                Refusal(
                    Reason.BAD_ARGUMENT, "`save_as` could not be read: give every argument once, and no name escaped."
                )
            )
        fault = name_fault(name, self._settings.tag)
        if fault is None and connection.execute(_VIEWS, [name]).fetchone():
            fault = name_taken(name, None, self._tables.is_taken)
        if fault is not None:
            raise QueryRefused(fault)
        with self._tables.held(name, call.number):
            yield Saving(self._tables, self._settings.max_canvas_bytes, name, call)


class Saving:
    """One answer that is to be kept."""

    def __init__(self, tables: Tables, max_bytes: int, name: str, call: Call) -> None:
        self._tables = tables
        self._max_bytes = max_bytes
        self._name = name
        self._call = call

    def run(self, connection: Connection, judged: Judged, bounds: Bounds) -> Kept:
        """Run the statement into a table of the connection. Raises `QueryRefused` and DuckDB's errors."""
        if judged.explain:
            raise QueryRefused(
                Refusal(
                    Reason.BAD_ARGUMENT,
                    "EXPLAIN gives no rows to keep. Leave `save_as` out, or send the SELECT itself.",
                )
            )
        relation = connection.sql(judged.statement)
        names = relation.columns
        columns = saved_columns(names)
        aliases = ", ".join(map(quote, columns))
        connection.execute(f"CREATE TEMP TABLE _saved AS SELECT * FROM ({judged.statement}\n) AS _({aliases})")
        rows, size_bytes = _measured(connection, columns)
        self._check_room(size_bytes, judged)
        fetched = fetch(connection, f"FROM {_SOURCE}", bounds)
        types = tuple(Column(name=name, type=str(kind)) for name, kind in zip(columns, relation.types, strict=True))
        return Kept(fetched=fetched, rows=rows, size_bytes=size_bytes, columns=types, names=tuple(names))

    def store(self, connection: Connection, kept: Kept, go_on: Callable[[], None]) -> list[str]:
        """Copy it into the canvas, and say what was kept; `go_on` raises where that is no longer wanted."""
        saved = Saved(call=self._call, name=self._name, source=_SOURCE, size_bytes=kept.size_bytes)
        gone = self._tables.save(connection, saved, go_on)
        table = Table(name=self._name, path="$", rows=kept.rows, columns=kept.columns)
        profile = None
        if kept.rows > len(kept.fetched.rows):
            profile = profile_of(kept.columns, figures(connection, _SOURCE, kept.columns, kept.rows))
        renamed = [(old, new.name) for old, new in zip(kept.names, kept.columns, strict=True)]
        return [*saved_notes(table, kept.size_bytes, profile, renamed), *gone]

    def _check_room(self, size_bytes: int, judged: Judged) -> None:
        if size_bytes > self._max_bytes:
            raise QueryRefused(too_large(size_bytes, self._max_bytes))
        read = {fold(name) for name in judged.tables}
        going = [name for name in self._tables.in_the_way(size_bytes) if fold(name) in read]
        if going:
            raise QueryRefused(no_room(size_bytes, going))


def _measured(connection: Connection, columns: tuple[str, ...]) -> tuple[int, int]:
    """The rows, and the bytes of all values as text with one for what stands between two."""
    sizes = " + ".join(f"coalesce(sum(strlen(CAST({quote(name)} AS VARCHAR))), 0)" for name in columns)
    found = connection.execute(f"SELECT count(*), {sizes} FROM {_SOURCE}").fetchone()
    rows, text_bytes = found or (0, 0)
    return rows, int(text_bytes) + rows * len(columns)
