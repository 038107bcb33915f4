"""Does one session of many calls stay as it was: memory, files, processes, latency?

    python bench/soak.py [--quick]      25,000 calls, or 2,500

Puts `millpond --` in front of a bare server and calls its tools in one fixed mixture, with a query after every twentieth call. Prints a
line at intervals: resident memory of relay and engine, descriptors, processes, files of the canvas, and medians of latency since the line
before. The figures compare the last third of what follows the warm-up with its first.

Memory is flat only from `WARM_UP_CALLS` on: until then the canvas fills to `max_calls` (10,000), and each table that is kept costs DuckDB
some memory; a quick run sees the filling only. The rows of evicted calls fill `calls` until twice that: eviction takes a little longer till then. Latency is one machine's: look at the ratios. Linux only: it reads /proc. Its bias: a raw
client and a raw server, one call at a time, so that the relay is never the one who waits. The engine's memory is a sawtooth of 100 MiB,
for DuckDB checkpoints now and then: a leak of less than about 7 KiB a call is not told from it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from lib.client import Client
from lib.payloads import MIB, SMALL, count_text, result
from lib.processes import descendants, descriptors, engine_of, resident_bytes
from lib.sheet import Sheet, run
from lib.ways import served

CALLS, QUICK_CALLS = 25_000, 2_500
WARM_UP_CALLS = 12_000
"""Past `max_calls`: from here on every call evicts one."""
QUERY_EVERY = 20
LINES = 25
"""How often a line is printed in all."""
ROWS: Mapping[str, int] = {"word": 0, "few": 8, "some": 48, "many": 400, "most": 5_000}
"""Tools, with the rows that each answers: about 60 bytes, 2 KiB, 12 KiB, 100 KiB and 1.2 MiB."""
MIXTURE = ["word"] * 120 + ["few"] * 50 + ["some"] * 25 + ["many"] * 4 + ["most"]


def measure(sheet: Sheet) -> None:
    """One session, from its start to what it leaves behind."""
    results = {name: result(count_text(count)) if count else SMALL for name, count in ROWS.items()}
    with tempfile.TemporaryDirectory() as name, served(results) as server:
        folder = Path(name)
        settings = folder / "millpond.toml"
        settings.write_text(f'[canvas]\ndirectory = "{folder}"\n')
        with Client((sys.executable, "-m", "millpond", "--config", str(settings), "--", *server)) as client:
            looks = soak(client, QUICK_CALLS if sheet.quick else CALLS, folder)
        left = [file.name for file in folder.iterdir() if file != settings]
    compare(sheet, looks)
    sheet.add("left behind", "count", [len(left)])


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen at one moment, and the median latencies, in milliseconds, since the moment before."""

    calls: int
    relay_bytes: int
    engine_bytes: int
    descriptors: int
    processes: int
    files: int
    files_bytes: int
    small_ms: float
    table_ms: float
    query_ms: float

    def __str__(self) -> str:
        memory = f"{self.relay_bytes >> 20:5} {self.engine_bytes >> 20:6} MiB"
        held = (
            f"{self.descriptors:4} fds {self.processes} processes {self.files:2} files {self.files_bytes >> 20:5} MiB"
        )
        return f"{self.calls:7,} {memory} {held} {self.small_ms:7.2f} {self.table_ms:7.2f} {self.query_ms:7.2f} ms"


def soak(client: Client, calls: int, folder: Path) -> list[Look]:
    """The calls, and a line at intervals."""
    print("  calls relay engine                                              small   table   query")
    looks: list[Look] = []
    seconds: dict[str, list[float]] = {"small": [0.0], "table": [0.0], "query": [0.0]}
    table = "calls"
    for number in range(1, calls + 1):
        answer, took = call(client, MIXTURE[number * 77 % len(MIXTURE)])
        handle = answer.get("_meta", {}).get("millpond/handle")
        seconds["table" if handle else "small"].append(took)
        table = handle["tables"][0]["name"] if handle else table
        if number % QUERY_EVERY == 0:
            answer, took = call(client, "query", sql=statement(client, number, table))
            assert not answer["isError"], answer
            seconds["query"].append(took)
        if number % max(calls // LINES, 1) == 0:
            looks.append(look(number, client.process.pid, folder, seconds))
            print(looks[-1], flush=True)
            seconds = {kind: [0.0] for kind in seconds}
    return looks


def call(client: Client, tool: str, **arguments: object) -> tuple[dict[str, Any], float]:
    """The `result` of a tool's call and the seconds it took."""
    line, seconds = client.call(tool, arguments)
    return json.loads(line)["result"], seconds


def statement(client: Client, number: int, table: str) -> str:
    """A question of the newest table; now and then of a small result's, which is made only then."""
    if number % (QUERY_EVERY * 5):
        return f"SELECT count(*), sum(score) FROM {table}"
    names = "SELECT tables[1] FROM calls WHERE tool = 'few' AND note IS NULL ORDER BY number DESC LIMIT 1"
    answer, _ = call(client, "query", sql=names, format="csv")
    return f"SELECT count(*), sum(score) FROM {answer['content'][0]['text'].split()[1]}"


# --- what is looked at ----------------------------------------------------------------------------------------------


def look(calls: int, relay: int, folder: Path, seconds: Mapping[str, list[float]]) -> Look:
    """The processes and the files as they are now."""
    family = descendants(relay)
    engine = engine_of(relay)
    files = [file for file in folder.rglob("*") if file.is_file()]
    small, table, query = (1000 * median(seconds[kind]) for kind in ("small", "table", "query"))
    return Look(
        calls=calls,
        relay_bytes=resident_bytes(relay),
        engine_bytes=resident_bytes(engine),
        descriptors=descriptors(relay) + descriptors(engine),
        processes=len(family),
        files=len(files),
        files_bytes=sum(file.stat().st_size for file in files),
        small_ms=small,
        table_ms=table,
        query_ms=query,
    )


def compare(sheet: Sheet, looks: list[Look]) -> None:
    """The last third of what follows the warm-up against its first, medians of each; of a short run, all that was seen."""
    warm = [one for one in looks if one.calls >= WARM_UP_CALLS] or looks
    third = max(len(warm) // 3, 1)
    first, last = warm[:third], warm[-third:]
    if warm is looks:
        sheet.note("growth", "of a canvas that is still being filled: too short a run to tell")
    sheet.add("calls", "count", [looks[-1].calls], "higher")

    def change(name: str) -> float:
        return median(getattr(one, name) for one in last) - median(getattr(one, name) for one in first)

    for name in ("relay_bytes", "engine_bytes"):
        sheet.add(f"{name.partition('_')[0]} growth", "MiB", [change(name) / MIB])
        sheet.add(f"{name.partition('_')[0]} at most", "MiB", [max(getattr(one, name) for one in looks) / MIB])
    sheet.add("disk growth", "MiB", [change("files_bytes") / MIB])
    sheet.add("disk at most", "MiB", [max(one.files_bytes for one in looks) / MIB])
    for name in ("descriptors", "processes", "files"):
        sheet.add(f"{name} growth", "count", [change(name)])
    for name in ("small_ms", "table_ms", "query_ms"):
        start = median(getattr(one, name) for one in first)
        sheet.add(f"{name.partition('_')[0]} end to start", "x", [getattr(one, name) / start for one in last])


if __name__ == "__main__":
    run("soak", __doc__, measure)
