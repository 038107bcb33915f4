"""`millpond URL`: what is posted and what comes back, byte for byte, and in which order."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

from http_client import INITIALIZED, META, MILLPOND, millpond, modern, opened, remote
from http_server import JSON, MODERN, Answer, Asked, Handle, HttpServer, Mcp, result_of
from relay_client import SECONDS, Client

ODD = (
    rb'{"a":1.0,"b":1e2,"c":12345678901234567.89,"d":0.10,"a":2,"e":NaN,"f":-Infinity,"g":"\ud800","h":'
    + b"9" * 400
    + rb',  "i" : "\u00e9 \/ '
    + "é€😀".encode()
    + b'" , "j":[ ] }'
)


def answers_with(body: bytes, kind: str = JSON) -> Handle:
    """A method whose answer has these bytes."""

    async def handle(asked: Asked, answer: Answer) -> None:
        await answer.send(body, kind=kind)

    return handle


def test_a_line_is_a_posts_body_and_a_body_a_line() -> None:
    """HTTPC-01"""
    answer = b'{ "jsonrpc":"2.0",  "id": "x" ,"result":' + ODD + b"}"
    lines = [
        b' {"jsonrpc":"2.0","id":"x","method":"vendor/echo","params":' + ODD + b',"odd":1}\n',
        b'{"jsonrpc":"2.0","method":"notifications/vendor","params":' + ODD + b"}\r\n",
        b'{"jsonrpc":"2.0","id":"from server","result":' + ODD + b"}\n",
        b'[{"jsonrpc":"2.0","method":"notifications/a"}, {"jsonrpc":"2.0","method":"notifications/b"}]\n',
    ]
    with remote({"vendor/echo": answers_with(answer)}) as (client, server, _):
        client.send(b"\n", lines[0])
        assert client.line() == answer + b"\n"
        client.send(*lines[1:])
        assert client.ask("ping", ident=5)["result"] == {}
    bodies = [asked.body for asked in server.asked if asked.verb == "POST"]
    assert bodies[2:6] == [line.rstrip(b"\r\n") for line in lines]


def test_an_events_data_is_a_line_whatever_stands_around_it() -> None:
    """HTTPC-01"""
    first = b'{"jsonrpc":"2.0","method":"notifications/vendor","params":' + ODD + b"}"
    second = b'{"jsonrpc":"2.0","id":"from server","method":"vendor/ask","params":' + ODD + b"}"
    last = b'{"jsonrpc":"2.0","id":1,"result":' + ODD + b"}"

    async def stream(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.piece(b"\xef\xbb\xbf: welcome\r\n\r\nid: 1\ndata:\n\nevent: other\ndata: not for us\n\n")
        await answer.piece(b"event: message\r\nid: 2\r\ndata: " + first[:50])
        await answer.piece(first[50:] + b"\r")
        await answer.piece(b"\n\r\ndata:" + second + b"\n\n: ping\n\n")
        await answer.event(last)
        await answer.end()

    with remote({"vendor/stream": stream}) as (client, _, _):
        client.request("vendor/stream")
        assert [client.line() for _ in range(3)] == [first + b"\n", second + b"\n", last + b"\n"]


def test_a_pretty_printed_message_is_one_line_with_the_same_values() -> None:
    """HTTPC-01"""
    pretty = b'{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "result": {\n    "a": 1.0, "b": 1e2,\n    "c": "x\\ny"\n  }\n}\n'

    async def body(asked: Asked, answer: Answer) -> None:
        await answer.send(pretty.replace(b"\n", asked.message["params"].encode()))

    async def stream(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.piece(
            b"data: " + pretty.strip().replace(b"\n", asked.message["params"].encode() + b"data: ") + b"\r\n\r\n"
        )
        await answer.end()

    with remote({"vendor/body": body, "vendor/stream": stream}) as (client, _, _):
        for method in ("vendor/body", "vendor/stream"):
            for newline in ("\n", "\r\n", "\r"):
                client.request(method, newline)
                line = client.line()
                assert line.count(b"\n") == 1
                assert b"\r" not in line
                assert line.split() == pretty.split()


def test_twenty_mebibytes_in_one_message_come_whole() -> None:
    """HTTPC-02"""
    body = b'{"jsonrpc":"2.0","id":1,"result":{"text":"' + b"\\u00e9 1.0 " * (2 << 20) + b'"}}'

    async def large(asked: Asked, answer: Answer) -> None:
        await answer.send(body)

    async def stream(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        event, step = b"data: " + body + b"\n\n", asked.message["params"]
        for at in range(0, len(event), step):
            await answer.piece(event[at : at + step])
        await answer.end()

    with remote({"vendor/large": large, "vendor/stream": stream}) as (client, _, _):
        for method, step in (("vendor/large", 0), ("vendor/stream", 1 << 25), ("vendor/stream", 5_000)):
            client.request(method, step)
            assert client.line() == body + b"\n"


def test_a_large_request_is_posted_whole() -> None:
    """HTTPC-01, HTTPC-02"""
    line = b'{"jsonrpc":"2.0","id":1,"method":"vendor/echo","params":{"text":"' + b"x" * (12 << 20) + b'"}}\n'
    with remote() as (client, server, _):
        client.send(line)
        assert client.line() == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        assert server.asked[-1].body == line[:-1]


# --- order and concurrency ------------------------------------------------------------------------------------------


def test_notifications_go_out_in_their_order_and_requests_wait_for_those_before_them() -> None:
    """HTTPC-05"""
    with remote() as (client, server, _):
        lines = [b'{"jsonrpc":"2.0","method":"notifications/vendor","params":%d}\n' % n for n in range(100)]
        client.send(*lines, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert json.loads(client.line())["id"] == 1
        assert [asked.body + b"\n" for asked in server.asked if b"vendor" in asked.body] == lines
        assert server.posted()[-1] == "ping"


def test_a_cancellation_follows_the_request_that_it_names() -> None:
    """HTTPC-05, HTTPC-10"""

    async def cancelled(asked: Asked, answer: Answer) -> None:
        await answer.gone()

    with remote({"vendor/long": cancelled}) as (client, server, _):
        cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}\n'
        client.send(b'{"jsonrpc":"2.0","id":8,"method":"vendor/long"}\n', cancel)
        server.until(lambda: "notifications/cancelled" in server.posted())
        assert server.posted()[-2:] == ["vendor/long", "notifications/cancelled"]
        assert client.ask("ping", ident=9)["id"] == 9


def test_lines_that_are_piped_in_wait_for_the_answer_to_initialize() -> None:
    """HTTPC-05, HTTPC-18"""
    with HttpServer(Mcp()) as server:
        lines = b"".join(
            [
                b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n',
                INITIALIZED,
                b'{"jsonrpc":"2.0","id":2,"method":"ping"}',
            ]
        )
        command = [sys.executable, "-m", "millpond", server.url]
        done = subprocess.run(command, input=lines, capture_output=True, timeout=SECONDS, check=False)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert (done.returncode, done.stderr) == (0, b"")
    assert [(one.verb, one.headers.get("mcp-session-id")) for one in server.asked if one.verb != "GET"] == [
        ("POST", None),
        ("POST", "session-1"),
        ("POST", "session-1"),
        ("DELETE", "session-1"),
    ]


def test_two_hundred_calls_are_under_way_at_once() -> None:
    """HTTPC-06"""
    waiting: list[Callable[[], None]] = []

    async def together(asked: Asked, answer: Answer) -> None:
        import asyncio

        released = asyncio.Event()
        waiting.append(released.set)
        if len(waiting) == 200:
            for release in waiting:
                release()
        await released.wait()
        await answer.result(asked, json.dumps(asked.message["params"]))

    limited = ["sh", "-c", 'ulimit -Sn 200 && exec "$@"', "sh", *MILLPOND]  # macOS allows 256
    with HttpServer(Mcp({"vendor/together": together})) as server, Client([*limited, server.url]) as client:
        opened(client)
        for number in range(200):
            client.request("vendor/together", {"n": number}, number)
        answers = [json.loads(client.line()) for _ in range(200)]
    assert {answer["id"]: answer["result"]["n"] for answer in answers} == {number: number for number in range(200)}


def test_a_long_call_holds_up_neither_others_nor_an_answer_to_the_server() -> None:
    """HTTPC-06"""
    import asyncio

    answered = asyncio.Event()

    async def long(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.event(b'{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}')
        await answered.wait()
        await answer.event(result_of(asked, '"long"'))
        await answer.end()

    async def ping(asked: Asked, answer: Answer) -> None:
        await answer.result(asked, "{}")

    async def post(asked: Asked, answer: Answer) -> None:
        await answer.send(status=202)
        answered.set()

    with remote({"vendor/long": long, "ping": ping, "POST": post}) as (client, _, _):
        client.request("vendor/long", ident=1)
        assert json.loads(client.line())["method"] == "elicitation/create"
        for number in range(5):
            assert client.ask("ping", ident=10 + number)["id"] == 10 + number
        client.send(b'{"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}\n')
        assert json.loads(client.line()) == {"jsonrpc": "2.0", "id": 1, "result": "long"}


def test_a_client_that_does_not_read_stops_the_server() -> None:
    """HTTPC-20"""
    seen: list[Answer] = []

    async def torrent(asked: Asked, answer: Answer) -> None:
        seen.append(answer)
        await answer.begin()
        for _ in range(1_500):
            await answer.event(b'{"jsonrpc":"2.0","method":"notifications/x","params":"' + b"m" * (1 << 16) + b'"}')
        await answer.event(result_of(asked, "{}"))
        await answer.end()

    mcp = Mcp({"vendor/torrent": torrent})
    with HttpServer(mcp) as server, millpond(server.url, reads=False) as client:
        client.send(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
        client.request("vendor/torrent", ident=1)
        server.until(lambda: server.posted() == ["initialize", "vendor/torrent"])
        client.request("ping", ident=2)  # goes out all the same
        server.until(lambda: "ping" in server.posted())
        assert seen[0].event_bytes < 1_500 << 16
        client.read()
        lines = list(iter(lambda: read_until(client, b'"id":1'), b""))
    assert sum(b"notifications/x" in line for line in lines) == 1_500


def read_until(client: Client, mark: bytes) -> bytes:
    """The next line; b"" for one with the mark."""
    line = client.line()
    return b"" if mark in line else line


# --- headers --------------------------------------------------------------------------------------------------------


def test_requests_of_a_session_carry_its_id_and_the_negotiated_revision() -> None:
    """HTTPC-03"""
    with remote() as (client, server, _):
        assert client.ask("ping", ident=2)["id"] == 2
        assert client.close() == 0
    wanted = ("mcp-session-id", "mcp-protocol-version", "mcp-method")
    seen = {(one.verb, one.method): tuple(one.headers.get(name) for name in wanted) for one in server.asked}
    assert seen == {
        ("POST", "initialize"): (None, None, None),
        ("POST", "notifications/initialized"): ("session-1", "2025-06-18", None),
        ("GET", None): ("session-1", "2025-06-18", None),
        ("POST", "ping"): ("session-1", "2025-06-18", None),
        ("DELETE", None): ("session-1", "2025-06-18", None),
    }
    assert server.asked[0].headers["accept"] == "application/json, text/event-stream"
    assert server.asked[0].headers["content-type"] == "application/json"


def test_requests_of_2026_repeat_revision_method_name_and_arguments_in_headers() -> None:
    """HTTPC-04"""
    schema = {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}
    with remote(opens=False) as (client, server, mcp):
        mcp.tools = json.dumps([{"name": "weather é", "inputSchema": schema}])
        client.ask("server/discover", modern(), 1)
        client.ask("tools/list", modern(), 2)
        client.ask("tools/call", modern({"name": "weather é", "arguments": {"city": "Bern"}}), 3)
        client.ask("resources/read", modern({"uri": "file:///a b"}), 4)
        client.ask("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "2026-99-99"}}, 5)
        assert client.close() == 0
    wanted = ("mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-city", "mcp-session-id")
    assert [tuple(one.headers.get(name) for name in wanted) for one in server.asked] == [
        (MODERN, "server/discover", None, None, None),
        (MODERN, "tools/list", None, None, None),
        (MODERN, "tools/call", "=?base64?d2VhdGhlciDDqQ==?=", "Bern", None),
        (MODERN, "resources/read", "file:///a b", None, None),
        ("2026-99-99", "tools/list", None, None, None),
    ]


def test_a_request_of_2026_in_a_session_does_not_end_it() -> None:
    """HTTPC-03, HTTPC-10"""
    with remote() as (client, server, _):
        client.ask("server/discover", modern(), 1)
        assert client.ask("ping", ident=2)["id"] == 2
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n')
        assert client.ask("ping", ident=3)["id"] == 3
    seen = [(one.method, one.headers.get("mcp-session-id")) for one in server.asked if one.verb == "POST"]
    assert seen[2:] == [
        ("server/discover", None),
        ("ping", "session-1"),
        ("notifications/cancelled", "session-1"),
        ("ping", "session-1"),
    ]


def test_a_handshake_after_a_probe_of_2026_is_one_of_its_own_era() -> None:
    """HTTPC-03, HTTPC-04"""
    with remote(opens=False) as (client, server, _):
        client.ask("server/discover", modern(), 1)
        opened(client)
        assert client.ask("ping", ident=2)["id"] == 2
    assert [one.headers.get("mcp-protocol-version") for one in server.asked if one.verb == "POST"] == [
        MODERN,
        None,
        "2025-06-18",
        "2025-06-18",
    ]


def test_a_cancelled_request_of_2026_has_its_stream_closed() -> None:
    """HTTPC-10"""
    closed: list[object] = []
    told: list[HttpServer] = []

    async def long(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.event(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}')
        await answer.gone()
        closed.append(asked.message["id"])
        told[0].tell()

    with remote({"vendor/long": long}, opens=False) as (client, server, _):
        told.append(server)
        client.request("vendor/long", modern(), 1)
        assert json.loads(client.line())["method"] == "notifications/message"
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n')
        server.until(lambda: closed == [1])
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}\n')
        assert client.ask("ping", modern(), 2)["id"] == 2
    assert server.posted() == ["vendor/long", "ping"]
