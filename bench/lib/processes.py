"""Processes: the memory, descriptors and children of running processes, from Linux's /proc.

Rule: elsewhere, and for a process that has ended, nothing is known, and that is what is said. Imports the standard library only.
"""

from __future__ import annotations

import os
from pathlib import Path

IS_KNOWN = Path("/proc/self/status").exists()
"""False where the system has no /proc: every figure of memory is unknown there."""
ENGINE = "millpond.engine"


def descendants(pid: int) -> list[int]:
    """A process and all that it started; those that end meanwhile are left out."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(found for child in children for found in descendants(int(child)))]


def resident_bytes(pid: int) -> int:
    """The memory that a process holds. Raises `OSError` where it has ended."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes(pid: int) -> int:
    """The most memory that a process has held. Raises `OSError` where it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) << 10


def descriptors(pid: int) -> int:
    """How many files and pipes a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def engine_of(relay: int) -> int:
    """The engine's process below a relay. Raises `LookupError` where there is none."""
    for pid in descendants(relay)[1:]:
        if ENGINE in command_line(pid):
            return pid
    raise LookupError("no engine runs")


def command_line(pid: int) -> str:
    """The words of a process's command; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def peaks(pid: int, server: str) -> dict[str, int]:
    """The most memory of a proxy's processes: `proxy`, `engine`; those whose command holds `server` are left out."""
    found: dict[str, int] = {}
    for member in descendants(pid):
        command = command_line(member)
        if member != pid and server in command:
            continue
        role = "proxy" if member == pid else "engine" if ENGINE in command else "other"
        found[role] = found.get(role, 0) + peak_bytes(member)
    return found
