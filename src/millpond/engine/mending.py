"""Mending: the statement that is printed under an error, judged before it is: it runs as printed.

Rule: candidates come from `core.mending`, and the first that is judged is taken; few are tried, for each costs a millisecond. What
makes them is loaded with the first error: its patterns take a start's time to compile.
Imports `core` and the engine's `database` and `printing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from millpond.core.errors import QueryRefused, Reason, Refusal
from millpond.core.gate import REFUSED_FUNCTIONS
from millpond.core.mending.faults import Fault, Known
from millpond.core.names import fold, quote
from millpond.core.sql import printed_name
from millpond.core.steps import MAX_STEP_CHARACTERS, Step
from millpond.engine.database import Connection, DatabaseError, FatalError, Interrupted, OutOfMemory
from millpond.engine.printing import printed

MAX_CANDIDATES = 12
"""Statements that are judged for one error."""
MAX_CHANGES = 2
"""In one statement."""
MAX_TABLES = 3
"""Tables of a statement whose columns are looked at."""
MAX_FIELDS = 200
"""Columns and fields of STRUCTs that are looked at in one table."""
MAX_DEPTH = 4
"""Of a field within fields."""

Judging = Callable[[Connection, str], object]
"""Judges a statement; raises `QueryRefused`, which is `Unread` where it may be mended, or DuckDB's errors."""


class Unread(QueryRefused):
    """A statement that DuckDB or the gate could not make sense of: it may be mended."""

    def __init__(self, refusal: Refusal, fault: Fault, tables: Iterable[str] = (), name: str = "") -> None:
        super().__init__(refusal)
        self.fault = fault
        self.tables = sorted(tables, key=fold)[:MAX_TABLES]
        """The tables that the statement names."""
        self.name = name
        """The name that is no table, where that is the fault."""
        self.words = ""
        """Of an EXPLAIN or a SUMMARIZE, with a space behind them, where the fault is in what stands behind."""


class Mender:
    """Finds what to send instead, for one canvas."""

    def __init__(self, judge: Judging, near: Callable[[str], Sequence[str]]) -> None:
        """`near` gives the tables that a name may mean, as SQL writes them."""
        self._judge = judge
        self._near = near
        self._functions: tuple[str, ...] = ()

    def not_a_read(self, connection: Connection, sql: str, otherwise: str) -> str:
        """The step for a statement that is not a read."""
        from millpond.core.mending.instead import instead

        return self._first(connection, instead(sql)) or otherwise

    def sound(self, connection: Connection, step: Step) -> str:
        """A step as it is printed; "" where its statement would be refused, or is too long."""
        return self._first(connection, [step])

    def reading(self, connection: Connection, unread: Unread) -> str:
        """A statement that could not be read, mended; "" where nothing is known that helps."""
        return self._first(connection, self._read(connection, unread, MAX_CHANGES))

    def running(self, connection: Connection, message: str, tree: dict[str, Any]) -> str:
        """A statement that failed at a value, mended; "" where nothing is known that helps."""
        from millpond.core.mending.running import candidates

        return self._first(connection, map(Step, _printed(connection, candidates(message, tree))))

    def _read(self, connection: Connection, unread: Unread, changes: int) -> Iterator[Step]:
        """What a fault may be mended to, then what that may be mended to where it has a fault of its own."""
        from millpond.core.mending.reading import candidates

        found = [
            f"{unread.words}{sql}"
            for sql in _printed(connection, candidates(unread.fault, self._known(connection, unread)))
        ]
        yield from map(Step, found)
        for sql in found if changes > 1 else ():
            if (further := self._fault(connection, sql)) is not None:
                yield from self._read(connection, further, changes - 1)

    def _fault(self, connection: Connection, sql: str) -> Unread | None:
        try:
            self._judge(connection, sql)
        except Unread as unread:
            return unread
        except (FatalError, Interrupted, OutOfMemory):
            raise
        except (QueryRefused, DatabaseError, RecursionError):
            return None
        return None

    def _first(self, connection: Connection, steps: Iterable[Step]) -> str:
        for step in islice(steps, MAX_CANDIDATES):
            if len(step.text) <= MAX_STEP_CHARACTERS and self._is_sound(connection, step.sql):
                return step.text
        return ""

    def _is_sound(self, connection: Connection, sql: str) -> bool:
        try:
            self._judge(connection, sql)
        except (FatalError, Interrupted, OutOfMemory):
            raise
        except (QueryRefused, DatabaseError, RecursionError):
            return False
        return True

    def _known(self, connection: Connection, unread: Unread) -> Known:
        if not self._functions:
            self._functions = _functions(connection)
        found = [path for table in unread.tables for path in islice(_paths(connection, table), MAX_FIELDS)]
        columns = [(path, kind) for path, in_list, kind in found if not in_list]
        return Known(
            tables=self._near(unread.name) if unread.refusal.reason is Reason.UNKNOWN_TABLE else (),
            columns=[path for path, _ in columns],
            lists=[(path, in_list) for path, in_list, _ in found if in_list],
            kinds=dict(columns),
            functions=self._functions,
        )


def _functions(connection: Connection) -> tuple[str, ...]:
    found = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')"
    ).fetchall()
    return tuple(sorted(name for (name,) in found if name.isidentifier() and name not in REFUSED_FUNCTIONS))


def _paths(connection: Connection, table: str) -> Iterator[tuple[str, str, str]]:
    """The columns of a table and the fields of its STRUCTs, as SQL writes them, columns first; a list with each field of its elements.

    The last of three is the kind of the type.
    """
    try:
        relation = connection.sql(f"FROM {quote(table)}")
        columns = [(printed_name(name), kind) for name, kind in zip(relation.columns, relation.types, strict=True)]
    except DatabaseError:
        return
    for _ in range(MAX_DEPTH):
        yield from ((path, "", str(kind.id)) for path, kind in columns)
        yield from (
            (path, field, kind.id)
            for path, kind in columns
            if kind.id == "list"
            for field, _ in _fields(kind.children[0][1])
        )
        columns = [(f"{path}.{field}", inner) for path, kind in columns for field, inner in _fields(kind)]


def _fields(kind: Any) -> list[tuple[str, Any]]:
    return [(printed_name(name), inner) for name, inner in kind.children] if kind.id == "struct" else []


def _printed(connection: Connection, found: Iterable[str | dict[str, Any]]) -> Iterator[str]:
    for one in found:
        try:
            yield one if isinstance(one, str) else printed(connection, [one])[0]
        except DatabaseError:
            continue
