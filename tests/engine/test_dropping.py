"""What goes out of a canvas through the own tool's door: tables that are dropped, and calls that are evicted."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from asking import Asking, notes, reason, text
from millpond.core.model import TableState, Visit
from millpond.core.steps import LABEL
from pond import canvas, handle, rows, structured

T = "list_issues_k7q2xd_1"


@pytest.fixture
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured({"items": rows(412)}), "list_issues")
        yield Asking(pond)


def test_a_dropped_table_is_gone_with_its_result_and_calls_says_so(ask: Asking) -> None:
    """CANVAS-06 CANVAS-07"""
    ask(f"SELECT id FROM {T} LIMIT 2", save_as="Few")
    assert text(ask(f"DROP TABLE {T.upper()}")) == f"Dropped {T}, and what call 1 kept of its result."
    assert text(ask('drop table "few";')) == 'Dropped "Few", and what call 2 kept of its result.'
    assert ask.pond.sql("SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'main'") == [(1,)]
    assert ask.pond.sql("SELECT count(*) FROM results") == [(0,)]
    assert ask.pond.sql("SELECT number, tables, note FROM calls") == [
        (1, [], f"text beside it: done; {T} was dropped"),
        (2, [], "Few was dropped"),
    ]
    for _ in range(2):
        for name, tool in ((T, "list_issues"), ("FEW", "query")):
            refused = ask(f"SELECT count(*) FROM {name}")
            assert reason(refused) == "evicted_table"
            assert f"{name} was dropped with DROP TABLE." in text(refused)
            (found,) = ask.rows(text(refused).rpartition(LABEL)[2])
            assert found["tool"] == tool
        ask.pond.reopen()
        ask = Asking(ask.pond)
    assert reason(ask("SELECT 1 AS a", save_as="few")) is None
    assert ask.rows("FROM few") == [{"a": "1"}]


def test_a_result_of_several_tables_stays_until_the_last_is_dropped() -> None:
    """CANVAS-06"""
    with canvas(inline_rows_bytes=10 << 20) as pond:
        ask = Asking(pond)
        pond.take(structured({"a": rows(20), "b": rows(30)}), "both")
        assert ask.rows("SELECT tables FROM calls") == [{"tables": ["both_k7q2xd_1", "both_k7q2xd_1_b"]}]
        assert "Its result stays" in text(ask("DROP TABLE both_k7q2xd_1"))
        assert reason(ask("FROM both_k7q2xd_1")) == "evicted_table"
        assert ask.rows("SELECT count(*) AS n FROM both_k7q2xd_1_b") == [{"n": "30"}]
        pond.reopen()
        ask = Asking(pond)
        assert reason(ask("FROM both_k7q2xd_1")) == "evicted_table"
        assert "kept of its result" in text(ask("DROP TABLE both_k7q2xd_1_b"))
        assert pond.sql("SELECT count(*) FROM results") == [(0,)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DROP TABLE calls", "not_a_read"),
        ("DROP TABLE RESULTS", "not_a_read"),
        ("DROP TABLE nothing", "unknown_table"),
        ("DROP TABLE list_issues_zzz999_1", "stale_table"),
        (f"DROP TABLE {T}, calls", "invalid_sql"),
        (f"DROP TABLE IF EXISTS {T}", "not_a_read"),
        ("DROP VIEW results", "not_a_read"),
        ("DROP SCHEMA kept CASCADE", "not_a_read"),
        ("DROP MACRO canvas_id", "not_a_read"),
        (f"DROP TABLE {T}; SELECT 1", "not_one_statement"),
    ],
)
def test_nothing_but_one_table_of_the_canvas_is_dropped(ask: Asking, sql: str, expected: str) -> None:
    """CANVAS-06"""
    assert reason(ask(sql)) == expected
    assert ask.pond.store.state(T) is TableState.STORED
    assert ask.rows("SELECT count(*) AS n FROM results") == [{"n": "1"}]


def test_a_drop_keeps_nothing_and_no_guest_drops(ask: Asking) -> None:
    """CANVAS-05 CANVAS-06"""
    assert reason(ask(f"DROP TABLE {T}", save_as="x")) == "bad_argument"
    raw = json.dumps({"sql": f"DROP TABLE {T}"}).encode()
    guest = json.loads(ask.runner.answer(1, raw, "query", None, Visit()))
    assert reason(guest) == "not_a_read"
    assert "only read" in text(guest)
    assert ask.pond.store.state(T) is TableState.STORED


def test_what_a_dropped_table_took_is_free_for_others() -> None:
    """CANVAS-06 CANVAS-09"""
    with canvas(max_canvas_bytes=60_000) as pond:
        ask = Asking(pond)
        pond.take(structured({"items": rows(400)}), "list_issues")
        ask(f"DROP TABLE {T}")
        body = pond.take(structured({"items": rows(400)}), "list_issues")
        assert "evicted" not in str(handle(body)["note"])
        assert pond.store.state("list_issues_k7q2xd_2") is TableState.STORED


def test_the_calls_with_the_oldest_tables_go_where_tables_are_too_many() -> None:
    """CANVAS-09"""
    with canvas(max_tables=2) as pond:
        ask = Asking(pond)
        pond.store.record(pond.call("small"), structured([{"a": 1}]))
        bodies = [pond.take(structured({"items": rows(200)}), "list_issues") for _ in range(3)]
        assert handle(bodies[2])["note"] == "text beside it: done; call 2 evicted to make room"
        assert reason(ask("FROM list_issues_k7q2xd_2")) == "evicted_table"
        assert ask.rows("SELECT a FROM small_k7q2xd_1") == [{"a": "1"}]


def test_a_canvas_that_is_nearly_full_is_told_once_with_what_goes_first() -> None:
    """CANVAS-10"""
    with canvas(max_calls=10) as pond:
        ask = Asking(pond)
        for _ in range(8):
            pond.store.record(pond.call("small"), structured([{"a": 1}]))
        assert notes(ask("SELECT 1 AS a")) == []
        body = pond.take(structured({"items": rows(200)}), "list_issues")
        said = "the canvas is 90 % full (9 of 10 calls); next to go: call 1 (small_k7q2xd_1)"
        assert handle(body)["note"] == f"text beside it: done; {said}"
        assert "full" not in handle(pond.take(structured({"items": rows(200)}), "list_issues"))["note"]


def test_what_went_for_a_small_result_is_told_with_the_next_answer() -> None:
    """CANVAS-10"""
    with canvas(max_calls=3) as pond:
        ask = Asking(pond)
        for _ in range(5):
            pond.store.record(pond.call("small"), structured([{"a": 1}]))
            pond.store.flush()
        assert notes(ask("SELECT 1 AS a"))[-2:] == ["call 1 evicted to make room", "call 2 evicted to make room"]
        assert notes(ask("SELECT 1 AS a")) == []
