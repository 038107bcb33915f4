"""Collecting a listing's pages, as the server and the client see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import listings
from collecting_talk import HANDLE, LISTED, Listing, answer_line, error_line
from millpond.core.paging import Paging
from millpond.relay.actions import Alarm, Keep, Learn, Say, Stop, Take, ToClient, ToServer
from millpond.relay.siblings import sibling_of
from relay_talk import FAILED, KEPT, request

CURSOR = listings.STYLES["cursor"].toml
ROWS = [f'{{"id":{at}}}' for at in range(8)]
MODERN = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
CANCEL = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n'


def cursor(arguments: dict[str, Any]) -> str:
    return listings.page("cursor", ROWS, arguments)


def held(arguments: dict[str, Any]) -> str:
    """The first page; the second is never answered."""
    return "" if "cursor" in arguments else cursor(arguments)


def items(listing: Listing) -> list[int]:
    return [row["id"] for row in json.loads(listing.raw())["structuredContent"]["items"]]


def cancelled_at_server(listing: Listing) -> list[Any]:
    lines = [json.loads(action.line) for action in listing.done if isinstance(action, ToServer)]
    return [line["params"]["requestId"] for line in lines if line["method"] == "notifications/cancelled"]


# --- what is offered ------------------------------------------------------------------------------------------------


def test_a_tool_that_changes_nothing_gets_a_sibling_behind_the_own_tool() -> None:
    """PAGING-01, PAGING-02"""
    tools = Listing(CURSOR, cursor).tools
    assert list(tools) == ["list_issues", "query", "list_issues_all"]
    assert tools["list_issues_all"] == {
        "name": "list_issues_all",
        "description": "All pages of list_issues in one table; ask it with query.",
        "inputSchema": {"type": "object", "properties": {"state": {"type": "string"}}},
        "annotations": {"readOnlyHint": True},
    }


@pytest.mark.parametrize(
    ("annotations", "vouched", "says"),
    [
        ({"readOnlyHint": True}, False, None),
        ({}, True, None),
        ({}, False, "does not mark it read-only; where it changes nothing, say read_only = true"),
        ({"readOnlyHint": False}, True, "says that it changes something"),
    ],
)
def test_a_tool_gets_none_that_is_not_known_to_change_nothing(
    annotations: dict[str, Any], vouched: bool, says: str | None
) -> None:
    """PAGING-01"""
    how = f"{CURSOR}\nread_only = {json.dumps(vouched)}"
    listing = Listing(how, cursor, tools=[{**LISTED, "annotations": annotations}])
    assert ("list_issues_all" in listing.tools) is (says is None)
    said = [action for action in listing.done if isinstance(action, Say)]
    assert said == ([] if says is None else [Say(f"relay: no list_issues_all is offered: the server {says}")])


def test_a_server_with_a_tool_of_that_name_keeps_it() -> None:
    """PAGING-01"""
    theirs = {**LISTED, "name": "list_issues_all"}
    listing = Listing(CURSOR, cursor, tools=[LISTED, theirs])
    assert listing.tools["list_issues_all"] == theirs
    assert listing.done == [Say("relay: no list_issues_all is offered: the server has a tool of that name")]
    line = request("tools/call", '{"name":"list_issues_all"}', "7")
    assert listing.session.from_client(line) == [ToServer(line)]


PROPERTIES = {f"filter_{at}": {"type": "string", "description": "d" * 40} for at in range(3)}


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, {"cursor": {"type": "string", "description": "As a partial answer says"}}),
        (
            PROPERTIES,
            {
                **{name: {"type": "string"} for name in PROPERTIES},
                "cursor": {"type": "string"},
            },
        ),
        ({f"filter_{at}": {"type": "string"} for at in range(30)}, None),
    ],
)
def test_a_definition_is_short_words_go_first_and_then_the_arguments(
    properties: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    """PAGING-02"""
    schema = {
        "type": "object",
        "properties": {
            **properties,
            "cursor": {"type": "string", "description": "An opaque cursor"},
            "per_page": {"type": "integer"},
        },
        "required": ["cursor", "per_page"],
    }
    listing = Listing(f"{CURSOR}\nsize = {{ per_page = 100 }}", cursor, tools=[{**LISTED, "inputSchema": schema}])
    definition = listing.tools["list_issues_all"]
    assert len(json.dumps(definition, separators=(",", ":"))) <= 400
    if expected is None:
        described = "The arguments of list_issues but for the page"
        assert definition["inputSchema"] == {"type": "object", "description": described}
    else:
        assert definition["inputSchema"] == {"type": "object", "properties": expected}


def test_a_name_that_leaves_no_room_gets_none() -> None:
    """PAGING-02"""
    tool = {**LISTED, "name": "x" * 128}
    paging = Paging(page="cursor", next=("next",), max_pages=1, max_bytes=1, max_seconds=1)
    assert sibling_of(json.dumps(tool).encode(), paging, "query") == "its name is too long"
    assert sibling_of(b'{"name":NaN}', paging, "query") == "its definition cannot be read"


# --- what the server is asked ---------------------------------------------------------------------------------------


def test_a_page_is_the_clients_own_call_but_for_tool_page_and_token() -> None:
    """PAGING-03"""
    meta = f'{{{MODERN},"progressToken":"t","x":1.0}}'
    rest = f',"_meta":{meta},"task":{{}},"other":1.00,"inputResponses":{{"a":1}},"requestState":"s"'
    asked = Listing(f"{CURSOR}\nsize = {{ limit = 3 }}", cursor).call({"state": "open"}, rest).asked
    assert [message["id"] for message in asked] == ["own-1", "own-2", "own-3"]
    assert {message["params"]["name"] for message in asked} == {"list_issues"}
    assert [message["params"]["arguments"] for message in asked] == [
        {"limit": 3, "state": "open"},
        {"limit": 3, "state": "open", "cursor": "c3"},
        {"limit": 3, "state": "open", "cursor": "c6"},
    ]
    kept = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "x": 1.0}, "other": 1.0}
    first, *others = ({**message["params"], "name": 0, "arguments": 0} for message in asked)
    assert first == {"name": 0, "arguments": 0, **kept, "inputResponses": {"a": 1}, "requestState": "s"}
    assert others == [{"name": 0, "arguments": 0, **kept}] * 2


def test_what_the_caller_says_of_the_size_holds() -> None:
    """PAGING-03"""
    asked = Listing(f"{CURSOR}\nsize = {{ limit = 3 }}", cursor).call({"limit": 7}).asked
    assert [message["params"]["arguments"]["limit"] for message in asked] == [7, 7]


@pytest.mark.parametrize(
    ("kind", "style", "second"),
    [
        ({"type": "integer"}, "link", 2),
        ({"type": "string"}, "link", "2"),
        ({}, "link", "2"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "link", 2),
        ({"type": ["string", "null"]}, "page number", "2"),
        ({}, "page number", 2),
        ({"type": "string"}, "next offset", "3"),
    ],
)
def test_a_value_is_of_the_kind_that_the_schema_names(kind: dict[str, Any], style: str, second: object) -> None:
    """PAGING-04"""
    how = listings.STYLES[style]
    tool = {**LISTED, "inputSchema": {"type": "object", "properties": {how.argument: kind}}}
    listing = Listing(how.toml, lambda given: listings.page(style, ROWS, given), tools=[tool]).call()
    assert listing.asked[1]["params"]["arguments"] == {how.argument: second}
    assert listing.said == "Complete: 3 pages, 8 rows." or style == "page number"


# --- what comes of it -----------------------------------------------------------------------------------------------


def test_all_pages_become_one_result_and_each_is_recorded_as_a_call_of_its_own() -> None:
    """PAGING-06, PAGING-07, PAGING-16"""
    listing = Listing(CURSOR, cursor).call({"state": "open"})
    assert items(listing) == list(range(8))
    assert json.loads(listing.raw()) == {
        "content": [],
        "structuredContent": {"items": [{"id": at} for at in range(8)], "facets": [{"name": "all"}]},
    }
    assert listing.said == "Complete: 3 pages, 8 rows."
    call = listing.take.call
    assert (call.number, call.tool, call.arguments, call.mode) == (4, "list_issues_all", b'{"state": "open"}', "always")
    assert call.note == listing.said
    kept = [action for action in listing.done if isinstance(action, Keep)]
    assert [(keep.call.number, keep.call.tool, keep.call.note) for keep in kept] == [
        (at, "list_issues", f"page {at} of list_issues_all") for at in (1, 2, 3)
    ]
    assert json.loads(kept[1].call.arguments) == {"state": "open", "cursor": "c3"}
    assert bytes(kept[1].result).decode() == listings.page("cursor", ROWS, {"cursor": "c3"})
    assert not any(keep.call.replaceable for keep in kept)


def test_the_line_stands_below_the_handle_and_below_the_data_where_there_is_none() -> None:
    """PAGING-07"""
    listing = Listing(CURSOR, cursor).call()
    assert listing.sent(HANDLE) == {
        "content": [{"type": "text", "text": "a handle\nComplete: 3 pages, 8 rows."}],
        "_meta": {"x": 1.0},
    }
    for outcome in (KEPT, FAILED):
        sent = listing.sent(outcome)
        data, line = sent["content"][0]["text"].split("\n")
        assert json.loads(data) == sent["structuredContent"]
        assert line == "Complete: 3 pages, 8 rows."


def test_what_no_line_can_carry_is_cut_and_still_says_so() -> None:
    """PAGING-07"""
    listing = Listing(CURSOR, cursor, max_line_bytes=200).call()
    text = listing.sent(FAILED)["content"][0]["text"]
    assert "too many results wait to be stored" in text
    assert text.endswith("\nComplete: 3 pages, 8 rows.")


@pytest.mark.parametrize(
    ("bound", "options", "pages", "reason"),
    [
        ("max_pages = 2", {}, 2, "the limit max_pages (2) is reached"),
        ("max_bytes = 65536", {"max_result_bytes": 300}, 1, "the limit max_bytes (300) is reached"),
        ("max_bytes = 65536", {"max_result_bytes": 10}, 1, "the limit max_bytes (10) is reached"),
    ],
)
def test_a_bound_ends_it_and_it_is_said_where_to_go_on(
    bound: str, options: dict[str, int], pages: int, reason: str
) -> None:
    """PAGING-08, PAGING-19"""
    listing = Listing(f"{CURSOR}\n{bound}", cursor, **options).call({"state": "open"})
    assert items(listing) == list(range(3 * pages))
    assert listing.said == (
        f"Partial: {pages} page{'s' * (pages > 1)}, {3 * pages} rows; {reason}. To go on, call list_issues_all with"
        f' {{"state":"open","cursor":"c{3 * pages}"}}'
    )
    rest = Listing(CURSOR, cursor).call(listing.resume)
    assert items(rest) == list(range(3 * pages, 8))
    assert rest.said == f"Complete from this page on: {3 - pages} page{'s' * (pages < 2)}, {8 - 3 * pages} rows."


def test_the_time_ends_it_with_the_page_in_flight_cancelled() -> None:
    """PAGING-08, PAGING-17"""
    listing = Listing(f"{CURSOR}\nmax_seconds = 2.5", held).call()
    assert Alarm(b"7", 2.5) in listing.done
    listing.run(listing.session.overdue(b"7"))
    assert items(listing) == [0, 1, 2]
    assert "; the limit max_seconds (2.5) is reached. To go on" in listing.said
    assert listing.resume == {"cursor": "c3"}
    assert cancelled_at_server(listing) == ["own-2"]
    late = listing.answered({"id": "own-2"}, cursor({"cursor": "c3"}))
    assert [type(action) for action in late] == [Keep]
    assert listing.session.overdue(b"7") == []
    assert listing.session.awaited == 0


def test_a_first_page_is_waited_for_as_for_any_call() -> None:
    """PAGING-08"""
    listing = Listing(CURSOR, lambda arguments: "").call()
    assert listing.session.overdue(b"7") == []
    listing.run(listing.answered({"id": "own-1"}, cursor({})))
    assert len(listing.asked) == 1
    assert "; the limit max_seconds (50) is reached. To go on" in listing.said


ERRORS = [
    ('{"content":[],"isError":true}', "page 2 is an error of the tool"),
    (
        '{"resultType":"input_required","inputRequests":{}}',
        "page 2 asks for input, which is given to a call of the tool itself",
    ),
    ('{"resultType":"task","taskId":"t"}', "page 2 was answered with something else than a result"),
    ('{"content":[{"type":"text","text":"No more."}]}', "page 2 holds no list of rows"),
    ('{"content":[{"type":"text","text":"a,b\\n1,2\\n3,4"}]}', "page 2 holds no list of rows"),
]


@pytest.mark.parametrize(("result", "reason"), ERRORS)
def test_what_is_no_page_ends_it_with_the_rows_so_far(result: str, reason: str) -> None:
    """PAGING-09, PAGING-16"""
    listing = Listing(CURSOR, lambda given: result if "cursor" in given else cursor(given)).call()
    assert items(listing) == [0, 1, 2]
    assert f"; {reason}. To go on" in listing.said
    assert listing.resume == {"cursor": "c3"}
    assert len([action for action in listing.done if isinstance(action, Keep)]) == 2


def test_an_error_of_the_protocol_ends_it_and_its_message_is_quoted() -> None:
    """PAGING-09"""
    listing = Listing(CURSOR, held).call()
    listing.run(listing.session.from_server(error_line("own-2", "rate\nlimit")))
    assert '; page 2 was answered with an error: "rate\\nlimit". To go on' in listing.said
    assert Stop(b"7") in listing.done


@pytest.mark.parametrize("result", [ERRORS[0][0], ERRORS[1][0], ERRORS[2][0]])
def test_a_first_page_that_is_none_is_answered_as_a_call_of_the_tool_itself(result: str) -> None:
    """PAGING-10"""
    listing = Listing(CURSOR, lambda given: result).call()
    assert ToClient(answer_line(b"7", result)) in listing.done
    assert listing.session.awaited == 0
    refused = Listing(CURSOR, lambda given: "").call()
    actions = refused.session.from_server(error_line("own-1", "no"))
    assert ToClient(error_line("own-1", "no").replace(b'"own-1"', b"7")) in actions


def test_a_first_answer_without_a_list_is_the_whole_answer_and_says_so() -> None:
    """PAGING-10"""
    listing = Listing(CURSOR, lambda given: '{"content":[{"type":"text","text":"All is well."}]}').call()
    said = "Only this answer of list_issues: no list of rows that goes on over pages is in it."
    assert listing.sent(KEPT)["content"] == [{"type": "text", "text": f"All is well.\n{said}"}]
    assert listing.take.call.tool == "list_issues"


@pytest.mark.parametrize("style", ["cursor", "offset", "page number"])
def test_a_server_that_does_not_turn_the_page_is_asked_for_it_once(style: str) -> None:
    """PAGING-11"""
    how = listings.STYLES[style]
    listing = Listing(how.toml, lambda given: listings.page(style, ROWS, {})).call()
    assert len(listing.asked) == 2
    assert listing.said.startswith("Partial: 1 page, 3 rows; page 2 has the same rows as a page before it. To go on")
    assert list(listing.resume) == [how.argument]


def test_one_cursor_for_all_pages_is_followed_to_the_page_without_rows() -> None:
    """PAGING-05"""
    turned: list[list[int]] = [[1, 2], [3], [], [4]]
    pages = iter(turned)
    scroll = Listing(CURSOR, lambda given: json.dumps({"structuredContent": {"items": next(pages), "nextCursor": "s"}}))
    scroll.call()
    assert scroll.said == "Complete: 3 pages, 3 rows."


def test_pages_without_rows_that_say_there_are_more_are_passed() -> None:
    """PAGING-05"""
    turned: list[tuple[list[int], str | None]] = [([1], "a"), ([], "b"), ([2], None)]
    pages = iter(turned)

    def page(given: dict[str, Any]) -> str:
        rows, following = next(pages)
        return json.dumps({"structuredContent": {"items": rows, "nextCursor": following}})

    listing = Listing(CURSOR, page).call()
    assert json.loads(listing.raw())["structuredContent"]["items"] == [1, 2]
    assert listing.said == "Complete: 3 pages, 2 rows."


@pytest.mark.parametrize(
    ("how", "document", "arguments", "reason"),
    [
        (CURSOR, {"items": [1], "nextCursor": True}, {}, "page 1 says of the next one true, which says that there is"),
        (CURSOR, {"items": [1], "nextCursor": {"a": 1}}, {}, "page 1 says of the next one a list or an object without"),
        ('page = "n"\ncount = "rows"', {"items": [1]}, {"n": "x"}, "n is no whole number to count on from"),
        (
            'page = "n"\ncount = "rows"\nmore = "$.more"',
            {"items": [], "more": True},
            {},
            "page 1 has no rows and says that there are more",
        ),
    ],
)
def test_what_cannot_be_followed_is_partial(how: str, document: object, arguments: object, reason: str) -> None:
    """PAGING-04, PAGING-07"""
    listing = Listing(how, lambda given: json.dumps({"structuredContent": document})).call(arguments)
    assert len(listing.asked) == 1
    assert f"; {reason}" in listing.said


def test_a_cursor_too_long_to_print_is_found_in_results() -> None:
    """PAGING-07"""
    long = json.dumps({"structuredContent": {"items": [1], "nextCursor": "x" * 5_000}})
    listing = Listing(f"{CURSOR}\nmax_pages = 1", lambda given: long).call()
    assert listing.said.endswith(
        "To go on, call list_issues_all with the same arguments and cursor as in SELECT text FROM results WHERE call = "
        "(SELECT max(number) FROM calls WHERE note = 'page 1 of list_issues_all')"
    )


def test_of_long_arguments_only_the_page_is_printed() -> None:
    """PAGING-07"""
    listing = Listing(f"{CURSOR}\nmax_pages = 1", cursor).call({"state": "x" * 5_000})
    assert listing.said.endswith('To go on, call list_issues_all with the same arguments and cursor "c3"')


# --- the client and the server meanwhile ----------------------------------------------------------------------------


def test_progress_is_told_after_each_page_with_the_token_as_it_was_written() -> None:
    """PAGING-13"""
    listing = Listing(CURSOR, cursor).call(rest=',"_meta":{"progressToken":"t\\u00e9"}')
    lines = [action.line for action in listing.done if isinstance(action, ToClient)]
    assert lines == [
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":'
        b'{"progressToken":"t\\u00e9","progress":%d,"message":"%s"}}\n' % (pages, message)
        for pages, message in ((1, b"1 page, 3 rows"), (2, b"2 pages, 6 rows"))
    ]


def test_a_cancelled_call_is_not_answered_and_what_came_is_recorded() -> None:
    """PAGING-14, PAGING-17"""
    listing = Listing(CURSOR, held).call()
    before = len(listing.done)
    listing.run(listing.session.from_client(CANCEL))
    stop, cancel, kept = listing.done[before:]
    assert stop == Stop(b"7")
    assert isinstance(cancel, ToServer)
    assert cancelled_at_server(listing) == ["own-2"]
    assert isinstance(kept, Keep)
    assert kept.call.tool == "list_issues_all"
    assert (kept.call.note or "").startswith("Partial: 1 page, 3 rows; the client cancelled it.")
    assert b'{"id":2}' in bytes(kept.result)
    assert listing.session.awaited == 0
    assert [type(action) for action in listing.answered({"id": "own-2"}, cursor({"cursor": "c3"}))] == [Keep]
    assert listing.session.from_client(CANCEL) == [ToServer(CANCEL)]


def test_a_call_that_is_cancelled_before_its_first_page_leaves_nothing() -> None:
    """PAGING-14"""
    listing = Listing(CURSOR, lambda given: "").call()
    assert [type(action) for action in listing.session.from_client(CANCEL)] == [Stop, ToServer]


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage"])
def test_what_the_server_asks_the_client_goes_there_and_ends_the_collecting(method: str) -> None:
    """PAGING-12"""
    listing = Listing(CURSOR, held).call()
    line = b' {"id":7,"jsonrpc":"2.0","method":"%s","params":{}}\r\n' % method.encode()
    assert listing.session.from_server(line) == [ToClient(line)]
    theirs = b'{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}\n'
    assert listing.session.from_client(theirs) == [ToServer(theirs)]
    listing.run(listing.answered(listing.asked[-1], cursor({"cursor": "c3"})))
    assert items(listing) == list(range(6))
    assert f"; the server asked for {method} meanwhile. To go on" in listing.said


def test_other_messages_of_the_server_pass_and_change_nothing() -> None:
    """PAGING-12"""
    listing = Listing(CURSOR, held).call()
    for line in (
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        b'{"jsonrpc":"2.0","id":2,"method":"roots/list"}\n',
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1.0}}\n',
    ):
        assert listing.session.from_server(line) == [ToClient(line)]
    listing.run(listing.answered(listing.asked[-1], cursor({"cursor": "c6"})))
    assert listing.said == "Complete: 2 pages, 5 rows."


def test_when_the_server_ends_the_pages_that_came_are_the_answer() -> None:
    """PAGING-15"""
    listing = Listing(CURSOR, held).call()
    assert listing.session.awaited == 1
    listing.run(listing.session.server_ended("it ended with exit code 7; start it again"))
    assert items(listing) == [0, 1, 2]
    assert "; it ended with exit code 7; start it again. To go on" in listing.said
    none = Listing(CURSOR, lambda given: "").call()
    assert [type(action) for action in none.session.server_ended("it ended")] == [Stop, ToClient]


def test_two_collectings_do_not_meet() -> None:
    """PAGING-03"""
    listing = Listing(CURSOR, held).call(id="7").call({"state": "x"}, id='"7"')
    assert [message["id"] for message in listing.asked] == ["own-1", "own-2", "own-3", "own-4"]
    first, second = listing.asked[1], listing.asked[3]
    for message in (second, first):
        listing.run(listing.answered(message, cursor({"cursor": "c6"})))
    takes = [action for action in listing.done if isinstance(action, Take)]
    assert [take.line.split(b",")[1] for take in takes] == [b'"id":"7"', b'"id":7']


def test_before_the_sibling_was_shown_a_call_of_its_name_goes_to_the_server() -> None:
    """PAGING-01"""
    listing = Listing(CURSOR, cursor, tools=[{**LISTED, "name": "other"}])
    line = request("tools/call", '{"name":"list_issues_all"}', "7")
    assert listing.session.from_client(line) == [ToServer(line)]


def test_a_client_that_was_shown_the_siblings_has_them_in_the_next_session() -> None:
    """PAGING-18"""
    listing = Listing(CURSOR, cursor)
    listing.start_again()
    assert listing.call().said == "Complete: 3 pages, 8 rows."


def test_what_the_server_says_of_the_tool_holds_for_the_sibling() -> None:
    """PAGING-20"""
    tool = {**LISTED, "description": "All that is open.", "outputSchema": {"type": "object"}}
    learnt = [action.tools for action in Listing(CURSOR, cursor, tools=[tool]).done if isinstance(action, Learn)]
    assert {(one.name, one.description, one.schema) for texts in learnt for one in texts} == {
        (name, "All that is open.", b'{"type": "object"}') for name in ("list_issues", "list_issues_all")
    }
