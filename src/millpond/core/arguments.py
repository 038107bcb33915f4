"""Arguments: the own tool's arguments, mended where the meaning is plain.

Rule: a near name, a number in text or a statement in a fence is taken, an unknown key is named. Returns a value or a refusal. Imports
`core.argument_names`, `core.clip`, `core.errors`, `core.near`, `core.sql`, `core.steps`, `core.values` and msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from millpond.core.argument_names import KEYS, NAMES, OFFERED, given, meant
from millpond.core.clip import shown
from millpond.core.errors import Reason, Refusal
from millpond.core.near import nearest
from millpond.core.sql import with_offset
from millpond.core.steps import MAX_STEP_CHARACTERS
from millpond.core.values import is_object

Format = Literal["markdown", "csv", "json"]
FORMATS: tuple[Format, ...] = ("markdown", "csv", "json")
MAX_SQL_BYTES = 1 << 20
"""A statement longer than this is data, not a question."""
MAX_OFFSET = 10**18 - 1
"""Rows that a statement which is printed passes over at most: DuckDB takes no more than 2^62."""
MAX_SHOWN_CHARACTERS = 60
"""Of a key or a value that a message repeats."""

_EXAMPLE = '{"sql":"SELECT count(*) FROM calls"}'
_SHOW_TABLES = '{"sql":"SHOW TABLES"}'
_EXAMPLE_OFFSET = '{"sql":"SELECT * FROM calls ORDER BY number OFFSET 100"}'
_FORMATS: dict[str, Format] = {
    "md": "markdown", "table": "markdown", "text/markdown": "markdown", "text/csv": "csv", "application/json": "json",
}  # fmt: skip
_ABSENT = frozenset({"", "null", "none", "undefined", "default"})
"""Texts that stand for an option which was not given."""
_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_WHOLE = re.compile(r"[0-9]{1,18}(?:\.0+)?")
_FENCE = re.compile(
    r"(?P<ticks>`{3,}+|~{3,}+)[ \t]*+(?:[\w+-]*+[ \t]*+\n|(?:sql\b)?)(?P<sql>.*)(?P=ticks)",
    re.DOTALL | re.IGNORECASE,
)
_TICKS = re.compile(r"`(?P<sql>[^`]+)`\s*+;?")


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


def read_arguments(raw: bytes | memoryview, query_tool: str, *, exports: bool = False) -> Arguments | Refusal:
    """The arguments of a call of the own tool, from their raw JSON text; with `exports` it may write files."""
    try:
        came = given(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _bad(f"The arguments are not JSON ({error}). Call {query_tool} with an object.", _EXAMPLE)
    if not is_object(came):
        return _bad(f"The arguments must be an object; {_shown(came)} came.", _EXAMPLE)
    known: dict[str, Any] = {}
    for key, value in came.items():
        name = meant(str(key))
        if not name:
            return _unknown(str(key), came, NAMES if exports else OFFERED)
        if value is None:
            continue
        if known.setdefault(name, value) != value:
            return _twice(str(key), name, came)
    return _typed(known, query_tool)


def _typed(known: dict[str, Any], query_tool: str) -> Arguments | Refusal:
    sql = known.get("sql")
    if not isinstance(sql, str) or not (sql := _bare(sql)).strip():
        return _bad(f"`sql` must be a text that holds one SELECT. Call {query_tool} with it.", _EXAMPLE)
    if (fault := _sql_fault(sql)) is not None:
        return fault
    rows = _number(known.get("max_rows"))
    if isinstance(rows, str) or (rows is not None and rows < 1):
        return _wrong("max_rows", "a whole number from 1 on", known, 100)
    form = _format(known.get("format"))
    if form is None:
        return _wrong("format", "one of markdown, csv, json", known, "markdown")
    exact = _flag(known.get("exact_total", False))
    if exact is None:
        return _wrong("exact_total", "true or false", known, True)
    for name in ("save_as", "export", "canvas"):
        if not isinstance(known.get(name, ""), str):
            return _wrong(name, "a text", known, None)
    return Arguments(
        sql=sql,
        max_rows=rows,
        format=form,
        save_as=known.get("save_as", "").strip() or None,
        exact_total=exact,
        export=known.get("export"),
        canvas=known.get("canvas"),
    )


def _bare(sql: str) -> str:
    """The statement without the Markdown that it may stand in: one fence, or backticks around all of it."""
    text = sql.strip()
    if fenced := _FENCE.fullmatch(text):
        return sql if "```" in fenced["sql"] else fenced["sql"].rstrip()
    ticked = _TICKS.fullmatch(text)
    return sql if ticked is None else ticked["sql"]


def _sql_fault(sql: str) -> Refusal | None:
    if len(sql.encode()) > MAX_SQL_BYTES:
        return _bad(
            f"`sql` is longer than {MAX_SQL_BYTES} bytes. Ask a shorter question; the data is in the tables already.",
            _SHOW_TABLES,
        )
    if "\0" in sql:
        without = sql.replace("\0", "")
        step = without if without.strip() and len(without) <= MAX_STEP_CHARACTERS else _SHOW_TABLES
        return _bad("`sql` holds a NUL, which no SQL text can. Write chr(0) where one is meant.", step)
    return None


def _format(value: Any) -> Format | None:
    """The format that is named, Markdown where none is; None for anything else."""
    wanted = str("" if value is None else value).strip().lower()
    if wanted in _ABSENT:
        return "markdown"
    return _FORMATS.get(wanted) or next((one for one in FORMATS if one == wanted), None)


def _flag(value: Any) -> bool | None:
    """True or false, also as a text or as 1 or 0; None for anything else."""
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    return False if text in _ABSENT else _FLAGS.get(text)


def _number(value: Any) -> int | str | None:
    """A whole number, also one that came as a text or as `10.0`; the value's text where it is none."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    text = str(value).strip()
    if isinstance(value, str) and (text.lower() in _ABSENT or _WHOLE.fullmatch(text)):
        return None if text.lower() in _ABSENT else int(text.partition(".")[0])
    return text


