"""Who may ask over HTTP, and how sessions and servers end."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from http_talk import BOTH, INITIALIZE, SECONDS, Front

TOKENS = {"ONE": "one-" + "1" * 32, "TWO": "two-" + "2" * 32}
PAGE = "https://app.example.com"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="process groups and named pipes")


def bearer(name: str) -> dict[str, str]:
    """The header with one of the tokens."""
    return {"Authorization": f"Bearer {TOKENS[name]}"}


@pytest.fixture(scope="module")
def started() -> Iterator[Front]:
    options = ("--token-env", "ONE", "--token-env", "TWO", "--allow-origin", PAGE, "--allow-host", "mill.example.com")
    with Front(*options, env=TOKENS) as front:
        yield front


@pytest.fixture
def guarded(started: Front) -> Iterator[Front]:
    """A front that demands a token."""
    yield started
    started.tidy()


# --- who may ask ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:1", 400),
        ("127.0.0.1", 400),
        ("[::1]:8000", 400),
        ("192.168.1.5:8000", 400),
        ("mill.example.com", 400),
        ("mill.example.com:443", 400),
        ("evil.example.com", 421),
        ("localhost.evil.example.com", 421),
        ("127.0.0.1.evil.example.com:80", 421),
        ("", 421),
    ],
)
def test_only_names_that_are_ours_are_answered(guarded: Front, host: str, status: int) -> None:
    """HTTPF-17"""
    assert guarded.send("GET", None, {**BOTH, **bearer("ONE"), "Host": host}).status == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (PAGE, 400),
        ("http://localhost:6274", 400),
        ("https://evil.example.com", 403),
        (f"{PAGE}.evil.example.com", 403),
        ("null", 403),
    ],
)
def test_only_pages_of_allowed_origins_are_answered(guarded: Front, origin: str, status: int) -> None:
    """HTTPF-17"""
    assert guarded.send("GET", None, {**BOTH, **bearer("ONE"), "Origin": origin}).status == status


def test_a_page_of_an_allowed_origin_may_read_what_it_gets(guarded: Front) -> None:
    """HTTPF-17"""
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "mcp-session-id,authorization"}
    reply = guarded.send("OPTIONS", None, {"Origin": PAGE, **asked})
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, PAGE)
    reply = guarded.send("POST", INITIALIZE, {**BOTH, **bearer("ONE"), "Origin": PAGE})
    assert reply.headers["access-control-allow-origin"] == PAGE
    assert "mcp-session-id" in reply.headers["access-control-expose-headers"].lower()
    other = guarded.send("OPTIONS", None, {"Origin": "http://localhost:1", **asked})
    assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer wrong", f"Basic {TOKENS['ONE']}", f"Bearer {TOKENS['ONE']}x", "Bearer \xff"],
)
def test_without_a_token_nothing_is_answered_and_nothing_is_read(guarded: Front, header: str | None) -> None:
    """HTTPF-18"""
    headers = {**BOTH, "Content-Length": str(3 << 20)} | ({} if header is None else {"Authorization": header})
    reply = guarded.send("POST", None, headers)
    assert reply.status == 401
    assert reply.headers["www-authenticate"].startswith('Bearer realm="millpond"')


def test_a_session_belongs_to_the_token_that_began_it(guarded: Front) -> None:
    """HTTPF-09, HTTPF-16"""
    session = guarded.session(bearer("ONE"))
    assert session.ask("ping").status == 200
    session.headers.update(bearer("TWO"))
    assert session.ask("ping").status == session.get().status == session.delete().status == 404
    session.headers.update(bearer("ONE"))
    assert session.ask("ping", ident=b"2").status == 200


def test_each_token_has_a_server_of_its_own_in_2026_07_28(guarded: Front) -> None:
    """HTTPF-12, HTTPF-16"""
    guarded.modern("vendor/secret", headers=bearer("ONE")).body()
    assert b"vendor/secret" in guarded.modern("test/seen", headers=bearer("ONE")).body()
    assert b"vendor/secret" not in guarded.modern("test/seen", headers=bearer("TWO")).body()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--http", "0.0.0.0:0"], "whoever can reach it"),
        (["--http", "127.0.0.1"], "expected HOST:PORT"),
        (["--http", "127.0.0.1:0", "--token-env", "NO_SUCH_TOKEN"], "NO_SUCH_TOKEN"),
        (["--token-env", "ONE"], "beside its options"),
        (["--http", "no-such-host.invalid:1", "--without-token"], "cannot be used"),
    ],
)
def test_what_cannot_be_served_is_one_line_and_exit_code_2(options: list[str], words: str) -> None:
    """HTTPF-19"""
    command = [sys.executable, "-m", "millpond", *options, "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_an_address_in_use_is_one_line() -> None:
    """HTTPF-19"""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "millpond", "--http", address, "--", "true"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{address} cannot be used" in done.stderr


# --- ends -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[int]:
    """A descriptor that ends when no process holds the named pipe any more."""
    os.mkfifo(tmp_path / "alive")
    descriptor = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    yield descriptor
    os.close(descriptor)


def all_have_ended(descriptor: int) -> bool:
    """True when no process holds the named pipe any more."""
    return bool(select.select([descriptor], [], [], SECONDS)[0]) and os.read(descriptor, 1) == b""


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_every_servers_whole_group(tmp_path: Path, alive: int, number: int) -> None:
    """HTTPF-22"""
    with Front(env={"FIFO": str(tmp_path / "alive")}) as front:
        for session in (front.session(), front.session()):
            assert session.ask("test/grandchild").line()
        front.session().ask("test/hold")
        front.modern("test/grandchild").body()
        assert front.stop(number) == 128 + number
    assert all_have_ended(alive)


@POSIX
def test_a_second_signal_ends_all_at_once(tmp_path: Path, alive: int) -> None:
    """HTTPF-22"""
    with Front(env={"FIFO": str(tmp_path / "alive")}) as front:
        assert front.session().ask("test/grandchild").line()
        front.process.send_signal(signal.SIGTERM)
        assert front.stop(signal.SIGINT) in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert all_have_ended(alive)


@POSIX
@pytest.mark.parametrize("end", ["delete", "idle"])
def test_the_end_of_a_session_is_its_servers(tmp_path: Path, alive: int, end: str) -> None:
    """HTTPF-09, HTTPF-20"""
    config = tmp_path / "c.toml"
    config.write_text(f"[http]\nsession_idle_seconds = {1 if end == 'idle' else 1_000}\n")
    with Front("--config", str(config), env={"FIFO": str(tmp_path / "alive")}) as front:
        session = front.session()
        assert session.ask("test/grandchild").line()
        if end == "delete":
            front.tidy()
        assert all_have_ended(alive)
        assert session.ask("ping").status == 404


@POSIX
def test_a_server_of_2026_07_28_that_nobody_asks_ends_and_the_next_request_starts_another(
    tmp_path: Path, alive: int
) -> None:
    """HTTPF-20"""
    config = tmp_path / "c.toml"
    config.write_text("[http]\nsession_idle_seconds = 1\n")
    with Front("--config", str(config), env={"FIFO": str(tmp_path / "alive"), "TOOLS": "1"}) as front:
        assert b'"name":"query"' in front.modern("tools/list").body()
        assert all_have_ended(alive)
        sql = b',"name":"query","arguments":{"sql":"SELECT 7 AS n","format":"json"}'
        assert b'[{\\"n\\":7}]' in front.modern("tools/call", sql).body()


def test_there_are_no_more_sessions_than_configured(tmp_path: Path) -> None:
    """HTTPF-20"""
    config = tmp_path / "c.toml"
    config.write_text("[http]\nmax_sessions = 1\n")
    with Front("--config", str(config)) as front:
        session = front.session()
        assert front.send("POST", INITIALIZE, BOTH).status == 503
        assert session.ask("ping").status == 200


def test_what_nobody_reads_is_bounded_and_it_is_said(tmp_path: Path) -> None:
    """HTTPF-06"""
    config = tmp_path / "c.toml"
    config.write_text("[http]\nmax_kept_bytes = 65536\n")
    with Front("--config", str(config)) as front:
        session = front.session()
        for number in range(300):
            session.ask("test/announce", ident=b"%d" % number).line()
        front.stderr_until("no client came to read")
        stream = session.get()
        assert stream.event()


def test_a_server_that_cannot_be_started_is_an_error_with_the_cause() -> None:
    """HTTPF-21"""
    with Front(server=["millpond-no-such-command"]) as front:
        answers = [front.send("POST", INITIALIZE, BOTH), front.modern("server/discover", ident=b"0")]
        for answer in answers:
            assert "mcp-session-id" not in answer.headers
            error = answer.json()
            assert error["id"] == 0
            assert "there is no command millpond-no-such-command" in error["error"]["message"]


def test_a_server_that_dies_leaves_no_request_without_an_answer() -> None:
    """HTTPF-21"""
    with Front() as front:
        session = front.session()
        held = session.ask("test/hold", ident=b'"held"')
        for reply in (session.ask("test/die"), held):
            message = reply.json()["error"]["message"]
            assert "exit code 7" in message
            assert "out of cheese" in message
        assert session.ask("ping", ident=b"2").status == 404
        assert "exit code 7" in front.modern("test/die").json()["error"]["message"]
        assert front.modern("vendor/x").json()["result"]


# --- one behind the other -------------------------------------------------------------------------------------------


def test_a_server_at_a_url_is_served_byte_for_byte() -> None:
    """HTTPF-01"""
    odd = rb'{"one":1.0,"hundred":1e2,"money":12345678901234567.89,"none":NaN,"half":"\ud800","twice":1,"twice":2}'
    with Front() as behind, Front(server=[behind.url]) as front:
        session = front.session()
        answers = [session.ask("vendor/x", odd, rb'"\u0061"').line(), front.modern("vendor/x", b',"odd":' + odd).body()]
        for ident, answer in zip((rb'"\u0061"', b"1"), answers, strict=True):
            assert answer.startswith(b'{"jsonrpc":"2.0","id":' + ident + b',"result":{"odd":' + odd)
            assert odd.decode() in json.loads(answer)["result"]["line"]
        first, second, last = session.ask("test/progress", b'{"_meta":{"progressToken":"t"}}').events()
        assert b'"progress":1.0' in first
        assert b'"progress":2e0' in second
        assert b'"steps":2' in last
        asking = session.ask("test/ask", ident=b"2")
        assert odd in (asking.event() or b"")
        session.post(b'{"jsonrpc":"2.0","id":"server-1","result":' + odd + b"}")
        assert odd.decode() in json.loads(asking.events()[-1])["result"]["line"]
