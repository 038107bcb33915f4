"""Trees: expressions of DuckDB's JSON parse tree, read and made.

Rule: a tree is never changed, a copy is. Shapes are those of `json_serialize_sql`; contract tests hold them. Imports `core.names` and
`core.values`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from millpond.core.names import fold
from millpond.core.values import is_list, is_object, member

Node = dict[str, Any]

_EMPTY_SELECT: Node = {
    "type": "SELECT_NODE",
    "modifiers": [],
    "cte_map": {"map": []},
    "select_list": [],
    "from_table": {"type": "EMPTY", "alias": "", "sample": None, "query_location": 0},
    "where_clause": None,
    "group_expressions": [],
    "group_sets": [],
    "aggregate_handling": "STANDARD_HANDLING",
    "having": None,
    "sample": None,
    "qualify": None,
}


def statement(select: Node) -> Node:
    """A whole tree around a SELECT."""
    return {"error": False, "statements": [{"node": select}]}


def select_of(expression: Node) -> Node:
    """A whole tree that selects one expression and reads nothing: what it takes to have an expression printed."""
    return statement({**_EMPTY_SELECT, "select_list": [expression]})


def rows_of(select: Node, expressions: Sequence[Node]) -> Node:
    """A SELECT of expressions over the rows that another reads, before it groups them."""
    kept = {key: select[key] for key in ("from_table", "where_clause", "cte_map", "sample") if key in select}
    return {**_EMPTY_SELECT, **kept, "select_list": list(expressions)}


def described_table(tree: Node) -> str | None:
    """The table that a statement describes whole (`DESCRIBE t`, `SHOW t`), or None where it does anything else."""
    nodes = [entry.get("node") for entry in tree.get("statements") or () if is_object(entry)]
    shown = member(nodes[0], "from_table") if len(nodes) == 1 and _takes_all(nodes[0]) else None
    if member(shown, "type") != "SHOW_REF" or member(shown, "show_type") not in ("DESCRIBE", "SHOW"):
        return None
    query = member(shown, "query")
    if query is None:
        return str(member(shown, "table_name"))
    table = member(query, "from_table") if _takes_all(query) else None
    return str(member(table, "table_name")) if member(table, "type") == "BASE_TABLE" else None


def _takes_all(select: Any) -> bool:
    """True for `SELECT *` of every column under its own name, without a CTE that could take a table's."""
    columns = member(select, "select_list")
    if not is_list(columns) or len(columns) != 1 or member(member(select, "cte_map"), "map"):
        return False
    changes = ("exclude_list", "replace_list", "rename_list", "qualified_exclude_list", "expr")
    return member(columns[0], "class") == "STAR" and not any(member(columns[0], change) for change in changes)


def name_of(node: Node) -> str:
    """The function that a node calls, in lower case; "" where it calls none."""
    return fold(str(node.get("function_name") or ""))


def is_call(node: Node) -> bool:
    """True for a call, of a window function too."""
    return node.get("class") in ("FUNCTION", "WINDOW") and bool(name_of(node))


def arguments(node: Node) -> list[Node]:
    """The expressions that a function is called on."""
    return [entry["expression"] for entry in node.get("arguments") or () if is_object(entry)]


def with_call(node: Node, function: str, *called_on: Node) -> Node:
    """The same call (its filter, its window, its DISTINCT) of another function on other arguments."""
    return {
        **node,
        "alias": "",
        "function_name": function,
        "qualified_name": {"path": [function]},
        "arguments": [{"name": "", "expression": argument} for argument in called_on],
    }


def named_as(expression: Node, other: Node) -> Node:
    """An expression under the alias of the one whose place it takes."""
    return {**expression, "alias": other.get("alias", "")}


def call(function: str, *called_on: Node, operator: bool = False) -> Node:
    """A plain call."""
    bare: Node = {
        "class": "FUNCTION",
        "type": "FUNCTION",
        "query_location": 0,
        "schema": "",
        "catalog": "",
        "filter": None,
        "order_bys": {"type": "ORDER_MODIFIER", "orders": []},
        "distinct": False,
        "is_operator": operator,
        "export_state": False,
    }
    return with_call(bare, function, *called_on)


def is_not_null(node: Node) -> Node:
    """A test."""
    return {"class": "OPERATOR", "type": "OPERATOR_IS_NOT_NULL", "alias": "", "children": [{**node, "alias": ""}]}


def sorted_by(aggregate: Node, key: Node, where: Node) -> Node:
    """A call of an aggregate whose values come in the order of a key, of the rows that pass a test."""
    order: Node = {"type": "ORDER_DEFAULT", "null_order": "ORDER_DEFAULT", "expression": {**key, "alias": ""}}
    return {**aggregate, "order_bys": {"type": "ORDER_MODIFIER", "orders": [order]}, "filter": where}


