"""The own tool through its own door: raw arguments in, the raw result out, on a real canvas."""

import csv
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asking import Asking, notes, reason, text
from millpond.core.model import TableState
from millpond.engine.database import Connection
from millpond.engine.query import QueryRunner
from millpond.engine.tables import Saved
from pond import Canvas, canvas, structured

ISSUES = [
    {
        "id": at,
        "state": "open" if at % 3 else "closed",
        "amount": at / 10,
        "labels": [{"name": "a|b"}],
        "user": {"x": at},
    }
    for at in range(412)
]
T = "list_issues_k7q2xd_1"


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured({"items": ISSUES}), "list_issues")
        pond.store.record(pond.call("small"), structured([{"a": 1}]))
        yield Asking(pond)


READS = [
    f"SELECT state, count(*), sum(amount) FROM {T} GROUP BY ALL",
    f"FROM {T} LIMIT 2",
    "FROM small_k7q2xd_2",
    "FROM calls",
    "FROM results LIMIT 1",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "PRAGMA show_tables",
    f"DESCRIBE {T}",
    "DESCRIBE SELECT 1",
    f"SUMMARIZE {T}",
    "EXPLAIN SELECT * FROM calls",
    "EXPLAIN ANALYZE SELECT count(*) FROM calls",
    "EXPLAIN (FORMAT JSON) SELECT 1",
    f"PIVOT {T} ON state IN ('open', 'closed') USING count(*)",
    f"UNPIVOT (SELECT id, user.x AS ux FROM {T}) ON id, ux LIMIT 1",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM information_schema.columns LIMIT 1",
    "WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT * FROM r",
    "WITH duckdb_settings AS (SELECT 1), y AS (SELECT * FROM duckdb_settings) SELECT * FROM y",
    "SELECT [x * 2 FOR x IN range(3)]",
    f"SELECT columns('i.*') FROM {T} LIMIT 1",
    f"SELECT a.id FROM {T} a JOIN {T} b USING (id) LIMIT 1",
    f"SELECT * EXCLUDE (labels) REPLACE (id + 1 AS id) FROM {T} LIMIT 1",
    f"SELECT row_number() OVER (ORDER BY id) FROM {T} QUALIFY id = 3",
    f"SELECT grouping(state), state FROM {T} GROUP BY ROLLUP (state)",
    f"FROM {T} POSITIONAL JOIN calls LIMIT 1",
    "SELECT * FROM range(3) t(i), LATERAL (SELECT i + 1)",
    "SELECT * FROM json_each('{\"a\": 1}')",
    "SELECT * FROM main.calls",
    "SELECT /* a comment */ 1; -- and another",
    "VALUES (1), (2)",
    f"SELECT u FROM (SELECT unnest(labels) AS u FROM {T}) LIMIT 1",
    f"SELECT state FROM {T} UNION ALL SELECT 'x' ORDER BY ALL LIMIT 1",
    "SELECT 'a' COLLATE nocase, 1 BETWEEN 0 AND 2, CASE WHEN true THEN 1 END, TRY_CAST('1' AS INT)",
]

