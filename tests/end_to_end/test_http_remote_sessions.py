"""`millpond URL`: sessions that are lost, streams that end early, servers of 2024-11-05, and the end."""

from __future__ import annotations

import asyncio
import json
import signal

import pytest

from http_client import INITIALIZED, millpond, modern, opened, remote
from http_server import EVENTS, Answer, Asked, Handle, HttpServer, Mcp, result_of

NOTICE = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'


# --- sessions -------------------------------------------------------------------------------------------------------


def test_a_lost_session_is_opened_again_with_the_clients_own_words() -> None:
    """HTTPC-09"""
    with remote() as (client, server, mcp):
        assert client.ask("ping", ident=2)["id"] == 2
        mcp.sessions.clear()
        before = len(server.asked)
        for number in range(20):
            client.request("vendor/x", {"n": 1.0}, 10 + number)
        assert sorted(json.loads(client.line())["id"] for _ in range(20)) == list(range(10, 30))
        assert client.close() == 0
        notes = [line for line in client.stderr() if "lost the session" in line]
    posts = [asked for asked in server.asked if asked.verb == "POST"]
    again = [asked for asked in server.asked[before:] if asked.method in ("initialize", "notifications/initialized")]
    assert [asked.body for asked in again] == [posts[0].body, posts[1].body]
    assert mcp.opened == 2
    assert len(notes) == 1
    assert {asked.headers["mcp-session-id"] for asked in posts[-3:]} == {"session-2"}


def test_a_session_that_cannot_be_opened_again_is_an_error_and_nothing_is_sent_twice() -> None:
    """HTTPC-09, HTTPC-13"""
    refuses: list[bool] = []

    async def initialize(asked: Asked, answer: Answer) -> None:
        if refuses:
            await answer.send(b"", 503)
        else:
            mcp.sessions.add("session-1")
            await answer.result(asked, '{"protocolVersion":"2025-06-18","capabilities":{}}', mcp_session_id="session-1")

    mcp = Mcp({"initialize": initialize})
    with HttpServer(mcp) as server, millpond(server.url) as client:
        opened(client)
        refuses.append(True)
        mcp.sessions.clear()
        client.request("vendor/x", ident=3)
        message = json.loads(client.line())["error"]["message"]
        assert message.startswith("the server lost the session, and it cannot be opened again: the server at http://")
        assert message.endswith("; start this one again")
        assert server.posted().count("vendor/x") == 1


def test_a_server_that_speaks_another_revision_now_is_an_error() -> None:
    """HTTPC-09"""
    with remote() as (client, _, mcp):
        mcp.sessions.clear()
        mcp.version = "2025-11-25"
        client.request("ping", ident=3)
        assert "another revision" in json.loads(client.line())["error"]["message"]


@pytest.mark.parametrize(("status", "sent"), [(404, 2), (400, 2), (409, 1)])
def test_a_server_that_knows_no_session_for_long_is_asked_twice_only(status: int, sent: int) -> None:
    """HTTPC-09"""
    body = b'"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}'

    async def forget(asked: Asked, answer: Answer) -> None:
        await answer.send(b'{"jsonrpc":"2.0",' + body, status)

    with remote({"vendor/x": forget}) as (client, server, _):
        client.request("vendor/x", ident=3)
        assert client.line() == b'{"jsonrpc":"2.0","id":3,' + body + b"\n"
        assert server.posted().count("vendor/x") == sent
        assert server.posted().count("initialize") == sent


def test_a_call_that_is_refused_as_bad_is_sent_once() -> None:
    """HTTPC-09, HTTPC-13"""
    error = b'{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid params"}}'

    async def refuse(asked: Asked, answer: Answer) -> None:
        await answer.send(error, 400)

    with remote({"vendor/x": refuse}) as (client, server, _):
        client.request("vendor/x", ident=3)
        assert client.line() == error + b"\n"
        assert server.posted().count("vendor/x") == 1


def test_what_follows_initialize_waits_for_its_answer_and_not_for_its_streams_end() -> None:
    """HTTPC-05, HTTPC-18"""

    async def initialize(asked: Asked, answer: Answer) -> None:
        mcp.sessions.add("s")
        await answer.begin(mcp_session_id="s")
        await answer.event(result_of(asked, '{"protocolVersion":"2025-06-18","capabilities":{}}'))
        await answer.event(NOTICE)
        await answer.gone()

    mcp = Mcp({"initialize": initialize})
    with HttpServer(mcp) as server, millpond(server.url) as client:
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n', INITIALIZED)
        client.request("ping", ident=2)
        assert [json.loads(client.line()).get("id") for _ in range(3)] == [1, None, 2]
        assert server.posted() == ["initialize", "notifications/initialized", "ping"]


