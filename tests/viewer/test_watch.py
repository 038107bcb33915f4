"""An engine that is watched answers as it would unwatched, and what passed is noted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine_link import on_loop
from millpond.core.errors import Reason, Refusal
from millpond.core.model import Outcome, Verdict
from millpond.core.replies import refusal_result
from millpond.viewer.record import MOST_TEXT_BYTES, Record
from millpond.viewer.watch import Watched
from viewer_session import NOW, Told, answer, call

HANDLE: dict[str, Any] = {
    "content": [{"type": "text", "text": "412 rows in t"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}],
    "_meta": {"millpond/handle": {"canvas": "c", "tables": [{"name": "t", "path": "$", "rows": 412, "columns": []}]}},
}


class Bench:
    def __init__(self) -> None:
        self.engine = Told()
        self.record = Record(1 << 20)
        self.watched = Watched(self.engine, self.record, lambda: NOW)

    def last(self) -> Any:
        return json.loads(self.record.lines()[-1])


@on_loop
async def test_a_replaced_result_is_noted_with_its_handle_and_tables() -> None:
    """INSPECT-06"""
    bench, body = Bench(), json.dumps(HANDLE).encode()
    bench.engine.outcome = Outcome(verdict=Verdict.REPLACE, body=body)
    assert await bench.watched.take(call(3, b'{"state":"open"}'), b"x" * 9000, "query") is bench.engine.outcome
    last = bench.last()
    assert (last["number"], last["state"], last["handle"]) == (3, "replaced", "412 rows in t")
    assert (last["bytes"], last["sent_bytes"], last["arguments"]) == (9000, len(body), '{"state":"open"}')
    assert last["tables"] == [{"name": "t", "path": "$", "rows": 412}]


@pytest.mark.parametrize(
    ("verdict", "state"), [(Verdict.KEEP, "passed"), (Verdict.FAILED, "failed"), (Verdict.REPLACE, "storing")]
)
@on_loop
async def test_a_result_that_went_on_is_noted_as_it_came(verdict: Verdict, state: str) -> None:
    """INSPECT-06, INSPECT-07: what cannot be read is not shown further, and the outcome is the same."""
    bench = Bench()
    body = b"no JSON" if verdict is Verdict.REPLACE else None
    bench.engine.outcome = Outcome(verdict=verdict, body=body, note="too large")
    assert await bench.watched.take(call(), b"12345", "query") is bench.engine.outcome
    assert bench.last()["state"] == state


def test_a_recorded_result_is_noted() -> None:
    """INSPECT-06"""
    asyncio.run(_recorded())


async def _recorded() -> None:
    bench = Bench()
    bench.watched.record(call(2), b"{}")
    assert [one.number for one in bench.engine.recorded] == [2]
    assert (bench.last()["state"], bench.last()["sent_bytes"]) == ("passed", 2)


@on_loop
async def test_a_question_is_noted_when_it_is_asked_and_when_it_is_answered() -> None:
    """INSPECT-06"""
    bench, told = Bench(), list[Any]()
    bench.record.follow(lambda line: told.append(json.loads(line)))
    result = await bench.watched.query(b'{"sql":"SELECT 1","save_as":"one"}', "query")
    assert result is bench.engine.result
    assert [one["state"] for one in told] == ["running", "answered"]
    assert (told[1]["sql"], told[1]["answer"], told[1]["rows"], told[1]["saved_as"]) == ("SELECT 1", "n\n1", 1, "one")
    assert told[1]["bytes"] == len(result)


@on_loop
async def test_a_refusal_a_stop_and_arguments_that_are_none_are_noted() -> None:
    """INSPECT-06"""
    bench = Bench()
    bench.engine.result = refusal_result(Refusal(Reason.UNKNOWN_TABLE, "There is no table x."))
    await bench.watched.query(b"[]", "query")
    assert (bench.last()["state"], bench.last()["reason"], bench.last()["sql"]) == ("refused", "unknown_table", "[]")
    bench.engine.may_answer.clear()
    bench.engine.was_asked.clear()
    question = asyncio.create_task(bench.watched.query(b"[" * 100_000, "query"))
    await bench.engine.was_asked.wait()
    question.cancel()
    with pytest.raises(asyncio.CancelledError):
        await question
    assert bench.last()["state"] == "cancelled"
    assert bench.engine.stopped == 1


@on_loop
async def test_long_texts_are_cut_and_it_is_said() -> None:
    """INSPECT-05"""
    bench = Bench()
    bench.engine.result = answer("ä" * MOST_TEXT_BYTES)
    await bench.watched.query(b'{"sql":"' + b"x" * (2 * MOST_TEXT_BYTES) + b'"}', "query")
    last = bench.last()
    assert len(last["sql"]) == MOST_TEXT_BYTES
    assert (len(last["answer"]), last["is_cut"]) == (MOST_TEXT_BYTES // 2, True)
