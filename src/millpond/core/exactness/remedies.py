"""Remedies: what is told of an expression that is not exact, and the expressions that are.

Rule: a note names the expression, what is lost and what gives it exactly, as SQL that runs in its place; never a value of the data.
Imports `core.numbers`, `core.trees`, this package's `doubts` and `questions`, and msgspec.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

import msgspec

from millpond.core import trees
from millpond.core.exactness.doubts import INTEGERS, Doubt, Kind
from millpond.core.exactness.questions import Site
from millpond.core.numbers import DECIMAL_DIGITS, DOUBLE_DIGITS, DOUBLE_INTEGERS, decimal_parts
from millpond.core.trees import Node

_INTEGER_DIGITS = {"BIGINT": 19, "UBIGINT": 20}
_HALVES = ("0.5", "-0.5")
_MEAN_OF_LOGARITHMS = ("avg", "is exp(avg(ln(x))), computed in DOUBLE; exp(favg(ln(x))) drifts less")
_SUM_OF_WEIGHTED = ("sum", "is sum(x * w) / sum(w), which adds DOUBLE values one by one; fsum drifts less")
MACROS = {
    "geomean": _MEAN_OF_LOGARITHMS,
    "geometric_mean": _MEAN_OF_LOGARITHMS,
    "wavg": _SUM_OF_WEIGHTED,
    "weighted_avg": _SUM_OF_WEIGHTED,
}
"""Functions that DuckDB replaces with others: the aggregate in each, and what is said of it (contract test)."""


class Finding(msgspec.Struct, frozen=True):
    """What is said of one expression."""

    call: Node
    lost: str
    """What happens to it, as the rest of a sentence."""
    remedy: str
    """What to do, with `{0}` and `{1}` for the others as SQL."""
    others: tuple[Node, ...] = ()
    checked: bool = True
    """False where the data was not asked, so that it holds for some values only."""

    @property
    def expressions(self) -> tuple[Node, ...]:
        """The trees that are to be printed as SQL for `note`."""
        return tuple(trees.select_of({**node, "alias": ""}) for node in (self.call, *self.others))

    def note(self, printed: Sequence[str]) -> str:
        """The sentences, from the printed `expressions`."""
        call, *others = (text.removeprefix("SELECT ") for text in printed)
        head = (
            f"{call} {self.lost}."
            if self.checked
            else f"{call}, not checked on the data: for some values it {self.lost}."
        )
        return f"{head} {self.remedy.format(*others)}"


def unchecked(site: Site) -> list[Finding]:
    """What is said of a site that no question reached: of texts nothing, for they are seldom numbers."""
    general = _GENERAL.get(site.doubt.kind)
    return [] if general is None else [msgspec.structs.replace(general(site), checked=False)]


def unplaced(doubt: Doubt, called: Collection[str]) -> list[str]:
    """What is said of a function that the statement calls under another name, of all those that it calls."""
    macros = sorted(name for name, (function, _) in MACROS.items() if name in called and function == doubt.function)
    if macros:
        return [f"{name} is not exact for every value: it {MACROS[name][1]}." for name in macros]
    lost = _NAMELESS.get(doubt.kind)
    return [] if lost is None else [f"{doubt.function} of {doubt.type} is not exact for every value: it {lost}."]


def median(site: Site, kind: str, spread: Fraction | None) -> Finding:
    """Of values of this type; `spread` is how far apart the two middle ones are, for DuckDB finds the middle in DOUBLE."""
    middles = [trees.with_call(site.call, "quantile_disc", site.argument, trees.number(half)) for half in _HALVES]
    if kind == "BIGNUM":
        return Finding(site.call, "is the lower of two middle values", "Both, exactly: {0} and {1}", tuple(middles))
    digits, scale = _digits(kind)
    if digits + 2 >= DECIMAL_DIGITS:
        return Finding(site.call, _lost(kind), "The two middle values, exactly: {0} and {1}", tuple(middles))
    if digits < DOUBLE_DIGITS or (spread is not None and spread * 10 ** (scale + 1) < DOUBLE_INTEGERS):
        finer = trees.cast(site.argument, "DECIMAL", digits + 1, scale + 1)
        return Finding(site.call, _lost(kind), "Exact: {0}", (trees.with_call(site.call, "median", finer),))
    wide = [trees.cast(middle, "DECIMAL", digits + 1, scale) for middle in middles]
    half = trees.call("*", trees.call("+", *wide, operator=True), trees.number(_HALVES[0]), operator=True)
    return Finding(site.call, _lost(kind), "Exact: {0}", (half,))


def quantile(site: Site, kind: str) -> Finding:
    """Of values of this type."""
    fractions = trees.arguments(site.call)[1:]
    there = trees.with_call(site.call, "quantile_disc", site.argument, *fractions)
    digits, scale = _digits(kind)
    more = site.scale or 2
    if digits + more > DECIMAL_DIGITS or kind == "BIGNUM":
        return Finding(site.call, _lost(kind), "The value at or below it, exactly: {0}", (there,))
    wide = trees.cast(site.argument, "DECIMAL", digits + more, scale + more)
    finer = trees.with_call(site.call, site.doubt.function, wide, *fractions)
    return Finding(site.call, _lost(kind), "With the digits it needs: {0}", (finer,))


def mean(site: Site, kind: str) -> Finding:
    """Of values of this type."""
    if kind in ("DOUBLE", "FLOAT"):
        return drift(site, "favg")
    parts = tuple(trees.with_call(site.call, name, site.argument) for name in ("sum", "count"))
    return Finding(site.call, "is computed in DOUBLE, which rounds it", "Exact: {0} divided by {1}", parts)


def drift(site: Site, better: str) -> Finding:
    """Of DOUBLE values; `better` makes up for the rounding of each step."""
    other = trees.with_call(site.call, better, site.argument)
    return Finding(site.call, "drifts, for it adds DOUBLE values one by one", "Without the drift: {0}", (other,))


def spread(site: Site, least: str) -> Finding:
    """Of integers and decimals that DOUBLE does not hold; `least` is the least of them, "" where it is not known."""
    lost = "rounds its values to DOUBLE first"
    if not least:
        near = trees.call("min", site.argument)
        return Finding(
            site.call, lost, "Subtract a constant near {0} from each value: that changes no deviation", (near,)
        )
    shifted = trees.call("-", site.argument, trees.number(least), operator=True)
    exact = trees.with_call(site.call, trees.name_of(site.call), shifted)
    return Finding(site.call, lost, "The same of smaller values: {0}", (exact,))


def text(site: Site, scale: int) -> Finding:
    """Of texts that are numbers with up to so many digits after the point."""
    halved = site.doubt.function == "median"
    as_number = trees.cast(site.argument, "DECIMAL", DECIMAL_DIGITS, scale + halved, trying=True)
    return Finding(
        site.call, "orders numbers that are text by the alphabet", "As numbers: {0}", (site.keyed(as_number),)
    )


def order(site: Site, scale: int) -> Finding:
    """Of rows that are sorted by texts which are numbers with up to so many digits after the point."""
    as_number = trees.cast(site.argument, "DECIMAL", DECIMAL_DIGITS, scale, trying=True)
    return Finding(
        site.call, "sorts as text, by the alphabet, though all of it is numbers", "As numbers: {0}", (as_number,)
    )


def narrow(site: Site) -> Finding:
    """Of a number that was made FLOAT, or a text that was made an integer."""
    to_integer = site.is_cast and str(site.call["type_expr"]["type_name"]).upper() in INTEGERS
    lost = "rounds texts that have a fraction" if to_integer else "is computed in FLOAT, which holds 7 digits"
    return Finding(site.call, lost, "With 15 digits: {0}", (site.widened(),))


def arithmetic(site: Site, *, bignum: bool) -> Finding:
    """Of integers past what DOUBLE holds."""
    lost = "is computed in DOUBLE, which holds 15 to 17 digits"
    name, operands = trees.name_of(site.call), trees.arguments(site.call)
    fitting = [one if trees.literal(one) or not bignum else trees.cast(one, "HUGEINT", trying=True) for one in operands]
    exact = ("//", "%") if name == "/" else (name,)
    others = tuple(trees.with_call(site.call, one, *fitting) for one in exact)
    whole = "the whole part and the rest are exact: {0} and {1}" if name == "/" else "it is exact: {0}"
    where = "BIGNUM is exact under + - sum min max; where 38 digits suffice," if bignum else "Of integers,"
    return Finding(site.call, lost, f"{where} {whole}", others)


def length(site: Site) -> Finding:
    """Of lists that are kept as JSON."""
    elements = trees.with_call(site.call, "json_array_length", site.argument)
    return Finding(site.call, "counts the characters of the JSON text", "The elements: {0}", (elements,))


def offset(site: Site) -> Finding:
    """Of texts with an offset from UTC."""
    instant = trees.cast(site.argument, "TIMESTAMPTZ")
    return Finding(site.call, "drops the offset from UTC that texts have", "The instant: {0}", (instant,))


def _digits(kind: str) -> tuple[int, int]:
    return decimal_parts(kind) or (_INTEGER_DIGITS.get(kind, DECIMAL_DIGITS), 0)


def _lost(kind: str) -> str:
    if decimal_parts(kind):
        return f"is cut to the scale of {kind}"
    return "is computed in DOUBLE, which rounds integers past 2^53"


_GENERAL: dict[Kind, Callable[[Site], Finding]] = {
    Kind.MEDIAN: lambda site: median(site, site.doubt.type, None),
    Kind.QUANTILE: lambda site: quantile(site, site.doubt.type),
    Kind.MEAN: lambda site: mean(site, site.doubt.type),
    Kind.SUM: lambda site: drift(site, "fsum"),
    Kind.SPREAD: lambda site: spread(site, ""),
    Kind.ARITHMETIC: lambda site: arithmetic(site, bignum=site.doubt.type == "BIGNUM"),
    Kind.OFFSET: offset,
}
_NAMELESS: dict[Kind, str] = {
    Kind.MEDIAN: "is cut to the scale, or computed in DOUBLE; a cast to one more digit of scale keeps the middle",
    Kind.QUANTILE: "is cut to the scale, or computed in DOUBLE; quantile_disc is exact",
    Kind.MEAN: "is computed in DOUBLE; sum and count are exact but for DOUBLE, where favg drifts less",
    Kind.SUM: "adds DOUBLE values one by one; fsum drifts less",
    Kind.SPREAD: "rounds its values to DOUBLE first",
    Kind.ARITHMETIC: "is computed in DOUBLE, which holds 15 to 17 digits; + - sum min max of BIGNUM are exact",
    Kind.NARROW: "is computed in FLOAT, which holds 7 digits; DOUBLE holds 15",
    Kind.OFFSET: "drops the offset from UTC that texts have; TIMESTAMPTZ keeps the instant",
}
