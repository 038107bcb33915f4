"""Verbs: how a question is asked of another tool that keeps results beside, in that tool's own verbs.

Rule: the best that a competent user of it would do, in at most `CALLS` calls, and a reader beside who looks at no more than `LOOKED_AT`
rows: who finds one in them, orders, counts and compares them, and adds, subtracts or divides a few figures (five at most). A question that
takes more than that has no verb. Imports the library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lib.session import Verb

CALLS = 12
"""The most calls for one question."""
LOOKED_AT = 20
"""The most rows that a reader looks at; a table of groups may be longer where the row that is asked for is one of it. With 100 jmunch-mcp
would answer seven questions more, whose rows a slice gives without their number."""


@dataclass(frozen=True, slots=True)
class Verbs:
    """One question as a tool is asked it."""

    calls: tuple[Verb, ...]
    read: Callable[..., Any]
    """From what the calls answered, one argument each, to the answer; None where it cannot be told from that."""
    asked: Callable[[Any], Any]
    """From the true answer to the part of it that the question's text asks for."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.calls) <= CALLS:
            raise ValueError(f"{len(self.calls)} calls: one is needed, and {CALLS} are the most")


def all_of_it(true: Any) -> Any:
    """The true answer, where the text asks for the whole of it."""
    return true


def verbs(*calls: Verb, read: Callable[..., Any], asked: Callable[[Any], Any] = all_of_it) -> Verbs:
    """Calls, and how they are read."""
    return Verbs(calls, read, asked)


def first(names: int = 1) -> Callable[[Any], Any]:
    """The first values of each row of the true answer: the text asks for those, and not for the count behind them."""
    return lambda true: [row[:names] for row in true]


def rows(*names: str) -> Callable[[Sequence[Mapping[str, Any]]], list[tuple[Any, ...]] | None]:
    """A reading: these fields of each row, where there are not too many."""

    def read(found: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]] | None:
        return [tuple(row[name] for name in names) for row in found] if len(found) <= LOOKED_AT else None

    return read


def counted(found: Sequence[Any]) -> int | None:
    """A reading: how many rows came, where there are not too many to count."""
    return len(found) if len(found) <= LOOKED_AT else None
