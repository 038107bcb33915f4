"""Target: what hostile bytes are thrown at, and what must hold whatever they are.

Rule: a check raises where a promise is broken and returns otherwise, and says the same of the same bytes each time. Imports the cases
and the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cases import forms, results, shapes, types

JSON_WORDS = (
    b'{"', b'":', b'","', b"[{", b"}]", b"[]", b"{}", b",", b"null", b"true", b"NaN", b"-Infinity", b"1e400", b"-0.0", b"0.1", b"1E-7",
    b"9007199254740993", b"9" * 39, b"\\ud800", b"\\udc00", b"\\u0041", b'\\"', b"\\\\", b"\xed\xa0\x80", b"\xff", b"\xef\xbb\xbf", b"\0",
    b"[" * 600, b"[" * 1200, b'{"a":' * 600, b"]" * 600, b"]" * 1200, b"}" * 600, b"9" * 4400,
)  # fmt: skip
"""What JSON is made of, and what decoders disagree about."""
RESULTS = tuple(case.result.encode() for module in (forms, shapes, types, results) for case in module.CASES)
"""The results of all cases, as servers write them."""


@dataclass(frozen=True, slots=True)
class Target:
    """One promise about any bytes."""

    check: Callable[[bytes], None]
    """Raises anything where the promise is broken."""
    seeds: tuple[bytes, ...]
    """Inputs that lie near what matters; what is tried is made of them."""
    words: tuple[bytes, ...]
    """Pieces to put into an input."""


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


class Members(tuple[tuple[str, Any], ...]):
    """An object, with every member that was written."""

    __slots__ = ()


def read_json(text: str) -> Any:
    """What the standard library reads in a text: numbers and words by their lexemes, objects as `Members`.

    Raises `ValueError` for what is no JSON, and `RecursionError` for deep nesting.
    """
    return json.loads(text, object_pairs_hook=Members, parse_int=Number, parse_float=Number, parse_constant=Number)


def as_json(text: str) -> tuple[Any] | None:
    """What the standard library reads, in a tuple; None where it reads nothing."""
    try:
        return (read_json(text),)
    except (ValueError, RecursionError):
        return None


def deepest(text: str) -> int:
    """How deep brackets lie in a text that is JSON, those in strings too: never less than how deep it is nested."""
    depth = most = 0
    for char in text:
        depth += (char in "[{") - (char in "]}")
        most = max(most, depth)
    return most


def has_lone_surrogate(value: object) -> bool:
    """Whether a text holds half of a character."""
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)
