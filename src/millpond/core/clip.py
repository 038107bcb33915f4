"""Clip: the one place where a text is cut.

Rule: a cut falls between characters and is reported. Imports the standard library only.
"""

from __future__ import annotations

from typing import NamedTuple


class Clipped(NamedTuple):
    """A text and how many bytes of it were left out."""

    text: str
    left_out_bytes: int


def clip(text: str, max_bytes: int) -> Clipped:
    """The longest beginning of at most `max_bytes` UTF-8 bytes that ends between characters."""
    if len(text) * 4 <= max_bytes:
        return Clipped(text, 0)
    return clip_bytes(memoryview(text.encode("utf-8", "surrogatepass")), max_bytes)


def clip_bytes(encoded: memoryview, max_bytes: int) -> Clipped:
    """The same of a text that is UTF-8 bytes; what is left out is not decoded."""
    end = min(max_bytes, len(encoded))
    while end < len(encoded) and end and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return Clipped(str(encoded[:end], "utf-8", "surrogatepass"), len(encoded) - end)


def shortened(text: str, max_characters: int) -> str:
    """A text of at most so many characters; a cut ends with `…`."""
    return text if len(text) <= max_characters else text[: max(max_characters - 1, 0)] + "…"


def shown(text: str, max_characters: int) -> str:
    """A text of other people's on one line: what cannot be seen is a space, and a cut ends with `…`."""
    cut = shortened(text, max_characters)
    return cut if cut.isprintable() else "".join(char if char.isprintable() else " " for char in cut)
