"""Raw: JSON values that are still text: what kind one is, what it holds, and what the place of a member is called.

Rule: one level is looked at, nothing below it is decoded. Imports msgspec and the standard library only.
"""

from __future__ import annotations

import re

import msgspec

OBJECT, ARRAY, STRING, NULL = ord("{"), ord("["), ord('"'), ord("n")
"""The first bytes of these kinds of value."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_string = msgspec.json.Decoder(str)


def first_byte(raw: msgspec.Raw) -> int:
    """The first byte of a raw value, which tells its kind."""
    return memoryview(raw)[0]


def read_members(raw: bytes | memoryview | msgspec.Raw) -> dict[str, msgspec.Raw]:
    """The members of an object; of a key that is there twice, the last. Raises `msgspec.DecodeError` where it is none."""
    return _members.decode(raw)


def read_elements(raw: bytes | memoryview | msgspec.Raw) -> list[msgspec.Raw]:
    """The elements of a list. Raises `msgspec.DecodeError` where it is none."""
    return _elements.decode(raw)


def read_string(raw: bytes | memoryview | msgspec.Raw) -> str:
    """The text of a string. Raises `msgspec.DecodeError` where it is none."""
    return _string.decode(raw)


def child_path(path: str, key: str) -> str:
    """The JSON path of a member: `$.items`, `$."odd key"`."""
    return path + child_step(key)


def child_step(key: str) -> str:
    """What a member adds to the path of its object: `.items`, `."odd key"`."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f".{msgspec.json.encode(key).decode()}"
