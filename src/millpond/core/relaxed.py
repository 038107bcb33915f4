"""Relaxed JSON: what Python's `json` writes and strict decoders refuse, made strict without changing a value.

Rule: one linear pass; bytes that are strict already stay as they are. `NaN` and the infinities become number lexemes that occur
nowhere else in the text (markers), so that whoever loads the rows can put them back. Imports msgspec and the standard library only.
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
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HARMLESS_STRING = rb'"(?:[^"\\]++|\\[^u]|' + _PAIR + rb'|\\u(?![dD][89a-fA-F]))*+"'
_next = re.compile(
    rb'(?:[^"NI\d-]++|-(?!I)|\d{1,%d}+(?!\d)|%s)*+' % (MAX_INTEGER_DIGITS, _HARMLESS_STRING)
    + rb'(?:(?P<word>(?<![\w.+-])(?:NaN|-?Infinity)(?![\w.+-]))|(?P<digits>\d+)|(?P<string>"(?:[^"\\]++|\\.)*+"))?',
    re.DOTALL,
)
"""Everything that is strict already, in one step, and then what is not."""
_escape = re.compile(_PAIR + rb"|\\u[dD][89a-fA-F]|\\.", re.DOTALL)
_surrogate_escape = re.compile(rb"\\u[dD][89a-fA-F]")
_string = re.compile(rb'"[^"]*+"')
_zero_with_exponent = re.compile(rb"0(?:\.(0*+))?[eE]\+?0*+(\d{1,7})(\d*+)")
_two_digits = re.compile(rb"\d(?=\d)")
_PROBE_BYTES = MAX_INTEGER_DIGITS // 2
_STEPS = bytes(1 if byte in b"[{" else 255 if byte in b"]}" else byte for byte in range(256))
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_raw = msgspec.json.Decoder(msgspec.Raw)


class Relaxed(msgspec.Struct, frozen=True, kw_only=True):
    """A text made strict."""

    json: bytes
    """What `msgspec` accepts; numbers, keys and their order as they came."""
    markers: Mapping[bytes, bytes]
    """What stands in `json` for what it has no word for: `{b"0e9000000": b"NaN"}`. Each is the lexeme of a zero whose exponent
    no other zero of the text has, and occurs nowhere else in it, strings included."""
    notes: tuple[str, ...]
    """What was changed, a phrase each; empty where nothing was."""


def is_strict(data: bytes | memoryview) -> bool:
    """Whether `msgspec` takes this text as one value, and every integer in it can be decoded."""
    try:
        _raw.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return not _may_hold_long_integer(data)


def relax(data: bytes) -> Relaxed | None:
    """The strict form of a text, or None where it is not even relaxed JSON, or nested deeper than `MAX_DEPTH`."""
    if not _may_need_change(data):
        return Relaxed(json=data, markers={}, notes=()) if _is_taken(data) else None
    pieces: list[bytes] = []
    notes: set[str] = set()
    markers = _choose_markers(data)
    at = kept_from = 0
    while at < len(data):
        found = _next.match(data, at)
        if found is None or (found.lastgroup is None and found.end() < len(data)):
            return None
        at = found.end()
        if found.lastgroup is not None:
            start = found.start(found.lastgroup)
            changed = _strict_token(data, start, at, markers)
            if changed is not None:
                pieces += (data[kept_from:start], changed[0])
                notes.add(changed[1])
                kept_from = at
    strict = b"".join((*pieces, data[kept_from:])) if pieces else data
    if not _is_taken(strict):
        return None
    used = {marker: token for token, marker in markers.items()} if NOT_FINITE_NOTE in notes else {}
    return Relaxed(json=strict, markers=used, notes=tuple(sorted(notes)))


def _strict_token(data: bytes, start: int, end: int, markers: Mapping[bytes, bytes]) -> tuple[bytes, str] | None:
    """What to write instead of a token that a strict decoder may refuse, and what to say; None where it stays."""
    token = data[start:end]
    if token in markers:
        return markers[token], NOT_FINITE_NOTE
    if token.startswith(b'"'):
        return _escape.sub(_visible_escape, token), SURROGATES_NOTE
    signed = start - (data[start - 1 : start] == b"-")
    before, after = data[signed - 1 : signed] if signed else b"", data[end : end + 1]
    if before in (b".", b"e", b"E", b"+") or after in (b".", b"e", b"E"):
        return None  # a fraction or an exponent: its digits never become an integer
    return (b'"' + token + b'"', LONG_INTEGERS_NOTE) if signed == start else None


def _visible_escape(escape: re.Match[bytes]) -> bytes:
    text = escape[0]
    return b"\\" + text if text[1:3].lower() == b"ud" and len(text) == 4 else text


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
    skeleton = _string.sub(b"", without_escapes.translate(None, _NO_BRACKETS))
    return max(accumulate(array("b", skeleton.translate(_STEPS))), default=0)


def _may_hold_long_integer(data: bytes | memoryview) -> bool:
    """Whether more than `MAX_INTEGER_DIGITS` digits in a row may be there: looks at one byte in 2,000."""
    probes = bytes(data[::_PROBE_BYTES])
    for found in _two_digits.finditer(probes):
        start = found.start() * _PROBE_BYTES
        if bytes(data[start : start + _PROBE_BYTES]).isdigit():
            return True
    return False
