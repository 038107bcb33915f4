"""Exactness without an engine's help: doubts from plans, questions from trees, findings from answers."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.exactness.doubts import Doubt, Doubts, Kind, doubts, relevant
from millpond.core.exactness.findings import exact_value, findings, is_faithful
from millpond.core.exactness.questions import MAX_ROWS, Questions, questions
from millpond.core.exactness.remedies import Finding, unchecked, unplaced
from millpond.core.numbers import scale_of

TABLE = (
    "CREATE TABLE t (i BIGINT, n INTEGER, h HUGEINT, big BIGNUM, e DECIMAL(18, 2), m DECIMAL(6, 2), d DOUBLE, f FLOAT, v VARCHAR, j JSON,"
    " b BOOLEAN, stamp TIMESTAMP)"
)


@cache
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(TABLE)
    return connection


@cache
def serialized(function: str, sql: str) -> dict[str, Any]:
    return json.loads(database().execute(f"SELECT {function}(?::VARCHAR)", [sql]).fetchall()[0][0])


def found(sql: str) -> set[tuple[Kind, str, str]]:
    plan = serialized("json_serialize_plan", sql)
    assert not plan["error"], plan
    return {(one.kind, one.function, one.type) for one in doubts(plan).found}


def asked(sql: str) -> Questions:
    return questions(serialized("json_serialize_sql", sql), doubts(serialized("json_serialize_plan", sql)))


def printed(tree: dict[str, Any]) -> str:
    return str(database().execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(tree)]).fetchall()[0][0])


def note(finding: Finding) -> str:
    return finding.note([printed(tree) for tree in finding.expressions])


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT median(e), median(m) FROM t", {(Kind.MEDIAN, "median", "DECIMAL(18,2)"), (Kind.MEDIAN, "median", "DECIMAL(6,2)")}),
        ("SELECT quantile_cont(i, 0.5) OVER () FROM t", {(Kind.QUANTILE, "quantile_cont", "BIGINT")}),
        ("SELECT avg(e), avg(h) FROM t", {(Kind.MEAN, "avg", "DECIMAL(18,2)"), (Kind.MEAN, "avg", "HUGEINT")}),
        ("SELECT avg(d), sum(d) FROM t", {(Kind.MEAN, "avg", "DOUBLE"), (Kind.SUM, "sum", "DOUBLE")}),
        ("SELECT stddev(i), var_pop(big) FROM t", {(Kind.SPREAD, "stddev", "BIGINT"), (Kind.SPREAD, "var_pop", "BIGNUM")}),
        ("SELECT max(v), min(j), median(v) FROM t", {(Kind.TEXT, "max", "VARCHAR"), (Kind.TEXT, "min", "JSON"), (Kind.TEXT, "median", "VARCHAR")}),
        ("SELECT i / 2, e / 3 FROM t", {(Kind.ARITHMETIC, "/", "BIGINT"), (Kind.ARITHMETIC, "/", "DECIMAL(18,2)")}),
        ("SELECT big * 2, abs(big) FROM t", {(Kind.ARITHMETIC, "*", "BIGNUM"), (Kind.ARITHMETIC, "abs", "BIGNUM")}),
        ("SELECT v::TIMESTAMP, v::DATE, '2020-01-01'::DATE, stamp::DATE FROM t", {(Kind.OFFSET, "cast", "VARCHAR")}),
        ("SELECT arg_max(i, v), max_by(d, v), arg_max(v, i) FROM t", {(Kind.TEXT, "arg_max", "VARCHAR"), (Kind.TEXT, "max_by", "VARCHAR")}),
        ("SELECT len(j), length(j), len(v), len([i]) FROM t", {(Kind.LENGTH, "len", "JSON"), (Kind.LENGTH, "length", "JSON")}),
        ("SELECT i FROM t ORDER BY v", {(Kind.ORDER, "order", "VARCHAR")}),
        ("SELECT rank() OVER (ORDER BY v) FROM t", {(Kind.ORDER, "order", "VARCHAR")}),
        ("SELECT v::INT, d::FLOAT FROM t", {(Kind.NARROW, "cast", "VARCHAR"), (Kind.NARROW, "cast", "DOUBLE")}),
        ("SELECT fsum(f), max(f), sum(f::DOUBLE::INT), sum('1'::INT) FROM t ORDER BY max(i)", {(Kind.NARROW, "fsum", "FLOAT")}),
        ("SELECT count(*), count(DISTINCT d), sum(i), sum(e), sum(b), max(e), mode(v), median(b), avg(n), avg(m), stddev(m), m / 2, n / 2 FROM t GROUP BY m, n", set[Any]()),
        ("SELECT i + 1, i * 2, e * e, i // 2, i % 2, big + 1, -big, d * 2, fsum(d), quantile_disc(i, 0.5) FROM t GROUP BY ALL", set[Any]()),
    ],
)  # fmt: skip
def test_types_tell_what_may_not_be_exact(sql: str, expected: set[tuple[Kind, str, str]]) -> None:
    """EXACT-25"""
    assert found(sql) == expected


def test_a_plan_of_another_shape_gives_no_doubts() -> None:
    """EXACT-27"""
    odd = [{"expression_class": "BOUND_AGGREGATE"}, {"expression_class": "BOUND_FUNCTION", "type": "OPERATOR_CAST"}]
    bare = {"expression_class": "BOUND_AGGREGATE", "qname": {"path": ["sum"]}, "children": [{"return_type": None}]}
    assert doubts({"plans": [*odd, bare, {"expression_class": "LATER"}]}).found == frozenset()
    assert doubts({}) == Doubts()


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        (2**53, True),
        (Decimal(2**53 - 1), False),
        (9e15, False),
        (float("nan"), True),
        ([1, 1e16], True),
        ("x", False),
        (None, False),
    ],
)
def test_a_quotient_is_looked_at_where_a_figure_has_more_digits_than_a_double(cell: Any, kept: bool) -> None:
    """EXACT-13 EXACT-20"""
    quotients = {Doubt(Kind.MEAN, "avg", "HUGEINT"), Doubt(Kind.ARITHMETIC, "/", "BIGINT")}
    others = {
        Doubt(Kind.MEAN, "avg", "DOUBLE"),
        Doubt(Kind.MEAN, "avg", "BIGNUM"),
        Doubt(Kind.ARITHMETIC, "/", "BIGNUM"),
        Doubt(Kind.SUM, "sum", "DOUBLE"),
    }
    left = relevant(Doubts(frozenset(quotients | others)), [[1, cell]])
    assert left.found == (quotients | others if kept else others)


def test_a_question_keeps_the_tables_the_groups_and_the_filter() -> None:
    """EXACT-27"""
    (question,) = asked(
        "WITH w AS (FROM t) SELECT v, median(e) FILTER (WHERE b) FROM w WHERE i > 1 GROUP BY 1 HAVING max(i) > 2 ORDER BY 2 LIMIT 3"
    ).asked
    inner = printed(question.tree)
    assert inner == (
        "WITH w AS (SELECT * FROM t) SELECT v, median(e) FILTER (WHERE b), median(e) FILTER (WHERE b) AS __millpond_0,"
        " quantile_disc(e, 0.5) FILTER (WHERE b) AS __millpond_1, quantile_disc(e, -0.5) FILTER (WHERE b) AS __millpond_2"
        " FROM w WHERE (i > 1) GROUP BY 1 HAVING (max(i) > 2) ORDER BY 2 LIMIT 3"
    )  # fmt: skip
    assert question.sql(inner) == (
        f"SELECT __millpond_0, __millpond_1, __millpond_2 FROM ({inner}) WHERE (__millpond_1 IS DISTINCT FROM __millpond_2 OR"
        " (typeof(__millpond_0) <> typeof(__millpond_1) AND abs(TRY_CAST(__millpond_0 AS DOUBLE)) > 4e15)) LIMIT"
        f" {MAX_ROWS}"
    )


def test_percentiles_within_a_group_are_asked_as_plain_quantiles() -> None:
    """EXACT-16 EXACT-27"""
    (question,) = asked(
        "SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY e) AS p, mode() WITHIN GROUP (ORDER BY i) FROM t"
    ).asked
    (site,) = question.sites
    assert (site.fractions, site.scale) == (("0.25",), 2)
    assert "quantile_cont(e, 0.25) AS p" in printed({**question.tree})
    (question,) = asked("SELECT percentile_cont(1 - 0.25) WITHIN GROUP (ORDER BY e DESC) FROM t").asked
    assert "quantile_cont(e, (-((1 - 0.25))))" in printed(question.tree)


def test_what_is_of_a_row_is_asked_of_rows() -> None:
    """EXACT-27"""
    _, within, where = asked("SELECT sum(big * 2) FROM t WHERE v::DATE > DATE '2020-01-01' GROUP BY v").asked
    assert printed(within.tree).startswith(
        "SELECT (big * 2) AS __millpond_0, big AS __millpond_1, 2 AS __millpond_2 FROM t WHERE"
    )
    assert printed(where.tree).endswith(" FROM t")


@pytest.mark.parametrize(
    ("sql", "questions", "unasked", "unplaced"),
    [
        ("SUMMARIZE t", 0, 0, 0),
        ("SELECT avg(COLUMNS('d')) FROM t", 0, 1, 0),
        ("SELECT list_avg(list(d)), list_sum(list(d)) FROM t", 0, 0, 2),
        ("SELECT DISTINCT sum(d), avg(d) FROM t", 1, 0, 0),
        ("SELECT i FROM t ORDER BY v, 1, j", 3, 0, 0),
        ("SELECT fsum(f) FROM t", 0, 0, 1),
        ("SELECT * FROM (SELECT sum(d) FROM t) UNION ALL SELECT sum(d) OVER () FROM t", 2, 0, 0),
    ],
)
def test_what_no_question_reaches_is_told_apart(sql: str, questions: int, unasked: int, unplaced: int) -> None:
    """EXACT-26 EXACT-28"""
    found = asked(sql)
    assert (len(found.asked), len(found.unasked), len(found.unplaced)) == (questions, unasked, unplaced)


MEDIAN = "SELECT median({}) FROM t"
HUGE = 10**37
ANSWERS: list[tuple[str, list[str], list[Any], str | None]] = [
    (MEDIAN.format("e"), ["DECIMAL(18,2)"] * 3, [Decimal("1.65"), Decimal("1.10"), Decimal("2.21")], "median(e) is cut to the scale of DECIMAL(18,2). Exact: median(CAST(e AS DECIMAL(19, 3)))"),
    (MEDIAN.format("e"), ["DECIMAL(18,2)"] * 3, [Decimal("1.65"), Decimal("1.10"), Decimal("2.20")], None),
    (MEDIAN.format("e"), ["DECIMAL(18,2)"] * 3, [Decimal("5.00"), Decimal("-9234567890123456.10"), Decimal("9234567890123456.13")], "median(e) is cut to the scale of DECIMAL(18,2). Exact: ((CAST(quantile_disc(e, 0.5) AS DECIMAL(19, 2)) + CAST(quantile_disc(e, -0.5) AS DECIMAL(19, 2))) * 0.5)"),
    (MEDIAN.format("h"), ["DOUBLE", "HUGEINT", "HUGEINT"], [1e37, HUGE, HUGE + 2], "median(h) is computed in DOUBLE, which rounds integers past 2^53. The two middle values, exactly: quantile_disc(h, 0.5) and quantile_disc(h, -0.5)"),
    (MEDIAN.format("i"), ["DOUBLE", "BIGINT", "BIGINT"], [1.5, 1, 2], None),
    (MEDIAN.format("e"), ["DOUBLE"] * 3, [1.0, 0.5, 1.25], None),
    (MEDIAN.format("big"), ["BIGNUM"] * 3, ["1", "1", "1"], None),
    (MEDIAN.format("e"), ["DECIMAL(18,2)"] * 3, [None, None, None], None),
    ("SELECT avg(h) FROM t", ["DOUBLE", "HUGEINT", "BIGINT", "DOUBLE"], [1e20, 2 * 10**20 + 1, 2, 1e20], "avg(h) is computed in DOUBLE, which rounds it. Exact: sum(h) divided by count(h)"),
    ("SELECT avg(h) FROM t", ["DOUBLE", "HUGEINT", "BIGINT", "DOUBLE"], [1e20, 2 * 10**20, 2, 1e20], None),
    ("SELECT avg(big) FROM t", ["DOUBLE", "BIGNUM", "BIGINT", "DOUBLE"], [float("inf"), "1" + "0" * 400, 1, 0.0], "avg(big) is computed in DOUBLE, which rounds it. Exact: sum(big) divided by count(big)"),
    ("SELECT avg(d) FROM t", ["DOUBLE", "DOUBLE", "BIGINT", "DOUBLE"], [0.1, 0.2, 2, 0.1], None),
    ("SELECT sum(d) FROM t", ["DOUBLE", "DOUBLE"], [0.1, 0.1], None),
    ("SELECT sum(d) FROM t", ["DOUBLE", "DOUBLE"], [0.1, 0.2], "sum(d) drifts, for it adds DOUBLE values one by one. Without the drift: fsum(d)"),
    ("SELECT stddev(i) FROM t", ["BIGINT", "BIGINT"], [2**53, 2**53 + 2], None),
    ("SELECT stddev(i) FROM t", ["BIGINT", "BIGINT"], [0, 2**53 + 1], None),
    ("SELECT stddev(i) FROM t", ["BIGINT", "BIGINT"], [5, 5], None),
    ("SELECT stddev(i) FROM t", ["BIGINT", "BIGINT"], [None, None], None),
    ("SELECT stddev(e) FROM t", ["DECIMAL(18,2)"] * 2, [Decimal("90071992547409.93"), Decimal("90071992547409.95")], "stddev(e) rounds its values to DOUBLE first. The same of smaller values: stddev((e - 90071992547409.93))"),
    ("SELECT stddev(big) FROM t", ["BIGNUM", "BIGNUM"], ["1" + "0" * 400, "1" + "0" * 399 + "1"], f"stddev(big) rounds its values to DOUBLE first. The same of smaller values: stddev((big - 1{'0' * 400}))"),
    ("SELECT max(v) FROM t", ["DOUBLE", "DOUBLE", "BIGINT", "BIGINT", "BIGINT"], [9.0, 10.0, 2, 2, 3], "max(v) orders numbers that are text by the alphabet. As numbers: max(TRY_CAST(v AS DECIMAL(38, 3)))"),
    ("SELECT max(v) FROM t", ["DOUBLE", "DOUBLE", "BIGINT", "BIGINT", "BIGINT"], [9.0, 10.0, 3, 2, 3], None),
    ("SELECT max(v) FROM t", ["DOUBLE", "DOUBLE", "BIGINT", "BIGINT", "BIGINT"], [None, None, 0, 0, None], None),
    ("SELECT quantile_disc(v, 0.5) FROM t", ["DOUBLE", "DOUBLE", "BIGINT", "BIGINT", "BIGINT"], [9.0, 10.0, 2, 2, None], "quantile_disc(v, 0.5) orders numbers that are text by the alphabet. As numbers: quantile_disc(TRY_CAST(v AS DECIMAL(38, 0)), 0.5)"),
    ("SELECT quantile_cont(e, 0.25) FROM t", ["DECIMAL(18,2)", "DECIMAL(38,4)", "DECIMAL(18,2)", "DECIMAL(18,2)"], [Decimal("1.37"), Decimal("1.3775"), Decimal("1.10"), Decimal("2.21")], "quantile_cont(e, 0.25) is cut to the scale of DECIMAL(18,2). With the digits it needs: quantile_cont(CAST(e AS DECIMAL(20, 4)), 0.25)"),
    ("SELECT quantile_cont(e, 0.25) FROM t", ["DECIMAL(18,2)", "DECIMAL(38,4)", "DECIMAL(18,2)", "DECIMAL(18,2)"], [Decimal("1.37"), Decimal("1.3700"), Decimal("1.10"), Decimal("2.21")], None),
    ("SELECT quantile_cont(e, 0.1 + 0.15) FROM t", ["DECIMAL(18,2)", "DECIMAL(38,4)", "DECIMAL(18,2)", "DECIMAL(18,2)"], [Decimal("1.37"), Decimal("1.3700"), Decimal("1.10"), Decimal("2.21")], "quantile_cont(e, (0.1 + 0.15)), not checked on the data: for some values it is cut to the scale of DECIMAL(18,2). With the digits it needs: quantile_cont(CAST(e AS DECIMAL(20, 4)), (0.1 + 0.15))"),
    ("SELECT quantile_cont(h, 0.5) FROM t", ["DOUBLE", "DECIMAL(38,1)", "HUGEINT", "HUGEINT"], [1e20, Decimal(10**20 + 1), 10**20, 10**20 + 2], "quantile_cont(h, 0.5) is computed in DOUBLE, which rounds integers past 2^53. The value at or below it, exactly: quantile_disc(h, 0.5)"),
    ("SELECT quantile_cont(i, 0.5) FROM t", ["DOUBLE", "DECIMAL(38,1)", "BIGINT", "BIGINT"], [None, None, None, None], None),
    ("SELECT i / 3 FROM t", ["DOUBLE", "BIGINT", "INTEGER"], [1e16, 3 * 10**16 + 1, 3], "(i / 3) is computed in DOUBLE, which holds 15 to 17 digits. Of integers, the whole part and the rest are exact: (i // 3) and (i % 3)"),
    ("SELECT i / 0 FROM t", ["DOUBLE", "BIGINT", "INTEGER"], [float("inf"), 3 * 10**16 + 1, 0], None),
    ("SELECT i / 3 FROM t", ["DOUBLE", "BIGINT", "INTEGER"], [None, None, 3], None),
    ("SELECT big % 0 FROM t", ["DOUBLE", "BIGNUM", "INTEGER"], [0.0, "7", 0], None),
    ("SELECT big // 0 FROM t", ["DOUBLE", "BIGNUM", "INTEGER"], [0.0, "7", 0], None),
    ("SELECT abs(big) FROM t", ["DOUBLE", "BIGNUM"], [7.0, "-7"], None),
    ("SELECT big / 3 FROM t", ["DOUBLE", "BIGNUM", "INTEGER"], [1e40, "3" + "0" * 39 + "1", 3], "(big / 3) is computed in DOUBLE, which holds 15 to 17 digits. BIGNUM is exact under + - sum min max; where 38 digits suffice, the whole part and the rest are exact: (TRY_CAST(big AS HUGEINT) // 3) and (TRY_CAST(big AS HUGEINT) % 3)"),
    ("SELECT v::DATE FROM t", ["BOOLEAN", "BOOLEAN"], [True, False], "CAST(v AS DATE) drops the offset from UTC that texts have. The instant: CAST(v AS TIMESTAMPTZ)"),
    ("SELECT v::DATE FROM t", ["BOOLEAN", "BOOLEAN"], [True, True], None),
    ("SELECT v::DATE FROM t", ["BOOLEAN", "BOOLEAN"], [None, None], None),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "types", "row", "said"), ANSWERS)
def test_an_answer_tells_what_is_lost_or_nothing(sql: str, types: list[str], row: list[Any], said: str | None) -> None:
    """EXACT-24 EXACT-25"""
    question = next(one for one in asked(sql).asked if len(one.columns[0]) == len(types))
    told = findings(question, types, [row, row])
    assert [note(finding) for finding in told] == ([] if said is None else [said])


@pytest.mark.parametrize("kind", ["e", "m", "i", "h", "big", "d", "v", "f"])
def test_what_is_said_without_the_data_runs_too(kind: str) -> None:
    """EXACT-24 EXACT-26"""
    wanted = [
        "median({})",
        "quantile_cont({}, 0.3)",
        "avg({})",
        "sum({})",
        "stddev({})",
        "max({})",
        "sum({} / 3)",
        "min({}::DATE)",
    ]
    for figure in wanted:
        sql = f"SELECT {figure.format(kind)} FROM t"
        plan = serialized("json_serialize_plan", sql)
        if plan["error"]:
            continue
        for site in (site for question in asked(sql).asked for site in question.sites):
            for finding in unchecked(site):
                assert ", not checked on the data: for some values it " in note(finding)
                for tree in finding.expressions:
                    serialized("json_serialize_plan", f"{printed(tree)} FROM t")["plans"]
        assert all(unplaced(doubt, ()) or doubt.kind is Kind.TEXT for doubt in doubts(plan).found)


def test_a_cell_counts_as_the_number_that_it_shows() -> None:
    """EXACT-25"""
    cells = [0.1, 5, Decimal("1.10"), "12345678901234567890123456789", "x", None, float("nan"), [1]]
    shown = [Fraction(1, 10), 5, Fraction(11, 10), 12345678901234567890123456789, None, None, None, None]
    assert [exact_value(cell) for cell in cells] == shown
    assert [scale_of(kind) for kind in ("DECIMAL(18,2)", "BIGINT", "DECIMAL(18,2)[]")] == [2, 0, 0]


@given(st.fractions(-(10**14), 10**14))
def test_the_nearest_double_is_faithful_and_one_that_is_off_in_15_digits_is_not(exact: Fraction) -> None:
    """EXACT-13 EXACT-25"""
    assert is_faithful(float(exact), exact)
    assert not exact or not is_faithful(float(exact) * (1 + 1e-14), exact)
    assert is_faithful(None, exact)
    assert is_faithful(1.0, None)
    assert not is_faithful(float("inf"), exact)
    assert not is_faithful(float(2**53), Fraction(2**53 + 1))
    assert not is_faithful(Decimal("0.1"), Fraction(1, 3))
