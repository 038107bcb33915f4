"""Resources: tables and results as MCP resources, beside the server's own.

Rule: every other byte of the server's lists and of its answer to `initialize` stays; a URI of `millpond://` is answered here and no
other is. Imports msgspec, `core.resources` and the relay's `envelope`, `requests`, `results` and `spans`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from millpond.core.resources import SCHEME, TEMPLATES
from millpond.relay.envelope import Envelope
from millpond.relay.requests import error_line, result_line
from millpond.relay.results import appended, capabilities, is_last_page
from millpond.relay.spans import Edit, Member, edited, list_elements, members_of, object_members, string_value

READ = "resources/read"
LISTS: Mapping[str, str] = {"resources/list": "resources", "resources/templates/list": "resourceTemplates"}
"""The methods that list, each with the member of its result that holds the list."""
NOT_FOUND = -32002
"""The code for a resource that is not there, up to 2025-11-25."""
INVALID_PARAMS = -32602
"""The same in 2026-07-28."""
_MODERN = b',"resultType":"complete","ttlMs":0,"cacheScope":"private"'
"""What a result of 2026-07-28 has beside its data. Tables come with every call, and they are nobody else's."""
_FRESH = {"ttlMs": b"0", "cacheScope": b'"private"'}
"""What a list says of its caching once it names tables."""

_templates = msgspec.json.encode(TEMPLATES)[1:-1]


@dataclass(frozen=True, slots=True)
class Listing:
    """The last page of a server's list of resources, or of none, in its line."""

    line: bytes
    result: Member


def own_uri(envelope: Envelope) -> str | None:
    """The URI of ours that a request asks for; None where it is the server's."""
    uri = string_value(envelope.line, envelope.of_params().get("uri")) if envelope.method == READ else None
    return uri if uri is not None and uri.lower().startswith(SCHEME) else None


def offers_resources(line: bytes, result: Member) -> bool:
    """True where the answer to the opening says that the server has resources."""
    return "resources" in capabilities(line, result)[1]


def with_capability(line: bytes, result: Member) -> bytes:
    """The line of an opening with the capability in it; the line itself where it has no capabilities."""
    place, members = capabilities(line, result)
    if place is None:
        return line
    end = line.rindex(b"}", place.start, place.stop)
    return edited(line, Edit(end, end, b',"resources":{}' if members else b'"resources":{}'))


# --- lists ----------------------------------------------------------------------------------------------------------


def empty_list(method: str, raw_id: bytes, is_modern: bool) -> Envelope:
    """The answer of a server that has none of what this method lists."""
    line, place = result_line(raw_id, b'{"' + LISTS[method].encode() + b'":[]' + (_MODERN if is_modern else b"") + b"}")
    return Envelope(line, raw_id, None, None, None, place, None)


def last_page(line: bytes, result: Member, method: str) -> Listing | None:
    """The page, where it is the last and what the protocol says it is."""
    members = members_of(line, result)
    place = members.get(LISTS[method])
    is_list = place is not None and list_elements(line, place.start, place.stop) is not None
    return Listing(line, result) if is_list and is_last_page(line, members) else None


def with_templates(listing: Listing) -> bytes:
    """The line with our templates behind the server's."""
    return edited(listing.line, _added(listing, "resourceTemplates", _templates))


def with_tables(listing: Listing, raw: bytes) -> bytes:
    """The line with our tables behind the server's resources; the line itself where there are none. `raw` is what the engine said."""
    ours = _part(_part(raw, "result"), "resources")[1:-1]
    if not ours:
        return listing.line
    members = members_of(listing.line, listing.result)
    fresh = [Edit(members[name].start, members[name].stop, new) for name, new in _FRESH.items() if name in members]
    return edited(listing.line, *sorted([_added(listing, "resources", ours), *fresh]))


def _added(listing: Listing, name: str, ours: bytes) -> Edit:
    """Our elements behind the last one of the list of that name."""
    line = listing.line
    place = members_of(line, listing.result)[name]
    return appended(line, place, list_elements(line, place.start, place.stop) or (), ours)


# --- reading --------------------------------------------------------------------------------------------------------


def read_line(raw_id: bytes, uri: str, is_modern: bool, raw: bytes) -> bytes:
    """The line that answers a read, in the caller's era; `raw` is what the engine said."""
    if result := _part(raw, "result"):
        return result_line(raw_id, result[:-1] + (_MODERN if is_modern else b"") + b"}")[0]
    why = string_value(raw, (object_members(raw) or {}).get("missing"))
    if why is not None:
        return missing_line(raw_id, uri, is_modern, why)
    return error_line(raw_id, _refused(raw))


def missing_line(raw_id: bytes, uri: str, is_modern: bool, why: str) -> bytes:
    """The line that says that there is no such resource."""
    return error_line(raw_id, why, INVALID_PARAMS if is_modern else NOT_FOUND, {"uri": uri})


def _part(raw: bytes, name: str) -> bytes:
    """The raw text of a member of an object; empty where there is no such member."""
    place = (object_members(raw) or {}).get(name)
    return b"" if place is None else place.of(raw)


def _refused(raw: bytes) -> str:
    """What an own tool's error says: the engine answers so where it could not look."""
    members = object_members(raw) or {}
    place = members.get("content")
    blocks = None if place is None else list_elements(raw, place.start, place.stop)
    first = {} if not blocks else object_members(raw, blocks[0].start, blocks[0].stop) or {}
    return string_value(raw, first.get("text")) or "the resource could not be read; try again"
