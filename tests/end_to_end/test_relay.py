import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from relay_client import MILLPOND, RAW_SERVER, RELAY, SECONDS, Client, text_of, wait_for_the_end_of_all

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="process groups and named pipes")


def relayed(env: dict[str, str] | None = None, *, reads: bool = True) -> Client:
    return Client([*RELAY, *RAW_SERVER], env, reads=reads)


# --- lines ----------------------------------------------------------------------------------------------------------


def test_junk_and_300_notifications_before_an_answer_come_in_their_order() -> None:
    """RELAY-01, RELAY-02"""
    seen: list[list[bytes]] = []
    for command in (RAW_SERVER, (*RELAY, *RAW_SERVER)):
        with Client(command) as client:
            client.call("noise")
            client.call("small", 2)
            lines: list[bytes] = []
            while not lines or b'"id": 2' not in lines[-1]:
                lines.append(client.line())
            seen.append(lines)
    assert seen[0] == seen[1]
    assert len(seen[0]) == 5 + 300 + 2


def test_large_results_are_replaced_small_ones_recorded_and_own_calls_answered() -> None:
    """RELAY-06, RELAY-10, TOOLS-06"""
    with relayed().open() as client:
        assert client.result("small") == "small"
        number, tool, size, query_tool = client.result("rows", 2, count=300)
        assert (number, tool, query_tool) == (2, "rows", "query")
        assert size > 4096
        assert client.result("query", 3, sql="recorded") == [1]
        assert client.result("seen", 4) == ["initialize", "tools/list", "tools/call", "tools/call", "tools/call"]
        assert client.close() == 0


def test_an_answer_that_waits_for_the_engine_holds_nothing_else_up() -> None:
    """RELAY-29"""
    with relayed().open() as client:
        client.call("late", 1)
        assert client.ask("ping", ident=2)["id"] == 2
        client.call("query", 3, sql="release")
        assert {json.loads(client.line())["id"], json.loads(client.line())["id"]} == {1, 3}


def test_a_cancelled_own_call_stops_without_an_answer() -> None:
    """TOOLS-08"""
    with relayed().open() as client:
        client.call("query", "q", sql="wait")
        client.stderr_until("query waits")
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}\n')
        client.stderr_until("query cancelled")
        assert client.result("seen", 2) == ["initialize", "tools/list", "tools/call"]


def test_a_client_that_reads_late_gets_every_line_in_order() -> None:
    """RELAY-16"""
    with relayed(reads=False) as client:
        client.call("torrent", count=300)
        client.read()
        numbers = [json.loads(client.line())["params"]["progress"] for _ in range(300)]
        assert numbers == list(range(300))
        assert text_of(client.line()) == "torrent"


def test_a_flood_on_stderr_is_passed_on_and_holds_nothing_up() -> None:
    """RELAY-17"""
    with relayed() as client:
        assert client.result("flood") == "flood"
        assert client.close() == 0
        lines = [line for line in client.stderr() if line.startswith("line ")]
        assert [int(line.split()[1]) for line in lines] == list(range(50_000))


def test_requests_that_are_piped_in_are_answered_before_the_end() -> None:
    """RELAY-18"""
    lines = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
        for number, method, params in (
            (1, "initialize", {}),
            (2, "tools/list", {}),
            (3, "tools/call", {"name": "rows", "arguments": {"count": 5_000}}),
        )
    )
    done = subprocess.run([*RELAY, *RAW_SERVER], input=lines, capture_output=True, timeout=SECONDS, check=False)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2, 3]
    assert text_of(done.stdout.splitlines()[2])[:2] == [1, "rows"]
    assert done.returncode == 0


def test_standard_streams_may_be_files(tmp_path: Path) -> None:
    """RELAY-18"""
    given, got = tmp_path / "in", tmp_path / "out"
    given.write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 1_000)
    with given.open("rb") as stdin, got.open("wb") as stdout:
        done = subprocess.run([*RELAY, *RAW_SERVER], stdin=stdin, stdout=stdout, timeout=SECONDS, check=False)
    assert done.returncode == 0
    assert got.read_bytes().count(b"\n") == 1_000


