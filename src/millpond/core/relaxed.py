"""Relaxed JSON: what Python's `json` writes and strict decoders refuse, made strict without changing a value.

Rule: one linear pass; bytes that are strict already stay as they are. `NaN` and the infinities become number lexemes
that occur nowhere else in the text (markers), so that whoever loads the rows can put them back. Imports msgspec and the
standard library only.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from itertools import accumulate, count, islice

import msgspec

MAX_DEPTH = 500
"""Nesting of lists and objects that is taken; `json` and `msgspec` raise RecursionError near 1,000."""
MAX_INTEGER_DIGITS = 4_000
"""Digits of an integer that stays a number; CPython and msgspec refuse to make one of more than 4,300."""
FIRST_MARKER_EXPONENT = 9_000_000
"""Markers are zeros with exponents from here on, seven digits each, so that none is the beginning of another."""

SURROGATES_NOTE = "lone surrogates are shown as \\udXXX"
NOT_FINITE_NOTE = "NaN and Infinity are kept as numbers"
LONG_INTEGERS_NOTE = f"integers of more than {MAX_INTEGER_DIGITS} digits are kept as text"

_TOKENS = (b"NaN", b"Infinity", b"-Infinity")
_WORDS = frozenset(_TOKENS)
_BEFORE_FRACTION = frozenset((b".", b"e", b"E", b"+"))
_AFTER_WHOLE = frozenset((b".", b"e", b"E"))
_ODDITIES = (
    rb"NaN|Infinity|\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F]|u|[^u](?:\\[^u])*+)"
)
_oddity = re.compile(_ODDITIES, re.DOTALL)
_oddity_or_digits = re.compile(_ODDITIES + rb"|\d++", re.DOTALL)
_escape = re.compile(rb"\\.", re.DOTALL)
_surrogate_escape = re.compile(rb"\\u[dD][89a-fA-F]")
_string = re.compile(rb'"[^"]*+"')
_part_of_word = re.compile(rb"[\w.+-]")
_zero_with_exponent = re.compile(rb"0(?:\.(0*+))?[eE]\+?0*+(\d{1,7})(\d*+)")
_two_digits = re.compile(rb"\d(?=\d)")
_LONE_BYTES = len(rb"\ud8")
_PROBE_BYTES = MAX_INTEGER_DIGITS // 2
_STEPS = bytes(1 if byte in b"[{" else 255 if byte in b"]}" else byte for byte in range(256))
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_raw = msgspec.json.Decoder(msgspec.Raw)


class Relaxed(msgspec.Struct, frozen=True, kw_only=True):
    """A text made strict."""

    json: bytes
    """What `msgspec` accepts; numbers, keys and their order as they came."""
    markers: Mapping[bytes, bytes]
    """What stands in `json` for what it has no word for: `{b"0e9000000": b"NaN"}`. Each is the lexeme of a zero whose
    exponent no other zero of the text has, and occurs nowhere else in it, strings included."""
    notes: tuple[str, ...]
    """What was changed, a phrase each; empty where nothing was."""


def is_strict(data: bytes | memoryview) -> bool:
    """Whether `msgspec` takes this text as one value, and every integer in it can be decoded."""
    try:
        _raw.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return holds_no_long_integer(data)


def holds_no_long_integer(data: bytes | memoryview) -> bool:
    """Whether every integer in this strict text can be decoded."""
    return not _may_hold_long_integer(data) or not _changed(bytes(data)).notes


def relax(data: bytes) -> Relaxed | None:
    """The strict form of a text, or None where it is not even relaxed JSON, or nested deeper than `MAX_DEPTH`."""
    if not _may_need_change(data):
        return Relaxed(json=data, markers={}, notes=()) if _is_taken(data) else None
    changes = _changed(data)
    strict = changes.result()
    if not _is_taken(strict):
        return None
    used = {marker: token for token, marker in changes.markers.items()} if NOT_FINITE_NOTE in changes.notes else {}
    return Relaxed(json=strict, markers=used, notes=tuple(sorted(changes.notes)))


def _changed(data: bytes) -> _Changes:
    changes = _Changes(data)
    for found in (_oddity_or_digits if _may_hold_long_integer(data) else _oddity).finditer(data):
        changes.see(found)
    return changes


class _Changes:
    """A text, seen from its start to its end, and what is written instead of some of it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.markers = _choose_markers(data)
        self.notes: set[str] = set()
        self._pieces: list[bytes] = []
        self._copied = 0
        self._counted = 0
        self._quotes = 0
        """Quotes before `_counted` that begin or end a string."""

    def see(self, found: re.Match[bytes]) -> None:
        """Take the next place that may have to change."""
        token = found[0]
        if token.startswith(b"\\"):
            if len(token) == _LONE_BYTES and token[1:2] == b"u":
                self._write(found.start(), found.start(), b"\\", SURROGATES_NOTE)
            else:
                self._quotes -= token[1::2].count(b'"')
        elif token in _WORDS:
            self._see_word(found)
        elif len(token) > MAX_INTEGER_DIGITS and not self._is_in_string(found.start()):
            self._see_digits(found)

    def result(self) -> bytes:
        """The text with what was changed."""
        return b"".join((*self._pieces, self.data[self._copied :])) if self._pieces else self.data

    def _see_word(self, found: re.Match[bytes]) -> None:
        start = found.start() - (found[0] == b"Infinity" and self._byte(found.start() - 1) == b"-")
        touches = _part_of_word.match(self._byte(start - 1)) or _part_of_word.match(self._byte(found.end()))
        if not touches and not self._is_in_string(start):
            self._write(start, found.end(), self.markers[self.data[start : found.end()]], NOT_FINITE_NOTE)

    def _see_digits(self, found: re.Match[bytes]) -> None:
        start = found.start() - (self._byte(found.start() - 1) == b"-")
        if self._byte(start - 1) in _BEFORE_FRACTION or self._byte(found.end()) in _AFTER_WHOLE:
            return  # part of a fraction or an exponent, which never becomes an integer
        self._write(start, found.end(), b'"' + self.data[start : found.end()] + b'"', LONG_INTEGERS_NOTE)

    def _byte(self, at: int) -> bytes:
        return self.data[at : at + 1] if at >= 0 else b""

    def _is_in_string(self, at: int) -> bool:
        self._quotes += self.data.count(b'"', self._counted, at)
        self._counted = at
        return self._quotes % 2 == 1

    def _write(self, start: int, end: int, replacement: bytes, note: str) -> None:
        self._pieces += (self.data[self._copied : start], replacement)
        self._copied = end
        self.notes.add(note)


