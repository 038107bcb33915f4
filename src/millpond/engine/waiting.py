"""Waiting: what the link holds until the engine has answered: results to store, queries, and recorded results not yet committed.

Rule: bounded by count and bytes; no clock and no process, so that every order of events can be tried. Imports `core` and `limits`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from millpond.core.model import Call, Outcome, Query, ToolText, Visit
from millpond.engine.limits import Limits


@dataclass(slots=True, eq=False)
class Load:
    """A result that is to be stored."""

    id: int
    call: Call
    result: bytes | memoryview
    query_tool: str
    outcome: asyncio.Future[Outcome]
    sent: bool = False
    deaths: int = 0
    """How often the process ended under it through no fault of a query."""
    alone: bool = False
    """True when it ran out of memory beside queries: it is tried again when none runs, and none is begun meanwhile."""
    renewed: bool = False
    """True when it ran out of memory in a process that had stored others: it is tried again in a new one."""
    shared: bool = False
    """True when a query ran beside it since it was sent."""
    deadline: asyncio.TimerHandle | None = None


class Loads:
    """Results that wait, one of them in hand."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: deque[Load] = deque()
        self._bytes = 0
        self.current: Load | None = None
        """The one in hand, sent or to be sent."""

    def __bool__(self) -> bool:
        return self.current is not None or bool(self._waiting)

    def add(self, load: Load) -> bool:
        """Take one more. False where there is no room."""
        count = len(self._waiting) + (self.current is not None)
        size = len(load.result)
        if count >= self._limits.waiting_loads or (count and self._bytes + size > self._limits.waiting_load_bytes):
            return False
        self._bytes += size
        self._waiting.append(load)
        return True

    def advance(self) -> Load | None:
        """The one in hand; the next in line where there is none."""
        while self.current is None and self._waiting:
            load = self._waiting.popleft()
            if load.outcome.cancelled():
                self._bytes -= len(load.result)
            else:
                self.current = load
        return self.current

    def finish(self, outcome: Outcome) -> None:
        """Answer the one in hand."""
        load, self.current = self.current, None
        if load is None:
            return
        self._bytes -= len(load.result)
        if load.deadline:
            load.deadline.cancel()
        if not load.outcome.done():
            load.outcome.set_result(outcome)

    def finish_all(self, outcome: Outcome) -> None:
        """Answer every one."""
        while self.advance():
            self.finish(outcome)


@dataclass(slots=True, eq=False)
class Question:
    """A query that is to be answered."""

    id: int
    arguments: bytes | memoryview
    query_tool: str
    result: asyncio.Future[bytes]
    call: Call | None = None
    """What `calls` gets of it, where its answer is to be kept."""
    visit: Visit | None = None
    """What part another canvas has in it."""
    deadline: asyncio.TimerHandle | None = None
    sent: bool = False
    """True while the engine has it."""
    sends: int = 0
    is_resource: bool = False
    """True where `arguments` is a URI."""

    def message(self, call: Call | None) -> Query:
        """What the engine is sent before the arguments; `call` as the canvas numbers it."""
        return Query(id=self.id, query_tool=self.query_tool, call=call, visit=self.visit, is_resource=self.is_resource)


class Unconfirmed:
    """Recorded results that are held until they are known to be committed, to be sent again after a kill."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held: dict[int, tuple[Call, bytes | memoryview]] = {}
        self._bytes = 0

    def __bool__(self) -> bool:
        return bool(self._held)

    def add(self, call: Call, result: bytes | memoryview) -> bool:
        """Hold one more. False where there is no room."""
        if len(self._held) >= self._limits.unconfirmed or self._bytes + len(result) > self._limits.unconfirmed_bytes:
            return False
        self.remove((call.number,))
        self._held[call.number] = (call, result)
        self._bytes += len(result)
        return True

    def remove(self, numbers: Iterable[int]) -> None:
        """Let go of those that are committed; others are passed over."""
        for number in numbers:
            held = self._held.pop(number, None)
            if held:
                self._bytes -= len(held[1])

    def clear(self) -> int:
        """Let go of all. Returns how many there were."""
        count = len(self._held)
        self._held.clear()
        self._bytes = 0
        return count

    def all(self) -> tuple[tuple[Call, bytes | memoryview], ...]:
        """Those held, in the order in which they came."""
        return tuple(self._held.values())


class Learned:
    """What the server says of its tools, held for every process that comes."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held: dict[str, ToolText] = {}
        self._bytes = 0

    def add(self, tools: Iterable[ToolText]) -> tuple[ToolText, ...]:
        """Hold these, each in the place of what was said of its tool before. Returns those for which there was room."""
        held: list[ToolText] = []
        for tool in tools:
            before = self._held.pop(tool.name, None)
            self._bytes -= _size(before) if before else 0
            if self._bytes + _size(tool) <= self._limits.learned_bytes:
                self._held[tool.name] = tool
                self._bytes += _size(tool)
                held.append(tool)
        return tuple(held)

    def all(self) -> tuple[ToolText, ...]:
        """Those held."""
        return tuple(self._held.values())


def _size(tool: ToolText) -> int:
    return len(tool.name) + len(tool.description) + len(tool.schema)
