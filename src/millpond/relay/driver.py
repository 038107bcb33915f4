"""Driver: one session between a client's end, given as a few callables, and the server that it starts.

Rule: every line in order, and nothing waits for the engine but the answers that are being replaced. What is a client,
how it is heard and when a session is over is its owner's. Imports asyncio, `core` and the relay's modules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from itertools import count
from typing import Protocol

from millpond.core.model import Engine, SessionEngine
from millpond.relay.actions import Action, Alarm, Ask, Keep, Learn, Look, Say, Stop, Take, ToClient, ToServer
from millpond.relay.log import Log
from millpond.relay.requests import progress_line
from millpond.relay.server_end import StartServer
from millpond.relay.session import Session
from millpond.relay.siblings import Shown

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
PROGRESS_SECONDS = 1
"""From an own call until its first progress is told, and between two."""
MOST_ASKED = 256
"""Own calls at once; with more, the client waits."""
MOST_WAITING_BYTES = 64 << 20
"""Answers that wait for the client, own ones included, from which it is not heard."""


class ClientEnd(Protocol):
    """The client, as a driver sees it. Called on the loop; none of it blocks."""

    @property
    def waiting_bytes(self) -> int:
        """What was written and has not left us."""
        ...

    def write(self, line: bytes) -> None:
        """Send a line, after those that were written before; lost where nobody reads any more."""
        ...

    def hear(self, wanted: bool) -> None:
        """Whether lines of the client are wanted for now."""
        ...

    def is_gone(self) -> bool:
        """True where nobody waits for an answer any more."""
        ...

    async def drain(self) -> None:
        """Wait until what was written has left us, or nobody reads any more."""
        ...


Pause = Callable[[float], Coroutine[None, None, None]]


class Driver:
    """Carries out what a session decides, for one client and one server."""

    def __init__(
        self, session: Session, engine: SessionEngine, log: Log, client: ClientEnd, pause: Pause = asyncio.sleep
    ) -> None:
        """Nothing is started yet. `pause` lets so many seconds pass."""
        self._session = session
        self._engine = engine
        self._log = log
        self._client = client
        self._pause = pause
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[bytes, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        self._starting: asyncio.Task[None] | None = None
        self._server_is_full = False
        self._is_hurried = False
        self.server_ended = False
        """True where the server is over, and all that it wrote was heard."""

    def start(self, start_server: StartServer, start_engine: Callable[[], Coroutine[None, None, None]]) -> None:
        """Start the server. `start_engine` is called once the server shows tools.

        Raises `ServerFailed` where it cannot be started.
        """
        self._start_engine = start_engine
        self._server = start_server(self)

    @property
    def own(self) -> Shown | None:
        """The own tools, once the client was shown them."""
        return self._session.own

    @property
    def is_over(self) -> bool:
        """True where nobody waits for an answer any more."""
        return self._is_hurried or self._client.is_gone()

    # --- lines --------------------------------------------------------------------------------------------------

    def from_client(self, line: bytes) -> None:
        """A line of the client."""
        self._relay(line, self._session.from_client, ToServer(line))

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
                self._client.write(action.line)
            case Keep():
                self._keep(action)
            case Take():
                self._begin(self._take(action))
            case Learn() | Say():
                self._note(action)
            case Ask() | Look() | Alarm() | Stop():
                self._do_meanwhile(action)
        self.throttle()

    def _do_meanwhile(self, action: Ask | Look | Alarm | Stop) -> None:
        """Begin what runs beside the lines, or end it."""
        match action:
            case Ask():
                self._begin(self._ask(action), action.key)
            case Look():
                self._begin(self._look(action), action.key)
            case Alarm():
                self._begin(self._wake(action), action.key)
            case Stop():
                if (task := self._asked.pop(action.key, None)) is not None:
                    task.cancel()

    def _note(self, action: Learn | Say) -> None:
        if isinstance(action, Learn):
            self._engine.learn(action.tools)
        else:
            self._log.once(action.text)

    def _begin(self, work: Coroutine[None, None, None], key: bytes = b"") -> asyncio.Task[None]:
        """Do it meanwhile; a `Stop` of the key ends it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        if key:
            self._asked[key] = task
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.line(f"relay: an answer was lost: {type(error).__name__}")
        self.throttle()
        self.changed()

    def _keep(self, keep: Keep) -> None:
        engine = self._engine_of(keep.call.conversation)
        if self._starting is None or self._starting.done():
            engine.record(keep.call, keep.result)
        else:
            self._starting.add_done_callback(lambda _: engine.record(keep.call, keep.result))

    def _engine_of(self, conversation: str | None) -> Engine:
        return self._engine if conversation is None else self._engine.of(conversation)

    async def _engine_is_started(self) -> None:
        if self._starting is not None:
            await asyncio.shield(self._starting)

    async def _take(self, take: Take) -> None:
        await self._engine_is_started()
        value = memoryview(take.line)[take.result.start : take.result.stop]
        outcome = await self._engine_of(take.call.conversation).take(take.call, value, take.query_tool)
        self._client.write(self._session.taken(take, outcome))

    async def _ask(self, ask: Ask) -> None:
        token = ask.progress_token
        telling = None if token is None else self._begin(self._tell(token))
        try:
            await self._engine_is_started()
            result = await self._engine_of(ask.conversation).query(ask.arguments, ask.query_tool, ask.call)
        finally:
            if telling is not None:
                telling.cancel()  # From here on it writes nothing, not even where its pause is over already.
        self._asked.pop(ask.key, None)
        self._client.write(self._session.answered(ask, result))

    async def _look(self, look: Look) -> None:
        await self._engine_is_started()
        found = await self._engine.look(look.uri)
        self._asked.pop(look.key, None)
        self._client.write(self._session.looked(look, found))

    async def _wake(self, alarm: Alarm) -> None:
        await self._pause(alarm.seconds)
        self._asked.pop(alarm.key, None)
        for action in self._session.overdue(alarm.key):
            self._do(action)

    async def _tell(self, token: bytes) -> None:
        """Tell the client again and again that its call runs; not while it leaves so much unread that it is not heard."""
        for seconds in count(PROGRESS_SECONDS, PROGRESS_SECONDS):
            await self._pause(PROGRESS_SECONDS)
            if self._client.waiting_bytes <= MOST_WAITING_BYTES:
                self._client.write(progress_line(token, seconds))

    # --- who waits for whom -------------------------------------------------------------------------------------

    def on_full(self, full: bool) -> None:
        """The server takes no more for now: neither do we from the client."""
        self._server_is_full = full
        self.throttle()

    def on_client_full(self, full: bool) -> None:
        """The client takes no more for now: neither do we from the server."""
        if full:
            self._server.pause()
        else:
            self._server.resume()
        self.throttle()

    def throttle(self) -> None:
        """Hear the client, or not for now."""
        is_too_much = len(self._asked) >= MOST_ASKED or self._client.waiting_bytes > MOST_WAITING_BYTES
        self._client.hear(not (self._server_is_full or is_too_much))

    # --- ends ---------------------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Something has changed that `until` may wait for."""
        self._changed.set()

    def hurry(self) -> None:
        """Wait for nobody's answers, and no longer than needed for the server's end."""
        self._is_hurried = True
        self.changed()

    def kill(self) -> None:
        """End what is left of the server at once."""
        self._server.kill()

    def last_words(self) -> str:
        """How the server ended, and what may tell why."""
        return self._server.last_words()

    def on_exit(self) -> None:
        """The server has ended."""
        self.server_ended = True
        self.changed()

    def on_deaf(self) -> None:
        """The server speaks or hears no more: it is over, and is ended where it does not see that itself."""
        self._begin(self._end_deaf())

    async def _end_deaf(self) -> None:
        if not await self.until(lambda: self._server.has_ended, END_SECONDS):
            await self._force_end()

    async def until(self, holds: Callable[[], bool], seconds: float = float("inf")) -> bool:
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
        return True

    async def end_server(self) -> None:
        """Let the server end by itself, longer where its answers are still wanted; then end it."""
        self._server.close()
        await self.until(lambda: self.server_ended or self.is_over or not self._session.awaited, ANSWER_SECONDS)
        await self.until(lambda: self.server_ended or self._is_hurried, END_SECONDS)
        if not self.server_ended:
            await self._force_end()

    async def _force_end(self) -> None:
        self._server.terminate()
        if not await self.until(lambda: self.server_ended, TERM_SECONDS):
            self._server.kill()
            await self.until(lambda: self.server_ended, TERM_SECONDS)

    async def pay_debts(self) -> None:
        """Answer all that is owed: what the server will not answer at once, the engine's when it has them."""
        for action in self._session.server_ended(f"{self._server.last_words()}; start it again"):
            self._do(action)
        self._server.terminate()
        await self.until(lambda: not self._tasks or self.is_over, ENGINE_SECONDS)
        for task in set(self._tasks):
            task.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._client.drain(), 0 if self.is_over else DRAIN_SECONDS)
