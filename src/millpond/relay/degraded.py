"""Degraded: what a client gets of a result that is too large to pass and that the engine did not take.

Rule: never an error, and never silent: the first part as text, and what was left out. Imports `core.clip` and msgspec.
"""

from __future__ import annotations

from typing import Any

import msgspec

from millpond.core.clip import clip

FIRST_PART_BYTES = 32_768
"""Of the text that is shown: what common clients show of any result."""


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Result(msgspec.Struct, rename="camel"):
    content: list[msgspec.Raw] = []
    structured_content: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result_type: str | None = None


def degraded_result(result: bytes, why: str, *, readable: bool) -> bytes:
    """A plain result with the first part of the data and a note; `readable` is False where `result` is a whole line."""
    parts = _decode(result) if readable else _Result()
    text = _text(parts) or result[: FIRST_PART_BYTES * 2].decode("utf-8", "replace")
    first = clip(text, FIRST_PART_BYTES).text
    note = (
        f"This result has {len(result)} bytes, more than a client can be sent in one piece, and no table was made of it: {why}."
        " Below is its first part only. Call the tool again for less: fewer rows, a page, a filter."
    )
    value: dict[str, Any] = {"content": [{"type": "text", "text": note}, {"type": "text", "text": first}]}
    if parts.result_type is not None:
        value["resultType"] = parts.result_type
    return msgspec.json.encode(value)


def _decode(result: bytes) -> _Result:
    try:
        return msgspec.json.decode(result, type=_Result)
    except (msgspec.DecodeError, RecursionError):
        return _Result()


def _text(parts: _Result) -> str:
    if parts.structured_content is not msgspec.UNSET:
        return bytes(memoryview(parts.structured_content)[: FIRST_PART_BYTES * 2]).decode("utf-8", "replace")
    for raw in parts.content:
        try:
            block = msgspec.json.decode(raw, type=_Block)
        except msgspec.DecodeError:
            continue
        if block.type == "text" and block.text:
            return block.text
    return ""
