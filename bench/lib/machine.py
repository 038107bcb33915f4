"""Machine: what a figure was measured on, without names of hosts, users or folders.

Rule: whatever cannot be found out is "unknown". Imports the standard library only.
"""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("millpond", "duckdb", "mcp", "msgspec", "polars")
UNKNOWN = "unknown"


def machine() -> dict[str, str]:
    """Processor, cores, memory and system."""
    return {
        "cpu": _first("/proc/cpuinfo", "model name") or platform.processor() or UNKNOWN,
        "cores": str(os.cpu_count() or UNKNOWN),
        "memory": _memory(),
        "system": _system(),
    }


def versions() -> dict[str, str]:
    """Of Python and of the packages that count; one that is not installed is left out."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The commit that the sources are at, with a `+` where they were changed since."""
    try:
        head = _git("rev-parse", "--short=10", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--", "src", "bench/*.py", "bench/lib") else "")
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.strip()


def _first(file: str, name: str) -> str | None:
    """The first value of a name in a file of `name: value` lines."""
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), None)


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / (1 << 30):.0f} GiB"
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = f"{platform.system()} {platform.release()}"
    return name
