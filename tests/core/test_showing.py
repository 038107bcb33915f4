"""Answers of DESCRIBE, SHOW and EXPLAIN, cut to what says something."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest

from millpond.core.showing import (
    plan_notes,
    plan_rows,
    shown,
    tables_with_columns,
    without_constants,
)


def tree(sql: str) -> dict[str, Any]:
    return json.loads(duckdb.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0])


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("DESCRIBE t", "DESCRIBE"),
        ("SHOW t", "SHOW"),
        ("SHOW TABLES", "TABLES"),
        ("SHOW ALL TABLES", "ALL"),
        ("FROM (SHOW t)", ""),
        ("FROM (DESCRIBE t) SELECT column_name", ""),
        ("SELECT 1", ""),
        ("VALUES (1)", ""),
        ("SELECT 1 UNION ALL SELECT 2", ""),
    ],
)
def test_what_a_statement_shows_is_seen_where_nothing_is_asked_of_it(sql: str, kind: str) -> None:
    """QUERY-19"""
    assert shown(tree(sql)) == kind


def test_a_tree_that_is_none_shows_nothing() -> None:
    """QUERY-19"""
    assert shown({}) == ""
    assert shown({"statements": [{"node": {"from_table": {"type": "SHOW_REF"}, "select_list": []}}]}) == ""


def test_columns_of_describe_that_say_nothing_are_left_out() -> None:
    """QUERY-19"""
    columns = [
        (name, "VARCHAR") for name in ("column_name", "column_type", "null", "key", "default", "extra", "comment")
    ]
    row = ("id", "BIGINT", "YES", None, None, None, "An id")
    assert without_constants(columns, [row]) == ([columns[0], columns[1], columns[6]], [("id", "BIGINT", "An id")])
    assert without_constants(columns[:6], [("id", "BIGINT", "NO", None, "7", None)]) == (
        [columns[0], columns[1], columns[2], columns[4]],
        [("id", "BIGINT", "NO", "7")],
    )


def test_tables_are_shown_with_their_columns_and_without_what_is_behind_a_view() -> None:
    """QUERY-19"""
    rows = [("c", "kept", "texts_1", ["x"], ["INT"], False), ("c", "main", "t", ["a", "b"], ["INT", "DATE"], False)]
    assert tables_with_columns(rows, "kept")[1] == [("t", "a INT, b DATE")]


def test_a_plan_is_an_operator_a_row() -> None:
    """QUERY-19"""
    scan: dict[str, Any] = {"name": "SEQ_SCAN ", "children": [], "extra_info": {"Table": "c.main.t", "Type": "Sequential Scan", "Projections": ["a", "b"], "Filters": "a>1", "Estimated Cardinality": "82"}}  # fmt: skip
    packing: dict[str, Any] = {
        "name": "PROJECTION",
        "children": [scan],
        "extra_info": {"Projections": ["__internal_compress_string(#0)"]},
    }
    assert plan_rows([{"name": "LIMIT", "children": [packing], "extra_info": {}}]) == [
        ("LIMIT", None, None),
        ("> SEQ_SCAN", "~82", "t; a, b; Filters: a>1"),
    ]
    ran: dict[str, Any] = {"name": "RESULT_COLLECTOR", "children": [{**scan, "intermediate_rows": 7}], "extra_info": ""}
    analyzed: dict[str, Any] = {"operator": [ran], "query": {"total_time": 0.0012345}}
    assert plan_rows(analyzed) == [("SEQ_SCAN", "7", "t; a, b; Filters: a>1")]
    assert (plan_notes(analyzed), plan_notes([])) == (("It took 1.23 ms.",), ())
