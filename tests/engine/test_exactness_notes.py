"""Notes on exactness at the query: which stand under which answer, in what words, and what a check may never do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from asking import Asking, notes, reason, text
from pond import canvas, structured

ROWS = [
    {"id": 2**53 + 1 + at, "n": at, "price": price, "d": d, "big": 10**40 + at, "num": num, "stamp": stamp, "utc": utc, "s": {"x": price}, "l": [price], "mixed": ["x" if at else 1, 1.5]}
    for at, (price, d, num, stamp, utc) in enumerate(
        [
            (1.10, 0.30000000000000004, "9", "2026-01-01T10:00:00+02:00", "2026-01-01T10:00:00Z"),
            (2.21, 0.1, "10", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00+00:00"),
            (2.21, 0.2, "2.5", "2026-01-01", "2026-01-01"),
            (3.4, 0.3, "100", "2026-01-01T10:00:00-0500", "2026-01-02 10:00"),
        ]
    )
]  # fmt: skip
T = "prices_k7q2xd_1"
TWO = f"(FROM {T} LIMIT 2)"
CUT = "is cut to the scale of DECIMAL(3,2)"
IN_DOUBLE = "is computed in DOUBLE, which rounds integers past 2^53"

SORTED = "num sorts as text, by the alphabet, though all of it is numbers. As numbers: TRY_CAST(num AS DECIMAL(38, 1))"

NOTED: list[tuple[str, list[str]]] = [
    (f"SELECT median(price) FROM {TWO}", [f"median(price) {CUT}. Exact: median(CAST(price AS DECIMAL(4, 3)))"]),
    (f"SELECT median(s.x) AS m FROM {TWO}", [f"median(s.x) {CUT}. Exact: median(CAST(s.x AS DECIMAL(4, 3)))"]),
    (f"SELECT median(u) FROM {TWO}, unnest(l) t(u)", [f"median(u) {CUT}. Exact: median(CAST(u AS DECIMAL(4, 3)))"]),
    (
        f"SELECT n // 2, median(price) FILTER (WHERE n < 9) FROM {T} GROUP BY 1 ORDER BY 1",
        [f"median(price) FILTER (WHERE (n < 9)) {CUT}. Exact: median(CAST(price AS DECIMAL(4, 3))) FILTER (WHERE (n < 9))"],
    ),
    (
        f"WITH w AS (FROM {TWO}) SELECT 1 UNION ALL SELECT m FROM (SELECT median(price) m FROM w)",
        [f"median(price) {CUT}. Exact: median(CAST(price AS DECIMAL(4, 3)))"],
    ),
    (
        f"SELECT quantile_cont(price, [0.25, 0.5]) FROM {TWO}",
        [
            f"quantile_cont(price, list_value(0.25, 0.5)) {CUT}. With the digits it needs: quantile_cont(CAST(price AS"
            " DECIMAL(5, 4)), list_value(0.25, 0.5))"
        ],
    ),
    (
        f"SELECT percentile_cont(0.3) WITHIN GROUP (ORDER BY price DESC) FROM {TWO}",
        [f"quantile_cont(price, -0.3) {CUT}. With the digits it needs: quantile_cont(CAST(price AS DECIMAL(4, 3)), -0.3)"],
    ),
    (f"SELECT median(id) FROM {TWO}", [f"median(id) {IN_DOUBLE}. Exact: median(CAST(id AS DECIMAL(20, 1)))"]),
    (f"SELECT avg(id) FROM {TWO}", ["avg(id) is computed in DOUBLE, which rounds it. Exact: sum(id) divided by count(id)"]),
    (
        f"SELECT avg(id) OVER () FROM {TWO}",
        ["avg(id) OVER () is computed in DOUBLE, which rounds it. Exact: sum(id) OVER () divided by count(id) OVER ()"],
    ),
    (
        f"SELECT median(big) FROM {TWO}",
        ["median(big) is the lower of two middle values. Both, exactly: quantile_disc(big, 0.5) and quantile_disc(big, -0.5)"],
    ),
    (
        f"SELECT sum(d) FROM {T} WHERE n > 0",
        ["sum(d) drifts, for it adds DOUBLE values one by one. Without the drift: fsum(d)"],
    ),
    (
        f"SELECT stddev(id) FROM {T}",
        [f"stddev(id) rounds its values to DOUBLE first. The same of smaller values: stddev((id - {2**53 + 1}))"],
    ),
    (
        f"SELECT max(num) FROM {T}",
        ["max(num) orders numbers that are text by the alphabet. As numbers: max(TRY_CAST(num AS DECIMAL(38, 1)))"],
    ),
    (
        f"SELECT id / 1 FROM {TWO}",
        [
            "(id / 1) is computed in DOUBLE, which holds 15 to 17 digits. Of integers, the whole part and the rest are exact: (id // 1)"
            " and (id % 1)"
        ],
    ),
    (
        f"SELECT sum(big % 7) FROM {T}",
        [
            "(big % 7) is computed in DOUBLE, which holds 15 to 17 digits. BIGNUM is exact under + - sum min max; where 38 digits"
            " suffice, it is exact: (TRY_CAST(big AS HUGEINT) % 7)"
        ],
    ),
    (
        f"SELECT count(*) FROM {T} WHERE stamp::TIMESTAMP > DATE '2020-01-01'",
        ["CAST(stamp AS TIMESTAMP) drops the offset from UTC that texts have. The instant: CAST(stamp AS TIMESTAMPTZ)"],
    ),
    (f"SELECT arg_max(n, num) FROM {T}", ["arg_max(n, num) orders numbers that are text by the alphabet. As numbers: arg_max(n, TRY_CAST(num AS DECIMAL(38, 1)))"]),
    (f"SELECT sum(len(mixed)) FROM {T}", ["len(mixed) counts the characters of the JSON text. The elements: json_array_length(mixed)"]),
    (f"SELECT num FROM {T} ORDER BY num DESC LIMIT 1", [SORTED]),
    (f"SELECT n, num AS x FROM {T} ORDER BY x", [SORTED]),
    (f"SELECT n, num FROM {T} WHERE n > 0 ORDER BY 1, 2", [SORTED]),
    (f"SELECT num, count(*) FROM {T} GROUP BY ALL ORDER BY num", [SORTED]),
    (f"SELECT n FROM {T} QUALIFY row_number() OVER (ORDER BY num DESC) = 1", [SORTED]),
    (f"SELECT sum(num::INT) FROM {T}", ["CAST(num AS INTEGER) rounds texts that have a fraction. With 15 digits: CAST(num AS DOUBLE)"]),
    (f"SELECT TRY_CAST(num AS BIGINT) FROM {T}", ["TRY_CAST(num AS BIGINT) rounds texts that have a fraction. With 15 digits: TRY_CAST(num AS DOUBLE)"]),
    (f"SELECT sum(price::REAL) FROM {T}", ["sum(CAST(price AS FLOAT)) is computed in FLOAT, which holds 7 digits. With 15 digits: sum(CAST(price AS DOUBLE))"]),
    (f"SELECT id::FLOAT FROM {T}", ["CAST(id AS FLOAT) is computed in FLOAT, which holds 7 digits. With 15 digits: CAST(id AS DOUBLE)"]),
]  # fmt: skip
SILENT = [
    f"SELECT median(price), avg(price), stddev(price), quantile_cont(price, 0.5), var_pop(price) FROM {T}",
    f"SELECT median(CAST(price AS DECIMAL(4, 3))) FROM {TWO}",
    f"SELECT median(n), avg(n), quantile_cont(n, 0.25), stddev(n), n / 3, sum(n) / count(*) FROM {T} GROUP BY n",
    f"SELECT sum(price), sum(id), sum(big), min(big), max(id), big + 1, -big FROM {T} GROUP BY big",
    f"SELECT sum(d), avg(d) FROM {TWO}",
    f"SELECT fsum(d), favg(d), median(d) FROM {T}",
    f"SELECT max(stamp), min(stamp), max(stamp || num), median(stamp) FROM {T}",
    f"SELECT max(num) FROM {T} WHERE n < 1",
    f"SELECT utc::TIMESTAMP, utc::DATE, stamp::TIMESTAMPTZ FROM {T}",
    f"SELECT '2026-01-01T10:00:00+02:00'::TIMESTAMP FROM {T}",
    f"SUMMARIZE {T}",
    f"SELECT approx_quantile(price, 0.5), approx_count_distinct(id) FROM {T}",
    f"EXPLAIN SELECT median(price) FROM {TWO}",
    f"SELECT DISTINCT ON (n // 2) n, price FROM {T} ORDER BY n LIMIT 1",
    f"SELECT * FROM {T} ORDER BY stamp, utc",
    f"SELECT * FROM {T} ORDER BY ALL",
    f"SELECT len(num), len(l), json_array_length(mixed), len(mixed -> '$[1]') FROM {T}",
    f"SELECT n, * FROM {T} ORDER BY 2, 3",
    f"SELECT num FROM {T} WHERE n < 1 ORDER BY num",
    f"SELECT num FROM {T} ORDER BY TRY_CAST(num AS DECIMAL(38, 1)) LIMIT 1",
    f"SELECT max(num::DOUBLE) m FROM {T} GROUP BY n ORDER BY m",
    f"SELECT num FROM {T} UNION ALL SELECT num FROM {T} ORDER BY num",
    f"SELECT arg_max(n, stamp), max_by(num, n) FROM {T}",
    f"SELECT sum(num::INT) FROM {T} WHERE num NOT LIKE '%.%'",
    f"SELECT price::FLOAT, n::FLOAT, n::INT, price::INT FROM {T}",
]
NOT_ASKED = [
    (f"SELECT (SELECT median(b.price) FROM {T} b WHERE b.n <= a.n) FROM {T} a", "median(b.price), not checked on the data"),
    (f"SELECT avg(COLUMNS('^(id|big)$')) FROM {T}", "avg(COLUMNS('^(id|big)$')), not checked on the data"),
    (f"PIVOT {T} ON n IN (1, 2) USING median(price) GROUP BY num", "median of DECIMAL(3,2) is not exact for every value"),
    (f"SELECT list_median(list(price)) FROM {T}", "median of DECIMAL(3,2) is not exact for every value"),
    (f"SELECT 1 + GeoMean(price) FROM {T}", "geomean is not exact for every value: it is exp(avg(ln(x)))"),
    (f"SELECT wavg(d, n) FROM {TWO}", "wavg is not exact for every value: it is sum(x * w) / sum(w)"),
]  # fmt: skip


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        pond.take(structured(ROWS), "prices", mode="always")
        yield Asking(pond)


@pytest.mark.parametrize(("sql", "said"), NOTED)
def test_a_figure_that_is_not_exact_is_named_with_what_is(ask: Asking, sql: str, said: list[str]) -> None:
    """EXACT-09 EXACT-20 EXACT-21 EXACT-23 EXACT-24 EXACT-30 EXACT-31 EXACT-32 EXACT-27"""
    assert notes(ask(sql)) == said


def test_the_alternative_that_a_note_prints_gives_the_exact_value(ask: Asking) -> None:
    """EXACT-24"""
    assert text(ask(f"SELECT median(price) FROM {TWO}")).endswith("\n1.65")
    assert text(ask(f"SELECT median(CAST(price AS DECIMAL(4, 3))) FROM {TWO}")).endswith("\n1.655")


@pytest.mark.parametrize("sql", SILENT)
def test_an_exact_answer_has_no_note(ask: Asking, sql: str) -> None:
    """EXACT-23 EXACT-25 EXACT-28"""
    assert notes(ask(sql)) == []


@pytest.mark.parametrize(("sql", "said"), NOT_ASKED)
def test_where_no_question_reaches_the_note_says_so(ask: Asking, sql: str, said: str) -> None:
    """EXACT-26"""
    (note,) = notes(ask(sql))
    assert note.startswith(said)


def test_at_most_four_notes_stand_under_an_answer(ask: Asking) -> None:
    """EXACT-29"""
    said = notes(ask(f"SELECT big * 2, big % 7, abs(big), big // 3, big / 7, big % 11 FROM {T}"))
    assert len(said) == 5
    assert said[-1] == "2 more of its figures may not be exact."


def test_no_text_of_the_data_stands_in_a_note() -> None:
    """EXACT-29"""
    with canvas() as pond:
        pond.take(structured([{"x": "7", "y": 2**60 + 1}, {"x": "12", "y": 2**60 + 2}]), "t", mode="always")
        said = notes(Asking(pond)("SELECT max(x), median(x || ''), stddev(y) FROM t_k7q2xd_1"))
        assert len(said) == 3
        assert not any("'7'" in note or "12" in note.replace("1152921504606846977", "") for note in said)


def test_a_table_of_many_rows_is_not_asked() -> None:
    """EXACT-26"""
    with canvas() as pond:
        pond.take(structured([{"x": at / 100} for at in range(100_001)]), "t", mode="always")
        ask = Asking(pond)
        (note,) = notes(ask("SELECT median(x) FROM t_k7q2xd_1"))
        assert note == (
            "median(x), not checked on the data: for some values it is cut to the scale of DECIMAL(6,2). Exact: median(CAST(x AS"
            " DECIMAL(7, 3)))"
        )
        assert notes(ask("SELECT count(*), sum(x), max(x) FROM t_k7q2xd_1")) == []


UNANSWERABLE = [
    # The sum that the mean is checked by overflows where the mean itself does not.
    f"SELECT avg(y) FROM (SELECT 99999999999999999999999999999999999999::DECIMAL(38,0) AS y FROM {T})",
    f"SELECT median(y), y / 1 FROM (SELECT -170141183460469231731687303715884105728::HUGEINT AS y FROM {T}) GROUP BY y",
    f"SELECT stddev(y) FROM (SELECT 99999999999999999999999999999999999999::DECIMAL(38,0) - n AS y FROM {T})",
    f"SELECT quantile_cont(y, 0.25) FROM (SELECT 99999999999999999999999999999999999999::DECIMAL(38,0) AS y FROM {T})",
    f"WITH RECURSIVE r AS (SELECT 1.10 AS p, 1 AS i UNION ALL SELECT (SELECT median(price) FROM {T}), i + 1 FROM r WHERE i < 3) FROM r",
    f"SELECT median(price) OVER w, avg(id) OVER w FROM {T} WINDOW w AS (PARTITION BY n ORDER BY id)",
    f"SELECT median(DISTINCT price) FROM {T} GROUP BY ROLLUP (n) HAVING median(price) > 1 QUALIFY row_number() OVER () = 1",
    f"SELECT quantile_cont(price, n / 10) FROM (SELECT price, 3 AS n FROM {T})",
    f"SELECT median(a.price) FROM {T} a POSITIONAL JOIN {T} b",
    f"SELECT max(columns(*)) FROM {T}",
]


@pytest.mark.parametrize("sql", UNANSWERABLE)
def test_a_check_changes_no_answer(ask: Asking, sql: str) -> None:
    """EXACT-27"""
    direct: Any
    try:
        direct = [list(row) for row in ask.pond.sql(sql)]
    except Exception:
        direct = None
    answer = ask(sql)
    assert (reason(answer) is None) == (direct is not None), text(answer)
    if direct is not None:
        assert text(answer).count("\n") == len(direct) + 1
