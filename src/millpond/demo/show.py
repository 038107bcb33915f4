"""The demo: the sample server behind the real proxy, asked by the real SDK client, and what came of it in plain text.

Rule: nothing is faked; every figure printed was counted in this run, and every answer came over the protocol.
Imports `mcp`, `core.errors`, `core.tokens` and the standard library.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio
from mcp import Client, MCPError, StdioServerParameters, types

from millpond.core.errors import MillpondError, ServerFailed
from millpond.core.tokens import estimate_tokens

LIMIT_SECONDS = 60.0
"""For the whole demo; it takes a few seconds."""
SERVER = "millpond.demo.server"
BYTES_A_TOKEN = 3.86
"""Of the result of `list_strikes` as it comes: 3,202,522 bytes hold a text of 830,594 tokens (`o200k_base`)."""


@dataclass(frozen=True, slots=True)
class Question:
    """One query and why it is shown."""

    asks: str
    sql: str
    """`{table}` stands for the table's name."""


QUESTIONS = (
    Question(
        "What did the strikes cost, and how many cost anything at all?",
        "SELECT count(*) AS strikes, count(*) FILTER (cost_usd > 0) AS with_cost, sum(cost_usd) AS usd FROM {table}",
    ),
    Question(
        "Which phase of flight costs most? (Not the one with the most strikes.)",
        "SELECT phase, count(*) AS strikes, median(speed_knots) AS median_knots, sum(cost_usd) AS usd\n"
        "     FROM {table} GROUP BY ALL ORDER BY usd DESC LIMIT 5",
    ),
    Question(
        "Which animals do harm most often when they are hit? (By eye one names the commonest, which do the least.)",
        "SELECT species, count(*) AS strikes, round(100.0 * avg((damage <> 'None')::INT), 1) AS percent_harmful\n"
        "     FROM {table} WHERE species NOT LIKE 'Unknown%' GROUP BY ALL HAVING strikes >= 20\n"
        "     ORDER BY percent_harmful DESC, species LIMIT 5",
    ),
)


def show(write: Callable[[str], object] | None = None) -> int:
    """Run the demo and print it to stdout (or give its text to `write`); returns the exit code.

    Raises `ServerFailed` where the proxy or the sample server did not answer as they must.
    """
    if write is None:
        write = _plain_stdout
    try:
        anyio.run(_tour, write)
    except (MillpondError, MCPError, OSError, TimeoutError, ExceptionGroup) as error:
        raise ServerFailed(f"the demo ended early: {_first(error)}; report this with the lines above") from error
    return 0


def proxy_command() -> StdioServerParameters:
    """`millpond -- SERVER` on this interpreter, on the defaults whatever file the environment names."""
    python = [sys.executable, "-P", "-m"]
    environ = {name: value for name, value in os.environ.items() if name != "MILLPOND_CONFIG"}
    return StdioServerParameters(command=python[0], args=[*python[1:], "millpond", "--", *python, SERVER], env=environ)


async def _tour(write: Callable[[str], object]) -> None:
    began = time.monotonic()
    with anyio.fail_after(LIMIT_SECONDS):
        async with Client(proxy_command()) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            write(f"The sample server's tools, and query: {', '.join(tools)}.\n\n")
            await _small(client, write)
            handle = await _large(client, write)
            asked = await _ask(client, handle, write)
    write(_sum(handle, asked, time.monotonic() - began))


async def _small(client: Client, write: Callable[[str], object]) -> None:
    text = _text(await client.call_tool("get_strike", {"number": 1}))
    write(f"1. get_strike(number=1): a small result passes as it came ({len(text.encode()):,} bytes):\n\n")
    write(_indented(text))


async def _large(client: Client, write: Callable[[str], object]) -> Mapping[str, Any]:
    """Call for all the records. Returns `_meta["millpond/handle"]` with the text of the handle as `text`."""
    result = await client.call_tool("list_strikes", {})
    text = _text(result)
    handle = cast("dict[str, Any] | None", (result.meta or {}).get("millpond/handle"))
    if handle is None or not handle["tables"]:
        raise ServerFailed("list_strikes came without a handle")
    write("2. list_strikes(): the agent gets this handle instead of all the records:\n\n")
    write(_indented(text))
    return {**handle, "text": text}


async def _ask(client: Client, handle: Mapping[str, Any], write: Callable[[str], object]) -> list[str]:
    """Ask every question. Returns the texts that went through the context: the queries and their answers."""
    seen: list[str] = []
    table = handle["tables"][0]["name"]
    write("3. It asks exact SQL with query:\n\n")
    for question in QUESTIONS:
        sql = question.sql.format(table=table)
        result = await client.call_tool("query", {"sql": sql})
        if result.is_error:
            raise ServerFailed(f"query was refused: {_text(result)}")
        write(f"   {question.asks}\n\n   > {sql}\n\n{_indented(_text(result))}")
        seen += [sql, _text(result)]
    return seen


def _sum(handle: Mapping[str, Any], asked: list[str], seconds: float) -> str:
    kept = int(handle["bytes"])
    used = [str(handle["text"]), *asked]
    kept_tokens = round(kept / BYTES_A_TOKEN, -3)
    used_bytes = sum(len(text.encode()) for text in used)
    return (
        f"Kept out of the context: {kept:,} bytes, about {kept_tokens:,.0f} tokens, turn after turn.\n"
        f"Used instead, handle and three queries with their answers: {used_bytes:,} bytes, about"
        f" {sum(map(estimate_tokens, used)):,} tokens.\n"
        f"All of it took {seconds:.1f} seconds.\n\n"
        "For your own servers, this shows those of your clients, and the second puts one behind Millpond:\n\n"
        f"   {_own_command()} clients\n   {_own_command()} wrap CLIENT SERVER\n"
    )


def _own_command() -> str:
    """`millpond`, by its whole path where the shell would not find it."""
    return "millpond" if shutil.which("millpond") else str(Path(sysconfig.get_path("scripts")) / "millpond")


def _text(result: types.CallToolResult) -> str:
    """The first text block; all that most models are shown."""
    return next((block.text for block in result.content if isinstance(block, types.TextContent)), "")


def _indented(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.splitlines()) + "\n"


def _plain_stdout(text: str) -> None:
    """A character that the terminal cannot show must not end the demo."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


def _first(error: BaseException) -> str:
    """The innermost first error of a group, in words."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return str(error) or type(error).__name__
