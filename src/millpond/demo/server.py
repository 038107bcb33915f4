"""The sample server: a plain MCP server over stdio, with ten thousand real records and no idea of Millpond.

Rule: it is what people have already, so it answers as they do: all records at once, as JSON in one text block.
Imports `mcp` and the standard library only. `python -m millpond.demo.server` runs it.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from importlib.resources import files
from typing import Any

import anyio
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

DATA = "birdstrikes.csv.gz"
"""FAA Wildlife Strike Database, 1990 to 2002, public domain; see `NOTICE.md`."""
COLUMNS: tuple[tuple[str, str, bool], ...] = (
    ("Airport Name", "airport", False),
    ("Origin State", "state", False),
    ("Flight Date", "date", False),
    ("Time of day", "time_of_day", False),
    ("Aircraft Make Model", "aircraft", False),
    ("Aircraft Airline Operator", "operator", False),
    ("Phase of flight", "phase", False),
    ("Wildlife Size", "size", False),
    ("Wildlife Species", "species", False),
    ("Effect Amount of damage", "damage", False),
    ("Cost Total $", "cost_usd", True),
    ("Speed IAS in knots", "speed_knots", True),
)
"""Column of the file, key of the record, and whether the value is a number (empty: null)."""

LIST = types.Tool(
    name="list_strikes",
    description="All reported wildlife strikes, newest last; `state` narrows them to one state of origin.",
    input_schema={"type": "object", "properties": {"state": {"type": "string"}}, "additionalProperties": False},
)
GET = types.Tool(
    name="get_strike",
    description="One reported wildlife strike by its number, from 1.",
    input_schema={
        "type": "object",
        "properties": {"number": {"type": "integer", "minimum": 1}},
        "required": ["number"],
        "additionalProperties": False,
    },
)

Record = dict[str, "str | int | None"]


def read_records() -> list[Record]:
    """All records of the data set, in the file's order, numbered from 1."""
    text = gzip.decompress(files("millpond.demo").joinpath(DATA).read_bytes()).decode()
    rows = csv.DictReader(io.StringIO(text))
    return [{"number": number, **_record(row)} for number, row in enumerate(rows, start=1)]


def _record(row: dict[str, str]) -> Record:
    return {key: _number(row[column]) if numeric else row[column] for column, key, numeric in COLUMNS}


def _number(cell: str) -> int | None:
    return int(cell) if cell else None


def build_server() -> Server[dict[str, Any]]:
    """The server with its two tools."""
    records = read_records()

    async def list_tools(
        context: ServerRequestContext[dict[str, Any]], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[LIST, GET])

    async def call_tool(
        context: ServerRequestContext[dict[str, Any]], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = params.arguments or {}
        if params.name == LIST.name:
            state = arguments.get("state")
            found = [record for record in records if state in (None, record["state"])]
            return _answer({"total": len(found), "strikes": found})
        number = arguments.get("number")
        if params.name != GET.name or not isinstance(number, int) or not 1 <= number <= len(records):
            return _failure(f"expected {LIST.name}, or {GET.name} with a number from 1 to {len(records)}")
        return _answer(records[number - 1])

    return Server(
        "birdstrikes",
        version="1.0.0",
        instructions="Wildlife strikes reported to the FAA, 1990 to 2002.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _answer(value: object) -> types.CallToolResult:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def _failure(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)


async def serve() -> None:
    """Answer on stdin and stdout until the client ends."""
    server = build_server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(serve)
