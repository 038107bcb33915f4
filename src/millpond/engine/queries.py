"""Queries: a few threads that answer queries, and what stops them.

Rule: every query is answered once; one that is stopped before it began is answered with nothing, for nobody waits. Imports `core` and
the engine's `parts`, `exits` and `limits`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from millpond.core.errors import CanvasStopped
from millpond.core.model import Answered, Cancel, Query
from millpond.core.replies import refusal_result
from millpond.engine import exits
from millpond.engine.exits import stop, tell
from millpond.engine.limits import QUERY_THREADS, STOP_AGAIN_SECONDS
from millpond.engine.parts import QueryPart, Why


class Queries:
    """The queries of one worker."""

    def __init__(self, runner: QueryPart, send: Callable[[Answered, bytes], None]) -> None:
        self._runner = runner
        self._send = send
        self._waiting: deque[tuple[Query, bytes]] = deque()
        self._running: set[int] = set()
        self._stopping: dict[int, Why] = {}
        self._changed = threading.Condition()
        for number in range(QUERY_THREADS):
            threading.Thread(target=self._answer_in_turn, name=f"query-{number}", daemon=True).start()
        threading.Thread(target=self._stop_until_gone, name="stop", daemon=True).start()

    def add(self, request: Query, arguments: bytes) -> None:
        """Have a query answered."""
        with self._changed:
            self._waiting.append((request, arguments))
            self._changed.notify_all()

    def stop(self, request: Cancel) -> None:
        """End a query early; one that is unknown or answered is passed over."""
        with self._changed:
            kept = deque(entry for entry in self._waiting if entry[0].id != request.id)
            dropped = len(kept) < len(self._waiting)
            self._waiting = kept
            if request.id in self._running:
                self._stopping[request.id] = request.why
                self._changed.notify_all()
        if dropped:
            self._send(Answered(id=request.id), b"")

    def _answer_in_turn(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                request, arguments = self._waiting.popleft()
                self._running.add(request.id)
            result = self._answer(request, arguments)
            with self._changed:
                self._running.discard(request.id)
                self._stopping.pop(request.id, None)
            self._send(Answered(id=request.id), result)

    def _answer(self, request: Query, arguments: bytes) -> bytes:
        try:
            if request.is_resource:
                return self._runner.look(request.id, arguments.decode())
            return self._runner.answer(request.id, arguments, request.query_tool, request.call, request.visit)
        except CanvasStopped as error:
            stop(error)
        except MemoryError:
            return refusal_result(exits.out_of_memory())
        except Exception as error:
            tell(error)
            return refusal_result(exits.failed(type(error).__name__))

    def _stop_until_gone(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping)
                stopping = dict(self._stopping)
            for id, why in stopping.items():
                self._runner.stop(id, why)
            threading.Event().wait(STOP_AGAIN_SECONDS)
