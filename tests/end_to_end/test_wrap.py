"""Every client's file, wrapped and unwrapped by the real command, and the wrapped server started as the client would."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from client_files import FILES, SERVER, STRICT, environment_of, place_of, surroundings_in
from http_server import HttpServer, Mcp
from millpond.clients import jsonc
from millpond.clients.places import CLIENTS, Surroundings

HEADER = ("--header-env", "Authorization=MILLPOND_HEADER_AUTHORIZATION")
LIMIT_SECONDS = 60
SCRIPT = Path(__file__).parent.parent / "servers" / "raw_server.py"


def millpond(around: Surroundings, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in the project."""
    return subprocess.run(
        [sys.executable, "-m", "millpond", *words],
        cwd=around.folder,
        env=environment_of(around),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )


def values_of(client: str, path: Path) -> Mapping[str, Any]:
    """What the client reads in its file."""
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text())
    text = path.read_text(encoding="utf-8-sig")
    return json.loads(text if client in STRICT else jsonc.plain(text))


def tools_of(words: Sequence[str], environ: Mapping[str, str], cwd: Path) -> list[str]:
    """Start a server as a client does, and list its tools."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    requests: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    done = subprocess.run(
        words,
        cwd=cwd,
        env=environ,
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    return [tool["name"] for tool in answers[2]["result"]["tools"]]


def test_an_address_is_wrapped_starts_behind_millpond_and_comes_back(tmp_path: Path) -> None:
    """CLIENTS-10, CLIENTS-12"""
    around = surroundings_in(tmp_path)
    path = Path(place_of("cursor", around, "user").file)
    path.parent.mkdir()
    mcp = Mcp()
    mcp.capabilities = '{"tools":{}}'
    with HttpServer(mcp) as server:
        headers = '"headers": {"Authorization": "Bearer t0k$n${X}"}'
        original = f'{{"mcpServers": {{"docs": {{"type": "http", "url" : {json.dumps(server.url)}, {headers}}}}}}}\n'
        path.write_text(original)
        assert millpond(around, "wrap", "cursor", "docs").returncode == 0
        entry = json.loads(path.read_text())["mcpServers"]["docs"]
        assert (entry["type"], entry["args"]) == ("stdio", [*HEADER, server.url])
        environ = {**environment_of(around), "NO_PROXY": "127.0.0.1", **entry["env"]}
        assert tools_of([entry["command"], *entry["args"]], environ, tmp_path) == ["small", "query"]
        assert {asked.headers.get("authorization") for asked in server.asked} == {"Bearer t0k$n${X}"}
        assert millpond(around, "unwrap", "cursor", "docs").returncode == 0
        assert path.read_text() == original


def test_every_client_has_a_file_here() -> None:
    """CLIENTS-01"""
    assert set(FILES) == set(CLIENTS)


@pytest.mark.parametrize("client", FILES)
def test_a_server_is_wrapped_starts_behind_millpond_and_is_unwrapped_to_the_byte(client: str, tmp_path: Path) -> None:
    """CLIENTS-01, CLIENTS-04, CLIENTS-06, CLIENTS-07"""
    around = surroundings_in(tmp_path)
    script = tmp_path / "a caf\u00e9" / "server.py"
    script.parent.mkdir()
    script.write_bytes(SCRIPT.read_bytes())
    path = FILES[client].write(client, around, script)
    original = path.read_bytes()
    before = values_of(client, path)[FILES[client].keys[0]]

    done = millpond(around, "wrap", client, SERVER)
    assert (done.returncode, done.stderr) == (0, "")
    after = values_of(client, path)[FILES[client].keys[0]]
    entry = after[SERVER]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == ["--", sys.executable, str(script)]
    assert {**entry, "command": sys.executable, "args": [str(script)]} == before[SERVER]
    assert {name: other for name, other in after.items() if name != SERVER} == {
        name: other for name, other in before.items() if name != SERVER
    }
    environ = {**environment_of(around), **entry.get("env", {})}
    tools = tools_of([entry["command"], *entry["args"]], environ, Path(around.folder))
    assert {"rows", "query"} <= set(tools)

    wrapped = path.read_bytes()
    assert millpond(around, "wrap", client, SERVER).returncode == 0
    assert path.read_bytes() == wrapped
    done = millpond(around, "unwrap", client, SERVER)
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes() == original
