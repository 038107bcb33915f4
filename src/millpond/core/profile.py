"""Profile: what the figures of a column tell in a handle: a few words beside its type, and a sentence where something is odd.

Rule: every figure was counted over all rows; what was not counted is not said. Values are cells of data: cut, and in quotes unless
they are one word; who prints them makes visible what is in them, as of any cell. Imports `core.clip`, `core.model`, `core.oddities`,
`core.sql` and msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from millpond.core.clip import shortened, shown
from millpond.core.model import Column
from millpond.core.oddities import collisions, gaps, is_number
from millpond.core.sql import printed_name

MAX_VALUES = 6
"""Values that are told with their counts, where a column has no more than these and there is room."""
COMMONEST = 3
"""Values that are told of a column with more than `MAX_VALUES`."""
MAX_NAMED_VALUES = 40
"""Values up to which the commonest are told; of more, how many there are."""
MAX_VALUE_CHARACTERS = 24
"""Of a value beside a column's type."""
MAX_NAME_CHARACTERS = 40
"""Of a column's name before a sentence."""
REPEATED = 2
"""How often the values of a column must occur in the mean to be told one by one."""
MIN_NUMBERS = 0.9
"""Share of numbers among texts from which the others are the odd ones."""

_WORD = re.compile(r"[^\W\d][\w-]*")
_INTEGER = re.compile(r"[A-Z]*INT(EGER)?|BIGNUM")
_TIMES = ("DATE", "TIMESTAMP")


class Kind(StrEnum):
    """How the values of a column are looked at."""

    INTEGER = "integer"
    FRACTION = "fraction"
    TEXT = "text"
    FLAG = "flag"
    TIME = "time"
    LIST = "list"
    OTHER = "other"
    """Objects, JSON and the like: only how many there are."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What was counted of one column, over all rows. What was not counted is None or empty."""

    rows: int
    present: int
    """Rows whose value is not NULL."""
    low: str | None = None
    high: str | None = None
    """The least and the greatest, cut; of DOUBLE among the finite ones, of texts by code points."""
    shortest: int | None = None
    longest: int | None = None
    """Bytes of a text, elements of a list."""
    elements: int | None = None
    """Of all lists together."""
    distinct: int | None = None
    values: tuple[tuple[str, int], ...] = ()
    """Every distinct value with how often it occurs, the commonest first; empty where they are many or long."""
    numbers: int | None = None
    """Texts that are numbers as JSON writes them."""
    nans: int = 0
    infinite: int = 0
    """Floating-point values that `low` and `high` leave out."""
    days: tuple[str, ...] = ()
    """The dates, as written, of a column that holds nothing but stamps; in order."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of a table: figures of its first columns, and what is odd in them."""

    figures: tuple[Figures, ...] = ()
    warnings: tuple[str, ...] = ()
    """One sentence each, without a full stop."""


def kind_of(sql_type: str) -> Kind:
    """How a column of this DuckDB type is looked at."""
    if sql_type.endswith("]"):
        return Kind.LIST if sql_type.endswith("[]") else Kind.OTHER
    if sql_type.startswith("DECIMAL") or sql_type in ("DOUBLE", "FLOAT"):
        return Kind.FRACTION
    if sql_type in ("VARCHAR", "BOOLEAN"):
        return Kind.TEXT if sql_type == "VARCHAR" else Kind.FLAG
    if sql_type.startswith(_TIMES):
        return Kind.TIME
    return Kind.INTEGER if _INTEGER.fullmatch(sql_type) else Kind.OTHER


def is_category(figures: Figures) -> bool:
    """Whether the values are few, and each occurs again and again."""
    distinct = figures.distinct or 0
    return bool(figures.values) and distinct <= MAX_NAMED_VALUES and REPEATED * distinct <= figures.present


# --- beside the type ------------------------------------------------------------------------------------------------


def facts(column: Column, figures: Figures, most: int = MAX_VALUES) -> str:
    """What stands behind a column's type, with what parts the two: ` 0..411, unique`, `: open 211, closed 201`; or nothing."""
    if not figures.present:
        return "" if column.note else " all NULL"
    if is_category(figures) and (said := _values(column, figures, most)):
        return ": " + ", ".join([*said, *_nulls(figures)])
    said = [*_range(column, figures), *_distinct(column, figures), *_nulls(figures)]
    return " " + ", ".join(said) if said else ""


