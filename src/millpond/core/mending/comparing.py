"""Comparing: what stands beside a name in a comparison, and what the name may therefore be.

Rule: a text may stand there only beside a column that can hold it, and a column only beside a value of its kind. Imports
`core.names`, `core.trees`, `core.values` and this package's `faults`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from millpond.core import trees
from millpond.core.mending.faults import Fault, Known
from millpond.core.names import fold
from millpond.core.trees import Node
from millpond.core.values import is_object, objects

_LIKE = frozenset(
    {"~~", "!~~", "~~*", "!~~*", "~~~", "like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape"}
)
_NUMBERS = frozenset({"INTEGER", "NUMERIC"})
_NUMBER_KINDS = re.compile(r"u?(?:tiny|small|big|huge)?int(?:eger)?|float|double|decimal|bignum")
_NESTED_KINDS = frozenset({"list", "array", "struct", "map", "union"})
_TEXT_KINDS = frozenset({"varchar", "json", "enum", ""})
_DIGITS_FIRST = re.compile(r"[-+]?\d")


def compared(fault: Fault) -> list[Node]:
    """The expressions that what stands at the fault is compared with: by `=`, an order, BETWEEN, IN or LIKE."""
    found: list[Node] = []
    for node in objects(fault.tree):
        operands = list(_operands(node))
        if any(_is_at(one, fault) for one in operands):
            found += [one for one in operands if not _is_at(one, fault)]
    return found


def _operands(node: Node) -> Iterator[Node]:
    kind, members = node.get("class"), list[object]()
    if kind in ("COMPARISON", "BETWEEN"):
        members = [node.get(side) for side in ("left", "right", "input", "lower", "upper")]
    elif kind == "OPERATOR" and node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN"):
        members = list(node["children"])
    elif trees.name_of(node) in _LIKE:
        members = list(trees.arguments(node))
    yield from (one for one in members if is_object(one))


def _is_at(node: Node, fault: Fault) -> bool:
    return fault.at is not None and node.get("class") == "COLUMN_REF" and node.get("query_location") == fault.at[0]


def may_be_text(text: str, fault: Fault, known: Known) -> bool:
    """Whether a name in double quotes may be a text: it is compared with a column that is there and can hold it."""
    aliases = {fold(str(one["alias"])) for one in objects(fault.tree) if one.get("alias")}
    kinds = {fold(path.replace('"', "")): kind for path, kind in known.kinds.items()}
    beside = [kind for one in compared(fault) for kind in _kinds(one, kinds, aliases)]
    return bool(beside) and all(kind in _TEXT_KINDS or _is_of_digits(kind, text) for kind in beside)


def _is_of_digits(kind: str, text: str) -> bool:
    return kind not in _NESTED_KINDS and _DIGITS_FIRST.match(text) is not None


def _kinds(node: Node, kinds: dict[str, str], aliases: set[str]) -> Iterator[str]:
    """The kinds of the columns that an expression names and that are there; "" where a kind is not known or does not matter."""
    for one in trees.walk(node):
        if one.get("class") != "COLUMN_REF":
            continue
        path = [fold(str(name)) for name in one["column_names"]]
        found = [".".join(path[at:]) for at in range(len(path)) if ".".join(path[at:]) in kinds]
        if found:
            yield kinds[found[0]] if one is node else ""
        elif path[-1] in aliases:
            yield ""


def fits(path: str, fault: Fault, known: Known) -> bool:
    """Whether a column may stand at the fault: what is compared with a number is one, what is compared with a value is not nested."""
    literals = {trees.literal_kind(one) for one in compared(fault) if one.get("class") == "CONSTANT"}
    kind = known.kinds.get(path, "")
    if not literals or not kind:
        return not literals or not path.startswith("[")
    return kind not in _NESTED_KINDS and (not literals & _NUMBERS or _NUMBER_KINDS.fullmatch(kind) is not None)