def test_a_notification_of_a_lost_session_is_sent_again() -> None:
    """HTTPC-09"""
    with remote() as (client, server, mcp):
        assert client.ask("ping", ident=2)["id"] == 2
        mcp.sessions.clear()
        client.send(b'{"jsonrpc":"2.0","method":"notifications/x"}\n')
        assert client.ask("ping", ident=3)["id"] == 3
    assert server.posted()[-5:] == [
        "notifications/x",
        "initialize",
        "notifications/initialized",
        "notifications/x",
        "ping",
    ]


def test_a_second_initialize_begins_a_session_of_its_own() -> None:
    """HTTPC-03"""
    with remote() as (client, server, _):
        opened(client)
        assert client.ask("ping", ident=2)["id"] == 2
    posts = [asked for asked in server.asked if asked.verb == "POST"]
    assert [asked.headers.get("mcp-session-id") for asked in posts] == [
        None,
        "session-1",
        None,
        "session-2",
        "session-2",
    ]


# --- streams --------------------------------------------------------------------------------------------------------


def test_what_the_server_says_of_its_own_accord_is_heard_and_its_stream_kept_open() -> None:
    """HTTPC-07"""
    connections: list[str | None] = []

    async def listen(asked: Asked, answer: Answer) -> None:
        connections.append(asked.headers.get("last-event-id"))
        await answer.begin()
        if len(connections) == 1:
            await answer.event(NOTICE, id="7", retry="1")
            answer.cut()
        elif len(connections) == 2:
            await answer.event(b'{"jsonrpc":"2.0","id":"s1","method":"roots/list"}', id="8")
            await answer.end()
        else:
            await answer.gone()

    with remote({"GET": listen}) as (client, server, _):
        assert client.line() == NOTICE + b"\n"
        assert json.loads(client.line())["method"] == "roots/list"
        client.send(b'{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}\n')
        server.until(lambda: len(connections) == 3)
    assert connections == [None, "7", "8"]


def test_an_answer_is_resumed_behind_the_last_event_where_its_stream_ends() -> None:
    """HTTPC-08"""
    resumed: list[tuple[str | None, str | None]] = []
    waiting: list[Asked] = []

    async def poll(asked: Asked, answer: Answer) -> None:
        waiting.append(asked)
        await answer.begin()
        await answer.event(b"", id="a-1", retry="1")
        if asked.message["params"]["cut"]:
            answer.cut()
        else:
            await answer.end()

    async def listen(asked: Asked, answer: Answer) -> None:
        last = asked.headers.get("last-event-id")
        if last is None:
            await answer.send(status=405)
            return
        resumed.append((last, asked.headers.get("mcp-session-id")))
        await answer.begin()
        if last == "a-1":
            await answer.event(b'{"jsonrpc":"2.0","method":"notifications/progress"}', id="a-2")
        else:
            await answer.event(result_of(waiting[-1], '"resumed"'), id="a-3")
        await answer.end()

    for cut in (False, True):
        resumed.clear()
        with remote({"vendor/poll": poll, "GET": listen}) as (client, server, _):
            client.request("vendor/poll", {"cut": cut}, 5)
            assert json.loads(client.line())["method"] == "notifications/progress"
            assert json.loads(client.line()) == {"jsonrpc": "2.0", "id": 5, "result": "resumed"}
            assert server.posted().count("vendor/poll") == 1
        assert resumed == [("a-1", "session-1"), ("a-2", "session-1")]


