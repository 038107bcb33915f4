"""Payloads: results of a given size, shape and channel, the same ones in every run.

Rule: a size is that of the rows' JSON without white space; what goes round them comes on top. Past `DISTINCT_BYTES` the rows repeat,
for making them takes longer than what is measured. Imports the standard library only.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Literal

MIB = 1 << 20
DISTINCT_BYTES = 8 * MIB
Channel = Literal["structured", "text", "both"]
Row = dict[str, Any]
SMALL = b'{"content":[{"type":"text","text":"all is well"}]}'
"""A result of one short text."""


def record(at: int, chance: random.Random) -> Row:
    """A row as trackers give them: numbers, money, texts, a stamp, an object, a list of objects, a value that is often missing."""
    return {
        "id": at,
        "number": 100_000 + at,
        "title": "Issue " + "".join(chance.choices("abcdefgh ", k=40)),
        "state": chance.choice(["open", "closed"]),
        "score": round(chance.random() * 100, 2),
        "created_at": f"2026-01-{1 + at % 28:02}T10:00:00Z",
        "labels": [{"name": "bug", "color": f"{chance.randrange(1 << 24):06x}"}] * (at % 3),
        "user": {"login": f"user{at % 500}", "id": at % 500},
        "locked": at % 7 == 0,
        "comments": None if at % 5 else at,
    }


def flat(at: int, chance: random.Random) -> Row:
    """The same without a list and an object, as tables of text hold it."""
    return {key: value for key, value in record(at, chance).items() if key not in ("labels", "user")}


def wide(at: int, chance: random.Random, columns: int = 60) -> Row:
    """Many columns, of whole numbers, fractions and short texts in turn."""
    return {
        f"c{key}": at * key if key % 3 == 0 else round(chance.random() * 1000, 3) if key % 3 == 1 else f"v{at % 97}"
        for key in range(columns)
    }


def long_text(at: int, chance: random.Random) -> Row:
    """A document: a title and 4 KB of text."""
    words = ["river", "gate", "mill", "stone", "water", "wheel", "sluice", "flour", "dam", "weir"]
    return {"id": at, "title": f"Document {at}", "body": " ".join(chance.choices(words, k=650))}


SHAPES: dict[str, Callable[[int, random.Random], Row]] = {
    "nested": record,
    "flat": flat,
    "wide": wide,
    "long text": long_text,
}
"""What the rows are like; `nested` is the one that the figures to reach are about."""


def rows_text(size_bytes: int, make: Callable[[int, random.Random], Row] = record) -> str:
    """A JSON list of rows, of at most so many bytes, and of one row at least."""
    texts = _distinct(min(size_bytes, DISTINCT_BYTES), make)
    found: list[str] = []
    left = size_bytes - 2
    while left > 0:
        some = list(texts) if left > DISTINCT_BYTES else _fitting(texts, left)
        found += some
        left -= sum(map(len, some)) + len(some)
        if len(some) < len(texts):
            break
    return f"[{','.join(found or texts[:1])}]"


def _distinct(size_bytes: int, make: Callable[[int, random.Random], Row]) -> list[str]:
    chance = random.Random(1)
    texts: list[str] = []
    while size_bytes > 0:
        texts.append(json.dumps(make(len(texts), chance), separators=(",", ":")))
        size_bytes -= len(texts[-1]) + 1
    return texts


def _fitting(texts: list[str], size_bytes: int) -> list[str]:
    """The first of these that fit, each with a comma."""
    found: list[str] = []
    for text in texts:
        size_bytes -= len(text) + 1
        if size_bytes < 0:
            break
        found.append(text)
    return found


def count_text(count: int, make: Callable[[int, random.Random], Row] = record) -> str:
    """A JSON list of so many rows."""
    chance = random.Random(1)
    return json.dumps([make(at, chance) for at in range(count)], separators=(",", ":"))


def result(rows: str, channel: Channel = "structured") -> bytes:
    """The raw `result` value of a call that answers with these rows, as `{"items": ROWS}`."""
    document = f'{{"items":{rows}}}'
    text = "ok" if channel == "structured" else document
    content = f'[{{"type":"text","text":{json.dumps(text)}}}]'
    structured = "" if channel == "text" else f',"structuredContent":{document}'
    return f'{{"content":{content}{structured}}}'.encode()
