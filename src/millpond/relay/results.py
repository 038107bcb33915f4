"""Results: what results of several methods have in common, by the places of their members.

Rule: nothing is decoded but what is asked for. Imports the relay's `spans`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from millpond.relay.spans import Edit, Member, members_of


def capabilities(line: bytes, result: Member) -> tuple[Member | None, Mapping[str, Member]]:
    """Where the answer to an opening has the server's capabilities, and what they are."""
    place = members_of(line, result).get("capabilities")
    return place, members_of(line, place)


def is_last_page(line: bytes, members: Mapping[str, Member]) -> bool:
    """True where no `nextCursor` tells of another page."""
    cursor = members.get("nextCursor")
    return cursor is None or cursor.of(line) in (b"null", b'""')


def appended(line: bytes, place: Member, elements: Sequence[Member], ours: bytes) -> Edit:
    """Our elements, as JSON with commas between, behind the last one of a list."""
    at = elements[-1].stop if elements else line.index(b"[", place.start) + 1
    return Edit(at, at, b"," + ours if elements else ours)


def is_error(line: bytes, members: Mapping[str, Member]) -> bool:
    """True where the result of a tool says that it is an error."""
    flag = members.get("isError")
    return flag is not None and flag.of(line) == b"true"
