"""The demo, and the sample server on its own."""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, types

from millpond.demo.server import build_server, read_records
from millpond.demo.show import show

RECORDS = 10_000


def call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """Call a tool of the sample server, in this process."""

    async def ask() -> types.CallToolResult:
        with anyio.fail_after(60):
            async with Client(build_server()) as client:
                return await client.call_tool(name, arguments)

    return anyio.run(ask)


def text_of(result: types.CallToolResult) -> str:
    """The text of a result of one text block."""
    [block] = result.content
    assert isinstance(block, types.TextContent)
    return block.text


def test_the_data_are_those_that_the_notice_names() -> None:
    import gzip

    folder = files("millpond.demo")
    data = gzip.decompress(folder.joinpath("birdstrikes.csv.gz").read_bytes())
    assert hashlib.sha256(data).hexdigest() in folder.joinpath("NOTICE.md").read_text()
    assert len(read_records()) == RECORDS


def test_the_sample_server_lists_all_records_or_those_of_one_state() -> None:
    everything = json.loads(text_of(call("list_strikes", {})))
    assert everything["total"] == len(everything["strikes"]) == RECORDS
    texas = json.loads(text_of(call("list_strikes", {"state": "Texas"})))
    assert texas["strikes"] == [record for record in everything["strikes"] if record["state"] == "Texas"]


def test_the_sample_server_gives_one_record_or_says_what_it_expects() -> None:
    assert json.loads(text_of(call("get_strike", {"number": 1}))) == read_records()[0]
    for arguments in ({"number": 0}, {"number": RECORDS + 1}, {"number": "1"}, {}):
        failed = call("get_strike", arguments)
        assert failed.is_error
        assert "from 1 to 10000" in text_of(failed)


def test_the_sample_server_speaks_over_stdio() -> None:
    async def tools() -> list[str]:
        with anyio.fail_after(60):
            parameters = StdioServerParameters(command=sys.executable, args=["-m", "millpond.demo.server"])
            async with Client(parameters) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    assert anyio.run(tools) == ["list_strikes", "get_strike"]


def test_the_demo_shows_handle_answers_figures_and_what_to_write_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CLI-10, CLI-11"""
    broken = tmp_path / "millpond.toml"
    broken.write_text("not toml")
    monkeypatch.setenv("MILLPOND_CONFIG", str(broken))
    monkeypatch.chdir(tmp_path)
    written: list[str] = []
    assert show(written.append) == 0
    text = "".join(written)
    records = read_records()
    costs = [record["cost_usd"] for record in records if isinstance(record["cost_usd"], int)]
    climb = [r["speed_knots"] for r in records if r["phase"] == "Climb" and isinstance(r["speed_knots"], int)]
    assert "10000 rows in list_strikes_" in text
    assert str(sum(costs)) in text
    assert str(sum(cost > 0 for cost in costs)) in text
    assert f"{median(climb):g}" in text
    assert "White-tailed deer" in text
    assert text.count("   > SELECT") == 3
    assert "Kept out of the context: 3,2" in text
    assert text.endswith("millpond wrap CLIENT SERVER\n")
