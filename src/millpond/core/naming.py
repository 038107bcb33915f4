"""Naming: what tables and columns are called.

Rule: a table's name is short, unique to its canvas and says where it came from; a column's name is its key, unless that cannot be.
Imports `core.clip`, `core.names` and `core.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from millpond.core.clip import shown
from millpond.core.names import HIDDEN, fold
from millpond.core.sql import printed_name

MAX_TOOL_CHARACTERS = 40
"""Of the tool's name in a table's name; the call's number keeps it unique."""
MAX_PATH_CHARACTERS = 24
"""Of the path's words in a table's name."""
OWN_COLUMN_NAMES = frozenset({"_row", "_key"})
"""Names that Millpond gives to columns of its own; a key of that name is renamed."""

_TABLE_NAME = re.compile(r"(?P<tool>[a-z0-9_]+?)_(?P<tag>[a-z0-9]{6})_(?P<call>[1-9][0-9]*)(?:_[a-z0-9_]+)?")


class NameParts(NamedTuple):
    """What a table's name tells."""

    tool: str
    tag: str
    call: int


def slug(text: str, characters: int) -> str:
    """Lower-case ASCII words joined by `_`, at most so many characters; may be empty."""
    return re.sub(r"[^a-z0-9]+", "_", fold(text)).strip("_")[:characters].strip("_")


def table_names(tool: str, tag: str, call: int, paths: Sequence[str]) -> tuple[str, ...]:
    """A name for each row set of a call: the first is the plain one, the others add words of their path."""
    stem = f"{slug(tool, MAX_TOOL_CHARACTERS) or 'tool'}_{tag}_{call}"
    if stem[0].isdigit():
        stem = f"t{stem}"
    names: list[str] = []
    for at, path in enumerate(paths):
        words = slug(path.rsplit(".", 1)[-1], MAX_PATH_CHARACTERS) or str(at + 1)
        name = stem if not at else f"{stem}_{words}"
        names.append(name if name not in names else f"{stem}_{words}_{at + 1}")
    return tuple(names)


def parse_table_name(name: str) -> NameParts | None:
    """The parts of a name that `table_names` could have made, or None."""
    found = _TABLE_NAME.fullmatch(fold(name))
    return NameParts(found["tool"], found["tag"], int(found["call"])) if found else None


def column_names(keys: Iterable[str], reserved: Collection[str] = OWN_COLUMN_NAMES) -> tuple[str, ...]:
    """A column's name for each key, in order: the key itself, but for empty ones, `reserved`, hidden characters and ASCII-case clashes."""
    taken = {fold(name) for name in reserved}
    kept = list(keys)
    first = {fold(key): at for at, key in reversed(list(enumerate(kept)))}
    names: list[str] = []
    for at, key in enumerate(kept):
        usable = bool(key) and not HIDDEN.search(key) and fold(key) not in taken
        if usable and first[fold(key)] == at:
            names.append(key)
            taken.add(fold(key))
            continue
        stem = HIDDEN.sub("_", key) or "empty"
        number = 2 if key and fold(key) not in reserved else 1
        while fold(f"{stem}_{number}") in taken or fold(f"{stem}_{number}") in first:
            number += 1
        names.append(f"{stem}_{number}")
        taken.add(fold(names[-1]))
    return tuple(names)


def named_anew(columns: Iterable[tuple[str, str]], most_characters: int) -> list[str]:
    """Of columns, each by its name before and after, those whose name is another, in words; the one before is cut at so many."""
    return [
        f"{printed_name(after)} is column {at} ({shown(before, most_characters)})"
        for at, (before, after) in enumerate(columns, start=1)
        if before != after
    ]
