"""Envelope: what kind of message a line is, and where its members lie in it.

Rule: only the envelope is decoded; a line that no decoder takes is recognised by its head and tail. Imports the relay's
`spans` only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from millpond.relay.spans import SPACE, Member, members_of, object_members, string_value

SKELETON_BYTES = 4096
"""How far from either end of a line that cannot be decoded its short members (`jsonrpc`, `id`, `method`) are sought."""

_SCALAR = rb'(?:"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|null)'
_SHORT = SPACE + rb'"(?P<name>jsonrpc|id|method)"' + SPACE + rb":" + SPACE + rb"(?P<value>" + _SCALAR + rb")" + SPACE
_HEAD_MEMBER = re.compile(SPACE + rb"(?P<delimiter>[{,])" + _SHORT, re.DOTALL)
_TAIL_MEMBER = re.compile(rb"(?P<delimiter>,)" + _SHORT, re.DOTALL)
_TAIL = re.compile(rb"(?:," + re.sub(rb"\?P<\w+>", rb"?:", _SHORT) + rb")*\}" + SPACE + rb"\Z", re.DOTALL)
_LONG = re.compile(
    SPACE + rb"(?P<delimiter>[{,])" + SPACE + rb'"(?P<name>params|result|error)"' + SPACE + rb":" + SPACE
)


@dataclass(frozen=True, slots=True)
class Envelope:
    """The members of one JSON-RPC message, as places in its line."""

    line: bytes
    id: bytes | None
    """The raw text of the id: `1`, `"1"` and `1.0` are three ids. None where there is none, or it is null."""
    id_place: Member | None
    """Where it stands; None where `id` is None."""
    method: str | None
    params: Member | None
    result: Member | None
    error: Member | None

    def of_params(self) -> Mapping[str, Member]:
        """The members of `params`; none where it is no object."""
        return members_of(self.line, self.params)


def read_envelope(line: bytes) -> Envelope | None:
    """The envelope of a line, or None for what is no single message (junk, a blank line, a batch)."""
    if line[:1] != b"{" and line.lstrip()[:1] != b"{":
        return None
    members = object_members(line)
    if members is None:
        members = _skeleton(line)
    place = members.get("id")
    raw_id = None if place is None else place.of(line)
    found = Envelope(
        line=line,
        id=None if raw_id == b"null" else raw_id,
        id_place=None if raw_id == b"null" else place,
        method=string_value(line, members.get("method")),
        params=members.get("params"),
        result=members.get("result"),
        error=members.get("error"),
    )
    return None if found.id is None and found.method is None else found


def read_whole(line: bytes) -> Envelope | None:
    """The same of a server's line. Its last one may be what is left of a message: without an end it counts if it is JSON."""
    return read_envelope(line) if line.endswith(b"\n") or object_members(line) is not None else None


def _skeleton(line: bytes) -> dict[str, Member]:
    """The short members around one long value that is not looked into; none where the line is not of that form."""
    found: dict[str, Member] = {}
    at = 0
    while member := _HEAD_MEMBER.match(line, at, SKELETON_BYTES):
        found[member["name"].decode()] = Member(member.start("delimiter"), *member.span("value"))
        at = member.end()
    tail_start = max(at, len(line) - SKELETON_BYTES)
    tail = _TAIL.search(line, tail_start)
    if tail is None:
        return {}
    for member in _TAIL_MEMBER.finditer(line, tail.start()):
        found[member["name"].decode()] = Member(member.start("delimiter"), *member.span("value"))
    long = _LONG.match(line, at)
    if long is not None:
        found[long["name"].decode()] = Member(long.start("delimiter"), long.end(), tail.start())
    return found
