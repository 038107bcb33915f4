"""The entry that is proposed for a tool that pages: it runs as printed, and collects the listing."""

from __future__ import annotations

from typing import Any

import pytest

import listings
from collecting_talk import LISTED, Listing
from millpond.commands.diagnosis import diagnose
from millpond.commands.paging import pages_somehow, propose
from millpond.commands.probe import Meeting, Reply, Trial
from millpond.commands.report import diagnosis_text
from millpond.core.config_file import command_config
from millpond.relay.spans import Member

ROWS = [f'{{"id":{at},"title":"a title"}}' for at in range(10)]
KINDS = {"next offset": "integer", "offset": "integer", "offset with a total": "integer", "page number": "integer"}
EXPECTED = {
    "cursor": ['page = "cursor"', 'next = "$.nextCursor"', 'rows = "$.items"'],
    "token in a text": ['page = "page_token"', 'next = "$.meta.next_page_token"', 'more = "$.meta.more"'],
    "next offset": ['page = "offset"', 'next = "$.next_offset"', 'more = "$.has_more"', 'rows = "$.rows"'],
    "offset": ['page = "offset"', 'count = "rows"', 'rows = "$.data.items"'],
    "offset with a total": ['page = "skip"', 'count = "rows"', 'total = "$.total"', 'rows = "$.items"'],
    "page number": ['page = "page"', 'count = "pages"', 'rows = "$.result"'],
    "link": ['page = "page"', 'next = "$.links.next"', 'rows = "$.items"'],
}


def tool(*arguments: str, annotations: dict[str, Any] | None = None, **properties: Any) -> dict[str, Any]:
    named = {name: {"type": "string"} for name in arguments}
    schema = {"type": "object", "properties": {"query": {"type": "string"}, **named, **properties}}
    return {
        **LISTED,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True} if annotations is None else annotations,
    }


@pytest.mark.parametrize("style", sorted(EXPECTED))
def test_what_is_proposed_from_a_schema_and_a_first_answer_collects_the_listing(style: str) -> None:
    """DOCTOR-15, PAGING-06"""
    argument = {listings.STYLES[style].argument: {"type": KINDS.get(style, "string")}}
    listed = tool(limit={"type": "integer", "maximum": 4}, **argument)
    proposal = propose(listed, listings.page(style, ROWS, {}).encode())
    assert proposal is not None
    head, *lines = proposal.toml.splitlines()
    assert (proposal.tool, head) == ("list_issues", "[tools.list_issues.all]")
    assert set(lines) >= {*EXPECTED[style], "size = { limit = 4 }"}
    listing = Listing("\n".join(lines), lambda given: listings.page(style, ROWS, given), tools=[listed]).call()
    assert listing.said.startswith("Complete: ")
    assert listing.said.endswith("10 rows.")


@pytest.mark.parametrize(
    ("listed", "lines"),
    [
        (tool("offset", "limit"), ['page = "offset"', 'count = "rows"']),
        (tool("pageNumber", "pageSize"), ['page = "pageNumber"', 'count = "pages"']),
        (
            tool("skip", "top", annotations={}),
            [
                'page = "skip"',
                'count = "rows"',
                "# read_only = true  # its server does not mark it: only where it changes nothing",
            ],
        ),
    ],
)
def test_what_counts_is_proposed_without_an_answer(listed: dict[str, Any], lines: list[str]) -> None:
    """DOCTOR-15"""
    proposal = propose(listed, None)
    assert proposal is not None
    assert proposal.toml.splitlines()[1:] == lines


@pytest.mark.parametrize(
    ("listed", "answer"),
    [
        (tool("page"), None),
        (tool("cursor"), None),
        (tool("limit"), '{"structuredContent":{"items":[1],"nextCursor":"x"}}'),
        (tool("cursor"), '{"structuredContent":{"items":[1]}}'),
        (tool("cursor"), '{"structuredContent":{"nextCursor":"x"}}'),
        (tool("offset", "limit"), '{"content":[{"type":"text","text":"prose"}]}'),
        (tool("offset", "limit"), "nothing"),
        (tool("offset", "limit", annotations={"readOnlyHint": False}), None),
        ({"name": "x"}, None),
    ],
)
def test_nothing_is_proposed_where_nothing_tells(listed: dict[str, Any], answer: str | None) -> None:
    """DOCTOR-15"""
    assert propose(listed, None if answer is None else answer.encode()) is None


def test_a_cursor_that_was_not_seen_is_named() -> None:
    """DOCTOR-15"""
    assert pages_somehow(tool("pageToken")) == "pageToken"
    assert pages_somehow(tool("page", "offset")) is None


def test_the_page_of_the_doctor_shows_entries_and_what_is_to_be_tried() -> None:
    """DOCTOR-15"""
    raw = listings.page("cursor", ROWS, {}).encode()
    trial = Trial(tool="list_issues", arguments={}, reply=Reply(raw, Member(0, 0, len(raw)), "", 0.1))
    other = {**tool("page_token"), "name": "list_pulls"}
    meeting = Meeting(
        version="2025-11-25",
        name="",
        start_seconds=0,
        list_seconds=0,
        tools=[tool("cursor"), other],
        trials=[trial],
    )
    text = diagnosis_text(diagnose(meeting, command_config(["x"])))
    assert (
        "pages     collected in one table by NAME_all, with this in the configuration file:\n"
        '  [tools.list_issues.all]\n  page = "cursor"\n  next = "$.nextCursor"\n  rows = "$.items"\n'
    ) in text
    assert "  list_pulls: it pages by page_token; --try it for an entry that collects its pages\n" in text
    assert "list_issues: it pages" not in text
