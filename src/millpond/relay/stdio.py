"""Stdio: the relay between our standard streams and the server's.

Rule: every line in order, nothing waits for the engine but the answers that are being replaced, and an ended side ends
the session. Imports asyncio, `core` and the relay's modules.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress

from millpond.core.errors import ServerFailed
from millpond.core.model import Engine
from millpond.relay.actions import Action, Ask, Keep, Stop, Take, ToClient, ToServer
from millpond.relay.lines import Lines
from millpond.relay.log import Log
from millpond.relay.server_end import StartServer
from millpond.relay.session import Session
from millpond.relay.streams import Sink, Source

STDIN, STDOUT = 0, 1
EXIT_OK = 0
EXIT_SIGNAL = 128
"""Added to a signal's number: what shells show of a process that a signal ended."""
ANSWER_SECONDS = 30.0
"""From the client's end while calls are pending: whoever pipes requests in and closes still reads the answers."""
END_SECONDS = 1.5
"""From the end of the server's input until its group is sent TERM: SDK clients send it to us after 2 s."""
TERM_SECONDS = 1.0
"""From TERM to KILL: SDK clients send it to us 2 s after TERM."""
ENGINE_SECONDS = 120.0
"""From the server's end until results that the engine holds are given up."""
DRAIN_SECONDS = 2.0
"""For the last lines to a client that reads slowly."""
LOOK_SECONDS = 0.1
"""Between two looks at what no event tells of: a client that reads no more."""
MOST_ASKED = 256
"""Own calls at once; with more, the client waits."""
MOST_WAITING_BYTES = 64 << 20
"""Answers that wait for the client, own ones included, from which it is not heard."""


