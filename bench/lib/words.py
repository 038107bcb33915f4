"""Words: how a figure is written for a reader.

Rule: three significant digits at most, a unit that fits, and a dash for what was not measured. Imports the standard library only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

NOTHING = "-"
MOST_DECIMALS = 3
_figure = re.compile(r"-?(?:\d|$)")


def number(value: float) -> str:
    """With three significant digits, and commas."""
    if math.isnan(value):
        return NOTHING
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{min(2 - math.floor(math.log10(abs(value))), MOST_DECIMALS)}f}"


def milliseconds(value: float) -> str:
    """As milliseconds or seconds."""
    if math.isnan(value):
        return NOTHING
    return f"{number(value / 1e3)} s" if value >= 1e3 else f"{number(value)} ms"


def times(value: float) -> str:
    """As a ratio."""
    return NOTHING if math.isnan(value) else f"{number(value)}x"


def unit(value: float, name: str) -> str:
    """With the name of what is counted."""
    return NOTHING if math.isnan(value) else f"{number(value)} {name}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a column of figures is set to the right."""
    rows = tuple(rows)
    marks = ["---:" if rows and all(_figure.match(row[at]) for row in rows) else "---" for at in range(len(head))]
    return "\n".join((_row(head), f"|{'|'.join(marks)}|", *map(_row, rows)))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
