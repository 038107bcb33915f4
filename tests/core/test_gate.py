"""The gate on trees and plans alone: what is known to read goes through, everything else does not."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest

from millpond.core import gate
from millpond.core.errors import Reason, Refusal

TABLES = {"t", "u"}


def is_table(name: str) -> bool:
    return name.lower() in TABLES


def tree(sql: str) -> dict[str, Any]:
    return json.loads(duckdb.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0])


def judge(sql: str) -> Refusal | str | None:
    read = tree(sql)
    assert read["error"] is False, read
    return gate.judge_tree(read, "canvas", is_table)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t",
        "SELECT * FROM T, main.u, canvas.t, canvas.main.u",
        "FROM information_schema.tables, information_schema.columns",
        "WITH a AS (FROM t), b AS (FROM a) FROM a, b",
        "WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i + 1 FROM r WHERE i < 3) FROM r",
        "WITH RECURSIVE r USING KEY (i) AS (SELECT 1 i UNION SELECT i + 1 FROM recurring.r WHERE i < 3) FROM r",
        "SELECT (SELECT max(x) FROM t) FROM u WHERE EXISTS (FROM t)",
        "SELECT * FROM range(3), unnest([1]), generate_series(1, 2), json_each('{}'), json_tree('{}')",
        "SHOW TABLES",
        "SHOW ALL TABLES",
        "DESCRIBE t",
        "DESCRIBE SELECT 1",
        "SUMMARIZE t",
        "SELECT x::DECIMAL(5, 2), CASE WHEN x THEN 1 END, x COLLATE nocase, [y FOR y IN x], x BETWEEN 1 AND 2 FROM t",
        "SELECT DISTINCT ON (x) x, sum(x) OVER (ORDER BY x) FROM t ORDER BY x DESC LIMIT 10 PERCENT",
        "PIVOT t ON x IN (1, 2) USING sum(y)",
        "VALUES (1)",
        "FROM t UNION ALL FROM u ORDER BY 1",
    ],
)
def test_a_tree_that_only_reads_goes_through(sql: str) -> None:
    """GATE-02 GATE-03 GATE-05 GATE-07"""
    assert judge(sql) is None


@pytest.mark.parametrize(
    ("sql", "unknown"),
    [
        ("SELECT * FROM nothing", "nothing"),
        ("SELECT * FROM pg_catalog.pg_tables", "pg_catalog.pg_tables"),
        ("SELECT * FROM information_schema.schemata", "information_schema.schemata"),
        ("SELECT * FROM other.main.t", "other.main.t"),
        ("WITH a AS (FROM b), b AS (SELECT 1) FROM a", "b"),
        ("WITH a AS (SELECT 1) SELECT * FROM main.a", "a"),
        ("SELECT (WITH a AS (SELECT 1) FROM a) FROM a", "a"),
        ("DESCRIBE nothing", "nothing"),
    ],
)
def test_a_table_that_is_not_known_is_named(sql: str, unknown: str) -> None:
    """GATE-03"""
    assert judge(sql) == unknown


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("WITH d AS (DELETE FROM t RETURNING *) FROM d", Reason.NOT_A_READ),
        ("WITH d AS (COPY (SELECT 1) TO 'f') SELECT 1", Reason.NOT_A_READ),
        ("SELECT $1", Reason.INVALID_SQL),
        ("SELECT CURRENT_SETTING('x')", Reason.FUNCTION_REFUSED),
        ("SELECT x FROM t ORDER BY sleep_ms(1)", Reason.FUNCTION_REFUSED),
        ("FROM read_csv('x')", Reason.FILE_ACCESS_REFUSED),
        ("FROM 'x.parquet'", Reason.FILE_ACCESS_REFUSED),
        ("FROM duckdb_settings()", Reason.FUNCTION_REFUSED),
    ],
)
def test_anything_that_is_more_than_a_read_is_refused(sql: str, reason: Reason) -> None:
    """GATE-02 GATE-05 GATE-06"""
    verdict = judge(sql)
    assert isinstance(verdict, Refusal)
    assert verdict.reason is reason


@pytest.mark.parametrize(
    "node",
    [
        {"type": "FUTURE_NODE"},
        {"type": "FUTURE_REF"},
        {"class": "FUTURE", "type": "FUTURE"},
        {"type": "SELECT_NODE", "later": [{"type": "FUTURE_MODIFIER"}]},
        {"type": "TABLE_FUNCTION"},
        {"type": "TABLE_FUNCTION", "function": {"function_name": "iceberg_scan"}},
    ],
)
def test_a_kind_of_node_that_nobody_has_looked_at_is_refused(node: dict[str, Any]) -> None:
    """GATE-02"""
    assert isinstance(gate.judge_tree({"statements": [{"node": node}]}, "canvas", is_table), Refusal)


@pytest.mark.parametrize("value", [None, 5, "text", {"type": 5}, {"key": "value"}, {"type": "DECIMAL_TYPE_INFO"}])
def test_what_is_no_node_is_passed_over(value: object) -> None:
    """GATE-02"""
    assert gate.judge_tree({"statements": [{"node": value}]}, "canvas", is_table) is None


@pytest.mark.parametrize(
    ("shown", "verdict"), [('"nothing"', "nothing"), ('"t"', None), ('"tables"', None), ("", None)]
)
def test_show_shows_the_tables_and_no_more(shown: str, verdict: str | None) -> None:
    """GATE-03 GATE-07"""
    node = {"type": "SHOW_REF", "table_name": shown}
    assert gate.judge_tree({"statements": [{"node": node}]}, "canvas", is_table) == verdict


def scan(function: str, catalog: str = "canvas", schema: str = "main") -> dict[str, Any]:
    return {
        "plans": [
            {
                "type": "LOGICAL_GET",
                "qname": {"path": [function]},
                "function_data": {"catalog": catalog, "schema": schema},
            }
        ]
    }


@pytest.mark.parametrize("function", ["seq_scan", "range", "unnest", "duckdb_tables", "duckdb_columns", "pragma_show"])
def test_a_plan_that_reads_the_canvas_goes_through(function: str) -> None:
    """GATE-04"""
    assert gate.judge_plan(scan(function), "canvas") is None


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (scan("seq_scan", catalog="other"), Reason.NOT_A_READ),
        (scan("seq_scan", schema="other"), Reason.NOT_A_READ),
        ({"plans": [{"type": "LOGICAL_GET", "qname": {"path": ["seq_scan"]}}]}, Reason.NOT_A_READ),
        ({"plans": [{"type": "LOGICAL_GET", "qname": None}]}, Reason.FUNCTION_REFUSED),
        (scan("duckdb_settings"), Reason.FUNCTION_REFUSED),
        (scan("read_csv"), Reason.FUNCTION_REFUSED),
        ({"plans": [{"children": [{"type": "LOGICAL_DELETE"}]}]}, Reason.NOT_A_READ),
        ({"plans": [{"type": "LOGICAL_CREATE_TABLE"}]}, Reason.NOT_A_READ),
        ({"plans": [{"type": "LOGICAL_COPY_TO_FILE"}]}, Reason.NOT_A_READ),
    ],
)
def test_a_plan_that_reaches_further_is_refused(plan: dict[str, Any], reason: Reason) -> None:
    """GATE-04"""
    verdict = gate.judge_plan(plan, "canvas")
    assert verdict is not None
    assert verdict.reason is reason


def test_words_inside_other_names_of_a_plan_are_no_writes() -> None:
    """GATE-04"""
    assert (
        gate.judge_plan({"plans": [{"type": "LOGICAL_DELIM_GET"}, {"type": 5}, {"type": "LOGICAL_SETTLED"}]}, "canvas")
        is None
    )
