"""Parquet: an answer as a Parquet file in the canvas's own folder.

Rule: DuckDB writes it, in the one place where it may; a type that Parquet would round or has no kind for is cast first. Imports
`core` and the engine's `database`, `exits` and `fetch`.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from millpond.core.errors import QueryRefused
from millpond.core.export import file_too_large, not_written
from millpond.core.names import quote, quoted_text
from millpond.engine.database import (
    Connection,
    ConversionError,
    Interrupted,
    OutputFailed,
    reading,
)
from millpond.engine.exits import DISK_FULL, why
from millpond.engine.fetch import aliases, cast_type

_SAME = frozenset(
    {
        "boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint", "float", "double",
        "decimal", "varchar", "date", "time", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns",
        "timestamp with time zone", "uuid", "blob", '"null"', "null",
    }
)  # fmt: skip
"""Types whose values come back from a file as they were (contract test). Of the others a HUGEINT would become a DOUBLE, an INTERVAL
lose its microseconds, a TIME WITH TIME ZONE its offset; the rest come back as text anyway."""
_WIDE = ("DECIMAL(38,0)", "VARCHAR")
"""What a HUGEINT is written as: the second where a value has 39 digits."""
_LOOK_SECONDS = 0.05
"""Between two looks at how large the file has become."""


class ParquetFile(msgspec.Struct, frozen=True):
    """A file that was written."""

    path: Path
    rows: int
    types: tuple[str, ...]
    """What each column was cast to."""


class Spool:
    """The folder in which DuckDB may write, below the canvas's own."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        """`max_bytes` is the most that a file may have. Nothing is touched yet."""
        self._folder = folder
        self._max_bytes = max_bytes

    @contextmanager
    def written(self, connection: Connection, statement: str, names: Iterable[str]) -> Generator[ParquetFile]:
        """The answer of a judged statement in a file that is gone at the end.

        Raises `QueryRefused` where it becomes too large or the disk is full, and DuckDB's errors.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{threading.get_ident()}.parquet"
        try:
            yield self._write(connection, statement, tuple(names), path)
        finally:
            with suppress(FileNotFoundError):
                path.unlink()

    def empty(self) -> None:
        """Remove what a killed process left. Never raises."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self, connection: Connection, statement: str, names: tuple[str, ...], path: Path) -> ParquetFile:
        kinds = connection.sql(statement).types
        for wide in _WIDE:
            types = tuple(cast_type(kind, lambda leaf, wide=wide: _leaf(leaf, wide)) for kind in kinds)
            sql = f"COPY ({_select(statement, names, types)}) TO {quoted_text(str(path))} (FORMAT parquet)"
            try:
                with self._watched(path, connection), reading(connection):
                    found = connection.execute(sql).fetchone()
                return ParquetFile(path, int(found[0]) if found else 0, types)
            except ConversionError:
                if wide is _WIDE[-1] or wide not in " ".join(types):
                    raise
            except OutputFailed as error:
                if why(error) != DISK_FULL:
                    raise
                raise QueryRefused(not_written(DISK_FULL)) from error
        raise AssertionError("the last try returns or raises")

    @contextmanager
    def _watched(self, path: Path, connection: Connection) -> Generator[None]:
        """Stop a statement whose file becomes too large. Raises `QueryRefused` then."""
        done, over = threading.Event(), threading.Event()

        def watch() -> None:
            while not done.wait(_LOOK_SECONDS):
                with suppress(FileNotFoundError):
                    if path.stat().st_size > self._max_bytes:
                        over.set()
                        connection.interrupt()

        watcher = threading.Thread(target=watch, name="export", daemon=True)
        watcher.start()
        try:
            yield
        except Interrupted:
            if over.is_set():
                raise QueryRefused(file_too_large(self._max_bytes)) from None
            raise
        finally:
            done.set()
            watcher.join()


def _select(statement: str, names: tuple[str, ...], types: tuple[str, ...]) -> str:
    columns = aliases(len(names))
    cast = (
        f"CAST({column} AS {kind}) AS {quote(name)}" for column, kind, name in zip(columns, types, names, strict=True)
    )
    return f"SELECT {', '.join(cast)} FROM ({statement}\n) AS _({', '.join(columns)})"


def _leaf(kind: Any, wide: str) -> str:
    if kind.id == "hugeint":
        return wide
    return str(kind) if kind.id in _SAME else "VARCHAR"
