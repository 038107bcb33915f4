"""Summary: what SUMMARIZE answers: a line of facts for each of several columns, or all that can be told of one.

Rule: every figure is exact; a fact that is not there was not asked. Imports `core.clip`, `core.model`, `core.names`, `core.oddities`,
`core.profile`, `core.sql`, `core.type_text`, msgspec and the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import NamedTuple

import msgspec

from millpond.core.clip import shortened, shown
from millpond.core.model import Column
from millpond.core.names import fold
from millpond.core.oddities import collisions, gaps
from millpond.core.profile import Figures, Kind, days_text, facts, kind_of, profile_of, value_text
from millpond.core.sql import printed_name
from millpond.core.type_text import short_type

PERCENTS = (5, 25, 50, 75, 95)
"""Of the quantiles: each is a value of the column, the least that so many percent of the values do not exceed."""
FENCE = Decimal("1.5")
"""Times the middle half's width beyond it, from which a number is an outlier (Tukey's fences)."""
TOP = 10
"""Values that are told of one column, the commonest first."""
MAX_GROUPS = 5
"""Groups of spellings that fall together, of which each is told."""
MAX_SHOWN_CHARACTERS = 100
"""Of a value that stands in a row of its own."""
MAX_EDGE_CHARACTERS = 59
"""Of the least and the greatest text, of which one more is known."""
MAX_TYPE_CHARACTERS = 60
MAX_NEXT_CHARACTERS = 500
"""Of the names, and of the query, in the statement that summarizes the columns that an answer has no room for."""

_DIGITS = 1_000
"""Significant digits in which fences are counted: between the least and the greatest DOUBLE lie 650."""

Rows = list[tuple[str, ...]]


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of a column lie that has an order."""

    quantiles: tuple[str, ...] = ()
    """At `PERCENTS`."""
    low_fence: str | None = None
    high_fence: str | None = None
    below: int = 0
    above: int = 0
    """Outliers: values below the one fence and above the other."""


def fences(q25: str, q75: str) -> tuple[str, str]:
    """The least and the greatest value that is no outlier, with as many digits behind the point as the quartiles have.

    Where quartiles have so many digits, so has every value of the column, so that nothing lies between a fence and its rounding.
    """
    with localcontext(prec=_DIGITS):
        low, high = Decimal(q25), Decimal(q75)
        digit = Decimal(1).scaleb(min(int(one.as_tuple().exponent) for one in (low, high)))
        width = FENCE * (high - low)
        return (
            format((low - width).quantize(digit, ROUND_CEILING), "f"),
            format((high + width).quantize(digit, ROUND_FLOOR), "f"),
        )


class Look(NamedTuple):
    """All that was found of one column."""

    figures: Figures
    spread: Spread


# --- several columns ------------------------------------------------------------------------------------------------

OVERVIEW = ("column", "type", "facts")


def overview(columns: Sequence[Column], looks: Sequence[Look | None]) -> Rows:
    """A row for each column that was looked at, the first ones; None is one of which nothing could be found."""
    return [
        (
            column.name,
            shown(short_type(column.type), MAX_TYPE_CHARACTERS),
            "its facts cannot be had: the engine fails at a value" if look is None else "; ".join(_told(column, *look)),
        )
        for column, look in zip(columns, looks, strict=False)
    ]


def unseen(names: Sequence[str], seen: int, source: str) -> tuple[str, ...]:
    """What is said of the columns after the first `seen`, and the statement that summarizes the next of them.

    `source` is what stands behind FROM.
    """
    left = len(names) - seen
    if left <= 0:
        return ()
    which = f"Columns {seen + 1} to {len(names)} are" if left > 1 else f"Column {len(names)} is"
    said = f"{which} not looked at (max_rows {seen}). Set max_rows to {len(names)}"
    listed = ", ".join(map(printed_name, names[seen : 2 * seen]))
    following = listed if len(listed) <= MAX_NEXT_CHARACTERS else listed[:MAX_NEXT_CHARACTERS].rpartition(", ")[0]
    is_clear = len(set(map(fold, names))) == len(names) and len(source) <= MAX_NEXT_CHARACTERS
    if not following or not is_clear:
        return (f"{said}, or SUMMARIZE a SELECT of fewer.",)
    return (f"{said}, or see the next ones:\n  SUMMARIZE SELECT {following} FROM {source}",)


