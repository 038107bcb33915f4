"""Cuts: what a model is left with of a text result, where a client cuts it.

Rule: as the clients' documentation and sources say, at their defaults; none of them is run here. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Count = Callable[[str], int]
"""Tokens of a text."""

CLINE_CHARACTERS = 8_000
CODEX_BYTES = 10 << 10
CODEX_LINES = 256
CLAUDE_CODE_TOKENS = 25_000


def first_characters(text: str, count: Count) -> str:
    """Cline: the first 8,000 characters."""
    return text[:CLINE_CHARACTERS]


def both_ends(text: str, count: Count) -> str:
    """Codex: 10 KiB or 256 lines, the middle left out."""
    lines = text.splitlines(keepends=True)
    if len(lines) > CODEX_LINES:
        text = "".join((*lines[: CODEX_LINES // 2], *lines[-CODEX_LINES // 2 :]))
    data = text.encode()
    if len(data) <= CODEX_BYTES:
        return text
    half = CODEX_BYTES // 2
    return data[:half].decode(errors="ignore") + "\n[…]\n" + data[-half:].decode(errors="ignore")


def first_tokens(text: str, count: Count) -> str:
    """Claude Code: at most 25,000 tokens. What is over 50,000 characters it puts into a file, which the model would have to read."""
    if count(text) <= CLAUDE_CODE_TOKENS:
        return text
    low, high = 0, len(text)
    while high - low > 16:
        middle = (low + high) // 2
        low, high = (middle, high) if count(text[:middle]) <= CLAUDE_CODE_TOKENS else (low, middle)
    return text[:low]


CUTS: Mapping[str, Callable[[str, Count], str]] = {
    "cut by Cline": first_characters,
    "cut by Codex": both_ends,
    "cut by Claude Code": first_tokens,
}
