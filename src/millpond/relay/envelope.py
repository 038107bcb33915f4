"""Envelope: what kind of message a line is, and where its result lies in it.

Rule: only the envelope is decoded, never a value; a line that no decoder takes is still recognised by its head and tail. Imports
msgspec and the standard library only.
"""

from __future__ import annotations

import re

import msgspec

SPAN_SEARCH_BYTES = 4096
"""Where the other members of an envelope are looked for: they are short and stand before or behind the result."""

_SURROGATE = re.compile(rb"\\u[dD]")
_ID = re.compile(rb'"id"\s*:\s*(-?[0-9][0-9.eE+-]*|"(?:[^"\\]|\\.)*")')
_METHOD = re.compile(rb'"method"\s*:\s*"((?:[^"\\]|\\.)*)"')
_RESULT = re.compile(rb'"result"\s*:\s*')


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """The members of one JSON-RPC message."""

    id: bytes | None = None
    """The raw text of the id: `1`, `"1"` and `1.0` are three ids."""
    method: str | None = None
    params: bytes | None = None
    result: slice | None = None
    """Where the result's raw text lies in the line; None also where it could not be found exactly."""
    is_answer: bool = False
    is_error: bool = False


class _Members(msgspec.Struct):
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: str | None = None
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_decoder = msgspec.json.Decoder(_Members)


def read_envelope(line: bytes) -> Envelope | None:
    """The envelope of a line, or None for what is no single message (junk, a blank line, a batch)."""
    if not line.lstrip()[:1] == b"{":
        return None
    try:
        return _envelope(line, line, _decoder.decode(line))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    copy = harmless(line)
    try:
        return _envelope(line, copy, _decoder.decode(copy))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _guess(line)


def harmless(line: bytes) -> bytes:
    """The line with what strict JSON has no word for replaced by as many bytes that it has: offsets stay."""
    copy = line.replace(b"NaN", b"0.0").replace(b"Infinity", b"0.000000")
    return _SURROGATE.sub(rb"\\u0", copy)


def _envelope(line: bytes, text: bytes, members: _Members) -> Envelope:
    answer = members.method is None and (members.result is not msgspec.UNSET or members.error is not msgspec.UNSET)
    answer = answer or (members.method is None and members.id is not msgspec.UNSET)
    return Envelope(
        id=None if members.id is msgspec.UNSET or bytes(members.id) == b"null" else bytes(members.id),
        method=members.method,
        params=None if members.params is msgspec.UNSET else _original(line, text, members.params),
        result=None if members.result is msgspec.UNSET else _span(text, members.result),
        is_answer=answer,
        is_error=members.error is not msgspec.UNSET,
    )


def _original(line: bytes, text: bytes, raw: msgspec.Raw) -> bytes:
    if text is line:
        return bytes(raw)
    at = text.find(bytes(raw))
    return line[at : at + len(raw)]


def _span(text: bytes, raw: msgspec.Raw) -> slice | None:
    """Where a result lies: behind the first `"result":` that it follows, or up to the closing brace."""
    length = len(raw)
    view = memoryview(raw)
    candidates = [found.end() for found in _RESULT.finditer(text, 0, SPAN_SEARCH_BYTES)]
    end = len(text.rstrip())
    candidates.append(len(text[:end].rstrip(b"}").rstrip()) - length if length < 16 else end - 1 - length)
    for start in candidates:
        if start >= 0 and memoryview(text)[start : start + length] == view:
            return slice(start, start + length)
    at = text.rfind(bytes(raw))
    return slice(at, at + length) if at >= 0 else None


def _guess(line: bytes) -> Envelope | None:
    """The members that the head or the tail shows; the payload between them is not looked at."""
    head, tail = line[:SPAN_SEARCH_BYTES], line[-SPAN_SEARCH_BYTES:]
    id = _ID.search(head) or _ID.search(tail)
    method = _METHOD.search(head)
    if id is None and method is None:
        return None
    return Envelope(
        id=None if id is None else id[1],
        method=None if method is None else method[1].decode("utf-8", "replace"),
        is_answer=method is None,
        is_error=b'"error"' in head and b'"result"' not in head,
    )