def number(written: str) -> Node:
    """A number as it is written, with a minus where it is negative."""
    kind = "INTEGER" if written.lstrip("-").isdigit() else "NUMERIC"
    return {"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "literal": {"kind": kind, "text": written}}


def literal(node: Node) -> str:
    """The text of a constant; "" for anything else."""
    return str(member(node.get("literal"), "text") or "")


def literal_kind(node: Node) -> str:
    """The kind of a constant (`STRING`, `INTEGER`, `NUMERIC`); "" for anything else."""
    return str(member(node.get("literal"), "kind") or "")


def text(value: str) -> Node:
    """A text."""
    return {"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "", "literal": {"kind": "STRING", "text": value}}


def cast(node: Node, kind: str, *digits: int, trying: bool = False) -> Node:
    """A cast to a type, `DECIMAL` with its digits and scale; with `trying`, NULL where a value does not fit."""
    return {
        "class": "CAST",
        "type": "OPERATOR_CAST",
        "alias": "",
        "child": {**node, "alias": ""},
        "try_cast": trying,
        "type_expr": {
            "class": "TYPE",
            "type": "TYPE",
            "alias": "",
            "catalog": "",
            "schema": "",
            "type_name": kind,
            "children": [number(str(one)) for one in digits],
            "qualified_name": {"path": [kind]},
        },
    }


def walk(node: Any) -> Iterator[Node]:
    """Every expression at and below a node, outside subqueries: those are SELECTs of their own."""
    stack = [node]
    while stack:
        item = stack.pop()
        if is_list(item):
            stack.extend(reversed(item))
        elif is_object(item):
            if "class" in item:
                yield item
            stack.extend(value for key, value in reversed(item.items()) if key != "subquery")


def selects(tree: Node) -> Iterator[tuple[Node, list[Any]]]:
    """Every SELECT of a tree, each with the CTEs that stand before it where it can see them."""
    waiting: list[tuple[Any, list[Any]]] = [(tree.get("statements"), [])]
    while waiting:
        node, scope = waiting.pop()
        if is_list(node):
            waiting += [(item, scope) for item in reversed(node)]
        elif is_object(node):
            common = node.get("cte_map")
            for entry in common.get("map", ()) if is_object(common) else ():
                waiting.append((entry.get("value"), scope))
                scope = [*scope, entry]
            if node.get("type") == "SELECT_NODE":
                yield {**node, "cte_map": {"map": scope}}, scope
            waiting += [(value, scope) for key, value in node.items() if key != "cte_map"]


def plain_quantiles(node: Any) -> Any:
    """A copy in which `percentile_cont(f) WITHIN GROUP (ORDER BY x)` is `quantile_cont(x, f)`: the first does not come back from JSON.

    A descending order is the negative fraction.
    """
    if is_list(node):
        return [plain_quantiles(item) for item in node]
    if not is_object(node):
        return node
    copied: Node = {key: plain_quantiles(value) for key, value in node.items()}
    orders: list[Node] = member(copied.get("order_bys"), "orders") or []
    if name_of(copied) not in ("quantile_cont", "quantile_disc") or not orders or len(arguments(copied)) != 1:
        return copied
    fraction = arguments(copied)[0]
    if orders[0].get("type") == "DESCENDING":
        fraction = number(f"-{literal(fraction)}") if literal(fraction) else call("-", fraction, operator=True)
    plain = with_call(copied, name_of(copied), orders[0]["expression"], fraction)
    return {**plain, "alias": copied.get("alias", ""), "order_bys": {"type": "ORDER_MODIFIER", "orders": []}}


MAX_HUGEINT_DIGITS = 38
"""Integers of more digits are BIGNUM constants."""


def without_bignum_constants(node: Any) -> Any:
    """A copy of the same meaning in which no BIGNUM is a constant: DuckDB cannot write the plan of one that has some."""
    if is_list(node):
        return [without_bignum_constants(item) for item in node]
    if not is_object(node):
        return node
    written = literal(node)
    if len(written) > MAX_HUGEINT_DIGITS and written.isdigit():
        return named_as(_read_from(node), node)
    copied: Node = {key: without_bignum_constants(value) for key, value in node.items()}
    child = node.get("child")
    is_cast = node.get("class") == "CAST" and str(member(node.get("type_expr"), "type_name")).upper() == "BIGNUM"
    return {**copied, "child": _selected(child)} if is_cast and is_object(child) and literal(child) else copied


def _read_from(number: Node) -> Node:
    return cast(_selected(text(literal(number))), "BIGNUM")


def _selected(expression: Node) -> Node:
    return {
        "class": "SUBQUERY",
        "type": "SUBQUERY",
        "alias": "",
        "subquery_type": "SCALAR",
        "subquery": {"node": {**_EMPTY_SELECT, "select_list": [{**expression, "alias": ""}]}},
        "child": None,
        "comparison_type": "INVALID",
    }
