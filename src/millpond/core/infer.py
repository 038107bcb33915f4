"""Infer: all the values of a column become the type that holds every one of them exactly, and the way to load it.

Rule: the type is chosen here, never by a cast. Imports `core.names`, `core.numbers`, `core.observe` and msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from millpond.core.names import fold, quote
from millpond.core.numbers import DECIMAL_DIGITS
from millpond.core.observe import Observed

BIGINT_LOW, BIGINT_HIGH = -(1 << 63), (1 << 63) - 1
HUGEINT_LOW, HUGEINT_HIGH = -(1 << 127), (1 << 127) - 1
MAX_STRUCT_DEPTH = 8
"""Nesting up to which objects and lists are STRUCT and LIST; deeper ones stay JSON."""

STAMPS = "ISO 8601"
"""The note of a column whose every value is a date or a stamp of that form."""


class Route(StrEnum):
    """How the cells of a column reach DuckDB."""

    DIRECT = "direct"
    """DuckDB's `from_json` reads them from the row's own text."""
    TEXT = "text"
    """Numbers, booleans and strings as their own text, then cast: nothing is written anew on the way."""
    JSON = "json"
    """Each cell's JSON text, as it came."""


class ColumnType(msgspec.Struct, frozen=True, kw_only=True):
    """The type of a column and how its cells are read."""

    sql: str
    """DuckDB's type: `DECIMAL(5,2)`."""
    route: Route
    spec: Any = None
    """The structure `from_json` takes, for `DIRECT`: `{"login": "VARCHAR"}`."""
    exact: bool = True
    note: str | None = None
    exponents: bool = False
    """True where some number is written with an exponent, which `from_json` must not see."""


def infer(seen: Observed) -> ColumnType:
    """The type for everything that was seen in a column."""
    return msgspec.structs.replace(_infer(seen), exponents=seen.has_exponents())


def _infer(seen: Observed) -> ColumnType:
    kinds = _kinds(seen)
    if not kinds:
        return ColumnType(sql="VARCHAR", spec="VARCHAR", route=Route.DIRECT, note="no values")
    if kinds <= {"boolean", "number", "string"}:
        return _scalar(seen, kinds)
    if (nested := _nested(seen, 0)) is not None:
        sql, spec = nested
        if sql != "JSON":
            return ColumnType(sql=sql, spec=spec, route=Route.DIRECT)
    return ColumnType(sql="JSON", route=Route.JSON, note=_json_note(kinds))


def _kinds(seen: Observed) -> set[str]:
    counts = {
        "boolean": seen.booleans,
        "number": seen.fractions + seen.integers,
        "string": seen.strings,
        "list": seen.lists,
        "object": seen.objects,
    }
    return {kind for kind, count in counts.items() if count}


def _scalar(seen: Observed, kinds: set[str]) -> ColumnType:
    if len(kinds) > 1:
        return ColumnType(sql="VARCHAR", route=Route.TEXT, exact=False, note="mixed " + ", ".join(sorted(kinds)))
    if kinds == {"string"}:
        return ColumnType(sql="VARCHAR", spec="VARCHAR", route=Route.DIRECT, note=STAMPS if seen.stamps else None)
    if kinds == {"boolean"}:
        return ColumnType(sql="BOOLEAN", spec="BOOLEAN", route=Route.DIRECT)
    return number(seen)


def number(seen: Observed) -> ColumnType:
    """The type of a column that holds numbers only."""
    if not seen.fractions:
        sql = _integer(seen)
        return ColumnType(sql=sql, spec=sql, route=Route.DIRECT if sql != "BIGNUM" else Route.TEXT)
    survives = seen.numbers_survive and seen.integers_survive
    whole = max(seen.whole_digits, _integer_digits(seen))
    width = whole + seen.fraction_digits
    noise = survives and seen.long_fraction
    if width <= DECIMAL_DIGITS and not noise and not seen.nonfinite:
        sql = f"DECIMAL({max(width, 1)},{seen.fraction_digits})"
        return ColumnType(sql=sql, spec=sql, route=Route.DIRECT)
    if survives:
        return ColumnType(
            sql="DOUBLE",
            spec="DOUBLE",
            route=Route.DIRECT,
            exact=False,
            note="NaN or Infinity among them" if seen.nonfinite else None,
        )
    return _text_of_numbers("numbers too long for DECIMAL and DOUBLE")


