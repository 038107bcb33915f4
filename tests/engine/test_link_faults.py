"""The link when the process ends under it, does not come up, or its directory is taken away."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from engine_link import Bench, alive, bench, bounded, message, on_loop, quick, reason
from millpond.core.model import Verdict


def engines() -> list[str]:
    """The engine processes of this one, where the system tells."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    found = children.read_text().split() if children.exists() else []
    return [pid for pid in found if b"engine_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


async def kept(it: Bench, *numbers: int) -> None:
    """Wait until these are committed."""
    while not set(numbers) <= set(await it.ask("numbers")):
        pass


@on_loop
async def test_a_kill_under_a_result_loses_neither_it_nor_what_is_in_flight_beside_it(tmp_path: Path) -> None:
    """ENGINE-08, ENGINE-09"""
    async with bench(tmp_path) as it:
        first = await it.ask("pid")
        held = it.take("hold_once", b"[1, 2]")
        await it.logged("begins hold_once")
        queries = [it.query(f"hold_once {number}") for number in range(3)]
        await it.logged("begins hold_once ", 3)
        others = [it.take(f"other{number}") for number in range(2)]
        recorded = it.record()
        os.kill(first, signal.SIGKILL)
        outcome = await bounded(held)
        assert outcome.verdict is Verdict.REPLACE
        assert json.loads(outcome.body or b"")["pid"] != first
        assert [(await bounded(one)).verdict for one in others] == [Verdict.REPLACE] * 2
        assert [await bounded(one) for one in queries] == ["hold_once 0", "hold_once 1", "hold_once 2"]
        await kept(it, 1, 2, 3, recorded)


@on_loop
async def test_a_query_that_must_be_killed_costs_nothing_that_is_in_flight_beside_it(tmp_path: Path) -> None:
    """ENGINE-06, ENGINE-08, ENGINE-09, ENGINE-10"""
    async with bench(tmp_path, timeout_seconds=2.0) as it:
        first = await it.ask("pid")
        stuck = it.query("hold_always")
        await it.logged("begins hold_always")
        held = it.take("hold_once")
        await it.logged("begins hold_once")
        stuck.cancel()
        others = [it.take("rows"), it.take("rows"), it.take("keep")]
        beside = [it.query("hold_once a"), it.query("hold_once b")]
        recorded = it.record()
        assert (await bounded(held)).verdict is Verdict.REPLACE
        assert {(await bounded(one)).verdict for one in others} == {Verdict.REPLACE, Verdict.KEEP}
        assert [await bounded(one) for one in beside] == ["hold_once a", "hold_once b"]
        assert await it.ask("pid") != first
        await kept(it, 1, 2, 3, 4, recorded)
        assert sum("begins hold_always" in line for line in it.lines) == 1


@on_loop
async def test_a_result_under_which_the_process_ends_twice_has_failed_and_the_next_is_stored(tmp_path: Path) -> None:
    """ENGINE-08"""
    async with bench(tmp_path) as it:
        deadly, second = it.take("die_always"), it.take("rows")
        outcome = await bounded(deadly)
        assert outcome.verdict is Verdict.FAILED
        assert "twice" in (outcome.note or "")
        assert (await bounded(second)).verdict is Verdict.REPLACE
        assert sum("begins die_always" in line for line in it.lines) == 2


@on_loop
async def test_a_kill_for_a_query_is_not_held_against_the_result_beside_it(tmp_path: Path) -> None:
    """ENGINE-08"""
    async with bench(tmp_path, timeout_seconds=0.5) as it:
        held = it.take("hold_always")
        for times in range(1, 4):
            await it.logged("begins hold_always", 2 * times - 1)
            assert reason(await it.ask("hold_always")) == "timeout"
        await it.logged("begins hold_always", 7)
        assert not held.done()
        held.cancel()


@on_loop
async def test_a_query_under_which_the_process_ends_is_sent_once_more_and_then_answered(tmp_path: Path) -> None:
    """ENGINE-09"""
    async with bench(tmp_path) as it:
        assert await it.ask("die_once") == "die_once"
        again = await it.ask("die_always")
        assert reason(again) == "engine_restarted"
        assert "again" in message(again)
        assert sum("begins die_always" in line for line in it.lines) == 2
        assert await it.ask("hello") == "hello"


@on_loop
async def test_what_was_recorded_is_there_after_any_kill(tmp_path: Path) -> None:
    """ENGINE-10"""
    async with bench(tmp_path) as it:
        numbers: list[int] = []
        for _ in range(5):
            pid = await it.ask("pid")
            numbers += [it.record() for _ in range(100)]
            assert (await bounded(it.take("keep"))).verdict is Verdict.KEEP
            numbers.append(numbers[-1] + 1)
            os.kill(pid, signal.SIGKILL)
        await kept(it, *numbers)
        assert await it.ask("numbers") == numbers


@on_loop
async def test_over_the_bound_results_are_not_recorded_and_the_log_counts_them(tmp_path: Path) -> None:
    """ENGINE-10"""
    async with bench(tmp_path, limits=quick(unconfirmed=10, unconfirmed_bytes=1000)) as it:
        await it.ask("hello")
        (it.directory / "full").touch()
        numbers = [it.record() for _ in range(13)]
        await it.logged("OSError in")
        (it.directory / "full").unlink()
        await kept(it, *numbers[:10])
        while not any("results were not recorded" in line for line in it.lines):
            it.record()
            await it.ask("hello")
        assert not any("conversation" in line for line in it.lines)
        assert sum("caught up" in line for line in it.lines) == 1
        it.record(result=bytes(2000))
        assert sum("caught up" in line for line in it.lines) == 2


@on_loop
async def test_what_ends_the_process_each_time_it_is_recorded_is_given_up(tmp_path: Path) -> None:
    """ENGINE-10"""
    async with bench(tmp_path) as it:
        it.record("die_always")
        await it.logged("again and again")
        assert await it.ask("hello") == "hello"


@pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")
@on_loop
async def test_many_kills_in_a_row_leave_no_process_and_no_descriptor(tmp_path: Path) -> None:
    """ENGINE-24"""
    async with bench(tmp_path) as it:
        await it.kill()
        await it.ask("hello")
        before = len(os.listdir("/proc/self/fd"))
        pids = [await it.kill() for _ in range(25)]
        await it.ask("hello")
        assert len(set(pids)) == 25
        assert len(os.listdir("/proc/self/fd")) <= before
        assert not any(alive(pid) for pid in pids)


@on_loop
async def test_a_directory_that_was_taken_away_costs_its_tables_and_nothing_else(tmp_path: Path) -> None:
    """ENGINE-13"""
    async with bench(tmp_path) as it:
        tag = await it.ask("tag")
        assert await it.ask("begun anew") is None
        assert (await bounded(it.take("rows"))).verdict is Verdict.REPLACE
        shutil.rmtree(it.directory)
        taken = it.take("rows")
        assert (await bounded(taken)).verdict is Verdict.REPLACE
        assert await it.ask("numbers") == [2]
        assert await it.ask("tag") != tag
        assert "removed" in await it.ask("begun anew")
        assert it.directory.stat().st_mode & 0o777 == 0o700


@on_loop
async def test_a_query_that_finds_the_directory_taken_away_is_told(tmp_path: Path) -> None:
    """ENGINE-13"""
    async with bench(tmp_path) as it:
        await it.ask("hello")
        shutil.rmtree(it.directory)
        told = await it.ask("hello")
        assert reason(told) == "engine_restarted"
        assert "call the tools again" in message(told).lower()
        assert await it.ask("hello") == "hello"


@on_loop
async def test_a_file_taken_out_of_the_directory_begins_an_empty_canvas(tmp_path: Path) -> None:
    """ENGINE-13"""
    async with bench(tmp_path) as it:
        await it.ask("hello")
        (it.directory / "canvas.duckdb").unlink()
        assert reason(await it.ask("hello")) == "engine_restarted"
        assert "removed" in await it.ask("begun anew")


@on_loop
async def test_a_process_that_does_not_come_up_is_answered_for_and_tried_again_when_asked(tmp_path: Path) -> None:
    """ENGINE-14"""
    limits = quick(starts=2)
    (tmp_path / "unusable").touch()
    async with bench(tmp_path, limits=limits) as it:
        taken, asked = it.take("rows"), it.query("hello")
        assert (await bounded(taken)).verdict is Verdict.FAILED
        assert reason(await bounded(asked)) == "execution_error"
        starts = sum("did not come up" in line for line in it.lines)
        assert starts == 2
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED
        assert sum("did not come up" in line for line in it.lines) <= starts + 1
        (tmp_path / "unusable").unlink()
        while (await bounded(it.take("rows"))).verdict is not Verdict.REPLACE:
            await asyncio.sleep(0)
        assert await it.ask("hello") == "hello"


@on_loop
async def test_a_command_that_cannot_be_run_is_answered_for(tmp_path: Path) -> None:
    """ENGINE-14"""
    command = (str(tmp_path / "nothing"),)
    async with bench(tmp_path, limits=quick(starts=1), command=command) as it:
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED
        assert reason(await it.ask("hello")) == "execution_error"


@on_loop
async def test_a_process_that_says_nothing_is_ended(tmp_path: Path) -> None:
    """ENGINE-14"""
    command = (sys.executable, "-c", "import sys; sys.stdin.read()")
    async with bench(tmp_path, limits=quick(starts=1, start_seconds=0.3), command=command) as it:
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED


@on_loop
async def test_nobody_waits_for_a_second_process_that_says_nothing(tmp_path: Path) -> None:
    """ENGINE-14"""
    command = (sys.executable, "-c", "import sys; sys.stdin.read()")
    async with bench(tmp_path, limits=quick(starts=3, start_seconds=0.3), command=command) as it:
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED
        assert sum("did not come up" in line for line in it.lines) == 1


@on_loop
async def test_a_process_that_writes_no_frames_is_ended(tmp_path: Path) -> None:
    """ENGINE-14"""
    command = (sys.executable, "-c", "import sys; print('x' * 1000, flush=True); sys.stdin.read()")
    async with bench(tmp_path, limits=quick(starts=1), command=command) as it:
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED
        assert any("unreadable" in line for line in it.lines)


@on_loop
async def test_a_damaged_file_gives_way_to_an_empty_canvas(tmp_path: Path) -> None:
    """ENGINE-15"""
    async with bench(tmp_path) as it:
        tag = await it.ask("tag")
        (it.directory / "damaged").touch()
        await it.kill()
        assert (await bounded(it.take("rows"))).verdict is Verdict.REPLACE
        assert await it.ask("tag") != tag
        assert "damaged" in await it.ask("begun anew")


@on_loop
async def test_a_file_that_cannot_be_opened_for_now_stays(tmp_path: Path) -> None:
    """ENGINE-15"""
    async with bench(tmp_path) as it:
        tag = await it.ask("tag")
        assert (await bounded(it.take("rows"))).verdict is Verdict.REPLACE
        (it.directory / "unusable").touch()
        await it.kill()
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED
        assert reason(await it.ask("hello")) == "execution_error"
        (it.directory / "unusable").unlink()
        while (await bounded(it.take("rows"))).verdict is not Verdict.REPLACE:
            await asyncio.sleep(0)
        assert await it.ask("tag") == tag
        assert 1 in await it.ask("numbers")


@on_loop
async def test_a_database_that_takes_no_further_statement_is_opened_anew(tmp_path: Path) -> None:
    """ENGINE-25"""
    async with bench(tmp_path) as it:
        pids = [await it.ask("pid")]
        assert (await bounded(it.take("stopped_once_take"))).verdict is Verdict.REPLACE
        pids.append(await it.ask("pid"))
        assert await it.ask("stopped_once query") == "stopped_once query"
        pids.append(await it.ask("pid"))
        (it.directory / "stopped").touch()
        await kept(it, 1, it.record())
        pids.append(await it.ask("pid"))
        assert len(set(pids)) == 4
        assert sum("takes no further statement" in line for line in it.lines) == 3


@on_loop
async def test_a_result_that_is_in_no_table_is_a_line_of_the_log(tmp_path: Path) -> None:
    """ENGINE-29"""
    async with bench(tmp_path) as it:
        assert (await bounded(it.take("raise_always"))).verdict is Verdict.FAILED
        await it.logged("the result of call 1 is in no table: the engine failed (RuntimeError)")


@on_loop
async def test_a_link_that_closes_while_its_process_is_being_started_leaves_nothing(tmp_path: Path) -> None:
    """ENGINE-27"""
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    for turns in range(40):
        directory = tmp_path / str(turns)
        async with bench(directory) as it:
            for _ in range(turns):
                await asyncio.sleep(0)
        shutil.rmtree(directory, ignore_errors=True)
        assert not it.lines
        assert not faults
        assert not engines()
    assert not list(tmp_path.iterdir())
