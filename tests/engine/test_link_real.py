"""The link and the real engine: kills in the middle of a large load, SQL that does not stop, memory, a vanished directory."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine_link import Bench, bounded, message, on_loop, quick, real, reason, until
from millpond.core.model import Outcome, Verdict

LARGE_ROWS = 420_000
LARGE_BYTES = 46 << 20


def large() -> bytes:
    """A result of some 50 MiB."""
    row = '{{"id":{},"title":"{}","state":"open","score":{}.25,"user":{{"login":"someone"}}}}'
    rows = ",".join(row.format(at, "x" * 40, at % 100) for at in range(LARGE_ROWS))
    result = f'{{"content":[],"structuredContent":{{"items":[{rows}]}}}}'.encode()
    assert len(result) >= LARGE_BYTES
    return result


def rows(count: int) -> bytes:
    return json.dumps(
        {"content": [], "structuredContent": [{"n": at, "pad": "x" * 30} for at in range(count)]}
    ).encode()


def sql(text: str) -> str:
    return json.dumps({"sql": text, "format": "csv"})


def column(answer: dict[str, Any]) -> list[str]:
    """The lines below the head of an answer in CSV."""
    assert not answer["isError"], answer
    return answer["content"][0]["text"].split()[1:]


def table(outcome: Outcome) -> str:
    assert outcome.verdict is Verdict.REPLACE, outcome.note
    return json.loads(outcome.body or b"")["_meta"]["millpond/handle"]["tables"][0]["name"]


async def size(it: Bench, name: str) -> int:
    return int(column(await it.ask(sql(f"SELECT count(*) FROM {name}")))[0])


def grown(directory: Path, size_bytes: int) -> bool:
    """Whether the files of the canvas hold so much, which a load in the middle writes."""
    return sum(file.stat().st_size for file in directory.glob("canvas.duckdb*") if file.is_file()) > size_bytes


async def pid_of(it: Bench) -> int:
    """The engine's process, found as a child of this one."""
    await it.ask(sql("SELECT 1"))
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    found = [int(pid) for pid in children if b"millpond.engine" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(found) == 1
    return found[0]


linux = pytest.mark.skipif(sys.platform != "linux", reason="finds the process in /proc")


@linux
@on_loop
async def test_a_kill_in_the_middle_of_a_large_result_loses_nothing(tmp_path: Path) -> None:
    """ENGINE-08, ENGINE-09, ENGINE-10"""
    async with real(tmp_path, timeout_seconds=60) as it:
        first = table(await bounded(it.take("first", rows(2000))))
        pid = await pid_of(it)
        loading = it.take("large", large())
        await until(lambda: grown(it.directory, 8 << 20))
        others = [it.take("other", rows(1000)) for _ in range(3)]
        asked = [it.query(sql(f"SELECT sum(n) FROM {first}")) for _ in range(3)]
        for _ in range(5):
            it.record("small", rows(3))
        os.kill(pid, signal.SIGKILL)
        assert await size(it, first) == 2000
        assert [column(await bounded(one)) for one in asked] == [[str(1999 * 1000)]] * 3
        assert await size(it, table(await bounded(loading))) == LARGE_ROWS
        assert [await size(it, table(await bounded(one))) for one in others] == [1000] * 3
        assert column(await it.ask(sql("SELECT number FROM calls ORDER BY number"))) == [str(n) for n in range(1, 11)]
        assert await pid_of(it) != pid


@on_loop
async def test_sql_that_does_not_stop_is_answered_in_time_and_costs_nothing_else(tmp_path: Path) -> None:
    """ENGINE-05, ENGINE-06"""
    async with real(tmp_path, timeout_seconds=2.0, limits=quick(grace_seconds=0.2)) as it:
        name = table(await bounded(it.take("rows", rows(2000))))
        stuck = it.query(sql("SELECT length(lpad('a', 2000000000, 'b'))"))
        others = [it.take("other", rows(1000)) for _ in range(3)]
        beside = [it.query(sql(f"SELECT count(*) FROM {name}")) for _ in range(3)]
        assert [column(await bounded(one)) for one in beside] == [["2000"]] * 3
        assert [table(await bounded(one)) != "" for one in others] == [True] * 3
        assert reason(await bounded(stuck)) in ("timeout", "out_of_memory")
        assert await size(it, name) == 2000


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT length(repeat('a', 3000000000))",
        "SELECT length(printf('%2000000000d', 1))",
        "SELECT count(*) FROM (SELECT unnest(range(1000000000)))",
        "SELECT len(list_resize([1], 500000000))",
        "SELECT count(*) FROM range(100000000000) a, range(1000) b",
    ],
)
@on_loop
async def test_sql_that_takes_all_memory_or_time_gets_a_reason_and_the_next_finds_every_row(
    tmp_path: Path, statement: str
) -> None:
    """ENGINE-05, ENGINE-22"""
    async with real(tmp_path, timeout_seconds=3.0, memory_bytes=512 << 20) as it:
        name = table(await bounded(it.take("rows", rows(2000))))
        refused = await it.ask(sql(statement))
        assert reason(refused) in ("out_of_memory", "timeout", "function_refused", "engine_restarted")
        assert message(refused)
        assert await size(it, name) == 2000


