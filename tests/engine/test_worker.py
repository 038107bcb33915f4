"""The worker as a process: how it ends, and what it leaves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import pond
from engine_link import SCRIPTED, alive, bench, bounded, on_loop, until
from millpond.core.frames import encode_head
from millpond.core.model import Record, Take, Verdict
from millpond.core.unframe import Splitter
from millpond.engine.link import COMMAND

RELAY = """
import asyncio, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
import pond
from millpond.engine.directory import CanvasDirectory
from millpond.engine.link import Link

async def main():
    directory = CanvasDirectory.create(Path(sys.argv[1]))
    pid = directory.path / "pid"
    command = ["sh", "-c", 'echo $$ > "$0"; exec "$@"', str(pid), *sys.argv[3:]]
    link = Link(pond.settings(directory.path), lambda line: print(line, file=sys.stderr), command=command)
    await link.start()
    await link.query(b'{"sql": "SELECT 1"}', "query")
    print(pid.read_text().strip(), directory.path, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
TIGHT = """
import sys
sys.path.insert(0, {servers!r})
import engine_worker
from millpond.engine import ceiling, worker
ceiling.hold = lambda budget, code: ceiling.limit_address_space(256 << 20)
worker.main(engine_worker.build)
"""


def a_call(tool: str) -> pond.Call:
    return pond.Call(number=1, tool=tool, arguments=b"{}", time="2026-11-30T00:00:00Z")


@contextmanager
def worker(directory: Path, command: tuple[str, ...] = SCRIPTED) -> Generator[subprocess.Popen[bytes]]:
    """A worker without a link."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        process.stdin.write(encode_head(pond.settings(directory), 0))
        process.stdin.flush()
        yield process
        process.kill()


def test_a_worker_ends_with_its_input_whatever_it_does(tmp_path: Path) -> None:
    """ENGINE-17"""
    with worker(tmp_path / "canvas") as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(encode_head(Take(id=1, call=a_call("hold_always")), 2) + b"[]")
        process.stdin.flush()
        assert b"begins" in process.stderr.readline()
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_worker_whose_input_ends_within_a_frame_ends(tmp_path: Path) -> None:
    """ENGINE-17"""
    settings = encode_head(pond.settings(tmp_path / "canvas"), 0)
    stream = settings + encode_head(Record(call=a_call("small")), 100) + bytes(50)
    for cut in (0, 5, 20, len(settings), len(settings) + 5, len(stream)):
        with subprocess.Popen(SCRIPTED, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(stream[:cut])
            process.stdin.close()
            assert process.wait(60) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel holds this limit on Linux")
def test_a_body_that_does_not_fit_is_answered_and_the_next_is_taken(tmp_path: Path) -> None:
    """ENGINE-22"""
    command = (sys.executable, "-c", TIGHT.format(servers=str(Path(SCRIPTED[1]).parent)))
    with worker(tmp_path / "canvas", command) as process:
        assert process.stdin
        assert process.stdout
        size = 512 << 20
        process.stdin.write(encode_head(Take(id=1, call=a_call("rows")), size))
        for _ in range(size >> 20):
            process.stdin.write(bytes(1 << 20))
        process.stdin.write(encode_head(Take(id=2, call=a_call("rows")), 2) + b"[]")
        process.stdin.flush()
        splitter = Splitter()
        heads: list[bytes] = []
        while len(heads) < 3:
            heads += [head for head, _ in splitter.feed(os.read(process.stdout.fileno(), 65536))]
        assert b"no_memory" in heads[1]
        assert b"replace" in heads[2]


@pytest.mark.parametrize("command", [SCRIPTED, COMMAND], ids=["scripted", "real"])
def test_a_relay_that_is_killed_leaves_neither_process_nor_directory(tmp_path: Path, command: tuple[str, ...]) -> None:
    """ENGINE-17"""
    arguments = [sys.executable, "-c", RELAY, str(tmp_path), str(Path(pond.__file__).parent), *command]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as relay:
        assert relay.stdout
        pid, directory = relay.stdout.readline().split()
        assert Path(directory).exists()
        os.kill(relay.pid, signal.SIGKILL)
        asyncio.run(until(lambda: not Path(directory).exists() and not alive(int(pid))))


@on_loop
async def test_a_link_that_closes_leaves_the_directory_to_its_owner(tmp_path: Path) -> None:
    """ENGINE-16"""
    async with bench(tmp_path) as it:
        pid = await it.ask("pid")
        assert (await bounded(it.take("rows"))).verdict is Verdict.REPLACE
        await bounded(it.link.close())
        assert not alive(pid)
        assert (it.directory / "canvas.duckdb").exists()


@on_loop
async def test_recorded_results_are_committed_in_batches_behind_the_answers(tmp_path: Path) -> None:
    """ENGINE-10"""
    async with bench(tmp_path) as it:
        numbers = [it.record() for _ in range(1000)]
        while await it.ask("numbers") != numbers:
            pass
        assert json.loads((await bounded(it.take("rows"))).body or b"")["call"] == 1001
