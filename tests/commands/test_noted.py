"""Notes of the configuration, against what doctor saw of a server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from millpond.commands.noted import note_problems
from millpond.commands.probe import Meeting, Reply, Trial
from millpond.core.config import Config, Server
from millpond.core.model import ToolNotes
from millpond.relay.spans import Member

SCHEMA: Any = {
    "properties": {"items": {"items": {"properties": {"amount": {}, "user": {"properties": {"login": {}}}}}}}
}


def told(notes: ToolNotes, schema: Any = None, answer: Any = None) -> list[str]:
    """What is said of the notes, after a look at one tool and perhaps an answer of it."""
    tool = {"name": "list_orders"} | ({} if schema is None else {"outputSchema": schema})
    line = json.dumps({"content": [], "structuredContent": answer}).encode()
    reply = Reply(line=line, result=Member(0, 0, len(line)), error="", seconds=0.1)
    trials = [] if answer is None else [Trial(tool="list_orders", arguments={}, reply=reply)]
    meeting = Meeting(version="", name="", start_seconds=0, list_seconds=0, tools=[tool], trials=trials)
    return note_problems(meeting, Config(server=Server(name="s", command=("s",)), notes=(notes,)))


@pytest.mark.parametrize(
    ("columns", "schema", "answer", "says"),
    [
        (("amuont",), SCHEMA, None, ["a note on column amuont, and its output schema has no amuont; did you mean amount?"]),
        (("user.logn",), SCHEMA, None, ["a note on column user.logn, and its output schema has no logn; did you mean login?"]),
        (("amount", "user.login"), SCHEMA, None, []),
        (("anything",), None, None, []),
        (("anything",), None, "prose", []),
        (("amuont", "id"), None, {"items": [{"id": 1, "amount": 2}] * 3}, ["a note on column amuont, and its answer has none of that name; did you mean amount?"]),
        (("user",), SCHEMA, {"items": [{"id": 1}] * 3}, []),
    ],
)  # fmt: skip
def test_a_note_that_fits_nothing_is_told_where_that_can_be_seen(
    columns: tuple[str, ...], schema: Any, answer: Any, says: list[str]
) -> None:
    """MEANING-12"""
    notes = ToolNotes(tool="list_orders", columns=tuple((name, "x") for name in columns))
    assert told(notes, schema, answer) == [f"list_orders: the configuration has {text}" for text in says]


def test_a_list_that_is_not_there_is_told_and_so_is_nothing_of_a_tool_that_is_not() -> None:
    """MEANING-12"""
    items = {"items": [{"id": 1}] * 3}
    assert told(ToolNotes(tool="list_orders", tables=(("$.itmes", "x"), ("$.items", "y"))), None, items) == [
        "list_orders: the configuration has a note on list $.itmes, and its answer has none of that name;"
        " did you mean $.items?"
    ]
    assert told(ToolNotes(tool="other", columns=(("x", "y"),)), SCHEMA) == []
