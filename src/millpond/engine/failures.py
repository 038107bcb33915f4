"""Failures: what DuckDB says of a statement, in words that tell an agent what to do next.

Rule: a message holds no path of this machine and no value of a table, and following it to the letter is not met with the same error
again. Imports `core` and the engine's `messages`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from millpond.core.clip import clip, shown
from millpond.core.errors import Reason, Refusal
from millpond.core.gate import not_a_read
from millpond.core.model import OWN_TABLES, TableState
from millpond.core.names import fold
from millpond.core.naming import parse_table_name
from millpond.core.near import nearest
from millpond.core.sql import printed_name
from millpond.core.steps import LATEST_CALLS, SHOW_TABLES
from millpond.engine.messages import repeatable

MAX_MESSAGE_BYTES = 600
"""Of DuckDB's own words; its messages repeat the statement."""

_CLASS = re.compile(r"(?P<kind>[A-Z][A-Za-z ]{2,30}) Error: ")
_MISSING_TABLE = re.compile(r"Table with name (?P<name>.+?) does not exist")
_MISSING_COLUMN = re.compile(r"Referenced column|does not have a column named")
_EXTENSION = re.compile(
    r"\w+ with name \"?(?P<name>[^\"\n]+?)\"? is not in the catalog, but it exists in the (?P<extension>\w+)"
)
_CANDIDATES = re.compile(r"\s*Candidate bindings: .*", re.DOTALL)
"""The nearest columns by DuckDB's count; all of them follow."""
_ADVICE = re.compile(
    r"\s*(?:\bUse \"?SET |,? or SET \w+|\bFor more information|Candidate functions:|Did you mean |You might need to add"
    r").*",
    re.DOTALL,
)
"""Where DuckDB goes on to advise what is refused here, to list every signature, or to name what is near by its count."""
_PLACE = "\n\nLINE "
"""Where a message goes on to show the place in the statement; when it runs, that is not the one the agent wrote."""
_PATH = re.compile(r"(?:~|/)[\w.@~+-]*(?:/[\w.@~+-]+)+")
_DIALECT = "DuckDB's SQL is spoken here."
_CORRECT = "Correct it there; this tells what there is."
_ALL_IN_CALLS = "`calls` names all, with the call that made each."
_NEEDLESS = re.compile(
    rf"\n\nLINE .*|\s*(?:{re.escape(_DIALECT)} )?(?:{re.escape(_CORRECT)}|{re.escape(_ALL_IN_CALLS)})\Z", re.DOTALL
)
"""In a message, where a mended statement follows."""
_TRIED = "TRY_CAST gives NULL where a value does not fit."
_TO_TRY = "TRY_CAST gives NULL where a value does not fit, TRY(...) where anything fails."
_ADVISED = (
    (
        re.compile(r"^Overflow|out of (?:supported )?range(?! error)|Could not add BIGNUM"),
        "Use a wider type: HUGEINT, a DECIMAL of more digits, or DOUBLE, which rounds.",
    ),
    (re.compile(r"^Division by zero"), "Divide by nullif(x, 0): the answer is NULL there."),
    (re.compile(r"^More than one row"), "Ask with IN, or aggregate within the subquery."),
)
"""What to do, where it is not a matter of values that do not fit."""
MAX_LATEST = 5
"""Tables that are named where none is near."""
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
    elsewhere: Sequence[str] = ()
    """Where else a column is that they do not have, each a sentence."""

    @property
    def look(self) -> str:
        """What shows the columns and types in question."""
        return f"DESCRIBE {printed_name(self.columns[0][0])}" if self.columns else SHOW_TABLES


def not_one(statements: Sequence[str]) -> Refusal:
    """None or several statements."""
    if not statements:
        return Refusal(
            Reason.NOT_ONE_STATEMENT, "One statement is expected and none came. Send one SELECT.", SHOW_TABLES
        )
    return Refusal(
        Reason.NOT_ONE_STATEMENT,
        f"One statement is expected and {len(statements)} came. Send each in a call of its own.",
        statements[0],
    )


