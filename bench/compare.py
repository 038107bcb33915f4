"""Has a ratio or a count become worse than it was, beyond its noise?

    python bench/compare.py [OLD] [NEW]

OLD is a folder of results, or a revision of git whose `bench/results` are taken (HEAD, what was committed last); NEW is a folder, by
default `bench/results` as it lies there. Ratios within one run and counts are judged; times and memory are another machine's or another
hour's, and are not. A figure is worse where its median moved the wrong way by more than its repeats lie apart in both runs together:
what one run cannot tell apart, two cannot either. One of Millpond that is not there any more is worse, too: what it gives no answer for
is not measured. Exit code 1 where one is worse, 2 where there is nothing to compare.

Bias: noise within a run is less than from one run to the next; what is marked once should be measured again before it is believed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from lib.figures import RESULTS, Figure, Result, read_all
from lib.goals import OTHERS
from lib.machine import ROOT
from lib.words import number

OPTIONAL = (*OTHERS, "polars")
"""What a machine may lack: a figure with such a name may go missing."""


def main() -> int:
    """Print what changed beyond the noise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", nargs="?", default="HEAD", help="a folder, or a revision; HEAD if unset")
    parser.add_argument("new", nargs="?", type=Path, default=RESULTS, help="a folder; bench/results if unset")
    arguments = parser.parse_args()
    old, new = results_of(arguments.old), read_all(arguments.new)
    for name in sorted(old.keys() - new.keys()):
        print(f"{name}: no new result")
    pairs = [(old[name], new[name]) for name in sorted(old.keys() & new.keys())]
    comparable = [pair for pair in pairs if said(*pair)]
    judged = sum(1 for pair in comparable for _ in both(*pair))
    if not judged:
        print("nothing to compare")
        return 2
    worse = [line for pair in comparable for line in (*changes(*pair), *gone(*pair))]
    print(f"{judged} figures compared, {len(worse)} worse")
    return 1 if worse else 0


def results_of(source: str) -> Mapping[str, Result]:
    """The results in a folder, or those of a revision."""
    if Path(source).is_dir():
        return read_all(Path(source))
    listed = _git("ls-tree", "--name-only", source, "bench/results/").split()
    with tempfile.TemporaryDirectory() as name:
        for path in listed:
            if path.endswith(".json"):
                (Path(name) / Path(path).name).write_text(_git("show", f"{source}:{path}"))
        return read_all(Path(name))


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        sys.exit(f"neither a folder nor a revision with results: {done.stderr.strip()}")
    return done.stdout


def said(old: Result, new: Result) -> bool:
    """Say what makes two runs different; False where a quick run is not to be held against a whole one."""
    if old.quick != new.quick:
        print(f"{new.bench}: not compared, for one run was quick and the other was not")
        return False
    if old.machine != new.machine:
        print(f"{new.bench}: on another machine than before; only large changes say something")
    return True


def both(old: Result, new: Result) -> Iterator[tuple[Figure, Figure]]:
    """The figures that both runs have and that can be judged."""
    for late in new.figures:
        early = old.find(late.name)
        if early is not None and late.is_judged:
            yield early, late


def changes(old: Result, new: Result) -> list[str]:
    """Print a line for each figure that changed beyond its noise. Returns those for the worse."""
    worse: list[str] = []
    for early, late in both(old, new):
        moved = late.value - early.value
        if abs(moved) <= early.noise + late.noise:
            continue
        is_worse = (moved > 0) == (late.better == "lower")
        line = f"{new.bench}: {late.name}: {number(early.value)} -> {number(late.value)} {late.unit}"
        print(f"{'WORSE ' if is_worse else 'better'} {line}")
        if is_worse:
            worse.append(line)
    return worse


def gone(old: Result, new: Result) -> list[str]:
    """Print a line for each figure that was judged and is not there any more. Returns those that no machine may lack."""
    left = {figure.name for figure in new.figures}
    lines = [
        f"{new.bench}: {early.name}: not measured"
        for early in old.figures
        if early.is_judged and early.name not in left
    ]
    worse = [line for line in lines if not any(name in line for name in OPTIONAL)]
    for line in lines:
        print(f"{'WORSE ' if line in worse else 'gone  '} {line}")
    return worse


if __name__ == "__main__":
    sys.exit(main())
