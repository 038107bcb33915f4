"""Sheet: what a running bench notes, printed as it comes and written down at the end.

Rule: a bench is `run(NAME, __doc__, measure)`, and its command line is the same as that of every other. Imports the library only.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from lib.figures import RESULTS, Figure, Result, Unit, rounded, write
from lib.machine import commit, machine, versions


class Sheet:
    """The figures and notes of one run."""

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick
        """True where fewer and smaller things are measured: to see that it works, not to quote."""
        self.figures: dict[str, Figure] = {}
        self.notes: dict[str, str] = {}

    def add(
        self, name: str, unit: Unit, repeats: Sequence[float], better: Literal["lower", "higher"] = "lower"
    ) -> Figure:
        """Note a figure. Raises `ValueError` where its name is taken."""
        if name in self.figures:
            raise ValueError(f"measured twice: {name}")
        figure = self.figures[name] = Figure(name=name, unit=unit, better=better, repeats=rounded(repeats))
        spread = f"   ({min(figure.repeats):,.6g} to {max(figure.repeats):,.6g})" if figure.noise else ""
        print(f"  {name:52} {figure.value:12,.6g} {unit}{spread}", flush=True)
        return figure

    def add_times(self, name: str, seconds: Sequence[float], direct: Sequence[float] | None = None) -> None:
        """Note times as `NAME`, and beside the direct connection's of the same turns as `NAME/ratio`."""
        self.add(name, "ms", [1e3 * each for each in seconds])
        if direct is not None:
            self.add(f"{name}/ratio", "x", [mine / theirs for mine, theirs in zip(seconds, direct, strict=True)])

    def note(self, name: str, text: str) -> None:
        """Note why something was not measured."""
        self.notes[name] = text
        print(f"  {name}: {text}", flush=True)


class Rounds:
    """Figures of which each round of a run gives one value."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Unit, Literal["lower", "higher"]], list[float]] = {}

    def add(self, name: str, unit: Unit, value: float, better: Literal["lower", "higher"] = "lower") -> None:
        """Keep the value of this round."""
        self._found.setdefault((name, unit, better), []).append(value)

    def note(self, sheet: Sheet) -> None:
        """Note every figure, when all rounds are over."""
        for (name, unit, better), values in self._found.items():
            sheet.add(name, unit, values, better)


def run(name: str, about: str | None, measure: Callable[[Sheet], None]) -> None:
    """Read the command line, measure, and write `NAME.json`; a quick run writes only where a folder is named.

    Nothing of it enters the user's own record of counts. Exit code 1, and nothing written, where nothing could be measured.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller: to see that it works, not to quote")
    parser.add_argument(
        "--results", type=Path, help="the folder for NAME.json; bench/results if unset, and none with --quick"
    )
    arguments = parser.parse_args()
    folder = arguments.results or (None if arguments.quick else RESULTS)
    os.environ["MILLPOND_STATS"] = "off"
    sheet = Sheet(quick=arguments.quick)
    about_machine, about_versions = machine(), versions()
    print(f"{name}: {', '.join(about_machine.values())}; {' '.join(f'{k} {v}' for k, v in about_versions.items())}")
    begin = time.perf_counter()
    measure(sheet)
    if not sheet.figures:
        sys.exit(f"{name}: nothing could be measured")
    result = Result(
        bench=name,
        quick=sheet.quick,
        machine=about_machine,
        versions=about_versions,
        commit=commit(),
        seconds=round(time.perf_counter() - begin, 1),
        figures=tuple(sheet.figures.values()),
        notes=sheet.notes,
    )
    if folder is not None:
        write(result, folder)
    print(f"{name}: {result.seconds} s")