HOSTILE = [
    # GATE-01
    ("SELECT 1; SELECT 2", "not_one_statement"),
    ("COMMIT; DROP TABLE calls", "not_one_statement"),
    ("-- nothing", "not_one_statement"),
    # GATE-02
    ("DELETE FROM calls", "not_a_read"),
    ("WITH d AS (DELETE FROM calls RETURNING *) SELECT * FROM d", "not_a_read"),
    ("WITH d AS (INSERT INTO calls (number) VALUES (9) RETURNING *) SELECT * FROM d", "not_a_read"),
    ("WITH d AS (UPDATE calls SET number = 9 RETURNING *) SELECT * FROM d", "not_a_read"),
    ("WITH d AS (COPY (SELECT 1) TO 'f') SELECT 1", "not_a_read"),
    ("EXPLAIN DELETE FROM calls", "not_a_read"),
    ("EXPLAIN ANALYZE DELETE FROM calls", "not_a_read"),
    ("CREATE TEMP TABLE x AS SELECT 1", "not_a_read"),
    ("DROP TABLE calls", "not_a_read"),
    ("SET memory_limit = '1GB'", "not_a_read"),
    ("CALL pragma_version()", "not_a_read"),
    ("PRAGMA database_list", "not_a_read"),
    ("CHECKPOINT", "not_a_read"),
    (f"PIVOT {T} ON state USING count(*)", "not_a_read"),
    ("COPY calls TO 'x'", "file_access_refused"),
    ("EXPORT DATABASE 'x'", "file_access_refused"),
    ("ATTACH ':memory:' AS m", "file_access_refused"),
    ("LOAD json", "file_access_refused"),
    ("UPDATE EXTENSIONS (json)", "not_a_read"),
    # GATE-03 GATE-04
    ("WITH x AS (SELECT * FROM hidden), hidden AS (SELECT 1) SELECT * FROM x", "unknown_table"),
    ("WITH y AS (SELECT * FROM duckdb_settings), duckdb_settings AS (SELECT 1) SELECT * FROM y", "unknown_table"),
    ("SELECT * FROM duckdb_settings", "unknown_table"),
    ("SELECT * FROM sqlite_master", "unknown_table"),
    ("SELECT * FROM pg_catalog.pg_tables", "unknown_table"),
    ("DESCRIBE duckdb_settings", "unknown_table"),
    # GATE-05
    ("SELECT * FROM 'x.csv'", "file_access_refused"),
    ("SELECT * FROM read_csv('/etc/passwd')", "file_access_refused"),
    ("SELECT * FROM read_text('/etc/passwd')", "file_access_refused"),
    ("SELECT * FROM glob('/*')", "file_access_refused"),
    ("SELECT * FROM duckdb_settings()", "function_refused"),
    ("SELECT * FROM query('SELECT 1')", "function_refused"),
    ("SELECT * FROM query_table('calls')", "function_refused"),
    # GATE-06
    ("SELECT current_setting('memory_limit')", "function_refused"),
    ("SELECT getvariable('x')", "function_refused"),
    ("SELECT nextval('s')", "function_refused"),
    ("SELECT write_log('x')", "function_refused"),
    ("SELECT sleep_ms(10)", "function_refused"),
    ("SELECT pg_sleep(0.01)", "function_refused"),
    ("SELECT json_serialize_plan('SELECT current_setting(''memory_limit'')', optimize := true)", "function_refused"),
    (f"SELECT error(state) FROM {T}", "function_refused"),
    (f"SELECT id FROM {T} ORDER BY setseed(0.5)", "function_refused"),
]


@pytest.mark.parametrize("sql", READS)
def test_what_reads_the_canvas_works(ask: Asking, sql: str) -> None:
    """GATE-03 GATE-05 GATE-07 QUERY-01 QUERY-07"""
    answer = ask(sql)
    assert reason(answer) is None, text(answer)
    assert answer["isError"] is False
    assert text(answer).count("\n") >= 1


@pytest.mark.parametrize(("sql", "expected"), HOSTILE)
def test_all_else_is_refused_with_a_reason_and_a_next_step(ask: Asking, sql: str, expected: str) -> None:
    """GATE-01 GATE-02 GATE-03 GATE-04 GATE-05 GATE-06 QUERY-05"""
    answer = ask(sql)
    assert (reason(answer), answer["isError"]) == (expected, True), text(answer)
    assert len(text(answer)) > 40
    assert ask("SELECT count(*) FROM calls", format="json")["content"][0]["text"] == '[{"count_star()":2}]'


