import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

import strategies_relay as some
from millpond.core.model import Mode
from millpond.relay.actions import Ask, Stop, ToClient, ToServer
from millpond.relay.own_tools import INSTRUCTIONS, own_tool
from relay_talk import answer, ask, call, request, rows, session, show_tools, to_client

MODERN = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
PARAGRAPH = json.dumps(INSTRUCTIONS)


# --- the opening ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["initialize", "server/discover"])
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ('"instructions":"Be \\u00e9xact." ', f'"instructions":{PARAGRAPH[:-1]}\\n\\nBe \\u00e9xact." '),
        ('"instructions":null', f'"instructions":{PARAGRAPH}'),
    ],
)
def test_a_paragraph_stands_before_the_servers_instructions(method: str, theirs: str, ours: str) -> None:
    """TOOLS-01"""
    opening = '{ "capabilities":{"tools":{"listChanged":true}}, %s, "x":1.0}'
    assert ask(session(), method, "{}", opening % theirs) == [ToClient(answer(opening % ours))]


def test_without_instructions_the_paragraph_is_all_of_them() -> None:
    """TOOLS-01"""
    sent = to_client(ask(session(), "initialize", "{}", '{"capabilities":{"tools":{}}}'))
    assert sent == answer(f'{{"capabilities":{{"tools":{{}}}},"instructions":{PARAGRAPH}}}')


def test_what_is_added_is_short() -> None:
    """TOOLS-01, TOOLS-10"""
    assert len(INSTRUCTIONS) <= 400
    assert len(INSTRUCTIONS) + len(own_tool("millpond_query")) <= 1_500


def test_where_files_may_be_written_the_tool_says_so() -> None:
    """EXPORT-01, EXPORT-14, TOOLS-10"""
    plain, writing = (json.loads(own_tool("query", exports=exports)) for exports in (False, True))
    assert "export" not in plain["inputSchema"]["properties"]
    assert writing["inputSchema"]["properties"]["export"]["type"] == "string"
    assert plain["annotations"]["readOnlyHint"]
    assert "readOnlyHint" not in writing["annotations"]
    assert not writing["annotations"]["destructiveHint"]
    assert len(INSTRUCTIONS) + len(own_tool("millpond_query", exports=True)) <= 1_500
    shown = to_client(ask(session(exports=True), "tools/list", None, '{"tools":[{"name":"a"}]}'))
    assert own_tool("query", exports=True) in shown


def test_the_own_tool_as_the_agent_reads_it() -> None:
    tool = json.loads(own_tool("query"))
    assert textwrap.wrap(tool.pop("description"), 100) == snapshot(
        [
            "Run one read-only DuckDB SQL statement on the tables that this server's results became. Small",
            "results have tables too, named in `calls` (number, tool, arguments, time, bytes, tables, note).",
            "`results` (call, part, text) holds each result as it came. SHOW TABLES, DESCRIBE, SUMMARIZE t,",
            "t.column, DROP TABLE work. STRUCT fields: user.login; lists: unnest(labels).",
        ]
    )
    assert tool == snapshot(
        {
            "name": "query",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "sql": {
                        "type": "string",
                        "description": "One SELECT, such as SELECT state, count(*) FROM t GROUP BY ALL",
                    },
                    "max_rows": {"type": "integer", "minimum": 1, "description": "100 by default"},
                    "format": {"type": "string", "enum": ["markdown", "csv", "json"]},
                    "save_as": {"type": "string", "description": "Keep the whole answer as a table of this name"},
                    "exact_total": {"type": "boolean", "description": "Also count all rows when the answer is cut"},
                    "canvas": {
                        "type": "string",
                        "description": "Another canvas's SELECT canvas_id()",
                    },
                },
                "required": ["sql"],
            },
            "annotations": {"title": "Query results", "readOnlyHint": True, "openWorldHint": False},
        }
    )


