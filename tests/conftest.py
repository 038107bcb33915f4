"""What all tests share: Hypothesis profiles, and servers from npm and PyPI that are installed once into a cache.

Profiles: `dev` 50 examples, `ci` 120 and the same ones each time (where the variable CI is set), `deep` 10,000;
`--hypothesis-profile NAME` chooses another.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import installed

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci", max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")

os.environ["MILLPOND_STATS"] = "off"
"""No test writes into the record of whoever runs it."""

HOSTILE_STATEMENTS = 1_500
FAULT_ROUNDS = 50
"""Each of the faults three times, and more."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--write-pins` writes the files of `end_to_end/pins` and `sessions` anew; the others say how much of a thing is tried."""
    parser.addoption("--hostile-statements", type=int, default=HOSTILE_STATEMENTS, help="of engine/test_hostile_sql.py")
    parser.addoption("--fault-rounds", type=int, default=FAULT_ROUNDS, help="seeded rounds of end_to_end/faults")
    parser.addoption("--write-pins", action="store_true", help="write end_to_end/pins and sessions anew")


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A named pipe, for processes to hold open as long as they live."""
    path = tmp_path / "alive"
    if sys.platform != "win32":
        os.mkfifo(path)
    return path


@pytest.fixture(scope="session")
def npm_packages() -> Path:
    """The `node_modules` folder with every package of `installed.NPM`; mark the test `npm`.

    Without node the test is skipped, but not in CI, where it fails.
    """
    if not os.environ.get("CI") and not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not installed")
    return installed.npm_packages()


@pytest.fixture(scope="session")
def python_server() -> Callable[[str], tuple[str, ...]]:
    """A function from a name of `installed.PYTHON` to the command of that server; mark the test `servers`."""
    return installed.python_server
