"""Faults: a statement that DuckDB did not take, what it said of it, and what is known around it.

Rule: offsets are DuckDB's: bytes of the statement. Imports the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Found = re.Match[str]
"""Where DuckDB's words of a fault were recognised, with what they name."""
_APART = re.compile(
    r"""'(?:[^']|'')*'?|"(?:[^"]|"")*"?|\$\$.*?\$\$|--[^\n]*|/\*.*?\*/|[()\[\]{}]|.""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One statement and what was said of it."""

    kind: str
    """DuckDB's class of error, as `binder`."""
    message: str
    sql: str
    at: tuple[int, int] | None = None
    """Where the fault lies, as offset and length in bytes."""
    tree: Mapping[str, Any] | None = None
    """The statement's parse tree, where it has one."""

    @property
    def part(self) -> str:
        """The text at the place; "" where none is known."""
        if self.at is None:
            return ""
        start, length = self.at
        return self.sql.encode()[start : start + length].decode("utf-8", "replace")

    def with_part(self, text: str) -> str:
        """The statement with another text at the place."""
        start, length = self.at or (0, 0)
        encoded = self.sql.encode()
        return (encoded[:start] + text.encode() + encoded[start + length :]).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Known:
    """What may have been meant."""

    tables: Sequence[str] = ()
    """The nearest tables, as SQL writes them."""
    columns: Sequence[str] = ()
    """Of the tables that the statement names, with the fields of STRUCTs: `user.login`, as SQL writes them."""
    lists: Sequence[tuple[str, str]] = ()
    """Lists of STRUCTs with a field each, `("labels", "name")`, as SQL writes them."""
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    """DuckDB's kinds of types (`varchar`, `list`) of those columns and fields."""
    functions: Sequence[str] = ()
    """All that may be called."""


def outline(sql: str) -> str:
    """A text as long as the statement in which only what stands outside quotes, comments and brackets is left."""
    depth, kept = 0, list[str]()
    for found in _APART.finditer(sql):
        piece = found[0]
        closes = piece in ")]}"
        depth = max(depth - closes, 0)
        plain = len(piece) == 1 and not depth and piece not in "()[]{}"
        kept.append(piece if plain else " " * len(piece))
        depth += piece in "([{"
    return "".join(kept)


def arguments_of(call: str) -> tuple[str, list[str]] | None:
    """The name of a call and its arguments' texts; None where it is not written as one."""
    found = re.match(r"\s*(\w+|\"[^\"]+\")\s*\(", call)
    if found is None or not call.rstrip().endswith(")"):
        return None
    inner = call[found.end() : call.rstrip().rindex(")")]
    return found[1], split(inner, ",")


def split(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand outside quotes and brackets."""
    parts, start = list[str](), 0
    for at, char in enumerate(outline(text)):
        if char == mark:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]
