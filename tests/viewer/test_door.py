"""The door of a session: who can come in, what they get, and that nobody waits for them."""

from __future__ import annotations

import asyncio
import json
import stat
from contextlib import aclosing
from pathlib import Path

import pytest

from engine_link import bounded, on_loop, until
from millpond.core.config import MIB, Config, Inspect, RemoteServer, Server
from millpond.viewer.door import MOST_BEHIND_BYTES, MOST_CONNECTIONS, Question
from millpond.viewer.knock import Gone, ask, follow, greet
from millpond.viewer.places import default_directory, doors, sweep
from millpond.viewer.visible import shown_name, visible
from viewer_session import HELLO, NOW, Shown, Told, call, shown

ONE = Question(sql="SELECT 1", max_rows=10)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@on_loop
async def test_the_folder_and_the_door_are_this_users_alone_and_the_door_goes_with_the_session(tmp_path: Path) -> None:
    """INSPECT-01"""
    async with shown(tmp_path) as session:
        assert (mode(session.directory), mode(session.path)) == (0o700, 0o600)
        assert doors(session.directory) == (session.path,)
        assert await greet(session.path) == HELLO
    assert list(session.directory.iterdir()) == []


@on_loop
async def test_a_folder_that_others_can_reach_into_is_not_used(tmp_path: Path) -> None:
    """INSPECT-01"""
    for open_to_others in (tmp_path / "group", tmp_path / "link"):
        if open_to_others.name == "group":
            open_to_others.mkdir()
            open_to_others.chmod(0o750)
        else:
            (tmp_path / "target").mkdir(mode=0o700)
            open_to_others.symlink_to(tmp_path / "target")
        with pytest.raises(OSError, match=r"can be reached by other users \(mode 0750|is a link"):
            await Shown(open_to_others).door.open(open_to_others)
        assert doors(open_to_others) == ()


@on_loop
async def test_doors_of_ended_sessions_are_swept_and_others_stay(tmp_path: Path) -> None:
    """INSPECT-02"""
    async with shown(tmp_path) as session:
        async with shown(tmp_path) as ended:
            dead = session.directory / "0123456789ab.sock"
            dead.hardlink_to(ended.path)
        assert await greet(dead) is None
        sweep(session.directory)
        assert doors(session.directory) == (session.path,)
        assert await greet(session.path) == HELLO


@on_loop
async def test_who_follows_gets_what_was_and_what_comes_until_the_end(tmp_path: Path) -> None:
    """INSPECT-04"""
    async with aclosing(follow(tmp_path / "none.sock")) as none:
        with pytest.raises(Gone):
            await anext(none)
    async with shown(tmp_path) as session:
        session.watched.record(call(1), b"{}")
        async with aclosing(follow(session.path)) as lines:
            assert [json.loads(await anext(lines))["kind"] for _ in range(3)] == ["hello", "gone", "call"]
            session.watched.record(call(2), b"{}")
            assert json.loads(await bounded(anext(lines)))["number"] == 2
            await session.door.close()
            with pytest.raises(StopAsyncIteration):
                await bounded(anext(lines))


@on_loop
async def test_questions_of_pages_run_one_at_a_time_and_are_none_of_the_agents(tmp_path: Path) -> None:
    """INSPECT-08, INSPECT-09"""
    async with shown(tmp_path) as session:
        session.engine.may_answer.clear()
        questions = [asyncio.create_task(ask(session.path, ONE)) for _ in range(3)]
        await bounded(session.engine.was_asked.wait())
        session.engine.may_answer.set()
        assert len(await bounded(asyncio.gather(*questions))) == 3
        assert session.engine.most_running == 1
        assert json.loads(session.engine.asked[0]) == {"sql": "SELECT 1", "max_rows": 10, "format": "csv"}
        assert len(session.record.lines()) == 1


