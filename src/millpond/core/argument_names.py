"""Argument names: what the own tool's arguments are called, also under near names and in a wrapping.

Rule: a name has one meaning or none; nothing is guessed between two. Light enough for the relay. Imports `core.values` and msgspec.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from millpond.core.values import is_object

NAMES = ("sql", "max_rows", "format", "save_as", "exact_total", "canvas", "export")
OFFERED = NAMES[:6]
"""Those that every canvas takes."""
WRAPPINGS = frozenset({"arguments", "args", "input", "params", "parameters"})
"""Where the arguments lie one level deeper than they should, alone."""
_NEAR = {
    "sql": ("query", "statement", "q", "sqlquery", "sqlstatement", "sqltext"),
    "max_rows": ("limit", "rows", "rowlimit", "maxresults", "maxrow", "nrows", "numrows"),
    "format": ("outputformat", "resultformat", "responseformat", "output", "fmt"),
    "save_as": ("saveto", "save", "savedas", "saveresultas"),
    "exact_total": ("counttotal", "totalcount", "exactcount", "withtotal", "total"),
    "export": ("exportto", "exportas"),
    "canvas": ("canvasid",),
}
_MEANT = {near: name for name in NAMES for near in (name.replace("_", ""), *_NEAR[name])}
KEYS = tuple(_MEANT)
"""All that has a meaning, without what stands between words."""


def meant(key: str) -> str:
    """The argument that a key means, in any case and with `-`, `_` or a space between its words; "" where it means none."""
    return _MEANT.get(re.sub(r"[\s_-]", "", key.lower()), "")


def given(raw: bytes | memoryview) -> Any:
    """What came as arguments: decoded, out of a JSON text that stands for them, out of what they are wrapped in.

    Raises `msgspec.DecodeError` or `UnicodeDecodeError` for what is no JSON, or is nested too deep. A text that is no JSON is the
    statement.
    """
    value: Any = _decoded(raw) if len(raw) else {}
    if isinstance(value, str):
        value = _from_text(value)
    if is_object(value) and len(value) == 1:
        ((key, inner),) = value.items()
        if str(key).lower() in WRAPPINGS and is_object(inner):
            return inner
    return value


def _from_text(text: str) -> Any:
    try:
        return _decoded(text)
    except msgspec.DecodeError:
        return {"sql": text}


def _decoded(text: bytes | memoryview | str) -> Any:
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deep") from None


def is_kept(raw: bytes) -> bool:
    """Whether these arguments ask for the answer to be kept."""
    try:
        value = given(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    if not is_object(value):
        return False
    names = [one for key, one in value.items() if meant(str(key)) == "save_as"]
    return any(isinstance(name, str) and name.strip() for name in names)
