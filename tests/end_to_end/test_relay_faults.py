import json
import sys
from pathlib import Path

import pytest

from relay_client import MILLPOND, SERVERS, Client

FAULTS = (sys.executable, str(SERVERS / "relay_fault_server.py"))
LINE_BYTES = 10 << 20


@pytest.mark.parametrize(
    "fault", ["nan", "lone_surrogate", "long_integer", "deep", "invalid_utf8", "null", "no_result", "control_character"]
)
def test_a_result_that_breaks_other_tools_costs_neither_the_call_nor_the_session(fault: str) -> None:
    """RELAY-04, RELAY-10"""
    with Client(FAULTS) as direct, Client([*MILLPOND, *FAULTS]) as client:
        client.ask("tools/list")
        direct.ask("tools/list")
        for one in (direct, client):
            one.call(fault, 2)
        expected, line = direct.line(), client.line()
        assert line == expected or b'"millpond/handle"' in line
        assert client.ask("ping", ident=3)["id"] == 3
        assert client.close() == 0


def test_a_result_of_300_mib_is_cut_and_the_session_goes_on() -> None:
    """RELAY-11, RELAY-12"""
    with Client([*MILLPOND, *FAULTS]) as client:
        client.ask("tools/list")
        client.call("huge", 2)
        line = client.line()
        assert len(line) < LINE_BYTES
        assert "more than a client can be sent" in json.loads(line)["result"]["content"][0]["text"]
        assert client.ask("ping", ident=3)["id"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_working_folder_that_is_gone_costs_nothing(tmp_path: Path) -> None:
    """RELAY-23"""
    (tmp_path / "gone").mkdir()
    script = 'cd "$0" && rmdir "$0" && exec "$@"'
    with Client(["sh", "-c", script, str(tmp_path / "gone"), *MILLPOND, *FAULTS]) as client:
        client.open()
        client.call("nan", 2)
        assert "result" in json.loads(client.line())
        assert client.close() == 0


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    """RELAY-22"""
    (tmp_path / "file").write_text("")
    config = tmp_path / "millpond.toml"
    config.write_text(f"[canvas]\ndirectory = {json.dumps(str(tmp_path / 'file'))}\n")
    with Client([sys.executable, "-m", "millpond", "--config", str(config), "--", *FAULTS]) as client:
        assert client.wait() == 2
        (line,) = client.stderr()
        assert "[canvas] directory: no folder can be made" in line


NO_FOLDER = "import tempfile; tempfile.tempdir = '/dev/null/none'"
NO_FILE = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/null, and limits are set with `resource`")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (NO_FOLDER, "canvas: no folder can be made in /dev/null/none: "),
        (NO_FILE, "engine: the canvas cannot be opened: "),
    ],
)
def test_where_nothing_can_be_written_the_server_is_what_it_is_without_us(wrong: str, said: str) -> None:
    """CONFIG-17"""
    run = f"{wrong}; import runpy, sys; sys.argv[0] = 'millpond'; runpy.run_module('millpond', run_name='__main__')"
    with Client(FAULTS) as direct, Client([sys.executable, "-c", run, "--", *FAULTS]) as client:
        for one in (direct, client):
            one.ask("tools/list")
            one.call("long_integer", 2)
        assert client.line() == direct.line()
        client.request("tools/call", {"name": "query", "arguments": {"sql": "SELECT 1"}}, 3)
        refused = json.loads(client.line())["result"]
        assert (refused["isError"], refused["_meta"]["millpond/error"]["reason"]) == (True, "execution_error")
        assert client.close() == 0
        assert any(said in line for line in client.stderr())
