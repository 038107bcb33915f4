"""Parts: what the worker is made of, as it sees them, and how they are put together.

Rule: `duckdb` is loaded by `build` and not before, so that tests can run the worker on other parts. Imports `core` at the top, the
engine's modules inside `build`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from millpond.core.errors import CanvasDamaged
from millpond.core.model import Call, EngineSettings, Outcome, ToolText, Visit
from millpond.engine.directory import FILE
from millpond.engine.limits import DATABASE_SHARE

if TYPE_CHECKING:
    from millpond.engine.database import Database

Why = Literal["cancelled", "timeout"]


class StorePart(Protocol):
    """What the worker asks of the store. Safe to call from any thread. All but `record` and `learn` may raise `CanvasStopped`."""

    def take(self, call: Call, result: memoryview, query_tool: str) -> Outcome:
        """Decide on a result and store it; returns after the commit."""
        ...

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Keep a result in memory until the next flush."""
        ...

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        """Know what the server says of its tools."""
        ...

    def flush(self) -> None:
        """Commit what was recorded."""
        ...

    @property
    def last_number(self) -> int:
        """The highest call number that is committed."""
        ...

    @property
    def evicted(self) -> int:
        """Calls that were evicted by this process."""
        ...


class QueryPart(Protocol):
    """What the worker asks of the query side. Safe to call from any thread. `answer` and `look` may raise `CanvasStopped`."""

    def answer(
        self, id: int, arguments: bytes, query_tool: str, call: Call | None = None, visit: Visit | None = None
    ) -> bytes:
        """The `result` value for these raw arguments, own errors included; `call` where the answer is to be kept.

        `visit` tells what part another canvas has in it.
        """
        ...

    def look(self, id: int, uri: str) -> bytes:
        """What a URI names, or where it is empty what there is: a `Looked` as JSON, or an own error."""
        ...

    def stop(self, id: int, why: Why) -> None:
        """Make the query that runs under this id end with that reason; another id is passed over."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The store and the query side of one canvas."""

    store: StorePart
    queries: QueryPart


Build = Callable[[EngineSettings], Parts]


def file_path(settings: EngineSettings) -> Path:
    """The database file of the canvas."""
    return Path(settings.directory) / FILE


def build(settings: EngineSettings) -> Parts:
    """Open the canvas's file and put store and query side on it.

    Raises `CanvasDamaged` where the file holds no database, what DuckDB raises where it cannot be opened for another reason.
    """
    from millpond.engine.database import DatabaseError, is_damage

    try:
        return _build(settings)
    except DatabaseError as error:
        if is_damage(error):
            raise CanvasDamaged(str(error)) from error
        raise


def _build(settings: EngineSettings) -> Parts:
    from millpond.engine import calls
    from millpond.engine.database import Database
    from millpond.engine.exporting import spool_path
    from millpond.engine.query import QueryRunner
    from millpond.engine.store import Store

    # Of a kept one the name tells what its tables are called: an empty file in its place would give their names to others.
    is_new = not (settings.is_kept and file_path(settings).exists())
    database = Database(
        file_path(settings),
        memory_bytes=int(settings.memory_bytes * DATABASE_SHARE),
        checkpoint_factor=settings.checkpoint_factor,
        spool=spool_path(settings) if settings.export_directory else None,
        is_kept=settings.is_kept,
    )
    with closing(database.cursor()) as connection:
        if not calls.is_of(connection, settings.canvas, is_new=is_new):
            raise CanvasDamaged("it is not the file of this canvas")
    store = Store(database, settings)
    if settings.begun_anew:
        _say(database, settings.begun_anew)
    return Parts(store, QueryRunner(database, store, settings))


def _say(database: Database, begun_anew: str) -> None:
    """Have the first row of `calls` tell why the earlier ones are gone; once, however often the file is opened."""
    time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    with closing(database.cursor()) as connection:
        connection.execute(
            """
            INSERT INTO calls (number, tool, arguments, time, bytes, tables, note)
            SELECT 0, 'millpond', '{}', ?, 0, [], ? WHERE NOT EXISTS (FROM calls WHERE number = 0)
            """,
            [time, begun_anew],
        )
