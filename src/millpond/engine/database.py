"""Database: one DuckDB file, opened so that nothing can be reached outside it and its folder for exchange.

Rule: the only module that imports duckdb. Who uses a connection makes a cursor of its own; a cursor serves one thread at a time.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection as Connection

from millpond.core.sql import without_ends
from millpond.engine.directory import EXCHANGE, SPILL
from millpond.engine.exits import FULL_CODES

BLOCK_BYTES = 16_384
"""Of a new file: with DuckDB's 256 KiB blocks, thousands of small tables take gigabytes; 3,000 take 51 MiB with these."""
CHECKPOINT_BYTES = 64 << 20
"""Of the log, from which it is written into the file: twice a table of texts; a kill leaves at most this to be read again, 0.3 s."""
LOG_SHARE = 8
"""The part of the memory that the log may come to: small tables that are read from it again take several times its bytes."""

_DAMAGE = re.compile(
    r"not a valid DuckDB database file|Corrupt (?:database|WAL) file|Could not read enough bytes from file"
    r"|Trying to read a database file with|is an existing extension"
)
_REPLAY = "Failure while replaying WAL file"
"""Damage, too, unless what is around the file is to blame."""
_AROUND = (*FULL_CODES, errno.EIO, errno.EMFILE, errno.ENFILE)

_NO_MEMORY = re.compile(
    r"Out of Memory Error|Allocation failure|[Ff]ailed to (?:(?:re-)?allocate|pin block|reserve memory)"
    r"|could not allocate block|bad.alloc"
)

BEGIN_READING = "BEGIN TRANSACTION READ ONLY"
"""Begins a transaction in which nothing of the database can be written."""

_LOCKED = (
    "enable_external_access = false",
    "python_enable_replacements = false",
    "lambda_syntax = 'ENABLE_SINGLE_ARROW'",  # Agents write `x -> x + 1`, and the new syntax works beside it.
    "TimeZone = 'UTC'",  # Else a TIMESTAMPTZ is written in the machine's zone.
    "lock_configuration = true",
)
"""Set after opening, for every cursor; the last one makes all of them final."""

DatabaseError = duckdb.Error
ConversionError = duckdb.ConversionException
FatalError = duckdb.FatalException
"""From now on every statement fails, until the file is opened anew: a checkpoint found the disk full."""
Interrupted = duckdb.InterruptException
OutOfMemory = duckdb.OutOfMemoryException
OutputFailed = duckdb.IOException
ParserError = duckdb.ParserException

__all__ = [
    "Connection",
    "ConversionError",
    "Database",
    "DatabaseError",
    "FatalError",
    "Interrupted",
    "OutOfMemory",
    "OutputFailed",
    "ParserError",
    "is_damage",
    "is_lack_of_memory",
    "reading",
    "statements",
    "transaction",
]


class Database:
    """One canvas's database file."""

    def __init__(
        self,
        path: Path,
        *,
        memory_bytes: int,
        checkpoint_factor: int = 1,
        threads: int = 2,
        spool: Path | None = None,
        is_kept: bool = False,
    ) -> None:
        """Open or make the file. DuckDB keeps within `memory_bytes` and spills beside the file.

        A checkpoint follows `checkpoint_factor` times `CHECKPOINT_BYTES` of log, or less where memory is small. In `spool`, and nowhere
        else, COPY may write files.
        Where it `is_kept`, a commit waits for the disk. Raises `DatabaseError` where it cannot be opened.
        """
        settings: dict[str, Any] = {
            "access_mode": "READ_WRITE",
            "allocator_background_threads": True,  # What is freed goes back at once: 45 MiB less at three results of 100.
            "allow_community_extensions": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "default_block_size": BLOCK_BYTES,
            "checkpoint_threshold": f"{min(CHECKPOINT_BYTES, memory_bytes // LOG_SHARE) * checkpoint_factor}B",
            "force_compression": "uncompressed",
            "memory_limit": f"{memory_bytes}B",
            "preserve_insertion_order": True,
            "temp_directory": str(path.with_name(SPILL)),
            "threads": threads,
        }
        self._connection = duckdb.connect(str(path), config=settings)
        self.exchange = path.with_name(EXCHANGE)
        """The folder through which whole tables pass between two canvases; it need not be there."""
        # DuckDB takes the places between its start and the end of all access, and then never again.
        allowed = [str(place) for place in (self.exchange, spool) if place is not None]
        self._connection.execute("SET GLOBAL allowed_directories = ?", [allowed])
        # What is written survives a kill; after a power cut nobody asks for a canvas that is not kept.
        self._connection.execute(f"SET GLOBAL fsync_mode = '{'STANDARD' if is_kept else 'NONE'}'")
        for setting in _LOCKED:
            self._connection.execute(f"SET GLOBAL {setting}")

    def cursor(self) -> Connection:
        """A connection of its own to the same database."""
        return self._connection.cursor()

    @contextmanager
    def transaction(self) -> Generator[Connection]:
        """A transaction on a cursor of its own: committed at the end, rolled back on any error."""
        with closing(self.cursor()) as connection, transaction(connection):
            yield connection

    def close(self) -> None:
        """Close the file. Cursors that are still open end with it."""
        self._connection.close()


@contextmanager
def transaction(connection: Connection) -> Generator[None]:
    """On this connection: committed at the end, rolled back on any error."""
    connection.execute("BEGIN TRANSACTION")
    try:
        yield
    except BaseException:
        with suppress(DatabaseError):  # The first error counts; DuckDB has often rolled back by itself.
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def reading(connection: Connection) -> Generator[None]:
    """A transaction on this connection in which nothing of the database can be written; rolled back at its end."""
    connection.execute(BEGIN_READING)
    try:
        yield
    finally:
        with suppress(DatabaseError):  # DuckDB has often rolled back by itself.
            connection.execute("ROLLBACK")


def is_damage(error: DatabaseError) -> bool:
    """Whether the file itself is at fault (damaged, none, another version's), not what is around it: the disk, a lock, memory."""
    text = str(error)
    if _REPLAY in text and not is_lack_of_memory(error):
        return not any(os.strerror(code) in text for code in _AROUND)
    return _DAMAGE.search(text) is not None


def is_lack_of_memory(error: DatabaseError) -> bool:
    """Whether memory ran out, which a commit reports as a failed transaction."""
    return isinstance(error, OutOfMemory) or _NO_MEMORY.search(str(error)) is not None


def statements(connection: Connection, sql: str) -> list[tuple[str, str]]:
    """The statements of a text, each as (type, text without comments around it and its semicolon). Raises `ParserError`."""
    return [(_kind(one), _bare(one.query)) for one in connection.extract_statements(sql)]


def _kind(statement: duckdb.Statement) -> str:
    """The kind of a statement; `OTHER` for one that DuckDB parses and its Python package has no name for (contract test)."""
    try:
        return str(statement.type).rsplit(".", 1)[-1]
    except ValueError:
        return "OTHER"


def _bare(sql: str) -> str:
    words = [(offset, kind == duckdb.token_type.comment) for offset, kind in duckdb.tokenize(sql)]
    return without_ends(sql, words)
