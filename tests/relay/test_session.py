import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies_relay as some
from millpond.core.model import Mode, Outcome, Verdict
from millpond.relay.actions import Keep, Take, ToClient, ToServer
from millpond.relay.requests import MAX_PENDING
from relay_talk import (
    FAILED,
    KEPT,
    REPLACED,
    TIME,
    answer,
    ask,
    call,
    request,
    rows,
    session,
    show_tools,
    taken,
    to_client,
)

LARGE = rows(200)
SMALL = rows(2)
ERROR = b'{"content":[{"type":"text","text":"' + b"x" * 5000 + b'"}],"isError":true}'


# --- what passes ----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.booleans(), some.lines), max_size=8))
def test_any_line_of_either_side_goes_on_as_it_came_before_tools_are_shown(talk: list[tuple[bool, bytes]]) -> None:
    """RELAY-01, RELAY-02, RELAY-08"""
    relay = session(inline_rows_bytes=0)
    for is_client, line in talk:
        first, *rest = relay.from_client(line) if is_client else relay.from_server(line)
        assert first == (ToServer(line) if is_client else ToClient(line))
        assert all(isinstance(action, Keep) for action in rest)


CLIENT_LINES = [
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    b'  {"method":"notifications/initialized","jsonrpc":"2.0"}\r\n',
    b'{"jsonrpc":"2.0","id":"s","result":{"roots":[]}}\n',
    b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
    b'{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n',
    b'{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t"}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n',
    b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","arguments":{"n":NaN,"s":"\\ud800"}}}\n',
    b"\n",
    b"\xff junk",
]
SERVER_LINES = [
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.50}}\n',
    b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\n',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}\n',
    b'[{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}]\n',
    b'{"jsonrpc":"2.0","id":99,"result":{"content":[]}}\n',
    b"Server listening\n",
    b"\r\n",
]


@pytest.mark.parametrize("line", CLIENT_LINES)
def test_lines_of_the_client_pass_in_every_revision(line: bytes) -> None:
    """RELAY-01, RELAY-02"""
    relay = session()
    show_tools(relay)
    assert relay.from_client(line) == [ToServer(line)]


@pytest.mark.parametrize("line", SERVER_LINES)
def test_lines_of_the_server_pass_in_every_revision(line: bytes) -> None:
    """RELAY-01, RELAY-02"""
    relay = session()
    show_tools(relay)
    assert relay.from_server(line) == [ToClient(line)]


LEFT = answer('{"content":[],"structuredContent":[{"n":{}},{}]}', "7").strip()


@pytest.mark.parametrize("length", range(1, len(LEFT)))
def test_what_a_dying_server_leaves_of_an_answer_is_none(length: int) -> None:
    """RELAY-02, RELAY-21"""
    relay = session(inline_rows_bytes=0)
    show_tools(relay)
    relay.from_client(request("tools/call", '{"name":"list_issues"}', "7"))
    assert relay.from_server(LEFT[:length]) == [ToClient(LEFT[:length])]
    (owed,) = relay.server_ended("it died")
    assert isinstance(owed, ToClient)
    assert b'"id":7,"error"' in owed.line


def test_a_whole_answer_without_its_lines_end_is_one() -> None:
    """RELAY-02"""
    relay = session()
    show_tools(relay)
    relay.from_client(request("tools/call", '{"name":"list_issues"}', "7"))
    sent, kept = relay.from_server(LEFT)
    assert sent == ToClient(LEFT)
    assert isinstance(kept, Keep)
    assert relay.server_ended("it died") == []


# --- what is replaced, and what is not ------------------------------------------------------------------------------


def test_a_small_result_goes_on_at_once_and_is_recorded() -> None:
    """RELAY-06, RELAY-14"""
    relay = session()
    show_tools(relay)
    sent, kept = call(relay, SMALL, arguments='{"state": "open"}')
    assert sent == ToClient(answer(SMALL))
    assert isinstance(kept, Keep)
    assert bytes(kept.result) == SMALL
    assert (kept.call.number, kept.call.tool, kept.call.arguments) == (1, "list_issues", b'{"state": "open"}')
    assert (kept.call.time, kept.call.mode, kept.call.replaceable) == (TIME, "auto", True)


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_a_larger_result_is_given_to_the_engine_and_only_its_value_is_exchanged(mode: Mode) -> None:
    """RELAY-10"""
    relay = session({"list_issues": mode})
    show_tools(relay)
    line = b' {"x":1.0,"result" : ' + LARGE + b' ,"jsonrpc":"2.0","id":1}\r\n'
    relay.from_client(request("tools/call", '{"name":"list_issues"}'))
    new = taken(relay, relay.from_server(line), REPLACED)
    assert new == line.replace(LARGE, REPLACED.body or b"")