def _choose_markers(data: bytes) -> dict[bytes, bytes]:
    """For each token a marker: a zero with an exponent that no zero of the text has, and no text of it spells."""
    taken: set[int] = set()
    for found in _zero_with_exponent.finditer(data):
        taken.add(int(found[2]))
        if len(found[3]) < 12:
            taken.add(int(found[2] + found[3]) - len(found[1] or b""))
    free = islice((exponent for exponent in count(FIRST_MARKER_EXPONENT) if exponent not in taken), len(_TOKENS))
    return {token: b"0e%d" % exponent for token, exponent in zip(_TOKENS, free, strict=True)}


def _may_need_change(data: bytes) -> bool:
    """Whether the text holds a word for what strict JSON refuses; most texts that come here are simply no JSON."""
    return (
        b"NaN" in data
        or b"Infinity" in data
        or _surrogate_escape.search(data) is not None
        or _may_hold_long_integer(data)
    )


def _is_taken(strict: bytes) -> bool:
    try:
        _raw.decode(strict)
    except (msgspec.DecodeError, RecursionError):
        return False
    return _depth(strict) <= MAX_DEPTH


def _depth(strict: bytes) -> int:
    """The deepest nesting of a text whose strings are closed."""
    without_escapes = _escape.sub(b"", strict) if b"\\" in strict else strict
    brackets = without_escapes.translate(None, _NO_BRACKETS).replace(b'""', b"")
    skeleton = _string.sub(b"", brackets)
    return max(accumulate(array("b", skeleton.translate(_STEPS))), default=0)


def _may_hold_long_integer(data: bytes | memoryview) -> bool:
    """Whether more than `MAX_INTEGER_DIGITS` digits in a row may be there: looks at one byte in 2,000."""
    probes = bytes(data[::_PROBE_BYTES])
    for found in _two_digits.finditer(probes):
        start = found.start() * _PROBE_BYTES
        if bytes(data[start : start + _PROBE_BYTES]).isdigit():
            return True
    return False
