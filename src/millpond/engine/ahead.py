"""Ahead: rows go into their table while the rest of them is still being looked at.

Rule: DuckDB loads a chunk on a thread of its own, by the types that hold for all rows up to it, while Python observes the next one;
where a later row widens a type, loading begins anew, so that a table is always what the plan for all of its rows makes of it.
Imports `core` and the engine's `database` and `load`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from millpond.core.columns import Plan, Planner, as_values, plan_columns
from millpond.core.rows import RowSet
from millpond.engine.database import Connection
from millpond.engine.load import check, create, insert, load

MAX_BEGINNINGS = 4
"""Times that loading begins before all rows were observed; types that go on widening are waited for."""


def one_thread() -> ThreadPoolExecutor:
    """The thread that a connection is used on while rows are observed; to be left before the connection's transaction ends."""
    return ThreadPoolExecutor(1, "ahead")


def load_rows(thread: ThreadPoolExecutor, connection: Connection, table: str, rows: RowSet) -> Plan:
    """Create `table` with the columns that the rows give and fill it; the plan that it was loaded by.

    What was given to `thread` before is done before. Raises DuckDB's errors and `EngineFailed`; the caller rolls back. The connection is
    its own until this returns.
    """
    chunks = tuple(rows.chunks())
    if len(chunks) <= 1:  # nothing to load ahead of
        plan = plan_columns(rows)
        thread.submit(load, connection, table, plan).result()
        return plan
    planner = Planner(rows)
    plan: Plan | None = None
    ahead = _Ahead(thread, connection, table, chunks)
    try:
        for number, chunk in enumerate(chunks):
            planner.observe(number, chunk)
            plan = planner.plan()
            ahead.add(plan, number)
        plan = plan or plan_columns(as_values(rows))
        ahead.finish(plan)
    finally:
        ahead.stop()
    check(connection, table, plan)
    return plan


class _Ahead:
    """What one table's thread has to do, in order."""

    def __init__(self, thread: ThreadPoolExecutor, connection: Connection, table: str, chunks: Sequence[slice]) -> None:
        self._thread = thread
        self._connection = connection
        self._table = table
        self._chunks = chunks
        self._plan: Plan | None = None
        """The one that all chunks handed over since the last beginning are loaded by."""
        self._beginnings = 0
        self._waiting: list[Future[None]] = []

    def add(self, plan: Plan | None, number: int) -> None:
        """Load the chunk of this number, which the plan now covers. Raises what an earlier one met with."""
        if self._plan is not None and plan is not None and plan.loads_like(self._plan):
            self._insert(plan, number)
        elif plan is not None and self._beginnings < MAX_BEGINNINGS:
            self._begin(plan, number + 1)
        else:
            self._plan = None
            self.stop()

    def finish(self, plan: Plan) -> None:
        """Wait until all chunks are loaded by the plan for all rows. Raises what one of them met with."""
        if self._plan is None or not plan.loads_like(self._plan):
            self._begin(plan, len(self._chunks))
        for future in self._waiting:
            future.result()

    def stop(self) -> None:
        """Load nothing that has not begun."""
        for future in self._waiting:
            future.cancel()

    def _begin(self, plan: Plan, count: int) -> None:
        self.stop()
        self._waiting.clear()
        self._beginnings += 1
        self._plan = plan
        self._waiting.append(self._thread.submit(create, self._connection, self._table, plan))
        for number in range(count):
            self._insert(plan, number)

    def _insert(self, plan: Plan, number: int) -> None:
        if self._waiting[0].done():  # What has failed is known before all is observed.
            self._waiting.pop(0).result()
        arguments = self._connection, self._table, plan, number, self._chunks[number]
        self._waiting.append(self._thread.submit(insert, *arguments))
