"""Goals: the figures that Millpond is to reach, each with what was measured of it and of the other tools.

Rule: a goal knows where its figure stands in the results, and nothing of how it is measured. Imports the library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lib.figures import Result
from lib.words import NOTHING, milliseconds, number, times, unit

Results = Mapping[str, Result]
OTHERS = ("ctxtual", "jmunch-mcp")


@dataclass(frozen=True, slots=True)
class Part:
    """One number of a goal."""

    bench: str
    name: str
    """The figure's name, with `{way}` where it is measured for each way."""
    bound: float
    show: Callable[[float], str]
    at_least: bool = False

    def value(self, results: Results, way: str = "millpond") -> float:
        """What was measured; not a number where nothing was."""
        result = results.get(self.bench)
        return math.nan if result is None else result.value(self.name.format(way=way))

    def is_reached(self, value: float) -> bool:
        """Whether a value is within the bound."""
        return value >= self.bound if self.at_least else value <= self.bound


@dataclass(frozen=True, slots=True)
class Goal:
    """One question and what is to be reached."""

    question: str
    to_reach: str
    parts: Sequence[Part]
    why_not: str
    """What stands in the way, measured, for as long as it is not reached."""

    def row(self, results: Results) -> tuple[str, ...]:
        """Question, to reach, measured, each other tool, and whether it is reached."""
        values = [part.value(results) for part in self.parts]
        measured = ", ".join(part.show(value) for part, value in zip(self.parts, values, strict=True))
        first = self.parts[0]
        theirs = [first.show(first.value(results, way)) if "{way}" in first.name else NOTHING for way in OTHERS]
        return self.question, self.to_reach, measured, *theirs, self.verdict(values)

    def verdict(self, values: Sequence[float]) -> str:
        """Yes, no and why, or that it was not measured."""
        if any(map(math.isnan, values)):
            return "not in this run"
        reached = all(part.is_reached(value) for part, value in zip(self.parts, values, strict=True))
        return "yes" if reached else f"no: {self.why_not}"


def _mebibytes(value: float) -> str:
    return unit(value, "MiB")


def _tokens(value: float) -> str:
    return unit(value, "tokens")


def _characters(value: float) -> str:
    return unit(value, "characters")


GOALS = (
    Goal(
        "a small call, added at the median",
        "<= 0.3 ms",
        [Part("latency", "word/{way}/p50 added", 0.3, milliseconds)],
        "two more turns of an event loop and four more of the pipes",
    ),
    Goal(
        "1 MiB of rows in a text, and in `structuredContent`, until the handle is there",
        "<= 60 ms",
        [
            Part("throughput", "text/1/{way}", 60, milliseconds),
            Part("throughput", "structured/1/millpond", 60, milliseconds),
        ],
        "all values are looked at, and all are loaded",
    ),
    Goal(
        "10 MiB of `structuredContent`, a Python SDK client, to the direct call",
        "< 1x",
        [Part("throughput", "sdk/structured/10/{way}/ratio", 1, times)],
        "the SDK's client reads its lines faster here than a table is made",
    ),
    Goal(
        "loading 1 and 10 MiB, to DuckDB's own `read_json`",
        ">= 0.25x of its speed",
        [
            Part("throughput", "inside/1/to read_json", 0.25, times, at_least=True),
            Part("throughput", "inside/10/to read_json", 0.25, times, at_least=True),
        ],
        "types are chosen from all values, in Python",
    ),
    Goal(
        "100 MiB: memory of relay and engine, to the payload",
        "<= 2.5x, <= 6x",
        [
            Part("throughput", "memory/structured/100/millpond/proxy/ratio", 2.5, times),
            Part("throughput", "memory/structured/100/millpond/engine/ratio", 6, times),
        ],
        "a result is held whole until it is stored, and DuckDB keeps what it wrote of earlier ones in its memory",
    ),
    Goal(
        "start, added to the server's own",
        "<= 250 ms",
        [Part("startup", "start/{way}/added", 250, milliseconds)],
        "Python starts once more, and loads asyncio and msgspec",
    ),
    Goal(
        "tool definitions added",
        "<= 1,500 characters",
        [Part("tokens", "definitions/{way}/characters", 1_500, _characters)],
        "the own tool says more than it should",
    ),
    Goal(
        "the handle of 412 rows of 10 columns",
        "<= 300 tokens",
        [Part("tokens", "412 rows, text/{way}/text", 300, _tokens)],
        "the preview does not give way soon enough",
    ),
    Goal(
        "ten times the rows, 10 to 100 MiB",
        "<= 11x the time",
        [Part("scale", "rows/300,000/growth", 11, times)],
        "the text of a large result is committed apart",
    ),
    Goal(
        "25,000 calls in one session: growth of relay and engine",
        "< 64 MiB",
        [Part("soak", "relay growth", 64, _mebibytes), Part("soak", "engine growth", 64, _mebibytes)],
        "a short run sees only how the canvas fills",
    ),
)


def percent(part: float, whole: float) -> str:
    """A share."""
    return NOTHING if math.isnan(part) or not whole else f"{number(round(100 * part / whole))} %"
