"""How fast does a result become a table, against DuckDB's own `read_json` of the same rows from a file?

    python bench/load.py [MIB ...]       1, 10 and 32 MiB by default

Both run in this process, in turns, five times each (three from 64 MiB); the best time of each counts, and the ratio is what to look at. Ours
is the whole of it: the raw result is read, its types are found from all values, the table and the text are committed to a database file,
the handle is written; the interpreter is tuned as the engine's process tunes it. DuckDB's is a table in memory from a file of the rows alone, with types from the first 20,480 rows; that favours it.
"""

from __future__ import annotations

import json
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from millpond.engine.worker import tune
from pond import Canvas

DEFAULT_MIB = ("1", "10", "32")


def row(at: int, chance: random.Random) -> dict[str, object]:
    """A record as trackers give them: numbers, money, texts, a stamp, an object, a list of objects, a value that is often missing."""
    return {
        "id": at,
        "title": "Issue " + "".join(chance.choices("abcdefgh ", k=40)),
        "state": chance.choice(["open", "closed"]),
        "score": round(chance.random() * 100, 2),
        "created_at": f"2026-01-{1 + at % 28:02}T10:00:00Z",
        "labels": [{"name": "bug", "color": f"{chance.randrange(1 << 24):06x}"}] * (at % 3),
        "user": {"login": f"user{at % 500}", "id": at % 500},
        "locked": at % 7 == 0,
        "comments": None if at % 5 else at,
    }


def rows_of(size_bytes: int) -> str:
    """A JSON list of about so many bytes."""
    chance = random.Random(1)
    texts: list[str] = []
    while size_bytes > 0:
        texts.append(json.dumps(row(len(texts), chance), separators=(",", ":")))
        size_bytes -= len(texts[-1]) + 1
    return f"[{','.join(texts)}]"


def seconds(work: Callable[[], object]) -> float:
    """For one run of it."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def compare(mib: float, directory: Path) -> None:
    """Print one line for results of this size."""
    text = rows_of(int(mib * (1 << 20)))
    result = ('{"content":[],"structuredContent":{"items":' + text + "}}").encode()
    file = directory / "rows.json"
    file.write_text(text)
    canvas = Canvas(directory)
    other = duckdb.connect(config={"threads": 2})
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(3 if mib >= 64 else 5):
        ours.append(seconds(lambda: canvas.take(result)))
        theirs.append(seconds(lambda: other.execute(f"CREATE OR REPLACE TABLE t AS FROM read_json('{file}')")))
    canvas.database.close()
    print(
        f"{mib:g} MiB: {min(ours) * 1e3:.0f} ms ({mib / min(ours):.0f} MiB/s), read_json {min(theirs) * 1e3:.0f} ms,"
        f" ratio {min(theirs) / min(ours):.2f}"
    )


def main() -> None:
    """Compare for every size of the command line."""
    tune()
    print(f"Python {platform.python_version()}, DuckDB {duckdb.__version__}, {os.cpu_count()} processors")
    for size in sys.argv[1:] or DEFAULT_MIB:
        with tempfile.TemporaryDirectory() as directory:
            compare(float(size), Path(directory))


main()
