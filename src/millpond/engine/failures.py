"""Failures: what DuckDB says of a statement, in words that tell an agent what to do next.

Rule: a message holds no path of this machine and no value of a table, and following it to the letter is not met with the same error
again. Imports `core` and the engine's `messages`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

import msgspec

from millpond.core.clip import clip
from millpond.core.errors import Reason, Refusal
from millpond.core.gate import not_a_read
from millpond.core.model import TableState
from millpond.core.names import fold
from millpond.core.naming import parse_table_name
from millpond.core.sql import printed_name
from millpond.engine.messages import repeatable

MAX_MESSAGE_BYTES = 600
"""Of DuckDB's own words; its messages repeat the statement."""

_CLASS = re.compile(r"(?P<kind>[A-Z][A-Za-z ]{2,30}) Error: ")
_MISSING_TABLE = re.compile(r"Table with name (?P<name>.+?) does not exist")
_MISSING_COLUMN = re.compile(r"Referenced column|does not have a column named")
_EXTENSION = re.compile(
    r"\w+ with name \"?(?P<name>[^\"\n]+?)\"? is not in the catalog, but it exists in the (?P<extension>\w+)"
)
_ADVICE = re.compile(r"\s*(?:\bUse \"?SET |,? or SET \w+|\bFor more information|Candidate functions:).*", re.DOTALL)
"""Where DuckDB goes on to advise what is refused here, or to list every signature."""
_PLACE = "\n\nLINE "
"""Where a message goes on to show the place in the statement; when it runs, that is not the one the agent wrote."""
_PATH = re.compile(r"(?:~|/)[\w.@~+-]*(?:/[\w.@~+-]+)+")
_OUTSIDE = frozenset({"ATTACH", "COPY", "COPY_DATABASE", "EXPORT", "INSTALL", "LOAD"})
_OF_THE_STATEMENT = frozenset(
    {
        "parser",
        "syntax",
        "binder",
        "catalog",
        "mismatch type",
        "not implemented",
        "parameter not resolved",
        "parameter not allowed",
    }
)


class Asked(msgspec.Struct, frozen=True):
    """The question that failed, and what is known around it."""

    sql: str
    names: Sequence[str]
    """What can be queried now."""
    tag: str
    """Of this canvas's table names."""
    state: Callable[[str], TableState]
    columns: Sequence[tuple[str, str]] = ()
    """The names of the tables in question, each with its columns' printed names."""


def not_one(count: int) -> Refusal:
    """None or several statements."""
    came = "none came" if count == 0 else f"{count} came"
    return Refusal(
        Reason.NOT_ONE_STATEMENT,
        f"One statement is expected and {came}. Send one SELECT, without further ones after a semicolon.",
    )


def not_a_select(kind: str) -> Refusal:
    """A statement of another type."""
    if kind == "MULTI":
        return Refusal(
            Reason.NOT_A_READ,
            "A PIVOT must name its values here, as in PIVOT t ON state IN ('open', 'closed') USING count(*); SELECT DISTINCT of the"
            " column lists them.",
        )
    if kind in _OUTSIDE:
        return Refusal(
            Reason.FILE_ACCESS_REFUSED,
            f"{kind} reaches outside the canvas, and queries do not. Write one SELECT over its tables; SHOW TABLES lists them.",
        )
    if kind == "DROP":
        return not_a_read("of DROP only DROP TABLE name, for one table of this canvas, without comments")
    return not_a_read(f"this is {kind}")


def too_deep() -> Refusal:
    """A statement whose parse tree is deeper than can be judged."""
    return Refusal(
        Reason.INVALID_SQL,
        "The statement is nested too deeply to be judged. Split it: use IN (...) or a list instead of long chains of OR and ||, and"
        " WITH instead of subqueries within subqueries.",
    )


def not_judged() -> Refusal:
    """A statement whose plan DuckDB does not write."""
    return Refusal(
        Reason.INVALID_SQL,
        "The statement holds a constant past 38 digits where it cannot be judged. Write it as a plain text and cast it in a subquery, as"
        " in x > (SELECT '123')::BIGNUM.",
    )


