"""`save_as` through the own tool's door, on a real canvas: what is kept, under which name, and what a stop leaves."""

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import Asking, notes, reason, text
from millpond.core.model import TableState
from millpond.core.steps import LABEL
from millpond.engine.database import Connection
from millpond.engine.query import QueryRunner
from millpond.engine.tables import Saved
from pond import canvas, rows, structured

T = "list_issues_k7q2xd_1"
CALLS = "SELECT number, tool, tables FROM calls ORDER BY number"


@pytest.fixture
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured({"items": rows(412)}), "list_issues")
        yield Asking(pond)


def meta(answer: dict[str, Any]) -> dict[str, Any]:
    assert reason(answer) is None, text(answer)
    return answer["_meta"]["millpond/result"]


def printed(answer: dict[str, Any]) -> str:
    """The statement that an answer's notes print."""
    return next(line for note in notes(answer) for line in note.split("\n") if line.startswith("  ")).strip()


# --- what is kept ---------------------------------------------------------------------------------------------------


def test_the_whole_answer_is_kept_and_its_first_rows_are_shown(ask: Asking) -> None:
    """QUERY-12"""
    answer = ask(f"SELECT id, pad FROM {T} WHERE id >= 100 ORDER BY id DESC", save_as="busy", max_rows=3)
    assert meta(answer) == {
        "columns": [{"name": "id", "type": "BIGINT"}, {"name": "pad", "type": "VARCHAR"}],
        "rows": 3,
        "truncated": True,
        "total": 312,
        "saved_as": "busy",
        "notes": notes(answer),
    }
    assert text(answer).split("\n")[2].startswith("411|")
    assert notes(answer)[0] == "Only the first 3 rows of 312 are shown."
    assert notes(answer)[1].startswith("Saved: 312 rows (14 KB) in busy, all that the query gives.")
    assert ask.rows(printed(answer)) == [{"count_star()": "312"}]
    assert ask.rows("SELECT count(*) AS n, min(id) AS least FROM busy") == [{"n": "312", "least": "100"}]
    assert [row["id"] for row in ask.rows("SELECT id FROM BUSY LIMIT 2")] == ["411", "410"]
    assert "busy" in text(ask("SHOW TABLES"))


@pytest.mark.parametrize(("rows", "arguments", "shown"), [(20, {}, 20), (21, {}, 3), (30, {"max_rows": 25}, 25)])
def test_a_long_answer_that_is_kept_shows_three_rows_and_its_columns(
    ask: Asking, rows: int, arguments: dict[str, int], shown: int
) -> None:
    """QUERY-12"""
    answer = ask(f"SELECT id, pad FROM {T} ORDER BY id LIMIT {rows}", save_as="kept_rows", **arguments)
    assert (meta(answer)["rows"], meta(answer)["total"]) == (shown, rows)
    assert len(text(answer).split("\n")) == 2 + shown
    assert any("\nid BIGINT 0.." in note for note in notes(answer)) is (shown < rows)
    assert any("are shown" in note for note in notes(answer)) is (shown < rows)


def test_a_kept_answer_is_asked_and_kept_again_like_any_table(ask: Asking) -> None:
    """QUERY-12"""
    ask(f"SELECT id % 2 AS odd, count(*) AS n FROM {T} GROUP BY ALL", save_as="by_odd")
    ask("SELECT sum(n) AS total FROM by_odd", save_as="Totals")
    assert ask.rows("SELECT t.total, o.n FROM totals t, by_odd o WHERE odd = 0") == [{"total": "412", "n": "206"}]
    assert reason(ask("DESCRIBE Totals")) is None
    assert meta(ask("DESCRIBE by_odd", save_as="its_columns"))["total"] == 2
    assert meta(ask("SELECT * FROM by_odd WHERE false", save_as="nothing"))["total"] == 0


EXACT = (
    "12345678901234567.89 AS d, (SELECT '1234567890123456789012345678901234567890123')::BIGNUM AS b, {'k': 1.10} AS s, ['a', NULL] AS l, 0.1::FLOAT AS f,"
    " 'nan'::DOUBLE AS nan, MAP {'x': 1} AS m, TIMESTAMPTZ '2026-01-01 10:00:00+02:00' AS t, INTERVAL 1 MONTH AS i,"
    " '\\xAA'::BLOB AS o, uuid '00000000-0000-0000-0000-000000000001' AS u"
)


def test_every_type_and_value_stays_exactly_as_it_is(ask: Asking) -> None:
    """QUERY-13"""
    before = ask(f"SELECT {EXACT}", format="json")
    kept = ask(f"SELECT {EXACT}", format="json", save_as="exact")
    after = ask("FROM exact", format="json")
    assert text(before) == text(kept) == text(after)
    assert meta(before)["columns"] == meta(kept)["columns"] == meta(after)["columns"]


@given(st.lists(st.integers(-(10**30), 10**30), max_size=30))
def test_rows_keep_their_order(values: list[int]) -> None:
    """QUERY-13"""
    with canvas() as pond:
        ask = Asking(pond)
        ask(f"SELECT unnest({values}::HUGEINT[]) AS v", save_as="kept")
        assert [int(row["v"]) for row in ask.rows("FROM kept")] == values


