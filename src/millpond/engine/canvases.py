"""Canvases: all canvases of this process: who opens one, who finds one by its id, and what passes between two.

Rule: an id is all that it takes to read a canvas, and it is told by nothing else; only a canvas's own conversation changes it. Ids stand
in no log. Imports asyncio, msgspec, `core` and the engine's modules without `duckdb`.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from millpond.core import canvas
from millpond.core.argument_names import given, meant
from millpond.core.errors import MillpondError, Reason, Refusal
from millpond.core.model import Call, Engine, EngineSettings, Outcome, ToolText, Visit
from millpond.core.replies import refusal_result
from millpond.core.values import is_object
from millpond.engine.counting import Counting
from millpond.engine.directory import EXCHANGE, CanvasDirectory
from millpond.engine.kept import KeptCanvas
from millpond.engine.tags import new_tag

MAX_LEARNED = 1_000
"""Tools whose words are remembered for later canvases."""


class OwnedEngine(Engine, Protocol):
    """An engine with its lifetime, which other canvases may have a part in."""

    async def start(self) -> None:
        """Start it; returns at once, and what is asked meanwhile waits."""
        ...

    async def close(self) -> None:
        """End it, started or not."""
        ...

    @property
    def counted(self) -> Counting:
        """What it came to so far."""
        ...

    async def query(
        self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None, visit: Visit | None = None
    ) -> bytes:
        """The `result` value of the own tool; `visit` tells what part another canvas has in it."""
        ...


Place = Callable[[], CanvasDirectory]
"""Makes a private directory, held."""
EngineFactory = Callable[[EngineSettings, Callable[[str], None]], OwnedEngine]
"""Makes an engine from its settings and a log of single lines."""
Keep = Callable[[str | None], KeptCanvas | None]
"""Finds the kept canvas of a session's conversation, or with None its own; None where there is to be none."""


class SettingsFactory(Protocol):
    """Makes the settings of an engine."""

    def __call__(self, directory: str, canvas: str, tag: str) -> EngineSettings:
        """Of a canvas with this id, whose table names have this tag, in this directory."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A canvas that is open."""

    id: str
    engine: OwnedEngine
    directory: CanvasDirectory

    def exchange(self, name: str) -> Path:
        """The file of this name, in which a table passes."""
        return self.directory.path / EXCHANGE / f"{name}.duckdb"


class Canvases:
    """The open canvases."""

    def __init__(
        self,
        place: Place,
        make: EngineFactory,
        settings: SettingsFactory,
        log: Callable[[str], None],
        tell: Callable[[Counting], None],
    ) -> None:
        """`place` makes a private directory, and raises `MillpondError` where none can be made; `tell` gets what an ended one came to."""
        self._place = place
        self._make = make
        self._settings = settings
        self._log = log
        self._tell = tell
        self._open: list[Opened] = []

    @asynccontextmanager
    async def open(self, max_conversations: int = 1, keep: Keep = lambda _: None) -> AsyncGenerator[Desk]:
        """A session with a canvas of its own, and one for each of so many conversations at once. Raises what `place` does."""
        desk = Desk(self, self.add(keep(None)), max_conversations, keep)
        try:
            yield desk
        finally:
            await desk.close()

    def add(self, kept: KeptCanvas | None = None) -> Opened:
        """Another canvas, a new one or one that was kept; nothing of it is started. Raises what `place` does."""
        directory = kept.directory if kept else self._place()
        id = kept.canvas if kept else secrets.token_hex(canvas.ID_BYTES)
        settings = self._settings(str(directory.path), id, kept.tag if kept else new_tag())
        if kept:
            settings = msgspec.structs.replace(settings, is_kept=True, begun_anew=kept.begun_anew)
        opened = Opened(id, self._make(settings, self._log), directory)
        self._open.append(opened)
        return opened

    async def end(self, opened: Opened) -> None:
        """End a canvas, and remove all of it, unless it is kept."""
        self._open.remove(opened)
        try:
            await opened.engine.close()
        finally:
            opened.directory.leave()
            self._tell(opened.engine.counted)

    def find(self, id: str) -> Opened | None:
        """The canvas of this id. All are compared, so that the time tells nothing."""
        found = [opened for opened in self._open if canvas.is_same(opened.id, id)]
        return found[0] if found else None


