"""Near: which of many names somebody may have meant.

Rule: a name that differs in case, `_` or `-` alone is the nearest, then one that holds the other as a word, then one of like letters.
Imports `core.names` and the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from millpond.core.names import fold

if TYPE_CHECKING:
    import difflib

MAX_COMPARED = 2_000
"""Names that are looked at, the last ones: some milliseconds."""
LEAST_SCORE = 0.62
"""Of 1, from which two names are near."""
LESS_THAN_BEST = 0.2
"""How much less than the nearest a further one may be."""
LEAST_WORD_CHARACTERS = 3
_HELD, _HELD_PART = 0.9, 0.8
_WORD_BREAK = re.compile(r"[^0-9a-z]+")


def squashed(name: str) -> str:
    """A name without case and without what stands between its words."""
    return _WORD_BREAK.sub("", fold(name)) or fold(name)


def near_name(name: str, names: Sequence[str]) -> str:
    """The name that is most like another in its letters, or ""; for words that are written with care, as in a configuration."""
    import difflib  # Takes some milliseconds, and most starts meet no error.

    return next(iter(difflib.get_close_matches(name, names, n=1)), "")


def nearest(
    wanted: str, names: Iterable[str], most: int = 3, label: Callable[[str], str] = str, least: float = LEAST_SCORE
) -> list[str]:
    """At most so many of these names, the nearest first, of equals the last first; `label` gives what of a name is compared.

    `least` is the score that they have, of 1; `LEAST_SCORE` or more.
    """
    import difflib  # As above.

    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(squashed(wanted))
    scored = [(_score(matcher, wanted, label(name)), name) for name in list(dict.fromkeys(names))[-MAX_COMPARED:]]
    near = [(score, name) for score, name in reversed(scored) if score >= least]
    near.sort(key=lambda entry: -entry[0])
    return [name for score, name in near if score >= near[0][0] - LESS_THAN_BEST][:most]


def _score(matcher: difflib.SequenceMatcher[str], wanted: str, name: str) -> float:
    short, other = squashed(wanted), squashed(name)
    if short == other:
        return 1.0
    matcher.set_seq1(other)
    likeness = matcher.ratio() if matcher.quick_ratio() >= LEAST_SCORE else 0.0
    if min(len(short), len(other)) < LEAST_WORD_CHARACTERS or not (short in other or other in short):
        return likeness
    words = set(_WORD_BREAK.split(fold(name))) | set(_WORD_BREAK.split(fold(wanted)))
    return max(likeness, (_HELD if short in words or other in words else _HELD_PART) + likeness / 100)
