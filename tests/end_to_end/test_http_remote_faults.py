"""`millpond URL` when things go wrong: every request is answered, and nothing secret is said."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from http_client import millpond, modern, opened, remote
from http_server import EVENTS, Answer, Asked, Handle, HttpServer, Mcp, result_of
from relay_client import SECONDS, Client

SECRET = "s3cret-t0ken"


def error_of(line: bytes, ident: Any = 1) -> str:
    """The message of the error in a line, which answers that request."""
    message = json.loads(line)
    assert message["id"] == ident
    return message["error"]["message"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def own(client: Client) -> list[str]:
    return [line for line in client.stderr() if line.startswith("millpond: ")]


# --- at the start ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:{port}/mcp", "connection refused; check the port, and that the server runs"),
        ("http://{secret}@[::1]:{port}/{secret}?key={secret}", "connection refused; check the port"),
        ("http://localhost:{port}/mcp", "connection refused; check the port, and that the server runs"),
        ("http://no-such-host.invalid/mcp", "its name is not known; check the URL's spelling"),
    ],
)
def test_a_server_that_is_not_there_is_one_line_and_exit_code_one(url: str, words: str, asks: bool) -> None:
    """HTTPC-14, HTTPC-16"""
    with millpond(url.format(port=free_port(), secret=SECRET)) as client:
        if asks:
            client.request("initialize", {})
            assert words in error_of(client.line())
        assert client.wait() == 1
        (line,) = own(client)
    assert line.startswith("millpond: the server at http://")
    assert words in line
    assert SECRET not in line


def test_a_certificate_that_is_not_trusted_is_said_and_one_that_is_trusted_works(tmp_path: Path) -> None:
    """HTTPC-14"""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True, timeout=SECONDS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HttpServer(Mcp(), tls=context) as server:
        with millpond(server.url) as client:
            assert client.wait() == 1
            (line,) = own(client)
            assert f"the server at {server.origin} cannot be reached: its certificate is not trusted" in line
        with millpond(server.url, env={"SSL_CERT_FILE": str(certificate)}) as client:
            assert opened(client).ask("ping", ident=2)["result"] == {}


def test_a_server_that_speaks_no_tls_is_said() -> None:
    """HTTPC-14"""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        millpond(f"https://127.0.0.1:{listening.getsockname()[1]}/mcp") as client,
    ):
        listening.settimeout(SECONDS)
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            assert client.wait() == 1
        assert "cannot be reached: TLS failed (" in own(client)[0]


# --- statuses -------------------------------------------------------------------------------------------------------


STATUSES = {
    401: "401 Unauthorized: it wants credentials, or other ones: check the Authorization header (--header,",
    403: "403 Forbidden: it refuses these credentials",
    404: "404 Not Found: there is no MCP server under this path: check the URL",
    413: "send less at once",
    418: "check the URL and headers",
    429: "429 Too Many Requests: it wants fewer requests",
    500: "500 Internal Server Error: it failed; the call may have run",
    503: "503 Service Unavailable: it failed",
    599: "answered 599: it failed",
}


@pytest.mark.parametrize("method", ["vendor/x", "initialize"])
def test_a_status_is_an_error_that_says_what_to_do(method: str) -> None:
    """HTTPC-13, HTTPC-16"""

    async def refuse(asked: Asked, answer: Answer) -> None:
        await answer.send(f'{{"detail":"{SECRET}"}}'.encode(), asked.message["id"])

    with remote({method: refuse}, opens=False) as (client, server, _):
        for status, words in STATUSES.items():
            client.request(method, modern() if method == "vendor/x" else {}, status)
            line = client.line()
            assert words in error_of(line, status)
            assert SECRET not in line.decode()
            assert server.origin in line.decode()
        assert client.close() == 0


@pytest.mark.parametrize(
    "said",
    [
        {"error": "invalid_token", "error_description": SECRET},
        {"error": {"code": 401, "message": SECRET}},
        {"id": "gateway-7", "error": {"code": 401, "message": SECRET}},
    ],
)
def test_an_error_that_is_none_of_json_rpc_is_not_passed_on(said: dict[str, object]) -> None:
    """HTTPC-13, HTTPC-16: gateways and OAuth write such bodies, and no client could tell them from junk."""

    async def refuse(asked: Asked, answer: Answer) -> None:
        await answer.send(json.dumps(said).encode(), 401)

    with remote({"vendor/x": refuse}, opens=False) as (client, _, _):
        client.request("vendor/x", modern(), 1)
        assert "answered 401 Unauthorized: it wants credentials" in error_of(client.line(), 1)
        assert client.close() == 0


def test_an_error_of_the_server_goes_on_whatever_its_status() -> None:
    """HTTPC-13"""
    error = '"error":{"code":-32022, "message":"no 1.0","data":{"n":1e2}}}'

    async def refuse(asked: Asked, answer: Answer) -> None:
        status, id = asked.message["params"]["status"], asked.message["params"]["id"]
        await answer.send(('{"jsonrpc":"2.0",' + (id and f'"id":{id},') + error).encode(), status)

    with remote({"vendor/x": refuse}, opens=False) as (client, _, _):
        for status in (200, 400, 404, 500):
            for id in ("null", "1", "", '"server-error"'):
                client.request("vendor/x", modern({"status": status, "id": id}), 1)
                assert client.line() == ('{"jsonrpc":"2.0","id":1,' + error + "\n").encode()


def test_a_probe_that_an_older_server_refuses_is_a_method_that_it_does_not_know() -> None:
    """HTTPC-13"""

    async def refuse(asked: Asked, answer: Answer) -> None:
        await answer.send(b"what?", 400, "text/plain")

    with remote({"server/discover": refuse}, opens=False) as (client, _, _):
        assert client.ask("server/discover", modern())["error"]["code"] == -32601
        opened(client)


async def accepted(asked: Asked, answer: Answer) -> None:
    await answer.send(status=202)


async def page(asked: Asked, answer: Answer) -> None:
    await answer.send(b"<p>Sign in</p>", kind="text/html")


async def empty(asked: Asked, answer: Answer) -> None:
    await answer.send(b"")


async def other(asked: Asked, answer: Answer) -> None:
    await answer.send(b'{"jsonrpc":"2.0","id":"another","result":{}}')


async def cut_before(asked: Asked, answer: Answer) -> None:
    answer.cut()


async def cut_in_body(asked: Asked, answer: Answer) -> None:
    await answer.begin(kind="application/json")
    await answer.piece(b'{"jsonrpc":"2.0","id":1,')
    answer.cut()


async def cut_in_event(asked: Asked, answer: Answer) -> None:
    await answer.begin()
    await answer.piece(b'data: {"jsonrpc":"2.0","id":1,')
    answer.cut()


async def ended_early(asked: Asked, answer: Answer) -> None:
    await answer.begin()
    await answer.piece(b": nothing\n\n")
    await answer.end()


async def nonsense(asked: Asked, answer: Answer) -> None:
    await answer.send(b"no gzip at all", kind=EVENTS, content_encoding="gzip")


NO_ANSWERS: dict[str, tuple[Handle, str]] = {
    "accepted": (accepted, "answered with 202 Accepted and no result: check that the URL is one of an MCP server"),
    "page": (page, "answered with a body that is neither JSON nor an event stream"),
    "empty": (empty, "ended its answer without a result; the call may have run"),
    "cut before": (cut_before, "the connection ended, or what came is no HTTP; the call may have run"),
    "cut in body": (cut_in_body, "the call may have run"),
    "cut in event": (cut_in_event, "the call may have run"),
    "ended early": (ended_early, "ended its answer without a result; the call may have run, so look before calling it"),
    "nonsense": (nonsense, "its body is not encoded as it says; the call may have run"),
}


def test_an_answer_that_is_none_is_an_error_and_the_session_goes_on() -> None:
    """HTTPC-13"""
    with remote({name: handle for name, (handle, _) in NO_ANSWERS.items()}) as (client, server, _):
        for name, (_, words) in NO_ANSWERS.items():
            client.request(name)
            assert words in error_of(client.line())
            assert client.ask("ping", ident=2)["result"] == {}
            assert server.posted().count(name) == 1
        assert client.close() == 0


def test_an_answer_to_another_request_goes_on_and_ours_gets_an_error() -> None:
    """HTTPC-13"""
    with remote({"vendor/x": other}) as (client, _, _):
        client.request("vendor/x")
        assert client.line() == b'{"jsonrpc":"2.0","id":"another","result":{}}\n'
        assert "without a result" in error_of(client.line())


def test_every_request_of_a_batch_gets_its_error() -> None:
    """HTTPC-13"""
    with remote({"POST": cut_before}) as (client, _, _):
        ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
        client.send(b"[" + ping % 1 + b"," + ping % 2 + b"]\n")
        assert [error_of(client.line(), ident)[:20] for ident in (1, 2)] == ["no whole answer came"] * 2


def test_a_server_that_goes_away_is_an_error_a_call_until_it_is_back() -> None:
    """HTTPC-13, HTTPC-09"""
    with ExitStack() as stack:
        with HttpServer(Mcp()) as server:
            client = stack.enter_context(millpond(server.url.replace("127.0.0.1", "localhost")))
            opened(client)
            assert client.ask("ping", ident=2)["id"] == 2
        client.request("ping", ident=3)
        assert "connection refused; check the port" in error_of(client.line(), 3)
        with HttpServer(Mcp(), port=server.port):
            assert client.ask("ping", ident=4)["result"] == {}
            assert client.close() == 0


def test_a_proxy_of_the_environment_is_used_and_its_refusal_is_said() -> None:
    """HTTPC-14, HTTPC-13"""
    with HttpServer(Mcp()) as proxy:
        env = {"HTTP_PROXY": proxy.origin, "http_proxy": proxy.origin, "NO_PROXY": "", "no_proxy": ""}
        with millpond("http://mcp.invalid/mcp", env=env) as client:
            assert opened(client).ask("ping", ident=2)["result"] == {}
        env |= {"HTTPS_PROXY": proxy.origin, "https_proxy": proxy.origin}
        with millpond("https://mcp.invalid/mcp", env=env) as client:
            client.request("initialize", {}, 1)
            assert "the proxy of the environment refused; check HTTPS_PROXY and NO_PROXY" in error_of(client.line())
            assert client.wait() == 1
    assert proxy.asked[0].path == "http://mcp.invalid/mcp"
    assert proxy.asked[-1].verb == "CONNECT"


# --- redirects and secrets ------------------------------------------------------------------------------------------


def test_headers_stay_with_their_origin(tmp_path: Path) -> None:
    """HTTPC-16, HTTPC-17"""
    with HttpServer(Mcp()) as other_server:

        async def away(asked: Asked, answer: Answer) -> None:
            await answer.send(status=307, location=f"{other_server.url}?{SECRET}")

        with HttpServer(Mcp({"vendor/away": away})) as server:
            config = tmp_path / "millpond.toml"
            config.write_text(
                f'[servers.x]\nurl = "{server.url}?key=${{KEY}}"\nheaders = {{ Authorization = "Bearer ${{KEY}}" }}'
            )
            with millpond("--config", str(config), env={"KEY": SECRET}) as client:
                opened(client)
                client.request("vendor/away")
                message = error_of(client.line())
                assert f"redirects (307) to {other_server.origin}, which is not followed" in message
                assert SECRET not in message
                assert client.close() == 0
                assert SECRET not in "".join(client.stderr())
    assert other_server.asked == []
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {SECRET}"}
    assert {asked.path for asked in server.asked} == {f"/mcp?key={SECRET}"}


def test_a_redirect_within_the_origin_is_followed_where_a_post_stays_a_post() -> None:
    """HTTPC-17"""
    mcp = Mcp()

    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.path.endswith("/"):
            await mcp(asked, answer)
        else:
            status = 308 if asked.method != "vendor/found" else 302
            await answer.send(status=status, location=f"{asked.path}/")

    with HttpServer(handle) as server, millpond(server.url) as client:
        opened(client)
        client.request("vendor/found")
        assert "redirects (302) to another path, which is not followed" in error_of(client.line())
    with HttpServer(_loops) as server, millpond(server.url) as client:
        client.request("ping", ident=1)
        assert "redirects (307) to another path" in error_of(client.line())


async def _loops(asked: Asked, answer: Answer) -> None:
    await answer.send(status=307, location=asked.path)


def test_a_refused_notification_is_a_line_of_the_log() -> None:
    """HTTPC-13"""

    async def refuse(asked: Asked, answer: Answer) -> None:
        await answer.send(SECRET.encode(), 500)

    with remote({"notifications/x": refuse}) as (client, _, _):
        client.send(b'{"jsonrpc":"2.0","method":"notifications/x"}\n')
        assert client.ask("ping", ident=2)["id"] == 2
        assert client.close() == 0
        (line,) = own(client)
    assert line.startswith("millpond: http: a notification was lost: the server at http://127.0.0.1:")
    assert SECRET not in line


def test_a_message_of_another_length_than_it_said_is_no_answer() -> None:
    """HTTPC-13"""

    async def short(asked: Asked, answer: Answer) -> None:
        await answer.begin()
        await answer.event(b'{"jsonrpc":"2.0","method":"notifications/x"}')
        await answer.piece(b"data: " + result_of(asked, "{}"))
        await answer.end()

    with remote({"vendor/x": short}) as (client, _, _):
        client.request("vendor/x")
        assert json.loads(client.line())["method"] == "notifications/x"
        assert "without a result" in error_of(client.line())