@pytest.mark.parametrize(
    ("sql", "expected", "said"),
    [
        ("SELECT * FROM list_issue_k7q2xd_1", "unknown_table", T),
        ("SELECT * FROM list_issues_aaaaaa_3", "stale_table", "Call list_issues again"),
        (f"SELECT stat FROM {T}", "invalid_sql", f"SELECT state FROM {T}"),
        ("SELEC 1", "invalid_sql", "syntax error"),
        ("SELECT $1", "invalid_sql", "parameter"),
        ("SELECT 'a'::INT", "execution_error", "TRY_CAST"),
    ],
)
def test_a_mistake_is_told_with_what_to_do(ask: Asking, sql: str, expected: str, said: str) -> None:
    """QUERY-05 QUERY-08"""
    answer = ask(sql)
    assert reason(answer) == expected
    assert said in text(answer)


def test_what_a_cut_listing_says_to_do_gives_the_rest() -> None:
    """QUERY-02"""
    with canvas(max_rows=3) as pond:
        pond.take(structured({"items": ISSUES}), "list_issues")
        ask = Asking(pond)
        for listing in ("DESCRIBE", "SHOW"):
            (note,) = notes(ask(f"{listing} {T}"))
            assert note == (
                "Only the first 3 rows of more (max_rows 3)."
                f" Set max_rows to more, or page with FROM ({listing} {T}) OFFSET 3."
            )
            rest = ask.rows(f"FROM ({listing} {T}) OFFSET 3")
            assert [row["column_name"] for row in rest] == list(ISSUES[0])[3:]
        (note,) = notes(ask(f"SUMMARIZE {T}"))
        assert note.startswith(f"Columns 4 to 5 are not looked at (max_rows 3). Set max_rows to {len(ISSUES[0])}, or ")
        assert notes(ask(f"SUMMARIZE {T}", max_rows=len(ISSUES[0]))) == []
    with canvas(max_answer_bytes=60) as pond:
        pond.take(structured({"items": ISSUES}), "list_issues")
        ask = Asking(pond)
        assert f"Page with FROM (DESCRIBE {T}) OFFSET " in notes(ask(f"DESCRIBE {T}"))[0]
        assert "Ask about fewer columns" in notes(ask(f"SUMMARIZE {T}"))[0]


@pytest.mark.parametrize("character", ["a", "é", "語", "🙂"])
def test_a_cut_text_is_read_on_piece_by_piece_as_it_is_said(ask: Asking, character: str) -> None:
    """QUERY-02"""
    written = f"repeat('{character}', 1200)"
    first, second = re.findall(r"substr\(column::VARCHAR, \d+, \d+\)", notes(ask(f"SELECT {written} AS x"))[0])
    pieces = ask(f"SELECT {first} AS a, {second} AS b FROM (SELECT {written} AS column)".replace("column", '"column"'))
    assert notes(pieces) == []
    a, b = text(pieces).split("\n")[-1].split("|")
    assert a == b == character * len(a)


def test_each_limit_that_bites_is_said() -> None:
    """QUERY-02"""
    with canvas(max_rows=3, max_answer_bytes=400, max_cell_bytes=20) as pond:
        pond.take(structured({"items": ISSUES}), "list_issues")
        ask = Asking(pond)
        rows = ask(f"SELECT id FROM {T}")
        assert rows["_meta"]["millpond/result"]["rows"] == 3
        assert rows["_meta"]["millpond/result"]["truncated"] is True
        assert "page with ORDER BY and OFFSET 3." in rows["content"][1]["text"]
        more = ask(f"SELECT id FROM {T} ORDER BY id OFFSET 3; -- the page after that")
        assert more["content"][1]["text"] == (
            "Only rows 4 to 6 of more (max_rows 3). Aggregate, or page with ORDER BY and OFFSET 6."
        )
        counted = ask(f"SELECT id FROM {T} OFFSET 3", exact_total=True)["content"][1]["text"]
        assert counted.startswith(f"Only rows 4 to 6 of {len(ISSUES)} ")
        cell = ask("SELECT repeat('é', 30) AS x")
        assert text(cell).endswith("é" * 10 + "…")
        assert "1 cell is cut at 20 bytes" in cell["content"][1]["text"]
        full = ask("SELECT i, 'abcdefgh' AS x FROM range(300) t(i)", max_rows=300)
        assert len(text(full).encode()) <= 400
        assert "full at 400 bytes" in full["content"][1]["text"]
        assert ask("SELECT 1")["_meta"]["millpond/result"]["total"] == 1
        counted = ask(f"SELECT id FROM {T}", exact_total=True)
        assert counted["_meta"]["millpond/result"]["total"] == 412


