"""Sizes: amounts for the eye.

Rule: light, for every start loads it. Imports nothing.
"""

from __future__ import annotations


def human_size(size_bytes: int) -> str:
    """A size for the eye: `91 KB`, `1.4 MB` (1 KB is 1,024 bytes)."""
    if size_bytes < 1024:
        return f"{size_bytes} bytes"
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.0f} KB"
    return f"{size_bytes / 1024 / 1024:.1f} MB"


def counted(count: int, noun: str) -> str:
    """`1 page`, `1,200 pages`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
