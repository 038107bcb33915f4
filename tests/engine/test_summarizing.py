"""SUMMARIZE through the own tool's door, against plain Python over the same values."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import Asking, notes, reason, text
from millpond.core.summary import PERCENTS
from pond import canvas, structured

T = "rows_k7q2xd_1"
ROWS = [
    {
        "id": at,
        "country": ("US", "DE", "us", "De", None)[at % 5],
        "cost": 900 if at in (7, 8) else -900 if at == 9 else at % 10,
        "day": f"2026-0{1 + at // 28}-{at % 28 + 1:02}",
        "tags": ["a"] * (at % 3),
    }
    for at in range(56)
    if at not in (20, 21, 40)
]


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured({"items": ROWS}))
        yield Asking(pond)


def test_a_table_has_a_row_of_facts_for_each_column(ask: Asking) -> None:
    """SUMMARY-01 SUMMARY-04"""
    assert text(ask(f"SUMMARIZE {T}")).split("\n")[2:] == [
        "id|BIGINT|0..55, unique",
        'country|VARCHAR|De 11, us 11, DE 10, US 10, 11 NULL; has "De" 11 and "DE" 10, which differ only in case or space,'
        " and 1 more such value",
        "cost|BIGINT|2: 6, 3: 6, 4: 6, 9 more values; q25 2, q50 4, q75 7; 1 outlier below -5; 2 outliers above 14",
        "day|VARCHAR|2026-01-01..2026-02-28; has no rows on 2026-01-29..2026-01-31, and 2 more gaps",
        "tags|LIST of VARCHAR|0..2 elements",
    ]


@pytest.mark.parametrize(
    "sql", [f"SUMMARIZE {T}.cost", f"summarize /* one */ SELECT cost FROM {T}", f'SUMMARIZE {T}."cost" ;']
)
def test_one_column_has_a_row_for_each_fact(ask: Asking, sql: str) -> None:
    """SUMMARY-02 SUMMARY-03 SUMMARY-04"""
    rows = [tuple(row.values()) for row in ask.rows(sql)]
    values = [int(str(row["cost"])) for row in ROWS]
    common = sorted(Counter(map(str, values)).items(), key=lambda value: (-value[1], value[0]))
    assert rows == [
        ("column", "cost"),
        ("type", "BIGINT"),
        ("rows", "53"),
        ("nulls", "0"),
        ("distinct", str(len(set(values)))),
        ("least", "-900"),
        *((f"q{percent}", str(sorted(values)[math.ceil(53 * percent / 100) - 1])) for percent in PERCENTS),
        ("greatest", "900"),
        ("odd", "1 outlier below -5"),
        ("odd", "2 outliers above 14"),
        *((f"{count} times", value) for value, count in common[:10]),
        ("values", "2 more"),
    ]


@given(st.lists(st.decimals(-(10**6), 10**6, places=2) | st.decimals(-5, 5, places=2), min_size=1, max_size=40))
def test_quantiles_and_outliers_are_those_that_python_finds(ask: Asking, values: list[Decimal]) -> None:
    """SUMMARY-03 SUMMARY-04"""
    listed = ", ".join(f"{value}::DECIMAL(9,2)" for value in values)
    found = ask.rows(f"SUMMARIZE SELECT unnest([{listed}]) AS v")
    ordered = sorted(values)
    quantiles = [ordered[math.ceil(Fraction(len(ordered) * percent, 100)) - 1] for percent in PERCENTS]
    assert [Decimal(row["value"]) for row in found if row["fact"].startswith("q")] == quantiles
    low, high = (Fraction(quantiles[at]) for at in (1, 3))
    width = Fraction(3, 2) * (high - low)
    expected = [sum(value < low - width for value in values), sum(value > high + width for value in values)]
    told = {words[2]: int(words[0]) for row in found if row["fact"] == "odd" for words in [row["value"].split()]}
    assert [told.get("below", 0), told.get("above", 0)] == (expected if width else [0, 0])


def test_every_odd_spelling_and_gap_of_one_column_is_told(ask: Asking) -> None:
    """SUMMARY-02"""
    odd = [
        row["value"]
        for column in ("country", "day")
        for row in ask.rows(f"SUMMARIZE {T}.{column}")
        if row["fact"] == "odd"
    ]
    assert odd == [
        'has "De" 11 and "DE" 10, which differ only in case or space, and 1 more such value',
        "also us 11, US 10",
        "has no rows on 2026-01-29..2026-01-31, and 2 more gaps",
        "no rows on 2026-01-21..2026-01-22",
        "no rows on 2026-02-13",
    ]


@pytest.mark.parametrize(
    "sql",
    [
        f"SUMMARIZE FROM {T}",
        f"SUMMARIZE (FROM {T})",
        f"SUMMARIZE main.{T}",
        f"SUMMARIZE WITH a AS (FROM {T}) SELECT id, cost FROM a",
        "SUMMARIZE VALUES (1, 'a')",
        "SUMMARIZE calls",
        "SUMMARIZE SELECT 1 AS a, 2 AS a",
        "SUMMARIZE SELECT 'nan'::DOUBLE AS n, 1e300 AS e, 1::BIGNUM AS b, DATE '2026-01-01' AS d, {'a': 1} AS s, NULL AS x",
        "SUMMARIZE SELECT 1 WHERE false",
    ],
)
def test_whatever_duckdb_summarizes_is_summarized(ask: Asking, sql: str) -> None:
    """SUMMARY-01"""
    answer = ask(sql)
    assert reason(answer) is None, text(answer)
    assert notes(answer) == []


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SUMMARIZE nothing", "unknown_table"),
        (f"SUMMARIZE {T}.nothing", "invalid_sql"),
        ("SUMMARIZE SELECT * FROM read_csv('/etc/passwd')", "file_access_refused"),
        ("SUMMARIZE SELECT write_log('a')", "function_refused"),
        ("SUMMARIZE FROM duckdb_settings()", "function_refused"),
        ("SUMMARIZE duckdb_settings()", "invalid_sql"),
        ("SUMMARIZE DROP TABLE calls", "invalid_sql"),
    ],
)
def test_what_is_summarized_is_judged(ask: Asking, sql: str, expected: str) -> None:
    """SUMMARY-05"""
    assert reason(ask(sql)) == expected


def test_a_query_is_run_once(ask: Asking) -> None:
    """SUMMARY-05"""
    found = {row["fact"]: row["value"] for row in ask.rows("SUMMARIZE SELECT random() AS r")}
    assert found["least"] == found["greatest"] == found["q50"]


def test_duckdbs_own_estimates_are_marked(ask: Asking) -> None:
    """SUMMARY-06"""
    inside = ask(f"SELECT column_name, approx_unique FROM (SUMMARIZE {T})")
    kept = ask(f"SUMMARIZE {T}", save_as="facts")
    for answer in (inside, kept):
        assert any(note.startswith("approx_unique, q25, q50 and q75 are DuckDB's estimates.") for note in notes(answer))
    assert "approx_unique" in json.dumps(ask.rows("FROM facts"))
