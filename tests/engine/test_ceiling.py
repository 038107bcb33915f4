"""The memory budget: what it is, and what holds the process to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from millpond.engine.ceiling import (
    MAX_BUDGET_BYTES,
    available_bytes,
    cgroup_limits_bytes,
    default_budget_bytes,
    shared_budget_bytes,
)

GIB = 1 << 30


def test_the_budget_is_a_quarter_of_what_there_is_and_at_most_four_gibibytes() -> None:
    """ENGINE-21"""
    assert default_budget_bytes() == min(available_bytes() // 4, MAX_BUDGET_BYTES)
    assert MAX_BUDGET_BYTES == 4 * GIB


@pytest.mark.parametrize(
    ("groups", "files", "limits"),
    [
        ("0::/pod/app", {"pod/memory.max": "1073741824\n", "pod/app/memory.max": "max\n"}, [GIB]),
        ("0::/pod/app", {"pod/memory.max": "5\n", "pod/app/memory.max": "7\n"}, [7, 5]),
        ("0::/not/mounted/here", {"memory.max": "1073741824\n"}, [GIB]),
        ("4:memory:/docker/x\n1:cpu:/y\n0::/", {"memory/docker/x/memory.limit_in_bytes": "9\n"}, [9]),
        ("4:cpu,memory:/gone", {"memory/memory.limit_in_bytes": "11\n"}, [11]),
        ("1:name=systemd:/\n", {"memory.max": "5"}, []),
        ("", {}, []),
    ],
)
def test_the_limits_of_a_container_and_of_those_around_it_count(
    tmp_path: Path, groups: str, files: dict[str, str], limits: list[int]
) -> None:
    """ENGINE-21"""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cgroup_limits_bytes(groups, tmp_path) == limits


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel holds this limit on Linux")
def test_past_the_budget_an_allocation_fails_and_the_process_goes_on() -> None:
    """ENGINE-22"""
    done = run(
        """
from millpond.engine import ceiling
ceiling.hold(256 << 20, 5)
assert len(bytearray(128 << 20))
try:
    bytearray(300 << 20)
except MemoryError:
    print("refused")
assert len(bytearray(128 << 20))
"""
    )
    assert (done.stdout, done.returncode) == ("refused\n", 0), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs getrusage")
def test_where_no_limit_is_held_a_process_past_its_budget_ends_with_its_code() -> None:
    """ENGINE-22"""
    done = run(
        """
import threading
from millpond.engine import ceiling
ceiling.watch(ceiling.peak_bytes() + (64 << 20), 5)
data = bytearray(b"x") * (ceiling.peak_bytes() + (128 << 20))  # a peak begins at the parent's on Linux
threading.Event().wait(60)
"""
    )
    assert done.returncode == 5, done.stderr


def test_all_engines_of_a_front_have_half_of_the_memory_and_none_too_little() -> None:
    """CANVAS-15"""
    for engines in (1, 2, 8, 100_000):
        each = shared_budget_bytes(engines)
        assert 128 << 20 <= each <= max(default_budget_bytes(), 128 << 20)
        assert each == 128 << 20 or each * engines <= available_bytes() // 2
