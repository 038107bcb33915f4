"""What both ends see through the proxy is what they see on a direct connection, byte for byte, but for the edits."""

import re
from pathlib import Path

import pytest

from end_to_end.fidelity.edits import EDITS
from end_to_end.fidelity.probe import REVISIONS, Probe
from end_to_end.fidelity.talk import PROBES, figures, outcomes, probes_of

ROOT = Path(__file__).parents[3]
CASES = [(revision, probe) for revision in REVISIONS for probe in probes_of(revision)]


def said(probe: Probe, revision: str) -> tuple[bytes, bytes]:
    """What the table has the client and the server say."""
    number = probes_of(revision).index(probe) + 1
    sides = zip(*probe.steps(number, revision), strict=True)
    sent, answered = (b"".join(side) for side in sides)
    return sent, answered


@pytest.mark.parametrize(("revision", "probe"), CASES, ids=[f"{revision}: {probe.name}" for revision, probe in CASES])
def test_both_ends_see_what_they_see_without_the_proxy(revision: str, probe: Probe) -> None:
    """RELAY-01, RELAY-02, RELAY-03, RELAY-10, RELAY-26, RELAY-27, RELAY-30, TOOLS-01, TOOLS-02, TOOLS-03"""
    outcome = outcomes(revision)[probe.name]
    assert (outcome.direct.server, outcome.direct.client) == said(probe, revision)
    assert outcome.found.server == outcome.expected.server
    assert outcome.found.client == outcome.expected.client


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_is_shown_by_a_probe_and_changes_something(edit: str) -> None:
    """RELAY-01"""
    for probe in (probe for probe in PROBES if edit in probe.edits):
        for revision in probe.revisions:
            outcome = outcomes(revision)[probe.name]
            assert outcome.proxied.client != outcome.direct.client
    assert any(edit in probe.edits for probe in PROBES)


def test_the_rule_lists_every_edit() -> None:
    """RELAY-01"""
    (rule,) = re.findall(r"\*\*RELAY-01\*\* .*no others: (.*)\.\n", (ROOT / "spec" / "relay.md").read_text())
    listed = rule.split(", ")
    assert set(EDITS) < set(listed)
    assert len(set(listed)) == len(listed)


def test_the_readme_has_the_figure() -> None:
    found = figures()
    assert all(count >= 45 for _, count in found.values())
    text = ", ".join(f"{held} of {count} ({revision})" for revision, (held, count) in found.items())
    assert text in " ".join((ROOT / "README.md").read_text().split())
