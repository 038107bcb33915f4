"""Counting: tokens of `o200k_base`. Imports bpe-openai."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none

_encoding = bpe_openai.get_encoding("o200k_base")
PIECE_CHARACTERS = 20_000
"""Encoded at once; the tokenizer refuses texts that are much longer, and a cut costs a token or two."""


@lru_cache(maxsize=256)
def count(text: str) -> int:
    """Tokens of a text."""
    return sum(map(len, _pieces(text)))


def characters_of(text: str, tokens: int) -> int:
    """How many characters the first tokens of a text make up."""
    shown = 0
    for piece in _pieces(text):
        shown += len(_encoding.decode(piece[:tokens]))
        tokens -= len(piece)
        if tokens <= 0:
            break
    return shown


def _pieces(text: str) -> Iterator[list[int]]:
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield _encoding.encode_ordinary(text[start : start + PIECE_CHARACTERS])
