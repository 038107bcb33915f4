"""`doctor` as a process: servers that work, and every way in which one does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client_files import ClientFile, environment_of, place_of, surroundings_in
from http_server import HttpServer, Mcp

LIMIT_SECONDS = 60
SERVERS = Path(__file__).parent.parent / "servers"
ODD = str(SERVERS / "odd_server.py")


def doctor(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run doctor; its own bound is far below the test's."""
    return subprocess.run(
        [sys.executable, "-m", "millpond", "doctor", *words],
        cwd=cwd,
        env=env or {name: value for name, value in os.environ.items() if name != "MILLPOND_CONFIG"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )


def odd(way: str, *options: str) -> subprocess.CompletedProcess[str]:
    return doctor(*options, "--", sys.executable, ODD, way)


def found(way: str, *options: str, code: int = 0) -> dict[str, Any]:
    """What `--json` says of a server that works."""
    done = odd(way, "--json", *options)
    assert (done.returncode, done.stderr) == (code, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("way", "protocol", "options"),
    [
        ("modern", "2026-07-28", ()),
        ("legacy", "2025-11-25", ()),
        ("ends-on-discover", "2025-11-25", ()),
        ("silent-on-discover", "2025-11-25", ("--timeout", "3")),
    ],
)
def test_it_opens_as_an_up_to_date_client_does(way: str, protocol: str, options: tuple[str, ...]) -> None:
    """DOCTOR-01, DOCTOR-02"""
    said = found(way, *options)
    assert (said["works"], said["protocol"], said["name"]) == (True, protocol, "odd 7")
    assert said["start_seconds"] > 0


def test_every_page_is_read_and_a_cursor_that_comes_again_ends_them() -> None:
    """DOCTOR-03, DOCTOR-04"""
    said = found("legacy")
    assert [tool["name"] for tool in said["tools"]] == ["list_1", "list_2"]
    assert all(
        tool["drops_output_schema"] and tool["what_happens"] == "large results become tables" for tool in said["tools"]
    )
    assert said["own_tool"] == "query"
    assert (said["gains"], said["trials"]) == ("maybe", [])


def test_an_answer_is_judged_as_in_a_session() -> None:
    """DOCTOR-05, DOCTOR-08"""
    words = [word for count in (500, 5, -1) for word in ("--try", "list_1", json.dumps({"count": count}))]
    said = found("modern", *words, "--try", "list_2", "{}", code=3)
    large, small, failed, refused = said["trials"]
    assert (large["rows"], large["is_replaced"], large["problem"]) == (500, True, "")
    assert large["bytes"] > 20_000
    assert (small["rows"], small["is_replaced"]) == (5, False)
    assert failed["problem"] == "the tool answered with an error: no such count"
    assert refused["problem"] == "not now"
    assert said["gains"] == "yes"
    assert said["notes"][0] == "list_1: called because you named it; the server does not mark it read-only"
    assert said["sentence"].startswith(
        f"This server gains from Millpond: list_1 answered with {large['bytes']:,} bytes"
    )


@pytest.mark.parametrize(("name", "says"), [("lst_1", "did you mean list_1?"), ("nope", "it has list_1, list_2")])
def test_a_tool_that_the_server_does_not_have_is_not_tried(name: str, says: str) -> None:
    """DOCTOR-05"""
    done = odd("legacy", "--try", name, "{}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"millpond: command line: --try: expected a tool of the server, got {name}; {says}\n"


def test_a_page_is_printed_for_people() -> None:
    """DOCTOR-01, DOCTOR-04, DOCTOR-05, DOCTOR-12"""
    done = odd("legacy", "--try", "list_1", '{"count": 500}')
    assert (done.returncode, done.stderr) == (0, "")
    heads = [line.split()[0] for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert heads == ["server", "start", "protocol", "tools", "tried", "notes", "versions", "memory", "disk", "This"]
    assert "  list_1: large results become tables; outputSchema dropped\n" in done.stdout
    assert "would be replaced by a handle\n" in done.stdout


def test_noise_and_requests_to_the_client_are_notes() -> None:
    """DOCTOR-07"""
    assert "2 lines on its stdout are no messages, and some clients fail on them" in found("noisy")["notes"]
    assert "it asks the client for roots/list, which doctor refuses" in found("asks")["notes"]


def test_a_server_without_tools_gains_nothing() -> None:
    """DOCTOR-08"""
    said = found("no-tools")
    assert (said["gains"], said["sentence"]) == ("no", "This server gains nothing from Millpond: it has no tools.")


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (
            "dies",
            "the server ended with exit code 7; its last words: Traceback (most recent call last): | ValueError: out of cheese",
        ),
        ("needs-variable", "it names the variable SOME_API_KEY: set it in the environment or under env"),
        ("prompts", "it last wrote: Ok to proceed? (y); it may wait for somebody to type"),
        ("prompts-on-stdout", "it last wrote: Enter your API key:; it may wait for somebody to type"),
        ("never", "the server did not answer initialize within 2 s; it may wait for input or a login, log to stdout"),
        ("silent-list", "the server did not answer tools/list within 2 s"),
        ("error-on-initialize", "the server answered initialize with an error: bad key"),
        ("error-list", "the server answered tools/list with an error: no list today"),
    ],
)
def test_a_server_that_does_not_work_is_one_line(way: str, says: str) -> None:
    """DOCTOR-09, DOCTOR-10, DOCTOR-11"""
    done = odd(way, "--timeout", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert says in done.stderr
    assert done.stderr.startswith("millpond: the server ")
    assert done.stderr.count("\n") == 1


def test_a_command_that_is_not_there_is_one_line_and_json_says_it_too() -> None:
    """DOCTOR-09"""
    done = doctor("--", "no-such-command-anywhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "millpond: the server cannot be started: there is no command no-such-command-anywhere;"
    )
    done = doctor("--json", "--", "no-such-command-anywhere")
    assert (done.returncode, done.stderr) == (1, "")
    said = json.loads(done.stdout)
    assert (said["works"], "no-such-command-anywhere" in said["problem"]) == (False, True)


@pytest.mark.skipif(sys.platform == "win32", reason="FIFOs of POSIX")
def test_nothing_of_the_server_is_left_running(tmp_path: Path) -> None:
    """DOCTOR-11"""
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        held = f"exec 9>{fifo}; exec {sys.executable} {ODD} never"
        done = doctor("--timeout", "1", "--", "sh", "-c", held)
        assert done.returncode == 1
        assert os.read(reader, 1) == b"", "somebody still holds the FIFO open"
    finally:
        os.close(reader)


def test_without_a_server_the_machine_is_shown() -> None:
    """DOCTOR-12"""
    done = doctor()
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["versions", "memory", "disk", "Name"]
    assert json.loads(doctor("--json").stdout)["machine"]["duckdb"]


def test_a_clients_entry_is_examined_as_the_client_starts_it(tmp_path: Path) -> None:
    """DOCTOR-13"""
    around = surroundings_in(tmp_path)
    env = {"WAY": "${env:WAY}"}
    entry = {"command": "millpond", "args": ["--", sys.executable, ODD, "${env:WAY}"], "env": env}
    ClientFile("user", json.dumps({"mcpServers": {"odd one": entry}}), ()).write("cursor", around, Path(ODD))
    assert Path(place_of("cursor", around, "user").file).exists()
    environ = {**environment_of(around), "WAY": "modern"}
    done = doctor("--json", "cursor", "odd one", cwd=Path(around.folder), env=environ)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert (said["server"], said["protocol"]) == ("odd one", "2026-07-28")
    del environ["WAY"]
    done = doctor("cursor", "odd one", cwd=Path(around.folder), env=environ)
    assert done.returncode == 2
    assert "environment variable WAY" in done.stderr


def test_a_server_at_a_url_is_examined_too() -> None:
    """DOCTOR-01, DOCTOR-09"""
    mcp = Mcp()
    mcp.capabilities = '{"tools":{}}'
    environ = {**os.environ, "NO_PROXY": "127.0.0.1"}
    with HttpServer(mcp) as server:
        done = doctor("--json", server.url, env=environ)
        assert (done.returncode, done.stderr) == (0, "")
        assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == ["small"]
    done = doctor(server.url, env=environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.npm
def test_a_server_of_the_typescript_sdk_is_examined(npm_packages: Path, tmp_path: Path) -> None:
    """DOCTOR-01, DOCTOR-05"""
    for number in range(300):
        (tmp_path / f"a file of some length {number}.txt").touch()
    script = npm_packages / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js"
    calls = ("--try", "directory_tree", json.dumps({"path": str(tmp_path)}))
    done = doctor("--json", *calls, "--", "node", str(script), str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert (said["protocol"], said["gains"]) == ("2025-11-25", "yes")
    assert said["trials"][0]["is_replaced"]


@pytest.mark.servers
def test_a_server_of_the_python_sdk_is_examined(python_server: Callable[[str], tuple[str, ...]]) -> None:
    """DOCTOR-01, DOCTOR-08"""
    done = doctor("--json", "--", *python_server("mcp-server-time"))
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert (said["protocol"], said["gains"]) == ("2026-07-28", "no")
    assert [tool["name"] for tool in said["tools"]] == ["get_current_time", "convert_time"]


def test_settings_and_modes_are_those_of_the_file(tmp_path: Path) -> None:
    """DOCTOR-14"""
    config = tmp_path / "limits.toml"
    config.write_text('[tools.list_1]\nmode = "never"\n[tools.gone]\nmode = "always"\n')
    said = found("modern", "--config", str(config), "--try", "list_1", '{"count": 500}')
    assert said["tools"][0]["what_happens"] == "stays as it is"
    assert not said["tools"][0]["drops_output_schema"]
    assert not said["trials"][0]["is_replaced"]
    assert "gone: the configuration names it, but the server has no such tool" in said["notes"]
    config.write_text(f"[servers.odd]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(ODD)}, 'legacy']\n")
    assert json.loads(doctor("--json", "--config", str(config)).stdout)["server"] == "odd"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--try", "x", "[1]", "--", "y"), "--try x: expected its arguments as a JSON object"),
        (("--try", "x", "{", "--", "y"), "--try x: expected its arguments as a JSON object"),
        (("--timeout", "0", "--", "y"), "expected --timeout from above 0"),
        (("cursor",), "expected -- COMMAND ARGS..., a URL, or CLIENT SERVER; see millpond doctor --help"),
        (("cursor", "x", "--", "y"), "expected no cursor before a command"),
        (("--",), "expected a command after `--`"),
    ],
)
def test_a_wrong_argument_is_one_line(words: tuple[str, ...], says: str) -> None:
    """CLI-04"""
    done = doctor(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
