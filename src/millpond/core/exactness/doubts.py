"""Doubts: which functions of a bound plan can give less than the exact value, by the types of their arguments.

Rule: types alone are looked at; what is exact or correctly rounded for every value of a type is no doubt. Imports `core.numbers`,
`core.values` and msgspec.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from millpond.core.numbers import DOUBLE_DIGITS, DOUBLE_INTEGERS
from millpond.core.values import is_list, is_object, member, objects


class Kind(StrEnum):
    """What may be lost."""

    MEDIAN = "median"
    """The middle of two values is cut to the scale, or computed in DOUBLE, or is the lower one (BIGNUM)."""
    QUANTILE = "quantile"
    """The same for any other place between two values."""
    MEAN = "mean"
    """A quotient in DOUBLE; of DOUBLE values, one whose sum has drifted."""
    SUM = "sum"
    """A sum of DOUBLE values, which drifts."""
    SPREAD = "spread"
    """A deviation or variance of values that DOUBLE rounds before they are used."""
    TEXT = "text"
    """The order of texts, where all of them are numbers."""
    ARITHMETIC = "arithmetic"
    """A quotient of large numbers, or a product, rest or absolute value of BIGNUM: computed in DOUBLE."""
    NARROW = "narrow"
    """A number cast to FLOAT, which holds 7 digits, or a text cast to integers, which hold no fraction."""
    ORDER = "order"
    """Rows in the order of texts, where all of them are numbers."""
    LENGTH = "length"
    """The characters of a JSON text, where its elements are as likely meant."""
    OFFSET = "offset"
    """A text with an offset from UTC, cast to a type without one."""


class Doubt(msgspec.Struct, frozen=True):
    """A function that may give less than the exact value for some values of this type."""

    kind: Kind
    function: str
    type: str
    """The type of what it is called on: `DECIMAL(18,2)`."""


class Doubts(msgspec.Struct, frozen=True):
    """What a plan leaves open."""

    found: frozenset[Doubt] = frozenset()
    aggregates: frozenset[str] = frozenset()
    """The names of all aggregates in it: where one stands, an expression is of a group and not of a row."""


_QUANTILES = {"median": Kind.MEDIAN, "quantile_cont": Kind.QUANTILE}
_SPREADS = frozenset({"stddev", "stddev_pop", "stddev_samp", "var_pop", "var_samp", "variance"})
_ORDERED = frozenset({"max", "median", "min", "quantile", "quantile_disc"})
ORDERED_BY_SECOND = frozenset({"arg_max", "arg_min", "argmax", "argmin", "max_by", "min_by"})
"""Aggregates whose second argument tells which value of the first they give."""
_ADDED = frozenset({"avg", "favg", "fsum", "mean", "sum"})
INTEGERS = frozenset({"BIGINT", "HUGEINT", "INTEGER", "SMALLINT", "TINYINT", "UBIGINT", "UINTEGER"})
"""Types that a text's fraction is rounded away for."""
_LENGTHS = frozenset({"len", "length"})
_ARITHMETIC = frozenset({"%", "*", "/", "//", "abs"})
_WIDE = frozenset({"BIGINT", "BIGNUM", "HUGEINT", "UBIGINT", "UHUGEINT"})
_FLOATS = frozenset({"DOUBLE", "FLOAT"})
_TYPES_AND_NAMES = frozenset({"column_indexes", "names", "return_type", "returned_types", "type_info"})
"""Members of a plan that hold no expressions, and of a wide table most of it."""
WITHOUT_OFFSET = frozenset({"DATE", "DATETIME", "TIME", "TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP_S"})
"""Types that a text's offset is dropped for."""


def doubts(plan: dict[str, Any]) -> Doubts:
    """What a plan of `json_serialize_plan` leaves open; for what SUMMARIZE computes, which is approximate by its name, nothing."""
    found: set[Doubt] = set()
    aggregates: set[str] = set()
    for node in _expressions(plan.get("plans")):
        name = _name(node)
        if node["expression_class"] in ("BOUND_AGGREGATE", "BOUND_WINDOW"):
            aggregates.add(name)
            found |= _of_aggregate(name, node)
        elif node["expression_class"] == "BOUND_FUNCTION":
            found |= _of_scalar(name, node)
    if any(_orders_texts(node) for node in objects(plan.get("plans"), _TYPES_AND_NAMES)):
        found.add(Doubt(Kind.ORDER, "order", "VARCHAR"))
    return Doubts(frozenset(found), frozenset(aggregates))


def relevant(doubts: Doubts, rows: Sequence[Sequence[Any]]) -> Doubts:
    """The doubts that are left when the answer's rows are known.

    A quotient of exact numbers is right to 15 digits, so it can only be wrong in a figure that has more of them before its point.
    """
    if any(_is_large(cell) for row in rows for cell in row):
        return doubts
    left = (doubt for doubt in doubts.found if not _is_quotient(doubt))
    return msgspec.structs.replace(doubts, found=frozenset(left))