def _told(column: Column, figures: Figures, spread: Spread) -> list[str]:
    if not figures.rows:
        return ["no rows"]
    told = [facts(column, figures).lstrip(": ")]
    is_key = kind_of(column.type) is Kind.INTEGER and figures.distinct == figures.rows
    if spread.quantiles and not is_key:
        _, q25, q50, q75, _ = spread.quantiles
        told.append(f"q25 {q25}, q50 {q50}, q75 {q75}")
    return [text for text in (*told, *_outliers(spread), *_warnings(column, figures)) if text] or ["no NULL"]


def _warnings(column: Column, figures: Figures) -> list[str]:
    """Without the column's name, which stands beside them."""
    nameless = msgspec.structs.replace(column, name="c")
    return [text.removeprefix("c ") for text in profile_of([nameless], (figures,)).warnings]


def _outliers(spread: Spread) -> list[str]:
    """How many values lie beyond each fence."""
    sides = ((spread.below, "below", spread.low_fence), (spread.above, "above", spread.high_fence))
    return [f"{count} outlier{'s' * (count > 1)} {where} {fence}" for count, where, fence in sides if count]


# --- one column -----------------------------------------------------------------------------------------------------

CLOSE_LOOK = ("fact", "value")


def close_look(column: Column, look: Look) -> Rows:
    """A row for each fact, then for each of the commonest values."""
    kind, (figures, spread) = kind_of(column.type), look
    rows: Rows = [
        ("column", column.name),
        ("type", short_type(column.type)),
        ("rows", str(figures.rows)),
        ("nulls", str(figures.rows - figures.present)),
    ]
    rows += [("distinct", str(figures.distinct))] if figures.distinct is not None else []
    rows += [("least", shortened(figures.low, MAX_EDGE_CHARACTERS))] if figures.low is not None else []
    rows += [(f"q{percent}", value) for percent, value in zip(PERCENTS, spread.quantiles, strict=False)]
    rows += [("greatest", shortened(figures.high, MAX_EDGE_CHARACTERS))] if figures.high is not None else []
    rows += [("odd", text) for text in _outliers(spread)]
    if figures.shortest is not None:
        unit = "bytes" if kind is Kind.TEXT else "elements"
        rows.append((unit, f"{figures.shortest}..{figures.longest}"))
    rows += [("days", f"{len(figures.days)}, {figures.days[0]}..{figures.days[-1]}")] if figures.days else []
    rows += [("odd", text) for text in _oddities(column, figures)]
    return [*rows, *_commonest(figures)]


def _commonest(figures: Figures) -> Rows:
    """Values that occur again, the commonest first, and how many more values there are."""
    told = [
        (f"{count} times", shortened(value, MAX_SHOWN_CHARACTERS)) for value, count in figures.values[:TOP] if count > 1
    ]
    more = len(figures.values) - len(told)
    return [*told, ("values", f"{more} more")] if told and more else told


def _oddities(column: Column, figures: Figures) -> list[str]:
    """Every spelling that falls together with another, and every gap, where a handle tells the first."""
    told = _warnings(column, figures)
    groups = collisions(figures.values) if kind_of(column.type) is Kind.TEXT else []
    told += [f"also {_spellings(group)}" for group in [group[2:] for group in groups[:1]] if group]
    told += [f"also {_spellings(group)}" for group in groups[1:MAX_GROUPS]]
    return told + [f"no rows on {days_text(*gap)}" for gap in gaps(figures.days)[1:]]


def _spellings(group: Sequence[tuple[str, int]]) -> str:
    told = [f"{value_text(value)} {count}" for value, count in group[:TOP]]
    return ", ".join([*told, f"{len(group) - TOP} more spellings"] if len(group) > TOP else told)
