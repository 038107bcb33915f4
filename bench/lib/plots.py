"""Plots: the results as SVG, the same bytes for the same results and the same matplotlib.

Rule: what a plot shows is data first; its digest stands in the file, so that a plot of older results is noticed without drawing it.
Imports matplotlib where it draws, and not before.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from lib.figures import RESULTS
from lib.goals import OTHERS, Results
from lib.stages import STAGES

Series = Mapping[str, Mapping[str, float]]
"""By the name of a line, a bar or a part: its values by what they are about."""
WAYS = ("direct", "millpond", *OTHERS)
COLOURS = {
    "direct": "#777777", "millpond": "#1b6ca8", "ctxtual": "#c8553d", "jmunch-mcp": "#d9a441",
    **dict(zip(STAGES, ("#9bb8cd", "#5f8fb4", "#1b6ca8", "#c8553d", "#d9a441", "#777777"), strict=True)),
}  # fmt: skip
STYLE = {"svg.hashsalt": "millpond", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}


def context(results: Results) -> Series:
    """Tokens that go in over a session, by way and by cut."""
    found = results["tokens"]
    names = (*WAYS, *found.cuts())
    return {name: {"tokens": found.value(f"session/{name}/over all requests")} for name in names}


def speed(results: Results) -> Series:
    """Milliseconds until the answer is there, by size in MiB, for each way."""
    found = results["throughput"]
    sizes = sorted({name.split("/")[0] for name in found.under("text/")}, key=float)
    every = {way: {size: found.value(f"text/{size}/{way}") for size in sizes} for way in WAYS}
    return {
        way: {size: value for size, value in points.items() if not math.isnan(value)} for way, points in every.items()
    }


def stages(results: Results) -> Series:
    """Milliseconds of each stage, by size in MiB or by shape."""
    found = results["throughput"]
    payloads = dict.fromkeys(name.split("/")[0] for name in found.under("inside/"))
    return {stage: {one: found.value(f"inside/{one}/{stage}") for one in payloads} for stage in STAGES}


DATA = {"context": context, "speed": speed, "stages": stages}


def digest(series: Series) -> str:
    """What tells these data from others."""
    return hashlib.sha256(json.dumps(series).encode()).hexdigest()[:20]


def stale(results: Results, folder: Path = RESULTS) -> list[str]:
    """The plots that were not drawn from these results."""
    return [name for name, data in DATA.items() if not _is_of(folder / f"{name}.svg", digest(data(results)))]


def _is_of(file: Path, mark: str) -> bool:
    return file.exists() and mark in file.read_text()


def draw_all(results: Results, folder: Path = RESULTS) -> None:
    """Draw every plot. Raises `ImportError` where matplotlib is not installed."""
    matplotlib: Any = import_module("matplotlib")
    figures: Any = import_module("matplotlib.figure")
    with matplotlib.rc_context(STYLE):
        for name, draw in (("context", _draw_context), ("speed", _draw_speed), ("stages", _draw_stages)):
            series = DATA[name](results)
            figure = figures.Figure(figsize=(8, 3.4), layout="constrained")
            draw(figure.subplots(), series)
            metadata = {"Date": None, "Creator": None, "Description": digest(series)}
            figure.savefig(folder / f"{name}.svg", format="svg", metadata=metadata)


def _draw_context(axes: Any, series: Series) -> None:
    names = [name for name, values in series.items() if not math.isnan(values["tokens"])]
    values = [series[name]["tokens"] for name in names]
    bars = axes.barh(names, values, color=[COLOURS.get(name, "#bbbbbb") for name in names])
    axes.bar_label(bars, [f"{value:,.0f}" for value in values], padding=3)
    axes.set_xscale("log")
    axes.set_xlim(1_000, max(values) * 3)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.invert_yaxis()
    axes.set_xlabel("tokens that go in over a session of three results and seven questions (logarithmic)")
    axes.spines[["top", "right"]].set_visible(False)


def _draw_speed(axes: Any, series: Series) -> None:
    for name, points in series.items():
        axes.plot([float(size) for size in points], list(points.values()), "o-", color=COLOURS[name], label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("MiB of rows in a text block")
    axes.set_ylabel("ms until the answer is there")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_stages(axes: Any, series: Series) -> None:
    payloads = list(next(iter(series.values())))
    labels = [f"{name} MiB" if name[0].isdigit() else name for name in payloads]
    totals = [sum(values[name] for values in series.values()) for name in payloads]
    left = [0.0] * len(payloads)
    for stage, values in series.items():
        shares = [100 * values[name] / total for name, total in zip(payloads, totals, strict=True)]
        axes.barh(labels, shares, left=left, color=COLOURS[stage], label=stage)
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the time of all stages, one after the other")
    axes.legend(frameon=False, ncols=1, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.spines[["top", "right"]].set_visible(False)
