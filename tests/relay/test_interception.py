"""Every way in which a tool's result reaches a client, and what is recorded of each."""

import pytest

from millpond.relay.actions import Action, Keep, Take, ToClient, ToServer
from millpond.relay.session import Session
from relay_talk import REPLACED, answer, ask, call, request, rows, session, show_tools

LARGE = rows(200)
VERSION = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
WORKING = '"taskId":"786","status":"working","createdAt":"2026-11-30T12:00:00Z"'
COMPLETED = '"taskId":"786","status":"completed"'


def shown(max_result_bytes: int = 1 << 28) -> Session:
    """A session whose client was shown the own tools."""
    relay = session(max_result_bytes=max_result_bytes)
    show_tools(relay)
    return relay


def the_take(actions: list[Action]) -> Take:
    (take,) = actions
    assert isinstance(take, Take)
    return take


def the_keep(actions: list[Action]) -> Keep:
    sent, keep = actions
    assert isinstance(sent, ToClient)
    assert isinstance(keep, Keep)
    return keep


# --- where results come from ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("meta", ["", f",{VERSION}"])
def test_a_call_of_either_era_is_taken(meta: str) -> None:
    """RELAY-10"""
    take = the_take(ask(shown(), "tools/call", f'{{"name":"list_issues"{meta}}}', LARGE))
    assert take.call.tool == "list_issues"


def test_a_result_after_rounds_of_input_is_taken_as_the_first_call() -> None:
    """RELAY-09, RELAY-10"""
    relay = shown()
    for state in ("one", "two"):
        wanted = f'{{"resultType":"input_required","requestState":"{state}","inputRequests":{{}}}}'
        assert call(relay, wanted) == [ToClient(answer(wanted))]
    again = f'{{"name":"list_issues","arguments":{{"q":1}},"requestState":"two","inputResponses":{{}},{VERSION}}}'
    take = the_take(ask(relay, "tools/call", again, b'{"resultType":"complete",' + LARGE[1:]))
    assert (take.call.number, take.call.arguments) == (1, b'{"q":1}')


def test_a_result_after_the_server_asked_the_user_in_mid_call_is_taken() -> None:
    """RELAY-10"""
    relay = shown()
    relay.from_client(request("tools/call", '{"name":"list_issues"}', "1"))
    asked = b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Which?"}}\n'
    assert relay.from_server(asked) == [ToClient(asked)]
    told = b'{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"repository":"r"}}}\n'
    assert relay.from_client(told) == [ToServer(told)]
    assert the_take(relay.from_server(answer(LARGE, "1"))).call.tool == "list_issues"


def test_the_result_of_a_task_is_the_result_of_its_tool() -> None:
    """RELAY-13"""
    relay = shown()
    started = f'{{"task":{{{WORKING}}}}}'
    begin = ask(relay, "tools/call", '{"name":"slow","arguments":{"n":1},"task":{"ttl":60000}}', started)
    assert begin == [ToClient(answer(started))]
    polled = f"{{{WORKING}}}"
    assert ask(relay, "tasks/get", '{"taskId":"786"}', polled) == [ToClient(answer(polled))]
    take = the_take(ask(relay, "tasks/result", '{"taskId":"786"}', LARGE))
    assert (take.call.tool, take.call.arguments, take.call.number) == ("slow", b'{"n":1}', 1)
    assert ask(relay, "tasks/result", '{"taskId":"other"}', LARGE) == [ToClient(answer(LARGE))]


def begun(relay: Session) -> None:
    """Have the server make a task of a call by itself, as 2026-07-28 lets it."""
    started = f'{{"resultType":"task",{WORKING}}}'
    params = f'{{"name":"slow","arguments":{{"n":1}},{VERSION}}}'
    assert ask(relay, "tools/call", params, started) == [ToClient(answer(started))]


def test_the_result_inside_an_answer_to_tasks_get_is_exchanged_and_nothing_around_it() -> None:
    """RELAY-26"""
    relay = shown()
    begun(relay)
    working = f'{{"resultType":"complete",{WORKING}}}'
    assert ask(relay, "tasks/get", '{"taskId":"786"}', working) == [ToClient(answer(working))]
    outer = b'{"resultType":"complete",' + COMPLETED.encode() + b',"result" : %s ,"x":1.0}'
    take = the_take(ask(relay, "tasks/get", '{"taskId":"786"}', outer % LARGE))
    assert (take.call.tool, take.call.arguments, take.call.number) == ("slow", b'{"n":1}', 1)
    assert relay.taken(take, REPLACED) == answer(outer % (REPLACED.body or b""))


