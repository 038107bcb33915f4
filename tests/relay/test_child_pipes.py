"""The wrapped server's pipes: all are closed when it has ended."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from millpond.core.config import Server
from millpond.relay.child import Child
from millpond.relay.log import Log

SECONDS = 30
READS_ON = "import sys; sys.stdin.read()"
ENDS_BY_ITSELF = "print('{}', flush=True)"
LEAVES_ONE_BEHIND = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); sys.stdin.read()"
)


class Owner:
    """Who is told of its end."""

    def __init__(self) -> None:
        self.has_ended = asyncio.Event()

    def on_line(self, line: bytes) -> None: ...

    def on_full(self, full: bool) -> None: ...

    def on_deaf(self) -> None: ...

    def on_exit(self) -> None:
        self.has_ended.set()


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


async def all_are_closed_behind(program: str, *, asked: bool) -> None:
    """Start a server, have it end, and wait until this process has no more open than before."""
    before = descriptors()
    owner = Owner()
    child = Child.start(Server(name="it", command=(sys.executable, "-c", program)), Log(), owner)
    if asked:
        child.close()
    async with asyncio.timeout(SECONDS):
        await owner.has_ended.wait()
        while not descriptors() <= before:  # What writes to its stdin closes that on a thread.
            await asyncio.sleep(0.002)
    child.kill()
    assert child.has_ended


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")
@pytest.mark.parametrize(("program", "asked"), [(READS_ON, True), (ENDS_BY_ITSELF, False), (LEAVES_ONE_BEHIND, True)])
def test_no_pipe_of_a_server_that_has_ended_stays_open(program: str, asked: bool) -> None:
    """RELAY-33"""
    asyncio.run(all_are_closed_behind(program, asked=asked))
