"""Run: the commands that set Millpond up and look at it, each found by its first word.

Rule: a command prints to stdout, returns an exit code, and raises `ConfigError` for what a person can put right.
Imports the commands; the command line imports this only where one of them is asked for.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from millpond.core.config import Config
from millpond.core.errors import ConfigError

Command = tuple[str, ...] | None
"""What follows `--`; None without one."""


@dataclass(frozen=True, slots=True)
class Door:
    """What the commands need of the command line above them."""

    file: Callable[[str | None, Command, str | None], Path | None]
    """The configuration file that holds for FILE of `--config`, a command and a URL. Raises `ConfigError`."""
    load: Callable[[str | None, Command, str | None], Config]
    """The configuration for FILE of `--config`, a command and a URL. Raises `ConfigError`."""


@dataclass(frozen=True, slots=True)
class Line:
    """What follows the command's word."""

    own: tuple[str, ...]
    command: Command

    def without_command(self, name: str) -> tuple[str, ...]:
        """The own words. Raises `ConfigError` where there are others behind `--`."""
        if self.command is not None:
            raise ConfigError(f"command line: expected no -- for {name}; see millpond {name} --help")
        return self.own


def run(words: Sequence[str], door: Door) -> int:
    """Do what the words after `millpond` ask; returns the exit code. Raises `MillpondError`."""
    name, rest = words[0], list(words[1:])
    at = rest.index("--") if "--" in rest else len(rest)
    line = Line(tuple(rest[:at]), tuple(rest[at + 1 :]) if at < len(rest) else None)
    text, command = _found(name)
    if any(word in ("-h", "--help") for word in line.own):
        write(text)
        return 0
    return command(line, door)


def _found(name: str) -> tuple[str, Callable[[Line, Door], int]]:
    """The help and the function of a command; each is imported only where it is asked for."""
    if name in ("wrap", "unwrap"):
        from millpond.commands import wrap

        return (wrap.WRAP_HELP, wrap.wrap) if name == "wrap" else (wrap.UNWRAP_HELP, wrap.unwrap)
    if name == "clients":
        from millpond.commands import clients

        return clients.HELP, clients.clients
    if name == "init":
        from millpond.commands import init

        return init.HELP, init.init
    if name == "config":
        from millpond.commands import config

        return config.HELP, config.config
    if name == "inspect":
        from millpond.commands import inspect

        return inspect.HELP, inspect.inspect
    if name == "stats":
        from millpond.commands import stats

        return stats.HELP, stats.stats
    from millpond.commands import doctor

    return doctor.HELP, doctor.doctor


def write_json(value: object) -> None:
    """Print a value as JSON for programs, and to be read."""
    write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write(text: str) -> None:
    """Print a text; neither a character that cannot be shown nor a reader that has gone ends the command."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
