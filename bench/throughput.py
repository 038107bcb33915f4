"""How long until a large result is there, by size, channel and shape, and where does the time go?

    python bench/throughput.py [--quick]

Through the pipes: 0.1 to 256 MiB of rows from a bare server, directly and through Millpond in `structuredContent`, and through the other
tools too in a text block (the one channel that all of them take); until the line with the payload, or with the handle, is there. With
the Python SDK's client: the same until its `call_tool` returns, which is what a Python agent waits for. The most memory that each
process took. Inside: the stages of the engine's path, one after the other, and the whole as the engine runs it, beside DuckDB's own
`read_json` and `polars.read_json` of the same rows from a file.

Bias: the raw client does nothing with what it reads, which favours the direct connection; a client has to decode the payload. Python's
takes long for that, which favours Millpond: a host whose client decodes faster gains less by a handle, or waits longer for it.
`read_json` types by the first 20,480 rows, polars is asked to look at all; both make one table in memory, where Millpond also keeps the
text, on disk. A size is that of the rows; in a text block the quotes' escapes come on top. Past 8 MiB the rows repeat.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import anyio
from mcp import Client as SdkClient
from mcp import StdioServerParameters

from lib import inside, processes
from lib.client import Client, NoAnswer
from lib.payloads import MIB, SHAPES, Channel, result, rows_text
from lib.sheet import Sheet, run
from lib.stages import WHOLE
from lib.ways import DIRECT, MILLPOND, OWN, SERVER, Way, in_turns, opened, others, served

SIZES_MIB, QUICK_SIZES_MIB = (0.1, 1, 10, 32, 100, 255.9), (0.1, 1, 10)
"""The last is as much as a result may have by default, 256 MiB with what goes round it."""
TEXT_SIZES_MIB, QUICK_TEXT_SIZES_MIB = (0.1, 1, 4, 10, 32), (0.1, 1, 4)
SHAPE_MIB, QUICK_SHAPE_MIB = 4, 1
INSIDE_MIB, QUICK_INSIDE_MIB = (1, 10, 32), (1, 10)
SDK_MIB = (1, 10)
OTHERS_PATIENCE_SECONDS = 45.0


def measure(sheet: Sheet) -> None:
    """All of it; the pipes first, while this process is small."""
    more = others(sheet)
    for size in QUICK_SIZES_MIB if sheet.quick else SIZES_MIB:
        pipes(sheet, OWN, "structured", size)
    ways = (*OWN, *more)
    for size in QUICK_TEXT_SIZES_MIB if sheet.quick else TEXT_SIZES_MIB:
        failed = pipes(sheet, ways, "text", size)
        ways = tuple(way for way in ways if way.name not in failed)
    for shape in SHAPES:
        channels(sheet, shape)
    for size in SDK_MIB:
        anyio.run(sdk, sheet, OWN, "structured", size)
        anyio.run(sdk, sheet, (*OWN, *more), "text", size)
    for size in QUICK_INSIDE_MIB if sheet.quick else INSIDE_MIB:
        loading(sheet, f"{size}", rows_text(int(size * MIB)))
    for shape, make in SHAPES.items():
        loading(sheet, shape, rows_text((QUICK_SHAPE_MIB if sheet.quick else SHAPE_MIB) * MIB, make))


def repeats(sheet: Sheet, size: float) -> int:
    """Fewer of what takes long."""
    return 3 if sheet.quick or size > 10 else 7


def pipes(sheet: Sheet, ways: Sequence[Way], channel: Channel, size: float) -> Mapping[str, str]:
    """One size through each way. Returns the ways that gave no answer, and why."""
    name = f"{channel}/{size:g}"
    with served({"rows": result(rows_text(int(size * MIB)), channel)}) as server:
        patience = OTHERS_PATIENCE_SECONDS if size <= 32 else 300.0
        with opened(ways, server, sheet, patience) as clients:
            found, failed = in_turns(clients, answered, repeats(sheet, size), warm_up=size <= 32)
            for way, seconds in found.items():
                sheet.add_times(f"{name}/{way}", seconds, None if way == "direct" else found["direct"])
                if way != "direct":
                    memory(sheet, f"memory/{name}/{way}", clients[way], size)
    for way, text in failed.items():
        sheet.note(f"{name}/{way}", text)
    return failed


def answered(client: Client) -> float:
    """How long a call takes. Raises `NoAnswer`, also where Millpond answers with no handle."""
    line, seconds = client.call("rows")
    if "query" in (tool["name"] for tool in client.tools) and b'"millpond/handle"' not in line:
        raise NoAnswer("no handle, but the result or its first part")
    return seconds


def memory(sheet: Sheet, name: str, client: Client, size: float) -> None:
    """The most memory that the proxy's processes took, and that over the payload's size where this says something."""
    if not processes.IS_KNOWN:
        sheet.notes["memory"] = "unknown: only Linux tells it"
        return
    for role, peak in processes.peaks(client.process.pid, str(SERVER)).items():
        sheet.add(f"{name}/{role}", "MiB", [peak / MIB])
        if size >= 32:
            sheet.add(f"{name}/{role}/ratio", "x", [peak / MIB / size])


def channels(sheet: Sheet, shape: str) -> None:
    """One shape in each channel, through Millpond and directly."""
    size = QUICK_SHAPE_MIB if sheet.quick else SHAPE_MIB
    rows = rows_text(size * MIB, SHAPES[shape])
    every: tuple[Channel, ...] = ("structured", "text", "both")
    with served({channel: result(rows, channel) for channel in every}) as server, opened(OWN, server, sheet) as clients:
        for channel in every:
            found, _ = in_turns(clients, lambda client, tool=channel: client.seconds(tool), repeats(sheet, size))
            sheet.add_times(f"shape/{shape}/{channel}/direct", found["direct"])
            sheet.add_times(f"shape/{shape}/{channel}/millpond", found["millpond"], found["direct"])


async def sdk(sheet: Sheet, ways: Sequence[Way], channel: Channel, size: float) -> None:
    """One size with the Python SDK's client, in turns."""
    with served({"rows": result(rows_text(int(size * MIB)), channel)}) as server, TemporaryDirectory() as folder:
        found: dict[str, list[float]] = {way.name: [] for way in ways}
        async with AsyncExitStack() as stack:
            clients = {way.name: await stack.enter_async_context(sdk_client(way, server, Path(folder))) for way in ways}
            for turn in range(4 if sheet.quick else 6):
                for way in tuple(found):
                    seconds = await sdk_seconds(clients[way])
                    if math.isnan(seconds):
                        sheet.note(f"sdk/{channel}/{size:g}/{way}", f"no answer within {OTHERS_PATIENCE_SECONDS:.0f} s")
                        found.pop(way)
                    elif turn:
                        found[way].append(seconds)
    for way, times in found.items():
        sheet.add_times(f"sdk/{channel}/{size:g}/{way}", times, None if way == DIRECT.name else found.get(DIRECT.name))


