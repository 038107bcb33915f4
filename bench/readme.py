"""Puts the tables of `bench/results` between their markers in README.md and bench/README.md.

    python bench/readme.py [--check]

`--check` writes nothing: the exit code is 1 where a table or a plot is not that of the results.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from lib.figures import read_all
from lib.goals import Results
from lib.machine import ROOT
from lib.plots import stale
from lib.tables import TABLES

PAGES = (Path("README.md"), Path("bench/README.md"))
_between = re.compile(r"(<!-- bench:(\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> int:
    """Write the pages anew, or say where they differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit code 1 where something is not up to date"
    )
    arguments = parser.parse_args()
    results = read_all()
    old = [f"bench/results/{name}.svg" for name in stale(results)] if arguments.check else []
    for page in PAGES:
        before = (ROOT / page).read_text()
        after = with_tables(before, results)
        if before != after:
            old.append(str(page))
        if not arguments.check:
            (ROOT / page).write_text(after)
    verb = "not of the results" if arguments.check else "written"
    print(*(f"{verb}: {name}" for name in old), sep="\n")
    return 1 if old and arguments.check else 0


def with_tables(page: str, results: Results) -> str:
    """The page with every table between its markers."""
    return _between.sub(lambda found: f"{found[1]}{TABLES[found[2]](results)}\n{found[3]}", page)


if __name__ == "__main__":
    sys.exit(main())
