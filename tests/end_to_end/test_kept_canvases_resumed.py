"""A conversation that is resumed after a restart of the whole proxy: its handles still answer, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from http_talk import SERVERS, Front
from millpond.app import serve
from millpond.commands.machine import machine
from millpond.commands.report import machine_text
from millpond.core.config import Canvas
from millpond.core.config_file import command_config
from millpond.core.errors import ConfigError
from millpond.core.toml_text import shown
from millpond.relay.log import Log
from relay_client import RAW_SERVER, Client

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is kept there")
TOKENS = {"MINE": "m" * 32, "THEIRS": "t" * 32}


def configured(folder: Path) -> Path:
    canvases = folder / "canvases"
    canvases.mkdir(mode=0o700)
    config = folder / "millpond.toml"
    config.write_text(f'[canvas]\ndirectory = "{canvases}"\nkeep_days = 7\n[stats]\nkeep_days = 0\n')
    return config


def called(tool: str, conversation: str | None, **arguments: object) -> dict[str, Any]:
    meta = {} if conversation is None else {"_meta": {"threadId": conversation}}
    return {"name": tool, "arguments": arguments, **meta}


def text(answer: Any) -> str:
    return answer["result"]["content"][0]["text"]


def named(answer: Any) -> str:
    return text(answer).split(" rows in ")[1].split()[0]


def test_over_stdio_a_conversation_has_its_tables_after_an_end_and_after_a_kill(tmp_path: Path) -> None:
    """CANVAS-17 CANVAS-19"""
    command = (sys.executable, "-m", "millpond", "--config", str(configured(tmp_path)), "--", *RAW_SERVER)

    def ask(client: Client, name: str, conversation: str | None) -> str:
        asked = called("query", conversation, sql=f"SELECT count(*) AS n FROM {name}", format="csv")
        return text(client.ask("tools/call", asked))

    with Client(command) as client:
        client.open()
        name = named(client.ask("tools/call", called("rows", "a", count=500)))
        own = named(client.ask("tools/call", called("rows", None, count=400)))
        assert client.close() == 0
    with Client(command) as client:
        client.open()
        assert ask(client, name, "a") == "n\n500"
        assert ask(client, own, None) == "n\n400"
        assert "is from an earlier session" in ask(client, name, "b")
        later = named(client.ask("tools/call", called("rows", "a", count=300)))
        client.process.send_signal(signal.SIGKILL)
        client.wait()
    with Client(command) as client:
        client.open()
        assert ask(client, name, "a") == "n\n500"
        assert ask(client, later, "a") == "n\n300"
        assert client.close() == 0


def test_over_http_a_conversation_is_resumed_by_its_callers_token_alone(tmp_path: Path) -> None:
    """CANVAS-19"""
    server = (sys.executable, str(SERVERS / "relay_sdk_server.py"))
    options = ("--config", str(configured(tmp_path)), "--token-env", "MINE", "--token-env", "THEIRS")
    mine, theirs = ({"Authorization": f"Bearer {token}"} for token in TOKENS.values())

    def ask(front: Front, headers: dict[str, str], tool: str, conversation: str | None, **arguments: object) -> Any:
        session = front.session(headers)
        assert "error" not in session.ask("tools/list").json()
        asked = json.dumps(called(tool, conversation, **arguments)).encode()
        try:
            return session.ask("tools/call", asked, b"2").json()
        finally:
            session.delete().body()

    with Front(*options, server=server, env=TOKENS) as front:
        name = named(ask(front, mine, "list_rows", "a", count=500))
    query: dict[str, object] = {"sql": f"SELECT count(*) AS n FROM {name}", "format": "csv"}
    with Front(*options, server=server, env=TOKENS) as front:
        assert text(ask(front, mine, "query", "a", **query)) == "n\n500"
        assert "is from an earlier session" in text(ask(front, theirs, "query", "a", **query))
        assert "is from an earlier session" in text(ask(front, mine, "query", None, **query))


def test_a_start_that_could_not_keep_canvases_says_why_and_a_diagnosis_too(tmp_path: Path) -> None:
    """CANVAS-22"""
    tmp_path.chmod(0o777)
    config = replace(command_config(("x",)), canvas=Canvas(directory=str(tmp_path), keep_days=7))
    expected = (
        "[canvas] directory: expected a folder that other users cannot write to; chmod 700 it, or name another"
        f" (got {shown(str(tmp_path))})"
    )
    with pytest.raises(ConfigError) as raised:
        asyncio.run(serve(config, Log()))
    assert str(raised.value) == expected
    assert machine(config).problems == [expected]
    tmp_path.chmod(0o700)
    assert machine(config).problems == []
    assert "kept      canvases, for 7 days after their last use" in machine_text(machine(config))
