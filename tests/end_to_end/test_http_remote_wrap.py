"""A server at a URL in a client's configuration: wrapped in it, or written into a file of its own with its headers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from client_files import environment_of, surroundings_in
from http_client import MILLPOND, opened
from http_server import HttpServer, Mcp
from relay_client import SECONDS, Client


def millpond(environ: Mapping[str, str], folder: Path, *words: str) -> None:
    """Run a command, which works and says nothing on stderr."""
    done = subprocess.run(
        [*MILLPOND, *words],
        env=environ,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_address_of_a_client_starts_behind_millpond_with_its_headers(tmp_path: Path) -> None:
    """CLIENTS-10, SETUP-01"""
    around = surroundings_in(tmp_path)
    environ, folder = {**environment_of(around), "NO_PROXY": "127.0.0.1"}, Path(around.folder)
    file = Path(around.home) / ".cursor" / "mcp.json"
    file.parent.mkdir()
    with HttpServer(Mcp()) as server:
        headers = {"Authorization": "Bearer s3cret", "Accept": "application/json"}
        entries = {"plain": {"url": server.url}, "headed": {"url": server.url, "headers": headers}}
        file.write_text(json.dumps({"mcpServers": entries}))
        millpond(environ, folder, "wrap", "cursor", "plain")
        wrapped = json.loads(file.read_text())["mcpServers"]["plain"]
        millpond(environ, folder, "init", "cursor", "headed", "--output", "headed.toml")
        for command in ([wrapped["command"], *wrapped["args"]], [*MILLPOND, "--config", str(folder / "headed.toml")]):
            with Client(command, environ) as client:
                assert opened(client).ask("ping", ident=1)["result"] == {}
    posts = [asked.headers for asked in server.asked if asked.verb == "POST"]
    assert [headers.get("authorization") for headers in posts] == [None] * 3 + ["Bearer s3cret"] * 3
    assert {headers["accept"] for headers in posts} == {"application/json, text/event-stream"}
