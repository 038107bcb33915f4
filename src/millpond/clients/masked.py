"""Masked: lines of a configuration file without the values of variables and headers in it.

Rule: what is masked is found by its value, however the line writes it; rather too much than too little. Imports the
standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import cast

MASK = "***"
"""Stands for a value that is not shown."""
LEAST_CHARACTERS = 4
"""Of a value that is masked inside other text too; a shorter one, `1` or `on`, is masked where it is a whole string."""
SECRET_KEYS = frozenset({"env", "headers", "http_headers"})
"""Tables whose values may be secrets."""
_string = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")


def secrets_in(values: object) -> Iterator[str]:
    """The texts in the tables of `SECRET_KEYS`, wherever in the values of a file they are."""
    if isinstance(values, Mapping):
        for key, value in cast("Mapping[str, object]", values).items():
            yield from _texts(value) if key in SECRET_KEYS else secrets_in(value)
    elif isinstance(values, list):
        for value in cast("list[object]", values):
            yield from secrets_in(value)


def _texts(table: object) -> Iterator[str]:
    values = cast("Mapping[str, object]", table).values() if isinstance(table, Mapping) else ()
    return (value for value in values if isinstance(value, str) and value)


def masked(text: str, secrets: Collection[str]) -> str:
    """The text with `MASK` for each secret, line by line: a quote that nothing closes misleads for its line alone."""
    return "".join(_masked(line, secrets) for line in text.splitlines(keepends=True))


def _masked(line: str, secrets: Collection[str]) -> str:
    line = _string.sub(lambda found: f'"{MASK}"' if _value(found[0]) in secrets else found[0], line)
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= LEAST_CHARACTERS:
            line = line.replace(secret, MASK)
    return line


def _value(written: str) -> str:
    """What a string of JSON or TOML says; as it is written where JSON would not read it."""
    try:
        return str(json.loads(written))
    except ValueError:
        return written[1:-1]
