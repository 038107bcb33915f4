"""Sessions of the revisions that open with `initialize`, over HTTP: what both ends see, as bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from http_talk import BOTH, INITIALIZE, Front, Session

ODD = rb'{"one":1.0,"hundred":1e2,"money":12345678901234567.89,"none":NaN,"half":"\ud800","twice":1,"twice":2}'


@pytest.fixture(scope="module")
def started() -> Iterator[Front]:
    with Front() as front:
        yield front


@pytest.fixture
def front(started: Front) -> Iterator[Front]:
    """One for all tests, each of which leaves nothing behind."""
    yield started
    started.tidy()


@pytest.mark.parametrize("ident", [b"1", b'"1"', b"1.0", b"12345678901234567890123", rb'"\u0061"'])
def test_bodies_and_answers_keep_every_byte(front: Front, ident: bytes) -> None:
    """HTTPF-01, HTTPF-04"""
    reply = front.session().ask("vendor/x", ODD, ident)
    assert (reply.status, reply.is_stream) == (200, True)
    line = reply.line()
    start = b'{"jsonrpc":"2.0","id":' + ident + b',"result":{"odd":' + ODD + b',"line":'
    assert line.startswith(start)
    body = b'{"jsonrpc":"2.0","id":' + ident + b',"method":"vendor/x","params":' + ODD + b"}\n"
    assert json.loads(line[len(start) : -2]) == body.decode()


def test_line_breaks_between_values_become_blanks(front: Front) -> None:
    """HTTPF-02"""
    session = front.session()
    body = b'{\r\n  "jsonrpc": "2.0", "id": 1,\n  "method": "vendor/x", "params": {"s": "a\\nb"}\n}'
    came = json.loads(session.post(body).line())["result"]["line"]
    assert came == body.replace(b"\n", b" ").replace(b"\r", b" ").decode() + "\n"
    assert session.ask("test/noise").line().endswith(b'"result":{ "after" : "noise" }}')


def test_a_session_has_a_server_of_its_own_and_an_id_nobody_guesses(front: Front) -> None:
    """HTTPF-03"""
    first, second = front.session(), front.session()
    assert first.id != second.id
    assert len(first.id) * 6 >= 128
    first.ask("vendor/first").line()
    second.ask("vendor/second").line()
    lines = json.dumps(json.loads(second.ask("test/seen").line()))
    assert "vendor/second" in lines
    assert "vendor/first" not in lines


def test_a_server_that_refuses_to_initialize_leaves_no_session() -> None:
    """HTTPF-03"""
    with Front(env={"REFUSE": "1"}) as front:
        reply = front.send("POST", INITIALIZE, BOTH)
        assert "mcp-session-id" not in reply.headers
        assert reply.json()["error"]["message"] == "no such method"


def test_an_answer_too_large_for_an_event_is_a_body(front: Front) -> None:
    """HTTPF-04"""
    reply = front.session().ask("tools/call", b'{"name":"large"}')
    assert not reply.is_stream
    assert len(reply.json()["result"]["content"][0]["data"]) == 2_000_000


def test_notifications_and_answers_are_accepted(front: Front) -> None:
    """HTTPF-04"""
    session = front.session()
    reply = session.post(b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"n":1.0}}')
    assert (reply.status, reply.body()) == (202, b"")
    seen = json.loads(session.ask("test/seen").line())["result"]["lines"]
    assert seen[-2] == '{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"n":1.0}}'


def test_progress_and_logs_come_in_the_stream_of_their_request(front: Front) -> None:
    """HTTPF-05"""
    session = front.session()
    session.ask("test/hold", ident=b'"held"')
    first, second, answer = session.ask("test/progress", b'{"_meta":{"progressToken":"t"}}').events()
    assert b'"progressToken":"t","progress":1.0}' in first
    assert b'"progress":2e0}' in second
    assert b'"steps":2' in answer
    alone = front.session().ask("test/log").events()
    assert [b"notifications/message" in line for line in alone] == [True, False]


def test_a_changed_list_comes_in_the_get_stream_whenever_that_is_opened(front: Front) -> None:
    """HTTPF-05, HTTPF-06"""
    session = front.session()
    assert len(session.ask("test/announce").events()) == 1
    stream = session.get()
    assert stream.event() == b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"n":1.0}}'
    assert session.get().status == 409
    session.ask("test/announce", ident=b"2").line()
    assert stream.event() is not None


def test_the_server_asks_the_client_and_gets_its_answers_bytes(front: Front) -> None:
    """HTTPF-01, HTTPF-05"""
    session = front.session()
    stream = session.ask("test/ask")
    assert (
        stream.event() == b'{"jsonrpc":"2.0","id":"server-1","method":"sampling/createMessage","params":' + ODD + b"}"
    )
    answer = b'{"jsonrpc":"2.0","id":"server-1","result":' + ODD + b"}"
    assert session.post(answer).status == 202
    last = stream.event()
    assert last
    assert json.loads(last)["result"]["line"] == answer.decode() + "\n"


def test_without_a_get_stream_the_newest_request_that_is_read_carries_what_belongs_to_none(front: Front) -> None:
    """HTTPF-05"""
    session = front.session()
    held = session.ask("test/hold", ident=b'"h1"')
    asking = session.ask("test/ask", ident=b'"h2"')
    assert b"sampling/createMessage" in (asking.event() or b"")
    held.close()


def test_a_client_that_lost_its_connection_gets_the_rest(front: Front) -> None:
    """HTTPF-07"""
    session = front.session()
    stream = session.ask("test/hold", ident=b'"held"')
    session.ask("test/progress", b'{"_meta":{"progressToken":"t"}}', b"2").events()
    stream.place()
    stream.close()
    assert session.ask("test/release", ident=b"3").line().endswith(b'{"released":true}}')
    again = session.get({"Last-Event-ID": stream.last_id})
    assert again.events() == [b'{"jsonrpc":"2.0","id":"held","result":{"held":true}}']
    for lost in ("99-1", "x", "1-" + "9" * 20):
        assert session.get({"Last-Event-ID": lost}).status == 400


def test_a_long_wait_is_polled_where_that_is_wanted(tmp_path: Path) -> None:
    """HTTPF-08"""
    config = tmp_path / "c.toml"
    config.write_text("[http]\npoll_seconds = 0.1\n")
    with Front("--config", str(config)) as front:
        session = front.session()
        stream = session.ask("test/hold", ident=b'"held"')
        assert stream.events() == []
        again = session.get({"Last-Event-ID": stream.last_id})
        assert again.events() == []
        session.ask("test/release", ident=b"2").line()
        last = session.get({"Last-Event-ID": again.last_id})
        assert last.events() == [b'{"jsonrpc":"2.0","id":"held","result":{"held":true}}']


def test_a_session_ends_with_delete_and_is_nobodys_afterwards(front: Front) -> None:
    """HTTPF-09"""
    session = front.session()
    held = session.ask("test/hold", ident=b'"held"')
    assert session.delete().status == 200
    assert session.ask("ping").status == session.get().status == session.delete().status == 404
    assert b'"error":{"code":-32603' in held.line()
    assert front.send("POST", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', BOTH).status == 400
    assert front.send("GET", None, BOTH).status == front.send("DELETE", None, BOTH).status == 400


@pytest.mark.parametrize(
    ("method", "body", "headers", "status"),
    [
        ("PUT", b"{}", {}, 405),
        ("ET", b"{}", {}, 405),
        ("POST", INITIALIZE, {"Accept": "application/json"}, 406),
        ("POST", INITIALIZE, {"Content-Type": "text/plain"}, 415),
        ("POST", b"{" + b" " * (4 << 20) + b"}", {}, 413),
        ("POST", b"{", {}, 400),
        ("POST", b"\xff", {}, 400),
        ("POST", b"[" * 5_000, {}, 400),
        ("POST", b"[" + INITIALIZE + b"]", {}, 400),
        ("POST", INITIALIZE.replace(b'"id":0', b'"id":0,"id":1'), {}, 400),
        ("POST", INITIALIZE.replace(b'"id":0', b'"id":true'), {}, 400),
        ("POST", b'{"jsonrpc":"2.0","id":1}', {}, 400),
        ("POST", INITIALIZE.replace(b'"2.0"', b'"1.0"'), {}, 400),
    ],
)
def test_what_is_no_request_is_refused_and_begins_nothing(
    front: Front, method: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    """HTTPF-10"""
    reply = front.send(method, body, {**BOTH, **headers})
    assert reply.status == status
    assert "mcp-session-id" not in reply.headers
    assert ("allow" in reply.headers) == (status == 405)


def test_an_id_is_taken_once_and_a_cancelled_request_is_answered(front: Front) -> None:
    """HTTPF-11"""
    session = front.session()
    held = session.ask("test/hold", ident=b'"a"')
    assert session.ask("ping", ident=rb'"\u0061"').status == 400
    session.post(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}')
    assert held.line() == b'{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"Request cancelled"}}'
    assert b'"result"' in session.ask("ping", ident=b'"a"').line()


def test_large_results_are_tables_of_their_session_alone() -> None:
    """HTTPF-16"""
    with Front(env={"TOOLS": "1"}) as front:
        first, second = front.session(), front.session()
        for session in (first, second):
            assert b'"name":"query"' in session.ask("tools/list").line()
        handle = json.loads(first.ask("tools/call", b'{"name":"rows"}').line())["result"]
        table = handle["_meta"]["millpond/handle"]["tables"][0]["name"]
        assert query(first, f"SELECT sum(price) AS s FROM {table}") == '[{"s":124800.00}]'
        assert "from an earlier session" in query(second, f"SELECT * FROM {table}")
        assert query(second, "SELECT count(*) AS n FROM calls") == '[{"n":0}]'


def query(session: Session, sql: str) -> str:
    """The text of the own tool's answer."""
    params = json.dumps({"name": "query", "arguments": {"sql": sql, "format": "json"}}).encode()
    return json.loads(session.ask("tools/call", params, b'"q"').line())["result"]["content"][0]["text"]


def test_a_client_that_reads_slowly_holds_nobody_else_up(front: Front) -> None:
    """HTTPF-23"""
    slow, other = front.session(), front.session()
    torrent = slow.ask("test/torrent", b'{"_meta":{"progressToken":7}}')
    assert b'"result"' in other.ask("ping").line()
    *numbers, answer = (json.loads(line) for line in torrent.events())
    assert [each["params"]["progress"] for each in numbers] == list(range(400))
    assert answer["id"] == 1