def test_columns_without_a_usable_name_get_one_and_it_is_said(ask: Asking) -> None:
    """QUERY-14"""
    answer = ask(
        f"SELECT id, id, count(*), sum(id), -id, 1 + 1, 'x', id AS \"my id\" FROM {T} GROUP BY id", save_as="t2"
    )
    names = [column["name"] for column in meta(answer)["columns"]]
    assert names == ["id", "id_2", "count_star", "sum_id", "id_3", "column_6", "x", "my id"]
    assert notes(answer)[-1] == (
        "Columns named anew: id_2 is column 2 (id), count_star is column 3 (count_star()), sum_id is column 4 (sum(id)),"
        " id_3 is column 5 ((-(id))), column_6 is column 6 ((1 + 1)), x is column 7 ('x')."
    )
    assert reason(ask("SELECT id_2, count_star, sum_id, id_3, column_6, x FROM t2")) is None


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("1st", "bad_argument"),
        ("a b", "bad_argument"),
        ("größe", "bad_argument"),
        ("main.t", "bad_argument"),
        ('x"; DROP TABLE calls; --', "bad_argument"),
        ("x" * 64, "bad_argument"),
        ("Order", "bad_argument"),
        ("tables", "bad_argument"),
        ("calls", "name_taken"),
        ("RESULTS", "name_taken"),
        ("sqlite_master", "name_taken"),
        (T.upper(), "name_taken"),
        ("small_k7q2xd_2", "name_taken"),
        ("list_issues_k7q2xd_99", "name_taken"),
        ("mine", "name_taken"),
        ("x" * 63, None),
        ("sales_region_2024", None),
    ],
)
def test_a_name_that_cannot_be_given_is_refused_with_one_that_can(ask: Asking, name: str, expected: str | None) -> None:
    """QUERY-15"""
    ask.pond.store.record(ask.pond.call("small"), structured([{"a": 1}]))
    ask("SELECT 1 AS a", save_as="mine")
    answer = ask("SELECT 1 AS a", save_as=name)
    assert reason(answer) == expected, text(answer)
    if expected is not None:
        proposed = text(answer).rstrip(".").rsplit(" ", 1)[-1]
        assert meta(ask("SELECT 1 AS a", save_as=proposed))["saved_as"] == proposed
    assert ask.rows("SELECT count(*) AS n FROM mine") == [{"n": "1"}]


def test_a_blank_name_is_none(ask: Asking) -> None:
    """QUERY-06"""
    assert meta(ask("SELECT 1", save_as=" "))["saved_as"] is None


def test_two_answers_at_once_do_not_get_one_name(ask: Asking) -> None:
    """QUERY-15"""
    with ask.pond.store.held("mine", 90):
        assert reason(ask("SELECT 1", save_as="Mine")) == "name_taken"
    assert reason(ask("SELECT 1", save_as="Mine")) is None


def test_what_has_no_rows_to_keep_is_told_so(ask: Asking) -> None:
    """QUERY-05"""
    assert reason(ask("EXPLAIN SELECT 1", save_as="plan")) == "bad_argument"
    assert (
        reason(json.loads(ask.runner.answer(1, b'{"sql": "SELECT 1", "save\\u005fas": "t"}', "query")))
        == "bad_argument"
    )
    assert reason(ask("DROP TABLE calls", save_as="gone")) == "bad_argument"
    assert reason(ask("SELECT 'x'::INT", save_as="gone")) == "execution_error"
    assert ask.pond.store.state("gone") is TableState.UNKNOWN


# --- room -----------------------------------------------------------------------------------------------------------


def test_an_answer_that_no_canvas_holds_is_refused_with_what_to_do() -> None:
    """QUERY-16"""
    with canvas(max_canvas_bytes=10_000) as pond:
        ask = Asking(pond)
        answer = ask("SELECT repeat('x', 1000) AS x FROM range(11)", save_as="large")
        assert reason(answer) == "canvas_full"
        assert "Save fewer rows or columns" in text(answer)
        assert pond.sql("SELECT count(*) FROM calls") == [(0,)]
        assert reason(ask("SELECT repeat('x', 1000) AS x FROM range(5)", save_as="large")) is None


def test_room_is_made_of_the_oldest_but_never_of_what_is_read() -> None:
    """QUERY-16 STORE-15"""
    with canvas(max_canvas_bytes=80_000) as pond:
        ask = Asking(pond)
        for _ in range(2):
            pond.take(structured({"items": rows(400)}), "list_issues")
        assert pond.store.state("list_issues_k7q2xd_1") is TableState.STORED
        answer = ask(f"SELECT t.pad || id AS p FROM {T} t, range(2)", save_as="wide")
        assert reason(answer) == "canvas_full"
        assert T in text(answer)
        assert "leave `save_as` out" in text(answer)
        saved = ask("SELECT pad || id AS p FROM list_issues_k7q2xd_2, range(2)", save_as="wide")
        assert "call 1 evicted to make room" in notes(saved)
        assert pond.store.state(T) is TableState.EVICTED


