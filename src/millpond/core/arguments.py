"""Arguments: the own tool's arguments, mended where the meaning is plain.

Rule: a near name or a number in text is taken, an unknown key is named. Returns a value or a refusal. Imports `core.errors` and msgspec.
"""

from __future__ import annotations

import difflib
from typing import Any, Literal

import msgspec

from millpond.core.errors import Reason, Refusal
from millpond.core.values import is_object

Format = Literal["markdown", "csv", "json"]
FORMATS: tuple[Format, ...] = ("markdown", "csv", "json")
_NAMES = ("sql", "max_rows", "format", "save_as", "exact_total", "export", "canvas")
_NEAR_NAMES = {"query": "sql", "statement": "sql", "q": "sql", "limit": "max_rows", "rows": "max_rows"}
MAX_SQL_BYTES = 1 << 20
"""A statement longer than this is data, not a question."""


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """What a query asks for."""

    sql: str
    max_rows: int | None = None
    format: Format = "markdown"
    save_as: str | None = None
    exact_total: bool = False
    export: str | None = None
    """The name of a file for the whole answer, as it came."""
    canvas: str | None = None


def read_arguments(raw: bytes | memoryview, query_tool: str) -> Arguments | Refusal:
    """The arguments of a call of the own tool, from their raw JSON text."""
    try:
        given: Any = msgspec.json.decode(raw) if len(raw) else {}
    except msgspec.DecodeError as error:
        return _bad(f"The arguments are not JSON ({error}). Call {query_tool} with an object such as {_EXAMPLE}.")
    if not is_object(given):
        return _bad(f"The arguments must be an object such as {_EXAMPLE}.")
    known: dict[str, Any] = {}
    for key, value in given.items():
        name = key if key in _NAMES else _NEAR_NAMES.get(str(key).lower(), "")
        if not name or name in known:
            return _bad(_unknown(str(key), name))
        if value is not None:
            known[name] = value
    return _typed(known, query_tool)


_EXAMPLE = '{"sql": "SELECT count(*) FROM calls"}'


def _typed(known: dict[str, Any], query_tool: str) -> Arguments | Refusal:
    sql = known.get("sql")
    if not isinstance(sql, str) or not sql.strip():
        return _bad(f"`sql` must be a text that holds one SELECT. Call {query_tool} with {_EXAMPLE}.")
    if (fault := _sql_fault(sql)) is not None:
        return _bad(fault)
    rows = _number(known.get("max_rows"))
    if isinstance(rows, str) or (rows is not None and rows < 1):
        return _bad(f"`max_rows` must be a whole number from 1 on; {known['max_rows']!r} came.")
    wanted = str(known.get("format", "markdown")).strip().lower()
    form: Format | None = next((one for one in FORMATS if one == {"md": "markdown"}.get(wanted, wanted)), None)
    if form is None:
        return _bad(f"`format` must be one of markdown, csv, json; {known['format']!r} came.")
    exact = _flag(known.get("exact_total", False))
    if exact is None:
        return _bad(f"`exact_total` must be true or false; {known['exact_total']!r} came.")
    texts = [name for name in ("save_as", "export", "canvas") if not isinstance(known.get(name, ""), str)]
    if texts:
        return _bad(f"`{texts[0]}` must be a text; {known[texts[0]]!r} came.")
    return Arguments(
        sql=sql,
        max_rows=rows,
        format=form,
        save_as=known.get("save_as", "").strip() or None,
        exact_total=exact,
        export=known.get("export"),
        canvas=known.get("canvas"),
    )


def _sql_fault(sql: str) -> str | None:
    if len(sql.encode()) > MAX_SQL_BYTES:
        return f"`sql` is longer than {MAX_SQL_BYTES} bytes. Ask a shorter question; the data is in the tables already."
    if "\0" in sql:
        return "`sql` holds a NUL, which no SQL text can. Write chr(0) where one is meant."
    return None


def _flag(value: Any) -> bool | None:
    """True or false, also as a text; None for anything else."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _number(value: Any) -> int | str | None:
    """A whole number, also one that came as a text or as `10.0`; the value's text where it is none."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 19:
        return int(value)
    return str(value)


def _unknown(key: str, name: str) -> str:
    if name:
        return f"`{key[:60]}` and another argument both mean `{name}`. Give `{name}` once."
    near = difflib.get_close_matches(key, _NAMES, 1)
    hint = f" Did you mean `{near[0]}`?" if near else ""
    return f"There is no argument `{key[:60]}`.{hint} The arguments are {', '.join(_NAMES)}."


def _bad(message: str) -> Refusal:
    return Refusal(Reason.BAD_ARGUMENT, message)
