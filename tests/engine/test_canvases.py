"""Several canvases of one process, each with a real engine: who reads which, and what passes between two."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import pond
from engine_link import bounded, message, on_loop, quick, reason, until
from millpond.core.model import Call, EngineSettings, Verdict
from millpond.core.steps import LABEL
from millpond.engine.canvases import Canvases, Desk
from millpond.engine.counting import Counting
from millpond.engine.directory import CanvasDirectory
from millpond.engine.link import Link
from millpond.engine.places import Places

CANVAS_ID = "SELECT canvas_id() AS id"
NESTED = (
    "SELECT {'k': 1.10, 'l': [1, NULL]} AS s, MAP {'x': uuid '00000000-0000-0000-0000-000000000001'} AS m,"
    " (SELECT '1234567890123456789012345678901234567890123')::BIGNUM AS b, 'nan'::DOUBLE AS n, '\\xAA'::BLOB AS o,"
    " 12345678901234567890123456789012345.678::DECIMAL(38,3) AS d, TIMESTAMPTZ '2026-01-01 10:00:00+02:00' AS t,"
    " INTERVAL 1 MONTH AS i, 170141183460469231731687303715884105727::HUGEINT AS h, 'a'::ENUM('a', 'b') AS e"
)


class Client:
    """One conversation: its desk, and the numbers of its calls."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._number = 0

    def call(self, tool: str, arguments: bytes = b"{}") -> Call:
        self._number += 1
        return Call(number=self._number, tool=tool, arguments=arguments, time="2026-11-30T00:00:00Z")

    async def take(self, count: int, tool: str = "rows") -> str:
        """Have so many rows stored. Returns their table's name."""
        outcome = await bounded(self.desk.take(self.call(tool), pond.structured({"items": pond.rows(count)}), "query"))
        assert outcome.verdict is Verdict.REPLACE, outcome.note
        return json.loads(outcome.body or b"")["_meta"]["millpond/handle"]["tables"][0]["name"]

    async def ask(self, sql: str, **arguments: Any) -> dict[str, Any]:
        raw = json.dumps({"sql": sql, "format": "csv", **arguments}).encode()
        call = self.call("query", raw) if "save_as" in arguments else None
        return json.loads(await bounded(self.desk.query(raw, "query", call)))

    async def lines(self, sql: str, **arguments: Any) -> list[str]:
        """The lines below the head of an answer."""
        answer = await self.ask(sql, **arguments)
        assert not answer["isError"], message(answer)
        return message(answer).split("\n")[1:]

    async def id(self) -> str:
        (found,) = await self.lines(CANVAS_ID)
        return found


class House:
    """A process with several canvases, and what it logged."""

    def __init__(self, parent: Path, stack: AsyncExitStack, most: int, **changes: Any) -> None:
        self.parent = parent
        self.lines: list[str] = []
        self.engines: list[Link] = []
        self.counts: list[Counting] = []
        self._stack = stack
        self._changes = changes
        places = Places(most)

        def make(settings: EngineSettings, log: Any) -> Link:
            self.engines.append(Link(settings, log, limits=quick(), places=places))
            return self.engines[-1]

        self.canvases = Canvases(
            lambda: CanvasDirectory.create(parent), make, self._settings, self.lines.append, self.counts.append
        )

    def _settings(self, directory: str, canvas: str, tag: str) -> EngineSettings:
        return pond.settings(Path(directory), canvas=canvas, tag=tag, timeout_seconds=60, **self._changes)

    async def client(self, max_conversations: int = 2) -> Client:
        desk = await self._stack.enter_async_context(self.canvases.open(max_conversations))
        await desk.start()
        return Client(desk)

    def exchanged(self) -> list[Path]:
        """The files that lie in folders for exchange."""
        return list(self.parent.glob("*/exchange/*"))


@asynccontextmanager
async def house(parent: Path, most: int = 8, **changes: Any) -> AsyncGenerator[House]:
    async with AsyncExitStack() as stack:
        yield House(parent, stack, most, **changes)


