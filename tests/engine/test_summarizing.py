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
from millpond.engine.summarizing import summarize
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
        " and 1 more such group",
        "cost|BIGINT|-900..900; q25 2, q50 4, q75 7; 1 outlier below -5; 2 outliers above 14",
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
        'has "De" 11 and "DE" 10, which differ only in case or space, and 1 more such group',
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


@pytest.mark.parametrize(
    ("values", "fact"),
    [
        (
            "(170141183460469231731687303715884105727::HUGEINT), (-170141183460469231731687303715884105727), (0), (1), (1)",
            "q25 0, q50 1, q75 1; 1 outlier below -1; 1 outlier above 2",
        ),
        ("(12345678.000000000000000000000000000001::DECIMAL(38,30)), (-12345678), (2), (3)", "q75 3." + "0" * 30),
        ("(1.7e308::DOUBLE), (-1.7e308), (5e-324), (0)", "q25 -1.7e+308, q50 0.0, q75 5e-324"),
        ("(1::DOUBLE), (2), (3), (4), (1e300), ('nan'), ('inf')", "q75 4.0; 1 outlier above 7.0"),
    ],
)
def test_numbers_of_every_width_have_facts(ask: Asking, values: str, fact: str) -> None:
    """SUMMARY-08"""
    sql = f"SELECT v, 1 AS one FROM (VALUES {values}) AS _(v)"
    assert fact in ask.rows(f"SUMMARIZE {sql}")[0]["facts"]
    assert reason(ask(f"SUMMARIZE SELECT v FROM ({sql})")) is None


def test_a_column_at_which_the_engine_fails_does_not_cost_the_others_theirs(ask: Asking) -> None:
    """SUMMARY-08"""
    connection = ask.pond.database.cursor()
    connection.execute("CREATE VIEW failing AS SELECT i, error('no ' || i) AS e, 2 * i AS d FROM range(3) AS _(i)")
    connection.execute("BEGIN TRANSACTION READ ONLY")
    rows = summarize(connection, "FROM failing", 10, lambda: None).rows
    connection.close()
    assert [facts for _, _, facts in rows] == [
        "0..2, unique",
        "its facts cannot be had: the engine fails at a value",
        "0..4, unique",
    ]


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_values_that_no_figure_holds_are_counted(ask: Asking, kind: str) -> None:
    """PROFILE-11"""
    sql = f"SUMMARIZE SELECT unnest(['nan', 'nan', 'inf', '-inf', '1.5', '1.5']::{kind}[]) AS v"
    said = "has 2 NaN and 2 infinite values, which range, quantiles and outliers leave out"
    assert ("odd", said) in [tuple(row.values()) for row in ask.rows(sql)]
    assert ask.rows(f"{sql}, 1 AS one")[0]["facts"].endswith(f"; {said}")


@pytest.mark.parametrize("source", ["wide", "(FROM wide WHERE true\n)"])
def test_no_more_columns_are_looked_at_than_are_shown(ask: Asking, source: str) -> None:
    """SUMMARY-07"""
    with canvas() as pond:
        pond.take(structured({"items": [{f"Key {at}": at for at in range(130)}] * 3}), mode="always")
        ask = Asking(pond)
        name = "rows_k7q2xd_1"
        given = source.replace("wide", name)
        first = ask(f"SUMMARIZE {given}" if given == name else f"SUMMARIZE {given[1:-2]}", max_rows=60)
        told = first["_meta"]["millpond/result"]
        assert (told["truncated"], told["rows"], told["total"]) == (True, 60, None)
        (note,) = notes(first)
        said, sql = note.split("\n", 1)
        assert said == "Columns 61 to 130 are not looked at (max_rows 60). Set max_rows to 130, or see the next ones:"
        names = [row["column"] for row in ask.rows(sql.strip())]
        assert names == [f"Key {at}" for at in range(60, 60 + len(names))]
        assert len(names) > 40
        whole = ask(f"SUMMARIZE {name}", max_rows=130)
        assert notes(whole) == []
        assert len(text(whole).split("\n")) == 132


def test_a_value_is_written_as_a_select_writes_it(ask: Asking) -> None:
    """PROFILE-07"""
    odd = ["a\nb", "a\tb", "a\\b", "a|b", "\u202eabc"]
    listed = ", ".join(f"'{value}'" for value in odd)
    written = text(ask(f"SELECT unnest([{listed}]) AS v")).split("\n")[2:]
    close = text(ask(f"SUMMARIZE SELECT unnest([{listed}] || [{listed}]) AS v")).split("\n")
    assert {f"2 times|{value}" for value in written} <= set(close)
    several = text(ask(f"SUMMARIZE SELECT unnest([{listed}] || [{listed}]) AS v, 1 AS one"))
    assert all(f'"{value}" 2' in several for value in written)


def test_every_spelling_of_the_first_group_is_told_of_one_column(ask: Asking) -> None:
    """SUMMARY-02"""
    found = ask.rows("SUMMARIZE SELECT unnest(['open', 'open', 'Open', ' open', 'OPEN ']) AS v")
    assert [row["value"] for row in found if row["fact"] == "odd"] == [
        'has "open" 2 and " open" 1, which differ only in case or space, as do 2 more spellings',
        'also "OPEN " 1, Open 1',
    ]
