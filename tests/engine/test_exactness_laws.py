"""Laws: every figure is what `spec/exactness.md` says, from the bytes of a result to the answer of a query."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asking import Asking, notes, reason, text
from pond import canvas, handle
from strategies_columns import TYPES, Cells, columns, rows_of

SPEC = Path(__file__).parent.parent.parent / "spec" / "exactness.md"
_ROW = re.compile(r"\| \*\*EXACT-\d\d\*\* \| `(?P<figure>[^`]+)` \| (?P<cells>.*) \|")
_NUMBERS = ("BIGINT", "HUGEINT", "BIGNUM", "DECIMAL", "DOUBLE")
_NEAR = Fraction(1, 2**51)


def table() -> dict[str, dict[str, str]]:
    """The spec's table: figure -> type -> what it says."""
    found = (_ROW.match(line) for line in SPEC.read_text().splitlines())
    return {row["figure"]: dict(zip(TYPES, row["cells"].split(" | "), strict=True)) for row in found if row}


TABLE = table()

Value = Any


def read(cell: str | None, kind: str) -> Value:
    """A cell as it counts: numbers by value, JSON by its text, -0 as 0."""
    if cell is None or kind == "JSON":
        return cell
    if kind == "DOUBLE":
        return Fraction(float(cell))
    return Fraction(cell) if kind in _NUMBERS else json.loads(cell)


def shown(cell: Value, kind: str) -> Value:
    """A cell of an answer, in the same terms."""
    if cell is None or isinstance(cell, bool) or kind in ("VARCHAR", "JSON"):
        return cell
    return Fraction(float(cell)) if kind == "DOUBLE" else Fraction(cell)


# --- what each figure is, exactly -----------------------------------------------------------------------------------


def discrete(fraction: Fraction) -> Callable[[Sequence[Value]], Value]:
    return lambda values: sorted(values)[max(0, math.ceil(fraction * len(values)) - 1)]


def continuous(fraction: Fraction) -> Callable[[Sequence[Value]], Value]:
    def figure(values: Sequence[Value]) -> Value:
        place = fraction * (len(values) - 1)
        low, high = (sorted(values)[at] for at in (math.floor(place), math.ceil(place)))
        return low if isinstance(low, (bool, str)) else low + (high - low) * (place - math.floor(place))

    return figure


def variance(values: Sequence[Value], freedom: int) -> Value:
    middle = sum(values) / Fraction(len(values))
    left = len(values) - freedom
    return sum((value - middle) ** 2 for value in values) / left if left else None


def deviation(values: Sequence[Value]) -> Value:
    squared = variance(values, 1)
    if squared is None:
        return None
    return Fraction((Decimal(squared.numerator) / Decimal(squared.denominator)).sqrt())


EXACTLY: dict[str, Callable[[Sequence[Value]], Value]] = {
    "count(x)": lambda values: Fraction(len(values)),
    "count(DISTINCT x)": lambda values: Fraction(len(set(values))),
    "min(x)": min,
    "max(x)": max,
    "quantile_disc(x, 0.25)": discrete(Fraction(1, 4)),
    "sum(x)": lambda values: Fraction(sum(values)),
    "fsum(x)": lambda values: Fraction(sum(values)),
    "avg(x)": lambda values: sum(values) / Fraction(len(values)),
    "favg(x)": lambda values: sum(values) / Fraction(len(values)),
    "median(x)": continuous(Fraction(1, 2)),
    "quantile_cont(x, 0.25)": continuous(Fraction(1, 4)),
    "stddev_samp(x)": deviation,
    "var_pop(x)": lambda values: variance(values, 0),
}


def drift(figure: str, values: Sequence[Fraction]) -> Fraction:
    """How far a figure in DOUBLE may be off: roundings of the largest value, of its square for a variance."""
    largest, rounding = max(map(abs, values)), len(values) * Fraction(1, 2**49)
    total = sum(map(abs, values))
    if figure == "var_pop(x)":
        return rounding * largest * largest
    return Fraction(math.sqrt(rounding)) * 2 * largest if figure == "stddev_samp(x)" else rounding * total


def holds(grade: str, figure: str, found: Value, exact: Value, values: Sequence[Value]) -> bool:
    """Whether a figure is what its grade says."""
    if found == exact:
        return True
    if grade == "exact" or found is None or exact is None:
        return False
    if grade == "drifts":
        return abs(found - exact) <= drift(figure, values)
    return abs(exact) < 2**53 and abs(found - exact) <= abs(exact) * _NEAR


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas(max_calls=100_000) as pond:
        yield Asking(pond)


