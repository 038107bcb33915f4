"""Stdio: the relay between our standard streams and the server's.

Rule: every line in order, nothing waits for the engine but the answers that are being replaced, and an ended side ends the session.
Imports asyncio, `core.model` and the relay's modules.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from millpond.core.errors import ServerFailed
from millpond.core.model import Engine
from millpond.relay.child import Child
from millpond.relay.lines import Lines
from millpond.relay.session import Action, Ask, Keep, Session, Stop, Take, ToClient, ToServer
from millpond.relay.streams import Log, Sink, Source

EXIT_OK, EXIT_SERVER = 0, 1
END_SECONDS = 2.0
"""From the client's end until the server's group is sent TERM, and from TERM to KILL: what SDK clients give a server."""
ANSWER_SECONDS = 30.0
"""From the client's end while calls are pending: whoever pipes requests in and closes still reads the answers."""
ENGINE_SECONDS = 120.0
"""From the server's end until results that the engine holds are given up."""


class Stdio:
    """One session over standard streams."""

    def __init__(self, session: Session, engine: Engine, log: Log) -> None:
        self._session = session
        self._engine = engine
        self._log = log
        self._lines = Lines()
        self._tasks: set[asyncio.Task[None]] = set()
        self._asking: dict[bytes, asyncio.Task[None]] = {}
        self._answered = False
        self._client_ended = asyncio.Event()
        self._client_broken = False
        self._server_ended = asyncio.Event()
        self._signals = 0
        self._child: Child | None = None

    async def run(
        self, command: tuple[str, ...], env: Mapping[str, str], cwd: str | None, started: Callable[[], Awaitable[None]]
    ) -> int:
        """Relay until either side ends; returns the exit code. `started` is awaited once the server's process runs.

        Raises `ServerFailed` where it cannot be started, or ends before it answered anything.
        """
        self._child = child = await Child.start(command, env, cwd, self)
        self._sink = Sink(1, child.pause_reading, self._on_broken)
        self._source = Source(0, self._on_client)
        self._watch_signals()
        await started()
        ends = [asyncio.create_task(one.wait()) for one in (self._client_ended, self._server_ended)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        if self._client_ended.is_set() and not self._server_ended.is_set():
            await self._end_server(child)
            code = EXIT_OK
        else:
            code = EXIT_OK if self._client_ended.is_set() else EXIT_SERVER
        child.signal_group(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        await self._finish(child)
        if code == EXIT_SERVER:
            words = child.last_words()
            raise ServerFailed(words if self._answered else f"{words} (before it answered anything)")
        return code

    # --- lines --------------------------------------------------------------------------------------------------

    def _on_client(self, piece: bytes) -> None:
        lines = self._lines.feed(piece) if piece else [rest] if (rest := self._lines.rest()) else []
        for line in lines:
            self._do_all(self._session.from_client(line))
        if not piece:
            self._client_ended.set()

    def on_line(self, line: bytes) -> None:
        """A line of the server."""
        self._answered = True
        self._do_all(self._session.from_server(line))

    def on_stderr(self, line: bytes) -> None:
        """A line of the server's stderr goes to ours."""
        self._log.raw(line)

    def on_full(self, full: bool) -> None:
        """The server takes no more: neither do we from the client."""
        self._source.pause() if full else self._source.resume()

    def on_exit(self) -> None:
        """The server has ended."""
        self._server_ended.set()

    def _do_all(self, actions: list[Action]) -> None:
        for action in actions:
            self._do(action)

    def _do(self, action: Action) -> None:
        match action:
            case ToServer():
                if self._child is not None:
                    self._child.write(action.line)
            case ToClient():
                self._sink.write(action.line)
            case Keep():
                self._engine.record(action.call, action.result)
            case Take():
                self._begin(self._take(action))
            case Ask():
                self._asking[action.id] = self._begin(self._ask(action))
            case Stop():
                self._session.stopped(action.id)
                if (task := self._asking.pop(action.id, None)) is not None:
                    task.cancel()

    def _begin(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _take(self, take: Take) -> None:
        outcome = await self._engine.take(take.call, memoryview(take.line)[take.span], take.query_tool)
        self._sink.write(self._session.taken(take, outcome))

    async def _ask(self, ask: Ask) -> None:
        result = await self._engine.query(ask.arguments, ask.query_tool)
        self._asking.pop(ask.id, None)
        self._sink.write(self._session.answered(ask, result))

    # --- ends ---------------------------------------------------------------------------------------------------

    def _watch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, RuntimeError):
                loop.add_signal_handler(number, self._on_signal)

    def _on_signal(self) -> None:
        """The first signal ends the session in order, the second one at once."""
        self._signals += 1
        if self._signals > 1:
            if self._child is not None:
                self._child.signal_group(signal.SIGKILL)
            os._exit(EXIT_SERVER)
        self._client_broken = True
        self._client_ended.set()

    def _on_broken(self) -> None:
        self._client_broken = True
        self._client_ended.set()

    async def _end_server(self, child: Child) -> None:
        """Give the server its chance to end by itself, longer where its answers are still wanted."""
        child.close_stdin()
        waited = 0.0
        while waited < ANSWER_SECONDS and not self._client_broken and self._session.pending and not await child.wait(0.1):
            waited += 0.1
        if await child.wait(END_SECONDS):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._server_ended.wait(), END_SECONDS)
            return
        await child.end(END_SECONDS)

    async def _finish(self, child: Child) -> None:
        """Answer what is owed: the engine's results first, then an error for what the server will not answer."""
        if self._client_broken:
            for task in self._tasks:
                task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=ENGINE_SECONDS)
        for line in self._session.ended(f"{child.last_words()}; start it again"):
            self._sink.write(line)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._sink.drain(), END_SECONDS)
