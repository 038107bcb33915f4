"""Inspect: the page that shows running sessions, in a browser on this machine.

Rule: nothing is served but while this runs. Imports `core`, this folder's `parser` and `run`, and the `viewer`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from millpond.commands.parser import Parser
from millpond.commands.run import Door, Line, write
from millpond.core.errors import ConfigError
from millpond.viewer.knock import greet
from millpond.viewer.places import HAS_DOORS, default_directory, doors, fault, sweep

HELP = """\
usage: millpond inspect [--port N] [--directory DIR]   show the running sessions on a page in your browser
       millpond inspect --list [--directory DIR]       name them, and end

The page shows calls as they come, handles, tables with their columns, the agent's queries and their answers, and what
was kept out of the conversation; with a box for SQL of your own, which only reads. It is served on this machine only,
under an address with a secret in it that is made anew each time, until you press Ctrl-C. Sessions that start later
appear by themselves. [inspect] max_kept_bytes = 0 in a session's configuration keeps it off the page.

  --port N           serve at this port; a free one without it
  --directory DIR    the folder of the sessions, where [inspect] directory names another
  --list             name the running sessions, and end

examples:
  millpond inspect
  millpond inspect --port 8100
  millpond inspect --list
"""
_NONE = "No session is running. Start your client (or millpond -- COMMAND ARGS...)"


def inspect(line: Line, door: Door) -> int:
    """`millpond inspect`."""
    parser = Parser("inspect")
    parser.add_argument("--port", default="0")
    parser.add_argument("--directory", type=Path)
    parser.add_argument("--list", dest="is_list", action="store_true")
    if line.command is not None:
        advice = f"start millpond -- {' '.join(line.command)} as you do, and millpond inspect beside it"
        raise ConfigError(f"command line: expected no command, for the page shows sessions that run already; {advice}")
    asked = parser.parse_args(line.own)
    if not HAS_DOORS:
        raise ConfigError(
            "inspect: expected a system with Unix sockets in Python, got Windows; use it on Linux or macOS"
        )
    directory: Path = asked.directory or default_directory()
    if problem := fault(directory):
        raise ConfigError(f"--directory: {problem}; name a folder of your own that nobody else can reach into")
    sweep(directory)
    named = asyncio.run(_sessions(directory))
    if asked.is_list:
        write("".join(f"{name}\n" for name in named) or f"{_none(asked.directory)}, and ask again.\n")
        return 0
    from millpond.viewer.serve import serve  # The HTTP libraries take longer to import than all the rest.

    serve(directory, _port(asked.port), lambda url: write(_opening(url, named, asked.directory)))
    return 0


def _none(given: Path | None) -> str:
    """Why there is nothing to show, and what to do; `given` is the folder that the command line names."""
    if given is None or given.exists():
        return _NONE
    advice = "Check its name, or start your client with that folder as [inspect] directory"
    return f"{given} does not exist, so no session has been there. {advice}"


def _opening(url: str, named: list[str], given: Path | None) -> str:
    shown = "".join(f"  {name}\n" for name in named) or f"  {_none(given)}: it appears by itself.\n"
    return f"millpond: inspect at {url}\n{shown}Ctrl-C ends it.\n"


async def _sessions(directory: Path) -> list[str]:
    hellos = await asyncio.gather(*map(greet, doors(directory)))
    found = sorted((hello for hello in hellos if hello), key=lambda hello: hello.began)
    return [f"{hello.server} (process {hello.pid}, since {hello.began})" for hello in found]


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65_535):
        raise ConfigError(f"--port: expected a number from 0 to 65,535, got {text}; leave it out for a free port")
    return int(text)
