"""Figures of tables that came through the store, against plain Python over the same rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asking import Asking, notes
from millpond.core.model import Column
from millpond.core.oddities import is_number
from millpond.core.profile import Figures
from millpond.engine.profiling import MAX_DISTINCT, figures
from pond import Canvas, canvas, handle, printed_sql, structured

_texts = st.one_of(
    st.sampled_from(
        ["US", "us", " us", "DE", "", "1", "10", "1.5", "007", "-0", "n/a", "ß", "SS", "a|b", "\0", "12\n"]
    ),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
)
_stamps = st.builds(
    "{}{}".format, st.dates().map(str), st.sampled_from(["", "T10:00:00Z", "T23:59:59.5+02:00", " 10:00"])
)


def _columns(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(cells, cells, st.none()), min_size=4, max_size=30)


COLUMNS = {
    "integers": _columns(st.integers(-(2**70), 2**70)),
    "few integers": _columns(st.integers(0, 3)),
    "fractions": _columns(st.decimals(-1000, 1000, places=2)),
    "texts": _columns(_texts),
    "stamps": _columns(_stamps),
    "almost stamps": _columns(st.one_of(_stamps, st.just("2026-01-01x"))),
    "flags": _columns(st.booleans()),
    "lists": _columns(st.lists(st.integers(0, 9), max_size=4)),
    "objects": _columns(st.fixed_dictionaries({"a": st.integers(0, 9)})),
}


def counted(pond: Canvas, cells: Sequence[Any]) -> tuple[Column, Figures]:
    """What is counted of a column that came as the only one of a result."""
    lexemes = (str(cell) if isinstance(cell, Decimal) else json.dumps(cell) for cell in cells)
    items = ",".join(f'{{"v":{lexeme}}}' for lexeme in lexemes)
    body = pond.take(f'{{"content":[],"structuredContent":{{"items":[{items}]}}}}'.encode(), mode="always")
    (table,) = handle(body)["tables"]
    found = table["columns"][0]
    column = Column(name="v", type=found["type"])
    connection = pond.database.cursor()
    (of,) = figures(connection, table["name"], [column], len(cells))
    connection.close()
    return column, of


@given(st.sampled_from(sorted(COLUMNS)).flatmap(lambda name: st.tuples(st.just(name), COLUMNS[name])))
@example(("texts", ["a"] * 3 + ["A"]))
@example(("stamps", ["2026-01-01", "0001-01-01", None, None]))
def test_every_figure_is_the_one_that_python_counts(given: tuple[str, list[Any]]) -> None:
    """PROFILE-01"""
    name, cells = given
    with canvas(inline_rows_bytes=0) as pond:
        column, found = counted(pond, cells)
    present = [cell for cell in cells if cell is not None]
    assert (found.rows, found.present) == (len(cells), len(present))
    if not present:
        return
    if name in ("integers", "few integers", "fractions"):
        assert (Decimal(found.low or ""), Decimal(found.high or "")) == (min(present), max(present))
    if name in ("few integers", "flags"):
        as_text = Counter(json.dumps(cell) for cell in present)
        assert found.values == tuple(sorted(as_text.items(), key=lambda value: (-value[1], value[0])))
        assert found.distinct == len(as_text)
    if name == "lists":
        lengths = [len(cell) for cell in present]
        assert (found.shortest, found.longest, found.elements) == (min(lengths), max(lengths), sum(lengths))
    if name == "stamps":
        assert found.days == tuple(sorted({cell[:10] for cell in present}))
    if column.type == "VARCHAR" and name != "stamps":
        _check_texts(found, present)


def _check_texts(found: Figures, present: Sequence[str]) -> None:
    assert (found.low, found.high) == (min(present), max(present))
    sizes = [len(cell.encode()) for cell in present]
    assert (found.shortest, found.longest) == (min(sizes), max(sizes))
    if found.days:
        assert found.days == tuple(sorted({cell[:10] for cell in present}))
    if found.values:
        assert found.values == tuple(sorted(Counter(present).items(), key=lambda value: (-value[1], value[0])))
    if found.distinct is not None:
        assert found.distinct == len(set(present))
    if found.numbers is not None:
        assert found.numbers == sum(map(is_number, present))


@pytest.mark.parametrize("distinct", [1, 40, MAX_DISTINCT, 3 * MAX_DISTINCT])
def test_distinct_values_are_counted_exactly_however_many_there_are(distinct: int) -> None:
    """PROFILE-01"""
    with canvas() as pond:
        _, texts = counted(pond, [f"value {at % distinct}" for at in range(4_000)])
        _, numbers = counted(pond, [at % distinct for at in range(4_000)])
    assert texts.distinct == numbers.distinct == distinct
    assert len(texts.values) == (distinct if distinct <= MAX_DISTINCT else 0)
    assert len(numbers.values) == (distinct if distinct <= 40 else 0)


def test_nothing_is_counted_of_long_texts_and_of_what_is_no_value() -> None:
    """PROFILE-01"""
    with canvas() as pond:
        _, long = counted(pond, ["x" * 10_000, "y"] * 9)
        assert (long.values, long.distinct, long.longest) == ((), 2, 10_000)
        assert len(long.low or "") <= 60
        kind = Column(name="v", type="DOUBLE")
        pond.sql("CREATE TABLE odd AS FROM (VALUES ('nan'::DOUBLE), ('inf'), (1.5), (-2.5)) AS _(v)")
        (found,) = figures(pond.database.cursor(), "odd", [kind], 4)
        assert (found.low, found.high, found.present) == ("-2.5", "1.5", 4)


@pytest.mark.parametrize(
    "kind", ["BIGNUM", "UBIGINT", "FLOAT", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "TIME", "UUID", "BLOB"]
)
def test_every_type_of_a_kept_answer_can_be_counted(kind: str) -> None:
    """PROFILE-01 PROFILE-08"""
    given = {"UUID": "'00000000-0000-0000-0000-000000000001'", "TIME": "'10:00:00'", "BLOB": "'a'"}.get(kind, "7")
    day = "'2026-01-02'" if kind.startswith(("DATE", "TIMESTAMP")) else given
    with canvas() as pond:
        pond.sql(f"CREATE TABLE odd AS SELECT CAST({day} AS {kind}) AS v FROM range(9)")
        (found,) = figures(pond.database.cursor(), "odd", [Column(name="v", type=kind)], 9)
        assert found.present == 9
        assert found.days == (("2026-01-02",) if kind.startswith(("DATE", "TIMESTAMP")) else ())


def test_a_table_that_is_gone_has_no_figures_and_nothing_fails() -> None:
    """PROFILE-08"""
    with canvas() as pond:
        assert figures(pond.database.cursor(), "gone", [Column(name="v", type="BIGINT")], 9) == ()


def test_a_handle_tells_what_was_counted() -> None:
    """PROFILE-02 PROFILE-04 PROFILE-09"""
    rows = [{"id": at, "country": ("US", "DE", "us", None)[at % 4], "amount": at / 4} for at in range(200)]
    with canvas() as pond:
        said = pond.take(structured({"items": rows}))["content"][0]["text"]
        assert (
            "id BIGINT 0..199, unique | country VARCHAR: DE 50, US 50, us 50, 50 NULL | amount DECIMAL(4,2) 0.00..49.75\n"
            in said
        )
        assert '\nmind: country has "US" 50 and "us" 50, which differ only in case or space\n' in said
        (sql,) = printed_sql(said)
        assert sql == "SELECT country, count(*), sum(amount) FROM rows_k7q2xd_1 GROUP BY ALL ORDER BY 2 DESC"
        assert sorted(map(str, pond.query(sql)))[0] == "['DE', '50', '1237.50']"


def test_a_kept_answer_that_is_not_whole_tells_the_same() -> None:
    """PROFILE-10"""
    rows = [{"id": at, "day": f"2026-01-{at % 28 + 1:02}", "user": {"login": "a"}} for at in range(300)]
    with canvas() as pond:
        pond.take(structured({"items": rows}))
        ask = Asking(pond)
        some = ask(
            "SELECT id % 2 AS odd, day, user FROM rows_k7q2xd_1 WHERE day[9:] NOT IN ('07', '09')", save_as="half"
        )
        assert notes(some)[1] == (
            "Saved: 278 rows (7 KB) in half, all that the query gives. Ask of it as of any table:\n"
            "  SELECT day[:10] AS day, count(*) FROM half GROUP BY ALL ORDER BY 1\n"
            'odd BIGINT: 1: 150, 0: 128 | day VARCHAR 2026-01-01..2026-01-28 | "user" STRUCT {login}\n'
            "mind: day has no rows on 2026-01-07, and 1 more gap"
        )
        few = ask("SELECT day, count(*) AS n FROM rows_k7q2xd_1 GROUP BY ALL LIMIT 3", save_as="few")
        assert len(notes(few)[0].split("\n")) == 2
