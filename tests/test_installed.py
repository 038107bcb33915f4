"""Other people's servers are there, at the versions that are written down."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import installed


def test_every_version_is_pinned() -> None:
    for pin in installed.NPM:
        assert re.fullmatch(r"@?[a-z0-9/.-]+@[\d.]+", pin), pin
    for pin in installed.CONFORMANCE:
        assert re.fullmatch(r"@[a-z/]+@[\d.]+-alpha\.\d+", pin), pin
    for pins in (installed.NODE, *installed.PYTHON.values()):
        for pin in pins:
            assert re.fullmatch(r"[a-z0-9-]+==[\d.]+", pin), pin


@pytest.mark.npm
def test_npm_packages_are_installed_at_their_versions(npm_packages: Path) -> None:
    for pin in installed.NPM:
        name, _, version = pin.rpartition("@")
        assert json.loads((npm_packages / name / "package.json").read_text())["version"] == version


@pytest.mark.servers
@pytest.mark.parametrize("name", sorted(installed.PYTHON))
def test_a_python_server_starts_in_an_environment_of_its_own(
    name: str, python_server: Callable[[str], tuple[str, ...]]
) -> None:
    done = subprocess.run(
        [*python_server(name), "--help"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "usage:" in done.stdout.lower()
