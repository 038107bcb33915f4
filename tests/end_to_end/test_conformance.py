"""A quick part of the conformance suite: what takes most of the front, in both eras. The whole: bench/conformance.py."""

from __future__ import annotations

import os
import shutil

import pytest

import conformance

LEGACY = (
    "server-session-lifecycle",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "tools-call-with-progress",
    "tools-call-elicitation",
)
MODERN = (
    "server-stateless",
    "http-header-validation",
    "http-custom-header-server-validation",
    "input-required-result-multi-round",
)


@pytest.mark.npm
@pytest.mark.parametrize("way", list(conformance.WAYS)[1:])
@pytest.mark.parametrize(("revision", "scenarios"), [("2025-11-25", LEGACY), ("2026-07-28", MODERN)])
def test_every_check_has_the_outcome_that_it_has_without_us(
    way: str, revision: str, scenarios: tuple[str, ...], wanted: dict[str, conformance.Outcome]
) -> None:
    """HTTPF-01, HTTPF-24"""
    if revision not in wanted:
        wanted[revision] = found(next(iter(conformance.WAYS)), revision, scenarios)
    assert conformance.difference(wanted[revision], found(way, revision, scenarios)) == []
    assert conformance.passed(wanted[revision]) >= 2 * len(scenarios)
    assert conformance.failed(wanted[revision]) == 0


def found(way: str, revision: str, scenarios: tuple[str, ...]) -> conformance.Outcome:
    """The outcome of some scenarios, by one of the ways."""
    with conformance.WAYS[way]() as url:
        return conformance.outcome(url, revision, scenarios)


@pytest.fixture(scope="module")
def wanted() -> dict[str, conformance.Outcome]:
    """What the server's own outcomes are, as far as they are known."""
    if not os.environ.get("CI") and not shutil.which("npm"):
        pytest.skip("npm is not installed")
    return {}