def test_values_are_written_exactly(ask: Asking) -> None:
    """QUERY-03"""
    sql = (
        "SELECT 9007199254740993 AS a, 12345678901234567.89 AS b, 0.10::DECIMAL(4,2) AS c, 0.1::DOUBLE AS d, 'nan'::DOUBLE AS e,"
        " INTERVAL 1 MONTH AS f, DATE '2020-01-31' AS g, [1.10, 2.20] AS h, {'k': 12345678901234567890} AS i,"
        " (10::HUGEINT ** 2)::BIGNUM AS j, TIMESTAMP '2020-01-01 00:00:00.123456' AS k, NULL AS l, true AS m"
    )
    assert json.loads(text(ask(sql, format="json")), parse_float=str) == [
        {
            "a": "9007199254740993",
            "b": "12345678901234567.89",
            "c": "0.10",
            "d": "0.1",
            "e": "nan",
            "f": "1 month",
            "g": "2020-01-31",
            "h": ["1.10", "2.20"],
            "i": {"k": "12345678901234567890"},
            "j": "100",
            "k": "2020-01-01 00:00:00.123456",
            "l": None,
            "m": True,
        }
    ]
    assert json.loads(text(ask("SELECT 1 AS a, 2 AS a", format="json"))) == [[1, 2]]


@given(
    st.lists(
        st.none() | st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20), min_size=1
    )
)
@example([None, "NULL", "", " x ", "a|b\nc", '"', "\\"])
def test_any_text_in_a_cell_comes_back_from_every_format(ask: Asking, cells: list[str | None]) -> None:
    """QUERY-04"""
    literals = ", ".join("(NULL)" if cell is None else "('" + cell.replace("'", "''") + "')" for cell in cells)
    sql = f"SELECT x, 1 AS y FROM (VALUES {literals}) t(x)"
    assert [row["x"] for row in json.loads(text(ask(sql, format="json", max_rows=1000)))] == cells
    records = list(csv.reader(io.StringIO(text(ask(sql, format="csv", max_rows=1000)), newline="")))
    assert [record[0] for record in records[1:]] == ["" if cell is None else cell for cell in cells]
    lines = text(ask(sql, max_rows=1000)).split("\n")
    assert len(lines) == len(cells) + 2
    assert all(line.endswith("|1") for line in lines[2:])


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"query": "SELECT 1"}', None),
        ('{"statement": "SELECT 1", "max_rows": "5", "format": null}', None),
        ('{"sql": "SELECT 1", "max_rowz": 5}', "max_rows"),
        ('{"sql": "SELECT 1", "max_rows": 0}', "`max_rows`"),
        ('{"sql": "SELECT 1", "format": "xml"}', "markdown, csv, json"),
        ('{"sql": ""}', "`sql`"),
        ('{"sql": "SELECT 1", "query": "SELECT 2"}', "once"),
        ("[]", "object"),
        ("{", "not JSON"),
    ],
)
def test_arguments_are_mended_or_named(ask: Asking, raw: str, said: str | None) -> None:
    """QUERY-06"""
    answer = ask.raw(raw)
    assert reason(answer) == (None if said is None else "bad_argument")
    assert said is None or said in text(answer)


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "SELECT",
                "FROM",
                "calls",
                "WHERE",
                "(",
                ")",
                "*",
                ",",
                "'",
                '"',
                ";",
                "WITH",
                "AS",
                "x",
                "1",
                "UNION",
                "JOIN",
                "ON",
                "GROUP",
                "BY",
            ]
        )
    ).map(" ".join)
)
def test_any_text_as_sql_gives_an_answer_or_a_refusal(ask: Asking, sql: str) -> None:
    """QUERY-09"""
    answer = ask(sql)
    assert answer["isError"] is (reason(answer) is not None)


