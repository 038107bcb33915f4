"""`millpond stats`, on a record of its own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from millpond import record
from millpond.cli import main
from millpond.core.stats import SessionCount, ToolCount, session_line

LIST = ToolCount(calls=12, replaced=3, bytes=4_400_000, kept_out_bytes=4_300_000, kept_out_tokens=1_050_000)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path / "millpond"


def write(place: Path, time: str, server: str = "issues", **tools: ToolCount) -> None:
    session = SessionCount(time=time, server=server, tools=tools, queries=5, evictions=1, restarts=0)
    record.append(place, session_line(session), 1 << 20, "")


def test_it_shows_what_was_kept_out(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """STATS-08"""
    write(place, "2026-11-29T12:00:00.000Z", list_issues=LIST, get_issue=ToolCount(calls=40, bytes=9_000))
    write(place, "2026-11-30T12:00:00.000Z", list_issues=LIST)
    write(place, "2026-11-30T12:00:00.000Z", "notes", read=ToolCount(calls=1))
    with (place / record.FILE).open("ab") as file:
        file.write(b"half a li\n")
    assert main(["stats"]) == 0
    assert capsys.readouterr().out.replace(str(place), "PLACE") == snapshot("""\
issues: 2 sessions, the last 2026-11-30
  tool         calls  tables  kept out  tokens, about
  list_issues     24       6    8.2 MB      2,100,000
  get_issue       40       0   0 bytes              0
  in all          64       6    8.2 MB      2,100,000
  queries 10, evicted calls 2, engine restarts 0

notes: 1 session, the last 2026-11-30
  tool  calls  tables  kept out  tokens, about
  read      1       0   0 bytes              0
  queries 5, evicted calls 1, engine restarts 0

1 line of the record could not be read.
Record: PLACE/stats.jsonl (names and numbers only; --reset removes it). Tokens are an estimate.
""")


def test_without_a_record_it_says_so(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """STATS-08"""
    assert main(["stats"]) == 0
    assert capsys.readouterr().out.startswith("Nothing yet: a session counts when it has ended.\n")
    assert main(["stats", "--reset"]) == 0
    assert capsys.readouterr().out.startswith("There is no record: ")


def test_programs_get_the_same_of_the_last_days_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """STATS-08"""
    write(place, "2020-01-01T00:00:00.000Z", list_issues=LIST)
    write(place, datetime.now(UTC).isoformat(timespec="milliseconds"), list_issues=LIST)
    assert main(["stats", "--since", "2.5", "--json"]) == 0
    (server,) = json.loads(capsys.readouterr().out)["servers"]
    assert (server["name"], server["sessions"], server["queries"]) == ("issues", 1, 5)
    assert server["tools"][0] == {
        "name": "list_issues",
        "calls": 12,
        "replaced": 3,
        "bytes": 4_400_000,
        "kept_out_bytes": 4_300_000,
        "kept_out_tokens": 1_050_000,
    }
    assert main(["stats", "--reset"]) == 0
    assert main(["stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.split("\n", 1)[1])["servers"] == []


@pytest.mark.parametrize("words", [["--since", "0"], ["--since", "x"], ["more"], ["--", "x"]])
def test_a_wrong_argument_is_one_line(place: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-04"""
    assert main(["stats", *words]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_record_that_cannot_be_read_is_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-04"""
    (place / record.FILE).mkdir(parents=True)
    assert main(["stats"]) == 2
    assert "check its permissions" in capsys.readouterr().err


def test_its_help_has_an_example_and_says_what_the_record_holds(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """STATS-02, STATS-08"""
    assert main(["stats", "--help"]) == 0
    text = capsys.readouterr().out
    assert "millpond stats --since 7 --json" in text
    assert "no\narguments, no rows, no texts" in text
    assert "estimate" in text
