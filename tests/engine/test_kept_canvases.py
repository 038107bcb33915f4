"""Kept canvases with real engines, over several starts: what was handed out answers, and numbers and limits go on."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import pond
from engine_link import bounded, message, on_loop, quick, reason, until
from millpond.core.model import Call, EngineSettings, Verdict
from millpond.engine.canvases import Canvases, Desk
from millpond.engine.database import Database
from millpond.engine.directory import CanvasDirectory
from millpond.engine.kept import ASIDE, KEPT, Keeper
from millpond.engine.link import Link

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is kept there")


class Start:
    """One start of the process: a session's desk, its log, and its calls, numbered from 1 as every session's are."""

    def __init__(self, desk: Desk, lines: list[str]) -> None:
        self.desk = desk
        self.lines = lines
        self._number = 0

    def call(self, tool: str, arguments: bytes = b"{}") -> Call:
        self._number += 1
        mode = "always" if tool == "rows" else "auto"
        return Call(number=self._number, tool=tool, arguments=arguments, time="2026-11-30T00:00:00Z", mode=mode)

    async def take(self, count: int, desk: Desk | None = None) -> str:
        """Have so many rows stored. Returns their table's name."""
        result = pond.structured({"items": pond.rows(count)})
        outcome = await bounded((desk or self.desk).take(self.call("rows"), result, "query"))
        assert outcome.verdict is Verdict.REPLACE, outcome.note
        return json.loads(outcome.body or b"")["_meta"]["millpond/handle"]["tables"][0]["name"]

    def record(self) -> None:
        """Have a small result kept."""
        self.desk.record(self.call("small"), pond.structured([{"a": 1}]))

    async def ask(self, sql: str, desk: Desk | None = None, **arguments: Any) -> dict[str, Any]:
        raw = json.dumps({"sql": sql, "format": "csv", **arguments}).encode()
        call = self.call("query", raw) if "save_as" in arguments else None
        return json.loads(await bounded((desk or self.desk).query(raw, "query", call)))

    async def lines_of(self, sql: str, desk: Desk | None = None, **arguments: Any) -> list[str]:
        """The lines below the head of an answer."""
        answer = await self.ask(sql, desk, **arguments)
        assert not answer["isError"], message(answer)
        return message(answer).split("\n")[1:]


@asynccontextmanager
async def start(parent: Path, **changes: Any) -> AsyncGenerator[Start]:
    lines: list[str] = []
    keeper = Keeper(parent, 7, lines.append)

    def settings(directory: str, canvas: str, tag: str) -> EngineSettings:
        return pond.settings(Path(directory), canvas=canvas, tag=tag, timeout_seconds=60, **changes)

    def find(conversation: str | None) -> Any:
        return keeper.find((conversation or "own").encode())

    canvases = Canvases(
        lambda: CanvasDirectory.create(parent),
        lambda settings, log: Link(settings, log, limits=quick()),
        settings,
        lines.append,
        lambda _: None,
    )
    async with canvases.open(2, find) as desk:
        await desk.start()
        yield Start(desk, lines)


def is_free(parent: Path, conversation: str) -> bool:
    """Whether no session has a conversation's canvas."""
    found = Keeper(parent, 7, lambda _: None).find(conversation.encode())
    if found is not None:
        found.directory.leave()
    return found is not None


def kept(parent: Path) -> Path:
    [found] = parent.glob(f"{KEPT}*/")
    return found


@on_loop
async def test_what_one_start_handed_out_answers_in_the_next_and_numbers_go_on(tmp_path: Path) -> None:
    """CANVAS-17"""
    async with start(tmp_path) as first:
        name = await first.take(300)
        first.record()
        await first.ask(f"SELECT id FROM {name}", save_as="mine")
        gone = await first.take(10)
        await first.ask(f"DROP TABLE {gone}")
        [id] = await first.lines_of("SELECT canvas_id()")
    async with start(tmp_path) as second:
        assert await second.lines_of(f"SELECT count(*) FROM {name}") == ["300"]
        assert await second.lines_of("SELECT count(*) FROM mine") == ["300"]
        assert reason(await second.ask(f"FROM {gone}")) == "evicted_table"
        assert await second.lines_of("SELECT canvas_id()") == [id]
        assert await second.lines_of("SELECT 1", canvas=id) == ["1"]
        other = await second.take(200)
        assert other == name.removesuffix("1") + "5"
        second.record()
        await second.ask(f"FROM {other}", save_as="theirs")
        numbers = await second.lines_of("SELECT number, tool FROM calls ORDER BY number")
        assert numbers == ["1,rows", "2,small", "3,query", "4,rows", "5,rows", "6,small", "7,query"]
    async with start(tmp_path) as third:
        third.record()
        third.record()
        assert await third.take(100) == name.removesuffix("1") + "10"
        assert await third.lines_of(f"SELECT count(*) FROM {other}") == ["200"]
        assert await third.lines_of("SELECT count(*) FROM theirs") == ["200"]
        assert reason(await third.ask("FROM rows_bbb222_1")) == "stale_table"
    assert [path.name for path in tmp_path.glob("millpond-*")] == []


