"""Names as DuckDB reads them: how two compare, how one is quoted, and which characters no name of ours has.

Rule: no judgement of what a name means. Imports the standard library only.
"""

import re

HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Characters that end a line, steer a terminal or turn the direction of what follows: NUL, escapes, separators, bidi controls, tags."""

_UPPER_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """A name as DuckDB compares it: ASCII letters in lower case, all others as they are."""
    return name.translate(_UPPER_TO_LOWER)


def quote(name: str) -> str:
    """A name in double quotes, as SQL reads it whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def unquoted(name: str) -> str:
    """The name that stands in SQL bare or in double quotes."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def quoted_text(text: str) -> str:
    """A text as a constant of SQL."""
    return "'" + text.replace("'", "''") + "'"
