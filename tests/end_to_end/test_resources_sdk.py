"""Resources as a client of the SDK sees them, in both eras."""

import csv
import json
import os
import sys
from pathlib import Path
from typing import Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import TextResourceContents

from relay_client import SECONDS, SERVERS
from relay_client import Client as RawClient

SERVER = [sys.executable, str(SERVERS / "relay_sdk_server.py")]
GIVING = [sys.executable, str(SERVERS / "giving_server.py")]


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_tables_and_results_are_listed_and_read_through_the_sdk(mode: Literal["legacy", "2026-07-28"]) -> None:
    """RESOURCES-03, RESOURCES-04, RESOURCES-05"""

    async def talk() -> None:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "millpond", "--", *SERVER], env=dict(os.environ)
        )
        with anyio.fail_after(SECONDS):
            async with Client(command, mode=mode) as client:
                await client.list_tools()
                assert (await client.list_resources()).resources == []
                await client.call_tool("list_rows", {"count": 1_500})
                assert len((await client.list_resource_templates()).resource_templates) == 2
                (entry,) = (await client.list_resources()).resources
                page, told = (await client.read_resource(str(entry.uri))).contents
                assert isinstance(page, TextResourceContents)
                assert isinstance(told, TextResourceContents)
                assert page.text.splitlines()[:2] == ["id,twice", "0,0"]
                (rest,) = (await client.read_resource(told.text.rsplit(" ", 1)[1])).contents
                assert isinstance(rest, TextResourceContents)
                assert len(list(csv.reader(rest.text.splitlines()))) == 501
                await client.call_tool("list_rows", {"count": 2})
                (result,) = (await client.read_resource("millpond://call/2")).contents
                assert isinstance(result, TextResourceContents)
                assert json.loads(result.text)["structuredContent"]["result"][1] == {"id": 1, "twice": 2}
                with pytest.raises(MCPError) as caught:
                    await client.read_resource("millpond://table/nothing")
                assert caught.value.error.code == (-32002 if mode == "legacy" else -32602)
                assert str(entry.uri) in caught.value.error.message

    anyio.run(talk)


def test_resources_are_offered_for_a_server_without_any(tmp_path: Path) -> None:
    """RESOURCES-07"""
    config = tmp_path / "millpond.toml"
    config.write_text('[canvas]\nresources = "always"\n')
    with RawClient([sys.executable, "-m", "millpond", "--config", str(config), "--", *GIVING]) as client:
        assert "resources" in client.ask("initialize", {"protocolVersion": "2025-11-25"})["result"]["capabilities"]
        client.ask("tools/list")
        assert client.ask("resources/list")["result"] == {"resources": []}
        client.call("give", 2, raw=json.dumps({"content": [], "structuredContent": [{"id": at} for at in range(900)]}))
        client.line()
        (entry,) = client.ask("resources/list")["result"]["resources"]
        (page,) = client.ask("resources/read", {"uri": entry["uri"]})["result"]["contents"]
        assert page["text"].splitlines()[-1] == "899"