@on_loop
async def test_limits_hold_over_starts_and_the_oldest_go_first(tmp_path: Path) -> None:
    """CANVAS-17"""
    async with start(tmp_path, max_calls=3) as first:
        names = [await first.take(10 + at) for at in range(2)]
    async with start(tmp_path, max_calls=3) as second:
        names += [await second.take(20 + at) for at in range(2)]
        assert reason(await second.ask(f"FROM {names[0]}")) == "evicted_table"
        assert await second.lines_of(f"SELECT count(*) FROM {names[1]}") == ["11"]
    async with start(tmp_path, max_calls=3) as third:
        assert reason(await third.ask(f"FROM {names[0]}")) == "evicted_table"
        assert await third.lines_of(f"SELECT count(*) FROM {names[3]}") == ["21"]


@on_loop
async def test_conversations_are_found_again_each_with_its_own(tmp_path: Path) -> None:
    """CANVAS-17 CANVAS-19"""
    async with start(tmp_path) as first:
        one = await first.take(100, first.desk.of("a"))
        other = await first.take(200, first.desk.of("b"))
    async with start(tmp_path) as second:
        a, b = second.desk.of("a"), second.desk.of("b")
        assert await second.lines_of(f"SELECT count(*) FROM {one}", a) == ["100"]
        assert await second.lines_of(f"SELECT count(*) FROM {other}", b) == ["200"]
        assert reason(await second.ask(f"FROM {one}", b)) == "stale_table"
        assert reason(await second.ask(f"FROM {one}")) == "stale_table"
        [id] = await second.lines_of("SELECT canvas_id()", a)
        assert await second.lines_of(f"SELECT count(*) FROM {one}", canvas=id) == ["100"]


@on_loop
async def test_a_conversation_that_ended_for_another_has_all_that_it_had_when_it_comes_back(tmp_path: Path) -> None:
    """CANVAS-12 CANVAS-17"""
    async with start(tmp_path) as one:
        name = await one.take(100, one.desk.of("a"))
        for conversation in ("b", "c"):
            await one.take(50, one.desk.of(conversation))
        await until(lambda: is_free(tmp_path, "a"))
        assert await one.lines_of(f"SELECT count(*) FROM {name}", one.desk.of("a")) == ["100"]
        later = await one.take(70, one.desk.of("a"))
        assert int(later.rpartition("_")[2]) > int(name.rpartition("_")[2])


@on_loop
async def test_a_session_beside_the_one_that_has_it_begins_a_new_one_that_ends_with_it(tmp_path: Path) -> None:
    """CANVAS-18"""
    async with start(tmp_path) as first:
        name = await first.take(100)
        async with start(tmp_path) as beside:
            assert reason(await beside.ask(f"FROM {name}")) == "stale_table"
            passing = await beside.take(50)
            assert sum("in use by another session" in line for line in beside.lines) == 1
        assert await first.lines_of(f"SELECT count(*) FROM {name}") == ["100"]
    async with start(tmp_path) as later:
        assert await later.lines_of(f"SELECT count(*) FROM {name}") == ["100"]
        assert reason(await later.ask(f"FROM {passing}")) == "stale_table"


@on_loop
async def test_an_engine_that_is_killed_and_one_that_ends_leave_the_same(tmp_path: Path) -> None:
    """CANVAS-17"""
    async with start(tmp_path) as first:
        name = await first.take(2_000)
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        for pid in children:
            os.kill(int(pid), signal.SIGKILL)
        other = await first.take(100)
    async with start(tmp_path) as second:
        assert await second.lines_of(f"SELECT count(*) FROM {name}") == ["2000"]
        assert await second.lines_of(f"SELECT count(*) FROM {other}") == ["100"]


def overwritten(path: Path) -> bytes:
    path.write_bytes(b"no database" * 1_000)
    return path.read_bytes()


def foreign(path: Path) -> bytes:
    """A database of someone else's."""
    path.unlink()
    database = Database(path, memory_bytes=128 << 20)
    database.cursor().execute("CREATE TABLE calls AS SELECT 1 AS a")
    database.close()
    return path.read_bytes()


def emptied(path: Path) -> bytes:
    """As a log that is lost leaves it: names would be given to other tables."""
    path.unlink()
    Database(path, memory_bytes=128 << 20).close()
    return path.read_bytes()


def other_canvas(path: Path) -> bytes:
    path.unlink()
    database = Database(path, memory_bytes=128 << 20)
    database.cursor().execute("CREATE MACRO canvas_id() AS '00000000000000000000'")
    database.close()
    return path.read_bytes()


@pytest.mark.parametrize("damage", [overwritten, foreign, emptied, other_canvas])
@on_loop
async def test_a_file_that_is_no_canvas_is_put_aside_as_it_is_and_a_new_one_is_begun(
    tmp_path: Path, damage: Callable[[Path], bytes]
) -> None:
    """CANVAS-20"""
    async with start(tmp_path) as first:
        name = await first.take(100)
    (kept(tmp_path) / "canvas.duckdb.wal").unlink(missing_ok=True)
    found = damage(kept(tmp_path) / "canvas.duckdb")
    async with start(tmp_path) as second:
        assert reason(await second.ask(f"FROM {name}")) == "stale_table"
        [note] = await second.lines_of("SELECT note FROM calls")
        assert "call the tools again for their rows" in note
        [aside] = tmp_path.glob(f"{ASIDE}*/")
        assert (aside / "canvas.duckdb").read_bytes() == found
        assert any(str(aside) in line for line in second.lines)
        again = await second.take(50)
    async with start(tmp_path) as third:
        assert await third.lines_of(f"SELECT count(*) FROM {again}") == ["50"]
        assert reason(await third.ask(f"FROM {name}")) == "stale_table"
