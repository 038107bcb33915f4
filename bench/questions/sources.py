"""Sources: the data sets as results of tools, and what is left of each where a client cuts it.

Rule: the text is what an MCP server would send, its records known by their places in it. Imports the tests' packages from npm.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

from bpe_openai import get_encoding  # pyright: ignore[reportMissingTypeStubs]

from installed import npm_packages
from questions.asked import Rows

_tokens = get_encoding("o200k_base")
PIECE_CHARACTERS = 20_000
"""Encoded at once; the tokenizer takes no more than some megabytes, and a cut costs a token at most."""
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

    def seen(self, is_seen: Callable[[int, int], bool]) -> Rows:
        """The rows of which every character is there."""
        return [row for row, span in zip(self.rows, self.ends, strict=True) if is_seen(*span)]


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


# --- what a client lets through -----------------------------------------------------------------------------------------


def cline(text: str) -> Callable[[int, int], bool]:
    """Cline shows the first 8,000 characters."""
    return lambda start, end: end <= 8_000


def codex(text: str) -> Callable[[int, int], bool]:
    """Codex shows 10 KiB, the middle dropped (or 256 lines of it)."""
    half = 5 << 10
    starts = len(text.encode()[-half:].decode("utf-8", "ignore"))
    head = len(text.encode()[:half].decode("utf-8", "ignore"))
    lines = [at for at, character in enumerate(text) if character == "\n"]
    first = lines[127] if len(lines) > 256 else head
    last = lines[-128] if len(lines) > 256 else len(text) - starts
    return lambda start, end: end <= min(head, first) or start >= max(len(text) - starts, last)


def claude_code(text: str) -> Callable[[int, int], bool]:
    """Claude Code takes 25,000 tokens (here of `o200k_base`); more is put into a file, and this is the first part of it."""
    shown, left = 0, 25_000
    for start in range(0, len(text), PIECE_CHARACTERS):
        tokens = _tokens.encode(text[start : start + PIECE_CHARACTERS])
        shown += len(_tokens.decode(tokens[:left]))
        left -= len(tokens)
        if left <= 0:
            break
    return lambda start, end: end <= shown


CLIENTS = {"Cline": cline, "Codex": codex, "Claude Code": claude_code}