def _text_of_numbers(why: str) -> ColumnType:
    return ColumnType(sql="VARCHAR", route=Route.TEXT, exact=True, note=f"{why}, kept as text")


def _integer(seen: Observed) -> str:
    low, high = seen.low or 0, seen.high or 0
    if low >= BIGINT_LOW and high <= BIGINT_HIGH:
        return "BIGINT"
    return "HUGEINT" if low >= HUGEINT_LOW and high <= HUGEINT_HIGH else "BIGNUM"


def _integer_digits(seen: Observed) -> int:
    largest = max(abs(seen.low or 0), abs(seen.high or 0))
    return len(str(largest)) if largest else 0


def _nested(seen: Observed, depth: int) -> tuple[str, Any] | None:
    """DuckDB's type and `from_json`'s structure, or None where the cell must stay the JSON text that came."""
    kinds = _kinds(seen)
    if not kinds:
        return "VARCHAR", "VARCHAR"
    if len(kinds) == 1:
        if kinds == {"list"}:
            return _list(seen, depth)
        if kinds == {"object"}:
            return _struct(seen, depth)
        kind = _scalar(seen, kinds)
        return (kind.sql, kind.spec) if kind.route is Route.DIRECT else None
    if not _written_back_as_it_was(seen):
        return None
    return ("VARCHAR", "VARCHAR") if kinds <= {"boolean", "number", "string"} else ("JSON", "JSON")


def _list(seen: Observed, depth: int) -> tuple[str, Any] | None:
    assert seen.elements is not None
    if depth >= MAX_STRUCT_DEPTH:
        return _json(seen)
    inner = _nested(seen.elements, depth + 1)
    return None if inner is None else (f"{inner[0]}[]", [inner[1]])


def _struct(seen: Observed, depth: int) -> tuple[str, Any] | None:
    if depth >= MAX_STRUCT_DEPTH or seen.too_wide or not _fit_for_fields(list(seen.fields)):
        return _json(seen)
    fields: dict[str, tuple[str, Any]] = {}
    for key, field in seen.fields.items():
        inner = _nested(field, depth + 1)
        if inner is None:
            return None
        fields[key] = inner
    sql = ", ".join(f"{quote(key)} {inner[0]}" for key, inner in fields.items())
    return f"STRUCT({sql})", {key: inner[1] for key, inner in fields.items()}


def _json(seen: Observed) -> tuple[str, Any] | None:
    return ("JSON", "JSON") if _written_back_as_it_was(seen) else None


def _fit_for_fields(keys: Sequence[str]) -> bool:
    """True where a STRUCT can hold these keys: some, none empty, no NUL, no two alike but for ASCII case."""
    folded = {fold(key) for key in keys}
    return bool(keys) and len(folded) == len(keys) and all(key and "\0" not in key for key in keys)


def _written_back_as_it_was(seen: Observed) -> bool:
    """True where DuckDB's JSON writes these values as they came: it keeps integers of 64 bits, not `1.10` or `1e2`."""
    if seen.fractions or seen.too_wide or (seen.low is not None and _integer(seen) != "BIGINT"):
        return False
    below = [*seen.fields.values(), *([seen.elements] if seen.elements else [])]
    return all(map(_written_back_as_it_was, below))


def _json_note(kinds: set[str]) -> str | None:
    return "mixed " + ", ".join(sorted(kinds)) if len(kinds) > 1 else None
