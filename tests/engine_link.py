"""A link to a scripted engine process (`servers/engine_worker.py`) or to the real one, and bounded waits for what it logs."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pond
from millpond.core.model import Call, Mode, Outcome
from millpond.engine.limits import Limits
from millpond.engine.link import COMMAND, Link
from millpond.engine.places import Places

SCRIPTED = (sys.executable, str(Path(__file__).parent / "servers" / "engine_worker.py"))
BOUND_SECONDS = 60.0
"""For every wait: far more than any takes, so that a hang is a failure and a slow machine is none."""
LIMITS = Limits(grace_seconds=0.1, first_pause_seconds=0.01, longest_pause_seconds=0.1)


def quick(**changes: Any) -> Limits:
    """Limits for a test, which does not wait where nothing is waited for."""
    return dataclasses.replace(LIMITS, **changes)


P = ParamSpec("P")
T = TypeVar("T")


def on_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test on an event loop of its own, for a bounded time."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 2 * BOUND_SECONDS))

    return run


class Bench:
    """A link that is running, with what it logged."""

    def __init__(
        self, directory: Path, *, limits: Limits, command: tuple[str, ...], places: Places | None = None, **changes: Any
    ) -> None:
        self.directory = directory
        self.lines: list[str] = []
        self._changed = asyncio.Event()
        self.link = Link(pond.settings(directory, **changes), self._log, limits=limits, command=command, places=places)
        self._number = 0

    def _log(self, line: str) -> None:
        self.lines.append(line)
        self._changed.set()

    async def logged(self, text: str, times: int = 1) -> None:
        """Wait until so many lines hold this text."""
        async with asyncio.timeout(BOUND_SECONDS):
            while sum(text in line for line in self.lines) < times:
                self._changed.clear()
                await self._changed.wait()

    def call(self, tool: str, mode: Mode = "auto") -> Call:
        self._number += 1
        return Call(number=self._number, tool=tool, arguments=b"{}", time="2026-11-30T00:00:00Z", mode=mode)

    def take(self, tool: str, result: bytes = b"[]") -> asyncio.Task[Outcome]:
        """Begin to have a result stored."""
        return asyncio.create_task(self.link.take(self.call(tool), result, "query"))

    def record(self, tool: str = "small", result: bytes = b"[]") -> int:
        """Have a result recorded. Returns its number."""
        call = self.call(tool)
        self.link.record(call, result)
        return call.number

    def query(self, text: str) -> asyncio.Task[Any]:
        """Begin a query; the task's result is what it answered, decoded."""
        return asyncio.create_task(self._query(text))

    async def _query(self, text: str) -> Any:
        return json.loads(await self.link.query(text.encode(), "query"))

    async def ask(self, text: str) -> Any:
        """A query and its answer."""
        return await bounded(self.query(text))

    async def kill(self) -> int:
        """Send SIGKILL to the process that is running. Returns its id."""
        pid = await self.ask("pid")
        os.kill(pid, signal.SIGKILL)
        return pid


async def bounded(wait: Awaitable[T]) -> T:
    return await asyncio.wait_for(wait, BOUND_SECONDS)


async def until(condition: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    async with asyncio.timeout(BOUND_SECONDS):
        while not condition():
            await asyncio.sleep(0.002)


@asynccontextmanager
async def bench(
    directory: Path, *, limits: Limits = LIMITS, command: tuple[str, ...] = SCRIPTED, **changes: Any
) -> AsyncGenerator[Bench]:
    made = Bench(directory / "canvas", limits=limits, command=command, **changes)
    await made.link.start()
    try:
        yield made
    finally:
        await bounded(made.link.close())


@asynccontextmanager
async def real(directory: Path, **changes: Any) -> AsyncGenerator[Bench]:
    """A bench on the real engine process."""
    async with bench(directory, command=COMMAND, **changes) as made:
        yield made


def reason(result: dict[str, Any]) -> str:
    """Why an own tool refused."""
    assert result["isError"] is True
    return result["_meta"]["millpond/error"]["reason"]


def message(result: dict[str, Any]) -> str:
    """What an agent reads of a refusal."""
    return result["content"][0]["text"]


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and that nobody has waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")
