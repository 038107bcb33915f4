"""Tags: the mark in a canvas's table names, by which a name of another canvas is known.

Rule: it tells nothing of the canvas's id. Imports the standard library only.
"""

import secrets

_TAG_LETTERS = "bcdfghjkmnpqrstvwxyz"
"""No vowels, so that no word comes out, and none that is taken for a digit."""
_TAG_DIGITS = "23456789"


def new_tag() -> str:
    """The mark in a canvas's table names, one of four million; it tells nothing of the canvas's id.

    Three letters and three digits: one to two tokens less of `o200k_base` than six of any kind, and the same number for all.
    """
    return "".join(secrets.choice(characters) for characters in (_TAG_LETTERS, _TAG_DIGITS) for _ in range(3))
