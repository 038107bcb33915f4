"""The official conformance suite on one server, as it is and behind Millpond, and what differs.

Rule: the same server, the same requirements; an outcome is the set of (scenario, check, status) with their counts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import installed
from http_talk import SERVERS, Front, Served

REVISIONS = ("2025-11-25", "2026-07-28")
SERVER = (sys.executable, str(SERVERS / "conformance_server.py"))
TIME = re.compile(r"-\d{4}-\d\d-\d\dT[-\dZ]+$")
"""What the suite puts behind a scenario's name."""
RUN_SECONDS = 600.0
"""The longest that one run may take."""
SETTINGS = "[http]\npoll_seconds = 1.5\n"
"""The suite wants to see a stream that is closed in the middle of a call, which a server behind us cannot ask for."""

Outcome = Counter[tuple[str, str, str]]


@contextmanager
def direct() -> Generator[str]:
    """The server's own URL."""
    with Served([*SERVER, "0"]) as server:
        yield server.url


@contextmanager
def behind_us() -> Generator[str]:
    """Millpond's URL, the server over standard streams behind it."""
    with front(*SERVER) as url:
        yield url


@contextmanager
def front(*server: str) -> Generator[str]:
    """Millpond's URL, with a command or a URL behind it."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "millpond.toml"
        config.write_text(SETTINGS)
        with Front("--config", str(config), server=server) as started:
            yield started.url


@contextmanager
def between() -> Generator[str]:
    """Millpond's URL, the server's own URL behind it."""
    with direct() as url, front(url) as own:
        yield own


WAYS = {
    "the server itself, over HTTP": direct,
    "Millpond over HTTP, the server over standard streams behind it": behind_us,
    "Millpond over HTTP, the server over HTTP behind it": between,
}
"""By name, each a server's URL as long as it is entered. The first is what the others are held to."""


def outcome(url: str, revision: str, scenarios: Sequence[str] = ()) -> Outcome:
    """What the suite finds at a URL, by all that the revision requires, or by these scenarios."""
    what = [["--spec-version", revision, "--scenario", scenario] for scenario in scenarios]
    found: Outcome = Counter()
    for chosen in what or [["--requirements", revision]]:
        with tempfile.TemporaryDirectory() as folder:
            command = [*installed.conformance(), "server", "--url", url, "--output-dir", folder, *chosen]
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_SECONDS, check=False)
            for file in sorted(Path(folder).glob("*/checks.json")):
                scenario = TIME.sub("", file.parent.name.removeprefix("server-"))
                found.update((scenario, check["id"], check["status"]) for check in json.loads(file.read_text()))
    return found


def passed(found: Outcome) -> int:
    """Checks that passed, as the suite counts them."""
    return sum(count for (_, _, status), count in found.items() if status == "SUCCESS")


def failed(found: Outcome) -> int:
    """Checks that failed, as the suite counts them."""
    return sum(count for (_, _, status), count in found.items() if status == "FAILURE")


def difference(one: Outcome, other: Outcome) -> list[str]:
    """A line for each check that one of two outcomes has more often."""
    names = sorted(name for name in one.keys() | other.keys() if one[name] != other[name])
    return [
        f"{scenario}: {check} {status}: {one[name]} and {other[name]}"
        for name in names
        for scenario, check, status in [name]
    ]
