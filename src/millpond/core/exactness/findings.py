"""Findings: what the answers to questions tell of the figures that were shown.

Rule: exact arithmetic decides; where the figure that was shown is the exact one there is no finding. Imports
`core.numbers`, `core.trees` and this package's modules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from millpond.core import trees
from millpond.core.exactness import remedies
from millpond.core.exactness.doubts import Kind
from millpond.core.exactness.questions import Question, Site
from millpond.core.exactness.remedies import Finding, unchecked
from millpond.core.numbers import DOUBLE_INTEGERS, scale_of

_TOLERANCE = Fraction(1, 1 << 51)
"""How far, relatively, a figure in DOUBLE may be from the exact one: four times its rounding, so that 15 digits hold."""
_NO_ORDER = frozenset({"DOUBLE", "FLOAT", "JSON", "VARCHAR"})

Values = Sequence[Any]
Types = Sequence[str]


def findings(question: Question, types: Types, rows: Sequence[Values]) -> list[Finding]:
    """What an answer tells: the types of its columns, and its rows as Python values (BIGNUM as text). One finding a site at most."""
    found: list[Finding] = []
    start = 0
    for site, names in zip(question.sites, question.columns, strict=True):
        part = slice(start, start + len(names))
        start += len(names)
        judge = _JUDGES[site.doubt.kind]
        told = (judge(site, types[part], row[part]) for row in rows)
        found += [one for one in told if one is not None][:1]
    return found


def exact_value(value: Any) -> Fraction | None:
    """A cell as a number; a DOUBLE counts as what is shown of it, BIGNUM comes as text. None for what is no finite number."""
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else None
    if isinstance(value, (int, Decimal)):
        return Fraction(value)
    try:
        return Fraction(value) if isinstance(value, str) else None
    except ValueError:
        return None


def is_faithful(shown: Any, exact: Fraction | None) -> bool:
    """True where a figure is the exact one, or is a DOUBLE below 2^53 that differs past its 15th digit only."""
    value = exact_value(shown)
    if shown is None or exact is None or value == exact:
        return True
    if value is None:
        return False  # NaN or Infinity
    close = abs(exact) < DOUBLE_INTEGERS and abs(value - exact) <= abs(exact) * _TOLERANCE
    return isinstance(shown, float) and close


def _median(site: Site, types: Types, values: Values) -> Finding | None:
    lower, upper = exact_value(values[1]), exact_value(values[2])
    if lower is None or upper is None or types[1] in _NO_ORDER or is_faithful(values[0], (lower + upper) / 2):
        return None
    return remedies.median(site, types[1], upper - lower)


def _quantile(site: Site, types: Types, values: Values) -> Finding | None:
    low, high = exact_value(values[2]), exact_value(values[3])
    if low is None or high is None or types[2] in _NO_ORDER:
        return None
    if not site.fractions or (high - low) * 10 ** (scale_of(types[2]) + site.scale) >= DOUBLE_INTEGERS:
        return unchecked(site)[0]
    pairs = zip(_several(values[0]), _several(values[1]), strict=True)
    return (
        None
        if all(is_faithful(shown, exact_value(finer)) for shown, finer in pairs)
        else remedies.quantile(site, types[2])
    )


def _several(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _mean(site: Site, types: Types, values: Values) -> Finding | None:
    shown, total, count, compensated = values
    if types[1] == "DOUBLE":
        return None if shown == compensated else remedies.drift(site, "favg")
    exact = exact_value(total)
    return None if exact is None or is_faithful(shown, exact / count) else remedies.mean(site, types[1])


def _sum(site: Site, types: Types, values: Values) -> Finding | None:
    return None if types[0] != "DOUBLE" or values[0] == values[1] else remedies.drift(site, "fsum")


def _spread(site: Site, types: Types, values: Values) -> Finding | None:
    low, high = exact_value(values[0]), exact_value(values[1])
    if low is None or high is None or low == high or types[0] in _NO_ORDER:
        return None
    units = 10 ** scale_of(types[0])
    rounded = not (_is_double(low * units) and _is_double(high * units))
    close = (high - low) * 8 < max(abs(low), abs(high)) or (high - low) * units < DOUBLE_INTEGERS
    return remedies.spread(site, str(values[0])) if rounded and close else None


def _is_double(value: Fraction) -> bool:
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False


def _text(site: Site, types: Types, values: Values) -> Finding | None:
    by_alphabet, by_value, texts, numbers, digits = values
    if not texts or texts != numbers or by_alphabet == by_value:
        return None
    return remedies.text(site, min(digits or 0, 18))


def _order(site: Site, types: Types, values: Values) -> Finding | None:
    by_alphabet, by_value, texts, numbers, digits = values
    if texts < 2 or texts != numbers or by_alphabet == by_value:
        return None
    return remedies.order(site, min(digits or 0, 18))


def _narrow(site: Site, types: Types, values: Values) -> Finding | None:
    return None if is_faithful(values[0], exact_value(values[1])) else remedies.narrow(site)


def _length(site: Site, types: Types, values: Values) -> Finding | None:
    return remedies.length(site) if types[2] == "JSON" and values[1] and values[0] != values[1] else None


def _offset(site: Site, types: Types, values: Values) -> Finding | None:
    with_offset, in_utc = values
    return remedies.offset(site) if with_offset and not in_utc else None


def _arithmetic(site: Site, types: Types, values: Values) -> Finding | None:
    left, *rest = map(exact_value, values[1:])
    right = rest[0] if rest else Fraction(1)
    if left is None or right is None:
        return None
    exact = _OPERATORS[trees.name_of(site.call)](left, right)
    return None if is_faithful(values[0], exact) else remedies.arithmetic(site, bignum="BIGNUM" in types)


def _truncated(left: Fraction, right: Fraction) -> Fraction | None:
    return Fraction(math.trunc(left / right)) if right else None


def _rest(left: Fraction, right: Fraction) -> Fraction | None:
    return left - right * math.trunc(left / right) if right else None


_OPERATORS: dict[str, Callable[[Fraction, Fraction], Fraction | None]] = {
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right if right else None,
    "//": _truncated,
    "%": _rest,
    "abs": lambda left, _: abs(left),
}
_JUDGES: dict[Kind, Callable[[Site, Types, Values], Finding | None]] = {
    Kind.MEDIAN: _median,
    Kind.QUANTILE: _quantile,
    Kind.MEAN: _mean,
    Kind.SUM: _sum,
    Kind.SPREAD: _spread,
    Kind.TEXT: _text,
    Kind.ARITHMETIC: _arithmetic,
    Kind.LENGTH: _length,
    Kind.NARROW: _narrow,
    Kind.ORDER: _order,
    Kind.OFFSET: _offset,
}
