"""Checking: whether the figures of an answer are exact, asked of the data where that is cheap.

Rule: a check never fails a query that worked: a question that cannot be asked, judged, answered or afforded makes a note conditional
and nothing else. A question is made of a statement that was judged, and its tree is judged again before it runs. Imports `core` and
the engine's `database`, `exits`, `judging` and `printing`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from millpond.core.exactness.doubts import relevant
from millpond.core.exactness.findings import findings
from millpond.core.exactness.questions import Question, Site, questions
from millpond.core.exactness.remedies import Finding, unchecked, unplaced
from millpond.core.values import objects
from millpond.engine.database import BEGIN_READING, Connection, DatabaseError
from millpond.engine.exits import tell
from millpond.engine.judging import Judge, Judged
from millpond.engine.printing import printed

MAX_TABLE_ROWS = 100_000
"""Rows of all tables that a statement names, up to which the data is asked: some milliseconds."""
MAX_SECONDS = 0.5
"""The longest that a check takes, and the longest that a statement may have taken for one to be made."""
MAX_NOTES = 4
"""Notes on exactness under one answer; how many more there are is said."""

Clock = Callable[[], float]


class Checker:
    """Checks answers of one canvas."""

    def __init__(self, judge: Judge, clock: Clock = time.monotonic) -> None:
        self._judge = judge
        self._clock = clock

    def notes(self, connection: Connection, judged: Judged, rows: Sequence[Sequence[Any]], started: float) -> list[str]:
        """What is to be said of the answer `rows` to a statement that began at `started` on the clock. Never raises."""
        doubts = relevant(judged.doubts, rows)
        if not doubts.found:
            return []
        deadline = self._clock() + MAX_SECONDS
        try:
            asked = questions(judged.tree, doubts)
            affordable = self._clock() - started < MAX_SECONDS and _table_rows(connection, judged) <= MAX_TABLE_ROWS
            found = _unchecked(asked.unasked)
            for question in asked.asked:
                found += self._ask(connection, question, deadline) if affordable else _unchecked(question.sites)
            called = {str(node.get("function_name", "")).lower() for node in objects(judged.tree)}
            nameless = [note for doubt in asked.unplaced for note in unplaced(doubt, called)]
            return _first(_written(connection, found) + nameless)
        except Exception as error:
            _tell(error)
            return []

    def _ask(self, connection: Connection, question: Question, deadline: float) -> list[Finding]:
        """What the data tells, or what can be said without it."""
        timer = threading.Timer(max(0.0, deadline - self._clock()), connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            if not self._judge.may_ask(question.tree):
                return _unchecked(question.sites)
            connection.execute(BEGIN_READING)
            (inner,) = printed(connection, [question.tree])
            answer = connection.execute(question.sql(inner))
            types = [str(column[1]) for column in answer.description or ()]
            return findings(question, types, answer.fetchall())
        except Exception as error:
            _tell(error)
            return _unchecked(question.sites)
        finally:
            timer.cancel()
            with suppress(DatabaseError):  # None is open where the question was refused.
                connection.execute("ROLLBACK")


def _unchecked(sites: Iterable[Site]) -> list[Finding]:
    return [finding for site in sites for finding in unchecked(site)]


def _tell(error: Exception) -> None:
    """A line in the log of what should not have been raised; what DuckDB refuses or stops is no news."""
    if not isinstance(error, DatabaseError):
        tell(error)


def _table_rows(connection: Connection, judged: Judged) -> int:
    """The rows of the tables that the statement names, as DuckDB keeps count of them."""
    found = connection.execute(
        "SELECT coalesce(sum(estimated_size), 0) FROM duckdb_tables() WHERE list_contains(?, lower(table_name))",
        [[name.lower() for name in judged.tables]],
    ).fetchone()
    return int(found[0]) if found else 0


def _written(connection: Connection, found: Sequence[Finding]) -> list[str]:
    trees = [tree for one in found for tree in one.expressions]
    texts = iter(printed(connection, trees))
    return [one.note([next(texts) for _ in one.expressions]) for one in found]


def _first(notes: Sequence[str]) -> list[str]:
    """Each note once, and how many more there are than are shown."""
    once = list(dict.fromkeys(notes))
    more = len(once) - MAX_NOTES
    return once if more <= 0 else [*once[:MAX_NOTES], f"{more} more of its figures may not be exact."]
