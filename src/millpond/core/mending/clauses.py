"""Clauses: statements whose words stand where DuckDB does not take them: other dialects' forms, missing ends, groups and casts.

Rule: one place is changed, and what stands in quotes, comments or brackets is left. Imports `core.trees`,
`core.values` and this package's `faults`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from millpond.core import trees
from millpond.core.mending.faults import Fault, Found, Known, arguments_of, outline, split
from millpond.core.trees import Node
from millpond.core.values import is_list, is_object

_AFTER_GROUPS = re.compile(r"\b(?:having|qualify|window|order\s+by|limit|offset|using\s+sample)\b", re.IGNORECASE)
_GROUPS = re.compile(r"\bgroup\s+by\b", re.IGNORECASE)
_HAVING = re.compile(r"\bhaving\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
_STAMP = re.compile(r"date|time|_at\b|_on\b", re.IGNORECASE)
_NESTED = re.compile(r"\]$|^(?:STRUCT|MAP|UNION)\(")
NUMBER, STAMP = "DECIMAL(30,6)", "TIMESTAMPTZ"
"""What a text is read as: with six digits after the point; with its offset from UTC."""


# --- groups ---------------------------------------------------------------------------------------------------------


def grouped(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """`GROUP BY ALL`; else any value of the column; else what follows HAVING is a filter."""
    bare = outline(fault.sql)
    if not _GROUPS.search(bare):
        after = _AFTER_GROUPS.search(bare)
        at = after.start() if after else len(fault.sql.rstrip())
        yield f"{fault.sql[:at].rstrip()} GROUP BY ALL {fault.sql[at:]}".strip()
    if fault.part:
        yield fault.with_part(f"any_value({fault.part})")
    if (having := _HAVING.search(bare)) and not _WHERE.search(bare):
        yield f"{fault.sql[: having.start()]}WHERE{fault.sql[having.end() :]}"


def filter_of_groups(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """What WHERE asks of aggregates is asked by HAVING."""
    bare = outline(fault.sql)
    where, group = _WHERE.search(bare), _GROUPS.search(bare)
    if where is None:
        return
    condition_end = _end(bare, where.end())
    condition = fault.sql[where.end() : condition_end].strip()
    before, after = fault.sql[: where.start()], fault.sql[condition_end:]
    if group is None:
        yield f"{before}GROUP BY ALL HAVING {condition} {after}".strip()
        return
    groups_end = _end(bare, group.end())
    yield f"{before}{fault.sql[group.start() : groups_end].strip()} HAVING {condition} {fault.sql[groups_end:]}".strip()


def _end(bare: str, at: int) -> int:
    """Where the clause ends that begins here."""
    ends = [found.start() for pattern in (_GROUPS, _AFTER_GROUPS) if (found := pattern.search(bare, at))]
    return min(ends, default=len(bare))


def filter_of_windows(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """What WHERE asks of window functions is asked by QUALIFY."""
    where = _WHERE.search(outline(fault.sql))
    if where:
        yield f"{fault.sql[: where.start()]}QUALIFY{fault.sql[where.end() :]}"


# --- types ----------------------------------------------------------------------------------------------------------


def cast_arguments(found: Found, fault: Fault, known: Known) -> Iterator[str | Node]:
    """The arguments of a call or an operator, read as numbers or stamps where they are text, as text where they are not."""
    kinds = split(found["kinds"], ",")
    call = arguments_of(fault.part)
    for target in _targets(fault.message, fault.sql):
        casts = [_wants_cast(kind, target) for kind in kinds]
        if call and len(call[1]) == len(kinds):
            cast = [_cast(part, target) if wants else part for part, wants in zip(call[1], casts, strict=True)]
            yield fault.with_part(f"{call[0]}({', '.join(cast)})")
        elif fault.tree is not None and fault.at is not None:
            yield _cast_in(fault.tree, found["name"], target, casts)


def _wants_cast(kind: str, target: str) -> bool:
    return kind not in ("STRING_LITERAL", '"NULL"') and (kind == "VARCHAR") == (target != "VARCHAR")


def _cast_in(node: Any, name: str, target: str, casts: list[bool]) -> Any:
    """A copy in which the arguments of every call of a function of so many are cast."""
    if is_list(node):
        return [_cast_in(item, name, target, casts) for item in node]
    if not is_object(node):
        return node
    copied: Node = {key: _cast_in(value, name, target, casts) for key, value in node.items()}
    operands = trees.arguments(copied) if trees.name_of(copied) == name else []
    if len(operands) != len(casts):
        return copied
    kind, *digits = re.findall(r"\w+", target)
    cast = [
        trees.cast(one, kind, *map(int, digits), trying=kind != "VARCHAR") if wants else one
        for one, wants in zip(operands, casts, strict=True)
    ]
    return trees.named_as(trees.with_call(copied, name, *cast), copied)


def _targets(message: str, sql: str) -> list[str]:
    takes_stamps, takes_numbers = "TIMESTAMP" in message, "DOUBLE" in message or "BIGINT" in message
    stamp_first = takes_stamps and (not takes_numbers or _STAMP.search(sql) is not None)
    return [STAMP, "TIMESTAMP", NUMBER, "VARCHAR"] if stamp_first else [NUMBER, STAMP, "VARCHAR"]


def _cast(text: str, kind: str) -> str:
    return f"CAST({text} AS VARCHAR)" if kind == "VARCHAR" else f"TRY_CAST({text} AS {kind})"


def cast_compared(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """A text that is compared with a number is read as one; what is no text is compared as text, and a list asked for the value."""
    operator = re.search(r"<=|>=|<>|!=|==|=|<|>", outline(fault.part))
    if operator is None:
        return
    left, right = fault.part[: operator.start()].strip(), fault.part[operator.end() :].strip()
    if any(_NESTED.search(found[side]) for side in ("left", "right")):
        yield from _contains(fault, operator[0], (left, found["left"]), (right, found["right"]))
        return
    is_stamp = any(found[side].startswith(("TIMESTAMP", "DATE")) for side in ("left", "right"))
    for kind in (STAMP if is_stamp else NUMBER, "VARCHAR"):
        texts = found["left"] == "VARCHAR", found["right"] == "VARCHAR"
        sides = [_cast(left, kind) if texts[0] != (kind == "VARCHAR") else left]
        sides.append(_cast(right, kind) if texts[1] != (kind == "VARCHAR") else right)
        yield fault.with_part(f"{sides[0]} {operator[0]} {sides[1]}")


def _contains(fault: Fault, operator: str, left: tuple[str, str], right: tuple[str, str]) -> Iterator[str]:
    """Whether a list holds the value that is compared with it; each side is its text and its type."""
    for (one, kind), (value, other) in ((left, right), (right, left)):
        if operator in ("=", "==") and kind.endswith("[]") and not _NESTED.search(other):
            yield fault.with_part(f"list_contains({one}, {value})")


def elements(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """The elements of a list that is kept as JSON."""
    call = arguments_of(fault.part)
    if call and found["kind"] == "JSON":
        yield fault.with_part(f"unnest(json_extract({call[1][0]}, '$[*]'))")


# --- words ----------------------------------------------------------------------------------------------------------


def ordered(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """The last column instead of one past it."""
    yield fault.with_part(found["last"])


def without_limit(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """All rows."""
    yield re.sub(r"\s*\b(?:limit|offset)\s+-\s*\d+", "", fault.sql, flags=re.IGNORECASE)


_REWRITES: tuple[tuple[str, str], ...] = (
    (r"\bselect\s+top\s+\(?(?P<n>\d+)\)?\s+(?P<rest>.*)$", r"SELECT \g<rest> LIMIT \g<n>"),
    (r"\blimit\s+(?P<a>\d+)\s*,\s*(?P<b>\d+)", r"LIMIT \g<b> OFFSET \g<a>"),
    (r"\bfetch\s+first\s+(?P<n>\d+)\s+rows?\b(?!\s+only)", r"LIMIT \g<n>"),
    (r"^\s*show\s+(?:full\s+)?columns\s+(?:from|in)\s+(?P<t>[\w\".]+)\s*$", r"DESCRIBE \g<t>"),
    (r"^\s*show\s+(?:create\s+table|index(?:es)?\s+(?:from|in))\s+(?P<t>[\w\".]+)\s*$", r"DESCRIBE \g<t>"),
    (r"^\s*select\s+from\b", "SELECT * FROM"),
    (r"^\s*from\s+(?P<t>[\w\".]+)\s+select\s*$", r"FROM \g<t>"),
    (r"\bsample\s+(?P<n>\d+)", r"USING SAMPLE \g<n>"),
    (r",(?:\s*,)+", ","),
    (r",\s*(?=\b(?:from|where|order|group|limit)\b|$)", " "),
    (r"\b(?:where|and|or|having|on|limit|offset|order\s+by)\s*$", ""),
    (r"\bgroup\s+by\s*$", "GROUP BY ALL"),
    (r"=!", "!="),
    (r'""', "''"),
    (r"!(?=\s*=?\s*(?:null|in)\b)", "NOT "),
    (r"(?:\]|\[)", ""),
    (r"[“”„]", '"'),
    (r"[‘’‚]", "'"),
)  # fmt: skip
"""Forms of other dialects and slips of the pen, each with what DuckDB reads."""


def slips(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """Whatever may make a statement readable: each slip alone, then missing ends, then a word in quotes."""
    sql = fault.sql
    for pattern, written in _REWRITES:
        changed = re.sub(pattern, written, sql, flags=re.IGNORECASE | re.DOTALL).strip()
        if changed != sql:
            yield changed
    yield from _ends(sql)
    yield from _around(fault)


def _ends(sql: str) -> Iterator[str]:
    """The statement with what is missing at its end."""
    missing = sql.count("(") - sql.count(")")
    if missing > 0:
        yield sql + ")" * missing
    if missing < 0 and sql.rstrip().endswith(")"):
        yield sql.rstrip()[:missing]
    if sql.count("'") % 2:
        yield sql + "'"
        yield sql.replace("'", "", 1) if sql.count("'") == 1 else re.sub(r"(?<=\w)'(?=\w)", "''", sql)
    if sql.count('"') % 2:
        yield sql + '"'
        yield "".join(sql.rsplit('"', 1))


def _around(fault: Fault) -> Iterator[str]:
    """The statement with a word of SQL in quotes, or an END, before the place."""
    if fault.at is None:
        return
    encoded = fault.sql.encode()
    before, after = encoded[: fault.at[0]].decode("utf-8", "replace"), encoded[fault.at[0] :].decode("utf-8", "replace")
    if fault.sql.count("(") > fault.sql.count(")"):
        yield f"{before.rstrip()}) {after}"
    if re.search(r"\bcase\b", before, re.IGNORECASE):
        yield f"{before.rstrip()} END{after}"
    if word := re.search(r"\b([A-Za-z_]+)(\s*)$", before):
        yield f'{before[: word.start()]}"{word[1]}"{word[2]}{after}'
    if word := re.match(r"[A-Za-z_]+", after):
        yield f'{before}"{word[0]}"{after[word.end() :]}'
