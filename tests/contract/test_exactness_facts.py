"""What the checks of exactness rest on: how DuckDB computes, and how it writes and reads parse trees."""

import json
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from millpond.core import trees
from millpond.core.exactness.doubts import doubts
from millpond.core.exactness.remedies import MACROS


def one(sql: str) -> Any:
    found = duckdb.execute(sql).fetchone()
    return found and found[0]


def tree(sql: str) -> dict[str, Any]:
    return json.loads(duckdb.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0])


def printed(node: dict[str, Any]) -> str:
    statement = json.dumps(trees.select_of(node))
    return str(duckdb.execute("SELECT json_deserialize_sql(?::JSON)", [statement]).fetchall()[0][0])


def test_a_median_keeps_the_scale_and_is_found_in_double() -> None:
    """EXACT-15"""
    assert one("SELECT median(x) FROM (VALUES (1.10::DECIMAL(18,2)), (2.21)) t(x)") == Decimal("1.65")
    assert one(
        "SELECT median(x) FROM (VALUES (1234567890123456.1::DECIMAL(18,1)), (9234567890123456.3)) t(x)"
    ) == Decimal("5234567890123456.0")
    assert one("SELECT median(x) FROM (VALUES ('1'::BIGNUM), ('2')) t(x)") == "1"


def test_a_negative_fraction_counts_from_the_other_end() -> None:
    """EXACT-09"""
    assert one("SELECT quantile_disc(x, 0.5) || quantile_disc(x, -0.5) FROM range(4) t(x)") == "12"
    assert one("SELECT quantile_disc(x, 0.5) || quantile_disc(x, -0.5) FROM range(3) t(x)") == "11"


def test_the_mean_of_exact_numbers_is_divided_from_an_exact_sum() -> None:
    """EXACT-13"""
    assert one("SELECT avg(x) FROM (VALUES (9223372036854775807), (-9223372036854775807), (3)) t(x)") == 1.0


def test_what_computes_in_double_and_what_does_not() -> None:
    """EXACT-21"""
    big = "'100000000000000000000000000000000000000007'::BIGNUM"
    found = duckdb.execute(
        f"SELECT {big} * 2, {big} // 2, {big} % 2, {big} / 2, abs({big}), {big} + 2, {big} - 2, -{big}"
    )
    assert [str(column[1]) for column in found.description or ()] == ["DOUBLE"] * 5 + ["BIGNUM"] * 3


def test_a_plan_that_holds_a_bignum_constant_is_not_written() -> None:
    """GATE-08"""
    sql = f"SELECT {10**45 + 1}"
    assert one(f"SELECT json_serialize_plan('{sql}')") == ""
    same = duckdb.execute(
        "SELECT json_deserialize_sql(?::JSON)", [json.dumps(trees.without_bignum_constants(tree(sql)))]
    ).fetchall()[0][0]
    assert one(same) == one(sql)
    assert (
        json.loads(duckdb.execute("SELECT json_serialize_plan(?::VARCHAR)", [same]).fetchall()[0][0])["error"] is False
    )


X = {"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": "", "column_names": ["x"]}


@pytest.mark.parametrize(
    ("node", "sql"),
    [
        (trees.call("min", X), "min(x)"),
        (trees.call("+", X, trees.number("1"), operator=True), "(x + 1)"),
        (trees.call("f", trees.number("-0.5"), trees.text("it's")), "f(-0.5, 'it''s')"),
        (trees.cast(X, "DECIMAL", 38, 2), "CAST(x AS DECIMAL(38, 2))"),
        (trees.cast(X, "HUGEINT", trying=True), "TRY_CAST(x AS HUGEINT)"),
    ],
)
def test_nodes_that_are_made_here_are_read_by_duckdb(node: dict[str, Any], sql: str) -> None:
    """EXACT-24"""
    assert printed(node) == f"SELECT {sql}"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT median(x) FILTER (WHERE (x > 1)) FROM t",
        "SELECT avg(DISTINCT x) OVER (PARTITION BY y ORDER BY z ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t",
        "WITH w AS (SELECT 1 AS x) SELECT median(x) FROM w GROUP BY ALL HAVING (max(x) > 1)",
    ],
)
def test_a_tree_comes_back_as_the_same_sql(sql: str) -> None:
    """EXACT-27"""
    assert duckdb.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(tree(sql))]).fetchall()[0][0] == sql


def test_percentiles_within_a_group_come_back_only_as_plain_calls() -> None:
    """EXACT-27"""
    read = tree("SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY x DESC) FROM t")
    plain = json.dumps(trees.plain_quantiles(read))
    assert (
        duckdb.execute("SELECT json_deserialize_sql(?::JSON)", [plain]).fetchall()[0][0]
        == "SELECT quantile_cont(x, -0.25) FROM t"
    )


def test_a_float_holds_seven_digits_and_an_integer_no_fraction() -> None:
    """EXACT-31"""
    assert one("SELECT sum(x::FLOAT) FROM (VALUES (1234567.89::DECIMAL(18,2)), (0.10)) t(x)") != 1234567.99
    assert one("SELECT '2.50'::INT + TRY_CAST('0.5' AS BIGINT)") == 4


def test_a_list_of_an_aggregate_is_printed_with_its_order() -> None:
    """EXACT-30"""
    (x,) = tree("SELECT x")["statements"][0]["node"]["select_list"]
    assert (
        printed(trees.sorted_by(trees.call("list", x), x, where=trees.is_not_null(x)))
        == "SELECT list(x ORDER BY x) FILTER (WHERE (x IS NOT NULL))"
    )


@pytest.mark.parametrize(
    ("name", "arguments", "meant"),
    [
        ("geomean", "x", "exp(avg(ln(x)))"),
        ("geometric_mean", "x", "exp(avg(ln(x)))"),
        ("wavg", "x, w", "sum(x * w) / sum(w)"),
        ("weighted_avg", "x, w", "sum(x * w) / sum(w)"),
    ],
)
def test_some_means_are_written_out_as_other_aggregates(name: str, arguments: str, meant: str) -> None:
    """EXACT-33"""
    rows = "(VALUES (0.1, 3e0), (0.7, 2e0), (0.3, 1e0)) t(x, w)"
    assert one(f"SELECT {name}({arguments}) = {meant} FROM {rows}") is True
    plan = one(f"SELECT json_serialize_plan('SELECT {name}({arguments}) FROM {rows}')")
    assert doubts(json.loads(plan)).aggregates == {MACROS[name][0]}
