"""Running: candidates for a statement that failed at a value, made from its parse tree by what DuckDB said.

Rule: the statement asks the same; what fails is NULL, wider, or compared as text. Imports `core.trees` and `core.values`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from millpond.core import trees
from millpond.core.trees import Node
from millpond.core.values import is_list, is_object, member

_WIDER = {
    "TINYINT": "BIGINT",
    "SMALLINT": "BIGINT",
    "INTEGER": "BIGINT",
    "BIGINT": "HUGEINT",
    "UINTEGER": "UBIGINT",
    "UBIGINT": "HUGEINT",
    "FLOAT": "DOUBLE",
}
_MOST_DIGITS = "38"
_ARITHMETIC = frozenset({"+", "-", "*"})
_DIVISION = frozenset({"//", "%", "/", "mod", "divide"})
_NUMBERS = frozenset({"INTEGER", "NUMERIC"})


def candidates(message: str, tree: Node) -> Iterator[Node]:
    """Trees that may do what was meant, the likeliest first; none of them is the one that failed."""
    changes = next((found for pattern, found in ROWS if re.search(pattern, message)), ())
    for change in (*changes, None):
        changed = _each(tree, change) if change else _tried(tree)
        if changed is not None and changed != tree:
            yield changed


def _each(node: Any, change: Callable[[Node], Node]) -> Any:
    """A copy in which every expression is changed, the inner ones first."""
    if is_list(node):
        return [_each(item, change) for item in node]
    if not is_object(node):
        return node
    copied: Node = {key: _each(value, change) for key, value in node.items()}
    return change(copied) if "class" in copied else copied


def _try_cast(node: Node) -> Node:
    return {**node, "try_cast": True} if node["class"] == "CAST" else node


def _wider_cast(node: Node) -> Node:
    kind = node.get("type_expr")
    if node["class"] != "CAST" or not is_object(kind):
        return node
    name = str(kind.get("type_name", "")).upper()
    if name == "DECIMAL" and len(kind.get("children", ())) == 2:
        digits, scale = kind["children"]
        widest = {**digits, "literal": {"kind": "INTEGER", "text": _MOST_DIGITS}}
        return {**node, "type_expr": {**kind, "children": [widest, scale]}}
    wide = _WIDER.get(name)
    return trees.named_as(trees.cast(node["child"], wide), node) if wide else node


def _wider_operands(kind: str) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        if kind == "DOUBLE" and node["class"] == "CAST" and member(node.get("type_expr"), "type_name") == "HUGEINT":
            return trees.named_as(trees.cast(node["child"], kind), node)
        operands = trees.arguments(node) if trees.name_of(node) in _ARITHMETIC else []
        if len(operands) != 2:
            return node
        first = (
            operands[0] if member(operands[0].get("type_expr"), "type_name") == kind else trees.cast(operands[0], kind)
        )
        cast = trees.with_call(node, trees.name_of(node), first, operands[1])
        return trees.named_as(cast, node)

    return change


def _wider_sum(node: Node) -> Node:
    if trees.name_of(node) != "sum" or len(trees.arguments(node)) != 1:
        return node
    cast = trees.with_call(node, "sum", trees.cast(trees.arguments(node)[0], "DOUBLE"))
    return trees.named_as(cast, node)


def _null_divisor(node: Node) -> Node:
    operands = trees.arguments(node) if trees.name_of(node) in _DIVISION else []
    if len(operands) != 2:
        return node
    divided = trees.with_call(
        node, trees.name_of(node), operands[0], trees.call("nullif", operands[1], trees.number("0"))
    )
    return trees.named_as(divided, node)


def _try_strptime(node: Node) -> Node:
    if trees.name_of(node) != "strptime":
        return node
    return trees.named_as(trees.with_call(node, "try_strptime", *trees.arguments(node)), node)


def _contained(node: Node) -> Node:
    """A comparison with a number that asks whether a list holds it."""
    if node["class"] == "COMPARISON" and node["type"] == "COMPARE_EQUAL":
        for one, value in ((node["left"], node["right"]), (node["right"], node["left"])):
            if trees.literal_kind(value) in _NUMBERS:
                return trees.named_as(trees.call("list_contains", one, value), node)
    return node


def _as_text(node: Node) -> Node:
    """A comparison of a text with what is none, as one of texts."""
    if node["class"] == "COMPARISON":
        left, right = node["left"], node["right"]
        if trees.literal_kind(right) == "STRING" and not trees.literal_kind(left):
            return {**node, "left": trees.cast(left, "VARCHAR")}
        if trees.literal_kind(left) == "STRING" and not trees.literal_kind(right):
            return {**node, "right": trees.cast(right, "VARCHAR")}
        if trees.literal_kind(right) in _NUMBERS:
            return {**node, "right": trees.text(trees.literal(right))}
    if node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN"):
        first, *others = node["children"]
        texts = [trees.text(trees.literal(one)) if trees.literal_kind(one) in _NUMBERS else one for one in others]
        return {**node, "children": [trees.cast(first, "VARCHAR"), *texts]}
    return node


def _any_row(node: Node) -> Node:
    """A comparison with a subquery of many rows asks whether it holds the value."""
    right = node.get("right")
    is_one = node["class"] == "COMPARISON" and node.get("type") == "COMPARE_EQUAL" and is_object(right)
    if not is_one or not is_object(right) or right.get("subquery_type") != "SCALAR":
        return node
    asked = {**right, "subquery_type": "ANY", "comparison_type": "COMPARE_EQUAL", "child": node["left"]}
    return trees.named_as(asked, node)


def _tried(tree: Node) -> Node | None:
    """The statement whose columns are NULL where they cannot be computed; None where that is no one's doing."""
    try:
        (entry,) = tree["statements"]
        select = entry["node"]
        columns = [_tried_column(one) for one in select["select_list"]]
    except (KeyError, TypeError, ValueError):
        return None
    return {**tree, "statements": [{**entry, "node": {**select, "select_list": columns}}]}


def _tried_column(node: Node) -> Node:
    if node["class"] in ("STAR", "COLUMN_REF", "CONSTANT"):
        return node
    inner = {**node, "alias": ""}
    return {"class": "OPERATOR", "type": "OPERATOR_TRY", "alias": node.get("alias", ""), "children": [inner]}


ROWS: tuple[tuple[str, tuple[Callable[[Node], Node], ...]], ...] = (
    (r"because the value is out of range|value is out of range!", (_wider_cast, _try_cast)),
    (r"Overflow in \w+ of DECIMAL", (_wider_operands("DOUBLE"),)),
    (r"Overflow in \w+ of INT128|Overflow in HUGEINT", (_wider_operands("DOUBLE"), _wider_sum)),
    (r"Overflow in \w+ of U?INT", (_wider_operands("HUGEINT"), _wider_operands("DOUBLE"))),
    (r"Division by zero", (_null_divisor,)),
    (r"Could not parse string", (_try_strptime,)),
    (r"More than one row returned by a subquery", (_any_row,)),
    (r"Unimplemented type for cast \(\w+ -> .*\[\]\)", (_contained,)),
    (r"convert string|cast|field format|field value|numerical|Malformed", (_try_cast, _as_text)),
)
"""What DuckDB says, each with what may mend it, the likeliest first."""
