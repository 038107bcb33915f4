"""Tables: the tables of one canvas, as the query side sees them.

Rule: says what is there, and nothing of how it is kept. Imports `core.model` and the engine's `database`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from millpond.core.model import Call, TableState
from millpond.engine.database import Connection


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is to be a table of the canvas."""

    call: Call
    name: str
    source: str
    """The table of the connection that holds it, as SQL names it."""
    size_bytes: int = 0
    """What the canvas counts for it."""


class Tables(Protocol):
    """What a query may ask for. Safe to call from any thread."""

    def state(self, name: str) -> TableState:
        """What the canvas knows of this name."""
        ...

    def names(self) -> tuple[str, ...]:
        """Every name that can be queried now, stored and pending, oldest first (own tables too)."""
        ...

    def make(self, names: frozenset[str], connection: Connection) -> None:
        """Make the pending ones among these, in transactions of their own; the others are passed over.

        `connection` is the question's own, so that what stops the question stops this too. Raises `EngineFailed` where one cannot
        be made, and DuckDB's errors where it is stopped.
        """
        ...

    def flush(self) -> None:
        """Commit what was recorded so far, so that the next query sees it.

        Raises DuckDB's errors, and `CanvasStopped` where only a new process can commit.
        """
        ...

    # --- answers that are kept ----------------------------------------------------------------------------------

    def is_taken(self, name: str) -> bool:
        """True where a table, stored or pending, has the name, or is to have it."""
        ...

    def held(self, name: str, call: int) -> AbstractContextManager[None]:
        """Hold a name for the answer of a call. Raises `QueryRefused` where another has it; a call's own table does not count."""
        ...

    def in_the_way(self, size_bytes: int) -> tuple[str, ...]:
        """The tables that would be evicted for one more call of this size, with a table."""
        ...

    def save(self, connection: Connection, saved: Saved, go_on: Callable[[], None]) -> tuple[str, ...]:
        """Store a held answer in one transaction, in place of what an earlier try left. Returns notes on what was evicted for it.

        `go_on` is called before the commit; what it raises takes everything back. Raises DuckDB's errors.
        """
        ...

    # --- what goes ----------------------------------------------------------------------------------------------

    def drop(self, name: str) -> str | None:
        """Drop one table. Returns what is to be said of it; None where there is no such table.

        Raises `QueryRefused` for a table of the canvas's own, and DuckDB's errors.
        """
        ...

    def news(self) -> tuple[str, ...]:
        """What went, or is to go, and was not told yet; once."""
        ...
