"""What a session keeps of itself for its page."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from millpond.viewer.record import CallSeen, QuerySeen, Record, Seen
from viewer_session import NOW


def seen(number: int, size: int = 100, sent: int = 10, pad: str = "") -> CallSeen:
    return CallSeen(
        number=number, tool="t", arguments=pad, time=NOW, state="replaced", bytes=size, sent_bytes=sent, handle=None
    )


def asked(number: int, size: int = 5) -> QuerySeen:
    return QuerySeen(number=number, sql="SELECT 1", time=NOW, state="answered", bytes=size, answer="1")


def kept(record: Record) -> list[Any]:
    return [json.loads(line) for line in record.lines()]


def test_calls_and_questions_are_kept_in_their_order() -> None:
    """INSPECT-04"""
    record = Record(10_000)
    record.put(seen(1))
    record.put(asked(1))
    record.put(seen(2))
    assert [(one["kind"], one["number"]) for one in kept(record)[1:]] == [("call", 1), ("query", 1), ("call", 2)]


def test_what_is_known_anew_takes_the_place_of_what_was_known() -> None:
    """INSPECT-04"""
    record = Record(10_000)
    record.put(seen(1, sent=0))
    record.put(seen(1, sent=7))
    [_, call] = kept(record)
    assert call["sent_bytes"] == 7


def test_what_follows_is_told_until_it_is_ended() -> None:
    """INSPECT-04"""
    record, told = Record(10_000), list[bytes]()
    end = record.follow(told.append)
    record.put(seen(1))
    end()
    record.put(seen(2))
    assert told == record.lines()[1:2]


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9), st.integers(0, 999)), max_size=40), st.integers(0, 1500))
def test_the_bound_holds_and_what_went_is_counted(puts: list[tuple[bool, int, int]], most: int) -> None:
    """INSPECT-05"""
    record, latest = Record(most), dict[tuple[bool, int], Seen]()
    gone = {"calls": 0, "queries": 0, "came_bytes": 0, "sent_bytes": 0, "answer_bytes": 0}
    for is_call, number, size in puts:
        one = seen(number, size, size // 2) if is_call else asked(number, size)
        record.put(one)
        latest.setdefault((is_call, number), one)
        latest[is_call, number] = one
        there = {(line["kind"] == "call", line["number"]) for line in kept(record)[1:]}
        for key in set(latest) - there:
            old = latest.pop(key)
            gone["calls" if key[0] else "queries"] += 1
            if isinstance(old, CallSeen):
                gone["came_bytes"] += old.bytes
                gone["sent_bytes"] += old.sent_bytes
            else:
                gone["answer_bytes"] += old.bytes
        assert sum(map(len, record.lines()[1:])) <= most
        assert {name: kept(record)[0][name] for name in gone} == gone


def test_many_small_calls_take_no_more_memory_than_the_bound() -> None:
    """INSPECT-05"""
    most = 400_000
    tracemalloc.start()
    try:
        record = Record(most)
        for number in range(1, 5_000):
            record.put(seen(number))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(record.lines()) < 2_000
    assert taken < 1.1 * most
