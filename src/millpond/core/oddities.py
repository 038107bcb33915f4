"""Oddities: what makes figures mislead: spellings that fall together, numbers among texts, days that are missing.

Rule: each is decided from all the values that are given, never from some of them. Imports the standard library only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise

NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
"""A number as JSON writes it, without an exponent: `007` and `1,5` are texts. Read alike by Python and by DuckDB."""
_DAYS = (
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])"
)
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
STAMP = f"(?:[0-9]{{4}}-(?:{_DAYS})|{_LEAP_YEAR}-02-29)(?:[T ]{_TIME})?"
"""A date of the calendar or a stamp on one, as ISO 8601 writes it. Read alike by Python and by DuckDB."""
MIN_DAYS = 10
"""Days from which one can tell that others are missing."""
USUAL_PERCENT = 90
"""The usual step between two days is one that so many of all steps do not exceed."""
GAP_STEPS = 3
"""Usual steps that a gap is as long as; where days follow one another, one day is enough."""
MAX_GAPS = 3

_number = re.compile(NUMBER)
_stamp = re.compile(STAMP)


def is_number(text: str) -> bool:
    """True for a number as JSON writes it, without an exponent."""
    return _number.fullmatch(text) is not None


def is_stamp(text: str) -> bool:
    """True for a date or a stamp of ISO 8601, of a day that there is."""
    return _stamp.fullmatch(text) is not None


def spelling(text: str) -> str:
    """What is left of a text where case and white space do not count; case as DuckDB's `lower` takes it, letter by letter."""
    words = " ".join(text.split())
    return words.lower() if words.isascii() else words.replace("İ", "i").replace("Σ", "σ").lower()


def collisions(values: Iterable[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """The groups of distinct values (each with its count) that differ only in case or space.

    Groups come in the order of their first values, and in each the commonest come first.
    """
    groups: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for value, count in values:
        groups[spelling(value)].append((value, count))
    return [sorted(group, key=lambda one: -one[1]) for key, group in groups.items() if key and len(group) > 1]


def gaps(days: Sequence[str]) -> list[tuple[str, str]]:
    """The first and last missing day of each gap between distinct days in order, the longest first.

    A gap is a step at least `GAP_STEPS` times the usual one, or more than a day where days usually follow one another; where there
    are more than `MAX_GAPS`, the days just come irregularly. Nothing is said of days that no calendar has.
    """
    if len(days) < MIN_DAYS:
        return []
    try:
        dates = [date.fromisoformat(day) for day in days]
    except ValueError:
        return []
    steps = [(after - before).days for before, after in pairwise(dates)]
    usual = sorted(steps)[-(-len(steps) * USUAL_PERCENT // 100) - 1]
    least = 2 if usual == 1 else GAP_STEPS * usual
    found = [(step, before) for step, before in zip(steps, dates, strict=False) if step >= least]
    if len(found) > MAX_GAPS:
        return []
    found.sort(key=lambda gap: (-gap[0], gap[1]))
    day = timedelta(1)
    return [((before + day).isoformat(), (before + step * day - day).isoformat()) for step, before in found]
