"""A server at a URL in a client's configuration, wrapped: its headers still reach it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from client_files import environment_of, surroundings_in
from http_client import MILLPOND, opened
from http_server import HttpServer, Mcp
from relay_client import SECONDS, Client


def test_a_wrapped_address_starts_behind_millpond_with_its_headers(tmp_path: Path) -> None:
    """CLIENTS-10, CLI-13"""
    around = surroundings_in(tmp_path)
    environ = {**environment_of(around), "NO_PROXY": "127.0.0.1"}
    file = Path(around.home) / ".cursor" / "mcp.json"
    file.parent.mkdir()
    with HttpServer(Mcp()) as server:
        entry = {"url": server.url, "headers": {"Authorization": "Bearer s3cret", "Accept": "application/json"}}
        file.write_text(json.dumps({"mcpServers": {"remote": entry}}))
        done = subprocess.run(
            [*MILLPOND, "wrap", "cursor", "remote"],
            env=environ,
            cwd=around.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert (done.returncode, done.stderr) == (0, "")
        wrapped = json.loads(file.read_text())["mcpServers"]["remote"]
        with Client([wrapped["command"], *wrapped["args"]], environ) as client:
            assert opened(client).ask("ping", ident=1)["result"] == {}
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer s3cret"}
    assert {asked.headers["accept"] for asked in server.asked if asked.verb == "POST"} == {
        "application/json, text/event-stream"
    }
