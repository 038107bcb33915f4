"""The targets of `fuzz.py`, each with some inputs near its seeds; the same ones each time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from fuzz import MODULES, MOST_BYTES, load
from fuzzing.mutation import mutated

INPUTS = {"tables": 12, "sql": 30}
"""Of the targets that ask a database; of each other one `MOST_INPUTS`."""
MOST_INPUTS = 300


@pytest.mark.parametrize("name", MODULES)
def test_bytes_near_the_seeds_break_no_promise(name: str) -> None:
    target, random = load(name), Random(1)
    for _ in range(INPUTS.get(name, MOST_INPUTS)):
        target.check(mutated(random.choice(target.seeds), random, target.seeds, target.words)[:MOST_BYTES])


def test_the_command_tries_inputs_for_some_time_or_one_that_was_found(tmp_path: Path) -> None:
    found = tmp_path / "found"
    found.write_bytes(b'{"sql": "SELECT 1"}')
    command = [sys.executable, str(Path(__file__).with_name("fuzz.py")), "arguments"]
    for what in ("1", str(found)):
        done = subprocess.run([*command, what], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob(".fuzz/*/found-*"))
