"""Names as DuckDB reads them: how two compare, and how one is quoted.

Rule: no judgement of what a name means. Imports nothing.
"""

_UPPER_TO_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """A name as DuckDB compares it: ASCII letters in lower case, all others as they are."""
    return name.translate(_UPPER_TO_LOWER)


def quote(name: str) -> str:
    """A name in double quotes, as SQL reads it whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
