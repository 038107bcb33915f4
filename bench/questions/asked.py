"""Asked: what a question is, and a few words that answers in plain Python share.

Rule: nothing here knows SQL or Millpond. Numbers are `int` and `Fraction`, as they stand in the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one or more results."""

    text: str
    sql: str
    """As an agent would write it; `{name}` stands for the table of the source of that name."""
    answer: Callable[..., Any]
    """Computed from the rows of `of`, one argument each: a value, or a list of values or tuples in a given order."""
    of: tuple[str, ...]
    """The sources that it needs."""
    trap: str = ""
    """Why a reading by eye goes wrong, where it does."""


def ask(*of: str) -> Callable[..., Question]:
    """A maker of questions about these sources: `ask("movies")(text, sql, answer, trap="")`."""

    def make(text: str, sql: str, answer: Callable[..., Any], trap: str = "") -> Question:
        return Question(text, sql, answer, of, trap)

    return make


def mean(values: Iterable[Any]) -> Fraction:
    """The exact mean of numbers."""
    found = [Fraction(value) for value in values]
    return sum(found, Fraction(0)) / len(found)


def median(values: Iterable[Any]) -> Fraction:
    """The exact median of numbers."""
    found = sorted(Fraction(value) for value in values)
    half = len(found) // 2
    return found[half] if len(found) % 2 else (found[half - 1] + found[half]) / 2


def total(values: Iterable[Any]) -> Fraction:
    """The exact sum of numbers."""
    return sum((Fraction(value) for value in values), Fraction(0))


def there(values: Iterable[Any]) -> list[Any]:
    """Those that are not null."""
    return [value for value in values if value is not None]


def column(rows: Rows, name: str) -> list[Any]:
    """A column's values that are not null."""
    return there(row.get(name) for row in rows)


def top(counts: dict[Any, Any] | Counter[Any], most: int = 1) -> list[tuple[Any, Any]]:
    """The largest, and of equal ones the first by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]


def largest(rows: Sequence[Row], key: Callable[[Row], Any]) -> Row:
    """The row with the largest key; there is one."""
    return max(rows, key=key)


def sums(rows: Rows, by: str, of: str) -> dict[Any, Fraction]:
    """Sums of one column by the values of another."""
    found: dict[Any, Fraction] = {}
    for row in rows:
        found[row[by]] = found.get(row[by], Fraction(0)) + Fraction(row[of] or 0)
    return found
