"""Requests of 2026-07-28 over HTTP: what both ends see, as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from http_talk import BOTH, META, MODERN, Front

ODD = rb'{"one":1.0,"hundred":1e2,"money":12345678901234567.89,"none":NaN,"half":"\ud800","twice":1,"twice":2}'


@pytest.fixture(scope="module")
def started() -> Iterator[Front]:
    with Front(env={"TOOLS": "1"}) as front:
        yield front


@pytest.fixture
def front(started: Front) -> Iterator[Front]:
    """One for all tests, each of which leaves nothing behind."""
    yield started
    started.tidy()


def seen(front: Front) -> list[str]:
    """The lines that the server was sent so far."""
    return front.modern("test/seen").json()["result"]["lines"]


@pytest.mark.parametrize("ident", [b"1", b'"1"', b"1.0", b"12345678901234567890123", rb'"\u0061"'])
def test_bodies_and_answers_keep_every_byte_but_the_ids(front: Front, ident: bytes) -> None:
    """HTTPF-01, HTTPF-12, HTTPF-14"""
    reply = front.modern("vendor/x", b',"odd":' + ODD, ident)
    assert (reply.status, reply.is_stream) == (200, False)
    line = reply.body()
    start = b'{"jsonrpc":"2.0","id":' + ident + b',"result":{"odd":' + ODD + b',"line":'
    assert line.startswith(start)
    head, came = json.loads(line[len(start) : -2]).split(',"method"')
    assert came == ':"vendor/x","params":{"_meta":' + META.decode() + '},"odd":' + ODD.decode() + "}}\n"
    assert int(head.removeprefix('{"jsonrpc":"2.0","id":')) > 0


def test_two_clients_with_one_id_do_not_meet(front: Front) -> None:
    """HTTPF-12"""
    stream = front.modern("subscriptions/listen", ident=b"1")
    assert stream.event() is not None
    answers = [front.modern("vendor/" + name, ident=b"1") for name in "ab"]
    for name, answer in zip("ab", answers, strict=True):
        assert f'"method":"vendor/{name}"' in answer.json()["result"]["line"]


def test_progress_comes_with_the_token_of_its_client(front: Front) -> None:
    """HTTPF-12, HTTPF-14"""
    token = rb'"t\u0041"'
    reply = front.modern("test/progress", b',"_meta":' + META + b',"progressToken":' + token + b"}")
    first, second, answer = reply.events()
    start = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":' + token
    assert (first, second) == (start + b',"progress":1.0}}', start + b',"progress":2e0}}')
    assert answer == b'{"jsonrpc":"2.0","id":1,"result":{"steps":2}}'


def test_a_subscription_has_the_id_of_its_request(front: Front) -> None:
    """HTTPF-12"""
    stream = front.modern("subscriptions/listen", ident=rb'"li\u0061"')
    for method in (b"subscriptions/acknowledged", b"tools/list_changed"):
        meta = rb'{"_meta":{"io.modelcontextprotocol/subscriptionId":"li\u0061"}}'
        assert stream.event() == b'{"jsonrpc":"2.0","method":"notifications/' + method + b'","params":' + meta + b"}"


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Mcp-Method": "ping"}, -32020),
        ({"Mcp-Name": "other"}, -32020),
        ({"MCP-Protocol-Version": "2027-01-01"}, -32020),
    ],
)
def test_headers_agree_with_the_body(front: Front, headers: dict[str, str], code: int) -> None:
    """HTTPF-13"""
    body = (
        b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"here","arguments":{},"_meta":'
        + META
        + b"}}}"
    )
    sent = {**BOTH, "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "here", **headers}
    reply = front.send("POST", body, sent)
    assert reply.status == 400
    answer = reply.json()
    assert (answer["id"], answer["error"]["code"]) == ("a", code)


def test_headers_that_repeat_arguments_are_checked_once_the_tool_was_listed(front: Front) -> None:
    """HTTPF-13"""
    arguments = b',"name":"here","arguments":{"region":"eu"}'
    front.modern("tools/list").body()
    assert front.modern("tools/call", arguments, headers={"Mcp-Param-Region": "eu"}).status == 200
    assert front.modern("tools/call", arguments, headers={"Mcp-Param-Region": "us"}).status == 400
    assert front.modern("tools/call", arguments).status == 400
    assert front.modern("tools/call", b',"name":"rows"').status == 200


def test_errors_have_the_status_of_their_code_and_there_is_no_initialize(front: Front) -> None:
    """HTTPF-13"""
    reply = front.modern("test/unknown", ident=b"1.0")
    error = b'{"jsonrpc":"2.0","id":1.0,"error":{"code":-32601,"message":"no such method","data":1.0}}'
    assert (reply.status, reply.body()) == (404, error)
    reply = front.modern("initialize")
    assert (reply.status, reply.json()["error"]["code"]) == (404, -32601)
    reply = front.send("POST", b'{"jsonrpc":"2.0","id":1,"method":"x"}', {**BOTH, "MCP-Protocol-Version": MODERN})
    assert (reply.status, reply.json()["error"]["code"]) == (400, -32602)


@pytest.mark.parametrize(
    ("method", "body", "headers", "status"),
    [
        ("GET", None, {}, 405),
        ("DELETE", None, {}, 405),
        ("POST", b"{}", {"Accept": "application/json"}, 406),
        ("POST", b"{}", {"Content-Type": "text/plain"}, 415),
        ("POST", b"[]", {}, 400),
        ("POST", b'{"jsonrpc":"2.0","id":1,"result":{}}', {}, 400),
        ("POST", b'{"jsonrpc":"2.0","method":"x"}', {"MCP-Protocol-Version": "2027-01-01"}, 400),
        ("POST", b'{"jsonrpc":"2.0","id":1,"method":"x","id":1,"params":{"_meta":' + META + b"}}}", {}, 400),
    ],
)
def test_what_is_no_request_is_refused(
    front: Front, method: str, body: bytes | None, headers: dict[str, str], status: int
) -> None:
    """HTTPF-10"""
    reply = front.send(method, body, {**BOTH, "MCP-Protocol-Version": MODERN, "Mcp-Method": "x", **headers})
    assert reply.status == status


def test_a_client_that_goes_away_has_its_request_cancelled(front: Front) -> None:
    """HTTPF-15"""
    stream = front.modern("subscriptions/listen", ident=b'"gone"')
    stream.event()
    [ident] = [json.loads(line)["id"] for line in seen(front) if "subscriptions/listen" in line][-1:]
    stream.close()
    params = {"requestId": ident, "reason": "the client went away"}
    cancelled = json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert any(cancelled.replace(" ", "") in line.replace(" ", "") for _ in range(200) for line in seen(front))


def test_notifications_are_accepted_and_reach_nobody(front: Front) -> None:
    """HTTPF-15"""
    stream = front.modern("subscriptions/listen", ident=b'"kept"')
    stream.event()
    [ident] = [json.loads(line)["id"] for line in seen(front) if "subscriptions/listen" in line][-1:]
    body = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"n":"dropped"}}' % ident
    assert front.send("POST", body, {**BOTH, "MCP-Protocol-Version": MODERN}).status == 202
    assert not any("dropped" in line for line in seen(front))


def test_large_results_are_tables_of_the_caller(front: Front) -> None:
    """HTTPF-12, HTTPF-16"""
    assert b'"name":"query"' in front.modern("tools/list").body()
    result = front.modern("tools/call", b',"name":"rows"').json()["result"]
    assert result["resultType"] == "complete"
    name = result["_meta"]["millpond/handle"]["tables"][0]["name"]
    sql = json.dumps({"sql": f"SELECT count(*) AS n FROM {name}", "format": "json"}).encode()
    answer = front.modern("tools/call", b',"name":"query","arguments":' + sql, b'"q"').json()
    assert answer["id"] == "q"
    assert answer["result"]["content"][0]["text"] == '[{"n":500}]'


def test_a_client_that_reads_slowly_holds_nobody_else_up(front: Front) -> None:
    """HTTPF-23"""
    torrent = front.modern("test/torrent", b',"_meta":' + META + b',"progressToken":7}')
    assert front.modern("vendor/x").json()["result"]
    *numbers, answer = (json.loads(line) for line in torrent.events())
    assert [each["params"]["progress"] for each in numbers] == list(range(400))
    assert {each["params"]["progressToken"] for each in numbers} == {7}
    assert answer["id"] == 1