def stored(ask: Asking, cells: Cells) -> tuple[str, str]:
    """The table of a result with these cells in its column `x`, and the type that the column got."""
    body = ask.pond.take(f'{{"structuredContent":{rows_of(cells)},"content":[]}}'.encode(), mode="always")
    (made,) = handle(body)["tables"]
    (column,) = (column for column in made["columns"] if column["name"] == "x")
    return made["name"], column["type"].partition("(")[0]


def figures(kind: str) -> list[str]:
    """What is asked of a column, in pieces of which all notes are shown."""
    return [figure for figure in EXACTLY if TABLE[figure][kind] != "refused"]


def asked(ask: Asking, name: str, wanted: Sequence[str]) -> tuple[dict[str, Value], dict[str, str]]:
    """The figures' cells, and the note on each that has one."""
    cells: dict[str, Value] = {}
    said: dict[str, str] = {}
    for start in range(0, len(wanted), 4):
        part = wanted[start : start + 4]
        answer = ask(f"SELECT {', '.join(part)} FROM {name}", format="json")
        said |= {
            figure: note for figure in part for note in notes(answer) if note.startswith((figure + " ", figure + ","))
        }
        assert len(notes(answer)) == sum(figure in said for figure in part)
        (row,) = json.loads(text(answer), parse_float=str, parse_int=str)
        cells |= zip(part, row.values(), strict=True)
    return cells, said


@given(st.sampled_from(TYPES).flatmap(lambda kind: st.tuples(st.just(kind), columns(kind))))
@example(("DECIMAL", ["1.10", "2.21"]))
@example(("DECIMAL", ["1234567890123456.1", "9234567890123456.3"]))
@example(("BIGINT", ["7", "9223372036854775807", "9223372036854775806"]))
@example(("BIGINT", ["-4611686018427387904", "4611686018427387906", None]))
@example(("DOUBLE", ["0.30000000000000004", "1e16", "1.0", "-1e16"]))
@example(("VARCHAR", ['"12"', '"9"', '"10"']))
def test_every_figure_is_what_the_table_says(ask: Asking, column: tuple[str, Cells]) -> None:
    """EXACT-01 EXACT-02 EXACT-07 EXACT-08 EXACT-09 EXACT-10 EXACT-12 EXACT-13 EXACT-14 EXACT-15 EXACT-16 EXACT-17 EXACT-18 EXACT-24 EXACT-25"""
    _, cells = column
    name, kind = stored(ask, cells)
    row, said = asked(ask, name, figures(kind))
    values = [read(cell, kind) for cell in cells if cell is not None]
    for figure, cell in row.items():
        grade, exact = TABLE[figure][kind], EXACTLY[figure](values)
        found = shown(cell, "BIGINT" if figure.startswith("count") else kind)
        is_right = holds(grade.rstrip("*"), figure, found, exact, values)
        assert is_right or (figure in said and grade in ("cut*", "near*")), (figure, cell, exact)
        if figure in said and not said[figure].startswith(f"{figure},"):
            assert grade.endswith("*")
            assert found != exact or kind in ("VARCHAR", "JSON"), (figure, cell, said[figure])
            check_remedy(ask, name, said[figure], figure, values)
    if kind == "DOUBLE":
        assert ("sum(x)" in said, "avg(x)" in said) == (
            row["sum(x)"] != row["fsum(x)"],
            row["avg(x)"] != row["favg(x)"],
        )


def check_remedy(ask: Asking, name: str, note: str, figure: str, values: Sequence[Value]) -> None:
    """What a note gives as exact runs, and is."""
    given_as, _, expressions = note.rpartition(": ")
    found = list(
        ask.rows(f"SELECT {expressions.replace(' and ', ', ').replace(' divided by ', ', ')} FROM {name}")[0].values()
    )
    if isinstance(values[0], str):
        numbers = [Fraction(value if value[:1] != '"' else json.loads(value)) for value in values]
        assert Fraction(found[0]) == EXACTLY[figure](numbers)
        return
    exact = EXACTLY[figure](values)
    results = [Fraction(cell) for cell in found]
    if given_as.endswith(("two middle values, exactly", "Both, exactly")):
        assert sum(results) / 2 == exact
    elif " divided by " in expressions:
        assert results[0] / results[1] == exact
    elif given_as.endswith(("Exact", "With the digits it needs")):
        assert results == [exact]
    else:
        assert given_as.rpartition(". ")[2] in (
            "Without the drift",
            "The same of smaller values",
            "The value at or below it, exactly",
        )


