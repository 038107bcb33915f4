"""Does one session of many calls stay as it was: memory, files, processes, latency?

    python bench/soak.py [CALLS]        25,000 by default

Puts `millpond --` in front of a server of this file and calls its tools in one fixed mixture, with a query after every
twentieth call. Prints a line at intervals: resident memory of relay and engine, descriptors, processes, files of the
canvas, and medians of latency since the line before. The last lines compare the end with the end of the warm-up.

Memory is flat only from `WARM_UP_CALLS` on: until then the canvas fills to `max_calls` (10,000), and each table that is
kept costs DuckDB some memory. Latency is one machine's: look at the ratios. Linux only: it reads /proc. Its bias: a raw
client and a raw server, one call at a time, so that the relay is never the one who waits.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import duckdb

CALLS = 25_000
WARM_UP_CALLS = 12_000
"""Past `max_calls`: from here on every call evicts one."""
GOAL_BYTES = 64 << 20
"""The growth of either process after the warm-up that is still called flat."""
QUERY_EVERY = 20
LINES = 25
"""How often a line is printed in all."""
ROWS: Mapping[str, int] = {"word": 0, "few": 20, "some": 120, "many": 1_000, "most": 12_000}
"""Tools, with the rows that each answers: about 60 bytes, 2 KiB, 12 KiB, 100 KiB and 1.2 MiB."""
MIXTURE = ["word"] * 120 + ["few"] * 50 + ["some"] * 25 + ["many"] * 4 + ["most"]


def main() -> None:
    """Run as the bench, or as its server."""
    if sys.argv[1:] == ["server"]:
        serve()
        return
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    print(f"Python {platform.python_version()}, DuckDB {duckdb.__version__}, {os.cpu_count()} cores, {calls:,} calls")
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "millpond.toml"
        settings.write_text(f'[canvas]\ndirectory = "{folder}"\n')
        soak(calls, Path(folder), settings)
        left = [file.name for file in Path(folder).iterdir() if file != settings]
    print(f"left behind: {left or 'nothing'}")


# --- the server -----------------------------------------------------------------------------------------------------


def serve() -> None:
    """Answer every tool with as many rows as `ROWS` says, as raw bytes."""
    results = {name: result(count) for name, count in ROWS.items()}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        ident, method = message.get("id"), message["method"]
        if ident is None:
            continue
        if method == "tools/call":
            body = results[message["params"]["name"]]
        elif method == "tools/list":
            body = json.dumps({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ROWS]}).encode()
        else:
            body = (
                b'{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
            )
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (ident, body))
        sys.stdout.buffer.flush()


def result(count: int) -> bytes:
    """A raw `result` of so many rows; of none, a short text."""
    if not count:
        return b'{"content":[{"type":"text","text":"all is well"}]}'
    rows = [
        {"id": at, "title": f"row {at} " + "x" * 40, "state": ("open", "closed")[at % 2], "score": at / 4}
        for at in range(count)
    ]
    return json.dumps({"content": [], "structuredContent": {"items": rows}}).encode()


# --- the client -----------------------------------------------------------------------------------------------------


class Client:
    """A raw client of the proxied server: one request at a time."""

    def __init__(self, settings: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "millpond",
            "--config",
            str(settings),
            "--",
            sys.executable,
            __file__,
            "server",
        ]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._id = 0

    def request(self, method: str, params: object) -> tuple[bytes, float]:
        """The answer's line and the seconds it took."""
        assert self.process.stdin
        assert self.process.stdout
        self._id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode() + b"\n"
        begin = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.process.stdout.readline(), time.perf_counter() - begin

    def call(self, tool: str, **arguments: object) -> tuple[dict[str, Any], float]:
        """The `result` of a tool's call and the seconds it took."""
        line, seconds = self.request("tools/call", {"name": tool, "arguments": arguments})
        return json.loads(line)["result"], seconds


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


def soak(calls: int, folder: Path, settings: Path) -> None:
    """The calls, and a line at intervals."""
    client = Client(settings)
    client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}})
    client.request("tools/list", {})
    print("  calls relay engine                                              small   table   query")
    looks: list[Look] = []
    seconds: dict[str, list[float]] = {"small": [0.0], "table": [0.0], "query": [0.0]}
    table = "calls"
    for number in range(1, calls + 1):
        tool = MIXTURE[number * 77 % len(MIXTURE)]
        answer, took = client.call(tool)
        handle = answer.get("_meta", {}).get("millpond/handle")
        seconds["table" if handle else "small"].append(took)
        table = handle["tables"][0]["name"] if handle else table
        if number % QUERY_EVERY == 0:
            answer, took = client.call("query", sql=statement(client, number, table))
            assert not answer["isError"], answer
            seconds["query"].append(took)
        if number % max(calls // LINES, 1) == 0:
            looks.append(look(number, client.process.pid, folder, seconds))
            print(looks[-1], flush=True)
            seconds = {kind: [0.0] for kind in seconds}
    client.process.communicate(timeout=30)
    compare(looks)


def statement(client: Client, number: int, table: str) -> str:
    """A question of the newest table; now and then of a small result's, which is made only then."""
    if number % (QUERY_EVERY * 5):
        return f"SELECT count(*), sum(score) FROM {table}"
    names = "SELECT tables[1] FROM calls WHERE tool = 'few' AND note IS NULL ORDER BY number DESC LIMIT 1"
    answer, _ = client.call("query", sql=names, format="csv")
    return f"SELECT count(*), sum(score) FROM {answer['content'][0]['text'].split()[1]}"


# --- what is looked at ----------------------------------------------------------------------------------------------


def look(calls: int, relay: int, folder: Path, seconds: Mapping[str, list[float]]) -> Look:
    """The processes and the files as they are now."""
    family = descendants(relay)
    engine = next(pid for pid in family if b"millpond.engine" in Path(f"/proc/{pid}/cmdline").read_bytes())
    files = [file for file in folder.rglob("*") if file.is_file()]
    small, table, query = (1000 * median(seconds[kind]) for kind in ("small", "table", "query"))
    return Look(
        calls=calls,
        relay_bytes=resident_bytes(relay),
        engine_bytes=resident_bytes(engine),
        descriptors=sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in (relay, engine)),
        processes=len(family),
        files=len(files),
        files_bytes=sum(file.stat().st_size for file in files),
        small_ms=small,
        table_ms=table,
        query_ms=query,
    )


def descendants(pid: int) -> list[int]:
    """A process and all that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(found for child in children for found in descendants(int(child)))]


def resident_bytes(pid: int) -> int:
    """The memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def compare(looks: list[Look]) -> None:
    """The end against the end of the warm-up, or the first look of a short run."""
    warm = next((one for one in looks if one.calls >= WARM_UP_CALLS), looks[0])
    last = looks[-1]
    print(f"from call {warm.calls:,} to {last.calls:,}:")
    for name in ("relay_bytes", "engine_bytes"):
        growth = getattr(last, name) - max(getattr(one, name) for one in looks if one.calls <= warm.calls)
        verdict = "flat" if growth < GOAL_BYTES else f"more than the {GOAL_BYTES >> 20} MiB that count as flat"
        print(f"  {name.partition('_')[0]} grew by {growth / (1 << 20):.1f} MiB: {verdict}")
    for name in ("small_ms", "table_ms", "query_ms"):
        first = next(getattr(one, name) for one in looks)
        print(f"  {name.partition('_')[0]}: the end took {getattr(last, name) / first:.2f} x the start")


if __name__ == "__main__":
    main()