def test_a_tool_whose_mode_is_always_gives_its_small_results_too() -> None:
    """RELAY-10"""
    relay = session({"list_issues": "always"})
    show_tools(relay)
    assert isinstance(call(relay, SMALL)[0], Take)


@pytest.mark.parametrize("outcome", [KEPT, FAILED])
def test_a_result_that_the_engine_keeps_or_cannot_store_goes_on_as_it_came(outcome: Outcome) -> None:
    """RELAY-10"""
    relay = session()
    show_tools(relay)
    assert taken(relay, call(relay, LARGE), outcome) == answer(LARGE)


@pytest.mark.parametrize(
    ("mode", "result"), [("never", LARGE), ("never", SMALL), ("auto", ERROR), ("always", ERROR)], ids=str
)
def test_errors_and_results_of_tools_that_are_left_alone_go_on_and_are_recorded(mode: Mode, result: bytes) -> None:
    """RELAY-07"""
    relay = session({"list_issues": mode})
    show_tools(relay)
    sent, kept = call(relay, result)
    assert sent == ToClient(answer(result))
    assert isinstance(kept, Keep)
    assert kept.call.replaceable is (result is not ERROR)


def test_nothing_is_replaced_before_the_own_tools_were_shown() -> None:
    """RELAY-08"""
    relay = session({"list_issues": "always"})
    sent, kept = call(relay, LARGE)
    assert sent == ToClient(answer(LARGE))
    assert isinstance(kept, Keep)
    assert not kept.call.replaceable
    ask(relay, "tools/list", None, '{"tools":[{"name":"list_issues"}],"nextCursor":"2"}')
    assert call(relay, LARGE)[0] == ToClient(answer(LARGE))
    ask(relay, "tools/list", '{"cursor":"2"}', '{"tools":[]}')
    assert isinstance(call(relay, LARGE)[0], Take)


def test_a_result_that_asks_for_input_goes_on_and_counts_as_no_call() -> None:
    """RELAY-09, RELAY-14"""
    relay = session({"list_issues": "always"})
    show_tools(relay)
    wanted = '{"resultType":"input_required","inputRequests":{},"requestState":"' + "s" * 9000 + '"}'
    assert call(relay, wanted) == [ToClient(answer(wanted))]
    (take,) = call(relay, b'{"resultType":"complete",' + LARGE[1:])
    assert isinstance(take, Take)
    assert take.call.number == 1


def test_a_result_with_nan_and_lone_surrogates_has_its_exact_place() -> None:
    """RELAY-04, RELAY-10"""
    relay = session()
    show_tools(relay)
    result = LARGE.replace(b"12345", b"NaN").replace(b"a title", b"\\ud800")
    (take,) = call(relay, result)
    assert isinstance(take, Take)
    assert take.line[take.result.start : take.result.stop] == result
    assert relay.taken(take, REPLACED) == answer(REPLACED.body or b"")


def test_ids_of_other_types_are_other_ids() -> None:
    """RELAY-03"""
    relay = session()
    show_tools(relay)
    for id_, tool in (("1", "a"), ('"1"', "b"), ("1.0", "c"), ('"\\u00e9"', "d")):
        relay.from_client(request("tools/call", f'{{"name":"{tool}"}}', id_))
    found = [relay.from_server(answer(LARGE, id_))[0] for id_ in ('"é"', "1.0", "1", '"1"')]
    assert [take.call.tool for take in found if isinstance(take, Take)] == ["d", "c", "a", "b"]


def test_calls_are_numbered_as_their_results_come() -> None:
    """RELAY-14"""
    relay = session()
    show_tools(relay)
    for id_ in ("1", "2", "3"):
        relay.from_client(request("tools/call", f'{{"name":"t{id_}"}}', id_))
    found = [relay.from_server(answer(LARGE, id_))[0] for id_ in ("3", "1", "2")]
    assert [(take.call.number, take.call.tool) for take in found if isinstance(take, Take)] == [
        (1, "t3"),
        (2, "t1"),
        (3, "t2"),
    ]


# --- what no line can carry -----------------------------------------------------------------------------------------

LINE = 60_000
HUGE = rows(2_000)


def text_of(line: bytes) -> str:
    text: str = msgspec.json.decode(line)["result"]["content"][0]["text"]
    return text


@pytest.mark.parametrize("outcome", [KEPT, FAILED])
def test_a_result_that_no_line_can_carry_is_cut_to_a_note_and_its_first_part(outcome: Outcome) -> None:
    """RELAY-11"""
    relay = session(max_line_bytes=LINE)
    show_tools(relay)
    line = taken(relay, call(relay, HUGE), outcome)
    assert len(line) < LINE
    decoded = msgspec.json.decode(line)
    assert set(decoded["result"]) == {"content"}
    note, first = text_of(line).split("\n\n", 1)
    assert f"{len(HUGE):,} bytes" in note
    assert (outcome.note or "it holds no list of rows") in note
    assert first.startswith('{"items":[{"id":12345')


