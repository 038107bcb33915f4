"""Tokens: an estimate of what a text costs a model, never below what the common tokenizers count by much.

Rule: no tokenizer is loaded; a test holds the estimate against a real one. Imports the standard library only.
"""

from __future__ import annotations

import re

LONGEST_WORD = 16
"""Letters of a word; a longer one is no word but a code, and dear."""
SAMPLE_BYTES = 2_048
"""Of a long text, from which its tokens are estimated: 0.2 ms, where a MiB takes 131."""
LONGEST_CAPITALS = 8
"""Capitals in a row, of a type or an abbreviation; more are a code."""

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\s+|[^\sA-Za-z0-9]")


def estimate_tokens(text: str) -> int:
    """Tokens of a text by piece: a word to six letters one, three digits one, other characters one each; and a fifteenth above that."""
    total = sum(map(_piece_tokens, _PIECES.findall(text)))
    return total + total // 15


def estimate_tokens_of(data: bytes | memoryview) -> int:
    """Tokens of a UTF-8 text of any length, from `SAMPLE_BYTES` of its middle."""
    start = max(len(data) - SAMPLE_BYTES, 0) // 2
    sample = bytes(data[start : start + SAMPLE_BYTES])
    return estimate_tokens(sample.decode("utf-8", "ignore")) * len(data) // max(len(sample), 1)


def _piece_tokens(piece: str) -> int:
    if piece.isspace():
        return piece.count("\n") or len(piece) > 1
    if not piece.isascii():
        return 2
    if piece.isdigit():
        return (len(piece) + 2) // 3
    return _word_tokens(piece) if piece.isalpha() else 1


def _word_tokens(word: str) -> int:
    if word[-1:].isupper():
        return (len(word) + 2) // 3 if len(word) <= LONGEST_CAPITALS else (2 * len(word) + 2) // 3
    return (len(word) + 5) // 6 if len(word) <= LONGEST_WORD else (len(word) + 1) // 2
