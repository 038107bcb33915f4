"""A session's counts, through the real proxy: the line at its end, and the record that holds no word of it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from http_talk import Front
from relay_client import Client

SERVER = str(Path(__file__).parent.parent / "servers" / "giving_server.py")


def session(environ: dict[str, str], *, config: Path | None = None) -> list[str]:
    """One session with a large result, a small one and a query. Returns what it said on stderr."""
    words = ["--config", str(config)] if config else []
    with Client([sys.executable, "-m", "millpond", *words, "--", sys.executable, SERVER], environ) as client:

        def request(method: str, **params: Any) -> None:
            client.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
            assert "result" in json.loads(client.line())

        request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})
        request("tools/list")
        request("tools/call", name="list_rows", arguments={"count": 2_000, "secret": "s3cret"})
        request("tools/call", name="list_rows", arguments={"count": 1})
        request("tools/call", name="query", arguments={"sql": "SELECT 's3cret' FROM calls"})
        client.stdin.close()
        return client.stderr()


def test_a_session_is_a_line_at_its_end_and_a_line_of_the_record(tmp_path: Path) -> None:
    """STATS-01, STATS-02, STATS-09"""
    environ = {"MILLPOND_STATS": "on", "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    said = session(environ)
    assert sum("2 calls, 1 result kept out of the conversation (" in line and "; 1 query" in line for line in said) == 1
    (file,) = tmp_path.rglob("stats.jsonl")
    text = file.read_text()
    assert "s3cret" not in text
    found = json.loads(text)
    tool = found["tools"]["list_rows"]
    assert (found["queries"], tool["calls"], tool["replaced"]) == (1, 2, 1)
    assert 0 < tool["kept_out_bytes"] < tool["bytes"]
    assert tool["kept_out_tokens"] > 0


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions hold nobody back here")
def test_a_record_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """STATS-07"""
    tmp_path.chmod(0o500)
    said = session({"MILLPOND_STATS": "on", "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)})
    assert sum("stats: the record cannot be written" in line for line in said) == 1


def test_the_configuration_switches_it_off_and_where_it_cannot_be_made_it_is_one_line(tmp_path: Path) -> None:
    """STATS-03, STATS-07"""
    (tmp_path / "file").write_text("")
    environ = {"MILLPOND_STATS": "on", "XDG_STATE_HOME": str(tmp_path / "file"), "HOME": str(tmp_path / "file")}
    assert sum("stats: the record cannot be written" in line for line in session(environ)) == 1
    config = tmp_path / "none.toml"
    config.write_text("[stats]\nkeep_days = 0\n")
    assert not any("stats:" in line for line in session(environ, config=config))


def test_each_session_over_http_is_counted_by_itself(tmp_path: Path) -> None:
    """STATS-10"""
    environ = {"MILLPOND_STATS": "on", "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with Front(server=(sys.executable, SERVER), env=environ) as front:
        for count in (2_000, 1_000):
            session = front.session()
            session.ask("tools/list").body()
            session.ask("tools/call", b'{"name":"list_rows","arguments":{"count":%d}}' % count).body()
            session.delete()
            front.stderr_until("1 call, 1 result kept out of the conversation")
        front.stop()
    (file,) = tmp_path.rglob("stats.jsonl")
    assert [json.loads(line)["tools"]["list_rows"]["replaced"] for line in file.read_text().splitlines()] == [1, 1]
