"""An end at every step: the files as they are at any moment of a session, opened again, have all that was acknowledged, and nothing half.

DuckDB appends to its log and then, in a checkpoint, writes the log into the file. The log is cut at many places, as an end in the
middle of an append leaves it; in a checkpoint the kernel ends the process at the write that makes the file longer than a limit.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pond import Canvas, rows, structured

State = dict[str, Any]
CUTS_A_STEP = 3
"""Places within a step at which the log is cut, besides its end."""


def take(canvas: Canvas, number: int, count: int) -> None:
    canvas.take(structured({"items": rows(count)}), number=number)


def record(canvas: Canvas, number: int) -> None:
    canvas.store.record(canvas.call("few", number=number), structured([{"a": 1}, {"a": 2}]))
    canvas.store.flush()


def ask(canvas: Canvas, number: int, sql: str, save_as: str | None = None) -> None:
    raw = json.dumps({"sql": sql} | ({"save_as": save_as} if save_as else {})).encode()
    call = canvas.call("query", number=number, arguments=raw)
    answer = json.loads(canvas.runner.answer(1, raw, "query", call))
    reason = answer["_meta"].get("millpond/error", {}).get("reason")
    assert reason in (None, "evicted_table"), answer  # The second where it was dropped before the end.


STEPS: tuple[Callable[[Canvas], None], ...] = (
    lambda canvas: take(canvas, 1, 300),
    lambda canvas: record(canvas, 2),
    lambda canvas: ask(canvas, 3, "SELECT a * 1.10 AS b FROM few_k7q2xd_2", "kept"),
    lambda canvas: take(canvas, 4, 500),
    lambda canvas: ask(canvas, 5, "DROP TABLE rows_k7q2xd_4"),
    lambda canvas: take(canvas, 6, 200),
    lambda canvas: ask(canvas, 7, "SELECT id FROM rows_k7q2xd_6", "ids"),
    lambda canvas: take(canvas, 8, 250),
)
"""What a session does; the last two evict, for no more than five calls are kept."""


def state(canvas: Canvas) -> State:
    """All that can be asked of a canvas."""
    tables = [name for (name,) in canvas.sql("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'")]
    return {
        "rows": {name: canvas.sql(f"SELECT count(*) FROM {name}")[0][0] for name in tables if name != "calls"},
        "calls": canvas.sql("SELECT number, tool, tables, note FROM calls ORDER BY number"),
        "results": canvas.sql("SELECT call, sum(length(text))::BIGINT FROM results GROUP BY call ORDER BY call"),
        "names": sorted(canvas.store.names()),
    }


@dataclass(frozen=True)
class Moment:
    """The state that was acknowledged, and how long the log was then."""

    log_bytes: int
    state: State


def session(directory: Path) -> tuple[list[Moment], Path, Path]:
    """Do every step. Returns what was acknowledged when, and the file and the log, which hold all of it."""
    canvas = Canvas(directory, max_calls=5)
    file, log = directory / "canvas.duckdb", directory / "canvas.duckdb.wal"
    moments = [Moment(log.stat().st_size, state(canvas))]
    for step in STEPS:
        step(canvas)
        moments.append(Moment(log.stat().st_size, state(canvas)))
    (directory / "copy").mkdir()
    return moments, Path(shutil.copy(file, directory / "copy")), Path(shutil.copy(log, directory / "copy"))


def opened(directory: Path, file: Path, log: Path, log_bytes: int) -> Canvas:
    """The canvas as the next process finds it, where so much of the log was written."""
    directory.mkdir()
    shutil.copy(file, directory)
    shutil.copy(log, directory)
    os.truncate(directory / log.name, log_bytes)
    return Canvas(directory, max_calls=5)


def test_an_end_at_any_byte_of_the_log_loses_nothing_acknowledged_and_the_step_can_be_done_again(
    tmp_path: Path,
) -> None:
    """CANVAS-16 STORE-05 STORE-16"""
    (tmp_path / "session").mkdir()
    moments, file, log = session(tmp_path / "session")
    for at, (before, after) in enumerate(pairwise(moments)):
        length = after.log_bytes - before.log_bytes
        assert length > 0
        for cut in (length * part // (CUTS_A_STEP + 1) for part in range(CUTS_A_STEP + 1)):
            canvas = opened(tmp_path / f"{at}-{cut}", file, log, before.log_bytes + cut)
            found = state(canvas)
            holds_what_was_acknowledged(found, before.state, after.state)
            STEPS[at](canvas)
            assert state(canvas) == after.state, (at, cut)
            canvas.database.close()


def holds_what_was_acknowledged(found: State, before: State, after: State) -> None:
    """All that was there and was not to go is there whole; what was coming is there whole or not at all."""
    lasting = {name: count for name, count in before["rows"].items() if name in after["rows"]}
    assert lasting.items() <= found["rows"].items() <= (before["rows"] | after["rows"]).items()
    assert [call[0] for call in before["calls"]] == [call[0] for call in found["calls"]][: len(before["calls"])]
    assert all(call in (*before["calls"], *after["calls"]) for call in found["calls"])
    made = {name for call in found["calls"] for name in call[2]}
    assert set(found["rows"]) <= made


CHECKPOINT = """
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
sys.path.insert(0, str(Path(sys.argv[1]) / "engine"))
import test_crash_steps as steps
directory = Path(sys.argv[2])
canvas = steps.Canvas(directory, max_calls=5)
for step in steps.STEPS:
    step(canvas)
size = (directory / "canvas.duckdb").stat().st_size
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + int(sys.argv[3]), resource.RLIM_INFINITY))
canvas.database.close()
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends the process at the write that is too much")
@pytest.mark.parametrize("more_bytes", [1, 20_000, 60_000])
def test_an_end_in_the_middle_of_a_checkpoint_loses_nothing(tmp_path: Path, more_bytes: int) -> None:
    """CANVAS-16"""
    for name in ("whole", "ended"):
        (tmp_path / name).mkdir()
    moments, _, _ = session(tmp_path / "whole")
    tests = str(Path(__file__).parent.parent)
    command = [sys.executable, "-c", CHECKPOINT, tests, str(tmp_path / "ended"), str(more_bytes)]
    assert subprocess.run(command, check=False, timeout=60).returncode == -signal.SIGXFSZ
    canvas = Canvas(tmp_path / "ended", max_calls=5)
    assert state(canvas) == moments[-1].state
    canvas.database.close()
