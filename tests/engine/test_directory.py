"""The canvas's directory: private, held while a process uses it, swept when none does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from millpond.engine.directory import PREFIX, CanvasDirectory, sweep

HOLDER = """
import sys
from pathlib import Path
from millpond.engine.directory import CanvasDirectory
directory = CanvasDirectory.create(Path(sys.argv[1]))
(directory.path / "canvas.duckdb").touch()
print(directory.path, flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(parent: Path) -> Generator[tuple[subprocess.Popen[str], Path]]:
    """Another process with a directory of its own."""
    command = [sys.executable, "-c", HOLDER, str(parent)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_a_directory_is_private_and_gone_when_its_owner_is_done(tmp_path: Path) -> None:
    """ENGINE-19"""
    with CanvasDirectory.create(tmp_path) as directory:
        assert directory.path.stat().st_mode & 0o777 == 0o700
        (directory.path / "spill").mkdir()
        (directory.path / "spill" / "part").touch()
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_a_process_uses_is_not_swept(tmp_path: Path) -> None:
    """ENGINE-20"""
    with holder(tmp_path) as (_, theirs), CanvasDirectory.create(tmp_path) as own:
        assert sweep(tmp_path) == ()
        assert theirs.exists()
        assert own.path.exists()


def test_a_directory_whose_process_was_killed_is_swept(tmp_path: Path) -> None:
    """ENGINE-20"""
    with holder(tmp_path) as (process, theirs), CanvasDirectory.create(tmp_path) as own:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
        assert sweep(tmp_path) == (theirs,)
        assert list(tmp_path.iterdir()) == [own.path]


def test_nothing_is_swept_that_is_not_a_directory_of_ours(tmp_path: Path) -> None:
    """ENGINE-20"""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / "other").mkdir()
    assert sweep(tmp_path) == ()
    assert (elsewhere / "precious").exists()
    assert sweep(tmp_path / "nowhere") == ()


def test_where_there_is_no_temporary_folder_nothing_is_swept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """ENGINE-20"""
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "nowhere")])
    assert sweep() == ()


def test_a_directory_that_was_taken_away_is_made_again(tmp_path: Path) -> None:
    """ENGINE-13"""
    with CanvasDirectory.create(tmp_path / "deep") as directory:
        assert directory.hold() is False
        directory.path.rmdir()
        directory.path.parent.rmdir()
        assert directory.hold() is True
        assert directory.path.stat().st_mode & 0o777 == 0o700
        assert sweep(directory.path.parent) == ()


def test_a_name_that_is_taken_by_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    """ENGINE-19"""
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises(PermissionError):
            CanvasDirectory(tmp_path / name).hold()


def test_a_directory_is_removed_by_the_last_of_its_processes_only(tmp_path: Path) -> None:
    """ENGINE-17"""
    with holder(tmp_path) as (process, theirs):
        own = CanvasDirectory(theirs)
        own.hold()
        assert own.remove_unless_shared() is False
        process.kill()
        process.wait(60)
        assert own.remove_unless_shared() is True
        assert not theirs.exists()


def test_a_directory_that_is_renewed_is_empty_and_held(tmp_path: Path) -> None:
    """ENGINE-15"""
    with CanvasDirectory.create(tmp_path) as directory:
        (directory.path / "canvas.duckdb").touch()
        directory.renew("k7q2xd")
        assert list(directory.path.iterdir()) == []
        assert sweep(tmp_path) == ()
