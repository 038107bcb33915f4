"""Does a server keep every check of the official conformance suite when Millpond stands in front of it?

    python bench/conformance.py

Installs the suite and a Node for it into the cache of the tests, runs it for two revisions on one server as it is and
behind Millpond, and prints passed and failed checks and every difference. Exit code 1 where there is one. The suite
speaks HTTP only, so standard streams are seen on the server's side alone.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from conformance import REVISIONS, WAYS, Outcome, difference, failed, outcome, passed


def main() -> int:
    """Print the table and the differences."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    os.environ["MILLPOND_STATS"] = "off"
    differs = False
    rows: list[str] = []
    found = {revision: {name: measured(name, revision) for name in WAYS} for revision in REVISIONS}
    for name in WAYS:
        cells = [f"{passed(found[revision][name])} / {failed(found[revision][name])}" for revision in REVISIONS]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    print(f"| passed / failed | {' | '.join(REVISIONS)} |\n|---|{'---|' * len(REVISIONS)}")
    print("\n".join(rows))
    for revision in REVISIONS:
        first, *others = WAYS
        for name in others:
            lines = difference(found[revision][first], found[revision][name])
            differs |= bool(lines)
            print(f"\n{revision}, {first} and {name}: {len(lines)} differences", *lines, sep="\n  ")
    return 1 if differs else 0


def measured(name: str, revision: str) -> Outcome:
    """The outcome of one way, for all that a revision requires."""
    with WAYS[name]() as url:
        return outcome(url, revision)


if __name__ == "__main__":
    sys.exit(main())
