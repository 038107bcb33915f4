"""Two clients on the Python SDK, one front: neither reads, lists, names or exhausts the other's canvas, unless it is given the id."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.types import CallToolResult, TextContent

from http_talk import SECONDS, SERVERS, Front

SERVER = (sys.executable, str(SERVERS / "relay_sdk_server.py"))
CONFIG = """
[canvas]
max_calls = 4
[query]
timeout_seconds = 20
[http]
max_engines = 2
"""
LONG = "SELECT count(*) FROM range(100000000000) a, range(1000) b"


class Agent:
    """A client, and what an agent reads of its answers."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def _call(self, tool: str, **arguments: Any) -> CallToolResult:
        result = await self._client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    async def rows(self, count: int) -> str:
        """Have the server give so many rows. Returns their table's name."""
        (block, *_) = (await self._call("list_rows", count=count)).content
        assert isinstance(block, TextContent)
        return block.text.split(" rows in ")[1].split()[0]

    async def ask(self, sql: str, **arguments: str) -> str:
        """The text of an answer, rows or an error."""
        result = await self._call("query", sql=sql, format="csv", **arguments)
        return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


async def talk(url: str) -> None:
    async with Client(url, mode="legacy") as first, Client(url, mode="legacy") as second:
        for client in (first, second):
            assert [tool.name for tool in (await client.list_tools()).tools] == ["list_rows", "query"]
        mine, theirs = Agent(first), Agent(second)
        name, other = await mine.rows(2_000), await theirs.rows(3_000)
        await nothing_is_seen(mine, other)
        await nothing_is_exhausted(mine, theirs, other)
        await an_id_is_enough(mine, theirs, other)
        assert await mine.ask("SELECT count(*) AS n FROM kept") == "n\n3000"
        assert "evicted" in await mine.ask(f"FROM {name}")


async def nothing_is_seen(mine: Agent, other: str) -> None:
    for sql in ("SHOW TABLES", "FROM calls", "FROM results LIMIT 1", "FROM information_schema.tables"):
        assert other not in await mine.ask(sql)
    for sql in (f"FROM {other}", f"DESCRIBE {other}", f"DROP TABLE {other}"):
        assert "is from an earlier session" in await mine.ask(sql)


async def nothing_is_exhausted(mine: Agent, theirs: Agent, other: str) -> None:
    """One canvas fills and runs over, and its engine is held by a query; the other has all that it had, and answers."""
    for count in range(1_000, 1_004):
        await mine.rows(count)
    async with anyio.create_task_group() as group:
        group.start_soon(mine.ask, LONG)
        for _ in range(3):
            assert await theirs.ask(f"SELECT count(*) AS n FROM {other}") == "n\n3000"
        group.cancel_scope.cancel()


async def an_id_is_enough(mine: Agent, theirs: Agent, other: str) -> None:
    id = (await theirs.ask("SELECT canvas_id() AS id")).split()[1]
    assert "There is no such canvas here" in await mine.ask(f"FROM {other}", canvas="0" * 20)
    assert await mine.ask(f"SELECT count(*) AS n FROM {other}", canvas=id) == "n\n3000"
    assert "is only read" in await mine.ask(f"DROP TABLE {other}", canvas=id)
    assert "Saved: 3000 rows" in await mine.ask(f"FROM {other}", canvas=id, save_as="kept")


def test_two_clients_have_two_canvases_and_an_id_opens_one_for_the_other(tmp_path: Path) -> None:
    """HTTPF-16 CANVAS-01 CANVAS-02 CANVAS-08 CANVAS-13"""
    config = tmp_path / "millpond.toml"
    config.write_text(CONFIG)

    async def in_time(url: str) -> None:
        with anyio.fail_after(2 * SECONDS):
            await talk(url)

    with Front("--config", str(config), server=SERVER) as front:
        anyio.run(in_time, front.url)
