"""Ceiling: how much memory the engine's process gets, and what holds it to that.

Rule: the budget is for what comes after the start; what the process has reserved by then does not count. Where the kernel does not
hold the limit, the process watches its own size and ends. Imports the standard library only.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

if sys.platform != "win32":  # Which has neither a limit nor a size to watch.
    import resource

BUDGET_SHARE = 4
"""The budget is one part in so many of the machine's or the container's memory."""
MAX_BUDGET_BYTES = 4 << 30
MIN_BUDGET_BYTES = 128 << 20
"""The least that `memory_bytes` may be."""
WATCH_SECONDS = 0.1
"""Between two looks at the own size: an unstoppable query was seen to take 0.4 GiB a second."""
_FALLBACK_BYTES = 4 << 30
"""Taken for the machine's memory where the system does not tell."""
_CGROUP = Path("/sys/fs/cgroup")


def default_budget_bytes() -> int:
    """A quarter of the memory that this process may have, at most 4 GiB."""
    return min(available_bytes() // BUDGET_SHARE, MAX_BUDGET_BYTES)


def shared_budget_bytes(engines: int) -> int:
    """What each of so many engines at once may have: together half of the memory, none more than one alone and none too little."""
    return max(min(available_bytes() // 2 // engines, default_budget_bytes()), MIN_BUDGET_BYTES)


def available_bytes() -> int:
    """Memory of the machine, or of the container where that is less."""
    machine = _machine_bytes()
    own = Path("/proc/self/cgroup")
    groups = own.read_text() if own.exists() else ""
    return min([machine, *cgroup_limits_bytes(groups, _CGROUP)])


def _machine_bytes() -> int:
    if sys.platform == "win32":
        return _FALLBACK_BYTES
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return _FALLBACK_BYTES


def cgroup_limits_bytes(groups: str, root: Path) -> list[int]:
    """Every memory limit that holds for these groups (the text of `/proc/self/cgroup`), with those above them."""
    limits: list[int] = []
    for line in groups.splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            limits += _limits_upwards(root, group, "memory.max")
        elif "memory" in controllers.split(","):
            limits += _limits_upwards(root / "memory", group, "memory.limit_in_bytes")
    return limits


def _limits_upwards(root: Path, group: str, name: str) -> list[int]:
    """Inside a container the group's path may not exist: then the root itself has the container's limit."""
    place = root / group.lstrip("/")
    limits: list[int] = []
    for folder in (place, *place.parents):
        if not folder.is_relative_to(root):
            break
        try:
            limits.append(int((folder / name).read_text()))
        except (OSError, ValueError):  # Not there, or `max`.
            continue
    return limits


def hold(budget_bytes: int, on_excess: int) -> None:
    """Hold this process to its present size and the budget; call it when all threads run and the database is open.

    Past it, an allocation fails (Linux), or the process ends with the exit code `on_excess` (macOS). On Windows only DuckDB's own
    limit holds.
    """
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # A core would hold the conversation's data.
    if sys.platform == "linux":
        limit_address_space(budget_bytes)
    else:
        watch(peak_bytes() + budget_bytes, on_excess)


def limit_address_space(budget_bytes: int) -> None:
    """Let the address space grow by the budget and no more."""
    assert sys.platform == "linux"
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + budget_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def peak_bytes() -> int:
    """The most memory that this process had so far."""
    assert sys.platform != "win32"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def watch(limit_bytes: int, on_excess: int) -> None:
    """End this process from a thread of its own when it has had more than so many bytes."""

    def look() -> None:
        pause = threading.Event()
        while peak_bytes() <= limit_bytes:
            pause.wait(WATCH_SECONDS)
        os._exit(on_excess)

    threading.Thread(target=look, name="ceiling", daemon=True).start()
