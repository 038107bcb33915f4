"""Exchange: a table on its way from one canvas to another, in a database file of its own.

Rule: the file is written and read by DuckDB itself, so that every type stays what it is; no statement of an agent names it. Imports
`core.errors`, `core.names` and `engine.database`.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from millpond.core.errors import QueryRefused, Reason, Refusal
from millpond.core.names import quote, quoted_text
from millpond.engine.database import Connection, Database, DatabaseError, transaction

_FILE = re.compile(r"[0-9a-f]{32}")
_ROWS = "main.rows"


def lent_file(database: Database, name: str) -> Path:
    """The file of this name in the folder for exchange. Raises `ValueError` for a name that no relay gives."""
    if not _FILE.fullmatch(name):
        raise ValueError("no name of a file for exchange")
    return database.exchange / f"{name}.duckdb"


def lend(database: Database, connection: Connection, name: str, source: str) -> None:
    """Write the table `source` of this connection into a file for exchange, in place of what an earlier try left.

    Raises DuckDB's errors, and `OSError` where there is no folder for it.
    """
    file = lent_file(database, name)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    for path in (file, file.with_name(f"{file.name}.wal")):
        path.unlink(missing_ok=True)
    with _attached(connection, file, f"lent_{name}") as lent, transaction(connection):
        connection.execute(f"CREATE TABLE {lent}.{_ROWS} AS FROM {source}")


@contextmanager
def borrowed(database: Database, name: str) -> Generator[str]:
    """The rows that another canvas has lent, as SQL names them. Raises `QueryRefused` where they are not there."""
    file = lent_file(database, name)
    if not file.exists():
        raise QueryRefused(_gone())
    with closing(database.cursor()) as connection, _attached(connection, file, f"lent_{name}", " (READ_ONLY)") as lent:
        yield f"{lent}.{_ROWS}"


@contextmanager
def _attached(connection: Connection, file: Path, name: str, options: str = "") -> Generator[str]:
    connection.execute(f"ATTACH {quoted_text(str(file))} AS {quote(name)}{options}")
    try:
        yield quote(name)
    finally:
        _detach(connection, name)


def _detach(connection: Connection, name: str) -> None:
    try:
        connection.execute(f"DETACH {quote(name)}")
    except DatabaseError:  # It ends with the process; its name is not given again.
        return


def _gone() -> Refusal:
    return Refusal(
        Reason.EXECUTION_ERROR, "What the other canvas gave is no longer there. Ask again with the same arguments."
    )
