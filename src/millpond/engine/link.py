"""Link: the relay's end of the engine: gives it work, keeps deadlines, has a process ended that does not stop.

Rule: everyone who asks is answered, whatever becomes of the process; what a kill interrupts is sent again, but never the query that
caused it. Every method runs on the event loop and none blocks it. Imports `core`, asyncio and the engine's modules without `duckdb`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Literal

import msgspec

from millpond.core.errors import Refusal
from millpond.core.model import (
    Answer,
    Answered,
    Call,
    Cancel,
    EngineSettings,
    Kept,
    Learn,
    Outcome,
    Record,
    Take,
    Taken,
    ToolText,
    Verdict,
    Visit,
)
from millpond.core.replies import refusal_result
from millpond.engine import exits
from millpond.engine.counting import Counting
from millpond.engine.exits import Exit
from millpond.engine.limits import QUERY_THREADS, Limits
from millpond.engine.places import Places
from millpond.engine.supervisor import End, Supervisor
from millpond.engine.waiting import Learned, Load, Loads, Question, Unconfirmed

COMMAND = (sys.executable, "-P", "-m", "millpond.engine.worker")
"""`-P` keeps the user's working directory out of the module path."""
_MIB = 1 << 20
_NOT_RUNNING = "the engine is not running"


class Link:
    """The engine of one canvas, as the relay sees it (`core.model.Engine`)."""

    def __init__(
        self,
        settings: EngineSettings,
        log: Callable[[str], None],
        *,
        limits: Limits | None = None,
        command: Sequence[str] = COMMAND,
        places: Places | None = None,
    ) -> None:
        """`log` gets single lines without the conversation's data. Nothing is started yet.

        `places` are those that this engine shares with others; without them, it has one for itself and for good.
        """
        self._settings = settings
        self._log = log
        self._limits = limits or Limits()
        self._places = places or Places(most=1)
        self._ids = count(1)
        self._loads = Loads(self._limits)
        self._questions: dict[int, Question] = {}
        self._stopping: dict[int, asyncio.TimerHandle] = {}
        self._unconfirmed = Unconfirmed(self._limits)
        self._learned = Learned(self._limits)
        self._dropped = 0
        self._before: int | None = None
        """The highest number that was there before this session's calls, which are numbered on from it; None until a process tells."""
        self._has_loaded = False
        """True once the process has dealt with a result: what it has taken of its memory it may not give back."""
        self._closed = False
        self.counted = Counting()
        """What became of all that was asked."""
        self._supervisor = Supervisor(self, settings, self._limits, command, log)
        self._run: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process in the background; what is asked meanwhile waits for it. A second call does nothing."""
        if self._run is None and not self._closed:
            self._run = asyncio.create_task(self._supervisor.run())

    async def close(self) -> None:
        """End the process, and answer all that still waits. Takes `Limits.close_seconds` at most, and the time of a kill."""
        self._closed = True
        if self._run:
            self._run.cancel()
            await asyncio.wait([self._run])
        for timer in self._stopping.values():
            timer.cancel()
        self.on_given_up()
        await self._supervisor.close()
        self._places.leave(self)

    # --- rest ---------------------------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """True where something waits for the process."""
        return bool(self._questions or self._stopping or self._loads or self._unconfirmed)

    def rest(self) -> None:
        """End the process until something is asked of it, which then takes 0.3 s more. One that is busy goes on."""
        if not self.is_busy:
            self._supervisor.rest()

    async def may_start(self) -> bool:
        """Wait for a place among the engines that run."""
        return await self._places.enter(self, self._limits.start_seconds)

    def on_over(self) -> None:
        """Make the place free."""
        self._places.leave(self)

    # --- results ------------------------------------------------------------------------------------------------

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        """Have a result stored. Never raises but for cancellation; a full queue or a dead engine is `FAILED`."""
        outcome = await self._stored(call, result, query_tool)
        if outcome.body is not None:
            self.counted.replaced(call.tool, result, outcome.body)
        else:
            self.counted.kept(call.tool, len(result))
        if outcome.verdict is Verdict.FAILED and not self._closed:
            self._log(f"engine: the result of call {self._numbered(call).number} is in no table: {outcome.note}")
        return outcome

    async def _stored(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        if self._unavailable():
            return _failed(_NOT_RUNNING)
        if len(result) > self._settings.max_result_bytes:
            return _failed(f"it is larger than max_result_bytes ({self._settings.max_result_bytes:,} bytes)")
        load = Load(next(self._ids), call, result, query_tool, _future())
        if not self._loads.add(load):
            return _failed("too many results wait to be stored")
        self._advance()
        return await load.outcome

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Have a result kept that already went on. In order with the others; dropped with a log line at the bound."""
        self.counted.kept(call.tool, call.unkept_bytes or len(result))
        kept = bytes(result)  # A view would hold the whole line that it is a part of.
        if self._closed or not self._unconfirmed.add(call, kept):
            self._drop()
            return
        if self._dropped:
            self._log(f"engine: {self._dropped} results were not recorded, the engine was too far behind")
            self._dropped = 0
        if self._supervisor.process:
            self._supervisor.process.send(Record(call=self._numbered(call)), kept)
        elif self._supervisor.is_resting:
            self._supervisor.want()
        self._places.touch(self)

    def _drop(self) -> None:
        self._dropped += 1
        if self._dropped == 1 and not self._closed:
            self._log("engine: results are not recorded until it has caught up")

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        """Know what the server says of these tools; of each, the latest counts. Over the bound it is left out, with a log line."""
        held = self._learned.add(tools)
        if len(held) < len(tools):
            self._log(f"engine: the descriptions of {len(tools) - len(held)} tools are not kept, they are too large")
        if self._supervisor.process:
            self._supervisor.process.send(Learn(tools=held))

    # --- queries ------------------------------------------------------------------------------------------------

    async def query(
        self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None, visit: Visit | None = None
    ) -> bytes:
        """The `result` value of the own tool for these raw arguments, errors included. Cancelling the task stops it.

        `call` is what `calls` gets of it, where its answer is to be kept; `visit` what part another canvas has in it.
        """
        if visit is None:
            self.counted.asked()
        if self._unavailable():
            return refusal_result(exits.unavailable())
        return await self._asked(Question(next(self._ids), arguments, query_tool, _future(), call, visit))

    async def look(self, uri: str) -> bytes:
        """What a `millpond://` URI names, or where it is empty what there is: a `Looked` as JSON, or an own error."""
        if self._unavailable():
            return refusal_result(exits.unavailable())
        return await self._asked(Question(next(self._ids), uri.encode(), "", _future(), is_resource=True))

    async def _asked(self, question: Question) -> bytes:
        seconds = self._settings.timeout_seconds
        self._questions[question.id] = question
        question.deadline = _later(seconds, self._expire, question)
        self._advance()
        try:
            return await question.result
        except asyncio.CancelledError:
            self._stop(question, "cancelled")
            raise
        finally:
            question.deadline.cancel()
            self._questions.pop(question.id, None)

    def _expire(self, question: Question) -> None:
        """The deadline passed: the caller is answered now, the engine is given a grace to stop."""
        sent = question.sent
        refusal = exits.timed_out if sent else exits.not_reached
        self._answer(question, refusal(self._settings.timeout_seconds))
        self._stop(question, "timeout")

    def _stop(self, question: Question, why: Literal["cancelled", "timeout"]) -> None:
        process = self._supervisor.process
        if question.sent and process and question.id not in self._stopping:
            process.send(Cancel(id=question.id, why=why))
            self._stopping[question.id] = _later(self._limits.grace_seconds, self._supervisor.kill, "query")
        question.sent = False

    def _answer(self, question: Question, refusal: Refusal) -> None:
        self._questions.pop(question.id, None)
        if not question.result.done():
            question.result.set_result(refusal_result(refusal))

    # --- what is sent -------------------------------------------------------------------------------------------

    def _unavailable(self) -> bool:
        self._supervisor.want()
        self._places.touch(self)
        return self._closed or self._supervisor.refusing

    def _advance(self) -> None:
        """Send what can be sent now."""
        process = self._supervisor.process
        if process is None:
            return
        load = self._loads.advance()
        if load and not load.sent and not (load.alone and self._queries_run()):
            load.sent = True
            load.shared = self._queries_run()
            if load.deadline is None:
                load.deadline = _later(self._load_seconds(load), self._overdue, load)
            process.send(Take(id=load.id, call=self._numbered(load.call), query_tool=load.query_tool), load.result)
        if load and load.alone:
            return
        free = QUERY_THREADS - len(self._stopping) - sum(question.sent for question in self._questions.values())
        for question in self._questions.values():
            if free > 0 and not question.sent and not question.result.done():
                free -= 1
                question.sent = True
                question.sends += 1
                call = question.call and self._numbered(question.call)
                process.send(question.message(call), question.arguments)
                if load:
                    load.shared = True

    def _numbered(self, call: Call) -> Call:
        """As the canvas numbers it."""
        return msgspec.structs.replace(call, number=call.number + self._before) if self._before else call

    def _queries_run(self) -> bool:
        return bool(self._stopping) or any(question.sent for question in self._questions.values())

    def _load_seconds(self, load: Load) -> float:
        return self._limits.load_seconds + self._limits.load_seconds_per_mib * len(load.result) / _MIB

    def _overdue(self, load: Load) -> None:
        if self._loads.current is load:
            self._loads.finish(_failed("it could not be stored in time"))
            if load.sent:
                self._supervisor.kill("load")
            self._advance()

    # --- what the supervisor tells ------------------------------------------------------------------------------

    def on_up(self, last_number: int) -> None:
        """A process takes requests: what is known of the tools goes first, then what was recorded, the result in hand, queries."""
        process = self._supervisor.process
        assert process is not None
        self._has_loaded = False
        if self._before is None:
            self._before = last_number
        self._places.settle(self)
        if learned := self._learned.all():
            process.send(Learn(tools=learned))
        for call, result in self._unconfirmed.all():
            process.send(Record(call=self._numbered(call)), result)
        self._advance()
        if not self.is_busy:
            self._places.on_idle(self)

    def on_answer(self, answer: Answer, body: bytes) -> None:
        """Hand an answer to whoever waits for it."""
        match answer:
            case Taken():
                self._taken(answer, body)
            case Answered():
                self._answered(answer, body)
            case Kept():
                self._unconfirmed.remove(number - (self._before or 0) for number in answer.numbers)
                self.counted.evicted(answer.evicted)
            case _:
                return
        self._advance()
        if not self.is_busy:
            self._places.on_idle(self)

    def _taken(self, answer: Taken, body: bytes) -> None:
        load = self._loads.current
        if load is None or load.id != answer.id:
            return
        self.counted.evicted(answer.evicted)
        is_first, self._has_loaded = not self._has_loaded, True
        if answer.verdict is Verdict.NO_MEMORY:
            if load.shared and not load.alone:
                load.alone, load.sent = True, False
            elif not is_first and not load.renewed:
                load.renewed = True
                self._supervisor.kill("memory")
            else:
                self._loads.finish(_failed(answer.note or "it did not fit the engine's memory"))
            return
        if answer.verdict is Verdict.KEEP and not self._unconfirmed.add(load.call, load.result):
            self._drop()
        replaced = answer.verdict is Verdict.REPLACE
        self._loads.finish(Outcome(verdict=answer.verdict, body=body if replaced else None, note=answer.note))

    def _answered(self, answer: Answered, body: bytes) -> None:
        timer = self._stopping.pop(answer.id, None)
        if timer:
            timer.cancel()
        question = self._questions.get(answer.id)
        if question and not question.result.done():
            question.sent = False
            question.result.set_result(body)

    def on_down(self, end: End) -> None:
        """The process is gone: answer what cannot be sent again, and have the rest sent to the next."""
        self.counted.restarted()
        for timer in self._stopping.values():
            timer.cancel()
        self._stopping.clear()
        if self._supervisor.failures >= self._limits.starts and (held := self._unconfirmed.clear()):
            self._log(f"engine: {held} results are not recorded, the engine ended again and again under them")
        for question in [question for question in self._questions.values() if question.sent]:
            question.sent = False
            refusal = self._not_again(question, end)
            if refusal:
                self._answer(question, refusal)
        self._load_interrupted(end)

    def _not_again(self, question: Question, end: End) -> Refusal | None:
        """Why a query that was interrupted is not sent again, or None where it is."""
        if end.code == Exit.LOST:
            return exits.lost()
        if end.code == Exit.EXCESS:
            return exits.grew_too_large()
        return exits.restarted() if question.sends >= self._limits.query_sends else None

    def _load_interrupted(self, end: End) -> None:
        load = self._loads.current
        if load is None or not load.sent:
            return
        load.sent = False
        load.deaths += end.blame in (None, "load") and end.code != Exit.LOST
        if load.deaths >= self._limits.load_deaths:
            self._loads.finish(_failed("the engine ended twice while it was being stored"))

    def on_given_up(self) -> None:
        """None comes up: answer all that waits."""
        self._loads.finish_all(_failed(_NOT_RUNNING))
        for question in list(self._questions.values()):
            self._answer(question, exits.unavailable())


def _failed(note: str) -> Outcome:
    return Outcome(verdict=Verdict.FAILED, note=note)


def _future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


def _later(seconds: float, call: Callable[..., None], *arguments: object) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, call, *arguments)