def test_a_result_above_max_result_bytes_is_not_given_to_the_engine() -> None:
    """RELAY-12, RELAY-11"""
    relay = session(max_result_bytes=10_000, max_line_bytes=LINE)
    show_tools(relay)
    assert call(relay, rows(500))[0] == ToClient(answer(rows(500)))
    sent, _ = call(relay, HUGE)
    assert isinstance(sent, ToClient)
    assert len(sent.line) < LINE
    assert "max_result_bytes is 10,000" in text_of(sent.line)


@pytest.mark.parametrize("mode", ["auto", "never"])
def test_an_error_or_a_tool_that_is_left_alone_is_cut_too_and_an_error_stays_one(mode: Mode) -> None:
    """RELAY-11"""
    relay = session({"list_issues": mode}, max_line_bytes=LINE)
    show_tools(relay)
    sent = to_client(call(relay, b'{"isError":true,"_meta":{"a":1.0},' + HUGE[1:]))
    assert len(sent) < LINE
    assert sent.index(b'"isError":true')
    assert sent.index(b'"_meta":{"a":1.0}')


def test_a_cancelled_call_that_is_answered_all_the_same_is_cut_and_not_stored() -> None:
    """RELAY-11"""
    relay = session(max_line_bytes=LINE)
    show_tools(relay)
    relay.from_client(request("tools/call", '{"name":"list_issues"}', "5"))
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}\n'
    assert relay.from_client(cancel) == [ToServer(cancel)]
    sent, _ = relay.from_server(answer(HUGE, "5"))
    assert isinstance(sent, ToClient)
    assert "the call was cancelled" in text_of(sent.line)


def test_a_protocol_error_that_no_line_can_carry_keeps_code_and_beginning() -> None:
    """RELAY-11"""
    relay = session(max_line_bytes=LINE)
    show_tools(relay)
    relay.from_client(request("tools/call", '{"name":"list_issues"}'))
    error = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"it broke","data":"' + b"d" * LINE + b'"}}\n'
    line = to_client(relay.from_server(error))
    assert msgspec.json.decode(line)["error"]["code"] == -32000
    assert msgspec.json.decode(line)["error"]["message"].startswith("it broke (the rest of this error")


def test_other_answers_pass_whatever_their_length() -> None:
    """RELAY-01"""
    relay = session(max_line_bytes=LINE)
    show_tools(relay)
    assert ask(relay, "resources/read", "{}", HUGE) == [ToClient(answer(HUGE))]


# --- ends -----------------------------------------------------------------------------------------------------------


def test_what_waits_for_an_answer_is_bounded_and_what_is_forgotten_passes() -> None:
    """RELAY-15"""
    relay = session()
    show_tools(relay)
    for number in range(MAX_PENDING + 1):
        relay.from_client(request("tools/call", '{"name":"a"}', str(number)))
    assert relay.awaited == MAX_PENDING
    assert relay.from_server(answer(LARGE, "0")) == [ToClient(answer(LARGE, "0"))]
    assert isinstance(relay.from_server(answer(LARGE, "1"))[0], Take)


def test_when_the_server_ends_every_pending_request_gets_an_error_and_those_that_follow_too() -> None:
    """RELAY-21"""
    relay = session()
    show_tools(relay)
    relay.from_client(request("tools/call", '{"name":"a"}', "7"))
    relay.from_client(request("ping", None, '"x"'))
    error = b'"error":{"code":-32603,"message":"it ended"}}\n'
    assert relay.server_ended("it ended") == [
        ToClient(b'{"jsonrpc":"2.0","id":7,' + error),
        ToClient(b'{"jsonrpc":"2.0","id":"x",' + error),
    ]
    assert relay.from_client(request("ping", None, "8")) == [ToClient(b'{"jsonrpc":"2.0","id":8,' + error)]
    assert relay.awaited == 0


def test_nobody_waits_for_a_subscription_or_for_what_was_cancelled() -> None:
    """RELAY-18"""
    relay = session()
    relay.from_client(request("subscriptions/listen", "{}", "7"))
    relay.from_client(request("ping", None, "8"))
    assert relay.awaited == 1
    relay.from_client(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}\n')
    assert relay.awaited == 0


def test_a_verdict_to_replace_without_a_body_is_no_loss() -> None:
    """RELAY-10"""
    relay = session()
    show_tools(relay)
    assert taken(relay, call(relay, LARGE), Outcome(verdict=Verdict.REPLACE)) == answer(LARGE)


def test_an_engine_is_wanted_once_there_are_tools() -> None:
    """RELAY-24"""
    relay = session()
    ask(relay, "initialize", "{}", '{"capabilities":{"prompts":{}}}')
    ask(relay, "ping", None, "{}")
    assert not relay.wants_engine
    ask(relay, "initialize", "{}", '{"capabilities":{"tools":{}}}')
    assert relay.wants_engine
