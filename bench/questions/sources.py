"""Sources: the data sets as results of tools, and the records that are left of each where a client cuts it.

Rule: the text is what an MCP server would send, its records known by their places in it. Imports the tests' packages from npm.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

from installed import npm_packages
from lib.cuts import Kept
from questions.asked import Rows

FILES = {
    "movies": "vega-datasets/data/movies.json",
    "cars": "vega-datasets/data/cars.json",
    "penguins": "vega-datasets/data/penguins.json",
    "flights": "vega-datasets/data/flights-2k.json",
    "football": "vega-datasets/data/football.json",
    "earthquakes": "vega-datasets/data/earthquakes.json",
    "unemployment": "vega-datasets/data/unemployment-across-industries.json",
    "countries": "world-countries/countries.json",
    "airports": "airports/airports.json",
    "emoji": "emoji-datasource/emoji.json",
    "media_types": "mime-db/db.json",
    "population": "country-json/src/country-by-population.json",
    "continents": "country-json/src/country-by-continent.json",
    "areas": "country-json/src/country-by-surface-area.json",
    "weather": "vega-datasets/data/seattle-weather.csv",
    "shares": "vega-datasets/data/stocks.csv",
    "budget": "vega-datasets/data/budget.json",
    "strikes": "vega-datasets/data/birdstrikes.csv",
}


@dataclass(frozen=True)
class Source:
    """One result: its text, and where each record stands in it."""

    name: str
    text: str
    rows: Rows
    ends: tuple[tuple[int, int], ...]
    """Of each record, the first character and the one behind the last."""

    def seen(self, kept: Kept) -> Rows:
        """The rows of which every character is there."""
        return [row for row, span in zip(self.rows, self.ends, strict=True) if kept.holds(*span)]


@cache
def source(name: str) -> Source:
    """A data set; JSON as a server writes it in a text, CSV as it is."""
    path = npm_packages() / FILES[name]
    return _csv(name, path) if path.suffix == ".csv" else _json(name, path)


def _csv(name: str, path: Path) -> Source:
    lines = path.read_text().splitlines(keepends=True)
    starts = list(accumulate(map(len, lines), initial=0))
    rows = list(csv.DictReader(io.StringIO("".join(lines))))
    return Source(name, "".join(lines), rows, tuple(pairwise(starts[1:])))


def _json(name: str, path: Path) -> Source:
    value = json.loads(path.read_text())
    if isinstance(value, dict) and "features" in value:
        value = value["features"]
    if isinstance(value, dict):
        records = [json.dumps({key: row}, ensure_ascii=False)[1:-1] for key, row in value.items()]
        opening, closing = '{"types": {', "}}"
    else:
        records = [json.dumps(row, ensure_ascii=False) for row in value]
        opening, closing = '{"items": [', "]}"
    starts = list(accumulate((len(record) + 2 for record in records), initial=len(opening)))[:-1]
    spans = tuple((start, start + len(record)) for start, record in zip(starts, records, strict=True))
    exact = json.loads(
        f"[{', '.join(records)}]" if opening[-1] == "[" else f"{{{', '.join(records)}}}", parse_float=Fraction
    )
    rows = [{"_key": key, **row} for key, row in exact.items()] if isinstance(exact, dict) else exact
    return Source(name, opening + ", ".join(records) + closing, rows, spans)
