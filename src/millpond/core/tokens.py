"""Tokens: an estimate of what a text costs a model, never below what the common tokenizers count by much.

Rule: no tokenizer is loaded; a test holds the estimate against a real one. Imports the standard library only.
"""

from __future__ import annotations

import re

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|\s+|[^\sA-Za-z0-9]")


def estimate_tokens(text: str) -> int:
    """Tokens of a text by piece: a word to six letters one, three digits one, other characters one each; and a fifteenth above that."""
    total = 0
    for piece in _PIECES.findall(text):
        if piece.isspace():
            total += piece.count("\n")
        elif piece.isascii() and piece.isalpha():
            total += (len(piece) + 5) // 6
        elif piece.isascii() and piece.isdigit():
            total += (len(piece) + 2) // 3
        else:
            total += 1 if piece.isascii() else 2
    return total + total // 15
