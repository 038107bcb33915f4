"""`millpond URL` in front of the Python SDK's own servers: streamable HTTP in both eras, and the older SSE."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Literal

import anyio
import pytest
from mcp import Client as SdkClient
from mcp import StdioServerParameters
from mcp.types import CallToolResult, TextContent

from http_client import millpond, modern, opened
from relay_client import SECONDS, SERVERS

SERVER = [sys.executable, str(SERVERS / "http_sdk_server.py")]


@contextmanager
def sdk_server(kind: str) -> Generator[str]:
    """The URL of a started server."""
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen([*SERVER, kind], stdout=pipe, stderr=null, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


@pytest.fixture(scope="module", params=["streamable", "json", "sse"])
def url(request: pytest.FixtureRequest) -> Generator[str]:
    with sdk_server(request.param) as started:
        yield started


@pytest.fixture(scope="module", params=["streamable", "json"])
def both_eras_url(request: pytest.FixtureRequest) -> Generator[str]:
    with sdk_server(request.param) as started:
        yield started


def text_of(result: object) -> str:
    assert isinstance(result, CallToolResult)
    (block, *_) = result.content
    assert isinstance(block, TextContent)
    return block.text


def talk(url: str, mode: Literal["legacy", "2026-07-28", "auto"]) -> None:
    """List, call, get a handle and query it with the SDK's client."""

    async def run() -> None:
        with anyio.fail_after(SECONDS):
            command = StdioServerParameters(command=sys.executable, args=["-m", "millpond", url], env=dict(os.environ))
            async with SdkClient(command, mode=mode) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                assert names == ["list_rows", "slow", "weather", "query"]
                assert text_of(await client.call_tool("weather", {"city": "Zürich"})) == "rain in Zürich"
                assert text_of(await client.call_tool("slow", {"seconds": 0.01})) == "done"
                name = text_of(await client.call_tool("list_rows", {"count": 2_000})).split(" rows in ")[1].split()[0]
                asked = {"sql": f"SELECT sum(twice) AS s FROM {name}", "format": "json"}
                assert text_of(await client.call_tool("query", asked)) == f'[{{"s":{2_000 * 1_999}}}]'

    anyio.run(run)


def test_a_client_of_the_handshakes_revisions_calls_and_queries(url: str) -> None:
    """HTTPC-03, HTTPC-11, HTTPC-12, HTTPC-19"""
    talk(url, "legacy")


@pytest.mark.parametrize("mode", ["2026-07-28", "auto"])
def test_a_client_of_2026_calls_and_queries(both_eras_url: str, mode: Literal["2026-07-28", "auto"]) -> None:
    """HTTPC-04, HTTPC-19"""
    talk(both_eras_url, mode)


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_revision_of_the_handshake_is_negotiated_as_directly(version: str, both_eras_url: str) -> None:
    """HTTPC-03"""
    with millpond(both_eras_url) as client:
        opened(client, version)
        assert [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]][-1] == "query"
        client.request("tools/call", {"name": "slow", "arguments": {"seconds": 0}, "_meta": {"progressToken": 7}}, 2)
        lines = [client.line()]
        while b'"id":2' not in lines[-1]:
            lines.append(client.line())
        assert b'"progressToken":7' in lines[0] or len(lines) == 1  # with JSON bodies there is no place for it
        assert client.close() == 0


def test_a_cancelled_call_of_2026_stops_at_the_server(both_eras_url: str) -> None:
    """HTTPC-10"""
    with millpond(both_eras_url) as client:
        params: dict[str, Any] = modern({"name": "slow", "arguments": {"seconds": 600}})
        client.request("tools/call", params, "long")
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}\n')
        assert "result" in client.ask("tools/list", modern(), 2)
        assert client.close() == 0