def test_the_result_inside_a_notification_of_a_task_is_exchanged_too() -> None:
    """RELAY-26"""
    relay = shown()
    begun(relay)
    line = b'{"jsonrpc":"2.0","method":"notifications/tasks","params":{%s,"result":%s}}\n'
    told = line % (COMPLETED.encode(), LARGE)
    take = the_take(relay.from_server(told))
    assert relay.taken(take, REPLACED) == line % (COMPLETED.encode(), REPLACED.body or b"")
    other = told.replace(b'"786"', b'"787"')
    assert relay.from_server(other) == [ToClient(other)]


def test_a_batch_passes_whole_and_nothing_in_it_is_answered_here() -> None:
    """RELAY-27"""
    relay = shown()
    one = request("tools/call", '{"name":"query","arguments":{"sql":"SELECT 1"}}', "1").strip()
    batch = b"[" + one + b"," + one.replace(b'"id":1', b'"id":2').replace(b"query", b"list_issues") + b"]\n"
    assert relay.from_client(batch) == [ToServer(batch)]
    answers = b"[" + answer(LARGE, "1").strip() + b"," + answer(LARGE, "2").strip() + b"]\n"
    assert relay.from_server(answers) == [ToClient(answers)]


# --- what is recorded -----------------------------------------------------------------------------------------------


def test_a_result_that_is_too_large_to_keep_has_its_row_all_the_same() -> None:
    """RELAY-28"""
    keep = the_keep(call(shown(max_result_bytes=5_000), LARGE))
    assert (keep.call.number, keep.call.unkept_bytes, bytes(keep.result)) == (1, len(LARGE), b"")
    assert keep.call.note == "larger than max_result_bytes (5,000): not kept"


def test_an_answer_to_a_cancelled_call_has_its_row_and_makes_no_table() -> None:
    """RELAY-28"""
    relay = shown()
    relay.from_client(request("tools/call", '{"name":"list_issues","arguments":{"a":1}}', "5"))
    relay.from_client(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}\n')
    keep = the_keep(relay.from_server(answer(LARGE, "5")))
    assert (bytes(keep.result), keep.call.replaceable) == (LARGE, False)
    assert keep.call.note == "answered after it was cancelled; its arguments are not kept"


def test_a_protocol_error_has_its_row_where_the_server_has_tools() -> None:
    """RELAY-28"""
    error = b'{"code":-32602,"message":"no such tool"}'
    line = b'{"jsonrpc":"2.0","id":1,"error":' + error + b"}\n"
    relay = shown()
    relay.from_client(request("tools/call", '{"name":"other"}'))
    keep = the_keep(relay.from_server(line))
    assert (bytes(keep.result), keep.call.tool, keep.call.replaceable) == (error, "other", False)
    assert keep.call.note == "answered with a protocol error"
    toolless = session()
    toolless.from_client(request("tools/call", '{"name":"other"}'))
    assert toolless.from_server(line) == [ToClient(line)]
    assert not toolless.wants_engine


# --- lists that change ----------------------------------------------------------------------------------------------


def test_a_change_of_the_list_is_told_once_and_the_next_list_has_the_own_tool_again() -> None:
    """TOOLS-02"""
    relay = shown()
    changed = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
    assert relay.from_server(changed) == [ToClient(changed)]
    sent, _ = ask(relay, "tools/list", None, '{"tools":[{"name":"b","outputSchema":{}}]}')
    assert isinstance(sent, ToClient)
    assert b"outputSchema" not in sent.line
    assert sent.line.count(b'"name":"query"') == 1


def test_a_cursor_that_comes_again_and_again_is_the_clients_to_follow() -> None:
    """TOOLS-12"""
    relay = shown()
    page = '{"tools":[{"name":"a"}],"nextCursor":"same"}'
    for _ in range(3):
        assert ask(relay, "tools/list", '{"cursor":"same"}', page) == [ToClient(answer(page))]
