"""Machine: versions, memory and disk, as far as they matter to a session.

Rule: nothing is imported to learn its version. Imports `core`, the engine's `ceiling` and `kept` and the standard library.
"""

from __future__ import annotations

import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from millpond import __version__
from millpond.core.config import GIB, Config
from millpond.core.toml_text import shown
from millpond.engine.ceiling import available_bytes, default_budget_bytes
from millpond.engine.kept import problem_of

LOW_DISK_BYTES = GIB
"""Less free space than this is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What sessions on this machine have."""

    millpond: str
    python: str
    duckdb: str
    mcp: str
    system: str
    memory_bytes: int
    """Of the machine, or of the container where that is less."""
    budget_bytes: int
    """That the engine may take."""
    folder: str
    """Where the canvas's folder is made."""
    free_bytes: int
    """Of the disk under it."""
    keep_days: int
    """For which canvases are kept in it after their last use; 0 where none is."""
    problems: Sequence[str]


def machine(config: Config | None) -> Machine:
    """This machine, under a configuration or the defaults."""
    folder = (config.canvas.directory if config else "") or tempfile.gettempdir()
    problems: list[str] = []
    free = 0
    keep_days = config.canvas.keep_days if config else 0
    if keep_days and (problem := problem_of(Path(folder))) is not None:
        problems.append(f"[canvas] directory: {problem} (got {shown(folder)})")
    try:
        free = shutil.disk_usage(folder).free
        with tempfile.TemporaryDirectory(prefix="millpond-doctor-", dir=folder):
            pass
    except OSError as error:
        problems.append(f"no folder can be made in {folder}: {error.strerror or error}; set [canvas] directory")
    else:
        if free < LOW_DISK_BYTES:
            problems.append(f"only {free / GIB:.1f} GiB are free in {folder}; set [canvas] directory")
    return Machine(
        millpond=__version__,
        python=platform.python_version(),
        duckdb=_version("duckdb"),
        mcp=_version("mcp"),
        system=platform.platform(terse=True),
        memory_bytes=available_bytes(),
        budget_bytes=(config.canvas.memory_bytes if config else 0) or default_budget_bytes(),
        folder=folder,
        free_bytes=free,
        keep_days=keep_days,
        problems=problems,
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
