"""Which conversation a call belongs to, by what its `_meta` says."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from millpond.relay.actions import Ask, Keep, Take, ToClient
from millpond.relay.session import Session
from relay_talk import TIME, answer, ask, policy, request, rows, show_tools

KEYS = ("vscode.conversationId", "openai/session")


def session(keys: tuple[str, ...] = KEYS) -> Session:
    relay = Session(replace(policy(), conversation_keys=keys), lambda: TIME)
    show_tools(relay)
    return relay


def call(meta: object, tool: str = "list_issues") -> str:
    return json.dumps({"name": tool, "arguments": {"sql": "SELECT 1"}, "_meta": meta})


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"vscode.conversationId": "a"}, "vscode.conversationId=a"),
        ({"openai/session": "a", "vscode.conversationId": "b"}, "vscode.conversationId=b"),
        ({"openai/session": "x" * 256}, f"openai/session={'x' * 256}"),
        ({"openai/session": "x" * 257}, None),
        ({"vscode.conversationId": "", "openai/session": "c"}, "openai/session=c"),
        ({"vscode.conversationId": 5}, None),
        ({"vscode.conversationId": None}, None),
        ({"threadId": "a"}, None),
        ("vscode.conversationId", None),
        (None, None),
    ],
)
def test_a_call_belongs_to_the_conversation_that_its_meta_names(meta: object, expected: str | None) -> None:
    """CANVAS-11"""
    relay = session()
    (take,) = ask(relay, "tools/call", call(meta), rows(200))
    assert isinstance(take, Take)
    assert take.call.conversation == expected
    _, keep = ask(relay, "tools/call", call(meta), rows(2))
    assert isinstance(keep, Keep)
    assert keep.call.conversation == expected
    (asked,) = relay.from_client(request("tools/call", call(meta, "query")))
    assert isinstance(asked, Ask)
    assert asked.conversation == expected


def test_without_keys_every_call_belongs_to_the_session() -> None:
    """CANVAS-11"""
    (take,) = ask(session(()), "tools/call", call({"vscode.conversationId": "a"}), rows(200))
    assert isinstance(take, Take)
    assert take.call.conversation is None


def test_the_result_of_a_task_belongs_where_its_call_does() -> None:
    """CANVAS-11"""
    relay = session()
    begun = json.dumps({"name": "list_issues", "task": {}, "_meta": {"vscode.conversationId": "a"}})
    (sent,) = ask(relay, "tools/call", begun, '{"task":{"taskId":"t"}}')
    assert isinstance(sent, ToClient)
    line = request("tasks/result", '{"taskId":"t"}')
    relay.from_client(line)
    (take,) = relay.from_server(answer(rows(200)))
    assert isinstance(take, Take)
    assert take.call.conversation == "vscode.conversationId=a"
