"""Ends that come from outside: a client or a relay that is killed, a reader that goes, a server that does not listen."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from relay_client import MILLPOND, RAW_SERVER, RELAY, SECONDS, Client, text_of, wait_for_the_end_of_all

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and named pipes")

CLIENT = """
import subprocess, sys
alive, *command = sys.argv[1:]
relay = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[int(alive)])
for method in ("initialize", "tools/list"):
    relay.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"%s","params":{}}\\n' % method.encode())
    relay.stdin.flush()
    print(relay.stdout.readline(), flush=True)
sys.stdin.read()
"""
"""A client that holds the relay's pipes, and lets it inherit one more by which its end is seen."""


MOST_CPU_SECONDS = 2.0
"""Of relay and server; a loop that tried again until the server is killed would take more than these alone."""


def cpu_seconds() -> float:
    """What ended processes of this one have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize("relay", [RELAY, MILLPOND], ids=["fake engine", "real engine"])
def test_a_client_that_is_killed_leaves_neither_relay_nor_server_behind(fifo: Path, relay: tuple[str, ...]) -> None:
    """RELAY-18, RELAY-19"""
    server_alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    relay_alive, held = os.pipe()
    command = [sys.executable, "-c", CLIENT, str(held), *relay, *RAW_SERVER]
    env = {**os.environ, "FIFO": str(fifo), "IGNORE_EOF": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, pass_fds=[held]) as client:
        os.close(held)
        assert client.stdout
        assert [b"result" in client.stdout.readline() for _ in range(2)] == [True, True]
        client.kill()
    assert wait_for_the_end_of_all(relay_alive)
    assert wait_for_the_end_of_all(server_alive)
    os.close(relay_alive)
    os.close(server_alive)


def test_a_relay_that_is_killed_closes_the_servers_input(fifo: Path) -> None:
    """RELAY-31"""
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with Client([*MILLPOND, *RAW_SERVER], {"FIFO": str(fifo)}).open() as client:
        client.process.kill()
        assert client.wait() == -signal.SIGKILL
        assert wait_for_the_end_of_all(alive)
    os.close(alive)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_the_code_that_shells_show(number: int) -> None:
    """RELAY-20"""
    with Client([*RELAY, *RAW_SERVER]).open() as client:
        client.process.send_signal(number)
        assert client.wait() == 128 + number


def test_a_client_that_reads_no_more_ends_the_session_though_it_still_holds_its_other_end(fifo: Path) -> None:
    """RELAY-32"""
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    before = cpu_seconds()
    with Client([*RELAY, *RAW_SERVER], {"FIFO": str(fifo), "IGNORE_EOF": "1"}, reads=False) as client:
        client.call("stubborn")
        client.call("torrent", 2, count=300)
        client.stdout.close()
        assert client.wait() == 0
        assert wait_for_the_end_of_all(alive)
    assert cpu_seconds() - before < MOST_CPU_SECONDS
    os.close(alive)


def test_a_server_that_closes_its_input_is_ended_and_what_it_owes_is_answered() -> None:
    """RELAY-21"""
    with Client([*RELAY, *RAW_SERVER], {"IGNORE_EOF": "1"}).open() as client:
        assert client.result("deaf", 2) == "deaf"
        client.request("ping", ident=3)
        assert json.loads(client.line())["error"]["code"] == -32603
        assert client.wait() == 1


@pytest.mark.parametrize("last", ['{"jsonrpc":"2.0","id":1,"result":{"con', '{"jsonrpc":"2.0","id":1,"result":{}}'])
def test_what_a_server_leaves_of_a_line_is_ended_before_what_it_owes_is_answered(last: str) -> None:
    """RELAY-02, RELAY-21, RELAY-34"""
    code = f"import sys; input(); input(); print({last!r}, end=''); sys.exit(3)"
    with Client([*RELAY, sys.executable, "-c", code]) as client:
        client.request("ping", ident=1)
        client.request("ping", ident=2)
        assert client.wait() == 1
        assert client.line().decode() == last + "\n"
        owed = [1, 2] if last.endswith("con") else [2]
        lines = iter(client.line, b"")
        assert [(message["id"], message["error"]["code"]) for message in map(json.loads, lines)] == [
            (ident, -32603) for ident in owed
        ]


def test_a_stderr_that_nobody_reads_holds_nothing_up() -> None:
    """RELAY-17"""
    unread, stderr = os.pipe()
    lines = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool}}).encode() + b"\n"
        for ident, tool in ((1, "flood"), (2, "small"))
    )
    command = [*RELAY, *RAW_SERVER]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, stderr=stderr, timeout=SECONDS, check=False)
    os.close(unread)
    os.close(stderr)
    assert [text_of(line) for line in done.stdout.splitlines()] == ["flood", "small"]
    assert done.returncode == 0


def test_a_server_that_ends_by_itself_with_nothing_owed_is_a_failure_that_is_told() -> None:
    """RELAY-21, RELAY-22"""
    code = "import sys; print('{}', flush=True); print('bye', file=sys.stderr); sys.exit(3)"
    with Client([*RELAY, sys.executable, "-c", code]) as client:
        assert client.line() == b"{}\n"
        assert client.wait() == 1
        told = [line for line in client.stderr() if "exit code 3" in line]
        assert told == ["millpond: the server ended with exit code 3; its last words: bye\n"]