@on_loop
async def test_a_question_is_stopped_where_its_asker_leaves(tmp_path: Path) -> None:
    """INSPECT-10"""
    async with shown(tmp_path) as session:
        session.engine.may_answer.clear()
        question = asyncio.create_task(ask(session.path, ONE))
        await bounded(session.engine.was_asked.wait())
        question.cancel()
        await until(lambda: session.engine.stopped == 1)


@on_loop
async def test_before_the_engine_runs_a_question_is_answered_at_once(tmp_path: Path) -> None:
    """INSPECT-08"""
    async with shown(tmp_path, started=False) as session:
        assert b"No results have come yet" in await bounded(ask(session.path, ONE))
        assert session.engine.asked == []


@on_loop
async def test_who_reads_too_slowly_is_cut_off_and_the_session_goes_on(tmp_path: Path) -> None:
    """INSPECT-03"""
    async with shown(tmp_path, max_kept_bytes=MIB) as session:
        reader, writer = await asyncio.open_unix_connection(str(session.path), limit=1024)
        writer.write(b'{"ask":"follow"}\n')
        await bounded(reader.readuntil(b"\n"))
        sent = 0
        while sent < 2 * MOST_BEHIND_BYTES + MIB:
            session.watched.record(call(1, b'"' + b"x" * 16_000 + b'"'), b"{}")
            sent += 16_000
        async with aclosing(follow(session.path)) as lines:
            assert json.loads(await bounded(anext(lines)))["kind"] == "hello"
        with pytest.raises((asyncio.IncompleteReadError, OSError)):
            await bounded(_read_on(reader))
        writer.close()


async def _read_on(reader: asyncio.StreamReader) -> None:
    while True:
        await reader.readexactly(1000)


@on_loop
async def test_nonsense_and_too_many_are_turned_away(tmp_path: Path) -> None:
    """INSPECT-03"""
    async with shown(tmp_path) as session:
        for nonsense in (b"\xff\n", b"{}\n", b'{"ask":"question","sql":"","max_rows":1,"save_as":'):
            reader, writer = await asyncio.open_unix_connection(str(session.path))
            writer.write(nonsense)
            writer.write_eof()
            with pytest.raises((asyncio.IncompleteReadError, OSError)):
                await bounded(reader.readexactly(1))
            writer.close()
        held = [await asyncio.open_unix_connection(str(session.path)) for _ in range(MOST_CONNECTIONS)]
        await until(lambda: session.door.connections == MOST_CONNECTIONS)
        assert await greet(session.path) is None
        for _, writer in held:
            writer.close()
        await until(lambda: session.door.connections == 0)
        assert await greet(session.path) == HELLO


@on_loop
async def test_a_session_that_cannot_be_shown_runs_all_the_same(tmp_path: Path) -> None:
    """INSPECT-01, INSPECT-13"""
    (tmp_path / "file").touch()
    server = Server(name="x", command=("x",))
    for inspect, lines in ((Inspect(directory=str(tmp_path / "file")), 1), (Inspect(max_kept_bytes=0), 0)):
        engine, log = Told(), list[str]()
        async with visible(engine, Config(server=server, inspect=inspect), lambda: NOW, log.append) as seen:
            assert seen is engine
        assert len(log) == lines
    assert default_directory().name.startswith(".millpond-")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("npx", "-y", "@scope/server-files", "/srv"), "server-files"),
        (("/usr/bin/python3.11", "-m", "notes"), "notes"),
        (("/opt/notes-server", "--all"), "notes-server"),
        (("uvx",), "uvx"),
    ],
)
def test_a_session_is_named_by_what_its_command_starts(command: tuple[str, ...], name: str) -> None:
    """INSPECT-14"""
    assert shown_name(Server(name=command[0].rpartition("/")[2], command=command)) == name
    assert shown_name(Server(name="issues", command=command)) == "issues"
    assert shown_name(RemoteServer(name="example.com", url="https://example.com/mcp")) == "example.com"
