"""The questions in the verbs of ctxtual 0.5.0: `result_query` on a list, the occurrences that `result_search` counts in a text.

Rule: by the text of the question; what is not here has no verb. It has none to compute with two fields or a part of one, to read a text
as a number or a date, to group by two fields, to join, or to aggregate a text such as CSV. A metric of all rows is that of a group by a
field that no row has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from lib.session import Verb
from lib.verbs import Verbs, all_of_it, rows, verbs

Step = Mapping[str, Any]
COUNT: Step = {"count": True}


def answered(text: str) -> Any:
    """What a call answered: the rows without their places, the result, or the whole."""
    found = json.loads(text)
    if "rows" in found:
        return [row["row"] if row.keys() == {"index", "row"} else row for row in found["rows"]]
    return found.get("result", found)


def query(*steps: Step) -> Verb:
    """Steps over a list."""
    return "result_query", {"result_id": "{ref}", "steps": list(steps)}


def search(words: str, passages: int = 1) -> Verb:
    """Where a text holds a phrase, and how often; where it does not, the passages with any of the words."""
    return "result_search", {"result_id": "{ref}", "query": words, "max_results": passages}


def where(condition: Mapping[str, Any]) -> Step:
    """Those items only."""
    return {"filter": condition}


def group(by: str, **metrics: str) -> Step:
    """A row for each value of a field."""
    return {"group_by": {"field": by, "metrics": metrics}}


def order(*fields: str) -> Step:
    """By these fields; one with a minus falls."""
    return {
        "sort": [{"field": name.removeprefix("-"), "order": "desc" if name[0] == "-" else "asc"} for name in fields]
    }


def limit(most: int) -> Step:
    """The first ones."""
    return {"limit": most}


def there(name: str) -> Step:
    """Where a field is not null."""
    return where({name: {"$exists": True}})


def count(*steps: Step) -> Verbs:
    """How many are left after these steps."""
    return verbs(query(*steps, COUNT), read=lambda found: found["count"])


def over_all(*steps: Step, **metrics: str) -> Verbs:
    """Metrics of all that is left."""
    return verbs(query(*steps, group("all of them", **metrics)), read=rows(*metrics))


def listed(names: str, *steps: Step, asked: Callable[[Any], Any] = all_of_it) -> Verbs:
    """These fields, parted by semicolons, of the rows that are left."""
    return verbs(query(*steps), read=rows(*names.split(";")), asked=asked)


def groups(by: str, *steps: Step) -> Verbs:
    """How many of each value of a field, in its order."""
    return listed(f"{by};n", *steps, group(by, n="count"), order(by))


def most(by: str, metric: str, *steps: Step, top: int = 1) -> Verbs:
    """The groups with the largest metric."""
    return listed(f"{by};n", *steps, group(by, n=metric), order("-n", by), limit(top))


def occurrences(*phrases: str) -> tuple[Verb, ...]:
    """A search for each."""
    return tuple(map(search, phrases))


def _goals(total: int) -> Step:
    return where(
        {"$or": [{"home_score": {"$gte": home}, "away_score": {"$gte": total - home}} for home in range(total + 1)]}
    )


def _sizes(*found: Any) -> list[tuple[str, int]]:
    """A damage, too, may be medium: it stands before a date, which begins with 1 or 2."""
    every, *dates = ([one.get("occurrences", 0) for one in found[at::3]] for at in range(3))
    return [(size, number - sum(before)) for size, number, *before in zip(_SIZES, every, *dates, strict=True)]


def _wettest(found: Mapping[str, Any]) -> tuple[str, float]:
    days = re.findall(r"(\d{4}-\d\d-\d\d),([\d.]+),", " ".join(passage["text"] for passage in found["passages"]))
    return max(((day, float(rain)) for day, rain in days), key=lambda item: item[1])


_KINDS = ("drizzle", "fog", "rain", "snow", "sun")
_SIZES = ("Large", "Medium", "Small")
_YEARS = {"2012-": 366, "2013-": 365, "2014-": 365, "2015-": 365}

VERBS: Mapping[str, Verbs] = {
    "How many films are there?": count(),
    "How many films have no IMDB rating?": count(where({"IMDB Rating": None})),
    "What did all films together earn worldwide?": over_all(n="sum:Worldwide Gross"),
    "Which director has most films, and how many?": most("Director", "count", there("Director")),
    "What is the median running time?": over_all(n="median:Running Time min"),
    "How many titles are numbers?": verbs(query(order("Title"), limit(20), {"select": ["Title"]}), read=lambda found: sum(isinstance(row["Title"], int) for row in found)),
    "Which five genres have most films?": most("Major Genre", "count", there("Major Genre"), top=5),
    "What is the mean IMDB rating of dramas?": over_all(where({"Major Genre": "Drama"}), n="mean:IMDB Rating"),
    "How many films came out in 1999?": count(where({"Release Date": {"$contains": " 1999"}})),
    "How many different distributors are there?": count(there("Distributor"), {"unique": "Distributor"}),
    "How many cars have no horsepower given?": count(where({"Horsepower": None})),
    "What is the mean weight of cars by origin?": listed("Origin;n", group("Origin", n="mean:Weight_in_lbs"), order("Origin")),
    "Which car has the most horsepower and the least weight among those?": listed("Name", order("-Horsepower", "Weight_in_lbs"), limit(1)),
    "What is the mean of miles per gallon of cars with 4 cylinders?": over_all(where({"Cylinders": 4}), n="mean:Miles_per_Gallon"),
    "How many cars are of 1970?": count(where({"Year": {"$startswith": "1970"}})),
    "How many names occur more than once?": count(group("Name", n="count"), where({"n": {"$gt": 1}})),
    "How many cars are fords?": count(where({"Name": {"$startswith": "ford "}})),
    "What is the median displacement?": over_all(n="median:Displacement"),
    "How many cars by cylinders?": groups("Cylinders"),
    "What is the heaviest car that does more than 30 miles a gallon?": listed("Name;Weight_in_lbs", where({"Miles_per_Gallon": {"$gt": 30}}), order("-Weight_in_lbs", "Name"), limit(1)),
    "How many penguins by species?": groups("Species"),
    "How many have no sex given?": count(where({"Sex": {"$in": [None, "."]}})),
    "What is the mean body mass of Gentoo penguins?": over_all(where({"Species": "Gentoo"}), n="mean:Body Mass (g)"),
    "What is the sum of all beak lengths?": over_all(n="sum:Beak Length (mm)"),
    "Which islands have Adelie penguins?": listed("Island", where({"Species": "Adelie"}), {"unique": "Island"}, order("Island")),
    "What is the longest flipper of a female?": over_all(where({"Sex": "FEMALE"}), n="max:Flipper Length (mm)"),
    "How many weigh more than 5,000 g?": count(where({"Body Mass (g)": {"$gt": 5000}})),
    "What is the median beak depth?": over_all(n="median:Beak Depth (mm)"),
    "How many flights left from LAX?": count(where({"origin": "LAX"})),
    "What is the mean delay?": over_all(n="mean:delay"),
    "How many flights were early?": count(where({"delay": {"$lt": 0}})),
    "What distance was flown in all?": over_all(n="sum:distance"),
    "How many flights left between midnight and six?": count(where({"$or": [{"date": {"$contains": f" 0{hour}:"}} for hour in range(6)]})),
    "What is the 95th percentile of delays, as a delay that occurs?": listed("delay", order("delay"), {"slice": [1899, 1900]}),
    "Which three origins have the largest total delay?": most("origin", "sum:delay", top=3),
    "How many games were drawn?": count(where({"$or": [{"home_score": goals, "away_score": goals} for goals in range(11)]})),
    "How many goals were shot at home, and how many away?": over_all(home="sum:home_score", away="sum:away_score"),
    "How many divisions are there?": count(there("division"), {"unique": "division"}),
    "Which game had most goals, the earliest of them?": verbs(query(_goals(10), order("date", "home_team")), read=lambda found: [(row["date"], row["home_team"]) for row in sorted(found, key=lambda row: -row["home_score"] - row["away_score"])[:1]]),
    "How many games in each month of 2013?": verbs(*(query(where({"date": {"$startswith": f"2013-{month:02}"}}), COUNT) for month in range(1, 13)), read=lambda *found: [(f"2013-{month:02}", one["count"]) for month, one in enumerate(found, 1) if one["count"]]),
    "Which team won most games at home?": most("home_team", "count", where({"$or": [{"home_score": goals, "away_score": {"$lt": goals}} for goals in range(1, 11)]})),
    "How many games ended 1:0 or 0:1?": count(where({"$or": [{"home_score": 1, "away_score": 0}, {"home_score": 0, "away_score": 1}]})),
    "What is the last date in the list?": listed("date", order("-date"), limit(1)),
    "How many earthquakes have no magnitude?": count(where({"properties.mag": None})),
    "What is the largest magnitude?": over_all(n="max:properties.mag"),
    "How many by network, the top three?": most("properties.net", "count", top=3),
    "How many deeper than 100 km?": count(where({"geometry.coordinates.2": {"$gt": 100}})),
    "What is the sum of all magnitudes?": over_all(n="sum:properties.mag"),
    "How many were automatic, how many reviewed?": groups("properties.status"),
    "What place had the strongest one?": verbs(query(order("-properties.mag"), limit(1)), read=lambda found: found[0]["properties"]["place"]),
    "How many were felt by somebody?": count(where({"properties.felt": {"$gt": 0}})),
    "How many on 2018-02-05 (UTC)?": count(where({"properties.time": {"$gte": 1517788800000, "$lt": 1517875200000}})),
    "How many series are there?": count({"unique": "series"}),
    "Which series had the highest rate ever, and when?": listed("series;year;month;rate", order("-rate", "series"), limit(1)),
    "How many were unemployed in all in January 2010?": over_all(where({"year": 2010, "month": 1}), n="sum:count"),
    "What is the mean rate of Construction in 2009?": over_all(where({"series": "Construction", "year": 2009}), n="mean:rate"),
    "Which year had the largest mean count of Government?": listed("year", where({"series": "Government"}), group("year", n="mean:count"), order("-n"), limit(1)),
    "In how many months was the rate of Manufacturing above 10?": count(where({"series": "Manufacturing", "rate": {"$gt": 10}})),
    "How many countries are landlocked?": count(where({"landlocked": True})),
    "Which country has most borders?": most("name.common", "count", {"flatten": "borders"}),
    "What is the area of Africa?": over_all(where({"region": "Africa"}), n="sum:area"),
    "How many have more than one capital?": count({"flatten": "capital"}, group("cca3", n="count"), where({"n": {"$gt": 1}})),
    "How many are not members of the UN?": count(where({"unMember": False})),
    "How many by region?": groups("region"),
    "How many borders are listed in all?": count({"flatten": "borders"}),
    "Which country is a neighbour of most others?": most("borders", "count", {"flatten": "borders"}),
    "Which top-level domains have more than one country?": listed("tld", {"flatten": "tld"}, group("tld", n="count"), where({"n": {"$gt": 1}}), order("tld")),
    "How many countries lie south of the equator?": count(where({"latlng.0": {"$lt": 0}})),
    "Which code (ccn3) begins with two zeros, and how many do?": count(where({"ccn3": {"$startswith": "00"}})),
    "Which subregion has the largest area?": most("subregion", "sum:area"),
    "How many airports are of each size?": groups("size", there("size")),
    "Which is the northernmost airport?": listed("iata", where({"lat": {"$startswith": "8"}}), order("-lat"), limit(1)),
    "How many have no name?": count(where({"name": None})),
    "Which country has most airports?": most("iso", "count"),
    "How many airports by continent?": groups("continent"),
    "How many are heliports?": count(where({"type": "heliport"})),
    "How many are not in service (status 0)?": count(where({"status": 0})),
    "Is any code there twice?": verbs(query(COUNT), query({"unique": "iata"}, COUNT), read=lambda every, each: every["count"] - each["count"]),
    "How many large airports has Germany?": count(where({"iso": "DE", "size": "large"})),
    "How many names hold the word International?": count(where({"name": {"$contains": "International"}})),
    "How many emoji by category?": groups("category"),
    "How many have skin variations?": count(there("skin_variations")),
    "How many have more than one short name?": count({"flatten": "short_names"}, group("unified", n="count"), where({"n": {"$gt": 1}})),
    "How many were added in each version from 13.0 on?": listed("added_in;n", where({"added_in": {"$in": ["13.0", "13.1", "14.0", "15.0", "15.1", "16.0"]}}), group("added_in", n="count"), order("added_in")),
    "Which emoji has most short names?": most("short_name", "count", {"flatten": "short_names"}),
    "How many have no image of Facebook?": count(where({"has_img_facebook": False})),
    "What is the largest subcategory?": most("subcategory", "count"),
    "How many have a text such as :)?": count(there("text")),
    "What is the sort order of the hash key?": listed("sort_order", where({"short_name": "hash"})),
    "How many media types are there?": count(),
    "How many are compressible, not, and neither said?": verbs(query(group("compressible", n="count")), read=lambda found: [(value, row["n"]) for value in (False, True, None) for row in found if row["compressible"] is value]),
    "Which type has most extensions?": most("key", "count", there("extensions"), {"flatten": "extensions"}),
    "Which type has the extension mp4?": listed("key", where({"extensions": {"$contains": "mp4"}}), order("key")),
    "How many by source?": verbs(query(group("source", n="count"), order("source")), read=lambda found: sorted(((row["source"], row["n"]) for row in found), key=lambda row: (row[0] is None, row[0]))),
    "How many of the types are of audio?": count(where({"key": {"$startswith": "audio/"}})),
    "How many extensions belong to more than one type?": count(there("extensions"), {"flatten": "extensions"}, group("extensions", n="count"), where({"n": {"$gt": 1}})),
    "How many have the charset UTF-8?": count(where({"charset": "UTF-8"})),
    "How many days by kind of weather?": verbs(*occurrences(*(f",{kind}" for kind in _KINDS)), read=lambda *found: [(kind, one["occurrences"]) for kind, one in zip(_KINDS, found, strict=True)]),
    "Which was the wettest day?": verbs(search(" ".join(map(str, range(45, 100))), 20), read=lambda found: [_wettest(found)]),
    "How many days are missing between the first and the last?": verbs(*occurrences(*_YEARS), read=lambda *found: sum(days - one["occurrences"] for days, one in zip(_YEARS.values(), found, strict=True))),
    "How many accounts are there?": count(),
    "How many accounts had a negative amount in 2000?": count(where({"2000": {"$startswith": "-"}})),
    "What came of individual income taxes in 2010?": verbs(query(where({"Source category name": "Individual Income Taxes"}), {"select": ["2010"]}), read=lambda found: sum(int(row["2010"].replace(",", "")) for row in found)),
    "How many accounts on and off the budget?": groups("On- or off-budget"),
    "How many accounts were 0 from 2010 to 2012?": count(where({"2010": "0", "2011": "0", "2012": "0"})),
    "How many bird strikes by size of the bird?": verbs(*occurrences(*(f",{size},{more}" for size in _SIZES for more in ("", "1", "2"))), read=_sizes),
    "How many in 1999?": verbs(search(",1999-"), read=lambda found: found["occurrences"]),
}  # fmt: skip
