"""Gate: whether a statement only reads this canvas, judged on its whole parse tree and on what the binder resolved.

Rule: what is known to read is let through and everything else is refused: a kind of node that a later DuckDB adds is refused until
someone has looked at it. Verdicts are returned. Imports `core.errors`, `core.names`, `core.sql`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from millpond.core.errors import Reason, Refusal
from millpond.core.names import fold
from millpond.core.values import is_list, is_object

QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
TABLE_REFERENCES = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "PIVOT", "SHOW_REF", "CTE"}
)
EXPRESSION_CLASSES = frozenset(
    {
        "BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION", "LAMBDA",
        "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE", "WINDOW",
    }
)  # fmt: skip
MODIFIERS = frozenset({"DISTINCT_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER"})
ORDERS = frozenset({"ORDER_DEFAULT", "ASCENDING", "DESCENDING", "INVALID"})
TABLE_FUNCTIONS = frozenset({"generate_series", "json_each", "json_tree", "range", "unnest"})
"""Table functions that read nothing but their arguments."""
REFUSED_FUNCTIONS = frozenset(
    {
        "current_setting", "currval", "getenv", "getvariable", "nextval", "setseed",
        "setval", "sleep_ms", "write_log", "add_parquet_key",
        "current_connection_id", "current_query_id", "current_transaction_id", "txid_current", "enable_logging",
    }
)  # fmt: skip
"""Scalar functions that do more than read the data: settings, variables, sequences, the log, waiting."""
FILE_FUNCTIONS = (
    "read_",
    "scan_",
    "parquet_",
    "sniff_",
    "glob",
    "sqlite_",
    "postgres_",
    "mysql_",
    "iceberg_",
    "delta_",
)
INFORMATION_TABLES = frozenset({"columns", "tables"})
SHOWN = frozenset({"", '"tables"', "__show_tables_expanded"})
"""What SHOW may show beside a table: nothing but the tables themselves."""
SCANS = frozenset(
    {
        "seq_scan",
        "generate_series",
        "json_each",
        "json_tree",
        "range",
        "unnest",
        "duckdb_columns",
        "duckdb_tables",
        "duckdb_views",
    }
)
"""Functions that a bound plan may read from; the last three are `information_schema` and SHOW."""
MAIN = "main"

KnownTable = Callable[[str], bool]


def judge_tree(tree: dict[str, Any], is_table: KnownTable) -> Refusal | str | None:
    """The verdict on a parse tree of `json_serialize_sql`: None to go on, a refusal, or the name of a table that is not known."""
    for statement in tree["statements"]:
        verdict = _Walk(is_table).judge(statement["node"], frozenset())
        if verdict is not None:
            return verdict
    return None


def judge_plan(plan: dict[str, Any], catalog: str) -> Refusal | None:
    """The verdict on a bound plan of `json_serialize_plan`: every table that is read must be the canvas's."""
    for node in _nodes(plan.get("plans")):
        kind = node.get("type")
        if isinstance(kind, str) and kind.startswith("LOGICAL_") and _writes(kind):
            return not_a_read(f"the plan holds {kind}")
        if kind != "LOGICAL_GET":
            continue
        function = _path(node.get("qname"))[-1:] or [str(node.get("name", ""))]
        if function[0] not in SCANS:
            return Refusal(
                Reason.FUNCTION_REFUSED,
                f"The statement reads from {function[0]}(), which is no part of this canvas. SHOW TABLES lists what is.",
            )
        data = node.get("function_data")
        if function[0] == "seq_scan" and is_object(data) and _owner(data) not in ((catalog, MAIN), ("temp", MAIN)):
            return Refusal(
                Reason.NOT_A_READ, "The statement reads a table outside this canvas. SHOW TABLES lists what is in it."
            )
    return None


def not_a_read(what: str) -> Refusal:
    """A statement that does more than read."""
    return Refusal(
        Reason.NOT_A_READ,
        f"Only reading is allowed here, and {what}. Write one SELECT over the tables (SHOW TABLES lists them); WITH, FROM-first,"
        " DESCRIBE, SUMMARIZE, EXPLAIN, PIVOT ... IN and UNPIVOT are fine.",
    )


