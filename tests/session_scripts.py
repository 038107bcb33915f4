"""The scripted sessions: what an agent does next, from the printed text alone, and what plain Python finds in the payloads.

Names of tables, queries, corrections and pages are taken from what was printed; what else a query says, a handle before it has told.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from statistics import median
from typing import Any

from session_talk import Rows, Talk

PAGES = '[tools.list_devices.all]\npage = "cursor"\nnext = "$.nextCursor"\nrows = "$.devices"\n'


@dataclass(frozen=True, slots=True)
class Session:
    """A script, and what it may take."""

    title: str
    task: str
    play: Callable[[Talk], None]
    most_share: float
    """Of the tokens without the proxy."""
    config: str = ""


def cells(rows: Iterable[tuple[Any, ...]]) -> Rows:
    """Values that plain Python found, as an answer writes them."""
    return [tuple(str(cell) for cell in row) for row in rows]


def ranked(counts: Mapping[str, int]) -> Rows:
    """Names with their counts, most first and then by name."""
    return cells(sorted(counts.items(), key=lambda found: (-found[1], found[0])))


def added(rows: Iterable[Mapping[str, Any]], key: str) -> Decimal:
    """The exact sum of a column of money."""
    return sum((Decimal(row[key]) for row in rows), Decimal("0.00"))


def triage(talk: Talk) -> None:
    handle = talk.call("Find the issues", "search_issues", query="repo:acme/pond is:issue", sort="created")
    items: list[dict[str, Any]] = talk.payload()["items"]
    states = talk.query("The query that the handle shows", handle.sql)
    talk.check("issues by state", states.rows, ranked(Counter(item["state"] for item in items)))

    asked = f"SELECT number, title, created FROM {handle.table} WHERE state = 'open' ORDER BY created, number LIMIT 3"
    refused = talk.query("Which have been open longest? A column's name is wrong", asked)
    oldest = talk.query("As the error says", refused.mended(asked.replace("created", "created_at")))
    opened = sorted((item for item in items if item["state"] == "open"), key=lambda item: item["created_at"])
    longest = cells((item["number"], item["title"], item["created_at"]) for item in opened[:3])
    talk.check("open longest", oldest.rows, longest)

    talk.query(
        "Keep the open bugs that nobody works on",
        f'SELECT number, title, "user".login AS reporter, comments, created_at FROM {handle.table}'
        " WHERE state = 'open' AND assignee IS NULL AND 'bug' IN [l.name FOR l IN labels]",
        save_as="free_bugs",
    )
    free = [item for item in opened if not item["assignee"] and "bug" in [label["name"] for label in item["labels"]]]
    reporters = talk.query(
        "Who reports most of them?",
        "SELECT reporter, count(*) AS n FROM free_bugs GROUP BY ALL ORDER BY n DESC, reporter",
    )
    talk.check("by reporter", reporters.rows, ranked(Counter(item["user"]["login"] for item in free)))

    order = "SELECT number, comments, title FROM free_bugs ORDER BY comments DESC, number"
    first = talk.query("The most discussed of them", order, max_rows=8)
    second = talk.query("The page after that, as the notice says", f"{order} {first.page}", max_rows=8)
    discussed = sorted(free, key=lambda item: (-item["comments"], item["number"]))[:16]
    found = cells((item["number"], item["comments"], item["title"]) for item in discussed)
    talk.check("most discussed", first.rows + second.rows, found)


def joining(talk: Talk) -> None:
    first = talk.call("The orders", "list_orders", year=2026)
    orders: list[dict[str, Any]] = talk.payload()["result"]
    second = talk.call("The customers", "list_customers")
    customers: dict[int, dict[str, Any]] = {known["id"]: known for known in talk.payload()["result"]}
    statuses = talk.query("The query that the first handle shows", first.sql)
    counts = Counter(order["status"] for order in orders)
    sums = {status: added((order for order in orders if order["status"] == status), "total") for status in counts}
    talk.check("orders by status", statuses.rows, [(*row, str(sums[row[0]])) for row in ranked(counts)])

    joined = f"FROM {first.table} o JOIN {second.table} c ON c.id = o.customer_id WHERE o.status = 'paid'"
    asked = (
        f"SELECT c.country, count(*) AS orders, sum(o.amount) AS paid {joined} GROUP BY ALL ORDER BY paid DESC, country"
    )
    refused = talk.query("What did each country pay? A column's name is wrong", asked)
    countries = talk.query("With a column that the error lists", refused.mended(asked.replace("o.amount", "o.total")))
    paid = [order for order in orders if order["status"] == "paid"]
    of_countries = [
        (country, len(theirs), added(theirs, "total"))
        for country in {known["country"] for known in customers.values()}
        if (theirs := [order for order in paid if customers.get(order["customer_id"], {}).get("country") == country])
    ]
    by_country = cells(sorted(of_countries, key=lambda row: -row[2]))
    talk.check("paid by country", countries.rows, by_country)

    lost = talk.query(
        "Do all orders have a customer? (The ranges of the ids in the two handles differ)",
        f"SELECT count(*), sum(total) FROM {first.table} WHERE customer_id NOT IN (SELECT id FROM {second.table})",
    )
    strangers = [order for order in orders if order["customer_id"] not in customers]
    talk.check("orders without a customer", lost.rows, cells([(len(strangers), added(strangers, "total"))]))

    talk.query(
        "Keep what each customer paid",
        f"SELECT c.name, c.country, sum(o.total) AS paid {joined} GROUP BY ALL ORDER BY paid DESC, name",
        save_as="paid_by_customer",
    )
    best = talk.query("The best three", "SELECT name, paid FROM paid_by_customer ORDER BY paid DESC, name LIMIT 3")
    totals = [
        (known["name"], added(theirs, "total"))
        for at, known in customers.items()
        if (theirs := [order for order in paid if order["customer_id"] == at])
    ]
    talk.check("the best three", best.rows, cells(sorted(totals, key=lambda row: -row[1])[:3]))


def collecting(talk: Talk) -> None:
    handle, pages = talk.collect("All devices, in one call", "list_devices", "list_devices_all")
    devices: list[dict[str, Any]] = [device for page in pages for device in page["devices"]]
    assert handle.text.endswith(f"\nComplete: {len(pages)} pages, {len(devices)} rows.")
    models = talk.query("The query that the handle shows", handle.sql)
    talk.check("by model", models.rows, ranked(Counter(device["model"] for device in devices)))

    talk.query("What is each column like?", f"SUMMARIZE {handle.table}")
    down = talk.query(
        "Which firmware runs where devices are down?",
        "SELECT firmware, count(*) AS devices, count(*) FILTER (NOT is_online) AS down"
        f" FROM {handle.table} GROUP BY ALL ORDER BY down DESC, firmware LIMIT 4",
    )
    running = Counter(device["firmware"] for device in devices)
    missing = Counter(device["firmware"] for device in devices if not device["is_online"])
    worst = sorted(running, key=lambda version: (-missing[version], version))[:4]
    talk.check("down by firmware", down.rows, cells((name, running[name], missing[name]) for name in worst))

    order = (
        f"SELECT serial, site, battery_percent FROM {handle.table} WHERE battery_percent < 3"
        " ORDER BY battery_percent, serial"
    )
    first = talk.query("Which batteries are empty? Ten at a time", order, max_rows=10, exact_total=True)
    second = talk.query("The page after that, as the notice says", f"{order} {first.page}", max_rows=10)
    empty = sorted(
        (device for device in devices if device["battery_percent"] < 3),
        key=lambda device: (device["battery_percent"], device["serial"]),
    )
    assert f" of {len(empty)} " in first.text
    found = cells((device["serial"], device["site"], device["battery_percent"]) for device in empty[:20])
    talk.check("empty batteries", first.rows + second.rows, found)


def hunt(talk: Talk) -> None:
    log = talk.call("The log of the day", "read_log", day="2026-03-04")
    lines: list[str] = talk.payload().split("\n")
    counted = talk.query("The query that the handle shows", log.sql)
    errors = [line.split() for line in lines if " ERROR " in line]
    talk.check("lines, and those with errors", counted.rows, cells([(len(lines), len(errors))]))

    talk.query("How do they look?", f"FROM {log.table} WHERE text LIKE '% ERROR %' LIMIT 2")
    talk.query(
        "Keep them, taken apart",
        "SELECT split_part(text, ' ', 3) AS service, regexp_extract(text, 'request=(\\w+)', 1) AS request,"
        f" regexp_extract(text, 'after (\\d+) ms', 1)::INT AS waited_ms FROM {log.table} WHERE text LIKE '% ERROR %'",
        save_as="errors",
    )
    services = talk.query(
        "Which service fails, and how long do callers wait?",
        "SELECT service, count(*) AS n, min(request), median(waited_ms) FROM errors GROUP BY ALL ORDER BY n DESC, service",
    )
    failed = {service: [line for line in errors if line[2] == service] for service in {line[2] for line in errors}}
    of_services = [
        (service, len(theirs), theirs[0][3].removeprefix("request="), float(median(int(line[-2]) for line in theirs)))
        for service, theirs in failed.items()
    ]
    talk.check("by service", services.rows, cells(sorted(of_services, key=lambda row: -row[1])))

    told = talk.call("What did the database say of those requests?", "read_events", day="2026-03-04")
    events: list[dict[str, Any]] = [json.loads(line) for line in talk.payload().split("\n")]
    asked = f"SELECT pool_name, count(DISTINCT request) AS n FROM {told.table} JOIN errors USING (request) GROUP BY ALL ORDER BY n DESC"
    refused = talk.query("In which pool did they run? A column's name is wrong", asked)
    pools = talk.query("As the error says", refused.mended(asked.replace("pool_name", "pool")))
    requests = {line[3].removeprefix("request=") for line in errors}
    of_pools = Counter(pool for pool, _ in {(e["pool"], e["request"]) for e in events if e["request"] in requests})
    talk.check("failed requests by pool", pools.rows, ranked(of_pools))

    before = talk.query(
        "What else happened there up to the first error?",
        f"SELECT DISTINCT kind, request FROM {told.table} WHERE kind <> 'query' AND pool = 'pool-b'"
        " AND request <= (SELECT min(request) FROM errors) ORDER BY request DESC",
    )
    others = {
        (event["kind"], event["request"])
        for event in events
        if event["kind"] != "query" and event["pool"] == "pool-b" and event["request"] <= min(requests)
    }
    talk.check("what happened before", before.rows, cells(sorted(others, key=lambda found: found[1], reverse=True)))


def money(talk: Talk) -> None:
    handle = talk.call("The payments", "list_payments", half="2026-1")
    payments: list[dict[str, Any]] = talk.payload()["payments"]
    currencies = talk.query("The query that the handle shows", handle.sql)
    counts = Counter(payment["currency"] for payment in payments)
    sums = {name: added((paid for paid in payments if paid["currency"] == name), "amount") for name in counts}
    talk.check("by currency", currencies.rows, [(*row, str(sums[row[0]])) for row in ranked(counts)])

    asked = (
        "SELECT strftime(booked_on, '%Y-%m') AS month, count(*) AS payments, sum(amount) AS amount,"
        f" sum(fee::DECIMAL(18,2)) AS fee FROM {handle.table} WHERE currency = 'EUR' GROUP BY ALL ORDER BY month"
    )
    refused = talk.query("Euros by month, with fees cast as the handle says; the dates are text too", asked)
    mended = refused.mended(asked.replace("booked_on", "booked_on::DATE"))
    kept = talk.query("As the error says, and the answer kept", mended, save_as="euros_by_month")
    euros = [payment for payment in payments if payment["currency"] == "EUR"]
    months = [
        (month, len(theirs), added(theirs, "amount"), added(theirs, "fee"))
        for month in sorted({payment["booked_on"][:7] for payment in euros})
        if (theirs := [payment for payment in euros if payment["booked_on"].startswith(month)])
    ]
    talk.check("euros by month", kept.rows, cells(months))

    whole = talk.query(
        "Do the months make the whole?", "SELECT sum(payments), sum(amount), sum(fee) FROM euros_by_month"
    )
    talk.check("euros in all", whole.rows, cells([(len(euros), added(euros, "amount"), added(euros, "fee"))]))

    usual = (
        f"SELECT method, median(amount) AS usual FROM {handle.table} WHERE currency = 'EUR' GROUP BY ALL ORDER BY ALL"
    )
    noted = talk.query("The usual payment", usual)
    exact = talk.query("Exactly, as the note says", usual.replace("median(amount)", noted.exact))
    middle = [
        (method, f"{median(Decimal(payment['amount']) for payment in euros if payment['method'] == method):.3f}")
        for method in sorted({payment["method"] for payment in euros})
    ]
    talk.check("the usual payment", exact.rows, cells(middle))


def nested(talk: Talk) -> None:
    handle = talk.call("The pull requests", "list_pull_requests", repo="acme/pond")
    pulls: list[dict[str, Any]] = talk.payload()
    merged = talk.query("The query that the handle shows", handle.sql)
    of_merged = Counter(str(pull["merged"]).lower() for pull in pulls)
    talk.check("merged or not", merged.rows, ranked(of_merged))

    talk.query("What do labels and reviews consist of?", f"DESCRIBE {handle.table}")
    talk.query(
        "One row a label",
        f"SELECT number, merged, unnest(labels).name AS label FROM {handle.table}",
        save_as="labelled",
    )
    names = {pull["number"]: sorted(label["name"] for label in pull["labels"]) for pull in pulls}
    counted = talk.query(
        "How often is each used?", "SELECT label, count(*) AS n FROM labelled GROUP BY ALL ORDER BY n DESC, label"
    )
    talk.check("by label", counted.rows, ranked(Counter(name for labels in names.values() for name in labels)))

    asked = (
        "SELECT a.label AS one, b.label AS other, count(*) AS n FROM labelled a JOIN labelled b"
        " ON a.id = b.id AND a.label < b.label GROUP BY ALL ORDER BY n DESC, one, other"
    )
    refused = talk.query("Which stand together? A column's name is wrong", asked, max_rows=5)
    paired = refused.mended(asked.replace("a.id = b.id", "a.number = b.number"))
    first = talk.query("With a column that the error lists", paired, max_rows=5)
    second = talk.query("The page after that, as the notice says", f"{paired} {first.page}", max_rows=5)
    pairs = Counter(pair for labels in names.values() for pair in combinations(labels, 2))
    most = sorted(pairs.items(), key=lambda found: (-found[1], found[0]))[:10]
    talk.check("standing together", first.rows + second.rows, cells((*pair, count) for pair, count in most))

    verdicts = talk.query(
        "What do reviewers say of regressions?",
        f"SELECT r.verdict, count(*) AS n FROM {handle.table}, unnest(reviews) AS _(r)"
        " WHERE 'regression' IN [l.name FOR l IN labels] GROUP BY ALL ORDER BY n DESC, r.verdict",
    )
    regressions = [pull for pull in pulls if "regression" in names[pull["number"]]]
    said = Counter(review["verdict"] for pull in regressions for review in pull["reviews"])
    talk.check("verdicts on regressions", verdicts.rows, ranked(said))


SESSIONS: Mapping[str, Session] = {
    "issues": Session(
        "Issues triage", "Which open bugs has nobody taken, who reports them, which are discussed most?", triage, 0.03
    ),
    "orders": Session(
        "Two tools joined", "What did each country pay, which orders have no customer, who paid most?", joining, 0.08
    ),
    "devices": Session(
        "A listing of 19 pages", "Which firmware is down, and which batteries are empty?", collecting, 0.05, PAGES
    ),
    "log": Session("A log hunt", "Which requests fail, where, and what happened before?", hunt, 0.04),
    "payments": Session("Money by month", "Euros and fees by month, and the usual payment, to the cent", money, 0.05),
    "pulls": Session(
        "Nested labels", "How often is each label used, which stand together, what do reviewers say?", nested, 0.05
    ),
}
