"""Countries, airports, emoji and media types: nested objects, lists in rows, keys that are data, and joins of two results."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from questions.asked import ask, column, largest, mean, top, total

countries, airports, emoji, media = ask("countries"), ask("airports"), ask("emoji"), ask("media_types")
people, both, three = ask("population"), ask("population", "continents"), ask("population", "continents", "areas")

QUESTIONS = (
    countries("How many countries are landlocked?", "SELECT count(*) FROM {countries} WHERE landlocked", lambda rows: sum(row["landlocked"] for row in rows)),
    countries("Which country has most borders?", "SELECT name->>'common', len(borders) FROM {countries} ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top({row["name"]["common"]: len(row["borders"]) for row in rows})),
    countries("What is the area of Africa?", "SELECT sum(area) FROM {countries} WHERE region = 'Africa'", lambda rows: total(row["area"] for row in rows if row["region"] == "Africa")),
    countries("How many have more than one capital?", "SELECT count(*) FROM {countries} WHERE len(capital) > 1", lambda rows: sum(len(row["capital"]) > 1 for row in rows)),
    countries("How many are not members of the UN?", "SELECT count(*) FROM {countries} WHERE NOT unMember", lambda rows: sum(not row["unMember"] for row in rows)),
    countries("How many by region?", "SELECT region, count(*) FROM {countries} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["region"] for row in rows).items())),
    countries("How many borders are listed in all?", "SELECT sum(len(borders)) FROM {countries}", lambda rows: sum(len(row["borders"]) for row in rows)),
    countries("Which country is a neighbour of most others?", "SELECT b, count(*) FROM (SELECT unnest(borders) AS b FROM {countries}) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(border for row in rows for border in row["borders"]))),
    countries("Which top-level domains have more than one country?", "SELECT d FROM (SELECT unnest(tld) AS d FROM {countries}) GROUP BY d HAVING count(*) > 1 ORDER BY d", lambda rows: sorted(d for d, count in Counter(d for row in rows for d in row["tld"]).items() if count > 1)),
    countries("How many countries lie south of the equator?", "SELECT count(*) FROM {countries} WHERE latlng[1] < 0", lambda rows: sum(row["latlng"][0] < 0 for row in rows)),
    countries("Which code (ccn3) begins with two zeros, and how many do?", "SELECT count(*) FROM {countries} WHERE ccn3 LIKE '00%'", lambda rows: sum(row["ccn3"].startswith("00") for row in rows), "codes are texts: 008 is not 8"),
    countries("Which subregion has the largest area?", "SELECT subregion, sum(area) FROM {countries} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top({s: total(row["area"] for row in rows if row["subregion"] == s) for s in {row["subregion"] for row in rows}})),
    airports("How many airports are of each size?", "SELECT size, count(*) FROM {airports} WHERE size IS NOT NULL GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(column(rows, "size")).items())),
    airports("Which is the northernmost airport?", "SELECT iata FROM {airports} ORDER BY lat::DOUBLE DESC LIMIT 1", lambda rows: largest([row for row in rows if row.get("lat")], lambda row: Fraction(row["lat"]))["iata"], "latitudes are texts: as texts, 9.9 is north of 80"),
    airports("How many have no name?", "SELECT count(*) FROM {airports} WHERE name IS NULL", lambda rows: sum(row.get("name") is None for row in rows)),
    airports("Which country has most airports?", "SELECT iso, count(*) FROM {airports} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(row["iso"] for row in rows))),
    airports("How many airports by continent?", "SELECT continent, count(*) FROM {airports} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["continent"] for row in rows).items())),
    airports("How many are heliports?", "SELECT count(*) FROM {airports} WHERE type = 'heliport'", lambda rows: sum(row["type"] == "heliport" for row in rows)),
    airports("How many are not in service (status 0)?", "SELECT count(*) FROM {airports} WHERE status = 0", lambda rows: sum(row["status"] == 0 for row in rows)),
    airports("Is any code there twice?", "SELECT count(*) - count(DISTINCT iata) FROM {airports}", lambda rows: len(rows) - len({row["iata"] for row in rows})),
    airports("How many large airports has Germany?", "SELECT count(*) FROM {airports} WHERE iso = 'DE' AND size = 'large'", lambda rows: sum(row["iso"] == "DE" and row.get("size") == "large" for row in rows)),
    airports("How many names hold the word International?", "SELECT count(*) FROM {airports} WHERE name LIKE '%International%'", lambda rows: sum("International" in (row.get("name") or "") for row in rows)),
    emoji("How many emoji by category?", "SELECT category, count(*) FROM {emoji} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["category"] for row in rows).items())),
    emoji("How many have skin variations?", "SELECT count(*) FROM {emoji} WHERE skin_variations IS NOT NULL", lambda rows: sum("skin_variations" in row for row in rows)),
    emoji("How many have more than one short name?", "SELECT count(*) FROM {emoji} WHERE len(short_names) > 1", lambda rows: sum(len(row["short_names"]) > 1 for row in rows)),
    emoji("How many were added in each version from 13.0 on?", "SELECT added_in, count(*) FROM {emoji} WHERE added_in::DOUBLE >= 13 GROUP BY 1 ORDER BY added_in::DOUBLE", lambda rows: sorted(((v, n) for v, n in Counter(row["added_in"] for row in rows).items() if Fraction(v) >= 13), key=lambda item: Fraction(item[0])), "versions are texts: as texts, 5.0 comes after 13.0"),
    emoji("Which emoji has most short names?", "SELECT short_name, len(short_names) FROM {emoji} ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top({row["short_name"]: len(row["short_names"]) for row in rows})),
    emoji("How many have no image of Facebook?", "SELECT count(*) FROM {emoji} WHERE NOT has_img_facebook", lambda rows: sum(not row["has_img_facebook"] for row in rows)),
    emoji("What is the largest subcategory?", "SELECT subcategory, count(*) FROM {emoji} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(row["subcategory"] for row in rows))),
    emoji("How many have a text such as :)?", "SELECT count(*) FROM {emoji} WHERE text IS NOT NULL", lambda rows: sum(row["text"] is not None for row in rows)),
    emoji("What is the sort order of the hash key?", "SELECT sort_order FROM {emoji} WHERE short_name = 'hash'", lambda rows: next((row["sort_order"] for row in rows if row["short_name"] == "hash"), None)),
    emoji("How many code points has the longest emoji?", "SELECT max(len(string_split(unified, '-'))) FROM {emoji}", lambda rows: max(row["unified"].count("-") + 1 for row in rows)),
    media("How many media types are there?", "SELECT count(*) FROM {media_types}", len, "the result is one object: each key is a type"),
    media("How many are compressible, not, and neither said?", "SELECT compressible, count(*) FROM {media_types} GROUP BY 1 ORDER BY 1 NULLS LAST", lambda rows: [(value, sum(row.get("compressible") is value for row in rows)) for value in (False, True, None)]),
    media("Which type has most extensions?", "SELECT _key, len(extensions) FROM {media_types} ORDER BY 2 DESC NULLS LAST, 1 LIMIT 1", lambda rows: top({row["_key"]: len(row.get("extensions", ())) for row in rows})),
    media("Which type has the extension mp4?", "SELECT _key FROM {media_types} WHERE list_contains(extensions, 'mp4') ORDER BY 1", lambda rows: sorted(row["_key"] for row in rows if "mp4" in row.get("extensions", ()))),
    media("How many by source?", "SELECT source, count(*) FROM {media_types} GROUP BY 1 ORDER BY 1 NULLS LAST", lambda rows: sorted(Counter(row.get("source") for row in rows).items(), key=lambda item: (item[0] is None, item[0] or ""))),
    media("How many of the types are of audio?", "SELECT count(*) FROM {media_types} WHERE _key LIKE 'audio/%'", lambda rows: sum(row["_key"].startswith("audio/") for row in rows)),
    media("How many extensions belong to more than one type?", "SELECT count(*) FROM (SELECT e FROM (SELECT unnest(extensions) AS e FROM {media_types}) GROUP BY e HAVING count(*) > 1)", lambda rows: sum(n > 1 for n in Counter(e for row in rows for e in row.get("extensions", ())).values())),
    media("How many have the charset UTF-8?", "SELECT count(*) FROM {media_types} WHERE charset = 'UTF-8'", lambda rows: sum(row.get("charset") == "UTF-8" for row in rows)),
    people("How many people are there in all?", "SELECT sum(population) FROM {population}", lambda rows: total(column(rows, "population"))),
    people("How many countries have no population given?", "SELECT count(*) FROM {population} WHERE population IS NULL", lambda rows: sum(row["population"] is None for row in rows)),
    people("Which five have most people?", "SELECT country, population FROM {population} ORDER BY 2 DESC NULLS LAST, 1 LIMIT 5", lambda rows: top({row["country"]: row["population"] or 0 for row in rows}, 5)),
    both("How many people by continent?", "SELECT continent, sum(population) FROM {population} JOIN {continents} USING (country) GROUP BY 1 ORDER BY 1", lambda people, where: _by_continent(where=where, people=people), "two results joined by name"),
    both("Which countries have a population and no continent?", "SELECT country FROM {population} ANTI JOIN {continents} USING (country) ORDER BY 1", lambda people, where: sorted({row["country"] for row in people} - {row["country"] for row in where}), "what is missing in the second is in neither cut"),
    both("What is the mean population of countries of Europe?", "SELECT avg(population) FROM {population} JOIN {continents} USING (country) WHERE continent = 'Europe'", lambda people, where: mean(row["population"] for row in people if row["population"] is not None and {"country": row["country"], "continent": "Europe"} in where)),
    three("Which country of Asia is most densely peopled?", "SELECT country FROM {population} JOIN {continents} USING (country) JOIN {areas} USING (country) WHERE continent = 'Asia' AND area > 0 ORDER BY population / area DESC NULLS LAST LIMIT 1", lambda people, where, areas: _densest(people, where, areas, "Asia"), "three results joined, and a quotient"),
)  # fmt: skip


def _by_continent(people: list[dict[str, object]], where: list[dict[str, object]]) -> list[tuple[object, Fraction]]:
    of = {row["country"]: row["continent"] for row in where}
    found: dict[object, Fraction] = {}
    for row in people:
        if row["country"] in of:
            found[of[row["country"]]] = found.get(of[row["country"]], Fraction(0)) + Fraction(
                str(row["population"] or 0)
            )
    return sorted(found.items(), key=lambda item: str(item[0]))


def _densest(
    people: list[dict[str, object]], where: list[dict[str, object]], areas: list[dict[str, object]], continent: str
) -> object:
    of = {row["country"]: row["continent"] for row in where}
    area = {row["country"]: Fraction(str(row["area"])) for row in areas if row["area"]}
    found = {
        row["country"]: Fraction(str(row["population"])) / area[row["country"]]
        for row in people
        if of.get(row["country"]) == continent and row["country"] in area and row["population"] is not None
    }
    return max(found, key=lambda name: found[name]) if found else None
