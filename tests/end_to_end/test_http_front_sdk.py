"""The Python SDK's client on Millpond over HTTP, in both eras."""

from __future__ import annotations

import sys
from typing import Literal

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from http_talk import SECONDS, SERVERS, Front

SERVER = (sys.executable, str(SERVERS / "relay_sdk_server.py"))


def text_of(result: object) -> str:
    assert isinstance(result, CallToolResult)
    (block, *_) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
def test_the_python_sdks_client_calls_lists_and_queries(mode: Literal["legacy", "2026-07-28", "auto"]) -> None:
    """HTTPF-04, HTTPF-12, HTTPF-16"""

    async def talk(url: str) -> None:
        with anyio.fail_after(SECONDS):
            async with Client(url, mode=mode) as client:
                tools = (await client.list_tools()).tools
                assert [tool.name for tool in tools] == ["list_rows", "query"]
                small = await client.call_tool("list_rows", {"count": 2})
                assert isinstance(small, CallToolResult)
                assert small.structured_content == {"result": [{"id": 0, "twice": 0}, {"id": 1, "twice": 2}]}
                large = await client.call_tool("list_rows", {"count": 2_000})
                name = text_of(large).split(" rows in ")[1].split()[0]
                asked = {"sql": f"SELECT sum(twice) AS s FROM {name}", "format": "json"}
                assert text_of(await client.call_tool("query", asked)) == f'[{{"s":{2_000 * 1_999}}}]'

    with Front(server=SERVER) as front:
        anyio.run(talk, front.url)


def test_several_clients_talk_at_once_and_only_see_their_own() -> None:
    """HTTPF-03, HTTPF-12"""

    async def talk(url: str, mode: Literal["legacy", "2026-07-28"], count: int) -> None:
        async with Client(url, mode=mode) as client:
            for extra in range(5):
                result = await client.call_tool("list_rows", {"count": count + extra})
                assert isinstance(result, CallToolResult)
                assert result.structured_content
                assert len(result.structured_content["result"]) == count + extra

    async def talk_all(url: str) -> None:
        with anyio.fail_after(SECONDS):
            async with anyio.create_task_group() as group:
                for number in range(6):
                    group.start_soon(talk, url, "legacy" if number % 3 == 0 else "2026-07-28", 5 * number)

    with Front(server=SERVER) as front:
        anyio.run(talk_all, front.url)
