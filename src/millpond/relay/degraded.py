"""Degraded: what a client gets of an answer that is too large to pass and that the engine did not take.

Rule: a call that worked is never an error, and never silently cut: a note, then the first part. Imports `core.clip`,
msgspec and the relay's `spans`.
"""

from __future__ import annotations

from contextlib import suppress

import msgspec

from millpond.core.clip import clip
from millpond.relay.spans import Edit, Member, edited, list_elements, members_of, string_value

FIRST_PART_BYTES = 32_768
"""Of the data that is shown, in UTF-8: what common clients show of any result."""
SMALL_MEMBER_BYTES = 4_096
"""Other members of the result (`isError`, `_meta`, `resultType`) stay up to this size."""
_LONGEST_ESCAPE_BYTES = 12
"""`\\ud83d\\ude00`: a cut inside of one is moved before it."""
_strings = msgspec.json.Decoder(str)


def degraded_line(line: bytes, result: Member, why: str) -> bytes:
    """The line with a short result in the place of its own; `why` tells what kept it from becoming a table."""
    members = members_of(line, result)
    size = result.stop - result.start
    note = (
        f"This result has {size:,} bytes, more than a client can be sent in one line,"
        f" and no table was made of it: {why}. Its first part follows."
        " For less at once, call the tool again for fewer rows, a page, or with a filter."
    )
    text = f"{note}\n\n{_first_part(line, members, result)}"
    kept = {
        name: msgspec.Raw(member.of(line))
        for name, member in members.items()
        if name not in ("content", "structuredContent") and member.stop - member.start <= SMALL_MEMBER_BYTES
    }
    body = msgspec.json.encode({"content": [{"type": "text", "text": text}], **kept})
    return edited(line, Edit(result.start, result.stop, body))


def degraded_error(line: bytes, error: Member) -> bytes:
    """The line with the error's code and the first part of its message; its data is left out."""
    members = members_of(line, error)
    code = members.get("code")
    raw_code = b"-32603" if code is None else code.of(line)
    message = _first_text(line, members["message"]) if "message" in members else ""
    message += " (the rest of this error is more than a client can be sent in one line)"
    body = msgspec.json.encode({"code": msgspec.Raw(raw_code), "message": message})
    return edited(line, Edit(error.start, error.stop, body))


def _first_part(line: bytes, members: dict[str, Member], result: Member) -> str:
    """The beginning of the largest of what holds data: a text block, the structured content, or else the raw result."""
    content = members.get("content")
    blocks = list_elements(line, content.start, content.stop) if content is not None else None
    texts = [text for block in blocks or () if (text := _text_of(line, block)) is not None]
    structured = members.get("structuredContent")
    text = max(texts, key=_size, default=None)
    if text is not None and (structured is None or _size(text) >= _size(structured)):
        return _first_text(line, text)
    return _first_raw(line, structured or result)


def _size(member: Member) -> int:
    return member.stop - member.start


def _text_of(line: bytes, block: Member) -> Member | None:
    members = members_of(line, block)
    return members.get("text") if string_value(line, members.get("type")) == "text" else None


def _first_text(line: bytes, text: Member) -> str:
    """The first part of a JSON string, decoded."""
    end = min(text.stop - 1, text.start + FIRST_PART_BYTES)
    is_whole = end == text.stop - 1
    for cut in range(end, end - 1 if is_whole else end - _LONGEST_ESCAPE_BYTES, -1):
        with suppress(msgspec.DecodeError):
            return clip(_strings.decode(line[text.start : cut] + b'"'), FIRST_PART_BYTES).text
    return _first_raw(line, text)


def _first_raw(line: bytes, member: Member) -> str:
    """The first part of a value's JSON, as it stands in the line."""
    end = min(member.stop, member.start + FIRST_PART_BYTES)
    return clip(line[member.start : end].decode("utf-8", "replace"), FIRST_PART_BYTES).text
