"""What is said of tools and answers, without a server."""

from __future__ import annotations

import pytest

from millpond.clients.limits import definition_problems, looks_like_a_list, name_problems
from millpond.commands.diagnosis import ToolView, TrialView, verdict


def tool(name: str, mode: str = "auto") -> ToolView:
    return ToolView(
        name=name,
        mode="never" if mode == "never" else "auto",
        what_happens="",
        drops_output_schema=False,
        is_read_only=True,
        looks_like_a_list=looks_like_a_list(name, None),
    )


def trial(is_replaced: bool) -> TrialView:
    return TrialView(
        tool="t", arguments="{}", seconds=0.1, bytes=40_000, tokens=10_000, rows=9, is_replaced=is_replaced, problem=""
    )


@pytest.mark.parametrize(
    ("tools", "trials", "gains", "begins"),
    [
        (
            [tool("x")],
            [trial(False), trial(True)],
            "yes",
            "This server gains from Millpond: t answered with 40,000 bytes",
        ),
        ([], [], "no", "This server gains nothing from Millpond: it has no tools"),
        (
            [tool("list_x", "never")],
            [],
            "no",
            "This server gains nothing from Millpond: every tool of it has mode never",
        ),
        ([tool("add")], [], "no", "This server probably gains little"),
        ([tool("add"), tool("list_x")], [], "maybe", "This server may gain from Millpond: 1 of 2 tools"),
        (
            [tool("list_x")],
            [trial(False)],
            "maybe",
            "What was tried stays as it is; other answers may be larger: list_x.",
        ),
    ],
)
def test_one_sentence_says_whether_it_gains(
    tools: list[ToolView], trials: list[TrialView], gains: str, begins: str
) -> None:
    """DOCTOR-08"""
    said, sentence = verdict(tools, trials)
    assert said == gains
    assert sentence.startswith(begins)
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    "name", ["list_issues", "searchCode", "read_query", "git_log", "get_events", "SELECT", "fetch-all", "find"]
)
def test_names_of_lists_are_known(name: str) -> None:
    """DOCTOR-08"""
    assert looks_like_a_list(name, None)


@pytest.mark.parametrize("name", ["add", "get_issue", "login", "address", "listen_once", "status"])
def test_other_names_are_not_taken_for_lists(name: str) -> None:
    """DOCTOR-08"""
    assert not looks_like_a_list(name, None)


def test_an_output_schema_with_a_list_tells_too() -> None:
    """DOCTOR-08"""
    assert looks_like_a_list("get_it", {"type": "object", "properties": {"result": {"type": "array"}}})
    assert not looks_like_a_list("get_it", {"type": "object", "properties": {"result": {"type": "string"}}})


def test_names_over_and_close_to_a_limit_are_said() -> None:
    """DOCTOR-06"""
    assert name_problems("files", "list") == []
    assert name_problems("s" * 30, "t" * 31) == [
        f"{'t' * 31}: 61 characters with the server's name are over the 60 of Cursor"
    ]
    assert name_problems("s" * 26, "t" * 31) == [
        f"{'t' * 31}: 57 characters with the server's name are close to the 60 of Cursor"
    ]
    assert name_problems("", "t" * 55) == []
    assert name_problems("", "t" * 57) == [f"{'t' * 57}: 57 characters are close to the 60 of Cursor"]
    long = "t" * 63
    assert [line.rpartition(" of ")[2] for line in name_problems("s", long)] == ["Cursor", "Gemini CLI", "Windsurf"]
    assert name_problems("s", "a.b") == ["a.b: some clients take only letters, digits, _ and - in a name"]


def test_definitions_that_clients_cut_or_refuse_are_said() -> None:
    """DOCTOR-06"""
    fine = {"description": "d" * 2_048, "inputSchema": {"type": "object"}}
    assert definition_problems("t", fine) == []
    assert "cuts its description after 2,048" in definition_problems("t", {**fine, "description": "d" * 2_049})[0]
    assert 'is not of "type": "object"' in definition_problems("t", {"description": ""})[0]
    top: dict[str, object] = {"inputSchema": {"type": "object", "anyOf": [{}]}}
    assert "has anyOf, oneOf or allOf at the top" in definition_problems("t", top)[0]
