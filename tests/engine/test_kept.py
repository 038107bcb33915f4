"""The folders of kept canvases: found again, held by one, put aside, swept in time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from millpond.engine.kept import ASIDE, KEPT, SECRET, Keeper, KeptCanvas, problem_of, sweep_kept

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is kept there")
DAY = 86_400
KEY = b"mine"
HOLDER = """
import sys
from pathlib import Path
from millpond.engine.kept import Keeper
kept = Keeper(Path(sys.argv[1]), 7, print).find(b"mine")
(kept.directory.path / "canvas.duckdb").touch()
print(kept.canvas, flush=True)
sys.stdin.read()
"""


class Clock:
    """The time, moved by hand."""

    def __init__(self, path: Path) -> None:
        self.now = path.stat().st_mtime

    def __call__(self) -> float:
        return self.now


def opened(
    parent: Path, lines: list[str], key: bytes = KEY, keep_days: int = 7, now: Callable[[], float] = time.time
) -> KeptCanvas:
    found = Keeper(parent, keep_days, lines.append, now).find(key)
    assert found is not None, lines
    return found


def used(kept: KeptCanvas) -> Path:
    """Have a file in it, as its engine would, and leave it."""
    (kept.directory.path / "canvas.duckdb").write_bytes(b"rows")
    kept.directory.leave()
    return kept.directory.path


def test_a_canvas_is_found_again_with_its_id_and_its_tag_by_its_key_alone(tmp_path: Path) -> None:
    """CANVAS-17 CANVAS-19"""
    lines: list[str] = []
    first = opened(tmp_path, lines)
    other = opened(tmp_path, lines, b"another")
    assert first.canvas != other.canvas
    path = used(first)
    again = opened(tmp_path, lines)
    assert (again.canvas, again.tag, again.begun_anew) == (first.canvas, first.tag, None)
    assert (again.directory.path / "canvas.duckdb").read_bytes() == b"rows"
    assert path.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in (path / "kept.json", tmp_path / SECRET)} == {0o600}
    assert lines == []


def test_without_the_secret_beside_them_keys_lead_to_other_folders(tmp_path: Path) -> None:
    """CANVAS-19"""
    one, other = tmp_path / "one", tmp_path / "other"
    names: set[str] = set()
    for parent in (one, other):
        parent.mkdir()
        names.add(used(opened(parent, [])).name)
    assert len(names) == 2


def test_a_canvas_in_which_nothing_was_stored_leaves_nothing(tmp_path: Path) -> None:
    """CANVAS-17"""
    opened(tmp_path, []).directory.leave()
    assert [path.name for path in tmp_path.iterdir()] == [SECRET]


def test_where_the_file_was_removed_another_canvas_is_begun_whose_tables_have_other_names(tmp_path: Path) -> None:
    """CANVAS-17"""
    first = opened(tmp_path, [])
    (used(first) / "canvas.duckdb").unlink()
    again = opened(tmp_path, [])
    assert again.canvas != first.canvas
    assert again.tag != first.tag
    assert again.begun_anew is None


def test_another_process_has_it_alone_until_it_ends_however_that_is(tmp_path: Path) -> None:
    """CANVAS-18"""
    lines: list[str] = []
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        canvas = process.stdout.readline().strip()
        assert Keeper(tmp_path, 7, lines.append).find(KEY) is None
        assert lines == [
            "canvas: the kept one is in use by another session; a new one is begun, which ends with this session"
        ]
        process.kill()
    assert opened(tmp_path, lines).canvas == canvas


def test_two_sessions_of_one_process_do_not_share_one(tmp_path: Path) -> None:
    """CANVAS-18"""
    lines: list[str] = []
    first = opened(tmp_path, lines)
    assert Keeper(tmp_path, 7, lines.append).find(KEY) is None
    used(first)
    assert opened(tmp_path, lines).canvas == first.canvas


def test_one_that_is_just_being_left_is_waited_for_and_not_for_long(tmp_path: Path) -> None:
    """CANVAS-18"""
    lines: list[str] = []
    pauses: list[float] = []
    first = opened(tmp_path, lines)
    (first.directory.path / "canvas.duckdb").touch()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            first.directory.leave()

    keeper = Keeper(tmp_path, 7, lines.append, pause=pause)
    again = keeper.find(KEY, waits=True)
    assert again is not None
    assert again.canvas == first.canvas
    assert keeper.find(KEY, waits=True) is None
    assert sum(pauses[3:]) == pytest.approx(0.5)
    assert len(lines) == 1


@pytest.mark.parametrize("written", [None, b"", b'{"format":2}', b"\xff"])
def test_what_this_version_cannot_read_is_put_aside_whole_and_said(tmp_path: Path, written: bytes | None) -> None:
    """CANVAS-20"""
    lines: list[str] = []
    path = used(opened(tmp_path, lines))
    (path / "kept.json").unlink()
    if written is not None:
        (path / "kept.json").write_bytes(written)
    again = opened(tmp_path, lines)
    [aside] = tmp_path.glob(f"{ASIDE}*")
    assert (aside / "canvas.duckdb").read_bytes() == b"rows"
    assert aside.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in again.directory.path.iterdir()] == ["kept.json"]
    assert again.begun_anew is not None
    assert "call the tools again" in again.begun_anew
    [line] = lines
    assert line.endswith(f"it is now in {aside}")
    assert sweep_kept(tmp_path, lambda: float(1 << 40)) == ()


def test_a_canvas_is_swept_when_nobody_used_it_for_its_days_and_not_before(tmp_path: Path) -> None:
    """CANVAS-21"""
    old, held = opened(tmp_path, []), opened(tmp_path, [], b"held")
    (held.directory.path / "canvas.duckdb").touch()
    path = used(old)
    clock = Clock(path / "kept.json")
    clock.now += 7 * DAY - 60
    assert sweep_kept(tmp_path, clock) == ()
    clock.now += 120
    assert sweep_kept(tmp_path, clock) == (path,)
    assert [path.name for path in tmp_path.glob("*millpond-*")] == [held.directory.path.name]


def test_every_use_and_every_write_puts_its_end_off(tmp_path: Path) -> None:
    """CANVAS-21"""
    path = used(opened(tmp_path, []))
    clock = Clock(path / "kept.json")
    for name in ("canvas.duckdb", "canvas.duckdb.wal", "kept.json"):
        clock.now += 5 * DAY
        (path / name).touch()
        os.utime(path / name, (clock.now, clock.now))
        assert sweep_kept(tmp_path, clock) == ()
    clock.now += 8 * DAY
    assert sweep_kept(tmp_path, clock) == (path,)


def test_one_whose_days_have_passed_is_not_found_again_swept_or_not(tmp_path: Path) -> None:
    """CANVAS-21"""
    first = opened(tmp_path, [])
    clock = Clock(used(first) / "kept.json")
    clock.now += 8 * DAY
    lines: list[str] = []
    again = opened(tmp_path, lines, now=clock)
    assert lines == [
        f"canvas: {first.directory.path} was not used for as long as it was to be kept; what lay in it is removed"
    ]
    assert again.canvas != first.canvas
    assert again.begun_anew is None
    assert not (again.directory.path / "canvas.duckdb").exists()


def test_the_days_are_those_of_its_last_use(tmp_path: Path) -> None:
    """CANVAS-21"""
    used(opened(tmp_path, []))
    path = used(opened(tmp_path, [], keep_days=30))
    clock = Clock(path / "kept.json")
    clock.now += 8 * DAY
    assert sweep_kept(tmp_path, clock) == ()
    clock.now += 23 * DAY
    assert sweep_kept(tmp_path, clock) == (path,)


def test_what_is_no_kept_canvas_of_ours_is_not_swept(tmp_path: Path) -> None:
    """CANVAS-21"""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{KEPT}link").symlink_to(elsewhere)
    (tmp_path / f"{KEPT}file").touch()
    (tmp_path / f"{KEPT}empty").mkdir()
    assert sweep_kept(tmp_path, lambda: float(1 << 40)) == ()
    assert sweep_kept(tmp_path / "nowhere") == ()
    assert len(list(tmp_path.iterdir())) == 4


def test_a_folder_that_cannot_be_written_to_costs_the_keeping_and_nothing_else(tmp_path: Path) -> None:
    """CANVAS-18"""
    lines: list[str] = []
    assert Keeper(tmp_path / "nowhere", 7, lines.append).find(KEY) is None
    assert lines == [
        "canvas: cannot be kept: No such file or directory; a new one is begun, which ends with the session"
    ]
    assert Keeper(tmp_path, 7, lines.append).find(None) is None


def test_a_folder_for_kept_canvases_is_absolute_there_and_not_for_others_to_write_to(tmp_path: Path) -> None:
    """CANVAS-22"""
    assert problem_of(tmp_path) is None
    assert problem_of(Path("/tmp")) is None  # sticky: nobody removes another's files
    for wrong in (Path("canvases"), tmp_path / "nowhere"):
        assert "the absolute path of a folder that is there" in (problem_of(wrong) or "")
    (tmp_path / "file").touch()
    assert problem_of(tmp_path / "file") is not None
    for mode in (0o770, 0o707):
        tmp_path.chmod(mode)
        assert "that other users cannot write to" in (problem_of(tmp_path) or "")
    tmp_path.chmod(0o700)
    assert "on Windows" in (problem_of(tmp_path, "win32") or "")
