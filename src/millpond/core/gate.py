"""Gate: whether a statement only reads this canvas, judged on its whole parse tree and on what the binder resolved.

Rule: what is known to read is let through and everything else is refused: a kind of node that a later DuckDB adds is refused until
someone has looked at it. Verdicts are returned. Imports `core.errors`, `core.names`, `core.steps` and `core.values`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from millpond.core.errors import Reason, Refusal
from millpond.core.names import fold
from millpond.core.steps import SHOW_TABLES
from millpond.core.values import is_list, is_object, objects

QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE"})
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
_KNOWN = QUERY_NODES | TABLE_REFERENCES | MODIFIERS | ORDERS
TABLE_FUNCTIONS = frozenset({"generate_series", "json_each", "json_tree", "range", "unnest"})
"""Table functions that read nothing but their arguments."""
REFUSED_FUNCTIONS = frozenset(
    {
        "add_parquet_key", "assert_true", "current_connection_id", "current_query_id", "current_setting",
        "current_transaction_id", "currval", "error", "getenv", "getvariable", "json_serialize_plan", "nextval", "pg_sleep",
        "setseed", "setval", "sleep_ms", "txid_current", "write_log",
    }
)  # fmt: skip
"""Scalar functions and macros that do more than read the data: settings, variables, sequences, the log, waiting. `error` and
`assert_true` put a cell where an error stands; `json_serialize_plan` runs what a text inside the statement says, unjudged."""
FILE_FUNCTIONS = (
    "delta_",
    "glob",
    "iceberg_",
    "mysql_",
    "parquet_",
    "postgres_",
    "read_",
    "scan_",
    "sniff_",
    "sqlite_",
)
"""Beginnings of the names of table functions that read files or other databases."""
INFORMATION_TABLES = frozenset({"columns", "tables"})
SHOWN = frozenset({"", '"tables"', "__show_tables_expanded"})
"""What SHOW may show beside a table: nothing but the tables themselves."""
CATALOG_SCANS = frozenset({"duckdb_columns", "duckdb_tables", "duckdb_views", "pragma_show"})
"""What `information_schema` and SHOW read from; the tree has no way to name them otherwise."""
TABLE_SCAN = "seq_scan"
MAIN = "main"
TEXTS = "kept"
"""The schema of the tables behind the view `results`; only the binder names it, and SHOW TABLES lists the view alone."""
_WRITES = frozenset(
    {
        "ALTER",
        "ATTACH",
        "COPY",
        "CREATE",
        "DELETE",
        "DETACH",
        "DROP",
        "EXPORT",
        "INSERT",
        "LOAD",
        "MERGE",
        "SET",
        "UPDATE",
    }
)

_A_VALUE = "SELECT * FROM calls WHERE number = 1"

KnownTable = Callable[[str], bool]


def judge_tree(tree: dict[str, Any], catalog: str, is_table: KnownTable) -> Refusal | str | None:
    """The verdict on a parse tree of `json_serialize_sql`: None to go on, a refusal, or the name of a table that is not known.

    `catalog` is what DuckDB calls the canvas's database.
    """
    walk = _Walk(catalog, is_table)
    waiting: list[tuple[Any, frozenset[str]]] = [(tree["statements"], frozenset())]
    while waiting:
        node, scope = waiting.pop()
        if is_list(node):
            waiting += [(item, scope) for item in reversed(node)]
        elif is_object(node):
            verdict = walk.judge(node, scope)
            if verdict is not None:
                return verdict
            waiting += reversed(list(_below(node, scope)))
    return None


def _below(node: dict[str, Any], scope: frozenset[str]) -> Iterator[tuple[Any, frozenset[str]]]:
    """What a node holds, each with the CTEs that it can see: a CTE sees those before it, the second part of a recursive one itself."""
    common = node.get("cte_map")
    for entry in common.get("map", ()) if is_object(common) else ():
        yield entry.get("value"), scope
        scope = scope | {fold(str(entry.get("key", "")))}
    for key, value in node.items():
        if key == "right" and node.get("type") == "RECURSIVE_CTE_NODE":
            yield value, scope | {fold(str(node.get("cte_name", "")))}
        elif key != "cte_map":
            yield value, scope


def judge_plan(plan: dict[str, Any], catalog: str) -> Refusal | None:
    """The verdict on a bound plan of `json_serialize_plan`: every table that is read must be the canvas's."""
    for node in objects(plan.get("plans")):
        kind = node.get("type")
        if isinstance(kind, str) and kind.startswith("LOGICAL_") and _writes(kind):
            return not_a_read(f"the plan holds {kind}")
        if kind == "LOGICAL_GET" and (verdict := _judge_scan(node, catalog)) is not None:
            return verdict
    return None