@pytest.mark.parametrize("capabilities", ["{}", '{"prompts":{"x":"tools"}}', "null", "[]"])
def test_a_server_without_tools_is_relayed_and_nothing_is_added(capabilities: str) -> None:
    """TOOLS-09"""
    relay = session()
    opening = f'{{"capabilities":{capabilities},"instructions":"a"}}'
    assert ask(relay, "initialize", "{}", opening) == [ToClient(answer(opening))]
    listing = '{"tools":[{"name":"a","outputSchema":{}}]}'
    assert ask(relay, "tools/list", None, listing) == [ToClient(answer(listing))]


# --- the list -------------------------------------------------------------------------------------------------------


def listed(modes: dict[str, Mode], *pages: str) -> list[str]:
    """What the client gets for each page."""
    relay = session(modes)
    cursors = [None, *(f'{{"cursor":"{number}"}}' for number in range(1, len(pages)))]
    lines = [to_client(ask(relay, "tools/list", at, page)) for at, page in zip(cursors, pages, strict=True)]
    before = answer("").removesuffix(b"}\n")
    return [line.removeprefix(before).removesuffix(b"}\n").decode() for line in lines]


def own(name: str = "query") -> str:
    return own_tool(name).decode()


def test_the_own_tool_stands_at_the_end_of_the_last_page_only() -> None:
    """TOOLS-02"""
    first, last = listed({}, '{"tools":[{"name":"a"}],"nextCursor":"1"}', '{"tools":[ {"name":"b"} ],"_meta":{}}')
    assert first == '{"tools":[{"name":"a"}],"nextCursor":"1"}'
    assert last == f'{{"tools":[ {{"name":"b"}},{own()} ],"_meta":{{}}}}'


def test_the_own_tool_stands_alone_on_an_empty_last_page() -> None:
    """TOOLS-02"""
    assert listed({}, '{"tools":[{"name":"a"}],"nextCursor":"1"}', '{"tools":[ ],"nextCursor":null}')[1] == (
        f'{{"tools":[{own()} ],"nextCursor":null}}'
    )


def test_a_server_with_no_tool_at_all_gets_none() -> None:
    """TOOLS-09"""
    assert listed({}, '{"tools":[]}') == ['{"tools":[]}']


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ('{"name":"a","outputSchema":{"x":NaN},"z":1.10}', '{"name":"a","z":1.10}'),
        ('{ "outputSchema" : {} , "name":"a"}', '{ "name":"a"}'),
        ('{"name":"a" ,"outputSchema":null }', '{"name":"a"  }'),
        ('{"name":"a","description":"outputSchema"}', '{"name":"a","description":"outputSchema"}'),
        ('{"name":"kept","outputSchema":{ }}', '{"name":"kept","outputSchema":{ }}'),
        ('{"outputSchema":{}}', '{"outputSchema":{}}'),
        ("7", "7"),
    ],
)
def test_an_output_schema_goes_where_results_may_be_replaced_and_nothing_else(theirs: str, ours: str) -> None:
    """TOOLS-03"""
    other = '{"name":"b","inputSchema":{"type":"object"}}'
    assert listed({"kept": "never"}, f'{{"tools":[{theirs}, {other}]}}') == [f'{{"tools":[{ours}, {other},{own()}]}}']


tools = st.lists(st.dictionaries(some.names, some.values, max_size=4), max_size=4)


@given(tools)
def test_of_any_tools_every_other_member_stays_as_it_is(found: list[dict[str, str]]) -> None:
    """TOOLS-03"""
    given_tools = [{**tool, "name": f'"t{number}"', "outputSchema": "{}"} for number, tool in enumerate(found)]
    expected = [
        ",".join(f"{json.dumps(k)}:{v}" for k, v in tool.items() if k != "outputSchema") for tool in given_tools
    ]
    text = ",".join("{" + ",".join(f"{json.dumps(k)}:{v}" for k, v in tool.items()) + "}" for tool in given_tools)
    (page,) = listed({}, f'{{"tools":[{text}]}}')
    end = f",{own()}" if found else ""
    assert page == '{"tools":[' + ",".join(f"{{{tool}}}" for tool in expected) + end + "]}"


