"""What DESCRIBE, SHOW and EXPLAIN answer on a real canvas."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from inline_snapshot import snapshot

from asking import Asking, notes, text
from pond import canvas, structured

T = "list_issues_k7q2xd_1"
ROWS = [
    {
        "id": at,
        "state": "open" if at % 3 else "closed",
        "amount": at / 10,
        "tags": ["a"][: at % 2],
        "author": {"login": "é" * at},
    }
    for at in range(100)
]


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured({"items": ROWS}), "list_issues", mode="always")
        pond.store.record(pond.call("small"), structured([{"a": 1}]))
        yield Asking(pond)


def test_describe_tells_names_and_types(ask: Asking) -> None:
    """QUERY-19"""
    for sql in (f"DESCRIBE {T}", f"SHOW {T}", f"DESCRIBE FROM {T}"):
        assert text(ask(sql)).split("\n") == snapshot(
            [
                "column_name|column_type",
                "-|-",
                "id|BIGINT",
                "state|VARCHAR",
                "amount|DECIMAL(2,1)",
                "tags|VARCHAR[]",
                "author|STRUCT(login VARCHAR)",
            ]
        )


def test_show_tables_names_what_is_not_made_yet_too(ask: Asking) -> None:
    """QUERY-19"""
    for sql in ("SHOW TABLES", "show tables;", "PRAGMA show_tables"):
        assert text(ask(sql)).split("\n") == ["name", "-", "calls", T, "results", "small_k7q2xd_2"]
    for sql in ("SHOW ALL TABLES", "DESCRIBE", "PRAGMA show_tables_expanded"):
        assert text(ask(sql)).split("\n")[2:4] == snapshot(
            [
                "calls|number BIGINT, tool VARCHAR, arguments VARCHAR, time VARCHAR, bytes BIGINT, tables VARCHAR[], note VARCHAR",
                "list_issues_k7q2xd_1|id BIGINT, state VARCHAR, amount DECIMAL(2,1), tags VARCHAR[], author STRUCT(login VARCHAR)",
            ]
        )


def test_explain_tells_the_plan_in_few_rows(ask: Asking) -> None:
    """QUERY-19"""
    plan = text(ask(f"EXPLAIN SELECT state, count(*) FROM {T} WHERE id > 5 GROUP BY ALL")).split("\n")
    assert plan[0] == "operator|rows|detail"
    assert [line.partition("|")[0] for line in plan[2:]] == ["HASH_GROUP_BY", "> PROJECTION", ">> SEQ_SCAN"]
    assert "│" not in "".join(plan)
    ran = ask(f"EXPLAIN ANALYZE SELECT count(*) FROM {T} WHERE id > 5")
    assert "|94|" in text(ran)
    assert notes(ran)[0].startswith("It took ")
    assert "explain_value" in text(ask("EXPLAIN (FORMAT JSON) SELECT 1"))
