"""Places: engines end where nobody asks them, or for another, and start again when they are asked; the clock is the test's."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pond
from engine_link import SCRIPTED, alive, bench, bounded, on_loop, quick, until
from millpond.core.seats import LINGER_SECONDS, STAY_SECONDS
from millpond.engine.link import Link
from millpond.engine.places import Places


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@on_loop
async def test_an_engine_that_nobody_asks_ends_and_the_next_question_starts_it(tmp_path: Path) -> None:
    """CANVAS-13"""
    clock = Clock()
    places = Places(2, 300, clock)
    async with bench(tmp_path, places=places) as it:
        first = await it.ask("pid")
        assert (await bounded(it.take("rows"))).body
        clock.seconds = 299
        places.look()
        assert await it.ask("pid") == first
        clock.seconds = 598
        places.look()
        assert alive(first)
        clock.seconds = 599
        places.look()
        await until(lambda: not alive(first))
        second = await it.ask("pid")
        assert second != first
        assert await it.ask("numbers") == [1]
        assert not any("starting again" in line for line in it.lines)


@on_loop
async def test_an_engine_at_work_is_never_ended_for_another(tmp_path: Path) -> None:
    """CANVAS-14"""
    clock = Clock()
    places = Places(1, 300, clock)
    async with bench(tmp_path / "a", places=places) as busy, bench(tmp_path / "b", places=places) as other:
        pid = await busy.ask("pid")
        held = busy.query("wait")
        await busy.logged("begins wait")
        asked = other.query("pid")
        clock.seconds = 1_000
        places.look()
        assert alive(pid)
        held.cancel()
        await asyncio.wait([held])
        assert await bounded(asked) != pid


@on_loop
async def test_an_engine_that_is_asked_again_at_once_is_not_ended_between_two_questions(tmp_path: Path) -> None:
    """CANVAS-14"""
    clock = Clock()
    places = Places(1, 300, clock)
    async with bench(tmp_path / "a", places=places) as first, bench(tmp_path / "b", places=places) as second:
        pid = await first.ask("pid")
        asked = second.query("pid")
        for _ in range(3):
            assert await first.ask("pid") == pid
        clock.seconds = LINGER_SECONDS
        other = await bounded(asked)
        assert other != pid
        asked = first.query("pid")
        while not asked.done():
            clock.seconds += STAY_SECONDS / 4
            assert await second.ask("pid") == other or clock.seconds >= STAY_SECONDS


@on_loop
async def test_an_engine_that_is_being_closed_has_its_place_until_it_has_ended(tmp_path: Path) -> None:
    """CANVAS-14"""
    places = Places(1)
    limits = quick(close_seconds=0.5)
    async with bench(tmp_path / "a", limits=limits, places=places) as first, bench(tmp_path / "b", places=places) as it:
        pid = await first.ask("pid")
        os.kill(pid, signal.SIGSTOP)
        closing = asyncio.create_task(first.link.close())
        assert await it.ask("pid") != pid
        assert not alive(pid)
        await bounded(closing)


@on_loop
async def test_a_recorded_result_wakes_an_engine_at_rest_and_is_committed(tmp_path: Path) -> None:
    """CANVAS-13"""
    clock = Clock()
    places = Places(1, 300, clock)
    async with bench(tmp_path, places=places) as it:
        first = await it.ask("pid")
        clock.seconds = 301
        places.look()
        await until(lambda: not alive(first))
        number = it.record()
        await until(lambda: not it.link.is_busy)
        assert await it.ask("numbers") == [number]


@on_loop
async def test_who_waits_in_vain_for_a_place_is_told(tmp_path: Path) -> None:
    """CANVAS-14"""
    places = Places(1)
    limits = quick(start_seconds=0.05, starts=1)
    async with bench(tmp_path / "a", places=places) as busy:
        held = busy.query("wait")
        await until(lambda: busy.link.is_busy)
        waiting = Link(pond.settings(tmp_path / "b"), busy.lines.append, limits=limits, command=SCRIPTED, places=places)
        await waiting.start()
        answer = await bounded(waiting.query(b"pid", "query"))
        assert b"execution_error" in answer
        assert any("the others are all at work" in line for line in busy.lines)
        await waiting.close()
        held.cancel()
        await asyncio.wait([held])
