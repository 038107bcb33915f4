"""Numbers: what DOUBLE and DECIMAL hold exactly, and what a DECIMAL's type tells of it.

Rule: facts of the types, no value is judged here. Imports the standard library only.
"""

from __future__ import annotations

import re

DOUBLE_INTEGERS = 1 << 53
"""Integers up to this are doubles without loss."""
DOUBLE_DIGITS = 15
"""A decimal of so many significant digits comes back from a double (C's DBL_DIG)."""
DECIMAL_DIGITS = 38
"""Of DuckDB's widest DECIMAL."""

_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def decimal_parts(kind: str) -> tuple[int, int] | None:
    """Digits and scale of a DECIMAL's type; None for another type."""
    found = _DECIMAL.fullmatch(kind)
    return (int(found[1]), int(found[2])) if found else None


def scale_of(kind: str) -> int:
    """The digits after the point that values of a type have; 0 where there is no such number."""
    parts = decimal_parts(kind)
    return parts[1] if parts else 0


def sum_fits(kind: str, rows: int) -> bool:
    """Whether this is a DECIMAL, and the sum of so many stays within the digits that DuckDB has for it."""
    parts = decimal_parts(kind)
    return parts is not None and parts[0] + len(str(rows)) <= DECIMAL_DIGITS
