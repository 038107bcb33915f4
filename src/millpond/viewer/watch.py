"""Watch: an engine that notes what passes through it, and is the same engine otherwise.

Rule: what it is asked and answers is never changed, held up or lost for the record's sake. Imports `core` and this
package's `record`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Protocol

import msgspec

from millpond.core.clip import clip
from millpond.core.model import Call, Engine, Outcome, ToolText, Verdict
from millpond.viewer.record import MOST_TEXT_BYTES, CallSeen, QuerySeen, Record, Seen, TableSeen


class StartedEngine(Engine, Protocol):
    """An engine that is started by its user, and ended by its owner."""

    async def start(self) -> None:
        """Start it."""
        ...

    def of(self, conversation: str) -> StartedEngine:
        """The engine of one conversation."""
        ...

    async def aside(self, arguments: bytes) -> bytes:
        """The `result` value of the own tool for someone who is not the agent: it only reads, and is not counted."""
        ...


class _Block(msgspec.Struct, frozen=True):
    text: str = ""


class _Handle(msgspec.Struct, frozen=True):
    tables: tuple[TableSeen, ...] = ()
    note: str | None = None


class _Rows(msgspec.Struct, frozen=True):
    rows: int | None = None


class _Error(msgspec.Struct, frozen=True):
    reason: str | None = None


class _Meta(msgspec.Struct, frozen=True):
    handle: _Handle = msgspec.field(name="millpond/handle", default=_Handle())
    result: _Rows = msgspec.field(name="millpond/result", default=_Rows())
    error: _Error = msgspec.field(name="millpond/error", default=_Error())


class _Body(msgspec.Struct, frozen=True):
    """What is read of a `result` value of ours."""

    content: tuple[_Block, ...] = ()
    meta: _Meta = msgspec.field(name="_meta", default=_Meta())

    @property
    def text(self) -> str:
        """The first block, and behind it the notes."""
        return "\n\n".join(block.text for block in self.content if block.text)


class Watched:
    """An engine, and a record of what the agent had of it."""

    def __init__(
        self, engine: StartedEngine, record: Record, now: Callable[[], str], questions: Iterator[int] | None = None
    ) -> None:
        """`now` gives the time as ISO 8601 in UTC; `questions` are the numbers that a record's other engines share with this one."""
        self.engine = engine
        self.has_started = False
        """True once it was asked to start: before that nothing can be asked of it."""
        self._record = record
        self._now = now
        self._questions = questions or count(1)

    async def start(self) -> None:
        """Start it; returns at once, and what is asked meanwhile waits."""
        self.has_started = True
        await self.engine.start()

    def of(self, conversation: str) -> StartedEngine:
        """The engine of one conversation; what passes through it is noted with the rest."""
        return Watched(self.engine.of(conversation), self._record, self._now, self._questions)

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        """Know what the server says of these tools; nothing of it is noted."""
        self.engine.learn(tools)

    async def look(self, uri: str) -> bytes:
        """What a `millpond://` URI names; the client reads it, and nothing of it is noted."""
        return await self.engine.look(uri)

    async def aside(self, arguments: bytes) -> bytes:
        """The `result` value of the own tool for someone who is not the agent; nothing of it is noted."""
        return await self.engine.aside(arguments)

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        """Have a result stored, and note it before and after."""
        self._put(lambda: _seen(call, result))
        outcome = await self.engine.take(call, result, query_tool)
        self._put(lambda: _taken(_seen(call, result), outcome))
        return outcome

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Have a result kept that already went on, and note it."""
        self.engine.record(call, result)
        self._put(lambda: _passed(_seen(call, result), call.note))

    async def query(self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None) -> bytes:
        """Ask, and note the question before and its answer after."""
        began = time.monotonic()
        asked = _asked(next(self._questions), arguments, query_tool, self._now())
        self._put(lambda: asked)
        try:
            result = await self.engine.query(arguments, query_tool, call)
        except BaseException:
            self._put(lambda: msgspec.structs.replace(asked, state="cancelled", milliseconds=_since(began)))
            raise
        self._put(lambda: _answered(asked, result, _since(began)))
        return result

    def _put(self, make: Callable[[], Seen]) -> None:
        try:
            self._record.put(make())
        except (ValueError, msgspec.MsgspecError):  # A text that no JSON can carry: it is not shown, and nothing else.
            return


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _text(raw: bytes | memoryview) -> str:
    return clip(bytes(raw[: MOST_TEXT_BYTES + 4]).decode("utf-8", "replace"), MOST_TEXT_BYTES).text


def _seen(call: Call, result: bytes | memoryview) -> CallSeen:
    return CallSeen(
        number=call.number,
        tool=call.tool,
        arguments=_text(call.arguments),
        time=call.time,
        state="storing",
        bytes=call.unkept_bytes or len(result),
    )


def _passed(seen: CallSeen, note: str | None) -> CallSeen:
    return msgspec.structs.replace(seen, state="passed", sent_bytes=seen.bytes, note=note)


def _taken(seen: CallSeen, outcome: Outcome) -> CallSeen:
    if outcome.verdict is not Verdict.REPLACE or outcome.body is None:
        state = "failed" if outcome.verdict is Verdict.FAILED else "passed"
        return msgspec.structs.replace(seen, state=state, sent_bytes=seen.bytes, note=outcome.note)
    body = msgspec.json.decode(outcome.body, type=_Body)
    return msgspec.structs.replace(
        seen,
        state="replaced",
        sent_bytes=len(outcome.body),
        handle=clip(body.content[0].text if body.content else "", MOST_TEXT_BYTES).text,
        tables=body.meta.handle.tables,
        note=body.meta.handle.note,
    )


def _asked(number: int, arguments: bytes | memoryview, query_tool: str, time: str) -> QuerySeen:
    from millpond.core.arguments import Arguments, read_arguments  # Only who is asked something needs it, no start.

    try:
        asked = read_arguments(arguments, query_tool)
    except RecursionError:
        asked = None
    if isinstance(asked, Arguments):
        sql = clip(asked.sql, MOST_TEXT_BYTES).text
        return QuerySeen(number=number, sql=sql, time=time, state="running", saved_as=asked.save_as)
    return QuerySeen(number=number, sql=_text(arguments), time=time, state="running")


def _answered(asked: QuerySeen, result: bytes, milliseconds: int) -> QuerySeen:
    body = msgspec.json.decode(result, type=_Body)
    answer = clip(body.text, MOST_TEXT_BYTES)
    return msgspec.structs.replace(
        asked,
        state="refused" if body.meta.error.reason else "answered",
        milliseconds=milliseconds,
        bytes=len(result),
        answer=answer.text,
        is_cut=bool(answer.left_out_bytes),
        rows=body.meta.result.rows,
        reason=body.meta.error.reason,
    )
