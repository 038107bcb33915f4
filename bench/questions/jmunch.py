"""The questions in the verbs of jmunch-mcp 0.2.3: `jmunch_aggregate` and `jmunch_describe` of a table, `jmunch_slice` of all that it keeps.

Rule: by the text of the question; what is not here has no verb. A slice of a table gives rows and never their number, and an aggregate
takes no condition; of a text and of JSON a slice gives the number too, with all the lines that it counts. Whatever a WHERE of SQLite says
counts as a slice, with subqueries. A second SELECT that follows it (`0 UNION ALL SELECT count(*), ...`) does not, though the tool lets it
through and it would answer most of what has no verb on a table: that is a hole in its guard, no use of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from lib.session import Verb
from lib.verbs import LOOKED_AT, Verbs, all_of_it, counted, first, rows, verbs

Groups = Sequence[Mapping[str, Any]]


def answered(text: str) -> Any:
    """What a call answered."""
    return json.loads(text)["result"]


def where(selector: str, most: int = LOOKED_AT + 1) -> Verb:
    """The rows of a table that a condition is true of, the lines of a text that a pattern finds, the values at a path of JSON."""
    return "jmunch_slice", {"handle": "{ref}", "selector": selector, "max_rows": most}


def search(words: str) -> Verb:
    """All places in JSON that hold the words, up to 200."""
    return "jmunch_search", {"handle": "{ref}", "query": words, "max_results": 200}


def aggregate(op: str, **more: str) -> Verb:
    """One figure of a table, or one for each group."""
    return "jmunch_aggregate", {"handle": "{ref}", "op": op, **more}


DESCRIBE: Verb = ("jmunch_describe", {"handle": "{ref}"})


def value(op: str, **more: str) -> Verbs:
    """One figure."""
    return verbs(aggregate(op, **more), read=lambda found: found["value"])


def of_group(group: Any, op: str, by: str, **more: str) -> Verbs:
    """The figure of one group."""
    return verbs(aggregate(op, group_by=by, **more), read=lambda found: _named(found).get(group))


def groups(op: str, by: str, **more: str) -> Verbs:
    """The figure of each group that has a name, in their order."""
    return verbs(aggregate(op, group_by=by, **more), read=lambda found: sorted(_named(found).items()))


def most(op: str, by: str, top: int = 1, **more: str) -> Verbs:
    """The groups with the largest figures; which of equal ones is first, the reader sees."""

    def read(found: Groups) -> list[tuple[Any, Any]]:
        return sorted(_named(found).items(), key=lambda item: (-item[1], item[0]))[:top]

    return verbs(aggregate(op, group_by=by, **more), read=read)


def _named(found: Groups) -> dict[Any, Any]:
    return {row["group"]: row["value"] for row in found if row["group"] is not None}


def nulls(name: str) -> Verbs:
    """How many rows have no value there."""
    return verbs(DESCRIBE, read=lambda found: _column(found, name)["null_count"])


def _column(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return next(column for column in found["columns"] if column["name"] == name)


def some(condition: str) -> Verbs:
    """How many rows there are, where they are few."""
    return verbs(where(condition), read=counted)


def row(names: str, order: str, condition: str = "1") -> Verbs:
    """Fields, parted by semicolons, of the first row in an order."""
    selector = f"rowid = (SELECT rowid FROM t WHERE {condition} ORDER BY {order} LIMIT 1)"
    return verbs(where(selector), read=rows(*names.split(";")))


def group(name: str, subquery: str, asked: Callable[[Any], Any] = all_of_it) -> Verbs:
    """The group that a subquery finds, without its figure, which no verb shows."""
    return verbs(where(f'"{name}" = (SELECT "{name}" FROM t {subquery} LIMIT 1)', 1), read=rows(name), asked=asked)


def middle(name: str, place: str = "i IN ((n + 1) / 2, n / 2 + 1)") -> Verbs:
    """The median: one row in the middle of an order, or the mean of two."""
    inner = f'SELECT rowid AS r, row_number() OVER (ORDER BY "{name}") AS i, count(*) OVER () AS n FROM t WHERE "{name}" IS NOT NULL'
    return verbs(
        where(f"rowid IN (SELECT r FROM ({inner}) WHERE {place})"),
        read=lambda found: sum(each[name] for each in found) / len(found),
    )


def lines(pattern: str) -> Verb:
    """The lines of a text that a pattern finds, with their number, up to 2,000."""
    return where(f"re:{pattern}", 2_000)


def number(found: Mapping[str, Any]) -> int | None:
    """How many a slice of a text found, where it found all."""
    return None if found.get("truncated") else found["count"]


def _few(found: Mapping[str, Any]) -> list[list[str]]:
    """The cells of the lines that a slice of a CSV found, none where they are too many."""
    return [line["text"].split(",") for line in found["lines"]] if found["count"] <= LOOKED_AT else []


def _shared(found: Groups) -> list[str]:
    return sorted(
        domain for domain, count in Counter(one for row in found for one in json.loads(row["tld"])).items() if count > 1
    )


def _missing(head: Mapping[str, Any], tail: Mapping[str, Any]) -> int:
    begin, end = (date.fromisoformat(part["lines"][-1]["text"][:10]) for part in (head, tail))
    return (end - begin).days + 1 - (head["total_lines"] - 1)


def _wind(below: Mapping[str, Any], up_to: Mapping[str, Any], whole: Mapping[str, Any]) -> int | None:
    """3, where the line in the middle is one of those that have 3.0."""
    middle_line = whole["line_count"] // 2
    return 3 if below["count"] < middle_line <= up_to["count"] else None


def _gains(found: Mapping[str, Any]) -> str | None:
    pairs: dict[str, list[float]] = {}
    for symbol, _, price in _few(found):
        pairs.setdefault(symbol, []).append(float(price))
    return max(pairs, key=lambda symbol: pairs[symbol][-1] / pairs[symbol][0], default=None)


_KINDS = ("drizzle", "fog", "rain", "snow", "sun")
_SYMBOLS = ("AAPL", "AMZN", "GOOG", "IBM", "MSFT")
_MAGNITUDE = "json_extract(properties, '$.mag')"
_MONEY = "CAST(replace(\"{}\", ',', '') AS INTEGER)"

VERBS: Mapping[str, Verbs] = {
    "How many films are there?": value("count"),
    "How many films have no IMDB rating?": nulls("IMDB Rating"),
    "What did all films together earn worldwide?": value("sum", field="Worldwide Gross"),
    "Which director has most films, and how many?": most("count", "Director"),
    "What is the median running time?": middle("Running Time min"),
    "How many titles are numbers?": some("\"Title\" NOT GLOB '*[^0-9]*' AND \"Title\" <> ''"),
    "Which five genres have most films?": most("count", "Major Genre", 5),
    "What is the mean IMDB rating of dramas?": of_group("Drama", "avg", "Major Genre", field="IMDB Rating"),
    "How many cars have no horsepower given?": nulls("Horsepower"),
    "What is the mean weight of cars by origin?": groups("avg", "Origin", field="Weight_in_lbs"),
    "Which car has the most horsepower and the least weight among those?": row("Name", "Horsepower DESC, Weight_in_lbs"),
    "What is the mean of miles per gallon of cars with 4 cylinders?": of_group(4, "avg", "Cylinders", field="Miles_per_Gallon"),
    "How many cars are of 1970?": of_group("1970-01-01", "count", "Year"),
    "What is the median displacement?": middle("Displacement"),
    "How many cars by cylinders?": groups("count", "Cylinders"),
    "What is the heaviest car that does more than 30 miles a gallon?": row("Name;Weight_in_lbs", "Weight_in_lbs DESC, Name", "Miles_per_Gallon > 30"),
    "How many penguins by species?": groups("count", "Species"),
    "How many have no sex given?": verbs(aggregate("count", group_by="Sex"), read=lambda found: sum(row["value"] for row in found if row["group"] in (None, "."))),
    "What is the mean body mass of Gentoo penguins?": of_group("Gentoo", "avg", "Species", field="Body Mass (g)"),
    "What is the sum of all beak lengths?": value("sum", field="Beak Length (mm)"),
    "Which islands have Adelie penguins?": verbs(where("rowid IN (SELECT min(rowid) FROM t WHERE Species = 'Adelie' GROUP BY Island)"), read=lambda found: sorted(row["Island"] for row in found)),
    "What is the longest flipper of a female?": of_group("FEMALE", "max", "Sex", field="Flipper Length (mm)"),
    "What is the median beak depth?": middle("Beak Depth (mm)"),
    "How many flights left from LAX?": of_group("LAX", "count", "origin"),
    "What is the mean delay?": value("avg", field="delay"),
    "Which route has most flights?": verbs(where("(origin, destination) = (SELECT origin, destination FROM t GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT 1)"), read=lambda found: [(found[0]["origin"], found[0]["destination"], counted(found))]),
    "What distance was flown in all?": value("sum", field="distance"),
    "On which date did most flights leave?": verbs(where("substr(date, 1, 10) = (SELECT substr(date, 1, 10) FROM t GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)", 1), read=lambda found: found[0]["date"][:10], asked=first()),
    "What is the 95th percentile of delays, as a delay that occurs?": middle("delay", "i = 1900"),
    "Which three origins have the largest total delay?": most("sum", "origin", 3, field="delay"),
    "How many goals were shot at home, and how many away?": verbs(aggregate("sum", field="home_score"), aggregate("sum", field="away_score"), read=lambda home, away: [(home["value"], away["value"])]),
    "How many divisions are there?": verbs(aggregate("count", group_by="division"), read=counted),
    "Which game had most goals, the earliest of them?": row("date;home_team", "home_score + away_score DESC, date, home_team"),
    "Which team won most games at home?": group("home_team", "WHERE home_score > away_score GROUP BY 1 ORDER BY count(*) DESC, 1", first()),
    "What is the last date in the list?": value("max", field="date"),
    "How many earthquakes have no magnitude?": some(f"{_MAGNITUDE} IS NULL"),
    "What is the largest magnitude?": verbs(where(f"{_MAGNITUDE} = (SELECT max({_MAGNITUDE}) FROM t)"), read=lambda found: json.loads(found[0]["properties"])["mag"]),
    "What place had the strongest one?": verbs(where(f"{_MAGNITUDE} = (SELECT max({_MAGNITUDE}) FROM t)"), read=lambda found: json.loads(found[0]["properties"])["place"]),
    "How many series are there?": verbs(aggregate("count", group_by="series"), read=counted),
    "Which series had the highest rate ever, and when?": row("series;year;month;rate", "rate DESC, series"),
    "How many were unemployed in all in January 2010?": of_group("2010-01-01T08:00:00.000Z", "sum", "date", field="count"),
    "Which year had the largest mean count of Government?": row("year", "(SELECT avg(u.count) FROM t AS u WHERE u.series = 'Government' AND u.year = t.year) DESC"),
    "In how many months was the rate of Manufacturing above 10?": some("series = 'Manufacturing' AND rate > 10"),
    "How many countries are landlocked?": of_group(1, "count", "landlocked"),
    "Which country has most borders?": verbs(where("rowid = (SELECT rowid FROM t ORDER BY json_array_length(borders) DESC LIMIT 1)"), read=lambda found: [(json.loads(found[0]["name"])["common"], len(json.loads(found[0]["borders"])))]),
    "What is the area of Africa?": of_group("Africa", "sum", "region", field="area"),
    "How many have more than one capital?": some("json_array_length(capital) > 1"),
    "How many are not members of the UN?": of_group(0, "count", "unMember"),
    "How many by region?": groups("count", "region"),
    "Which country is a neighbour of most others?": verbs(where("cca3 = (SELECT each.value FROM t AS u, json_each(u.borders) AS each GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)"), read=lambda found: found[0]["cca3"], asked=first()),
    "Which top-level domains have more than one country?": verbs(where("EXISTS (SELECT 1 FROM json_each(tld) AS own WHERE own.value IN (SELECT each.value FROM t AS u, json_each(u.tld) AS each GROUP BY 1 HAVING count(*) > 1))"), read=lambda found: _shared(found) if len(found) <= LOOKED_AT else None),
    "Which code (ccn3) begins with two zeros, and how many do?": some("ccn3 LIKE '00%'"),
    "Which subregion has the largest area?": most("sum", "subregion", field="area"),
    "How many airports are of each size?": groups("count", "size"),
    "Which is the northernmost airport?": row("iata", "CAST(lat AS REAL) DESC"),
    "How many have no name?": nulls("name"),
    "Which country has most airports?": most("count", "iso"),
    "How many airports by continent?": groups("count", "continent"),
    "How many are heliports?": of_group("heliport", "count", "type"),
    "How many are not in service (status 0)?": of_group(0, "count", "status"),
    "Is any code there twice?": verbs(where("iata IN (SELECT iata FROM t GROUP BY 1 HAVING count(*) > 1)", 1), read=bool, asked=bool),
    "How many large airports has Germany?": some("iso = 'DE' AND size = 'large'"),
    "How many emoji by category?": groups("count", "category"),
    "How many were added in each version from 13.0 on?": verbs(aggregate("count", group_by="added_in"), read=lambda found: sorted((item for item in _named(found).items() if float(item[0]) >= 13), key=lambda item: float(item[0]))),
    "Which emoji has most short names?": verbs(where("rowid = (SELECT rowid FROM t ORDER BY json_array_length(short_names) DESC, short_name LIMIT 1)"), read=lambda found: [(found[0]["short_name"], len(json.loads(found[0]["short_names"])))]),
    "How many have no image of Facebook?": of_group(0, "count", "has_img_facebook"),
    "What is the largest subcategory?": most("count", "subcategory"),
    "How many have a text such as :)?": verbs(DESCRIBE, read=lambda found: found["row_count"] - _column(found, "text")["null_count"]),
    "What is the sort order of the hash key?": row("sort_order", "rowid", "short_name = 'hash'"),
    "How many code points has the longest emoji?": verbs(where("rowid = (SELECT rowid FROM t ORDER BY length(unified) - length(replace(unified, '-', '')) DESC LIMIT 1)"), read=lambda found: found[0]["unified"].count("-") + 1),
    "How many media types are there?": verbs(where("$.types[*]", 1), read=lambda found: found["count"]),
    "How many are compressible, not, and neither said?": verbs(where("$.types[*]", 1), where("$.types[*].compressible", 1), search("false"), read=lambda every, said, false: [(False, false["count"]), (True, said["count"] - false["count"]), (None, every["count"] - said["count"])]),
    "Which type has most extensions?": verbs(where("$.types[*].extensions[9]"), read=lambda found: [match["path"].split("'")[1] for match in found["matches"]], asked=first()),
    "Which type has the extension mp4?": verbs(search("mp4"), read=lambda found: sorted(hit["path"].split("'")[1] for hit in found["results"] if hit.get("value") == "mp4")),
    "How many of the types are of audio?": verbs(search("audio/"), read=lambda found: found["count"] if found["count"] < found["hard_cap"] else None),
    "How many have the charset UTF-8?": verbs(search("UTF-8"), read=lambda found: found["count"]),
    "How many people are there in all?": value("sum", field="population"),
    "How many countries have no population given?": nulls("population"),
    "Which five have most people?": verbs(where("rowid IN (SELECT rowid FROM t ORDER BY population DESC LIMIT 5)"), read=lambda found: sorted(((row["country"], row["population"]) for row in found), key=lambda item: -item[1])),
    "How many days by kind of weather?": verbs(*(lines(f",{kind}$") for kind in _KINDS), read=lambda *found: list(zip(_KINDS, map(number, found), strict=True))),
    "Which was the wettest day?": verbs(lines(r"^[^,]+,[4-9]\d\."), read=lambda found: [max(((cells[0], float(cells[1])) for cells in _few(found)), key=lambda item: item[1])]),
    "On how many days was the minimum below 0?": verbs(lines(r"^[^,]+,[^,]+,[^,]+,-"), read=number),
    "What is the median wind?": verbs(lines(r",[0-2]\.\d,\w+$"), lines(r",([0-2]\.\d|3\.0),\w+$"), DESCRIBE, read=_wind),
    "How many days are missing between the first and the last?": verbs(("jmunch_peek", {"handle": "{ref}", "n": 2}), ("jmunch_peek", {"handle": "{ref}", "n": 1, "where": "tail"}), read=_missing),
    "Which symbols are there, with how many prices?": verbs(*(lines(f"^{symbol},") for symbol in _SYMBOLS), read=lambda *found: list(zip(_SYMBOLS, map(number, found), strict=True))),
    "What is the highest price of AAPL, and when?": verbs(lines(r"^AAPL,.*,2\d\d"), read=lambda found: [max(((cells[1], float(cells[2])) for cells in _few(found)), key=lambda item: item[1])]),
    "What is the last date, as a date?": verbs(lines(" 201[0-9],"), read=lambda found: max({"Jan 1 2010": "2010-01-01", "Feb 1 2010": "2010-02-01", "Mar 1 2010": "2010-03-01"}[cells[1]] for cells in _few(found))),
    "Which symbol gained most from its first to its last price?": verbs(lines("^((MSFT|AMZN|IBM|AAPL),Jan 1 2000|GOOG,Aug 1 2004|.*,Mar 1 2010),"), read=_gains),
    "How many accounts are there?": value("count"),
    "Which agency had most in 2016?": group("Agency name", f"GROUP BY 1 ORDER BY sum({_MONEY.format(2016)}) DESC", first()),
    "How many accounts had a negative amount in 2000?": some("\"2000\" LIKE '-%'"),
    "What came of individual income taxes in 2010?": verbs(where("\"Source category name\" = 'Individual Income Taxes'"), read=lambda found: sum(int(row["2010"].replace(",", "")) for row in found)),
    "How many accounts on and off the budget?": groups("count", "On- or off-budget"),
    "Which category grew most from 1990 to 2015?": group("Source category name", f"GROUP BY 1 ORDER BY sum({_MONEY.format(2015)} - {_MONEY.format(1990)}) DESC"),
    "How many in 1999?": verbs(lines(",1999-"), read=number),
    "How many at night cost more than 100,000?": verbs(lines(r",Night,\d+,\d+,(?!100000,)[1-9]\d{5,},"), read=number),
}  # fmt: skip
