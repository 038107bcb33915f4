"""What a server wrote, held against what an answer shows of it: numbers by value, and nothing else changed.

The normalisation: the last of two equal keys, a missing key is null; in a column of several kinds of scalars each is its text.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from millpond.core.values import is_list, is_object


class Lexeme(str):
    """A number as it was written."""

    __slots__ = ()


def decode(text: str) -> Any:
    """The values of a JSON text, numbers by their lexemes."""
    return json.loads(text, parse_float=Lexeme, parse_int=Lexeme)


def same(given: Any, written: Any) -> bool:
    """Whether a cell of an answer is what was written."""
    if written is None or given is None:
        return written is None and given is None
    if isinstance(written, Lexeme):
        return isinstance(given, str) and Fraction(given) == Fraction(written)
    if isinstance(written, bool):
        return given is written or given == ("true" if written else "false")
    if isinstance(written, str):
        return given == written or (isinstance(given, str) and given[:1] == '"' and json.loads(given) == written)
    held = decode(given) if isinstance(given, str) and not isinstance(given, Lexeme) else given
    if is_list(written):
        return is_list(held) and len(held) == len(written) and all(map(same, held, written))
    return is_object(held) and all(same(held.get(key), written.get(key)) for key in {*held, *written})


def rows_by_key(table: dict[str, Any], text: str) -> list[dict[str, Any]]:
    """The rows of an answer in JSON, each cell under the key that its column was made of; `table` is from the handle."""
    keys = {column["name"]: column["renamed_from"] for column in table["columns"]}
    return [{name if keys[name] is None else keys[name]: cell for name, cell in row.items()} for row in decode(text)]


def check_rows(table: dict[str, Any], text: str, written: list[Any]) -> None:
    """Raise where the rows of an answer are not these objects."""
    rows = rows_by_key(table, text)
    assert len(rows) == len(written)
    names = [column["name"] for column in table["columns"]]
    whole = names == ["value"] and not any("value" in row for row in written)
    for row, value in zip(rows, written, strict=True):
        assert same(row["value"] if whole else row, value), (row, value)