def _values(column: Column, figures: Figures, most: int) -> list[str]:
    """The values with their counts: all where they are few, else the commonest where there is room; or none."""
    is_number = kind_of(column.type) in (Kind.INTEGER, Kind.FRACTION)
    write, between = (str, ": ") if is_number else (value_text, " ")
    if len(figures.values) == 1 and figures.present == figures.rows:
        return [f"always {write(figures.values[0][0])}"]
    more = max(0, len(figures.values) - most)
    if more and (is_number or most < MAX_VALUES):  # Of many numbers their range says more.
        return []
    told = figures.values[: COMMONEST if more else most]
    said = [f"{write(value)}{between}{count}" for value, count in told]
    return [*said, f"{len(figures.values) - len(told)} more values"] if more else said


def value_text(value: str) -> str:
    """A value as a word of its own, in quotes (those within it twice) where it would not look like one."""
    text = shortened(value, MAX_VALUE_CHARACTERS)
    return text if _WORD.fullmatch(text) else _quoted(value)


def _quoted(value: str) -> str:
    """In quotes always, so that a space at an end is seen."""
    return '"' + shortened(value, MAX_VALUE_CHARACTERS).replace('"', '""') + '"'


def _range(column: Column, figures: Figures) -> list[str]:
    kind = kind_of(column.type)
    if figures.days:
        first, last = figures.days[0], figures.days[-1]
        return [f"all of {first}" if first == last else f"{first}..{last}"]
    if kind is Kind.LIST and figures.longest is not None:
        return [f"{figures.shortest}..{figures.longest} elements"]
    if kind in (Kind.INTEGER, Kind.FRACTION) and figures.low is not None and figures.high is not None:
        is_always = figures.low == figures.high and not (figures.nans or figures.infinite)
        return [f"always {figures.low}" if is_always else f"{figures.low}..{figures.high}"]
    return []


def _distinct(column: Column, figures: Figures) -> list[str]:
    if figures.distinct is None or figures.rows < REPEATED:
        return []
    kind = kind_of(column.type)
    if figures.distinct == figures.rows and kind in (Kind.TEXT, Kind.INTEGER):
        return ["unique"]
    return [f"{figures.distinct} distinct"] if kind is Kind.TEXT else []


def _nulls(figures: Figures) -> list[str]:
    nulls = figures.rows - figures.present
    return [f"{nulls} NULL"] if nulls else []


# --- sentences of their own -----------------------------------------------------------------------------------------


def profile_of(columns: Sequence[Column], figures: tuple[Figures, ...]) -> Profile:
    """The profile of a table whose first columns have these figures."""
    said: list[str] = []
    for warn in (_collision, _text_number, _gap, _not_finite):
        for column, found in zip(columns, figures, strict=False):
            sentence = warn(column, found)
            if sentence is not None:
                said.append(f"{shown(printed_name(column.name), MAX_NAME_CHARACTERS)} {sentence}")
    return Profile(figures=figures, warnings=tuple(said))


def _collision(column: Column, figures: Figures) -> str | None:
    found = collisions(figures.values) if kind_of(column.type) is Kind.TEXT else []
    if not found:
        return None
    first, second = (f"{_quoted(value)} {count}" for value, count in found[0][:2])
    more = len(found[0]) - 2
    others = f", as {'does' if more == 1 else 'do'} {more} more spelling{'s' * (more > 1)}" if more else ""
    groups = _more(len(found) - 1, "such group")
    return f"has {first} and {second}, which differ only in case or space{others}{groups}"


def _text_number(column: Column, figures: Figures) -> str | None:
    """Texts that are numbers sort and compare as texts; those of one length (codes) do so as numbers would."""
    if not figures.numbers or column.note is not None or figures.shortest == figures.longest:
        return None
    others = figures.present - figures.numbers
    if not others:
        return "holds numbers as text: cast it before sorting, comparing or adding"
    if figures.numbers < MIN_NUMBERS * figures.present:
        return None
    odd = next((value for value, _ in figures.values if not is_number(value)), None)
    such = "" if odd is None else f" ({value_text(odd)})"
    return f"holds numbers as text, but for {others} of {figures.present}{such}: use TRY_CAST"


def _gap(column: Column, figures: Figures) -> str | None:
    found = gaps(figures.days)
    if not found:
        return None
    return f"has no rows on {days_text(*found[0])}{_more(len(found) - 1, 'gap')}"


def _not_finite(_: Column, figures: Figures) -> str | None:
    counts = [f"{count} {what}" for count, what in ((figures.nans, "NaN"), (figures.infinite, "infinite")) if count]
    if not counts:
        return None
    is_one = figures.nans + figures.infinite == 1
    return f"has {' and '.join(counts)} value{'s' * (not is_one)}, which range, quantiles and outliers leave out"


def _more(count: int, noun: str) -> str:
    return f", and {count} more {noun}{'s' * (count > 1)}" if count else ""


def days_text(first: str, last: str) -> str:
    """A day, or the first and the last of several."""
    return first if first == last else f"{first}..{last}"