def test_a_kept_answer_is_evicted_in_its_turn_and_told_how_to_be_kept_again() -> None:
    """STORE-15"""
    with canvas(max_calls=3) as pond:
        ask = Asking(pond)
        ask("SELECT 7 AS a", save_as="Mine")
        for _ in range(3):
            pond.take(structured({"items": rows(200)}), "list_issues")
        arguments = "{}"
        for _ in range(2):
            answer = ask("FROM mine")
            assert reason(answer) == "evicted_table"
            (found,) = ask.rows(text(answer).rpartition(LABEL)[2])
            arguments = found["arguments"]
            assert json.loads(arguments)["sql"] == "SELECT 7 AS a"
            pond.reopen()
            ask = Asking(pond)
        assert reason(ask(**json.loads(arguments))) is None
        assert ask.rows("FROM mine") == [{"a": "7"}]


# --- what lasts, and what does not ----------------------------------------------------------------------------------


def test_a_kept_answer_is_there_when_the_file_is_opened_again(ask: Asking) -> None:
    """STORE-15"""
    ask("SELECT 1.10 AS a", save_as="mine")
    assert ask.pond.sql(CALLS) == [(1, "list_issues", [T]), (2, "query", ["mine"])]
    ask.pond.reopen()
    again = Asking(ask.pond)
    assert again.rows("FROM mine") == [{"a": "1.10"}]
    assert reason(again("SELECT 2", save_as="mine")) == "name_taken"
    assert again.pond.store.last_number == 2


def test_a_question_that_is_sent_again_leaves_one_table(ask: Asking) -> None:
    """STORE-16"""
    raw = b'{"sql": "SELECT 1 AS a", "save_as": "mine"}'
    call = ask.pond.call("query", arguments=raw)
    for _ in range(2):
        assert meta(json.loads(ask.runner.answer(1, raw, "query", call)))["saved_as"] == "mine"
        ask.pond.reopen()
        ask = Asking(ask.pond)
    assert ask.rows("FROM mine") == [{"a": "1"}]
    assert ask.pond.sql(CALLS)[1:] == [(call.number, "query", ["mine"])]


@pytest.mark.parametrize("sql", ["SELECT count(*) FROM range(100000000000) a, range(1000) b", "FROM range(40000000)"])
def test_a_stop_at_any_moment_leaves_nothing_half_made(ask: Asking, sql: str) -> None:
    """QUERY-17"""
    pond = ask.pond
    runner = QueryRunner(pond.database, pond.store, pond.settings)
    raw = json.dumps({"sql": sql, "save_as": "mine"}).encode()
    answers: list[bytes] = []
    call = pond.call("query", arguments=raw)
    thread = threading.Thread(target=lambda: answers.append(runner.answer(7, raw, "query", call)))
    thread.start()
    while thread.is_alive():
        runner.stop(7, "cancelled")
        thread.join(0.01)
    assert reason(json.loads(answers[0])) == "cancelled"
    assert pond.store.state("mine") is TableState.UNKNOWN
    assert pond.sql("SELECT count(*) FROM duckdb_tables() WHERE table_name IN ('mine', '_saved')") == [(0,)]
    assert pond.sql("SELECT count(*) FROM calls WHERE tool = 'query'") == [(0,)]
    assert reason(ask("SELECT 1", save_as="mine")) is None


def test_a_stop_just_before_the_commit_takes_everything_back(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """QUERY-17"""
    store = ask.pond.store
    save = store.save

    def save_stopped(connection: Connection, saved: Saved, go_on: Callable[[], None]) -> tuple[str, ...]:
        def stopped() -> None:
            ask.runner.stop(1, "timeout")
            go_on()

        return save(connection, saved, stopped)

    monkeypatch.setattr(store, "save", save_stopped)
    assert reason(ask("SELECT 1 AS a", save_as="mine")) == "timeout"
    monkeypatch.undo()
    assert ask.pond.sql("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'mine'") == [(0,)]
    assert ask.pond.sql("SELECT count(*) FROM calls WHERE tool = 'query'") == [(0,)]
    assert reason(ask("SELECT 1 AS a", save_as="mine")) is None


def test_of_evicted_names_as_many_are_known_as_calls_are_kept() -> None:
    """STORE-15"""
    with canvas(max_calls=2) as pond:
        ask = Asking(pond)
        for name in ("a1", "a2", "a3", "a4", "a5"):
            ask("SELECT 1 AS a", save_as=name)
        assert [pond.store.state(f"a{at}").value for at in range(1, 6)] == [
            "unknown",
            "evicted",
            "evicted",
            "stored",
            "stored",
        ]


def test_what_a_kept_answer_takes_is_counted_when_the_file_is_opened_again() -> None:
    """STORE-15"""
    with canvas(max_canvas_bytes=20_000) as pond:
        saved = "SELECT repeat('x', 1000) AS x FROM range(12)"
        assert reason(Asking(pond)(saved, save_as="first")) is None
        pond.reopen()
        assert "call 1 evicted to make room" in notes(Asking(pond)(saved, save_as="second"))
        assert pond.store.state("first") is TableState.EVICTED