@given(st.sampled_from(TYPES).flatmap(lambda kind: st.tuples(st.just(kind), columns(kind))))
def test_rows_are_grouped_joined_and_summed_by_their_exact_values(ask: Asking, column: tuple[str, Cells]) -> None:
    """EXACT-03 EXACT-04 EXACT-05 EXACT-06 EXACT-11"""
    _, cells = column
    name, kind = stored(ask, cells)
    values = [read(cell, kind) for cell in cells]
    counts = Counter(values)
    groups = ask.rows(f"SELECT x, count(*) AS n FROM {name} GROUP BY x")
    assert {shown(row["x"], kind): int(row["n"]) for row in groups} == counts
    assert len(groups) == len(counts)
    assert Counter(shown(row["x"], kind) for row in ask.rows(f"SELECT DISTINCT x FROM {name}")) == Counter(set(values))
    joined = ask.rows(f"SELECT count(*) AS n FROM {name} a JOIN {name} b USING (x)")
    assert int(joined[0]["n"]) == sum(count**2 for value, count in counts.items() if value is not None)
    (often,) = ask.rows(f"SELECT mode(x) AS x FROM {name}")
    present = Counter(value for value in values if value is not None)
    assert present[shown(often["x"], kind)] == max(present.values())
    if TABLE["sum(x) OVER (ORDER BY i)"][kind] != "refused":
        running = ask.rows(f"SELECT sum(x) OVER (ORDER BY i) AS s FROM {name} ORDER BY i")
        check_running(kind, [row["s"] for row in running], values)


def check_running(kind: str, found: Sequence[Value], values: Sequence[Value]) -> None:
    known = [Fraction(value or 0) for value in values]
    for at, (cell, exact) in enumerate(zip(found, accumulate(known), strict=True)):
        if cell is None:
            assert all(value is None for value in values[: at + 1])
        elif kind == "DOUBLE":
            assert abs(Fraction(cell) - exact) <= drift("sum(x)", known)
        else:
            assert Fraction(cell) == exact


@pytest.mark.parametrize(
    ("kind", "figure"),
    [(kind, figure) for figure, grades in TABLE.items() for kind in TYPES if grades[kind] == "refused"],
)
def test_what_the_table_calls_refused_is_refused(ask: Asking, kind: str, figure: str) -> None:
    """EXACT-10 EXACT-12 EXACT-13 EXACT-14 EXACT-16"""
    cells: dict[str, Cells] = {"BOOLEAN": ["true"], "VARCHAR": ['"1"'], "JSON": ["[1]", "1"]}
    assert reason(ask(f"SELECT {figure} FROM {stored(ask, cells[kind])[0]}")) == "invalid_sql"


# --- arithmetic -----------------------------------------------------------------------------------------------------

OPERATORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "//": lambda left, right: Fraction(math.trunc(left / right)),
    "%": lambda left, right: left - right * math.trunc(left / right),
    "/": lambda left, right: left / right,
}
EXACT_FOR = {"BIGINT": "+ - * // %", "HUGEINT": "+ - * // %", "DECIMAL": "+ - *", "BIGNUM": "+ -"}


@given(
    st.sampled_from(list(EXACT_FOR)).flatmap(
        lambda kind: st.tuples(
            st.just(kind), st.sampled_from(list(OPERATORS)), columns(kind, nulls=False), st.integers(1, 10**6)
        )
    )
)
@example(("BIGNUM", "%", ["1" + "0" * 45 + "1"], 7))
@example(("BIGINT", "/", ["9007199254740993", "7"], 1))
@example(("BIGINT", "*", ["9223372036854775807"], 2))
def test_arithmetic_is_exact_or_an_error_or_noted(ask: Asking, case: tuple[str, str, Cells, int]) -> None:
    """EXACT-19 EXACT-20 EXACT-21 EXACT-25"""
    _, operator, cells, right = case
    name, kind = stored(ask, cells)
    answer = ask(f"SELECT x {operator} {right} AS y FROM {name}", format="json", max_rows=100)
    if reason(answer) is not None:
        assert reason(answer) == "execution_error"
        assert operator in ("+", "-", "*")
        return
    found = [Fraction(row["y"]) for row in json.loads(text(answer), parse_float=str, parse_int=str)]
    exact = [OPERATORS[operator](Fraction(cell or 0), Fraction(right)) for cell in cells]
    if operator in EXACT_FOR.get(kind, "").split():
        assert found == exact
        assert notes(answer) == []
        return
    faithful = all(holds("near", "", one, other, []) for one, other in zip(found, exact, strict=True))
    assert bool(notes(answer)) is not faithful or kind in ("DECIMAL", "DOUBLE")
    assert all(abs(one - other) <= abs(other) * _NEAR for one, other in zip(found, exact, strict=True)) or operator in (
        "%",
        "//",
    )


def test_integers_and_decimals_compare_exactly_and_doubles_do_not(ask: Asking) -> None:
    """EXACT-22"""
    name, _ = stored(ask, ["9007199254740993", "7"])
    sql = f"SELECT x = 9007199254740993.0 AS a, x = 9007199254740992.0 AS b, x = 9007199254740992::DOUBLE AS c FROM {name} LIMIT 1"
    assert ask.rows(sql) == [{"a": True, "b": False, "c": True}]
