"""Mutation: other inputs out of known ones, by bytes and by whole words.

Rule: the same randomness gives the same input. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

MOST_CHANGES = 6
"""Made in one input."""
MOST_COPIED_BYTES = 200
"""Of a part that is written twice, taken out or taken from another input."""
ODD_BYTES = b"\0\n\r\t \"\\{}[],:-.0eE/*#='`;$\x7f\x80\xc3\xed\xff"
"""Bytes that parsers stop at."""


def mutated(data: bytes, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """An input a few changes away from this one."""
    changed = bytearray(data)
    for _ in range(random.randint(1, MOST_CHANGES)):
        random.choice(_CHANGES)(changed, random, seeds, words)
    return bytes(changed)


def _part(size: int, random: Random) -> slice:
    start = random.randint(0, size)
    return slice(start, min(size, start + random.randint(1, MOST_COPIED_BYTES)))


def _put_byte(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    at = random.randint(0, len(changed))
    changed[at : at + random.randint(0, 1)] = random.choice(ODD_BYTES).to_bytes()


def _flip_bit(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    if changed:
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)


def _put_word(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    at = random.randint(0, len(changed))
    changed[at:at] = random.choice(words)


def _replace_token(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    """Put a word in the place of what stands between two marks."""
    start = random.randint(0, len(changed))
    ends = [at for mark in b',:]}"\n ' if (at := changed.find(mark, start)) >= 0]
    changed[start : min(ends, default=len(changed))] = random.choice(words)


def _take_out(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    del changed[_part(len(changed), random)]


def _write_twice(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    part = changed[_part(len(changed), random)]
    at = random.randint(0, len(changed))
    changed[at:at] = part


def _borrow(changed: bytearray, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
    other = random.choice(seeds)
    at = random.randint(0, len(changed))
    changed[at:at] = other[_part(len(other), random)]


_CHANGES: tuple[Callable[[bytearray, Random, Sequence[bytes], Sequence[bytes]], None], ...] = (
    _put_byte,
    _put_byte,
    _flip_bit,
    _put_word,
    _put_word,
    _replace_token,
    _replace_token,
    _take_out,
    _write_twice,
    _borrow,
)
