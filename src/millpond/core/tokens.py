"""Tokens: estimates of what a text costs a model: one that is never below what the common tokenizers count by much, one that is near it.

Rule: no tokenizer is loaded; tests hold the estimates against a real one. Imports the standard library only.
"""

from __future__ import annotations

import re

LONGEST_WORD = 16
"""Letters of a word; a longer one is no word but a code, and dear."""
SAMPLES = 4
"""Places of a long text from which its tokens are estimated."""
SAMPLE_BYTES = 512
"""Of each: 0.2 ms in all, where a MiB takes 131."""
LONGEST_CAPITALS = 8
"""Capitals in a row, of a type or an abbreviation; more are a code."""

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\s+|[^\sA-Za-z0-9]")
_ESCAPES = re.compile(r"\\u[0-9a-fA-F]{4}")
_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\s+|[^\sA-Za-z0-9]+")


def estimate_tokens(text: str) -> int:
    """Tokens of a text by piece: a word to six letters one, three digits one, other characters one each; and a fifteenth above that."""
    total = sum(map(_piece_tokens, _PIECES.findall(text)))
    return total + total // 15


def estimate_tokens_of(data: bytes | memoryview) -> int:
    """Tokens of a UTF-8 text of any length, near what is counted: up to a fifth off for data (JSON, CSV), from samples of a long one."""
    if len(data) <= SAMPLES * SAMPLE_BYTES:
        return _near_tokens(data)
    starts = (len(data) * (2 * at + 1) // (2 * SAMPLES) - SAMPLE_BYTES // 2 for at in range(SAMPLES))
    found = sum(_near_tokens(data[start : start + SAMPLE_BYTES]) for start in starts)
    return found * len(data) // (SAMPLES * SAMPLE_BYTES)


def _near_tokens(data: bytes | memoryview) -> int:
    """As above, but signs that stand together count together: `":"` is one token. What a JSON string escapes is read as it stands for."""
    text = bytes(data).decode("utf-8", "ignore").replace('\\"', '"').replace("\\n", "\n")
    text = _ESCAPES.sub("é", text)
    return sum(map(_run_tokens, _RUNS.findall(text)))


def _run_tokens(run: str) -> int:
    if run.isalnum() or run.isspace():
        return _piece_tokens(run) if run.isascii() else len(run)
    return (len(run) + 3) // 4 if run.isascii() else len(run)


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
