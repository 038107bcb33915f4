"""Films, cars, penguins, flights, football, earthquakes and labour: results with missing values, mixed kinds and dates as text."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from questions.asked import Rows, ask, column, largest, mean, median, sums, there, top, total

movies, cars, penguins, flights = ask("movies"), ask("cars"), ask("penguins"), ask("flights")
football, quakes, labour = ask("football"), ask("earthquakes"), ask("unemployment")


def _released(row: dict[str, str]) -> datetime:
    return datetime.strptime(row["Release Date"], "%b %d %Y")


def _played(rows: Rows) -> Rows:
    return [row for row in rows if row["home_score"] is not None and row["away_score"] is not None]


def _magnitude(feature: dict[str, dict[str, object]]) -> object:
    return feature["properties"]["mag"]


QUESTIONS = (
    movies("How many films are there?", "SELECT count(*) FROM {movies}", len),
    movies("How many films have no IMDB rating?", """SELECT count(*) FROM {movies} WHERE "IMDB Rating" IS NULL""", lambda rows: sum(row["IMDB Rating"] is None for row in rows)),
    movies("What did all films together earn worldwide?", """SELECT sum("Worldwide Gross") FROM {movies}""", lambda rows: total(column(rows, "Worldwide Gross"))),
    movies("Which director has most films, and how many?", "SELECT Director, count(*) FROM {movies} WHERE Director IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(column(rows, "Director"))), "the commonest director is none at all"),
    movies("What is the median running time?", """SELECT median("Running Time min") FROM {movies}""", lambda rows: median(column(rows, "Running Time min")), "most films have no running time, and none of them is 0"),
    movies("How many titles are numbers?", """SELECT count(*) FROM {movies} WHERE TRY_CAST("Title" AS BIGINT) IS NOT NULL""", lambda rows: sum(isinstance(row["Title"], int) or (isinstance(row["Title"], str) and row["Title"].isdigit()) for row in rows), "some titles are JSON numbers, others texts"),
    movies("Which five genres have most films?", """SELECT "Major Genre", count(*) FROM {movies} WHERE "Major Genre" IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5""", lambda rows: top(Counter(column(rows, "Major Genre")), 5)),
    movies("What is the mean IMDB rating of dramas?", """SELECT avg("IMDB Rating") FROM {movies} WHERE "Major Genre" = 'Drama'""", lambda rows: mean(row["IMDB Rating"] for row in rows if row["Major Genre"] == "Drama" and row["IMDB Rating"] is not None)),
    movies("How many films cost more than they earned worldwide?", """SELECT count(*) FROM {movies} WHERE "Production Budget" > "Worldwide Gross" """, lambda rows: sum(row["Production Budget"] > row["Worldwide Gross"] for row in rows if row["Production Budget"] is not None and row["Worldwide Gross"] is not None)),
    movies("How many films came out in 1999?", """SELECT count(*) FROM {movies} WHERE year(try_strptime("Release Date", '%b %d %Y')) = 1999""", lambda rows: sum(_released(row).year == 1999 for row in rows if isinstance(row["Release Date"], str) and len(row["Release Date"].split()) == 3), "dates are texts such as Jun 12 1998"),
    movies("How many different distributors are there?", "SELECT count(DISTINCT Distributor) FROM {movies}", lambda rows: len(set(column(rows, "Distributor")))),
    cars("How many cars have no horsepower given?", "SELECT count(*) FROM {cars} WHERE Horsepower IS NULL", lambda rows: sum(row["Horsepower"] is None for row in rows)),
    cars("What is the mean weight of cars by origin?", "SELECT Origin, avg(Weight_in_lbs) FROM {cars} GROUP BY 1 ORDER BY 1", lambda rows: [(origin, mean(row["Weight_in_lbs"] for row in rows if row["Origin"] == origin)) for origin in ("Europe", "Japan", "USA")]),
    cars("Which car has the most horsepower and the least weight among those?", "SELECT Name FROM {cars} ORDER BY Horsepower DESC NULLS LAST, Weight_in_lbs LIMIT 1", lambda rows: largest(rows, lambda row: (row["Horsepower"] or 0, -row["Weight_in_lbs"]))["Name"]),
    cars("What is the mean of miles per gallon of cars with 4 cylinders?", "SELECT avg(Miles_per_Gallon) FROM {cars} WHERE Cylinders = 4", lambda rows: mean(there(row["Miles_per_Gallon"] for row in rows if row["Cylinders"] == 4)), "cars without a figure do not count as 0"),
    cars("How many cars are of 1970?", "SELECT count(*) FROM {cars} WHERE Year LIKE '1970%'", lambda rows: sum(row["Year"].startswith("1970") for row in rows)),
    cars("How many names occur more than once?", "SELECT count(*) FROM (SELECT Name FROM {cars} GROUP BY Name HAVING count(*) > 1)", lambda rows: sum(count > 1 for count in Counter(column(rows, "Name")).values())),
    cars("How many cars are fords?", "SELECT count(*) FROM {cars} WHERE Name LIKE 'ford %'", lambda rows: sum(row["Name"].startswith("ford ") for row in rows)),
    cars("What is the median displacement?", "SELECT median(Displacement::DOUBLE) FROM {cars}", lambda rows: median(column(rows, "Displacement"))),
    cars("How many cars by cylinders?", "SELECT Cylinders, count(*) FROM {cars} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(column(rows, "Cylinders")).items())),
    cars("What is the heaviest car that does more than 30 miles a gallon?", "SELECT Name, Weight_in_lbs FROM {cars} WHERE Miles_per_Gallon > 30 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top({row["Name"]: row["Weight_in_lbs"] for row in rows if (row["Miles_per_Gallon"] or 0) > 30})),
    penguins("How many penguins by species?", "SELECT Species, count(*) FROM {penguins} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(column(rows, "Species")).items())),
    penguins("How many have no sex given?", "SELECT count(*) FROM {penguins} WHERE Sex IS NULL OR Sex = '.'", lambda rows: sum(row["Sex"] in (None, ".") for row in rows), "one sex is a dot"),
    penguins("What is the mean body mass of Gentoo penguins?", """SELECT avg("Body Mass (g)") FROM {penguins} WHERE Species = 'Gentoo'""", lambda rows: mean(there(row["Body Mass (g)"] for row in rows if row["Species"] == "Gentoo"))),
    penguins("What is the sum of all beak lengths?", """SELECT sum("Beak Length (mm)") FROM {penguins}""", lambda rows: total(column(rows, "Beak Length (mm)")), "a sum of floats is not 15021.3 exactly"),
    penguins("Which islands have Adelie penguins?", "SELECT DISTINCT Island FROM {penguins} WHERE Species = 'Adelie' ORDER BY 1", lambda rows: sorted({row["Island"] for row in rows if row["Species"] == "Adelie"})),
    penguins("What is the longest flipper of a female?", """SELECT max("Flipper Length (mm)") FROM {penguins} WHERE Sex = 'FEMALE'""", lambda rows: max(there(row["Flipper Length (mm)"] for row in rows if row["Sex"] == "FEMALE"))),
    penguins("How many weigh more than 5,000 g?", """SELECT count(*) FROM {penguins} WHERE "Body Mass (g)" > 5000""", lambda rows: sum((row["Body Mass (g)"] or 0) > 5000 for row in rows)),
    penguins("What is the median beak depth?", """SELECT median("Beak Depth (mm)"::DOUBLE) FROM {penguins}""", lambda rows: median(column(rows, "Beak Depth (mm)"))),
    flights("How many flights left from LAX?", "SELECT count(*) FROM {flights} WHERE origin = 'LAX'", lambda rows: sum(row["origin"] == "LAX" for row in rows)),
    flights("What is the mean delay?", "SELECT avg(delay) FROM {flights}", lambda rows: mean(column(rows, "delay"))),
    flights("Which route has most flights?", "SELECT origin, destination, count(*) FROM {flights} GROUP BY ALL ORDER BY 3 DESC, 1, 2 LIMIT 1", lambda rows: [(*pair, count) for pair, count in top(Counter((row["origin"], row["destination"]) for row in rows))]),
    flights("How many flights were early?", "SELECT count(*) FROM {flights} WHERE delay < 0", lambda rows: sum(row["delay"] < 0 for row in rows)),
    flights("What distance was flown in all?", "SELECT sum(distance) FROM {flights}", lambda rows: total(column(rows, "distance"))),
    flights("How many flights left between midnight and six?", "SELECT count(*) FROM {flights} WHERE hour(strptime(date, '%Y/%m/%d %H:%M')) < 6", lambda rows: sum(int(row["date"][11:13]) < 6 for row in rows)),
    flights("On which date did most flights leave?", "SELECT date[:10], count(*) FROM {flights} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(row["date"][:10] for row in rows))),
    flights("What is the 95th percentile of delays, as a delay that occurs?", "SELECT quantile_disc(delay, 0.95) FROM {flights}", lambda rows: sorted(column(rows, "delay"))[-(-95 * len(rows) // 100) - 1]),
    flights("How many airports are both an origin and a destination?", "SELECT count(*) FROM (SELECT origin FROM {flights} INTERSECT SELECT destination FROM {flights})", lambda rows: len({row["origin"] for row in rows} & {row["destination"] for row in rows})),
    flights("Which three origins have the largest total delay?", "SELECT origin, sum(delay) FROM {flights} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3", lambda rows: top(sums(rows, "origin", "delay"), 3)),
    football("How many games were drawn?", "SELECT count(*) FROM {football} WHERE home_score = away_score", lambda rows: sum(row["home_score"] == row["away_score"] for row in _played(rows)), "games without a result are no draws"),
    football("How many goals were shot at home, and how many away?", "SELECT sum(home_score), sum(away_score) FROM {football}", lambda rows: [(total(column(rows, "home_score")), total(column(rows, "away_score")))]),
    football("How many divisions are there?", "SELECT count(DISTINCT division) FROM {football}", lambda rows: len(set(column(rows, "division")))),
    football("Which game had most goals, the earliest of them?", "SELECT date, home_team FROM {football} ORDER BY home_score + away_score DESC, date, home_team LIMIT 1", lambda rows: [(row["date"], row["home_team"]) for row in sorted(_played(rows), key=lambda row: (-row["home_score"] - row["away_score"], row["date"], row["home_team"]))[:1]]),
    football("How many games in each month of 2013?", "SELECT date[:7] AS month, count(*) FROM {football} WHERE date LIKE '2013%' GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["date"][:7] for row in rows if row["date"].startswith("2013")).items())),
    football("Which team won most games at home?", "SELECT home_team, count(*) FROM {football} WHERE home_score > away_score GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1", lambda rows: top(Counter(row["home_team"] for row in _played(rows) if row["home_score"] > row["away_score"]))),
    football("How many different teams played?", "SELECT count(*) FROM (SELECT home_team FROM {football} UNION SELECT away_team FROM {football})", lambda rows: len({row["home_team"] for row in rows} | {row["away_team"] for row in rows})),
    football("How many games ended 1:0 or 0:1?", "SELECT count(*) FROM {football} WHERE home_score + away_score = 1", lambda rows: sum(row["home_score"] + row["away_score"] == 1 for row in _played(rows))),
    football("What is the last date in the list?", "SELECT max(date) FROM {football}", lambda rows: max(row["date"] for row in rows), "the list is not sorted by date"),
    quakes("How many earthquakes have no magnitude?", "SELECT count(*) FROM {earthquakes} WHERE properties.mag IS NULL", lambda rows: sum(_magnitude(row) is None for row in rows)),
    quakes("What is the largest magnitude?", "SELECT max(properties.mag) FROM {earthquakes}", lambda rows: max(there(map(_magnitude, rows)))),
    quakes("How many by network, the top three?", "SELECT properties.net, count(*) FROM {earthquakes} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3", lambda rows: top(Counter(row["properties"]["net"] for row in rows), 3)),
    quakes("How many deeper than 100 km?", "SELECT count(*) FROM {earthquakes} WHERE geometry.coordinates[3] > 100", lambda rows: sum(row["geometry"]["coordinates"][2] > 100 for row in rows), "the depth is the third of three coordinates"),
    quakes("What is the sum of all magnitudes?", "SELECT sum(properties.mag) FROM {earthquakes}", lambda rows: total(there(map(_magnitude, rows))), "a sum of floats is off in its last digits"),
    quakes("How many were automatic, how many reviewed?", "SELECT properties.status, count(*) FROM {earthquakes} GROUP BY 1 ORDER BY 1", lambda rows: sorted(Counter(row["properties"]["status"] for row in rows).items())),
    quakes("What place had the strongest one?", "SELECT properties.place FROM {earthquakes} ORDER BY properties.mag DESC NULLS LAST LIMIT 1", lambda rows: largest(rows, lambda row: _magnitude(row) or 0)["properties"]["place"]),
    quakes("How many were felt by somebody?", "SELECT count(*) FROM {earthquakes} WHERE properties.felt > 0", lambda rows: sum((row["properties"]["felt"] or 0) > 0 for row in rows)),
    quakes("How many on 2018-02-05 (UTC)?", "SELECT count(*) FROM {earthquakes} WHERE epoch_ms(properties.time)::DATE = DATE '2018-02-05'", lambda rows: sum(1517788800000 <= row["properties"]["time"] < 1517875200000 for row in rows), "times are milliseconds since 1970"),
    labour("How many series are there?", "SELECT count(DISTINCT series) FROM {unemployment}", lambda rows: len(set(column(rows, "series")))),
    labour("Which series had the highest rate ever, and when?", "SELECT series, year, month, rate FROM {unemployment} ORDER BY rate DESC, series LIMIT 1", lambda rows: [tuple(largest(rows, lambda row: row["rate"])[name] for name in ("series", "year", "month", "rate"))]),
    labour("How many were unemployed in all in January 2010?", "SELECT sum(count) FROM {unemployment} WHERE year = 2010 AND month = 1", lambda rows: total(row["count"] for row in rows if (row["year"], row["month"]) == (2010, 1))),
    labour("What is the mean rate of Construction in 2009?", "SELECT avg(rate) FROM {unemployment} WHERE series = 'Construction' AND year = 2009", lambda rows: mean(row["rate"] for row in rows if (row["series"], row["year"]) == ("Construction", 2009))),
    labour("Which year had the largest mean count of Government?", "SELECT year FROM {unemployment} WHERE series = 'Government' GROUP BY year ORDER BY avg(count) DESC LIMIT 1", lambda rows: max({row["year"] for row in rows}, key=lambda year: mean(row["count"] for row in rows if (row["series"], row["year"]) == ("Government", year)) if any((row["series"], row["year"]) == ("Government", year) for row in rows) else 0)),
    labour("In how many months was the rate of Manufacturing above 10?", "SELECT count(*) FROM {unemployment} WHERE series = 'Manufacturing' AND rate > 10", lambda rows: sum(row["series"] == "Manufacturing" and row["rate"] > 10 for row in rows)),
)  # fmt: skip
