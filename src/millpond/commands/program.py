"""Program: how clients start this Millpond.

Rule: an absolute path, for a client has another PATH than a shell. Imports `core.errors` and the standard library.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path, PurePath

from millpond.core.errors import ConfigError

NAME = "millpond"


def named_program(path: str) -> tuple[str, ...]:
    """The program of `--program`. Raises `ConfigError` for one of another name, which nobody would know for ours."""
    if PurePath(path).stem != NAME:
        raise ConfigError(
            f"command line: expected a program named {NAME} after --program, got {path}; make a link to it"
        )
    return (os.path.abspath(path),)


def own_program(called: str | None = None, which: Callable[[str], str | None] = shutil.which) -> tuple[str, ...]:
    """How clients start this Millpond: by its absolute path, for they have another PATH than a shell.

    `called` is how this process was called, `sys.argv[0]` by default. An environment of `uvx` or `pipx run` may be
    removed at any time: there it is that runner, by its path, that is written. Raises `ConfigError` where it is not found.
    """
    called = sys.argv[0] if called is None else called
    suffix = ".exe" if sys.platform == "win32" else ""
    paths = (Path(called), Path(sysconfig.get_path("scripts")) / f"{NAME}{suffix}")
    path = next((path for path in paths if path.stem == NAME and path.is_file()), None)
    if path is None:
        return (sys.executable, "-m", NAME)
    absolute = os.path.abspath(path)
    return _runner(PurePath(absolute), which) or (absolute,)


def _runner(path: PurePath, which: Callable[[str], str | None]) -> tuple[str, ...] | None:
    """The runner whose temporary environment the program lies in, with the word that it needs."""
    if "uv" in path.parts and any(part.startswith(("archive-v", "environments-v")) for part in path.parts):
        return (_found("uvx", "uv tool install", which), NAME)
    if "pipx" in path.parts and ".cache" in path.parts:
        return (_found("pipx", "pipx install", which), "run", NAME)
    return None


def _found(runner: str, install: str, which: Callable[[str], str | None]) -> str:
    path = which(runner)
    if path is None:
        problem = f"expected {runner} on the PATH, for this millpond lies in its cache and may be removed, got none"
        raise ConfigError(f"{runner}: {problem}; install it for good: {install} {NAME}, or name one with --program")
    return os.path.abspath(path)


def runner_note(program: tuple[str, ...]) -> str:
    """What is to be known of a program that a runner starts; empty for any other."""
    if program[-1] != NAME or program[:-1] == (sys.executable, "-m"):
        return ""
    words = " ".join((PurePath(program[0]).stem, *program[1:]))
    return f"{words} is what clients start: it takes the published millpond; --program PATH names another.\n"
