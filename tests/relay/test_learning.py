"""What the relay hands on of a server's list of tools, and what it says of those that are not there."""

from __future__ import annotations

import pytest

from millpond.core.model import ToolText
from millpond.relay.actions import Learn, Say
from millpond.relay.own_tools import MAX_SCHEMA_BYTES
from relay_talk import ask, session


def test_descriptions_and_schemas_of_a_page_are_handed_on_as_they_came() -> None:
    """MEANING-09"""
    page = '{"tools":[{"name":"a","description":"d\\u00e9","outputSchema":{ "x":1.10}},{"name":"b"},{"name":"c","description":"c"}]'
    said = ask(session({"c": "never"}), "tools/list", None, page + ',"nextCursor":"1"}')
    assert said[1:] == [Learn((ToolText(name="a", description="dé", schema=b'{ "x":1.10}'),))]


def test_a_page_that_says_nothing_teaches_nothing() -> None:
    """MEANING-09"""
    assert len(ask(session(), "tools/list", None, '{"tools":[{"name":"a"}]}')) == 1


@pytest.mark.parametrize(("size", "is_kept"), [(MAX_SCHEMA_BYTES, True), (MAX_SCHEMA_BYTES + 1, False)])
def test_a_schema_over_the_bound_is_left_out(size: int, is_kept: bool) -> None:
    """MEANING-13"""
    schema = '"' + "x" * (size - 2) + '"'
    said = ask(session(), "tools/list", None, f'{{"tools":[{{"name":"a","description":"d","outputSchema":{schema}}}]}}')
    kept = schema.encode() if is_kept else b""
    assert said[1:] == [Learn((ToolText(name="a", description="d", schema=kept),))]


def test_a_configured_tool_that_is_not_there_is_told_once_all_are_listed() -> None:
    """MEANING-11"""
    relay = session({"list_isues": "always", "b": "auto"})
    first = ask(relay, "tools/list", None, '{"tools":[{"name":"list_issues"}],"nextCursor":"1"}')
    last = ask(relay, "tools/list", '{"cursor":"1"}', '{"tools":[{"name":"b"}]}')
    assert first[1:] == []
    assert last[1:] == [
        Say('the configuration: [tools."list_isues"]: the server has no such tool; did you mean list_issues?')
    ]
    assert ask(relay, "tools/list", None, '{"tools":[{"name":"b"}]}')[1:] == []
