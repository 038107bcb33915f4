"""Weather, shares, jobs and money: results that are CSV, and numbers that are texts."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from fractions import Fraction

from questions.asked import ask, largest, mean, median, top, total

weather, shares, budget, strikes = ask("weather"), ask("shares"), ask("budget"), ask("strikes")


def _money(text: str) -> int:
    return int(text.replace(",", ""))


def _day(row: dict[str, str]) -> datetime:
    return datetime.strptime(row["date"], "%b %d %Y")


QUESTIONS = (
    weather("How many days by kind of weather?", "SELECT weather, count(*) FROM {weather} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["weather"] for row in rows).items())),
    weather("How much did it rain in all?", "SELECT sum(precipitation) FROM {weather}", lambda rows: total(row["precipitation"] for row in rows), "a sum of 1,461 floats is off"),
    weather("Which was the wettest day?", "SELECT date, precipitation FROM {weather} ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: [(largest(rows, lambda row: Fraction(row["precipitation"]))["date"], max(Fraction(row["precipitation"]) for row in rows))]),
    weather("What is the mean of the daily maxima by year?", "SELECT date[:4], avg(temp_max) FROM {weather} GROUP BY 1 ORDER BY 1", lambda rows: [(year, mean(row["temp_max"] for row in rows if row["date"].startswith(year))) for year in sorted({row["date"][:4] for row in rows})]),
    weather("On how many days was the minimum below 0?", "SELECT count(*) FROM {weather} WHERE temp_min < 0", lambda rows: sum(Fraction(row["temp_min"]) < 0 for row in rows)),
    weather("What is the largest difference of temperature in one day?", "SELECT max(temp_max - temp_min) FROM {weather}", lambda rows: max(Fraction(row["temp_max"]) - Fraction(row["temp_min"]) for row in rows)),
    weather("Which month of all had most days of rain?", "SELECT date[:7], count(*) FROM {weather} WHERE weather = 'rain' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(row["date"][:7] for row in rows if row["weather"] == "rain"))),
    weather("How many days in a row were sunny at most?", "WITH d AS (SELECT date::DATE AS d FROM {weather} WHERE weather = 'sun'), g AS (SELECT d - row_number() OVER (ORDER BY d)::INT AS g FROM d) SELECT max(n) FROM (SELECT count(*) AS n FROM g GROUP BY g)", lambda rows: _longest([row["weather"] == "sun" for row in rows]), "islands of days"),
    weather("What is the median wind?", "SELECT median(wind::DOUBLE) FROM {weather}", lambda rows: median(row["wind"] for row in rows)),
    weather("How many days are missing between the first and the last?", "SELECT date_diff('day', min(date::DATE), max(date::DATE)) + 1 - count(DISTINCT date) FROM {weather}", lambda rows: (datetime.fromisoformat(max(row["date"] for row in rows)) - datetime.fromisoformat(min(row["date"] for row in rows))).days + 1 - len({row["date"] for row in rows})),
    shares("Which symbols are there, with how many prices?", "SELECT symbol, count(*) FROM {shares} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["symbol"] for row in rows).items())),
    shares("What is the highest price of AAPL, and when?", "SELECT date, price FROM {shares} WHERE symbol = 'AAPL' ORDER BY price DESC LIMIT 1", lambda rows: [(best["date"], Fraction(best["price"])) for best in [largest([row for row in rows if row["symbol"] == "AAPL"] or [{"date": "", "price": "0"}], lambda row: Fraction(row["price"]))]]),
    shares("What is the mean price of IBM?", "SELECT avg(price) FROM {shares} WHERE symbol = 'IBM'", lambda rows: mean(row["price"] for row in rows if row["symbol"] == "IBM")),
    shares("What is the last date, as a date?", "SELECT max(strptime(date, '%b %d %Y'))::DATE::VARCHAR FROM {shares}", lambda rows: max(_day(row) for row in rows).date().isoformat(), "as texts, Sep 1 2009 comes last"),
    shares("What is the sum of all prices of 2009?", "SELECT sum(price) FROM {shares} WHERE date LIKE '% 2009'", lambda rows: total(row["price"] for row in rows if row["date"].endswith(" 2009"))),
    shares("Which symbol gained most from its first to its last price?", "SELECT symbol FROM {shares} GROUP BY symbol ORDER BY arg_max(price, strptime(date, '%b %d %Y')) / arg_min(price, strptime(date, '%b %d %Y')) DESC LIMIT 1", lambda rows: _best_gain(rows) if rows else None),
    shares("In how many months was GOOG dearer than AAPL?", "SELECT count(*) FROM {shares} g JOIN {shares} a USING (date) WHERE g.symbol = 'GOOG' AND a.symbol = 'AAPL' AND g.price > a.price", lambda rows: _dearer(rows, "GOOG", "AAPL")),
    shares("How many different dates are there?", "SELECT count(DISTINCT date) FROM {shares}", lambda rows: len({row["date"] for row in rows})),
    budget("How many accounts are there?", "SELECT count(*) FROM {budget}", len),
    budget("What was the sum of 2016 in all?", """SELECT sum(replace("2016", ',', '')::BIGINT) FROM {budget}""", lambda rows: sum(_money(row["2016"]) for row in rows), "amounts are texts with commas"),
    budget("Which agency had most in 2016?", """SELECT "Agency name", sum(replace("2016", ',', '')::BIGINT) FROM {budget} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1""", lambda rows: top(_by(rows, "Agency name", "2016"))),
    budget("How many accounts had a negative amount in 2000?", """SELECT count(*) FROM {budget} WHERE replace("2000", ',', '')::BIGINT < 0""", lambda rows: sum(_money(row["2000"]) < 0 for row in rows)),
    budget("What came of individual income taxes in 2010?", """SELECT sum(replace("2010", ',', '')::BIGINT) FROM {budget} WHERE "Source category name" = 'Individual Income Taxes'""", lambda rows: sum(_money(row["2010"]) for row in rows if row["Source category name"] == "Individual Income Taxes")),
    budget("How many accounts on and off the budget?", """SELECT "On- or off-budget", count(*) FROM {budget} GROUP BY 1 ORDER BY 1""", lambda rows: sorted(Counter(row["On- or off-budget"] for row in rows).items())),
    budget("How many accounts were 0 from 2010 to 2012?", """SELECT count(*) FROM {budget} WHERE "2010" = '0' AND "2011" = '0' AND "2012" = '0'""", lambda rows: sum(row["2010"] == row["2011"] == row["2012"] == "0" for row in rows)),
    budget("Which category grew most from 1990 to 2015?", """SELECT "Source category name" FROM {budget} GROUP BY 1 ORDER BY sum(replace("2015", ',', '')::BIGINT - replace("1990", ',', '')::BIGINT) DESC LIMIT 1""", lambda rows: _grew(rows, "1990", "2015")),
    strikes("How many bird strikes by size of the bird?", """SELECT "Wildlife Size", count(*) FROM {strikes} GROUP BY 1 ORDER BY 1 NULLS FIRST""", lambda rows: sorted(((size or None, count) for size, count in Counter(row["Wildlife Size"] for row in rows).items()), key=lambda item: item[0] or "")),
    strikes("What did they cost in all?", """SELECT sum("Cost Total $") FROM {strikes}""", lambda rows: total(row["Cost Total $"] for row in rows)),
    strikes("Which five species were struck most often?", """SELECT "Wildlife Species", count(*) FROM {strikes} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5""", lambda rows: top(Counter(row["Wildlife Species"] for row in rows), 5)),
    strikes("How many in 1999?", """SELECT count(*) FROM {strikes} WHERE "Flight Date" LIKE '1999%'""", lambda rows: sum(row["Flight Date"].startswith("1999") for row in rows)),
    strikes("What is the median speed, where it is given?", """SELECT median("Speed IAS in knots") FROM {strikes}""", lambda rows: median(row["Speed IAS in knots"] for row in rows if row["Speed IAS in knots"]), "an empty cell is no 0"),
    strikes("Which phase of flight had the largest costs?", """SELECT "Phase of flight", sum("Cost Total $") FROM {strikes} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1""", lambda rows: top({p: total(row["Cost Total $"] for row in rows if row["Phase of flight"] == p) for p in {row["Phase of flight"] for row in rows}})),
    strikes("How many at night cost more than 100,000?", """SELECT count(*) FROM {strikes} WHERE "Time of day" = 'Night' AND "Cost Total $" > 100000""", lambda rows: sum(row["Time of day"] == "Night" and int(row["Cost Total $"]) > 100000 for row in rows)),
    strikes("How many states are there?", """SELECT count(DISTINCT "Origin State") FROM {strikes}""", lambda rows: len({row["Origin State"] for row in rows} - {""})),
)  # fmt: skip


def _longest(flags: list[bool]) -> int:
    best = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        best = max(best, run)
    return best


def _best_gain(rows: list[dict[str, str]]) -> str:
    gains: dict[str, Fraction] = {}
    for symbol in {row["symbol"] for row in rows}:
        own = sorted((row for row in rows if row["symbol"] == symbol), key=_day)
        gains[symbol] = Fraction(own[-1]["price"]) / Fraction(own[0]["price"])
    return max(gains, key=lambda symbol: gains[symbol])


def _dearer(rows: list[dict[str, str]], one: str, other: str) -> int:
    prices = {(row["symbol"], row["date"]): Fraction(row["price"]) for row in rows}
    dates = {date for symbol, date in prices if symbol == one}
    return sum((other, date) in prices and prices[one, date] > prices[other, date] for date in dates)


def _by(rows: list[dict[str, str]], name: str, year: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        found[row[name]] = found.get(row[name], 0) + _money(row[year])
    return found


def _grew(rows: list[dict[str, str]], first: str, last: str) -> str:
    before, after = _by(rows, "Source category name", first), _by(rows, "Source category name", last)
    return max(after, key=lambda name: after[name] - before[name])