class Stdio:
    """One session over standard streams."""

    def __init__(self, session: Session, engine: Engine, log: Log) -> None:
        self._session = session
        self._engine = engine
        self._log = log
        self._lines = Lines()
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[bytes, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        self._starting: asyncio.Task[None] | None = None
        self._client_ended = False
        self._server_ended = False
        self._server_is_full = False
        self._signal = 0

    async def run(self, start_server: StartServer, start_engine: Callable[[], Coroutine[None, None, None]]) -> int:
        """Relay until either side ends; returns the exit code. `start_engine` is called once the server shows tools.

        Raises `ServerFailed` where it cannot be started, or ends before the client does.
        """
        self._start_engine = start_engine
        self._server = server = start_server(self)
        try:
            self._sink = Sink(STDOUT, self._on_client_full, self._changed.set)
            self._source = Source(STDIN, self._on_client)
            self._watch_signals()
            await self._until(lambda: self._client_ended or self._server_ended or self._is_over)
            is_server_first = self._server_ended and not self._client_ended and not self._is_over
            if not self._server_ended:
                await self._end_server()
            await self._pay_debts()
            if is_server_first:
                raise ServerFailed(server.last_words())
            return EXIT_SIGNAL + self._signal if self._signal else EXIT_OK
        finally:
            server.kill()

    @property
    def _is_over(self) -> bool:
        """True where nobody waits for an answer any more."""
        return bool(self._signal) or self._sink.is_broken

    # --- lines --------------------------------------------------------------------------------------------------

    def _on_client(self, piece: bytes) -> None:
        rest = [] if piece else [self._lines.rest()]
        for line in self._lines.feed(piece) if piece else filter(None, rest):
            self._relay(line, self._session.from_client, ToServer(line))
        if not piece:
            self._client_ended = True
            self._changed.set()

    def on_line(self, line: bytes) -> None:
        """A line of the server."""
        self._relay(line, self._session.from_server, ToClient(line))

    def _relay(self, line: bytes, decide: Callable[[bytes], list[Action]], unchanged: Action) -> None:
        try:
            actions = decide(line)
        except Exception as error:  # A fault of ours must not cost anyone a line: it goes on as it came.
            self._log.line(f"relay: a line is passed on as it came: {type(error).__name__}")
            actions = [unchanged]
        if self._starting is None and self._session.wants_engine:
            self._starting = asyncio.create_task(self._start_engine())
        for action in actions:
            self._do(action)

    def _do(self, action: Action) -> None:
        match action:
            case ToServer():
                self._server.write(action.line)
            case ToClient():
                self._sink.write(action.line)
            case Keep():
                self._keep(action)
            case Take():
                self._begin(self._take(action))
            case Ask():
                self._asked[action.key] = self._begin(self._ask(action))
            case Stop():
                if (task := self._asked.pop(action.key, None)) is not None:
                    task.cancel()
        self._throttle()

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.line(f"relay: an answer was lost: {type(error).__name__}")
        self._throttle()
        self._changed.set()

    def _keep(self, keep: Keep) -> None:
        if self._starting is None or self._starting.done():
            self._engine.record(keep.call, keep.result)
        else:
            self._starting.add_done_callback(lambda _: self._engine.record(keep.call, keep.result))

    async def _engine_is_started(self) -> None:
        if self._starting is not None:
            await asyncio.shield(self._starting)

    async def _take(self, take: Take) -> None:
        await self._engine_is_started()
        value = memoryview(take.line)[take.result.start : take.result.stop]
        outcome = await self._engine.take(take.call, value, take.query_tool)
        self._sink.write(self._session.taken(take, outcome))

    async def _ask(self, ask: Ask) -> None:
        await self._engine_is_started()
        result = await self._engine.query(ask.arguments, ask.query_tool)
        self._asked.pop(ask.key, None)
        self._sink.write(self._session.answered(ask, result))

    # --- who waits for whom -------------------------------------------------------------------------------------

    def on_full(self, full: bool) -> None:
        """The server takes no more for now: neither do we from the client."""
        self._server_is_full = full
        self._throttle()

    def _on_client_full(self, full: bool) -> None:
        """The client takes no more for now: neither do we from the server."""
        if full:
            self._server.pause()
        else:
            self._server.resume()
        self._throttle()

    def _throttle(self) -> None:
        is_too_much = len(self._asked) >= MOST_ASKED or self._sink.waiting_bytes > MOST_WAITING_BYTES
        if self._server_is_full or is_too_much:
            self._source.pause()
        else:
            self._source.resume()

    # --- ends ---------------------------------------------------------------------------------------------------

    def on_exit(self) -> None:
        """The server has ended."""
        self._server_ended = True
        self._changed.set()

    def on_deaf(self) -> None:
        """The server speaks or hears no more: it is over, and is ended where it does not see that itself."""
        self._begin(self._end_deaf())

    async def _end_deaf(self) -> None:
        if not await self._until(lambda: self._server.has_ended, END_SECONDS):
            await self._force_end()

    def _watch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            with suppress(AttributeError, NotImplementedError, RuntimeError):
                number: int = getattr(signal, name)
                loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: int) -> None:
        """The first signal ends the session in order, the second one at once."""
        if self._signal:
            self._server.kill()
            os._exit(EXIT_SIGNAL + number)
        self._signal = number
        self._changed.set()

    async def _until(self, holds: Callable[[], bool], seconds: float = float("inf")) -> bool:
        """Wait until it holds, at most so long; True where it does."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not holds():
            left = end - loop.time()
            if left <= 0:
                return False
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    self._changed.wait(), min(left, LOOK_SECONDS) if seconds < float("inf") else None
                )
            if self._client_ended:
                self._sink.look()
        return True

    async def _end_server(self) -> None:
        """Let the server end by itself, longer where its answers are still wanted; then end it."""
        self._server.close()
        await self._until(lambda: self._server_ended or self._is_over or not self._session.awaited, ANSWER_SECONDS)
        await self._until(lambda: self._server_ended or bool(self._signal), END_SECONDS)
        if not self._server_ended:
            await self._force_end()

    async def _force_end(self) -> None:
        self._server.terminate()
        if not await self._until(lambda: self._server_ended, TERM_SECONDS):
            self._server.kill()
            await self._until(lambda: self._server_ended, TERM_SECONDS)

    async def _pay_debts(self) -> None:
        """Answer all that is owed: what the server will not answer at once, the engine's when it has them."""
        for line in self._session.server_ended(f"{self._server.last_words()}; start it again"):
            self._sink.write(line)
        self._server.terminate()
        await self._until(lambda: not self._tasks or self._is_over, ENGINE_SECONDS)
        for task in set(self._tasks):
            task.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._sink.drain(), 0 if self._is_over else DRAIN_SECONDS)
