"""Seeded rounds of faults under load. `pytest tests/end_to_end/faults --fault-rounds 500` plays more of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import pytest

from fault_rounds import FAULTS, play

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc and sets their limits")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a round."""
    metafunc.parametrize("seed", range(cast(int, metafunc.config.getoption("--fault-rounds"))))


def test_a_fault_under_load_costs_no_true_answer_no_stored_row_and_leaves_nothing(seed: int, tmp_path: Path) -> None:
    """ENGINE-08, RELAY-18, RELAY-19, RELAY-20, RELAY-21"""
    assert play(seed, tmp_path) in FAULTS
