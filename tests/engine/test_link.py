"""The link and a process that does as it is told: waiting, order, bounds, deadlines."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine_link import LIMITS, bench, bounded, message, on_loop, quick, reason
from millpond.core.model import Verdict
from millpond.engine.limits import QUERY_THREADS, Limits


def test_the_link_loads_neither_duckdb_nor_mcp() -> None:
    """ENGINE-01"""
    code = (
        "import sys, millpond.engine.link; print([name for name in ('duckdb', 'mcp', 'anyio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@on_loop
async def test_what_is_asked_before_the_process_is_ready_waits_for_it(tmp_path: Path) -> None:
    """ENGINE-02"""
    async with bench(tmp_path) as it:
        taken, asked = it.take("rows", b"[1]"), it.query("hello")
        number = it.record()
        assert await bounded(asked) == "hello"
        outcome = await bounded(taken)
        assert outcome.verdict is Verdict.REPLACE
        assert json.loads(outcome.body or b"")["bytes"] == 3
        while number not in await it.ask("numbers"):
            pass


@on_loop
async def test_results_are_stored_one_at_a_time_and_queries_do_not_wait_for_them(tmp_path: Path) -> None:
    """ENGINE-03"""
    async with bench(tmp_path) as it:
        held, second = it.take("hold_once"), it.take("second")
        await it.logged("begins hold_once")
        assert await it.ask("hello") == "hello"
        assert not held.done()
        assert not any("begins second" in line for line in it.lines)
        await it.kill()
        assert [(await bounded(one)).verdict for one in (held, second)] == [Verdict.REPLACE, Verdict.REPLACE]


@on_loop
async def test_a_result_over_a_bound_of_what_waits_has_failed_at_once(tmp_path: Path) -> None:
    """ENGINE-04"""
    limits = Limits(waiting_loads=3, waiting_load_bytes=1000)
    async with bench(tmp_path, limits=limits, max_result_bytes=2000) as it:
        first = it.take("hold_always", bytes(900))
        await it.logged("begins hold_always")
        fits = it.take("rows", bytes(50))
        for too_much in (bytes(100), bytes(3000)):
            outcome = await bounded(it.take("rows", too_much))
            assert outcome.verdict is Verdict.FAILED
            assert outcome.note
        last = it.take("rows", bytes(1))
        assert (await bounded(it.take("rows", b""))).verdict is Verdict.FAILED
        assert not any(one.done() for one in (first, fits, last))
        for one in (first, fits, last):
            one.cancel()


@on_loop
async def test_one_result_larger_than_what_may_wait_is_stored_where_nothing_waits(tmp_path: Path) -> None:
    """ENGINE-04"""
    async with bench(tmp_path, limits=Limits(waiting_load_bytes=10)) as it:
        for _ in range(3):
            assert (await bounded(it.take("rows", bytes(5000)))).verdict is Verdict.REPLACE


@on_loop
async def test_a_result_whose_caller_went_away_while_it_waited_is_not_stored(tmp_path: Path) -> None:
    """ENGINE-04"""
    async with bench(tmp_path) as it:
        held, second, third = it.take("hold_once"), it.take("second"), it.take("third")
        await it.logged("begins hold_once")
        second.cancel()
        await it.kill()
        assert (await bounded(third)).verdict is Verdict.REPLACE
        assert (await bounded(held)).verdict is Verdict.REPLACE
        assert await it.ask("numbers") == [1, 3]


@on_loop
async def test_a_body_of_many_mebibytes_arrives_whole_and_others_are_served_meanwhile(tmp_path: Path) -> None:
    """ENGINE-03"""
    async with bench(tmp_path, max_result_bytes=1 << 30) as it:
        body = memoryview(bytes(100 << 20))
        taken = asyncio.create_task(it.link.take(it.call("rows"), body, "query"))
        assert await it.ask("hello") == "hello"
        assert json.loads((await bounded(taken)).body or b"")["bytes"] == 100 << 20


@on_loop
async def test_a_query_is_answered_at_the_deadline_before_the_process_is_touched(tmp_path: Path) -> None:
    """ENGINE-05, ENGINE-06"""
    async with bench(tmp_path, limits=Limits(grace_seconds=0.5), timeout_seconds=1.0) as it:
        before = await it.ask("pid")
        late = await it.ask("hold_always")
        assert reason(late) == "timeout"
        assert "1 s" in message(late)
        assert "timeout_seconds" in message(late)
        assert not any("did not stop" in line for line in it.lines)
        await it.logged("did not stop")
        assert await it.ask("pid") != before
        assert sum("begins hold_always" in line for line in it.lines) == 1


@on_loop
async def test_a_query_that_stops_in_time_leaves_the_process_as_it_is(tmp_path: Path) -> None:
    """ENGINE-05"""
    async with bench(tmp_path, limits=Limits(grace_seconds=30), timeout_seconds=0.5) as it:
        while not isinstance(before := await it.ask("pid"), int):
            pass  # The process takes longer to start than a query may wait.
        assert reason(await it.ask("wait")) == "timeout"
        await it.logged("stopped wait")
        assert await it.ask("pid") == before


@on_loop
async def test_a_query_whose_caller_went_away_is_stopped(tmp_path: Path) -> None:
    """ENGINE-07"""
    async with bench(tmp_path, limits=Limits(grace_seconds=30)) as it:
        before = await it.ask("pid")
        asked = it.query("wait")
        await it.logged("begins wait")
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await it.logged("stopped wait")
        assert await it.ask("pid") == before


@on_loop
async def test_a_query_whose_caller_went_away_and_that_does_not_stop_costs_the_process(tmp_path: Path) -> None:
    """ENGINE-07"""
    async with bench(tmp_path) as it:
        before = await it.ask("pid")
        asked = it.query("hold_always")
        await it.logged("begins hold_always")
        asked.cancel()
        await it.logged("did not stop")
        assert await it.ask("pid") != before
        assert sum("begins hold_always" in line for line in it.lines) == 1


@on_loop
async def test_a_query_that_waits_for_a_thread_is_stopped_without_a_kill(tmp_path: Path) -> None:
    """ENGINE-07"""
    async with bench(tmp_path, limits=Limits(grace_seconds=30), timeout_seconds=1.0) as it:
        before = await it.ask("pid")
        asked = [it.query(f"wait {number}") for number in range(12)]
        assert {reason(await bounded(one)) for one in asked} == {"timeout"}
        assert await it.ask("pid") == before


@on_loop
async def test_a_result_that_takes_too_long_has_failed_and_the_next_is_stored(tmp_path: Path) -> None:
    """ENGINE-12"""
    async with bench(tmp_path, limits=Limits(load_seconds=1.0, load_seconds_per_mib=0.0)) as it:
        held, second = it.take("hold_always"), it.take("second")
        outcome = await bounded(held)
        assert outcome.verdict is Verdict.FAILED
        assert "in time" in (outcome.note or "")
        assert (await bounded(second)).verdict is Verdict.REPLACE


@on_loop
async def test_a_query_that_does_not_come_to_its_turn_is_told_so(tmp_path: Path) -> None:
    """ENGINE-30"""
    async with bench(tmp_path, limits=quick(grace_seconds=2.0), timeout_seconds=1.0) as it:
        await it.ask("hello")
        running = [it.query(f"hold_always {number}") for number in range(QUERY_THREADS)]
        await it.logged("begins hold_always", QUERY_THREADS)
        late = it.query("late")
        said = [message(await bounded(one)) for one in (*running, late)]
        assert all("took longer" in text for text in said[:-1])
        assert "could not begin" in said[-1]
        while (answer := await it.ask("hello")) != "hello":
            assert reason(answer) == "timeout"


@on_loop
async def test_a_result_that_found_no_memory_beside_a_query_is_stored_alone(tmp_path: Path) -> None:
    """ENGINE-11"""
    async with bench(tmp_path, limits=Limits(grace_seconds=30), timeout_seconds=2.0) as it:
        running = it.query("wait")
        await it.logged("begins wait")
        taken = it.take("beside")
        while not any("alone" in line for line in it.lines):
            later = await it.ask("later")
            assert later == "later" or reason(later) == "timeout"
        assert reason(await bounded(running)) == "timeout"
        assert (await bounded(taken)).verdict is Verdict.REPLACE
        assert await it.ask("after") == "after"


@on_loop
async def test_a_result_that_finds_no_memory_alone_is_tried_once_more_in_a_new_process(tmp_path: Path) -> None:
    """ENGINE-11"""
    async with bench(tmp_path) as it:
        assert (await bounded(it.take("rows"))).verdict is Verdict.REPLACE
        first = await it.ask("pid")
        assert (await bounded(it.take("memory_once"))).verdict is Verdict.REPLACE
        second = await it.ask("pid")
        assert (await bounded(it.take("memory_always"))).verdict is Verdict.FAILED
        assert len({first, second, await it.ask("pid")}) == 3
        assert sum("begins memory_always" in line for line in it.lines) == 2


@on_loop
async def test_a_result_that_finds_no_memory_alone_has_failed(tmp_path: Path) -> None:
    """ENGINE-11"""
    async with bench(tmp_path) as it:
        outcome = await bounded(it.take("memory"))
        assert outcome.verdict is Verdict.FAILED
        assert "memory" in (outcome.note or "")
        assert (await bounded(it.take("rows"))).verdict is Verdict.REPLACE


@on_loop
async def test_an_accident_in_a_part_is_an_answer_and_its_data_stays_out_of_the_log(tmp_path: Path) -> None:
    """ENGINE-18"""
    async with bench(tmp_path) as it:
        before = await it.ask("pid")
        assert reason(await it.ask("raise")) == "execution_error"
        assert reason(await it.ask("memory")) == "out_of_memory"
        assert (await bounded(it.take("raise"))).verdict is Verdict.FAILED
        assert await it.ask("pid") == before
        assert any("RuntimeError in" in line for line in it.lines)
        assert not any("conversation" in line for line in it.lines)


@on_loop
async def test_a_stray_print_goes_to_the_log_and_not_between_the_frames(tmp_path: Path) -> None:
    """ENGINE-18"""
    async with bench(tmp_path) as it:
        assert await it.ask("print") == "print"
        assert (await bounded(it.take("print"))).verdict is Verdict.REPLACE
        assert await it.ask("hello") == "hello"


@on_loop
async def test_closing_answers_what_waits_and_takes_nothing_more(tmp_path: Path) -> None:
    """ENGINE-16"""
    async with bench(tmp_path, limits=LIMITS) as it:
        held, waiting, asked = it.take("hold_always"), it.take("rows"), it.query("hold_always")
        await it.logged("begins hold_always", 2)
        await bounded(it.link.close())
        assert (await bounded(held)).verdict is Verdict.FAILED
        assert (await bounded(waiting)).verdict is Verdict.FAILED
        assert reason(await bounded(asked)) == "execution_error"
        assert reason(await it.ask("hello")) == "execution_error"
        assert (await bounded(it.take("rows"))).verdict is Verdict.FAILED
        it.record()