def _judge_scan(node: dict[str, Any], catalog: str) -> Refusal | None:
    function = (_path(node.get("qname")) or ["an unknown source"])[-1]
    if function == TABLE_SCAN:
        data = node.get("function_data")
        owner = (data.get("catalog"), data.get("schema")) if is_object(data) else None
        if owner in ((catalog, MAIN), (catalog, TEXTS)):
            return None
        return Refusal(
            Reason.NOT_A_READ, "The statement reads a table outside this canvas. Ask of the canvas's own.", SHOW_TABLES
        )
    if function in TABLE_FUNCTIONS or function in CATALOG_SCANS:
        return None
    return Refusal(
        Reason.FUNCTION_REFUSED,
        f"The statement reads from {function}, which is no part of this canvas. Ask of the canvas's tables.",
        SHOW_TABLES,
    )


def not_a_read(what: str, step: str = SHOW_TABLES) -> Refusal:
    """A statement that does more than read."""
    return Refusal(
        Reason.NOT_A_READ,
        f"Only reading is allowed here, and {what}. Write one SELECT (WITH, FROM-first, DESCRIBE, SUMMARIZE, EXPLAIN, PIVOT ... IN"
        " and UNPIVOT work); `save_as` keeps an answer as a table.",
        step,
    )


class _Walk:
    """Judges one node after the other, on what it is and which CTEs it sees."""

    def __init__(self, catalog: str, is_table: KnownTable) -> None:
        self._catalog = fold(catalog)
        self._is_table = is_table

    def judge(self, node: dict[str, Any], scope: frozenset[str]) -> Refusal | str | None:
        """The verdict on the node itself, whatever it holds."""
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
        if kind in _KNOWN or kind.endswith("_TYPE_INFO"):
            return None
        return not_a_read(f"`{kind}` is not known to be a read")

    def _expression(self, expression: str, node: dict[str, Any]) -> Refusal | None:
        if expression == "PARAMETER":
            return Refusal(
                Reason.INVALID_SQL,
                "The statement has a parameter ($1 or ?), and there is no value for it. Write the value itself.",
                _A_VALUE,
            )
        if expression not in EXPRESSION_CLASSES:
            return not_a_read(f"an expression of the kind {expression} is not known to be a read")
        name = fold(str(node.get("function_name", "")))
        if name in REFUSED_FUNCTIONS:
            return Refusal(
                Reason.FUNCTION_REFUSED,
                f"{name}() does more than read the tables and is not offered. Leave it out and ask of the tables' columns.",
                SHOW_TABLES,
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
            SHOW_TABLES,
        )

    def _base_table(self, node: dict[str, Any], scope: frozenset[str]) -> Refusal | str | None:
        qualifiers = [str(part) for key in ("catalog_name", "schema_name") if (part := node.get(key))]
        name = str(node.get("table_name", ""))
        owner = [fold(part) for part in qualifiers]
        if owner in ([], ["recurring"]) and fold(name) in scope:
            return None
        if owner in ([], [MAIN], [self._catalog], [self._catalog, MAIN]):
            if self._is_table(name):
                return None
            return _file_access(f"'{name[:80]}'") if any(mark in name for mark in "/\\.*") else name
        if owner == ["information_schema"] and fold(name) in INFORMATION_TABLES:
            return None
        return ".".join([*qualifiers, name])

    def _show(self, node: dict[str, Any]) -> Refusal | str | None:
        name = str(node.get("table_name", ""))
        if name in SHOWN or self._is_table(name.strip('"')):
            return None
        return name.strip('"')


def _file_access(what: str) -> Refusal:
    return Refusal(
        Reason.FILE_ACCESS_REFUSED,
        f"{what} would read a file, and queries reach nothing but this canvas. Ask of its tables.",
        SHOW_TABLES,
    )


def _writes(kind: str) -> bool:
    return not _WRITES.isdisjoint(kind.removeprefix("LOGICAL_").split("_"))


def _path(value: Any) -> list[str]:
    return list(value.get("path", ())) if is_object(value) else []