class _Walk:
    """One walk over a statement, with the CTEs that are in scope at each place."""

    def __init__(self, is_table: KnownTable) -> None:
        self._is_table = is_table

    def judge(self, node: Any, scope: frozenset[str]) -> Refusal | str | None:
        """The first verdict below this node that is not to go on."""
        if is_list(node):
            return self._first(node, scope)
        if not is_object(node):
            return None
        verdict = self._own(node, scope)
        if verdict is not None:
            return verdict
        if node.get("type") in ("RECURSIVE_CTE_NODE", "CTE_NODE"):
            scope = scope | {fold(str(node.get("cte_name", "")))}
        common = node.get("cte_map")
        for entry in common.get("map", ()) if is_object(common) else ():
            verdict = self.judge(entry.get("value"), scope)
            if verdict is not None:
                return verdict
            scope = scope | {fold(str(entry.get("key", "")))}
        return self._first([value for key, value in node.items() if key != "cte_map"], scope)

    def _first(self, nodes: list[Any], scope: frozenset[str]) -> Refusal | str | None:
        for node in nodes:
            verdict = self.judge(node, scope)
            if verdict is not None:
                return verdict
        return None

    def _own(self, node: dict[str, Any], scope: frozenset[str]) -> Refusal | str | None:
        kind, expression = node.get("type"), node.get("class")
        if isinstance(expression, str):
            return self._expression(expression, node)
        if not isinstance(kind, str):
            return None
        if kind == "BASE_TABLE":
            return self._base_table(node, scope)
        if kind == "SHOW_REF":
            return self._show(node)
        if kind == "TABLE_FUNCTION":
            return self._table_function(node)
        if kind.endswith("_NODE") and kind not in QUERY_NODES:
            return not_a_read(f"this one holds a {kind.removesuffix('_QUERY_NODE').removesuffix('_NODE')}")
        known = QUERY_NODES | TABLE_REFERENCES | MODIFIERS | ORDERS
        return (
            None if kind in known or kind.endswith("_TYPE_INFO") else not_a_read(f"`{kind}` is not known to be a read")
        )

    def _expression(self, expression: str, node: dict[str, Any]) -> Refusal | None:
        if expression == "PARAMETER":
            return Refusal(
                Reason.INVALID_SQL,
                "The statement has a parameter ($1 or ?), and there is no value for it. Write the value itself.",
            )
        if expression not in EXPRESSION_CLASSES:
            return not_a_read(f"an expression of the kind {expression} is not known to be a read")
        name = fold(str(node.get("function_name", "")))
        if name in REFUSED_FUNCTIONS:
            return Refusal(
                Reason.FUNCTION_REFUSED,
                f"{name}() does more than read the tables and is not offered. Leave it out and ask of the tables' columns.",
            )
        return None

    def _table_function(self, node: dict[str, Any]) -> Refusal | None:
        call = node.get("function")
        name = fold(str(call.get("function_name", ""))) if is_object(call) else ""
        if name in TABLE_FUNCTIONS:
            return None
        if name.startswith(FILE_FUNCTIONS):
            return _file_access(f"{name}()")
        return Refusal(
            Reason.FUNCTION_REFUSED,
            f"The table function {name}() is not offered; {', '.join(sorted(TABLE_FUNCTIONS))} are. SHOW TABLES and DESCRIBE tell"
            " what the canvas holds.",
        )

    def _base_table(self, node: dict[str, Any], scope: frozenset[str]) -> Refusal | str | None:
        schema, name = fold(str(node.get("schema_name", ""))), str(node.get("table_name", ""))
        if schema == "information_schema" and fold(name) in INFORMATION_TABLES:
            return None
        if not schema and not node.get("catalog_name") and fold(name) in scope:
            return None
        if schema in ("", MAIN) and self._is_table(name):
            return None
        if schema in ("", MAIN) and ("/" in name or "\\" in name or "." in name):
            return _file_access(f"'{name[:80]}'")
        return name if schema in ("", MAIN) else f"{schema}.{name}"

    def _show(self, node: dict[str, Any]) -> Refusal | str | None:
        name = str(node.get("table_name", ""))
        if name in SHOWN or self._is_table(name.strip('"')):
            return None
        return name.strip('"')


def _file_access(what: str) -> Refusal:
    return Refusal(
        Reason.FILE_ACCESS_REFUSED,
        f"{what} would read a file, and queries reach nothing but this canvas. Ask of its tables; SHOW TABLES lists them.",
    )


def _writes(kind: str) -> bool:
    words = (
        "INSERT",
        "DELETE",
        "UPDATE",
        "MERGE",
        "COPY",
        "CREATE",
        "DROP",
        "ALTER",
        "ATTACH",
        "DETACH",
        "EXPORT",
        "LOAD",
        "SET",
    )
    return any(word in kind.removeprefix("LOGICAL_").split("_") for word in words)


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    stack = [value]
    while stack:
        item = stack.pop()
        if is_object(item):
            yield item
            stack.extend(item.values())
        elif is_list(item):
            stack.extend(item)


def _path(value: Any) -> list[str]:
    return list(value.get("path", ())) if is_object(value) else []


def _owner(data: dict[str, Any]) -> tuple[str, str]:
    return str(data.get("catalog", "")), str(data.get("schema", ""))
