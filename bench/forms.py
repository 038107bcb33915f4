"""How much slower than plain objects is a result in another form, or with other types?

    python bench/forms.py [--quick]      4 MiB of payload each, or 1

Each payload goes through the engine's own path in this process (read, infer, load into a database file, preview, handle), once to warm
up and then three times, in turns with the others. The ratio is that of the CPU time a byte of the result takes in this process, its
threads included (so that other work on the machine does not count), to plain objects of the same turn. Biased in favour of plain
objects where a form spends fewer bytes on the same cells (CSV, sparse keys, 1,500 columns), against them where it spends more.
"""

from __future__ import annotations

import csv
import io
import json
import random
import sys
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from lib import payloads
from lib.payloads import MIB
from lib.sheet import Sheet, run
from millpond.core.model import Verdict

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pond import canvas

MOST_RATIO = 5.0
"""No form or type is to be slower than this many times plain objects."""
TURNS = 3
_chance = random.Random(1)


def record(at: int) -> dict[str, Any]:
    """A row of a tracker."""
    return payloads.record(at, _chance)


def flat(at: int) -> dict[str, Any]:
    """The same without a list and an object, as tables of text hold it."""
    return payloads.flat(at, _chance)


def rows(size: int, make: Callable[[int], Any]) -> list[Any]:
    """So many rows that their JSON takes about this many bytes."""
    each = len(json.dumps(make(10))) + 2
    return [make(at) for at in range(max(size // each, 2))]


def structured(value: Any) -> bytes:
    return json.dumps({"content": [], "structuredContent": {"items": value}}, separators=(",", ":")).encode()


def raw(text: str) -> bytes:
    return ('{"content":[],"structuredContent":{"items":' + text + "}}").encode()


def text(payload: str) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": payload}]}).encode()


def table(found: list[dict[str, Any]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(found[0])
    writer.writerows(row.values() for row in found)
    return out.getvalue()


def markdown(found: list[dict[str, Any]]) -> str:
    lines = ["| " + " | ".join(map(str, row.values())) + " |" for row in found]
    return "\n".join(["| " + " | ".join(found[0]) + " |", "|" + "---|" * len(found[0]), *lines])


def deep(size: int) -> dict[str, Any]:
    """A tree of objects four deep, as reference data has."""
    each = {
        "support": {"chrome": {"version_added": "80"}, "safari": {"version_added": False, "notes": ["x", "y"]}},
        "status": {"deprecated": False},
    }
    count = size // (len(json.dumps(each)) + 20)
    return {
        f"group{at}": {
            f"feature{at}_{inner}": {"compat": each, **({"alone": 1} if inner % 7 == 0 else {}), f"own{at}": inner}
            for inner in range(20)
        }
        for at in range(count // 20)
    }


PAYLOADS: dict[str, Callable[[int], bytes]] = {
    "plain objects": lambda size: structured(rows(size, record)),
    "flat objects": lambda size: structured(rows(size, flat)),
    "in the text": lambda size: text(json.dumps({"items": rows(size, record)})),
    "in both channels": lambda size: json.dumps(
        {
            "content": [{"type": "text", "text": json.dumps({"items": (found := rows(size, record))})}],
            "structuredContent": {"items": found},
        }
    ).encode(),
    "a string in result": lambda size: json.dumps(
        {"content": [], "structuredContent": {"result": json.dumps(rows(size, record))}}
    ).encode(),
    "JSON Lines": lambda size: text("\n".join(map(json.dumps, rows(size, record)))),
    "one object a block": lambda size: json.dumps(
        {"content": [{"type": "text", "text": json.dumps(row)} for row in rows(size, record)]}
    ).encode(),
    "prose around": lambda size: text("Found:\n" + json.dumps(rows(size, record)) + "\nThat is all."),
    "CSV": lambda size: text(table(rows(size, flat), ",")),
    "TSV": lambda size: text(table(rows(size, flat), "\t")),
    "Markdown": lambda size: text(markdown(rows(size, flat))),
    "Python literals": lambda size: text(repr(rows(size, record))),
    "Python tuples": lambda size: text(repr([tuple(flat(at).values()) for at in range(size // 110)])),
    "Python with Decimal": lambda size: text(
        repr([{**flat(at), "price": Decimal(at) / 4} for at in range(size // 180)])
    ),
    "plain lines": lambda size: text(
        "".join(f"2026-01-01T00:00:00Z INFO worker {at} took {at % 97} ms\n" for at in range(size // 50))
    ),
    "long lines": lambda size: text(("word " * 2_000 + "\n") * (size // 10_000)),
    "columns and rows": lambda size: structured(
        {"columns": list(flat(0)), "rows": [list(flat(at).values()) for at in range(size // 110)]}
    ),
    "lists of lists": lambda size: structured([list(flat(at).values()) for at in range(size // 110)]),
    "lists below a header": lambda size: structured(
        [list(flat(0)), *(list(flat(at).values()) for at in range(size // 110))]
    ),
    "a map of objects": lambda size: structured({f"key{at}": record(at) for at in range(size // 260)}),
    "GraphQL edges": lambda size: structured(
        {"edges": rows(size, lambda at: {"cursor": f"c{at}", "node": record(at)})}
    ),
    "a deep tree": lambda size: json.dumps({"content": [], "structuredContent": deep(size)}).encode(),
    "numbers": lambda size: structured(rows(size, lambda at: {f"n{key}": at * key for key in range(10)})),
    "decimals": lambda size: structured(rows(size, lambda at: {f"n{key}": at * key / 8 for key in range(10)})),
    "doubles": lambda size: structured(rows(size, lambda at: {f"n{key}": _chance.random() for key in range(10)})),
    "exponents": lambda size: raw(
        "[" + ",".join(f'{{"a":{at}e2,"b":{at}.5e-3,"t":"text {at}"}}' for at in range(size // 45)) + "]"
    ),
    "NaN": lambda size: raw(
        "[" + ",".join(f'{{"a":{at}.25,"b":NaN,"t":"text {at}"}}' for at in range(size // 45)) + "]"
    ),
    "40 digits": lambda size: raw(
        "[" + ",".join(f'{{"a":{10**39 + at},"t":"text {at}"}}' for at in range(size // 65)) + "]"
    ),
    "mixed kinds": lambda size: structured(
        rows(size, lambda at: {"a": at if at % 2 else str(at), "b": at % 3 == 0 if at % 5 else at, "t": f"text {at}"})
    ),
    "mixed objects": lambda size: structured(
        rows(size, lambda at: {"a": {"x": at / 4} if at % 2 else at, "t": f"text {at}"})
    ),
    "a key twice": lambda size: raw(
        "[" + ",".join(f'{{"a":{at},"a":{at + 1},"t":"text {at}"}}' for at in range(size // 45)) + "]"
    ),
    "texts that look like keys": lambda size: structured(rows(size, lambda at: {"a": '{"x":1}', "t": f"text {at}"})),
    "keys that differ in case": lambda size: structured(rows(size, lambda at: {"a": at, "A": f"text {at}", "b": at})),
    "other letters": lambda size: json.dumps(
        {
            "content": [],
            "structuredContent": {"items": rows(size // 2, lambda at: {"t": "日本語のテキスト" * 5, "n": at})},
        },
        ensure_ascii=False,
    ).encode(),
    "escapes": lambda size: structured(rows(size, lambda at: {"t": 'line\n"quoted"\té' * 5, "n": at})),
    "long texts": lambda size: structured([{"t": "word " * 20_000, "n": at} for at in range(max(size // 100_000, 2))]),
    "60 columns": lambda size: structured(rows(size, lambda at: {f"c{key}": f"v{at}" for key in range(60)})),
    "400 columns": lambda size: structured(rows(size, lambda at: {f"c{key}": at + key for key in range(400)})),
    "1,500 columns": lambda size: structured(rows(size, lambda at: {f"column{key}": at + key for key in range(1_500)})),
    "sparse keys": lambda size: structured(
        rows(size, lambda at: {f"k{at % 50}": at, f"j{at % 31}": f"text {at}", "id": at})
    ),
    "lists of objects in rows": lambda size: structured(
        rows(size, lambda at: {"id": at, "l": [{"n": f"x{key}", "c": key} for key in range(6)]})
    ),
    "60 tables": lambda size: structured({f"t{key}": rows(size // 60, record) for key in range(60)}),
}


def measure(sheet: Sheet) -> None:
    """The time of each payload by its bytes, over that of plain objects in the same turn."""
    size_bytes = MIB if sheet.quick else 4 * MIB
    results = {name: make(size_bytes) for name, make in PAYLOADS.items()}
    seconds: dict[str, list[float]] = {name: [] for name in results}
    for turn in range(1 + TURNS):
        for name, result in results.items():
            each = take(result) / len(result)
            if turn:
                seconds[name].append(each)
    plain = seconds["plain objects"]
    slow: list[str] = []
    for name, each in seconds.items():
        ratios = [mine / theirs for mine, theirs in zip(each, plain, strict=True)]
        if sheet.add(f"form/{name}", "x", ratios).value > MOST_RATIO:
            slow.append(name)
    if slow:
        sheet.note("slower than bound", ", ".join(slow))


def take(result: bytes) -> float:
    """CPU seconds from the bytes of a result to its handle, on a new canvas."""
    with canvas(inline_rows_bytes=0, inline_text_bytes=0) as pond:
        call = pond.call("rows")
        began = time.process_time()
        outcome = pond.store.take(call, memoryview(result), "query")
        seconds = time.process_time() - began
    if outcome.verdict is not Verdict.REPLACE:
        raise SystemExit(f"not replaced: {outcome.note}")
    return seconds


if __name__ == "__main__":
    run("forms", __doc__, measure)
