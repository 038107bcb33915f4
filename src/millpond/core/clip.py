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
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= max_bytes:
        return Clipped(text, 0)
    end = max_bytes
    while end and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return Clipped(encoded[:end].decode("utf-8", "surrogatepass"), len(encoded) - end)