# --- ends -----------------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("tool", ["small", "stubborn"])
@pytest.mark.parametrize("end", ["eof", "term"])
def test_whatever_ends_the_session_ends_the_servers_whole_group(fifo: Path, tool: str, end: str) -> None:
    """RELAY-18, RELAY-19, RELAY-20"""
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with relayed({"FIFO": str(fifo), "IGNORE_EOF": "1"}) as client:
        assert client.result(tool) == tool
        if end == "eof":
            assert client.close() == 0
        else:
            client.process.send_signal(signal.SIGTERM)
            assert client.wait() == 128 + signal.SIGTERM
    assert wait_for_the_end_of_all(alive)
    os.close(alive)


@POSIX
def test_a_second_signal_ends_it_at_once(fifo: Path) -> None:
    """RELAY-20"""
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with relayed({"FIFO": str(fifo), "IGNORE_EOF": "1"}) as client:
        assert client.result("stubborn") == "stubborn"
        client.process.send_signal(signal.SIGINT)
        client.process.send_signal(signal.SIGTERM)
        assert client.wait() in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert wait_for_the_end_of_all(alive)
    os.close(alive)


def test_a_server_that_dies_leaves_no_request_without_an_answer() -> None:
    """RELAY-21"""
    with relayed().open() as client:
        client.call("late", 1)
        client.call("never", 2)
        client.call("die", 3)
        errors = [json.loads(client.line()) for _ in range(2)]
        assert [error["id"] for error in errors] == [2, 3]
        assert errors[0]["error"]["code"] == -32603
        assert "exit code 7" in errors[0]["error"]["message"]
        assert "out of cheese" in errors[0]["error"]["message"]
        assert client.ask("ping", ident=4)["error"]["code"] == -32603
        client.call("query", 5, sql="release")
        assert {json.loads(line)["id"] for line in client.lines()} == {1, 5}
        assert client.wait() == 1
        assert [line for line in client.stderr() if "exit code 7" in line] == [
            "millpond: the server ended with exit code 7; its last words: Traceback: out of cheese\n"
        ]


def test_a_server_that_closes_its_output_is_ended() -> None:
    """RELAY-21"""
    with relayed({"IGNORE_EOF": "1"}) as client:
        client.call("close", 1)
        assert json.loads(client.line())["error"]["code"] == -32603
        assert client.wait() == 1


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["millpond-no-such-command"], "there is no command millpond-no-such-command"),
        ([sys.executable, "-c", "import sys; sys.exit('no token')"], "exit code 1; its last words: no token (before"),
    ],
)
@pytest.mark.parametrize("relay", [RELAY, MILLPOND], ids=["fake engine", "real engine"])
def test_a_server_that_does_not_start_is_one_line(relay: tuple[str, ...], command: list[str], words: str) -> None:
    """RELAY-22, RELAY-24"""
    with Client([*relay, *command]) as client:
        assert client.wait() == 1
        own = [line for line in client.stderr() if line.startswith("millpond: ") and "engine closed" not in line]
        assert len(own) == 1
        assert words in own[0]


def test_the_server_gets_our_environment_and_the_configured_one(tmp_path: Path) -> None:
    """RELAY-23, RELAY-19"""
    command, *args = RAW_SERVER
    config = tmp_path / "millpond.toml"
    config.write_text(
        f"[servers.raw]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}\n"
        f"cwd = {json.dumps(str(tmp_path))}\nenv = {{ ADDED = 'a' }}\n"
    )
    run = [sys.executable, "-m", "millpond", "--config", str(config)]
    with Client(run, {"INHERITED": "i", "ADDED": "other"}) as client:
        added, inherited, folder, leads_its_group = client.result("environment")
        assert (added, inherited, Path(folder).resolve()) == ("a", "i", tmp_path.resolve())
        assert leads_its_group


@pytest.mark.parametrize(("capabilities", "starts"), [('{"tools":{}}', 1), ('{"prompts":{}}', 0)])
def test_the_engine_is_started_for_a_server_with_tools_only(capabilities: str, starts: int) -> None:
    """RELAY-24"""
    with relayed({"CAPABILITIES": capabilities}).open() as client:
        assert client.close() == 0
        assert sum("engine started" in line for line in client.stderr()) == starts


def test_the_relay_imports_neither_duckdb_nor_mcp() -> None:
    """RELAY-25, HTTPC-21"""
    heavy = {"duckdb", "mcp", "mcp_types", "httpx2", "anyio"}
    code = f"import sys, millpond.app; sys.exit(sorted({heavy} & set(sys.modules)) or 0)"
    assert subprocess.run([sys.executable, "-c", code], timeout=SECONDS, check=False).returncode == 0
