"""What the commands' tests share: a home of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from client_files import environment_of, surroundings_in
from millpond.clients.places import Surroundings


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """A home and a project; this process is in them."""
    found = surroundings_in(tmp_path, {})
    for name in set(os.environ) - set(environment_of(found)):
        monkeypatch.delenv(name)
    for name, value in environment_of(found).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(found.folder)
    return found