async def sdk_seconds(client: SdkClient) -> float:
    """How long a call takes; not a number where it takes too long."""
    begin = perf_counter()
    with anyio.move_on_after(OTHERS_PATIENCE_SECONDS) as scope:
        await client.session.call_tool("rows", {})
    return math.nan if scope.cancelled_caught else perf_counter() - begin


def sdk_client(way: Way, server: Sequence[str], folder: Path) -> SdkClient:
    """The SDK's client of a way, with this process's environment or what the way wants."""
    first, *rest = way.command(server, folder)
    env = {**os.environ} if way in (DIRECT, MILLPOND) else dict(way.env(folder))
    return SdkClient(StdioServerParameters(command=first, args=rest, env=env), mode="legacy")


def loading(sheet: Sheet, name: str, rows: str) -> None:
    """Stages, the whole, and other readers of the same rows, in turns in this process."""
    raw = result(rows)
    found: dict[str, list[float]] = {}
    with TemporaryDirectory() as folder, inside.canvas() as pond, inside.canvas() as other:
        stages = inside.Stages(other)
        file = Path(folder) / "rows.json"
        file.write_text(rows)
        readers = inside.readers(file)
        for turn in range(1 + repeats(sheet, len(rows) / MIB)):
            times = {WHOLE: inside.whole_seconds(pond, raw), **stages.seconds(raw)}
            times |= {reader: inside.reader_seconds(read) for reader, read in readers.items()}
            for key, seconds in times.items() if turn else ():
                found.setdefault(key, []).append(seconds)
    for key, seconds in found.items():
        sheet.add(f"inside/{name}/{key}", "ms", [1e3 * each for each in seconds])
    for reader in readers:
        speed = [theirs / ours for theirs, ours in zip(found[reader], found[WHOLE], strict=True)]
        sheet.add(f"inside/{name}/to {reader}", "x", speed, "higher")


if __name__ == "__main__":
    run("throughput", __doc__, measure)
