"""Flusher: commits what was recorded, in batches, behind the answers.

Rule: what is reported as committed was recorded before the commit began. Imports the engine's `limits`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from millpond.engine.limits import BATCH_RECORDS, BATCH_SECONDS, FLUSH_RETRY_SECONDS


class Flusher:
    """A thread that flushes when enough was recorded, or some time after the first of it."""

    def __init__(self, flush: Callable[[tuple[int, ...]], bool]) -> None:
        """`flush` commits and reports these numbers; where it returns False they come again with the next batch."""
        self._flush = flush
        self._numbers: list[int] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="flush", daemon=True).start()

    def add(self, number: int) -> None:
        """Have this number committed; it has been recorded already."""
        with self._changed:
            self._numbers.append(number)
            if len(self._numbers) in (1, BATCH_RECORDS):
                self._changed.notify()

    def _run(self) -> None:
        while True:
            numbers = self._batch()
            if not self._flush(numbers):
                with self._changed:
                    self._numbers[:0] = numbers
                threading.Event().wait(FLUSH_RETRY_SECONDS)

    def _batch(self) -> tuple[int, ...]:
        with self._changed:
            self._changed.wait_for(lambda: self._numbers)
            self._changed.wait_for(lambda: len(self._numbers) >= BATCH_RECORDS, BATCH_SECONDS)
            numbers, self._numbers = tuple(self._numbers), []
            return numbers
