"""What an answer costs: tokens of its table and its notices by `o200k_base`, and how often its statement runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none
import pytest

from asking import Asking, notes, text
from millpond.core.replies import Cuts, cut_notes
from pond import Canvas, canvas, structured

TOKENIZER = bpe_openai.get_encoding("o200k_base")
T = "list_issues_k7q2xd_1"
ROWS: list[dict[str, Any]] = [
    {
        "id": 100_000 + at,
        "title": f"Issue {at} of the {('parser', 'writer', 'server')[at % 3]}",
        "state": ("open", "closed")[at % 2],
        "score": at / 4,
        "created_at": f"2026-01-{at % 28 + 1:02}T10:00:00Z",
    }
    for at in range(412)
]


def tokens(words: str) -> int:
    return len(TOKENIZER.encode(words))


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured({"items": ROWS}), "list_issues", mode="always")
        yield Asking(pond)


def test_fifty_rows_of_five_columns_cost_what_unpadded_markdown_does(ask: Asking) -> None:
    """QUERY-21"""
    rows = [[str(row[name]) for name in ("id", "title", "state", "created_at")] for row in ROWS[:50]]
    table = [[*row[:3], f"{at / 4:.2f}", row[3]] for at, row in enumerate(rows)]
    lines = [["id", "title", "state", "score", "created_at"], ["-"] * 5, *table]
    unpadded = "\n".join("|" + "|".join(line) + "|" for line in lines)
    written = text(ask(f"SELECT id, title, state, score, created_at FROM {T} ORDER BY id LIMIT 50"))
    assert len(written) <= 1.05 * len(unpadded)
    assert tokens(written) <= 1.05 * tokens(unpadded)


@pytest.mark.parametrize(
    "cuts",
    [
        Cuts(rows=100, max_rows=100),
        Cuts(rows=10_000, max_rows=10_000, total=12_345_678),
        Cuts(rows=1_234, answer_bytes=65_536, total=12_345_678),
        Cuts(rows=100, cells=1_234, cell_bytes=512),
        Cuts(rows=100, names=2, cell_bytes=512),
        Cuts(rows=100, max_rows=100, is_listing=True, described="DESCRIBE list_issues_k7q2xd_5"),
        Cuts(rows=100, max_rows=100, is_listing=True, total=300),
        Cuts(rows=100, answer_bytes=65_536, is_listing=True, total=300),
        Cuts(rows=100, answer_bytes=65_536, is_listing=True, described="DESCRIBE list_issues_k7q2xd_5"),
        Cuts(rows=100, cells=1_234, cell_bytes=512, is_wide=True),
        Cuts(rows=0),
    ],
)
def test_a_notice_of_what_is_left_out_costs_sixty_tokens(cuts: Cuts) -> None:
    """QUERY-21"""
    (notice,) = cut_notes(cuts)
    assert tokens(notice) <= 60


@pytest.mark.parametrize(
    ("sql", "most"),
    [
        (f"DESCRIBE {T}", 40),
        (f"SUMMARIZE {T}", 110),
        ("SHOW TABLES", 25),
        (f"EXPLAIN SELECT state, count(*) FROM {T} WHERE id > 5 GROUP BY ALL", 75),
        (f"SELECT stat FROM {T}", 55),
        ("FROM issues", 45),
        (f"SELECT state, count(*) FROM {T}", 75),
        (f"DELETE FROM {T}", 75),
    ],
)
def test_what_shows_a_table_and_what_refuses_are_short(ask: Asking, sql: str, most: int) -> None:
    """QUERY-21"""
    answer = ask(sql)
    assert tokens("\n".join(block["text"] for block in answer["content"])) <= most


class Counted:
    """A connection that counts what is run on it."""

    def __init__(self, connection: Any, ran: list[str]) -> None:
        self._connection = connection
        self._ran = ran

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, sql: str, *parameters: Any) -> Any:
        self._ran.append(sql)
        return self._connection.execute(sql, *parameters)


def runs(pond: Canvas, monkeypatch: pytest.MonkeyPatch, sql: str, **arguments: Any) -> tuple[dict[str, Any], int]:
    """The answer, and how often its statement ran."""
    ran: list[str] = []
    cursor = pond.database.cursor
    with monkeypatch.context() as patch:
        patch.setattr(pond.database, "cursor", lambda: Counted(cursor(), ran))
        answer = Asking(pond)(sql, **arguments)
    return answer, sum(f"({sql}\n)" in one for one in ran)


@pytest.mark.parametrize(
    ("arguments", "total", "count"),
    [
        ({}, None, 1),
        ({"max_rows": 411}, None, 1),
        ({"max_rows": 412}, 412, 1),
        ({"max_rows": 412, "exact_total": True}, 412, 1),
        ({"max_rows": 5, "exact_total": True}, 412, 2),
    ],
)
def test_a_statement_runs_once_and_once_more_for_an_exact_total(
    ask: Asking, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], total: int | None, count: int
) -> None:
    """QUERY-20"""
    answer, counted = runs(ask.pond, monkeypatch, f"SELECT id FROM {T} ORDER BY id", **arguments)
    meta = answer["_meta"]["millpond/result"]
    assert (meta["total"], meta["truncated"], counted) == (total, arguments.get("max_rows", 100) < 412, count)
    assert [note.startswith("Only the first") for note in notes(answer)] == [True] * meta["truncated"]


def test_columns_of_one_name_and_without_a_name_are_answered_in_every_format(ask: Asking) -> None:
    """QUERY-04 RENDER-05"""
    sql = f"SELECT id, id, count(*) OVER (), 1 + 1, 'x', id AS \"my id\" FROM {T} ORDER BY id LIMIT 1"
    assert text(ask(sql)).split("\n")[2] == "100000|100000|412|2|x|100000"
    assert text(ask(sql, format="json")) == '[[100000,100000,412,2,"x",100000]]'
    assert text(ask(sql, format="csv")).split("\n")[1] == "100000,100000,412,2,x,100000"


@pytest.mark.parametrize(
    ("expression", "markdown", "as_json"),
    [
        ("'101'::BIT", "101", '"101"'),
        ("'\\xFF\\x00a'::BLOB", "\\\\xFF\\\\x00a", '"\\\\xFF\\\\x00a"'),
        ("TIME '10:00:00.000001'", "10:00:00.000001", '"10:00:00.000001"'),
        ("'10:00:00+02'::TIMETZ", "10:00:00+02", '"10:00:00+02"'),
        ("'2020-01-01 00:00:00.123456789'::TIMESTAMP_NS", "2020-01-01 00:00:00.123456789", '"2020-01-01 00:00:00.123456789"'),
        ("TIMESTAMP 'infinity'", "infinity", '"infinity"'),
        ("DATE '-infinity'", "-infinity", '"-infinity"'),
        ("INTERVAL '1 month -3 days 00:00:01.5'", "1 month -3 days 00:00:01.5", '"1 month -3 days 00:00:01.5"'),
        ("340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455", '"340282366920938463463374607431768211455"'),
        ("[1.10, NULL]::DECIMAL(3,2)[2]", "[1.10,null]", "[1.10,null]"),
        ("MAP {'a': 1, 'b': NULL}", '{"a":1,"b":null}', '{"a":1,"b":null}'),
        ("MAP {1: 'x'}", '{"1":"x"}', '{"1":"x"}'),
        ("[{'n': 'a|b', 'd': DATE '2020-01-01'}]", '[{"n":"a\\|b","d":"2020-01-01"}]', '[{"n":"a|b","d":"2020-01-01"}]'),
        ("union_value(k := 1)", "1", '"1"'),
        ("'b'::ENUM('a', 'b')", "b", '"b"'),
        ("'{\"a\": 1.10}'::JSON", '{"a": 1.10}', '"{\\"a\\": 1.10}"'),
        ("['inf'::DOUBLE, 'nan'::FLOAT]", '["inf","nan"]', '["inf","nan"]'),
        ("repeat('9', 60)::BIGNUM", "9" * 60, '"' + "9" * 60 + '"'),
        ("NULL", "NULL", "null"),
        ("'😀' || 'é'", "😀é", '"😀é"'),
    ],
)  # fmt: skip
def test_every_type_is_written_as_it_reads(ask: Asking, expression: str, markdown: str, as_json: str) -> None:
    """QUERY-03 RENDER-01"""
    sql = f"SELECT {expression} AS v"
    assert text(ask(sql)) == f"v\n-\n{markdown}"
    assert text(ask(sql, format="json")) == f'[{{"v":{as_json}}}]'
