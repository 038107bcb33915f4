"""Remarks: a line for the agent in a result that is made here.

Rule: nothing of the result is changed, something is added. Imports msgspec and the relay's `spans`.
"""

from __future__ import annotations

import msgspec

from millpond.relay.spans import Edit, Member, edited, list_elements, object_members, string_value


def with_remark(result: bytes, remark: str) -> bytes:
    """The raw result with a remark below the text of its first block, which is made where it is no text."""
    content = (object_members(result) or {}).get("content")
    blocks = None if content is None else list_elements(result, content.start, content.stop)
    if content is None or blocks is None:
        return result
    members = object_members(result, blocks[0].start, blocks[0].stop) or {} if blocks else {}
    text = members.get("text")
    if text is not None and string_value(result, members.get("type")) == "text":
        added = msgspec.json.encode("\n" + remark)[1:]
        return edited(result, Edit(text.stop - 1, text.stop, added))
    return _with_block(result, content, remark, is_only=not blocks)


def as_text(result: bytes) -> bytes:
    """The raw result with what is in `structuredContent` as its first text block, for clients that show nothing else."""
    members = object_members(result) or {}
    content, data = members.get("content"), members.get("structuredContent")
    if content is None or data is None:
        return result
    is_only = not list_elements(result, content.start, content.stop)
    return _with_block(result, content, data.of(result).decode("utf-8", "backslashreplace"), is_only=is_only)


def _with_block(result: bytes, content: Member, text: str, *, is_only: bool) -> bytes:
    block = msgspec.json.encode({"type": "text", "text": text})
    return edited(result, Edit(content.start + 1, content.start + 1, block + (b"" if is_only else b",")))