def test_no_cells_text_reaches_an_error(ask: Asking) -> None:
    """QUERY-04 QUERY-05"""
    answer = ask(f"SELECT state::INT FROM {T} WHERE state = 'op' || 'en'")
    assert reason(answer) == "execution_error"
    assert "'open'" not in text(answer)


def test_a_very_deep_expression_is_refused_and_not_raised(ask: Asking) -> None:
    """QUERY-09"""
    answer = ask("SELECT " + " + ".join(["1"] * 2000))
    assert answer["isError"] is (reason(answer) is not None)


def test_stamps_with_an_offset_are_answered_in_utc(ask: Asking) -> None:
    """QUERY-03"""
    answer = ask("SELECT TIMESTAMPTZ '2026-01-01 10:00:00+02:00' AS t", format="json")
    assert json.loads(text(answer)) == [{"t": "2026-01-01 08:00:00+00"}]


def test_what_stops_a_query_stops_the_making_of_its_table_too() -> None:
    """ENGINE-28"""
    with canvas(inline_rows_bytes=10 << 20) as pond:
        call = pond.call("large")
        pond.store.record(call, structured([{"n": at, "s": f"row {at}"} for at in range(100_000)]))
        pond.store.flush()
        runner = QueryRunner(pond.database, pond.store, pond.settings)
        answers: list[bytes] = []
        asked = b'{"sql": "SELECT count(*) FROM large_k7q2xd_1"}'
        thread = threading.Thread(target=lambda: answers.append(runner.answer(7, asked, "query")))
        thread.start()
        while thread.is_alive():
            runner.stop(7, "timeout")
            thread.join(0.001)
        assert reason(json.loads(answers[0])) == "timeout"
        assert pond.store.state("large_k7q2xd_1") is TableState.PENDING
        assert json.loads(runner.answer(8, asked, "query"))["content"][0]["text"].split()[-1] == "100000"


class StoppedTables:
    """The tables of a canvas, under which a query is stopped while it is judged: after its tree and before its plan."""

    def __init__(self, pond: Canvas, stop: Callable[[], None]) -> None:
        self._store = pond.store
        self._stop = stop

    def state(self, name: str) -> TableState:
        return self._store.state(name)

    def names(self) -> tuple[str, ...]:
        return self._store.names()

    def make(self, names: frozenset[str], connection: Connection) -> None:
        self._store.make(names, connection)
        self._stop()

    def flush(self) -> None:
        self._store.flush()

    def is_taken(self, name: str) -> bool:
        return self._store.is_taken(name)

    def held(self, name: str, call: int) -> AbstractContextManager[None]:
        return self._store.held(name, call)

    def in_the_way(self, size_bytes: int) -> tuple[str, ...]:
        return self._store.in_the_way(size_bytes)

    def save(self, connection: Connection, saved: Saved, go_on: Callable[[], None]) -> tuple[str, ...]:
        return self._store.save(connection, saved, go_on)

    def drop(self, name: str) -> str | None:
        return self._store.drop(name)

    def news(self) -> tuple[str, ...]:
        return self._store.news()


@pytest.mark.parametrize("why", ["cancelled", "timeout"])
def test_a_query_that_is_stopped_while_it_is_judged_does_not_run(
    ask: Asking, why: Literal["cancelled", "timeout"]
) -> None:
    """QUERY-11"""
    pond = ask.pond
    runners: list[QueryRunner] = []
    tables = StoppedTables(pond, lambda: runners[0].stop(7, why))
    runners.append(QueryRunner(pond.database, tables, pond.settings))
    answer = json.loads(runners[0].answer(7, json.dumps({"sql": f"SELECT count(*) FROM {T}"}).encode(), "query"))
    assert reason(answer) == why
    assert reason(json.loads(runners[0].answer(8, b'{"sql": "SELECT 1"}', "query"))) is None