@on_loop
async def test_who_is_given_an_id_reads_that_canvas_and_changes_nothing_in_it(tmp_path: Path) -> None:
    """CANVAS-01 CANVAS-02 CANVAS-05"""
    async with house(tmp_path) as it:
        mine, theirs = await it.client(), await it.client()
        name = await theirs.take(300)
        id = await theirs.id()
        assert id != await mine.id()
        assert reason(await mine.ask(f"SELECT count(*) FROM {name}")) == "stale_table"
        assert await mine.lines(f"SELECT count(*) FROM {name}", canvas=id) == ["300"]
        assert await mine.lines("SELECT number, tool FROM calls", canvas=id) == ["1,rows"]
        assert reason(await mine.ask(f"DROP TABLE {name}", canvas=id)) == "not_a_read"
        assert await mine.lines("SELECT 7 AS a", canvas=await mine.id()) == ["7"]
        assert not any(id in line for line in it.lines)


@on_loop
async def test_what_is_printed_for_another_canvas_is_asked_of_it(tmp_path: Path) -> None:
    """CANVAS-02 QUERY-06 QUERY-18"""
    async with house(tmp_path) as it:
        mine, theirs = await it.client(), await it.client()
        name = await theirs.take(300)
        refused = await mine.ask(f"SELECT count(padd) FROM {name}", **{"Canvas-ID": await theirs.id()})
        assert reason(refused) == "invalid_sql"
        step = json.loads(message(refused).rpartition(LABEL)[2])
        assert await mine.lines(**step) == ["300"]


@on_loop
async def test_a_wrong_a_closed_and_a_foreign_id_are_told_the_same(tmp_path: Path) -> None:
    """CANVAS-03 CANVAS-04"""
    async with house(tmp_path) as it, house(tmp_path) as elsewhere:
        mine, foreign = await it.client(), await elsewhere.client()
        async with it.canvases.open() as desk:
            await desk.start()
            closed = await Client(desk).id()
        found = [await mine.ask("SELECT 1", canvas=id) for id in ("0" * 20, closed, await foreign.id())]
        assert {reason(answer) for answer in found} == {"canvas_not_found"}
        assert len({message(answer) for answer in found}) == 1
        for malformed in ("", "x", "0" * 19, "0" * 21, "A" * 20, "0" * 20 + "\n", "größe", "' OR 1 --"):
            assert reason(await mine.ask("SELECT 1", canvas=malformed)) == "canvas_malformed"
        assert reason(await mine.ask("SELECT 1", canvas=5)) == "bad_argument"


@on_loop
async def test_an_answer_of_another_canvas_is_kept_at_home_exactly_as_it_is(tmp_path: Path) -> None:
    """CANVAS-08"""
    async with house(tmp_path) as it:
        mine, theirs = await it.client(), await it.client()
        await theirs.ask(NESTED, save_as="exact")
        name = await theirs.take(3_000)
        id = await theirs.id()
        said = await mine.ask("FROM exact", canvas=id, save_as="copied")
        assert "Saved: 1 row" in said["content"][1]["text"]
        shown = await theirs.lines("DESCRIBE exact")
        assert await mine.lines("DESCRIBE copied") == shown
        assert await mine.lines("FROM copied") == await theirs.lines("FROM exact")
        large = await mine.ask(f"SELECT id, id, pad FROM {name} ORDER BY id DESC", canvas=id, save_as="large")
        assert "id_2 is column 2 (id)" in large["content"][1]["text"]
        assert await mine.lines("SELECT count(*), sum(id), sum(id_2) FROM large") == ["3000,4498500,4498500"]
        assert await mine.lines("SELECT id FROM large LIMIT 2") == ["2999", "2998"]
        assert await theirs.lines("SELECT number FROM calls ORDER BY 1") == ["1", "2"]
        assert await mine.lines("SELECT tool, tables[1] FROM calls ORDER BY number") == ["query,copied", "query,large"]
        assert it.exchanged() == []