def not_a_select(kind: str, sql: str, step: str) -> Refusal:
    """A statement of another type, and what may be sent instead."""
    if kind == "MULTI":
        return Refusal(
            Reason.NOT_A_READ,
            "A PIVOT must name its values here, as in PIVOT t ON state IN ('open', 'closed') USING count(*). Ask for the values first.",
            step,
        )
    word = sql.split(None, 1)[0].upper()
    if kind in _OUTSIDE:
        return Refusal(
            Reason.FILE_ACCESS_REFUSED,
            f"{word} reaches outside the canvas, and queries do not. Write one SELECT over its tables.",
            step,
        )
    if kind == "DROP":
        return not_a_read("of DROP only DROP TABLE name, for one table of this canvas, without comments", step)
    return not_a_read(f"this is {clip(word, 20).text}", step)


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
                f"{name} was evicted to make room for later results. Save it again with `save_as`; `arguments` has its SQL.",
                f"SELECT arguments FROM calls WHERE lower(tables[1]) = '{fold(name)}'",
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
    near = near_tables(name, asked.names)
    latest = [one for one in reversed(asked.names) if one not in OWN_TABLES][:MAX_LATEST]
    told = f"Near: {', '.join(near)}." if near else ""
    if not near:
        told = f"The latest: {', '.join(map(printed_name, latest))}." if latest else "No result is a table yet."
    return Refusal(
        Reason.UNKNOWN_TABLE,
        f"There is no table {shown(name, 80)} in this canvas. {told} {_ALL_IN_CALLS}",
        LATEST_CALLS,
    )


def _dropped(name: str) -> Refusal:
    return Refusal(
        Reason.EVICTED_TABLE,
        f"{name} was dropped with DROP TABLE. `calls` has the call that gives it again.",
        f"SELECT tool, arguments FROM calls WHERE lower(note) LIKE '%{fold(name)} was dropped%'",
    )


def mended(refusal: Refusal, step: str) -> Refusal:
    """The same with a statement to send instead, and without what that makes needless."""
    message = _NEEDLESS.sub("", refusal.message)
    is_new = "TRY_CAST(" in step and "TRY_CAST" not in message
    return Refusal(refusal.reason, f"{message}\n{_TRIED}" if is_new else message, step)


def near_tables(name: str, names: Sequence[str]) -> list[str]:
    """The nearest of these names, as SQL writes them; the canvas's tag in them does not count."""
    return [printed_name(one) for one in nearest(_untagged(name), names, label=_untagged)]


def _untagged(name: str) -> str:
    parts = parse_table_name(name.rsplit(".", 1)[-1])
    return f"{parts.tool}_{parts.call}" if parts else name


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
            "The statement would reach outside this canvas, and queries do not. Ask of its tables.",
            SHOW_TABLES,
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
    advice = next((advice for pattern, advice in _ADVISED if pattern.search(text)), _TO_TRY)
    return Refusal(Reason.EXECUTION_ERROR, f"{text}\n{advice}", asked.look)


def _of_the_statement(kind: str, message: str, asked: Asked) -> Refusal:
    if found := _MISSING_TABLE.search(message):
        return unknown_table(found["name"].strip('"'), asked)
    if found := _EXTENSION.search(message):
        return Refusal(
            Reason.FUNCTION_REFUSED,
            f"{found['name']} is part of DuckDB's extension {found['extension']}, and extensions are not loaded here. Use what DuckDB"
            " has built in.",
        )
    if kind in ("parser", "syntax"):
        text = _short(message, asked.sql)
        return Refusal(Reason.INVALID_SQL, f"{text}\n{_DIALECT} {_CORRECT}", asked.look)
    if _MISSING_COLUMN.search(message) and asked.columns:
        text = _short(_CANDIDATES.sub("", message), asked.sql)
        return Refusal(Reason.INVALID_SQL, f"{text}\n{_columns(asked)}\n{_CORRECT}", asked.look)
    text = _short(_ADVICE.sub("", message), asked.sql)
    return Refusal(Reason.INVALID_SQL, f"{text}\n{_CORRECT}", asked.look)


def _columns(asked: Asked) -> str:
    lines = (f"Columns of {printed_name(table)}: {columns}" for table, columns in asked.columns)
    text = clip("\n".join([*lines, *asked.elsewhere]), MAX_MESSAGE_BYTES)
    return text.text + (" …" if text.left_out_bytes else "")


def _short(message: str, sql: str) -> str:
    text = _PATH.sub(lambda found: found[0] if found[0] in sql else "(path)", message.strip())
    clipped = clip(text, MAX_MESSAGE_BYTES)
    return clipped.text + (" …" if clipped.left_out_bytes else "")
