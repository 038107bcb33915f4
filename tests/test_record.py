"""The record's file: appended to, bounded, and never in anyone's way."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from millpond import record
from millpond.core.stats import SessionCount, ToolCount, session_line

NEVER = ""
"""Older than this is nothing."""
MUCH = 1 << 20


def line(time: str = "2026-11-30", server: str = "s") -> bytes:
    return session_line(SessionCount(time=time, server=server, tools={"t": ToolCount(calls=1)}))


@pytest.mark.parametrize(("value", "is_off"), [("off", True), (" OFF ", True), ("0", True), ("on", False), ("", False)])
def test_the_environment_switches_it_off(value: str, is_off: bool) -> None:
    """STATS-03"""
    assert record.is_switched_off({record.VARIABLE: value}) is is_off


def test_it_stays_within_its_bound_and_keeps_the_newest(tmp_path: Path) -> None:
    """STATS-04"""
    most = 20 * len(line())
    for at in range(200):
        record.append(tmp_path, line(server=f"{at:03}"), most, NEVER)
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= most + len(line())
    servers = [int(session.server) for session in record.read(tmp_path).sessions]
    assert servers == list(range(servers[0], 200))
    assert len(servers) >= 10


def test_what_is_too_old_goes(tmp_path: Path) -> None:
    """STATS-04"""
    for time, oldest in (("2026-01", NEVER), ("2026-02", "2026-01"), ("2026-05", "2026-04"), ("2026-09", "2026-08")):
        record.append(tmp_path, line(time), MUCH, oldest)
    assert [session.time for session in record.read(tmp_path).sessions] == ["2026-05", "2026-09"]


def test_many_writers_at_once_lose_no_line(tmp_path: Path) -> None:
    """STATS-05"""

    def write(server: str) -> None:
        for _ in range(50):
            record.append(tmp_path, line(server=server), MUCH, NEVER)

    threads = [threading.Thread(target=write, args=(str(at),)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    sessions, broken = record.read(tmp_path)
    assert (len(sessions), broken) == (400, 0)


def test_a_torn_line_costs_no_other(tmp_path: Path) -> None:
    """STATS-06"""
    record.append(tmp_path, line(server="first") + line(server="torn")[:30], MUCH, NEVER)
    record.append(tmp_path, line(server="next"), MUCH, NEVER)
    sessions, broken = record.read(tmp_path)
    assert ([session.server for session in sessions], broken) == (["first", "next"], 1)


def test_of_a_file_that_is_too_large_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STATS-14"""
    monkeypatch.setattr(record, "MOST_READ_BYTES", 3 * len(line()))
    for server in "abcdef":
        record.append(tmp_path, line(server=server), MUCH, NEVER)
    assert [session.server for session in record.read(tmp_path).sessions] == ["e", "f"]


def test_only_its_user_reads_it_and_it_can_be_removed(tmp_path: Path) -> None:
    """STATS-08"""
    place = tmp_path / "a" / "b"
    assert record.read(place) == ((), 0)
    assert not record.remove(place)
    record.append(place, line(), MUCH, NEVER)
    assert (place / record.FILE).stat().st_mode & 0o077 == 0
    assert record.remove(place)
    assert record.read(place) == ((), 0)


def test_where_it_cannot_be_written_the_error_is_the_systems(tmp_path: Path) -> None:
    """STATS-07"""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        record.append(tmp_path / "file" / "below", line(), MUCH, NEVER)