@on_loop
async def test_a_result_too_large_for_the_memory_has_failed_and_the_next_is_stored(tmp_path: Path) -> None:
    """ENGINE-11, ENGINE-22"""
    async with real(tmp_path, memory_bytes=128 << 20) as it:
        outcome = await bounded(it.take("large", large()))
        assert outcome.verdict is Verdict.FAILED
        assert outcome.note
        assert await size(it, table(await bounded(it.take("rows", rows(2000))))) == 2000


@on_loop
async def test_a_result_that_took_all_memory_does_not_keep_small_ones_from_being_stored(tmp_path: Path) -> None:
    """ENGINE-11"""
    async with real(tmp_path, memory_bytes=128 << 20) as it:
        names = [table(await bounded(it.take("rows", rows(count)))) for count in (20_000, 80_000, 150_000)]
        outcome = await bounded(it.take("large", large()))
        assert outcome.verdict is Verdict.FAILED
        assert "memory" in (outcome.note or "")
        names += [table(await bounded(it.take("rows", rows(40_000)))) for _ in range(4)]
        assert [await size(it, name) for name in names] == [20_000, 80_000, 150_000, *[40_000] * 4]


@on_loop
async def test_a_directory_taken_away_is_told_and_calls_begins_with_why(tmp_path: Path) -> None:
    """ENGINE-13"""
    async with real(tmp_path) as it:
        old = table(await bounded(it.take("rows", rows(2000))))
        shutil.rmtree(it.directory)
        told = await it.ask(sql(f"SELECT count(*) FROM {old}"))
        assert reason(told) == "engine_restarted"
        stale = await it.ask(sql(f"SELECT count(*) FROM {old}"))
        assert reason(stale) == "stale_table"
        assert await size(it, table(await bounded(it.take("rows", rows(1000))))) == 1000
        calls = await it.ask(sql("SELECT number, note LIKE '%removed%' AS said FROM calls ORDER BY number"))
        assert column(calls)[0].lower() == "0,true"
        assert column(calls)[1].startswith("2,")


@linux
@on_loop
async def test_a_cancelled_query_stops_and_the_process_goes_on(tmp_path: Path) -> None:
    """ENGINE-07"""
    async with real(tmp_path, timeout_seconds=60, limits=quick(grace_seconds=30)) as it:
        pid = await pid_of(it)
        asked = it.query(sql("SELECT count(*) FROM range(100000000000) a, range(1000) b"))
        await it.ask(sql("SELECT 1"))
        asked.cancel()
        await asyncio.wait([asked])
        held = [it.query(sql("SELECT 2")) for _ in range(8)]
        assert [column(await bounded(one)) for one in held] == [["2"]] * 8
        assert await pid_of(it) == pid


@on_loop
async def test_no_recorded_result_is_lost_beside_loads_and_queries(tmp_path: Path) -> None:
    """ENGINE-03, ENGINE-10"""
    async with real(tmp_path) as it:
        for _ in range(10):
            for _ in range(30):
                it.record("small", rows(2))
            await it.ask(sql("SELECT 1"))
            await bounded(it.take("rows", rows(1000)))
        assert column(await it.ask(sql("SELECT count(*) FROM calls"))) == ["310"]


@on_loop
async def test_evicting_beside_one_another_fails_neither_loads_nor_records_nor_queries(tmp_path: Path) -> None:
    """ENGINE-03"""
    async with real(tmp_path, max_calls=10) as it:
        for _ in range(15):
            for _ in range(20):
                it.record("small", rows(2))
            taken = [it.take("rows", rows(500)) for _ in range(3)]
            asked = [it.query(sql("SELECT count(*) FROM calls")) for _ in range(3)]
            assert [column(await bounded(one)) != [] for one in asked] == [True] * 3
            assert {(await bounded(one)).verdict for one in taken} == {Verdict.REPLACE}
        assert not any("Exception" in line for line in it.lines)


@on_loop
async def test_an_answer_that_is_kept_outlives_a_kill_and_one_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """QUERY-17 STORE-15"""

    def keep(statement: str, name: str) -> Coroutine[None, None, bytes]:
        raw = json.dumps({"sql": statement, "save_as": name}).encode()
        call = msgspec.structs.replace(it.call("query"), arguments=raw)
        return it.link.query(raw, "query", call)

    async with real(tmp_path, timeout_seconds=60) as it:
        assert b'"saved_as":"kept"' in await bounded(keep("SELECT 1.10 AS a", "kept"))
        lasting = asyncio.create_task(keep("SELECT count(*) FROM range(100000000000) a, range(1000) b", "lost"))
        assert "1.10" in message(await it.ask(sql("FROM kept")))
        os.kill(await pid_of(it), signal.SIGKILL)
        assert "1.10" in message(await it.ask(sql("FROM kept")))
        lasting.cancel()
        assert "1,kept" in message(await it.ask(sql("SELECT number, tables[1] FROM calls ORDER BY number")))
        assert reason(await it.ask(sql("FROM lost"))) == "unknown_table"
