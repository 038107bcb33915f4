"""Prints, for each protocol revision, how many probes are the same with the proxy, and which are not.

    python tests/end_to_end/fidelity/figure.py

The exit code is 1 where one is not.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))


def main() -> int:
    from end_to_end.fidelity.talk import REVISIONS, figures, outcomes

    for revision, (held, count) in figures().items():
        sys.stdout.write(f"{revision}: {held} of {count}\n")
    lost = [
        f"{revision}: {name}"
        for revision in REVISIONS
        for name, outcome in outcomes(revision).items()
        if outcome.found != outcome.expected
    ]
    sys.stdout.writelines(f"  differs: {name}\n" for name in lost)
    return bool(lost)


if __name__ == "__main__":
    sys.exit(main())
