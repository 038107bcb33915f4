"""The rules of `spec/` and the tests that prove them, compared in both directions."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
STAGES = ("payload", "shape", "infer", "naming", "store", "handle", "plan", "config", "cli")
"""Stages that must have a file; there may be more."""
RULE = re.compile(r"(?:-|\|) \*\*(?P<id>(?P<stage>[A-Z]+)-(?P<number>\d{2}))\*\* (?P<text>\S.*)")


def rules() -> list[re.Match[str]]:
    """Every rule, in the order of the files."""
    lines = (line for file in sorted((ROOT / "spec").glob("*.md")) for line in file.read_text().splitlines())
    return [found for line in lines if (found := RULE.match(line))]


def named_in_tests() -> set[str]:
    """Every ID of a known stage that a test's docstring or comment names."""
    stages = {rule["stage"] for rule in rules()}
    texts = (file.read_text() for file in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in texts for name in re.findall(r"\b[A-Z]+-\d{2}\b", text) if name[:-3] in stages}


def test_every_stage_has_a_file_of_rules_under_a_name_of_its_own() -> None:
    files = sorted((ROOT / "spec").glob("*.md"))
    assert {file.stem for file in files} >= set(STAGES)
    names: list[str] = []
    for file in files:
        found = [line for line in file.read_text().splitlines() if line.startswith("- ")]
        assert [line for line in found if not RULE.match(line)] == [], file.name
        stages = {rule["stage"] for line in found if (rule := RULE.match(line))}
        assert len(stages) == 1, f"{file.name}: {stages}"
        names += stages
    assert len(set(names)) == len(names)


def test_no_rule_is_named_twice() -> None:
    assert [name for name, count in Counter(rule["id"] for rule in rules()).items() if count > 1] == []


def test_every_rule_is_named_by_a_test() -> None:
    assert sorted({rule["id"] for rule in rules()} - named_in_tests()) == []


def test_every_rule_that_a_test_names_exists() -> None:
    assert sorted(named_in_tests() - {rule["id"] for rule in rules()}) == []