def test_an_answer_that_cannot_be_resumed_is_an_error() -> None:
    """HTTPC-08, HTTPC-13"""
    tries: list[int] = []

    def listen(status: int) -> Handle:
        async def handle(asked: Asked, answer: Answer) -> None:
            if "last-event-id" in asked.headers:
                tries.append(status)
            await answer.send(status=status, kind="text/plain" if status != 200 else EVENTS)

        return handle

    async def poll(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.event(b"", id="1", retry="1")
        await answer.end()

    for status, most in ((400, 1), (404, 1), (503, 5), (200, 5)):
        tries.clear()
        with remote({"vendor/poll": poll, "GET": listen(status)}) as (client, _, _):
            client.request("vendor/poll", ident=5)
            assert "without a result" in json.loads(client.line())["error"]["message"]
        assert len(tries) == most


def test_a_subscription_that_ends_is_told() -> None:
    """HTTPC-13"""

    async def listen(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.event(NOTICE)
        await answer.end()

    with remote({"subscriptions/listen": listen}, opens=False) as (client, _, _):
        client.request("subscriptions/listen", modern(), "sub")
        assert client.line() == NOTICE + b"\n"
        assert json.loads(client.line())["id"] == "sub"


# --- servers of 2024-11-05 ------------------------------------------------------------------------------------------


class OldServer:
    """A server with one stream and an endpoint for messages."""

    def __init__(self, endpoint: str = "messages?session=1") -> None:
        self.endpoint = endpoint
        self.streams: list[Answer] = []
        self.answers = True

    async def __call__(self, asked: Asked, answer: Answer) -> None:
        if asked.verb == "GET":
            self.streams.append(answer)
            await answer.begin()
            await answer.event(self.endpoint.encode(), event="endpoint")
            await answer.gone()
        elif asked.path == "/mcp":
            await answer.send(b"Method Not Allowed", 405, "text/plain")
        else:
            await answer.send(b"Accepted", 202, "text/plain")
            if "id" in asked.message and self.answers:
                result = '{"protocolVersion":"2024-11-05","capabilities":{}}' if asked.method == "initialize" else "1.0"
                await self.streams[-1].event(result_of(asked, result), event="message")


def test_a_server_of_2024_is_found_and_spoken_to() -> None:
    """HTTPC-11, HTTPC-12, HTTPC-01"""
    old = OldServer()
    with HttpServer(old) as server, millpond(server.url) as client:
        opened(client, "2024-11-05")
        client.send(b'{"jsonrpc":"2.0","id":7,"method":"vendor/x","params":{"n":1e2}}\n')
        assert client.line() == b'{"jsonrpc":"2.0","id":7,"result":1.0}\n'
        assert client.close() == 0
    assert server.asked[-1].body == b'{"jsonrpc":"2.0","id":7,"method":"vendor/x","params":{"n":1e2}}'
    assert server.asked[-1].path == "/messages?session=1"
    assert [asked.verb for asked in server.asked[:2]] == ["POST", "GET"]


def test_a_stream_of_2024_that_ended_is_opened_again_before_the_next_request() -> None:
    """HTTPC-12, HTTPC-13"""
    old = OldServer()
    with HttpServer(old) as server, millpond(server.url) as client:
        opened(client, "2024-11-05")
        assert client.ask("ping", ident=1)["id"] == 1
        old.answers = False
        client.request("vendor/x", ident=2)
        server.until(lambda: server.posted()[-1] == "vendor/x")
        old.streams[-1].cut()
        assert "the connection broke; the call may have run" in json.loads(client.line())["error"]["message"]
        old.answers = True
        assert client.ask("ping", ident=3)["result"] == 1.0
        assert client.close() == 0
        assert any("was opened again" in line for line in client.stderr())
    assert server.posted()[-3:] == ["initialize", "notifications/initialized", "ping"]


def test_an_endpoint_at_another_origin_is_refused() -> None:
    """HTTPC-12, HTTPC-17"""
    with HttpServer(Mcp()) as other:
        old = OldServer(f"{other.origin}/messages")
        with HttpServer(old) as server, millpond(server.url) as client:
            client.request("initialize", {})
            assert "405" in json.loads(client.line())["error"]["message"]
    assert other.asked == []


# --- the end --------------------------------------------------------------------------------------------------------


def test_what_is_under_way_is_answered_before_the_end_and_the_session_is_deleted() -> None:
    """HTTPC-18"""
    released = asyncio.Event()

    async def late(asked: Asked, answer: Answer) -> None:
        await released.wait()
        await answer.result(asked, '"late"')

    async def release(asked: Asked, answer: Answer) -> None:
        await answer.send(status=202)
        released.set()

    with remote({"vendor/late": late, "notifications/release": release}) as (client, server, _):
        client.request("vendor/late", ident=9)
        client.send(b'{"jsonrpc":"2.0","method":"notifications/release"}\n')
        client.stdin.close()
        assert json.loads(client.line())["result"] == "late"
        assert client.wait() == 0
        assert client.stderr() == []
    assert server.asked[-1].verb == "DELETE"
    assert server.asked[-1].headers["mcp-session-id"] == "session-1"


def test_a_signal_ends_it_with_a_call_under_way() -> None:
    """HTTPC-18"""

    async def never(asked: Asked, answer: Answer) -> None:
        await answer.gone()

    with remote({"vendor/never": never}) as (client, server, _):
        client.request("vendor/never", ident=9)
        server.until(lambda: "vendor/never" in server.posted())
        client.process.send_signal(signal.SIGTERM)
        assert "the connection to http://" in json.loads(client.line())["error"]["message"]
        assert client.wait() == 128 + signal.SIGTERM
    assert server.asked[-1].verb == "DELETE"


def test_a_server_without_sessions_is_asked_for_none() -> None:
    """HTTPC-03, HTTPC-18"""

    async def initialize(asked: Asked, answer: Answer) -> None:
        mcp.sessions.add("")
        await answer.result(asked, '{"protocolVersion":"2025-03-26","capabilities":{}}')

    class Stateless(Mcp):
        def _knows(self, asked: Asked) -> bool:
            return True

    mcp = Stateless({"initialize": initialize})
    with HttpServer(mcp) as server, millpond(server.url) as client:
        client.request("initialize", {}, 1)
        assert json.loads(client.line())["id"] == 1
        client.send(INITIALIZED)
        assert client.ask("ping", ident=2)["id"] == 2
        assert client.close() == 0
    assert {asked.headers.get("mcp-session-id") for asked in server.asked} == {None}
    assert "DELETE" not in [asked.verb for asked in server.asked]
