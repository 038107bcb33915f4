"""The proxy beside other proxies: behind them, in front of them, and behind itself."""

import json
import shlex
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from relay_client import MILLPOND, SERVERS, Client

GIVING = (sys.executable, str(SERVERS / "giving_server.py"))
SUM = 31187.5
"""Of the scores of 500 rows."""


def answer(client: Client, ident: int) -> dict[str, Any]:
    """The result of this request, whatever comes before it."""
    for line in client.lines():
        message = json.loads(line)
        if message.get("id") == ident and "method" not in message:
            return message["result"]
    raise ConnectionError(ident)


def tool(client: Client, ident: int, name: str, **arguments: object) -> dict[str, Any]:
    """The result of a call."""
    client.call(name, ident, **arguments)
    return answer(client, ident)


def open_session(client: Client) -> list[str]:
    """Shake hands, and tell the tools' names."""
    info = {"name": "test", "version": "1"}
    client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}, 1)
    assert answer(client, 1)["instructions"].count("Large results of this server's tools") >= 1
    client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    client.request("tools/list", None, 2)
    return [of["name"] for of in answer(client, 2)["tools"]]


def check(client: Client) -> None:
    """A session whose only proxy of ours is somewhere on the way."""
    assert open_session(client)[-1] == "query"
    assert len(tool(client, 3, "list_rows", count=3)["structuredContent"]["items"]) == 3
    (table,) = tool(client, 4, "list_rows", count=500)["_meta"]["millpond/handle"]["tables"]
    asked = tool(client, 5, "query", sql=f"SELECT sum(score) AS s FROM {table['name']}", format="json")
    assert json.loads(asked["content"][0]["text"]) == [{"s": SUM}]


def test_behind_itself_it_keeps_its_tools_apart() -> None:
    """TOOLS-04"""
    with Client([*MILLPOND, *MILLPOND, *GIVING]) as client:
        assert open_session(client)[-2:] == ["query", "millpond_query"]
        (table,) = tool(client, 3, "list_rows", count=500)["_meta"]["millpond/handle"]["tables"]
        sql = f"SELECT sum(score) AS s FROM {table['name']}"
        inner = tool(client, 4, "query", sql=sql, format="json")
        assert json.loads(inner["content"][0]["text"]) == [{"s": SUM}]
        outer = tool(client, 5, "millpond_query", sql=sql)
        assert outer["_meta"]["millpond/error"]["reason"] == "stale_table"
        seen = tool(client, 6, "millpond_query", sql="SELECT tool FROM calls ORDER BY number", format="json")
        assert json.loads(seen["content"][0]["text"]) == [{"tool": "list_rows"}, {"tool": "query"}]
        assert client.close() == 0


@contextmanager
def gateway(modules: Path, command: Sequence[str]) -> Generator[str]:
    """The address at which supergateway offers a stdio server over streamable HTTP."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    words = ["--outputTransport", "streamableHttp", "--stateful", "--port", str(port), "--stdio", shlex.join(command)]
    with Client(["node", str(modules / "supergateway/dist/index.js"), *words]) as process:
        assert any(b"Listening on port" in line for line in process.lines())
        yield f"http://127.0.0.1:{port}/mcp"


def bridge(modules: Path, name: str, url: str) -> list[str]:
    """The command of a stdio server that passes all on to an address."""
    if name == "mcp-remote":
        return ["node", str(modules / "mcp-remote/dist/proxy.js"), url, "--transport", "http-only"]
    return ["node", str(modules / "supergateway/dist/index.js"), "--streamableHttp", url]


@pytest.mark.npm
@pytest.mark.parametrize("name", ["mcp-remote", "supergateway"])
def test_it_works_behind_other_bridges(npm_packages: Path, tmp_path: Path, name: str) -> None:
    """RELAY-10, TOOLS-06"""
    env = {"MCP_REMOTE_CONFIG_DIR": str(tmp_path)}
    with (
        gateway(npm_packages, [*MILLPOND, *GIVING]) as url,
        Client(bridge(npm_packages, name, url), env) as client,
    ):
        check(client)


@pytest.mark.npm
@pytest.mark.parametrize("name", ["mcp-remote", "supergateway"])
def test_it_works_in_front_of_other_bridges(npm_packages: Path, tmp_path: Path, name: str) -> None:
    """RELAY-10, TOOLS-06"""
    env = {"MCP_REMOTE_CONFIG_DIR": str(tmp_path)}
    with (
        gateway(npm_packages, GIVING) as url,
        Client([*MILLPOND, *bridge(npm_packages, name, url)], env) as client,
    ):
        check(client)
