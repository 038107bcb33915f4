"""Scripted sessions as an agent would have them: the answers are right, the tokens few, and each reads as its golden file does.

    pytest tests/end_to_end/test_sessions.py -n 0 --write-pins

writes the files of `sessions/` anew, `README.md` there with one line a session last.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from session_scripts import SESSIONS
from session_talk import played, summary, talking, transcript

GOLDEN = Path(__file__).parent / "sessions"
SUMMARY = GOLDEN / "README.md"
HEAD = """# Scripted sessions

Each agent's call and what it reads stand in the files beside this one. Tokens are of `o200k_base`: definitions, instructions, calls
and answers, each once; over all turns, each call sends the whole so far again. Without Millpond the payloads are in the context, and
the questions are still to be answered by eye.

"""
MOST_OF_CUT = 0.1
"""Of the tokens without the proxy where a host cuts each payload."""
WRITE = "if the change is wanted: pytest tests/end_to_end/test_sessions.py -n 0 --write-pins"


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_right_and_cheap_and_reads_as_its_golden_file_does(
    name: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """QUERY-02, QUERY-12, HANDLE-01, TOOLS-01"""
    script, config, golden = SESSIONS[name], tmp_path / "millpond.toml", GOLDEN / f"{name}.md"
    config.write_text(script.config)
    with talking(name, config) as talk:
        script.play(talk)
    for check in talk.checks:
        assert check.said == check.computed, check.question
    session = played(script.title, script.task, talk)
    assert session.proxied.together < script.most_share * session.without.together
    assert session.proxied.together < MOST_OF_CUT * session.cut.together
    assert session.proxied.over_all_turns < session.cut.over_all_turns
    text = transcript(session)
    if pytestconfig.getoption("--write-pins"):
        golden.write_text(text)
    assert text == golden.read_text(), WRITE


def test_every_golden_file_has_its_session() -> None:
    assert {file.stem for file in GOLDEN.iterdir() if file != SUMMARY} == set(SESSIONS)


def test_the_summary_is_of_the_golden_files(pytestconfig: pytest.Config) -> None:
    table = HEAD + summary((GOLDEN / f"{name}.md").read_text() for name in SESSIONS)
    if pytestconfig.getoption("--write-pins"):
        SUMMARY.write_text(table)
    assert SUMMARY.read_text() == table, WRITE
