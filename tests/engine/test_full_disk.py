"""The link and the real engine on a disk that fills: a limit on the size of files stands in for it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine_link import Bench, bench, bounded, on_loop, quick, until
from millpond.core.model import Outcome, Verdict
from millpond.engine.link import COMMAND

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="lifts a limit of another process")

LIMITED = """
import os, resource, sys
limit = open(sys.argv[1]).read()
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
os.execv(sys.argv[2], sys.argv[2:])
"""
ROWS = 30_000
UNLIMITED = 1 << 40


class Disk:
    """A disk for one file that holds so much."""

    def __init__(self, folder: Path, room_bytes: int) -> None:
        self._file = folder / "room"
        self._file.write_text(str(room_bytes))
        self.command = (sys.executable, "-c", LIMITED, str(self._file), *COMMAND)

    def enlarge(self) -> None:
        """Make room, for the process that runs and those to come."""
        import resource

        self._file.write_text(str(UNLIMITED))
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        for pid in children:
            if b"millpond.engine" in Path(f"/proc/{pid}/cmdline").read_bytes():
                resource.prlimit(int(pid), resource.RLIMIT_FSIZE, (UNLIMITED, resource.RLIM_INFINITY))


@asynccontextmanager
async def on_disk(folder: Path, room_bytes: int) -> AsyncGenerator[tuple[Bench, Disk]]:
    disk = Disk(folder, room_bytes)
    async with bench(folder, command=disk.command, limits=quick(grace_seconds=2.0)) as it:
        yield it, disk


def result(seed: int) -> bytes:
    """Some 3 MiB of rows that do not compress."""
    rows = [{"n": at, "pad": f"{hash((seed, at)) & 0xFFFFFFFFFFFF:x}" * 6} for at in range(ROWS)]
    return json.dumps({"content": [], "structuredContent": rows}).encode()


def sql(text: str) -> str:
    return json.dumps({"sql": text, "format": "csv"})


def table(outcome: Outcome) -> str:
    return json.loads(outcome.body or b"")["_meta"]["millpond/handle"]["tables"][0]["name"]


async def count(it: Bench, source: str) -> int:
    answer: dict[str, Any] = await it.ask(sql(f"SELECT count(*) FROM {source}"))
    assert not answer["isError"], answer
    return int(answer["content"][0]["text"].split()[1])


@pytest.mark.parametrize("room_mib", [2, 6, 70])
@on_loop
async def test_a_full_disk_costs_tables_and_neither_calls_nor_what_is_stored(tmp_path: Path, room_mib: int) -> None:
    """ENGINE-25, ENGINE-26"""
    async with on_disk(tmp_path, room_mib << 20) as (it, disk):
        outcomes: list[Outcome] = []
        while not outcomes or outcomes[-1].verdict is Verdict.REPLACE:
            outcomes.append(await bounded(it.take("rows", result(len(outcomes)))))
            assert len(outcomes) < 40
        assert outcomes[-1].verdict is Verdict.FAILED
        outcomes.append(await bounded(it.take("rows", result(0))))
        stored = [table(outcome) for outcome in outcomes if outcome.verdict is Verdict.REPLACE]
        assert [await count(it, name) for name in stored] == [ROWS] * len(stored)
        recorded = [it.record("small", b'{"content":[]}') for _ in range(10)]
        assert await count(it, "range(7)") == 7
        disk.enlarge()
        stored.append(table(await bounded(it.take("rows", result(0)))))
        assert [await count(it, name) for name in stored] == [ROWS] * len(stored)
        while await count(it, f"calls WHERE number BETWEEN {recorded[0]} AND {recorded[-1]}") < len(recorded):
            pass
        assert await count(it, "calls") == len(stored) + len(recorded)


@on_loop
async def test_on_a_full_disk_a_query_says_what_is_not_stored_yet(tmp_path: Path) -> None:
    """ENGINE-26"""
    async with on_disk(tmp_path, 2 << 20) as (it, disk):
        assert await count(it, "calls") == 0
        it.record("text", json.dumps({"content": [{"type": "text", "text": "x" * (3 << 20)}]}).encode())
        answer = await it.ask(sql("SELECT 1"))
        assert not answer["isError"]
        assert "the disk is full" in answer["content"][1]["text"]
        await it.logged("wait to be committed: the disk is full")
        disk.enlarge()
        await until(lambda: True)
        while await count(it, "calls") == 0:
            pass
        assert len((await it.ask(sql("SELECT 1")))["content"]) == 1
