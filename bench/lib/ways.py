"""Ways: how a client can reach a server: directly, through Millpond, or through another tool that does part of its job.

Rule: each runs as its own documentation says, with its own defaults, in an environment of its own, and on nothing of the user's. One
that cannot be installed is noted and left out. Imports the tests' `installed`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lib.client import PATIENCE_SECONDS, Client, NoAnswer, without_path
from lib.sheet import Sheet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import installed

SERVER = Path(__file__).with_name("server.py")
PINS: Mapping[str, tuple[str, ...]] = {
    "ctxtual": ("ctxtual[mcp]==0.5.0", "fastmcp==4.2.3", "mcp==2.3.0"),
    "jmunch-mcp": ("jmunch-mcp==0.2.3",),
}
"""What the other tools' environments hold."""
REFERENCES = {
    "millpond": re.compile(r"rows? in (\S+) "),
    "ctxtual": re.compile(r'"result_id": "([^"]+)"'),
    "jmunch-mcp": re.compile(r'"handle": "([^"]+)"'),
}
"""Where each tool's notice names what is to be asked."""
Command = Callable[[Sequence[str], Path], Sequence[str]]
"""From the server's command and a folder of its own to the command that the client starts."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to reach a server."""

    name: str
    command: Command
    env: Callable[[Path], Mapping[str, str]] = field(default=lambda folder: dict(os.environ))


DIRECT = Way("direct", lambda server, folder: server)
MILLPOND = Way("millpond", lambda server, folder: (sys.executable, "-m", "millpond", "--", *server))
OWN = (DIRECT, MILLPOND)


def others(sheet: Sheet) -> tuple[Way, ...]:
    """The other tools that can be installed here; of each other one it is noted why not."""
    found: list[Way] = []
    for name, make in (("ctxtual", _ctxtual), ("jmunch-mcp", _jmunch)):
        try:
            found.append(make(installed.python_program(name, PINS[name])))
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            sheet.note(name, f"not installed: {str(error).strip().splitlines()[-1][:200]}")
    return tuple(found)


def _ctxtual(program: str) -> Way:
    """As its README says: `ctxtual wrap -- COMMAND`."""
    return Way("ctxtual", lambda server, folder: (program, "wrap", "--", *server), lambda folder: without_path())


def _jmunch(program: str) -> Way:
    """As its README says: `jmunch-mcp --config FILE`, without its log. It writes below the home folder, a temporary one here."""

    def command(server: Sequence[str], folder: Path) -> Sequence[str]:
        first, *rest = server
        file = folder / "jmunch.toml"
        file.write_text(f"[upstream]\ncommand = {json.dumps(first)}\nargs = {json.dumps(rest)}\n")
        return program, "--config", str(file), "--log-level", "ERROR"

    return Way("jmunch-mcp", command, lambda folder: {**without_path(), "HOME": str(folder)})


def reference(name: str, text: str) -> str:
    """What a way's notice calls the result; empty where the result came as it was."""
    found = REFERENCES[name].search(text) if name in REFERENCES else None
    return found[1] if found else ""


@contextmanager
def served(results: Mapping[str, bytes], definitions: Mapping[str, object] | None = None) -> Generator[Sequence[str]]:
    """The command of a server with these tools, each answering with a raw `result`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for tool, result in results.items():
            (folder / f"{tool}.json").write_bytes(result)
        (folder / "definitions").mkdir()
        for tool, definition in (definitions or {}).items():
            (folder / "definitions" / f"{tool}.json").write_text(json.dumps(definition))
        yield sys.executable, str(SERVER), str(folder)


@contextmanager
def opened(
    ways: Sequence[Way], server: Sequence[str], sheet: Sheet, patience_seconds: float = PATIENCE_SECONDS
) -> Generator[dict[str, Client]]:
    """A client for each way, all to servers of their own; a way that does not start is noted and left out."""
    with ExitStack() as stack:
        clients: dict[str, Client] = {}
        for way in ways:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            try:
                client = Client(way.command(server, folder), way.env(folder), patience_seconds)
            except (NoAnswer, OSError) as error:
                sheet.note(f"{way.name} did not start", str(error))
                continue
            clients[way.name] = stack.enter_context(client)
        yield clients


def in_turns(
    clients: Mapping[str, Client], work: Callable[[Client], float], repeats: int, *, warm_up: bool = True
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Do something through each way in turns, so that what else the machine does meets all of them.

    Returns what each turn gave for those that came through all of them, and why the others did not.
    """
    found: dict[str, list[float]] = {name: [] for name in clients}
    failed: dict[str, str] = {}
    for turn in range(repeats + warm_up):
        for name, client in clients.items():
            if name in failed:
                continue
            try:
                value = work(client)
            except NoAnswer as error:
                failed[name] = str(error)
                found.pop(name)
                continue
            if turn >= warm_up:
                found[name].append(value)
    return found, failed
