"""Replacement: the `result` value that the client gets instead of the payload.

Rule: only the data goes; every other member and block stays as it came. Imports `core.payload`, `core.raw`, `core.rows` and msgspec.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from millpond.core.payload import Payload
from millpond.core.raw import OBJECT, first_byte, read_members
from millpond.core.rows import restore

META_HANDLE = "millpond/handle"
"""The member of `_meta` that holds the handle for programs."""


def replace_result(payload: Payload, text: str, meta: Mapping[str, object]) -> bytes:
    """The result with the handle's text first, then the kept blocks, without `structuredContent`."""
    members: dict[str, object] = dict(payload.members)
    own = msgspec.Raw(msgspec.json.encode(meta))
    theirs = payload.members.get("_meta")
    merged = {**_object(theirs), META_HANDLE: own}
    content: list[object] = [{"type": "text", "text": text}, *payload.kept]
    result = {"content": content, **members, "_meta": merged}
    return restore(msgspec.json.encode(result), payload.markers)


def _object(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    if raw is None or first_byte(raw) != OBJECT:
        return {}
    return read_members(raw)