class Desk:
    """The canvas of a session or a conversation, from which it reaches others by their ids (`core.model.Engine`)."""

    def __init__(
        self, canvases: Canvases, home: Opened, max_conversations: int = 0, keep: Keep = lambda _: None
    ) -> None:
        self._canvases = canvases
        self._keep = keep
        self._home = home
        self._max_conversations = max_conversations
        self._conversations: dict[str, Desk] = {}
        """The longest unused first."""
        self._learned: dict[str, ToolText] = {}
        """What the server says of its tools, for the canvases that are begun later."""
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, conversation: str) -> Desk:
        """The canvas of one conversation, begun where there is none; where none can be, the session's own."""
        found = self._conversations.pop(conversation, None) or self._begin(conversation)
        if found is not self:
            self._conversations[conversation] = found
        while len(self._conversations) > self._max_conversations:
            self._do(self._conversations.pop(next(iter(self._conversations))).close())
        return found

    def _begin(self, conversation: str) -> Desk:
        try:
            desk = Desk(self._canvases, self._canvases.add(self._keep(conversation)))
        except MillpondError:
            return self
        desk.learn(tuple(self._learned.values()))
        self._do(desk.start())
        return desk

    def _do(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End every canvas of it, with all that lies in them."""
        await asyncio.gather(*self._tasks, *(desk.close() for desk in self._conversations.values()))
        await self._canvases.end(self._home)

    async def start(self) -> None:
        """Start the engine of the session's own canvas."""
        await self._home.engine.start()

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        """Have a result stored in the session's own canvas."""
        return await self._home.engine.take(call, result, query_tool)

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        """Know what the server says of its tools."""
        self._home.engine.learn(tools)
        self._learned |= {tool.name: tool for tool in tools[: MAX_LEARNED - len(self._learned)]}
        for desk in self._conversations.values():
            desk.learn(tools)

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Have a result kept in the session's own canvas."""
        self._home.engine.record(call, result)

    async def query(self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None) -> bytes:
        """The `result` value of the own tool, asked of the canvas that the arguments name, and kept in the session's own."""
        named = _named(arguments)
        if named is None or canvas.is_same(named, self._home.id):
            return await self._home.engine.query(arguments, query_tool, call)
        if not canvas.is_id(named):
            return refusal_result(canvas.malformed())
        other = self._canvases.find(named)
        if other is None:
            return refusal_result(canvas.not_found())
        self._home.engine.counted.asked()  # Its own agent asks; the other canvas counts no guest.
        if call is None:
            return await other.engine.query(arguments, query_tool, None, Visit())
        return await self._copy(other, arguments, query_tool, call)

    async def aside(self, arguments: bytes) -> bytes:
        """The `result` value of the own tool for someone who is not the agent: it only reads, and is not counted."""
        return await self._home.engine.query(arguments, "query", None, Visit())

    async def look(self, uri: str) -> bytes:
        """What a `millpond://` URI names in the session's own canvas."""
        return await self._home.engine.look(uri)

    async def _copy(self, other: Opened, arguments: bytes | memoryview, query_tool: str, call: Call) -> bytes:
        """Have the other canvas answer into a file, and this one keep what is in it."""
        name = secrets.token_hex(16)
        there, here = other.exchange(name), self._home.exchange(name)
        try:
            answer = await other.engine.query(arguments, query_tool, None, Visit(lend=name))
            lent: dict[str, Any] = msgspec.json.decode(answer)
            if lent["isError"]:
                return answer
            await asyncio.to_thread(_carry, there, here)
            visit = Visit(borrow=name, notes=tuple(lent["_meta"]["millpond/result"]["notes"]))
            return await self._home.engine.query(arguments, query_tool, call, visit)
        except OSError as error:
            return refusal_result(_not_carried(error))
        finally:
            for file in (there, here):
                _remove(file)


def _named(arguments: bytes | memoryview) -> str | None:
    """The canvas that the arguments of an own call name; None where they name none, or where the engine says what is wrong."""
    try:
        came = given(arguments)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    named = [value for key, value in came.items() if meant(str(key)) == "canvas"] if is_object(came) else []
    return named[0] if len(named) == 1 and isinstance(named[0], str) else None


def _carry(there: Path, here: Path) -> None:
    here.parent.mkdir(mode=0o700, exist_ok=True)
    shutil.move(there, here)


def _remove(file: Path) -> None:
    for path in (file, file.with_name(f"{file.name}.wal")):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _not_carried(error: OSError) -> Refusal:
    return Refusal(
        Reason.EXECUTION_ERROR,
        f"The answer could not be carried over from the other canvas ({error.strerror or type(error).__name__}). Ask again, or ask"
        " for less.",
    )
