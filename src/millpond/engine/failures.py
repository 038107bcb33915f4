"""Failures: what DuckDB says of a statement, in words that tell an agent what to do next.

Rule: a message has no path of this machine, and following it to the letter is not met with the same error again. Imports `core` and
`engine.database`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from millpond.core.errors import Reason, Refusal
from millpond.core.gate import not_a_read
from millpond.core.naming import parse_table_name
from millpond.core.sql import printed_name
from millpond.engine.database import (
    BinderError,
    CatalogError,
    DatabaseError,
    ParserError,
    PermissionDenied,
)

MAX_MESSAGE_CHARACTERS = 600
"""Of DuckDB's own words; its messages repeat the statement."""

_MISSING_TABLE = re.compile(r"Table with name (\S+) does not exist")
_POSITION = "\n\nLINE "
"""Where a message goes on to show the place in the statement; when it runs, that is not the one the agent wrote."""
_PIVOT = re.compile(r"\bpivot", re.IGNORECASE)
_PATH = re.compile(r"(?:~|/)[\w.@~+-]*(?:/[\w.@~+-]+)+")


def not_one(count: int) -> Refusal:
    """None or several statements."""
    came = "none came" if count == 0 else f"{count} came"
    return Refusal(
        Reason.NOT_ONE_STATEMENT,
        f"One statement is expected and {came}. Send one SELECT, without further ones after a semicolon.",
    )


def not_a_select(kind: str, sql: str) -> Refusal:
    """A statement of another type."""
    if _PIVOT.search(sql):
        return Refusal(
            Reason.NOT_A_READ,
            "This is not a plain read: a PIVOT must name its values here, as in PIVOT t ON state IN ('open', 'closed') USING count(*);"
            " SELECT DISTINCT state lists them. Other statements must be one SELECT.",
        )
    if kind in ("COPY", "EXPORT", "ATTACH", "LOAD", "INSTALL", "COPY_DATABASE"):
        return Refusal(
            Reason.FILE_ACCESS_REFUSED,
            f"{kind} reaches outside the canvas, and queries do not. Write one SELECT over its tables; SHOW TABLES lists them.",
        )
    return not_a_read(f"this is {kind}")


def unknown_table(name: str, *, evicted: bool, tag: str, names: Sequence[str]) -> Refusal:
    """A name that is no table of this canvas."""
    parts = parse_table_name(name)
    if evicted and parts is not None:
        return Refusal(
            Reason.EVICTED_TABLE,
            f"{name} was evicted to make room for later results. Call {parts.tool} again; its answer names a new table.",
        )
    if parts is not None and parts.tag != tag:
        return Refusal(
            Reason.STALE_TABLE,
            f"{name} is from an earlier session and no longer there. Call {parts.tool} again; its answer names a new table.",
        )
    near = difflib.get_close_matches(name, names, 3, 0.5)
    hint = f" Near names: {', '.join(map(printed_name, near))}." if near else ""
    return Refusal(
        Reason.UNKNOWN_TABLE,
        f"There is no table {name[:120]} in this canvas.{hint} SHOW TABLES lists all; FROM calls tells which call made"
        " each.",
    )


def explain(error: DatabaseError, names: Sequence[str], directory: str) -> Refusal:
    """DuckDB's error as a refusal."""
    message = str(error).replace(directory, "")
    if isinstance(error, PermissionDenied):
        return Refusal(
            Reason.FILE_ACCESS_REFUSED,
            f"Queries reach nothing but this canvas ({_short(message)}). Ask of its tables; SHOW TABLES lists them.",
        )
    if isinstance(error, (ParserError, BinderError, CatalogError)):
        return from_message(message, names)
    return Refusal(
        Reason.EXECUTION_ERROR,
        f"{_short(message.partition(_POSITION)[0])}\nChange the expression that failed: TRY_CAST gives NULL where a value does"
        " not fit, and DESCRIBE lists the columns' types.",
    )


def from_message(message: str, names: Sequence[str]) -> Refusal:
    """A statement that cannot be parsed or bound."""
    if found := _MISSING_TABLE.search(message):
        return unknown_table(found[1].strip('"'), evicted=False, tag="", names=names)
    text = _short(message)
    if "does not support DISTINCT" in text or "Parser Error" in text or "syntax error" in text:
        return Refusal(Reason.INVALID_SQL, f"{text}\nCorrect the statement there; DuckDB's SQL is spoken here.")
    return Refusal(
        Reason.INVALID_SQL,
        f"{text}\nCorrect the name or the type there; DESCRIBE followed by a table's name lists its columns, SHOW TABLES the tables.",
    )


def _short(message: str) -> str:
    text = _PATH.sub("(path)", message)
    return text if len(text) <= MAX_MESSAGE_CHARACTERS else text[:MAX_MESSAGE_CHARACTERS] + " …"