# --- what is said ---------------------------------------------------------------------------------------------------


def _unknown(key: str, came: dict[str, Any], offered: Sequence[str]) -> Refusal:
    kept = {str(name): value for name, value in came.items() if str(name) != key}
    if re.sub(r"\W", "", key.lower()) == "offset":
        return _with_offset(key, kept, came[key])
    near = [name for name in map(meant, nearest(key, KEYS, 1)) if name not in map(meant, kept)]
    hint = f" Did you mean `{near[0]}`?" if near else ""
    step = {**kept, near[0]: came[key]} if near else kept
    return _bad(
        f"There is no argument `{shown(key, MAX_SHOWN_CHARACTERS)}`.{hint} The arguments are {', '.join(offered)}.",
        _printed(step),
    )


def _with_offset(key: str, kept: dict[str, Any], value: Any) -> Refusal:
    """That rows are passed over in the statement, with one that does."""
    passed, step = _number(value), _EXAMPLE_OFFSET
    name = next((one for one in kept if meant(one) == "sql"), None)
    if isinstance(passed, int) and 0 <= passed <= MAX_OFFSET and name and isinstance(kept[name], str):
        step = _printed({**kept, name: with_offset(_bare(kept[name]), passed)}, _EXAMPLE_OFFSET)
    return _bad(f"There is no argument `{shown(key, MAX_SHOWN_CHARACTERS)}`. Write OFFSET in the statement.", step)


def _twice(key: str, name: str, came: dict[str, Any]) -> Refusal:
    others = {str(one): value for one, value in came.items() if meant(str(one)) != name}
    first = next(value for one, value in came.items() if meant(str(one)) == name and value is not None)
    return _bad(
        f"`{shown(key, MAX_SHOWN_CHARACTERS)}` and another argument both mean `{name}`. Give `{name}` once.",
        _printed({name: first, **others}),
    )


def _wrong(name: str, expected: str, known: dict[str, Any], example: Any) -> Refusal:
    step = {key: value for key, value in known.items() if key != name}
    if example is not None:
        step[name] = example
    return _bad(f"`{name}` must be {expected}; {_shown(known[name])} came.", _printed(step))


def _shown(value: Any) -> str:
    return shown(msgspec.json.encode(value).decode(), MAX_SHOWN_CHARACTERS)


def _printed(arguments: dict[str, Any], example: str = _EXAMPLE) -> str:
    """The arguments as they may be sent; an example where theirs are too long to be printed."""
    text = msgspec.json.encode(arguments).decode() if "sql" in map(meant, arguments) else example
    return text if len(text) <= MAX_STEP_CHARACTERS else example


def _bad(message: str, step: str) -> Refusal:
    return Refusal(Reason.BAD_ARGUMENT, message, step)