@on_loop
async def test_a_copy_that_is_refused_leaves_nothing_on_either_side(tmp_path: Path) -> None:
    """CANVAS-08"""
    async with house(tmp_path, max_canvas_bytes=50_000) as it:
        mine, theirs = await it.client(), await it.client()
        id = await theirs.id()
        await mine.ask("SELECT 1 AS a", save_as="mine")
        wide = "SELECT repeat('x', 1000) AS x FROM range(60)"
        for sql, name, expected in (
            (wide, "wide", "canvas_full"),
            ("SELECT 1", "mine", "name_taken"),
            ("SELECT 1", "calls", "name_taken"),
            ("SELECT 1", "a b", "bad_argument"),
            ("SELECT 'x'::INT", "gone", "execution_error"),
            ("FROM nowhere", "gone", "unknown_table"),
            ("EXPLAIN SELECT 1", "gone", "bad_argument"),
            ("DROP TABLE mine", "gone", "not_a_read"),
            ("COPY (SELECT 1) TO 'exchange/x'", "gone", "file_access_refused"),
        ):
            assert reason(await mine.ask(sql, canvas=id, save_as=name)) == expected, sql
        assert await mine.lines("SELECT tables[1] FROM calls") == ["mine"]
        assert await theirs.lines("SELECT count(*) FROM calls") == ["0"]
        assert it.exchanged() == []


@pytest.mark.skipif(os.name == "nt", reason="ends processes by signals")
@on_loop
async def test_a_copy_survives_the_end_of_either_engine(tmp_path: Path) -> None:
    """CANVAS-08"""
    async with house(tmp_path) as it:
        mine, theirs = await it.client(), await it.client()
        name, id = await theirs.take(2_000), await theirs.id()
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
        slow = f"SELECT count(*) AS n FROM {name} a, {name} b, range(500) c WHERE a.id + b.id + c.range > 4000"
        copying = asyncio.create_task(mine.ask(slow, canvas=id, save_as="copied"))
        await until(lambda: not copying.done() and it.engines[1].is_busy)
        for pid in children.read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        assert "Saved: 1 row" in (await bounded(copying))["content"][1]["text"]
        assert await mine.lines("SELECT count(*) FROM copied") == ["1"]
        assert it.exchanged() == []


@on_loop
async def test_more_canvases_than_engines_all_answer_and_keep_what_was_acknowledged(tmp_path: Path) -> None:
    """CANVAS-13 CANVAS-14"""
    async with house(tmp_path, most=2) as it:
        clients = [await it.client() for _ in range(4)]
        names = [await client.take(100 + at) for at, client in enumerate(clients)]
        for client in clients:
            client.desk.record(client.call("small"), pond.structured([{"a": 1}]))
        for _ in range(2):
            answers = [
                client.lines(f"SELECT count(*) FROM {name}") for client, name in zip(clients, names, strict=True)
            ]
            assert await asyncio.gather(*answers) == [["100"], ["101"], ["102"], ["103"]]
        assert [await client.lines("SELECT count(*) FROM calls") for client in clients] == [["2"]] * 4
        assert not any("starting again" in line for line in it.lines)


@on_loop
async def test_each_conversation_of_a_session_has_a_canvas_of_its_own_and_an_id_opens_it(tmp_path: Path) -> None:
    """CANVAS-02 CANVAS-11"""
    async with house(tmp_path, most=2) as it:
        session = await it.client()
        one, other = (Client(session.desk.of(conversation)) for conversation in ("a", "b"))
        name = await one.take(300)
        assert reason(await other.ask(f"FROM {name}")) == "stale_table"
        assert reason(await session.ask(f"FROM {name}")) == "stale_table"
        assert await other.lines(f"SELECT count(*) FROM {name}", canvas=await one.id()) == ["300"]
        assert await Client(session.desk.of("a")).lines(f"SELECT count(*) FROM {name}") == ["300"]
        assert len(list(tmp_path.iterdir())) == 3


@on_loop
async def test_the_conversation_not_used_longest_ends_for_another_and_begins_anew_when_it_comes_back(
    tmp_path: Path,
) -> None:
    """CANVAS-12"""
    async with house(tmp_path) as it:
        session = await it.client(max_conversations=2)
        name = await Client(session.desk.of("a")).take(300)
        kept = await Client(session.desk.of("b")).take(200)
        session.desk.of("a")
        session.desk.of("c")
        await until(lambda: len(list(tmp_path.iterdir())) == 3)
        assert await Client(session.desk.of("a")).lines(f"SELECT count(*) FROM {name}") == ["300"]
        assert reason(await Client(session.desk.of("b")).ask(f"FROM {kept}")) == "stale_table"
    assert list(tmp_path.iterdir()) == []
