"""What do the numbers rest on by which the settings explain themselves?

    python bench/bounds.py [--quick]      400 tables of each kind, or 100

A handle's bytes, beside the bound up to which rows stay as they came; the memory that one more table takes of an engine with room, by
what its rows are like; how long a question waits for an engine that was at rest; what the database's file takes of the disk for each
byte of a result; and what a session takes of the record of counts.

Bias: the same rows again and again, and a question of few rows. An engine with room gives DuckDB what it asks for, and a smaller budget
makes do with less for a table. Linux only: it reads /proc.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lib.client import Client
from lib.payloads import MIB, count_text, flat, record, result
from lib.processes import engine_of, resident_bytes
from lib.sheet import Sheet, run
from lib.ways import served

TABLES, QUICK_TABLES = 400, 100
WARM_UP_TABLES = 50
RESTS, QUICK_RESTS = 7, 3
IDLE_SECONDS = 1.0
LARGE_ROWS, LARGE_CALLS = 20_000, 12
"""6 MiB each: enough for a file to be more than its first blocks."""


def numbers(at: int, chance: random.Random) -> dict[str, Any]:
    """Ten columns of whole numbers."""
    return {f"n{key}": at * key for key in range(10)}


KINDS: Mapping[str, tuple[int, Callable[[int, random.Random], dict[str, Any]]]] = {
    "50 nested rows": (50, record),
    "60 flat rows": (60, flat),
    "100 rows of numbers": (100, numbers),
    "400 nested rows": (400, record),
}
"""Rows of one result, and how they are made."""


def measure(sheet: Sheet) -> None:
    """Each number by itself, in a session of its own."""
    tools = {kind: result(count_text(count, make)) for kind, (count, make) in KINDS.items()}
    tools |= {"handle": result(count_text(412)), "large": result(count_text(LARGE_ROWS))}
    with served(tools) as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = folder / "millpond.toml"
        settings.write_text(f'[canvas]\ndirectory = "{folder}"\nengine_idle_seconds = {IDLE_SECONDS}\n')
        plain = (sys.executable, "-m", "millpond", "--", *server)
        for kind in KINDS:
            with Client(plain) as client:
                memory(sheet, kind, client, QUICK_TABLES if sheet.quick else TABLES)
        with Client((*plain[:3], "--config", str(settings), *plain[3:])) as client:
            rest(sheet, client, QUICK_RESTS if sheet.quick else RESTS)
            disk(sheet, client, folder, len(tools["large"]))
        with Client(plain, {**os.environ, "MILLPOND_STATS": "on", "XDG_STATE_HOME": name}) as client:
            client.call("handle")
        lines = (folder / "millpond" / "stats.jsonl").read_bytes().splitlines(keepends=True)
        sheet.add("a session in the record of counts", "bytes", [len(line) for line in lines])


def memory(sheet: Sheet, kind: str, client: Client, tables: int) -> None:
    """What one more table takes of the engine's memory."""
    for _ in range(WARM_UP_TABLES):
        client.call(kind)
    engine = engine_of(client.process.pid)
    before = resident_bytes(engine)
    for _ in range(tables):
        client.call(kind)
    sheet.add(f"a table of {kind}, memory", "bytes", [(resident_bytes(engine) - before) / tables])


def rest(sheet: Sheet, client: Client, repeats: int) -> None:
    """A handle's bytes; then questions of its table, each after the engine has gone."""
    line, _ = client.call("handle")
    sheet.add("a handle of 412 rows of 10 columns, its line", "bytes", [len(line)])
    table = json.loads(line)["result"]["_meta"]["millpond/handle"]["tables"][0]["name"]
    seconds: list[float] = []
    for _ in range(repeats):
        gone(client.process.pid)
        seconds.append(client.call("query", {"sql": f"SELECT count(*) FROM {table}"})[1])
    sheet.add("a question of an engine at rest", "ms", [1e3 * each for each in seconds])


def gone(relay: int) -> None:
    """Wait until no engine runs. Raises `TimeoutError` where one does not end."""
    deadline = time.perf_counter() + 20 * IDLE_SECONDS
    while time.perf_counter() < deadline:
        try:
            engine_of(relay)
        except LookupError:
            return
        time.sleep(IDLE_SECONDS / 10)
    raise TimeoutError("the engine does not rest")


def disk(sheet: Sheet, client: Client, folder: Path, size_bytes: int) -> None:
    """The bytes of the file for each byte of the results in it."""
    for _ in range(LARGE_CALLS):
        client.call("large")
    taken = sum(file.stat().st_size for file in folder.rglob("canvas.duckdb*") if file.is_file())
    print(f"  {LARGE_CALLS} results of {size_bytes / MIB:.1f} MiB")
    sheet.add("the file, to the results kept", "x", [taken / (LARGE_CALLS * size_bytes)])


if __name__ == "__main__":
    run("bounds", __doc__, measure)
