"""Configuration files on the disk: written whole or not at all, and kept before."""

from __future__ import annotations

import os
import stat
import sys
from datetime import datetime
from pathlib import Path

import pytest

from millpond.clients import files
from millpond.core.errors import ConfigError

NOW = datetime(2026, 11, 30, 12, 34, 56)


def keep(folder: Path):
    return files.keep_in(folder / "state" / "backups", NOW)


def test_a_file_is_replaced_and_its_mode_stays(tmp_path: Path) -> None:
    """CLIENTS-16, CLIENTS-17"""
    path = tmp_path / "mcp.json"
    path.write_bytes(b"old")
    path.chmod(0o640)
    backup = files.replace(path, b"old", b"new", keep(tmp_path))
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert backup.read_bytes() == b"old"
    assert backup.name.startswith("mcp.json.")
    assert backup.name.endswith(".20261130-123456")
    assert sorted(child.name for child in tmp_path.iterdir()) == ["mcp.json", "state"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_backup_is_for_its_user_alone(tmp_path: Path) -> None:
    """CLIENTS-17"""
    backup = keep(tmp_path)(tmp_path / "mcp.json", b"s3cret")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700


def test_backups_of_one_second_stand_beside_each_other_and_come_newest_first(tmp_path: Path) -> None:
    """CLIENTS-12, CLIENTS-17"""
    path, other = tmp_path / "a[1]" / "mcp.json", tmp_path / "b" / "mcp.json"
    for data in (b"1", b"2", b"3"):
        keep(tmp_path)(path, data)
    keep(tmp_path)(other, b"other")
    files.keep_in(tmp_path / "state" / "backups", NOW.replace(hour=11))(path, b"earlier")
    assert files.backups(tmp_path / "state" / "backups", path) == [b"3", b"2", b"1", b"earlier"]
    assert files.backups(tmp_path / "nowhere", path) == []


def test_the_oldest_backups_of_a_file_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLIENTS-17"""
    monkeypatch.setattr(files, "MOST_BACKUPS", 11)
    path, other = tmp_path / "mcp.json", tmp_path / "other" / "mcp.json"
    keep(tmp_path)(other, b"other")
    for number in range(13):
        keep(tmp_path)(path, b"%d" % number)
    assert files.backups(tmp_path / "state" / "backups", path) == [b"%d" % number for number in range(12, 1, -1)]
    assert files.backups(tmp_path / "state" / "backups", other) == [b"other"]


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need a right there")
def test_a_symlink_stays_and_its_target_is_written(tmp_path: Path) -> None:
    """CLIENTS-16"""
    (tmp_path / "dotfiles").mkdir()
    target, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    target.write_bytes(b"old")
    link.symlink_to(target)
    files.replace(link, b"old", b"new", keep(tmp_path))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_read_only_file_stays(tmp_path: Path) -> None:
    """CLIENTS-16"""
    path = tmp_path / "mcp.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(ConfigError, match="got a read-only one; nothing was changed"):
        files.replace(path, b"old", b"new", keep(tmp_path))
    assert path.read_bytes() == b"old"


def test_what_another_program_wrote_meanwhile_stays(tmp_path: Path) -> None:
    """CLIENTS-16"""
    path = tmp_path / "mcp.json"
    path.write_bytes(b"theirs")
    with pytest.raises(ConfigError, match="changed by another program meanwhile; nothing was changed, try again"):
        files.replace(path, b"old", b"new", keep(tmp_path))
    assert path.read_bytes() == b"theirs"
    assert [child.name for child in tmp_path.iterdir() if child.is_file()] == ["mcp.json"]


def test_nothing_changes_where_no_backup_can_be_kept(tmp_path: Path) -> None:
    """CLIENTS-17"""
    path = tmp_path / "mcp.json"
    path.write_bytes(b"old")
    (tmp_path / "state").write_bytes(b"in the way")
    with pytest.raises(ConfigError, match=r"it cannot be written: .*; nothing was changed"):
        files.replace(path, b"old", b"new", keep(tmp_path))
    assert path.read_bytes() == b"old"


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLIENTS-13"""
    with pytest.raises(ConfigError, match="expected a file that can be read: Is a directory"):
        files.read(tmp_path)
    (tmp_path / "f").write_bytes(b"12345")
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 4)
    with pytest.raises(ConfigError, match="expected at most 4 bytes, got more"):
        files.read(tmp_path / "f")


def test_the_machines_surroundings_are_this_folder_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLIENTS-02"""
    (tmp_path / "Packages" / "Claude_1").mkdir(parents=True)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    around = files.surroundings()
    assert (around.folder, around.home) == (Path(os.getcwd()), Path.home())
    assert around.claude_packages == ["Claude_1"]
