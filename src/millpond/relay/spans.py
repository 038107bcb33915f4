"""Spans: where members of an object and elements of a list lie in a JSON text, so that an edit touches nothing else.

Rule: a value is never built, and a text that strict JSON refuses (NaN, lone surrogates) has the same spans as one that
it takes. Imports msgspec and the standard library only.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeVar

import msgspec

SPACE = rb"[ \t\r\n]*"
"""What may stand between two tokens of JSON."""
_STRING = rb'"(?:[^"\\]|\\.)*"'
_KEY = re.compile(
    SPACE + rb"(?P<delimiter>[{,])" + SPACE + b"(?P<name>" + _STRING + b")" + SPACE + rb":" + SPACE, re.DOTALL
)
_ELEMENT = re.compile(SPACE + rb"(?P<delimiter>[\[,])" + SPACE)
_OBJECT_END = re.compile(SPACE + rb"\}" + SPACE)
_LIST_END = re.compile(SPACE + rb"\]" + SPACE)
_SURROGATE = re.compile(rb"\\u[dD]")

_objects = msgspec.json.Decoder(dict[str, msgspec.Raw])
_lists = msgspec.json.Decoder(list[msgspec.Raw])
_strings = msgspec.json.Decoder(str)
_Decoded = TypeVar("_Decoded")


class Member(NamedTuple):
    """A member's value or an element: `text[start:stop]`."""

    delimiter: int
    """Where the brace, bracket or comma before it lies."""
    start: int
    stop: int

    def of(self, text: bytes) -> bytes:
        """The value as it is written."""
        return text[self.start : self.stop]


class Edit(NamedTuple):
    """Put `new` in the place of `text[start:stop]`."""

    start: int
    stop: int
    new: bytes


def edited(text: bytes, *edits: Edit) -> bytes:
    """The text with the edits made; they come in order and do not overlap."""
    pieces: list[bytes | memoryview] = []
    view, at = memoryview(text), 0
    for edit in edits:
        pieces += (view[at : edit.start], edit.new)
        at = edit.stop
    return b"".join((*pieces, view[at:]))


def object_members(text: bytes, start: int = 0, stop: int | None = None) -> dict[str, Member] | None:
    """The members of the object that `text[start:stop]` is, in their order.

    None where it is no object, is nested too deep for the decoder (about 1,000 on Python 3.11), or has a name twice, so
    that no edit could be exact.
    """
    stop = len(text) if stop is None else stop
    raws = _decoded(_objects, text, start, stop)
    if raws is None:
        return None
    members: dict[str, Member] = {}
    at = start
    for name, raw in raws.items():
        key = _KEY.match(text, at, stop)
        if key is None:
            return None
        at = key.end() + len(raw)
        members[_name(key["name"], name)] = Member(key.start("delimiter"), key.end(), at)
    empty_start = at if members else text.find(b"{", start, stop) + 1
    return members if _OBJECT_END.fullmatch(text, empty_start, stop) else None


def members_of(text: bytes, value: Member | None) -> dict[str, Member]:
    """The members of a value that is an object; none where it is another, or is not there."""
    return {} if value is None else object_members(text, value.start, value.stop) or {}


def list_elements(text: bytes, start: int, stop: int) -> list[Member] | None:
    """The elements of the list that `text[start:stop]` is; None where it is none, or is nested too deep."""
    raws = _decoded(_lists, text, start, stop)
    if raws is None:
        return None
    elements: list[Member] = []
    at = start
    for raw in raws:
        before = _ELEMENT.match(text, at, stop)
        if before is None:
            return None
        at = before.end() + len(raw)
        elements.append(Member(before.start("delimiter"), before.end(), at))
    empty_start = at if elements else text.find(b"[", start, stop) + 1
    return elements if _LIST_END.fullmatch(text, empty_start, stop) else None


def string_value(text: bytes, member: Member | None) -> str | None:
    """The string that a member is; None where it is not there or is none."""
    if member is None or text[member.start : member.start + 1] != b'"':
        return None
    return _decoded(_strings, text, member.start, member.stop)


def harmless(text: bytes) -> bytes:
    """The text with what strict JSON has no word for replaced by as many bytes that it has: spans stay."""
    copy = text.replace(b"NaN", b"0.0").replace(b"Infinity", b"0.000000")
    return _SURROGATE.sub(rb"\\u0", copy)


def _name(raw: bytes, read: str) -> str:
    """The name as it was written, for one that was read in a harmless copy may be another there."""
    try:
        return _strings.decode(raw)
    except msgspec.DecodeError:
        return read


def _decoded(decoder: msgspec.json.Decoder[_Decoded], text: bytes, start: int, stop: int) -> _Decoded | None:
    part = memoryview(text)[start:stop]
    try:
        return decoder.decode(part)
    except RecursionError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return decoder.decode(harmless(bytes(part)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
