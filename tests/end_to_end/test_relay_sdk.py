import sys
from typing import Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from relay_client import SECONDS, SERVERS

SERVER = [sys.executable, str(SERVERS / "relay_sdk_server.py")]


def text_of(result: object) -> str:
    assert isinstance(result, CallToolResult)
    (block, *_) = result.content
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_python_sdks_client_calls_lists_and_queries_in_both_eras(mode: Literal["legacy", "2026-07-28"]) -> None:
    """RELAY-10, TOOLS-02, TOOLS-03, TOOLS-07"""

    async def talk() -> None:
        command = StdioServerParameters(command=sys.executable, args=["-m", "millpond", "--", *SERVER])
        with anyio.fail_after(SECONDS):
            async with Client(command, mode=mode) as client:
                tools = (await client.list_tools()).tools
                assert [(tool.name, tool.output_schema) for tool in tools] == [("list_rows", None), ("query", None)]
                small = await client.call_tool("list_rows", {"count": 2})
                assert isinstance(small, CallToolResult)
                assert small.structured_content == {"result": [{"id": 0, "twice": 0}, {"id": 1, "twice": 2}]}
                large = await client.call_tool("list_rows", {"count": 2_000})
                assert isinstance(large, CallToolResult)
                assert large.structured_content is None
                name = text_of(large).split(" rows in ")[1].split()[0]
                asked = {"sql": f"SELECT sum(twice) AS s FROM {name}", "format": "json"}
                assert text_of(await client.call_tool("query", asked)) == f'[{{"s":{2_000 * 1_999}}}]'

    anyio.run(talk)