def _is_quotient(doubt: Doubt) -> bool:
    exact = doubt.type not in _FLOATS and doubt.type != "BIGNUM"
    return exact and (doubt.kind is Kind.MEAN or (doubt.kind is Kind.ARITHMETIC and doubt.function == "/"))


def _is_large(cell: Any) -> bool:
    if is_list(cell):
        return any(map(_is_large, cell))
    return isinstance(cell, (int, float, Decimal)) and not abs(cell) < DOUBLE_INTEGERS


def _of_aggregate(name: str, node: dict[str, Any]) -> set[Doubt]:
    argument = _argument_type(node)
    if argument is None:
        return set()
    identity, digits, printed = argument
    wide = identity in _WIDE or (identity == "DECIMAL" and digits > DOUBLE_DIGITS)
    kinds = {
        _QUANTILES.get(name): identity in _WIDE or identity == "DECIMAL",
        Kind.MEAN if name in ("avg", "mean") else None: wide or identity in _FLOATS,
        Kind.SUM if name == "sum" else None: identity in _FLOATS,
        Kind.SPREAD if name in _SPREADS else None: wide,
        Kind.NARROW if name in _ADDED else None: identity == "FLOAT",
        Kind.TEXT if name in _ORDERED else None: identity == "VARCHAR",
    }
    found = {Doubt(kind, name, printed) for kind, holds in kinds.items() if kind and holds}
    return found | _of_second(name, node)


def _of_second(name: str, node: dict[str, Any]) -> set[Doubt]:
    if name not in ORDERED_BY_SECOND or len(node["children"]) < 2:
        return set()
    identity, _, printed = _type(node["children"][1].get("return_type"))
    return {Doubt(Kind.TEXT, name, printed)} if identity == "VARCHAR" else set()


def _orders_texts(node: dict[str, Any]) -> bool:
    """Whether a node of a plan, or a window, sorts by a text."""
    orders = node.get("orders")
    keys = [member(order, "expression") for order in orders] if is_list(orders) else []
    return any(_type(member(key, "return_type"))[0] == "VARCHAR" for key in keys)


def _of_scalar(name: str, node: dict[str, Any]) -> set[Doubt]:
    if node.get("type") == "OPERATOR_CAST":
        return _of_cast(node)
    if name in _LENGTHS and _source_type(node["children"][0])[2] == "JSON":
        return {Doubt(Kind.LENGTH, name, "JSON")}
    if name not in _ARITHMETIC:
        return set()
    found: set[Doubt] = set()
    for child in node.get("children", ()):
        identity, digits, printed = _source_type(child)
        if child.get("type") != "OPERATOR_CAST" or _printed(child.get("return_type")) != "DOUBLE":
            continue
        if identity == "BIGNUM" or (name == "/" and (identity in _WIDE or digits > DOUBLE_DIGITS)):
            found.add(Doubt(Kind.ARITHMETIC, name, printed))
    return found


def _of_cast(node: dict[str, Any]) -> set[Doubt]:
    target = _printed(node.get("return_type"))
    identity, _, printed = _source_type(node)
    reads = any(below["expression_class"] == "BOUND_REF" for below in _expressions(node.get("children")))
    kinds = {
        Kind.OFFSET: identity == "VARCHAR" and target in WITHOUT_OFFSET,
        Kind.NARROW: (identity == "VARCHAR" and target in INTEGERS) or (target == "FLOAT" and identity != "FLOAT"),
    }
    return {Doubt(kind, "cast", printed) for kind, holds in kinds.items() if holds and reads}


def _argument_type(node: dict[str, Any]) -> tuple[str, int, str] | None:
    """The type of an aggregate's first argument, as it was before DuckDB cast it to DOUBLE by itself."""
    children: list[dict[str, Any]] = node.get("children") or []
    if not children:
        return None
    argument = children[0]
    if argument.get("type") == "OPERATOR_CAST" and _printed(argument.get("return_type")) == "DOUBLE":
        return _source_type(argument)
    return _type(argument.get("return_type"))


def _source_type(node: dict[str, Any]) -> tuple[str, int, str]:
    arguments: list[Any] = node.get("arguments") or [None]
    return _type(arguments[0]) if node.get("type") == "OPERATOR_CAST" else _type(node.get("return_type"))


def _type(kind: Any) -> tuple[str, int, str]:
    """A type's identity, its digits (0 but for DECIMAL) and how it is printed."""
    if not is_object(kind):
        return "", 0, ""
    identity, info = str(kind.get("id", "")), kind.get("type_info")
    if identity == "DECIMAL":
        digits, scale = int(member(info, "width")), int(member(info, "scale"))
        return identity, digits, f"DECIMAL({digits},{scale})"
    return identity, 0, str(member(info, "alias") or identity)


def _printed(kind: Any) -> str:
    return _type(kind)[2]


def _name(node: dict[str, Any]) -> str:
    path: list[str] = member(node.get("qname"), "path") or [""]
    return path[-1]


def _expressions(value: Any) -> Iterator[dict[str, Any]]:
    """Every expression below a value of a plan."""
    return (item for item in objects(value, _TYPES_AND_NAMES) if "expression_class" in item)
