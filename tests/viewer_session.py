"""A session's door for tests: a record, a watched engine that is told what to answer, and the folder of the doors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from millpond.core.model import Call, Outcome, ToolText, Verdict
from millpond.viewer.door import Door, Hello
from millpond.viewer.record import Record
from millpond.viewer.watch import Watched

NOW = "2026-11-30T12:00:00.000Z"
HELLO = Hello(server="files", pid=7, began=NOW, version="0", max_rows=100, timeout_seconds=10.0)


def call(number: int = 1, arguments: bytes = b"{}") -> Call:
    """A call of a tool."""
    return Call(number=number, tool="list_rows", arguments=arguments, time=NOW)


def answer(text: str, rows: int = 1) -> bytes:
    """The `result` value of the own tool for rows."""
    meta: dict[str, Any] = {"millpond/result": {"columns": [], "rows": rows, "truncated": False, "notes": []}}
    return json.dumps({"content": [{"type": "text", "text": text}], "isError": False, "_meta": meta}).encode()


class Told:
    """An engine that answers what it is told to, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.recorded: list[Call] = []
        self.stopped = 0
        self.running = 0
        self.most_running = 0
        self.outcome = Outcome(verdict=Verdict.KEEP)
        self.result = answer("n\n1")
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.was_asked = asyncio.Event()

    def of(self, conversation: str) -> Told:
        return self

    async def start(self) -> None:
        """Nothing is to be started."""

    async def close(self) -> None:
        """Nothing is to be ended."""

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        """Nothing is to be learned."""

    async def look(self, uri: str) -> bytes:
        """Nothing is to be looked at."""
        return b"{}"

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        """What it was told."""
        return self.outcome

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Note the call."""
        self.recorded.append(call)

    async def aside(self, arguments: bytes) -> bytes:
        """As `query`: the engine tells nobody from another."""
        return await self.query(arguments, "query")

    async def query(self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None) -> bytes:
        """What it was told, once it may."""
        self.asked.append(bytes(arguments))
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self.was_asked.set()
        try:
            await self.may_answer.wait()
            return self.result
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        finally:
            self.running -= 1


class Shown:
    """One session that a page can reach."""

    def __init__(self, directory: Path, max_kept_bytes: int = 1 << 20) -> None:
        self.directory = directory
        self.engine = Told()
        self.record = Record(max_kept_bytes)
        self.watched = Watched(self.engine, self.record, lambda: NOW)
        self.door = Door(HELLO, self.watched, self.record, max_kept_bytes)

    @property
    def path(self) -> Path:
        """The door's path."""
        assert self.door.path
        return self.door.path


@asynccontextmanager
async def shown(directory: Path, max_kept_bytes: int = 1 << 20, *, started: bool = True) -> AsyncGenerator[Shown]:
    """A session whose door is open."""
    session = Shown(directory / "doors", max_kept_bytes)
    if started:
        await session.watched.start()
    await session.door.open(session.directory)
    try:
        yield session
    finally:
        await session.door.close()
