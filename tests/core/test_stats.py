"""Counts of sessions as lines, and their sums."""

from __future__ import annotations

from collections.abc import Mapping

import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from millpond.core.stats import (
    MAX_NAME_CHARACTERS,
    MAX_TOOLS,
    SessionCount,
    ToolCount,
    by_server,
    read_lines,
    session_line,
    session_sentence,
)
from millpond.core.tokens import estimate_tokens_of

TOKENIZER = bpe_openai.get_encoding("o200k_base")
LIST = ToolCount(calls=3, replaced=2, bytes=300_000, kept_out_bytes=299_000, kept_out_tokens=75_000)


def session(
    tools: Mapping[str, ToolCount], server: str = "issues", time: str = "2026-11-30T12:00:00.000Z"
) -> SessionCount:
    return SessionCount(time=time, server=server, tools=tools, queries=4, evictions=1, restarts=0)


names = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
counts = st.builds(ToolCount, calls=st.integers(0, 2**40), kept_out_bytes=st.integers(0, 2**50))


@given(names, st.dictionaries(names, counts, max_size=5))
def test_a_line_gives_the_session_back(server: str, tools: dict[str, ToolCount]) -> None:
    """STATS-01"""
    line = session_line(session(tools, server))
    assert line.count(b"\n") == 1
    (found,), broken = read_lines(line)
    assert broken == 0
    assert sum(count.calls for count in found.tools.values()) == sum(count.calls for count in tools.values())
    assert (found.queries, found.evictions) == (4, 1)


def test_a_line_is_bounded_whatever_its_names() -> None:
    """STATS-12"""
    tools = {f"{at}" + "x" * 1_000: ToolCount(calls=1) for at in range(1_000)}
    (found,), _ = read_lines(session_line(session(tools, "s" * 1_000)))
    assert len(found.server) == MAX_NAME_CHARACTERS
    assert len(found.tools) == MAX_TOOLS + 1
    assert found.tools["(others)"].calls == 1_000 - MAX_TOOLS
    assert found.total.calls == 1_000


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line and line.strip()), max_size=4))
@example([b'{"time":"x","server":"y","tools":{"a":{"calls":-1}}}', b'{"time":"x"}', b"[" * 5_000])
def test_what_is_no_line_costs_no_other(broken: list[bytes]) -> None:
    """STATS-06"""
    lines = [session_line(session({"a": LIST})), *(line + b"\n" for line in broken), session_line(session({"b": LIST}))]
    sessions, count = read_lines(b"".join(lines))
    assert [list(one.tools) for one in sessions] == [["a"], ["b"]]
    assert count == len(broken)


def test_sessions_are_summed_by_server_and_tool_what_kept_most_out_first() -> None:
    """STATS-08"""
    few = ToolCount(calls=9, bytes=10)
    found = by_server(
        [session({"a": few}, "b"), session({"a": few, "list": LIST}, "a"), session({"list": LIST}, "a", "2027")]
    )
    assert list(found) == ["a", "b"]
    sessions, total = found["a"]
    assert (sessions, total.queries, total.time) == (2, 8, "2027")
    assert list(total.tools) == ["list", "a"]
    assert total.tools["list"] == LIST.plus(LIST)


@pytest.mark.parametrize(
    ("given_session", "says"),
    [
        (session({"a": ToolCount(calls=1)}), "1 call, 0 results kept out of the conversation (0 bytes, about 0 tokens); 4 queries; 1 call evicted"),
        (session({"a": LIST}), "3 calls, 2 results kept out of the conversation (292 KB, about 75,000 tokens); 4 queries; 1 call evicted"),
        (SessionCount(time="", server="", tools={"a": ToolCount(calls=7)}), ""),
        (SessionCount(time="", server="", tools={"a": LIST}, restarts=2), "3 calls, 2 results kept out of the conversation (292 KB, about 75,000 tokens); 0 queries; 2 restarts of the engine"),
    ],
)  # fmt: skip
def test_the_sentence_at_a_sessions_end(given_session: SessionCount, says: str) -> None:
    """STATS-09"""
    assert session_sentence(given_session) == says


@pytest.mark.parametrize(
    "row",
    [
        '{"id":%d,"state":"open","title":"Crash when saving to a full disk","labels":["bug","p1"],"score":%d.25},',
        '{"number":%d,"airport":"BARKSDALE AIR FORCE BASE ARPT","date":"1990-01-08","cost_usd":%d},',
        "2012-01-%d,0.0,12.8,5.%d,4.7,drizzle\\n",
    ],
)
def test_tokens_of_data_are_near_what_is_counted(row: str) -> None:
    """STATS-13"""
    text = "".join(row % (at, at % 7) for at in range(800))
    counted = len(TOKENIZER.encode(text))
    assert estimate_tokens_of(memoryview(text.encode())) == pytest.approx(counted, rel=0.2)
    assert estimate_tokens_of(b"") == 0
    assert estimate_tokens_of("é".encode() * 4_000) > 0