def unknown_table(name: str, asked: Asked) -> Refusal:
    """A name that is no table of this canvas."""
    parts = parse_table_name(name)
    if asked.state(name) is TableState.DROPPED:
        return _dropped(name)
    if asked.state(name) is TableState.EVICTED:
        if parts is None or parts.tag != asked.tag:
            return Refusal(
                Reason.EVICTED_TABLE,
                f"{name} was evicted to make room for later results. Save it again with `save_as`; its SQL is in: SELECT arguments"
                f" FROM calls WHERE lower(tables[1]) = '{fold(name)}'",
            )
        return Refusal(
            Reason.EVICTED_TABLE,
            f"{name} was evicted to make room for later results. Call {parts.tool} again; its answer names a new table.",
        )
    if parts is not None and parts.tag != asked.tag:
        return Refusal(
            Reason.STALE_TABLE,
            f"{name} is from an earlier session and no longer there. Call {parts.tool} again; its answer names a new table.",
        )
    near = difflib.get_close_matches(name, asked.names, 3, 0.5)
    hint = f" Near names: {', '.join(map(printed_name, near))}." if near else ""
    return Refusal(
        Reason.UNKNOWN_TABLE,
        f"There is no table {clip(name, 120).text} in this canvas.{hint} FROM calls names all, with the call that made"
        " each; SHOW TABLES those that are made already.",
    )


def _dropped(name: str) -> Refusal:
    return Refusal(
        Reason.EVICTED_TABLE,
        f"{name} was dropped with DROP TABLE. The call that gives it again is in: SELECT tool, arguments FROM calls WHERE lower(note)"
        f" LIKE '%{fold(name)} was dropped%'",
    )


def explain(message: str, asked: Asked, *, ran: bool = False) -> Refusal:
    """An error that DuckDB raised, from its whole text; `ran` where rows may have been read, so that it may quote them."""
    found = _CLASS.match(message)
    kind, said = (found["kind"].lower(), message[found.end() :]) if found else ("", message)
    return _while_running(kind, said, asked) if ran and kind != "permission" else refusal(kind, said, asked)


def refusal(kind: str, message: str, asked: Asked) -> Refusal:
    """An error of DuckDB in reading a statement, from its class (`binder`) and what it says: no row was read yet."""
    if kind == "permission":
        return Refusal(
            Reason.FILE_ACCESS_REFUSED,
            "The statement would reach outside this canvas, and queries do not. Ask of its tables; SHOW TABLES lists them.",
        )
    if "Max expression depth" in message:
        return too_deep()
    return (
        _of_the_statement(kind, message, asked) if kind in _OF_THE_STATEMENT else _while_running(kind, message, asked)
    )


def _while_running(kind: str, message: str, asked: Asked) -> Refusal:
    head, place, _ = message.rpartition(_PLACE)
    said = repeatable(head if place else message, asked.sql)
    text = _short(said, asked.sql) if said else f"A value made the statement fail ({kind or 'unknown'} error)."
    return Refusal(
        Reason.EXECUTION_ERROR,
        f"{text}\nChange the expression that failed: TRY_CAST gives NULL where a value does not fit, and DESCRIBE lists the columns'"
        " types.",
    )


def _of_the_statement(kind: str, message: str, asked: Asked) -> Refusal:
    if found := _MISSING_TABLE.search(message):
        return unknown_table(found["name"].strip('"'), asked)
    if found := _EXTENSION.search(message):
        return Refusal(
            Reason.FUNCTION_REFUSED,
            f"{found['name']} is part of DuckDB's extension {found['extension']}, and extensions are not loaded here. Use what DuckDB"
            " has built in.",
        )
    text = _short(_ADVICE.sub("", message), asked.sql)
    if kind in ("parser", "syntax"):
        return Refusal(Reason.INVALID_SQL, f"{text}\nCorrect the statement there; DuckDB's SQL is spoken here.")
    if _MISSING_COLUMN.search(message) and asked.columns:
        return Refusal(Reason.INVALID_SQL, f"{text}\n{_columns(asked)}\nUse one of these.")
    if "No function matches" in message:
        return Refusal(
            Reason.INVALID_SQL,
            f"{text}\nCast what does not fit, as in sum(TRY_CAST(x AS DECIMAL(18,2))); DESCRIBE followed by a table's name lists its"
            " columns' types.",
        )
    return Refusal(
        Reason.INVALID_SQL,
        f"{text}\nCorrect it there; DESCRIBE followed by a table's name lists its columns, SHOW TABLES the tables.",
    )


def _columns(asked: Asked) -> str:
    lines = (f"Columns of {printed_name(table)}: {columns}" for table, columns in asked.columns)
    text = clip("\n".join(lines), MAX_MESSAGE_BYTES)
    return text.text + (" …" if text.left_out_bytes else "")


def _short(message: str, sql: str) -> str:
    text = _PATH.sub(lambda found: found[0] if found[0] in sql else "(path)", message.strip())
    clipped = clip(text, MAX_MESSAGE_BYTES)
    return clipped.text + (" …" if clipped.left_out_bytes else "")
