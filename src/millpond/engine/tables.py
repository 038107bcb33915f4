"""Tables: the tables of one canvas, as the query side sees them.

Rule: says what is there, and nothing of how it is kept. Imports `core.model` and the engine's `database`.
"""

from __future__ import annotations

from typing import Protocol

from millpond.core.model import TableState
from millpond.engine.database import Connection


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

    def flush(self) -> int:
        """Commit what was recorded so far, so that the next query sees it; the highest number that is committed.

        Raises DuckDB's errors, and `CanvasStopped` where only a new process can commit.
        """
        ...