@pytest.mark.parametrize(
    "page", ["{}", '{"tools":null}', '{"tools":{}}', "null", "[]", '"tools"', '{"tools":[],"tools":[{"name":"a"}]}']
)
def test_a_page_that_is_none_goes_on_as_it_came(page: str) -> None:
    """TOOLS-11"""
    assert ask(session(), "tools/list", None, page) == [ToClient(answer(page))]


@pytest.mark.parametrize(
    ("pages", "name"),
    [
        (['{"tools":[{"name":"query"}]}'], "millpond_query"),
        (['{"tools":[{"name":"query"}],"nextCursor":"1"}', '{"tools":[{"name":"b"}]}'], "millpond_query"),
        (['{"tools":[{"name":"query"},{"name":"millpond_query"}]}'], "millpond_query_2"),
        (['{"tools":[{"name":"Query"}]}'], "query"),
    ],
)
def test_the_own_tool_steps_aside_for_the_servers(pages: list[str], name: str) -> None:
    """TOOLS-04"""
    assert own(name) in listed({}, *pages)[-1]


def test_a_server_that_gets_a_query_of_its_own_later_has_the_name_from_then_on() -> None:
    """TOOLS-04"""
    relay = session()
    show_tools(relay, "a")
    assert isinstance(relay.from_client(request("tools/call", '{"name":"query"}', "5"))[0], Ask)
    show_tools(relay, "a", "query")
    theirs = request("tools/call", '{"name":"query"}', "6")
    assert relay.from_client(theirs) == [ToServer(theirs)]
    assert isinstance(relay.from_client(request("tools/call", '{"name":"millpond_query"}', "7"))[0], Ask)


# --- own calls ------------------------------------------------------------------------------------------------------


def test_before_the_own_tool_was_shown_a_call_of_its_name_is_the_servers() -> None:
    """TOOLS-05"""
    relay = session()
    assert to_client(call(relay, rows(1), "query")) == answer(rows(1))
    show_tools(relay, "query")
    assert to_client(call(relay, rows(1), "query")) == answer(rows(1))


@pytest.mark.parametrize("raw_id", ["1", "1.0", '"a\\u00e9"', '"x y"'])
@pytest.mark.parametrize(
    ("meta", "tail"), [("", ""), (f",{MODERN}", ',"resultType":"complete"'), (',"_meta":{"x":1}', "")]
)
def test_an_own_call_is_answered_here_in_the_callers_era(raw_id: str, meta: str, tail: str) -> None:
    """TOOLS-06, TOOLS-07"""
    relay = session()
    show_tools(relay)
    arguments = '{"sql": "SELECT \'io.modelcontextprotocol/protocolVersion\'"}'
    (asked,) = relay.from_client(request("tools/call", f'{{"name":"query","arguments":{arguments}{meta}}}', raw_id))
    assert isinstance(asked, Ask)
    assert (asked.arguments.decode(), asked.query_tool) == (arguments, "query")
    assert relay.answered(asked, b'{"content":[]}') == answer('{"content":[]' + tail + "}", raw_id)


def test_an_own_call_without_arguments_has_none() -> None:
    """TOOLS-06"""
    relay = session()
    show_tools(relay)
    (asked,) = relay.from_client(request("tools/call", '{"name":"query"}'))
    assert isinstance(asked, Ask)
    assert asked.arguments == b"{}"


def test_a_cancelled_own_call_stops_and_other_cancellations_pass() -> None:
    """TOOLS-08"""
    relay = session()
    show_tools(relay)
    (asked,) = relay.from_client(request("tools/call", '{"name":"query"}', '"a"'))
    assert isinstance(asked, Ask)
    other = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}\n'
    assert relay.from_client(other) == [ToServer(other)]
    own_cancel = other.replace(b'"b"', b'"a"')
    assert relay.from_client(own_cancel) == [Stop(asked.key)]
    assert relay.from_client(own_cancel) == [ToServer(own_cancel)]
