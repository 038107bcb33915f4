"""Cuts: what a model is left with of a text result, where a client cuts it.

Rule: as the clients' documentation and sources say, at their defaults; none of them is run here. Imports `lib.counting`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lib.counting import characters_of

CLINE_CHARACTERS = 8_000
CODEX_BYTES = 10 << 10
CODEX_LINES = 256
CLAUDE_CODE_TOKENS = 25_000


@dataclass(frozen=True, slots=True)
class Kept:
    """The parts of a text that are left: its beginning, and its end where both are kept."""

    head: int
    """Characters of the beginning."""
    tail: int
    """The character from which the end is there; the text's length where none of it is."""

    def holds(self, start: int, end: int) -> bool:
        """Whether every character of a part is there."""
        return end <= self.head or start >= self.tail

    def of(self, text: str) -> str:
        """What is left of the text."""
        return text if self.head >= self.tail else f"{text[: self.head]}\n[…]\n{text[self.tail :]}"


def cline(text: str) -> Kept:
    """Cline shows the first 8,000 characters."""
    return Kept(min(len(text), CLINE_CHARACTERS), len(text))


def codex(text: str) -> Kept:
    """Codex shows 10 KiB, the middle dropped, or 256 lines of it."""
    half = CODEX_BYTES // 2
    data = text.encode()
    if len(data) <= CODEX_BYTES and text.count("\n") < CODEX_LINES:
        return Kept(len(text), len(text))
    head = len(data[:half].decode("utf-8", "ignore"))
    tail = len(text) - len(data[-half:].decode("utf-8", "ignore"))
    lines = [at for at, character in enumerate(text) if character == "\n"]
    if len(lines) > CODEX_LINES:
        head, tail = min(head, lines[CODEX_LINES // 2 - 1]), max(tail, lines[-CODEX_LINES // 2])
    return Kept(head, tail)


def claude_code(text: str) -> Kept:
    """Claude Code takes 25,000 tokens; what is over 50,000 characters it puts into a file, and this is the first part of it."""
    return Kept(characters_of(text, CLAUDE_CODE_TOKENS), len(text))


CUTS: Mapping[str, Callable[[str], Kept]] = {"Cline": cline, "Codex": codex, "Claude Code": claude_code}
"""By the client's name."""


def cut_by(client: str) -> str:
    """How a result is named that a client cut."""
    return f"cut by {client}"
