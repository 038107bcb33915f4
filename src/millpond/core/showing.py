"""Showing: answers of DESCRIBE, SHOW and EXPLAIN, without what says nothing here.

Rule: what is left out is the same in every canvas, or how an engine works and not what it does. Imports `core.names` and
`core.values`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from millpond.core.names import fold
from millpond.core.values import is_list, is_object, member

Columns = list[tuple[str, str]]
Rows = list[tuple[Any, ...]]

TEXT = "VARCHAR"
PLAN: Columns = [("operator", TEXT), ("rows", TEXT), ("detail", TEXT)]
"""The columns of a plan: an operator per row, `>` for each that takes its rows, estimates with `~`."""

_SAYING_NOTHING = {"null": ("YES",), "key": (None,), "default": (None,), "extra": (None,)}
"""Columns of DESCRIBE, each with what it holds wherever tables have no constraints."""
_UNSAID = frozenset({"Estimated Cardinality", "Type", "Projections"})
"""Of an operator: its rows have a column of their own, and every scan is sequential."""
_OWN = frozenset({"RESULT_COLLECTOR", "EXPLAIN_ANALYZE"})
_REPACKING = "__internal_"
"""In the projections of an operator that only packs texts for the next one."""


def shown(tree: dict[str, Any]) -> str:
    """What a statement shows (`DESCRIBE`, `SHOW`, `TABLES`, `ALL`); "" where it shows nothing of these, or something is asked of it."""
    statements: list[Any] = tree.get("statements") or [{}]
    node = member(statements[0], "node")
    reference = member(node, "from_table")
    if not is_object(node) or not is_object(reference) or reference.get("type") != "SHOW_REF" or not _is_bare(node):
        return ""
    kind = str(reference.get("show_type", ""))
    if kind == "SHOW_SPECIAL":
        kind = "TABLES" if fold(str(reference.get("table_name", ""))) == '"tables"' else "ALL"
    return kind


def _is_bare(node: dict[str, Any]) -> bool:
    """Whether nothing is asked of the rows: `SELECT * FROM` what is shown, which is how DuckDB reads DESCRIBE alone."""
    columns: list[Any] = node.get("select_list") or []
    is_star = len(columns) == 1 and member(columns[0], "class") == "STAR" and not member(columns[0], "exclude_list")
    return is_star and not node.get("modifiers") and not node.get("where_clause") and not node.get("sample")


def without_constants(columns: Columns, rows: Rows) -> tuple[Columns, Rows]:
    """An answer of DESCRIBE without the columns that say nothing here."""
    kept = [
        at
        for at, (name, _) in enumerate(columns)
        if name not in _SAYING_NOTHING or any(row[at] not in _SAYING_NOTHING[name] for row in rows)
    ]
    return [columns[at] for at in kept], [tuple(row[at] for at in kept) for row in rows]


def tables_with_columns(rows: Rows, hidden_schema: str) -> tuple[Columns, Rows]:
    """An answer of SHOW ALL TABLES (database, schema, name, columns' names, types, ...): each table with its columns."""
    found: Rows = [
        (name, ", ".join(f"{column} {kind}" for column, kind in zip(names, types, strict=True)))
        for _, schema, name, names, types, *_ in rows
        if schema != hidden_schema
    ]
    return [("name", TEXT), ("columns", TEXT)], found


# --- plans ----------------------------------------------------------------------------------------------------------


def plan_rows(plan: Any) -> Rows:
    """The rows of a plan that DuckDB wrote as JSON, of EXPLAIN or of EXPLAIN ANALYZE."""
    roots: list[Any] = plan if is_list(plan) else member(plan, "operator") or []
    return [row for root in roots for row in _operators(root, 0)]


def plan_notes(plan: Any) -> tuple[str, ...]:
    """How long a statement took that was run to be explained."""
    seconds = member(member(plan, "query"), "total_time")
    return () if seconds is None else (f"It took {seconds * 1000:.3g} ms.",)


def _operators(node: dict[str, Any], depth: int) -> Iterator[tuple[Any, ...]]:
    said = node.get("extra_info")
    facts = said if is_object(said) else {}
    is_passed = node.get("name") in _OWN or any(_REPACKING in str(one) for one in _listed(facts.get("Projections")))
    if not is_passed:
        yield (
            ">" * depth + (" " if depth else "") + str(node.get("name", "")).strip(),
            _counted(node, facts),
            _detail(facts),
        )
    for child in node.get("children") or ():
        yield from _operators(child, depth if is_passed else depth + 1)


def _counted(node: dict[str, Any], facts: dict[str, Any]) -> str | None:
    counted = node.get("intermediate_rows")
    if counted is not None:
        return str(counted)
    estimated = facts.get("Estimated Cardinality")
    return None if estimated is None else f"~{estimated}"


def _detail(facts: dict[str, Any]) -> str | None:
    table = str(facts.get("Table", "")).rsplit(".", 1)[-1]
    parts = [table] if table else []
    parts += [", ".join(_listed(facts["Projections"]))] if "Projections" in facts else []
    others = (
        f"{key}: {', '.join(_listed(value))}"
        for key, value in facts.items()
        if key not in _UNSAID | {"Table"} and value
    )
    return "; ".join(filter(None, [*parts, *others])) or None


def _listed(value: Any) -> Sequence[str]:
    return [str(one) for one in value] if is_list(value) else [] if value is None else [str(value)]
