"""Session: a conversation about three results, with the calls that answer its questions through each way.

Rule: every way is asked in its own words, as briefly as they allow; a question that they cannot ask is None. What must stand in the answer
is computed from the rows in plain Python. Imports the library only.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import Any

from lib.payloads import Row, record

Verb = tuple[str, Mapping[str, Any]]
"""An own tool of a way, and its arguments; `{ref}` in them stands for the table, the id or the handle."""
Rows = list[Row]
ISSUES, LOG_LINES, ORDERS = 412, 6_000, 1_500


def issue(at: int, chance: random.Random) -> Row:
    """One of an issue tracker."""
    return record(at, chance)


def log_line(at: int, chance: random.Random) -> Row:
    """One of a service's log."""
    return {
        "time": f"2026-01-{1 + at // 300:02}T{at % 24:02}:{at % 60:02}:00Z",
        "level": chance.choices(["INFO", "WARN", "ERROR"], [90, 8, 2])[0],
        "service": f"svc-{chance.randrange(12)}",
        "ms": chance.randrange(1, 2_000),
        "message": "request " + "".join(chance.choices("abcdef0123456789", k=16)) + " handled",
    }


def order(at: int, chance: random.Random) -> Row:
    """One of a shop."""
    return {
        "order": 70_000 + at,
        "country": chance.choice(["DE", "FR", "IT", "PL", "ES", "NL"]),
        "paid": chance.random() < 0.9,
        "amount": round(chance.random() * 300, 2),
        "items": chance.randrange(1, 9),
        "placed_at": f"2026-02-{1 + at % 28:02}T09:00:00Z",
    }


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one result, and how each way asks it."""

    about: str
    """The tool whose result it is about."""
    text: str
    expected: Callable[[Rows], list[float]]
    """From the rows to what must stand in the answer."""
    verbs: Mapping[str, Verb | None] = field(default_factory=dict[str, "Verb | None"])


def _query(sql: str) -> Verb:
    return "query", {"sql": sql}


def _steps(*steps: Mapping[str, Any]) -> Verb:
    return "result_query", {"result_id": "{ref}", "steps": list(steps)}


def _aggregate(op: str, **more: str) -> Verb:
    return "jmunch_aggregate", {"handle": "{ref}", "op": op, **more}


def _group(by: str, metric: str, most: int) -> Verb:
    return _steps(
        {"group_by": {"field": by, "metrics": {"n": metric}}},
        {"sort": {"field": "n", "order": "desc"}},
        {"limit": most},
    )


def _counts(rows: Rows, key: Callable[[Row], Any], most: int | None = None) -> list[float]:
    return [count for _, count in Counter(map(key, rows)).most_common(most)]


TOOLS: Mapping[str, tuple[int, Callable[[int, random.Random], Row]]] = {
    "list_issues": (ISSUES, issue),
    "search_logs": (LOG_LINES, log_line),
    "list_orders": (ORDERS, order),
}
"""The server's tools: how many rows each answers with, and how one is made."""
DEFINITIONS = {
    name: {"name": name, "description": f"All that match, newest first ({name}).", "inputSchema": {"type": "object"}}
    for name in TOOLS
}
QUESTIONS = (
    Question(
        "list_issues",
        "How many issues are in each state?",
        lambda rows: _counts(rows, lambda row: row["state"]),
        {
            "millpond": _query("SELECT state, count(*) FROM {ref} GROUP BY ALL"),
            "ctxtual": _group("state", "count", 10),
            "jmunch-mcp": _aggregate("count", group_by="state"),
        },
    ),
    Question(
        "list_issues",
        "What is the median score of the open ones?",
        lambda rows: [median(row["score"] for row in rows if row["state"] == "open")],
        {
            "millpond": _query("SELECT median(score::DECIMAL(18,4)) FROM {ref} WHERE state = 'open'"),
            "ctxtual": _steps(
                {"filter": {"state": "open"}}, {"group_by": {"field": "state", "metrics": {"m": "median:score"}}}
            ),
            "jmunch-mcp": None,
        },
    ),
    Question(
        "list_issues",
        "How many issues carry the label bug?",
        lambda rows: [sum(any(label["name"] == "bug" for label in row["labels"]) for row in rows)],
        {
            "millpond": _query("SELECT count(*) FROM {ref} WHERE list_contains(labels.apply(l -> l.name), 'bug')"),
            "ctxtual": _steps(
                {"flatten": "labels"}, {"filter": {"labels.name": "bug"}}, {"unique": "id"}, {"count": True}
            ),
            "jmunch-mcp": None,
        },
    ),
    Question(
        "search_logs",
        "How many lines of each level?",
        lambda rows: _counts(rows, lambda row: row["level"]),
        {
            "millpond": _query("SELECT level, count(*) FROM {ref} GROUP BY ALL"),
            "ctxtual": _group("level", "count", 10),
            "jmunch-mcp": _aggregate("count", group_by="level"),
        },
    ),
    Question(
        "search_logs",
        "Which service took longest at most, in milliseconds?",
        lambda rows: [max(row["ms"] for row in rows)],
        {
            "millpond": _query("SELECT service, max(ms) FROM {ref} GROUP BY ALL ORDER BY 2 DESC LIMIT 1"),
            "ctxtual": _group("service", "max:ms", 1),
            "jmunch-mcp": _aggregate("max", field="ms", group_by="service"),
        },
    ),
    Question(
        "list_orders",
        "What do the paid orders come to?",
        lambda rows: [sum(round(row["amount"] * 100) for row in rows if row["paid"]) / 100],
        {
            "millpond": _query("SELECT sum(amount) FROM {ref} WHERE paid"),
            "ctxtual": _steps(
                {"filter": {"paid": True}}, {"group_by": {"field": "paid", "metrics": {"s": "sum:amount"}}}
            ),
            "jmunch-mcp": _aggregate("sum", field="amount", group_by="paid"),
        },
    ),
    Question(
        "list_orders",
        "Which three countries order most often?",
        lambda rows: _counts(rows, lambda row: row["country"], 3),
        {
            "millpond": _query("SELECT country, count(*) FROM {ref} GROUP BY ALL ORDER BY 2 DESC LIMIT 3"),
            "ctxtual": _group("country", "count", 3),
            "jmunch-mcp": _aggregate("count", group_by="country"),
        },
    ),
)


@cache
def rows_of(tool: str) -> Rows:
    """The rows that a tool answers with."""
    count, make = TOOLS[tool]
    chance = random.Random(7)
    return [make(at, chance) for at in range(count)]


def filled(arguments: Mapping[str, Any], ref: str) -> dict[str, Any]:
    """The arguments with the name of what they are about."""
    return json.loads(json.dumps(arguments).replace("{ref}", ref))
