"""The servers of the scripted sessions: `python session_server.py NAME`. Standard library only.

All data come from a seed, the same on every machine; a tool answers in the way of the servers that it is like: one text
of JSON, both channels, text lines, JSON Lines, or pages with a cursor.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
Answer = Callable[[Record], Record]

USERS = ("ada", "bram", "chen", "dita", "emil", "fay", "goran", "hana", "ines", "jun")
LABELS = {"bug": "d73a4a", "enhancement": "a2eeef", "docs": "0075ca", "performance": "fbca04", "regression": "b60205",
          "good first issue": "7057ff", "api": "5319e7", "windows": "0e8a16"}  # fmt: skip
PARTS = ("parser", "cache", "scheduler", "importer", "command line", "installer", "search index", "web view")
TROUBLES = ("crashes on an empty file", "is slow with many rows", "ignores the time zone", "loses the last line",
            "needs a better message", "does not stop on Ctrl-C", "counts a page twice")  # fmt: skip
BODY = (
    "What happened: the {part} {trouble}. Steps: start it with the default settings, give it the attached file and wait;"
    " it happens about every {n}th time. Expected: the same result as in the version before. Version 4.{n}.0, Linux."
)


def text(payload: str) -> Record:
    return {"content": [{"type": "text", "text": payload}]}


def both(payload: Record) -> Record:
    return {**text(json.dumps(payload)), "structuredContent": payload}


def tool(name: str, description: str, **properties: str) -> Record:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {
        "name": name,
        "description": description,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }


def user(chance: random.Random) -> Record:
    at = int(chance.random() ** 2 * len(USERS))
    return {"login": USERS[at], "id": 4_100 + at, "type": "User", "site_admin": at == 0}


def labels(chance: random.Random) -> list[Record]:
    drawn = sorted({int(chance.random() ** 1.6 * len(LABELS)) for _ in range(int(chance.random() * 4))})
    names = [list(LABELS)[at] for at in drawn]
    return [{"id": 900 + at, "name": name, "color": LABELS[name]} for at, name in zip(drawn, names, strict=True)]


def day(chance: random.Random, month: int) -> str:
    return f"2026-{month:02}-{1 + int(chance.random() * 28):02}"


def issues(chance: random.Random) -> list[Record]:
    found: list[Record] = []
    for number in range(1, 413):
        part, trouble = PARTS[int(chance.random() * len(PARTS))], TROUBLES[int(chance.random() * len(TROUBLES))]
        is_open = chance.random() < 0.45
        month = 1 + int(chance.random() * 9)
        found.append(
            {
                "id": 2_700_000_000 + number * 37,
                "number": number,
                "title": f"The {part} {trouble}",
                "state": "open" if is_open else "closed",
                "user": user(chance),
                "labels": labels(chance),
                "assignee": None if chance.random() < 0.6 else user(chance),
                "comments": int(chance.random() ** 3 * 40),
                "created_at": f"{day(chance, month)}T{int(chance.random() * 24):02}:15:00Z",
                "closed_at": None if is_open else f"{day(chance, month + 2)}T09:30:00Z",
                "html_url": f"https://github.com/acme/pond/issues/{number}",
                "body": BODY.format(part=part, trouble=trouble, n=2 + number % 7),
            }
        )
    return found


def orders(chance: random.Random) -> list[Record]:
    return [
        {
            "id": 10_000 + at,
            "customer_id": 1 + int(chance.random() ** 2 * 130),
            "status": ("paid", "paid", "paid", "open", "cancelled")[int(chance.random() * 5)],
            "total": round(chance.random() * 90_000) / 100,
            "placed_on": day(chance, 1 + at // 60),
        }
        for at in range(640)
    ]


def customers(chance: random.Random) -> list[Record]:
    countries = ("Norway", "Chile", "Kenya", "Japan", "Canada")
    return [
        {"id": at, "name": f"Customer {at:03}", "country": countries[int(chance.random() * 5)], "since": day(chance, 5)}
        for at in range(1, 121)
    ]


def devices(chance: random.Random) -> list[Record]:
    return [
        {
            "serial": f"{int(chance.random() * 16**8):08x}-{at:04}",
            "model": ("mk1", "mk2", "mk3")[int(chance.random() * 3)],
            "site": f"site-{1 + int(chance.random() ** 2 * 24):02}",
            "firmware": f"2.{int(chance.random() * 4)}.{int(chance.random() * 3)}",
            "battery_percent": int(chance.random() * 101),
            "is_online": chance.random() < 0.9,
        }
        for at in range(938)
    ]


def log_lines(chance: random.Random) -> list[str]:
    lines: list[str] = []
    for at in range(1_500):
        level = "ERROR" if 700 <= at < 760 and chance.random() < 0.5 else "WARN" if chance.random() < 0.04 else "INFO"
        service = ("gateway", "billing", "stock")[int(chance.random() * 3)]
        said = f"upstream timed out after {3_000 + at} ms" if level == "ERROR" else f"served in {at % 90 + 4} ms"
        clock = f"2026-03-04T10:{at // 60:02}:{at % 60:02}Z"
        lines.append(f"{clock} {level:5} {service} request=r{at:05} {said}")
    return lines


def events(chance: random.Random) -> list[Record]:
    return [
        {
            "request": f"r{at:05}",
            "kind": ("lock wait", "deploy", "query")[2 if chance.random() < 0.9 else int(700 <= at < 702)],
            "pool": f"pool-{'b' if 690 <= at < 770 else 'a'}",
            "waited_ms": at if chance.random() < 0.5 else None,
        }
        for at in range(600, 900)
        for _ in range(2)
    ]


def payments(chance: random.Random) -> list[Record]:
    found: list[Record] = []
    for at in range(900):
        cents = int(chance.random() * 250_000) - (40_000 if chance.random() < 0.1 else 0)
        found.append(
            {
                "id": f"pay_{at:04}",
                "booked_on": day(chance, 1 + int(chance.random() * 6)),
                "amount": cents / 100,
                "fee": f"{abs(cents) * 29 / 10_000:.2f}",
                "currency": "EUR" if chance.random() < 0.8 else "USD",
                "method": ("card", "transfer", "debit")[int(chance.random() * 3)],
            }
        )
    return found


def pulls(chance: random.Random) -> list[Record]:
    return [
        {
            "number": 5_000 + at,
            "title": f"Change {at} of the {PARTS[at % len(PARTS)]}",
            "author": user(chance),
            "labels": labels(chance),
            "reviews": [
                {"user": user(chance), "verdict": ("approved", "changes", "comment")[int(chance.random() * 3)]}
                for _ in range(int(chance.random() * 4))
            ],
            "merged": chance.random() < 0.6,
        }
        for at in range(360)
    ]


def page(rows: list[Record], arguments: Record, size: int) -> Record:
    start = int(arguments.get("cursor") or 0)
    following = start + size
    return text(
        json.dumps({"devices": rows[start:following], "nextCursor": str(following) if following < len(rows) else None})
    )


def server(name: str, chance: random.Random) -> list[tuple[Record, Answer]]:
    """The tools of a server, each with what answers its calls."""
    match name:
        case "issues":
            found = issues(chance)
            result = text(json.dumps({"total_count": len(found), "incomplete_results": False, "items": found}))
            about = "Search for issues in GitHub repositories using issues search syntax"
            return [(tool("search_issues", about, query="string", sort="string"), lambda _: result)]
        case "orders":
            placed, known = both({"result": orders(chance)}), both({"result": customers(chance)})
            return [
                (tool("list_orders", "All orders of a year", year="integer"), lambda _: placed),
                (tool("list_customers", "All customers"), lambda _: known),
            ]
        case "devices":
            rows = devices(chance)
            about = "Devices of the fleet, 50 a page; nextCursor names the next page"
            return [(tool("list_devices", about, cursor="string"), lambda arguments: page(rows, arguments, 50))]
        case "log":
            lines, said = log_lines(chance), events(chance)
            return [
                (tool("read_log", "The log of a day", day="string"), lambda _: text("\n".join(lines))),
                (tool("read_events", "What the database said of a day's requests, as JSON Lines", day="string"),
                 lambda _: text("\n".join(map(json.dumps, said)))),
            ]  # fmt: skip
        case "payments":
            booked = both({"payments": payments(chance), "has_more": False})
            return [(tool("list_payments", "Payments of a half-year", half="string"), lambda _: booked)]
        case _:
            merged = text(json.dumps(pulls(chance)))
            return [(tool("list_pull_requests", "Pull requests of a repository", repo="string"), lambda _: merged)]


def answer(tools: list[tuple[Record, Answer]], message: Record) -> Record:
    params = message.get("params", {})
    match message["method"]:
        case "initialize":
            opening: Record = {"capabilities": {"tools": {}}, "serverInfo": {"name": "records", "version": "1"}}
            return {"protocolVersion": params["protocolVersion"], **opening}
        case "tools/list":
            return {"tools": [definition for definition, _ in tools]}
        case _:
            (called,) = (reply for definition, reply in tools if definition["name"] == params["name"])
            return called(params.get("arguments", {}))


def main(name: str) -> None:
    tools = server(name, random.Random(name))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(tools, message)
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            sys.stdout.flush()


main(sys.argv[1])
