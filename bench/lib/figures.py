"""Figures: what a bench measured, as it is written down and read again.

Rule: a figure keeps every repeat, so that its noise is measured and never assumed. Imports msgspec and the standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec

RESULTS = Path(__file__).parents[1] / "results"
Unit = Literal["ms", "x", "MiB", "bytes", "tokens", "characters", "rows", "count", "seen"]
"""`count` is what comes out the same on any machine; `seen` is how often something happened in a run, which its timing decides."""
JUDGED: frozenset[Unit] = frozenset(("x", "tokens", "characters", "rows", "count"))
"""Ratios within one run, and counts: what another machine, or a busy one, changes little. Times and memory are only shown."""
DIGITS = 4
"""Significant digits that are kept."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One measured thing."""

    name: str
    unit: Unit
    better: Literal["lower", "higher"] = "lower"
    repeats: tuple[float, ...]
    """What each repeat gave, in the order of the run; at least one."""

    @property
    def value(self) -> float:
        """The median of the repeats."""
        return median(self.repeats)

    @property
    def noise(self) -> float:
        """How far apart the repeats of one run lie; 0 for what is counted."""
        return max(self.repeats) - min(self.repeats)

    @property
    def is_judged(self) -> bool:
        """True where a later run can be compared with it."""
        return self.unit in JUDGED


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """All that one run of a bench found."""

    bench: str
    quick: bool
    machine: Mapping[str, str]
    versions: Mapping[str, str]
    commit: str
    seconds: float
    """How long the run took."""
    figures: tuple[Figure, ...]
    notes: Mapping[str, str]
    """What could not be measured, and why."""

    def find(self, name: str) -> Figure | None:
        """The figure of this name, or None where it was not measured."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def value(self, name: str) -> float:
        """The value of a figure; not a number where it was not measured."""
        figure = self.find(name)
        return math.nan if figure is None else figure.value

    def cuts(self) -> list[str]:
        """What was measured of clients' cuts: `cut by Cline` and so on, in the order of the run."""
        parts = (part for figure in self.figures for part in figure.name.split("/"))
        return list(dict.fromkeys(part for part in parts if part.startswith("cut by ")))

    def under(self, prefix: str) -> dict[str, Figure]:
        """The figures whose name begins so, by the rest of their name."""
        return {each.name[len(prefix) :]: each for each in self.figures if each.name.startswith(prefix)}


def rounded(values: Iterable[float]) -> tuple[float, ...]:
    """The values with the digits that are kept; what is counted stays as it is."""
    return tuple(value if value == int(value) else float(f"{value:.{DIGITS}g}") for value in map(float, values))


def write(result: Result, folder: Path = RESULTS) -> Path:
    """Write a result down, in place of the last one of the same bench."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{result.bench}.json"
    figures = ",\n    ".join(msgspec.json.encode(figure).decode() for figure in result.figures)
    head = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(result, figures=())), indent=2).decode()
    file.write_text(head.replace('"figures": []', f'"figures": [\n    {figures}\n  ]') + "\n")
    return file


def read(file: Path) -> Result:
    """A result that was written down. Raises `OSError` and `msgspec.DecodeError`."""
    return msgspec.json.decode(file.read_bytes(), type=Result)


def read_all(folder: Path = RESULTS) -> dict[str, Result]:
    """Every result in a folder, by the bench's name."""
    return {file.stem: read(file) for file in sorted(folder.glob("*.json"))}
