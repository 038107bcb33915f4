"""Calls: the table `calls`, a row for each call of a tool that the canvas knows of.

Rule: a row stays when its tables and its text go, and says so. Every function works in the caller's transaction. Imports msgspec,
`core` and `engine.database`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from millpond.core.canvas import ID_MACRO
from millpond.core.gate import TEXTS
from millpond.core.model import Call
from millpond.core.names import fold
from millpond.engine.database import Connection

_CREATE = """
CREATE TABLE IF NOT EXISTS calls (
    number BIGINT, tool VARCHAR, arguments VARCHAR, time VARCHAR, bytes BIGINT, tables VARCHAR[], note VARCHAR);
"""
_SPEC = (
    '[{"number":"BIGINT","tool":"VARCHAR","arguments":"VARCHAR","time":"VARCHAR","bytes":"BIGINT",'
    '"tables":["VARCHAR"],"note":"VARCHAR"}]'
)
_IDS = "SELECT macro_definition FROM duckdb_functions() WHERE function_name = ? AND NOT internal"
_ANYTHING = "SELECT 1 FROM duckdb_tables() UNION ALL SELECT 1 FROM duckdb_views() WHERE NOT internal"
_EVICTED = "evicted to make room; call the tool again for its rows"
_DROPPED = f"{TEXTS}.dropped"
"""Names that were dropped, with their calls; made with the first of them."""


class CallRow(msgspec.Struct, frozen=True):
    """A row to be stored."""

    number: int
    tool: str
    arguments: str
    time: str
    bytes: int
    tables: tuple[str, ...]
    note: str | None
    kept_bytes: int
    """Of its text in `results`; no column of `calls`."""


class StoredCall(msgspec.Struct, frozen=True):
    """What a row that is there tells the ledger."""

    number: int
    kept_bytes: int
    tables: tuple[str, ...]
    is_evicted: bool


def row_of(call: Call, result: bytes | memoryview, names: tuple[str, ...]) -> CallRow:
    """The row of a call whose tables have these names."""
    arguments = call.arguments.decode("utf-8", "backslashreplace")
    size = call.unkept_bytes or len(result)
    return CallRow(call.number, call.tool, arguments, call.time, size, names, call.note, kept_bytes=len(result))


def create(connection: Connection, canvas: str) -> None:
    """Make the function that tells the canvas's id, by which the file is known from then on, and the table, where there is none."""
    connection.execute(f"CREATE MACRO IF NOT EXISTS {ID_MACRO}() AS '{canvas}'")
    connection.execute(_CREATE)


def is_of(connection: Connection, canvas: str, *, is_new: bool) -> bool:
    """Whether the file is this canvas's; one that `is_new` may have nothing in it yet."""
    found = connection.execute(_IDS, [ID_MACRO]).fetchall()
    return found == [(f"'{canvas}'",)] or (is_new and not found and connection.execute(_ANYTHING).fetchone() is None)


def insert(connection: Connection, rows: Sequence[CallRow]) -> None:
    """Add rows."""
    text = msgspec.json.encode(rows).decode()
    given = f"SELECT unnest(from_json(given, '{_SPEC}')) AS call FROM (VALUES (?)) AS calls(given)"
    connection.execute(f"INSERT INTO calls SELECT call.* FROM ({given})", [text])


def delete(connection: Connection, number: int) -> None:
    """Take a row away, as if the call had never been."""
    connection.execute("DELETE FROM calls WHERE number = ?", [number])


def evict(connection: Connection, gone: Sequence[int], max_calls: int) -> None:
    """Say of these calls, oldest first, that they were evicted; of rows that say so at most `max_calls` stay."""
    connection.execute("UPDATE calls SET note = ? WHERE number IN (SELECT unnest(?::BIGINT[]))", [_EVICTED, list(gone)])
    connection.execute("DELETE FROM calls WHERE number < ?", [gone[-1] - max_calls])


def drop(connection: Connection, number: int, name: str, left: Sequence[str]) -> None:
    """Say of a call that its table of this name was dropped, and which are left."""
    connection.execute(f"CREATE TABLE IF NOT EXISTS {_DROPPED} (call BIGINT, name VARCHAR)")
    connection.execute(f"DELETE FROM {_DROPPED} WHERE call NOT IN (SELECT number FROM calls)")
    connection.execute(f"INSERT INTO {_DROPPED} VALUES (?, ?)", [number, fold(name)])
    said = "concat_ws('; ', note, ?::VARCHAR)"
    connection.execute(
        f"UPDATE calls SET tables = ?::VARCHAR[], note = {said} WHERE number = ?",
        [list(left), f"{name} was dropped", number],
    )


def dropped(connection: Connection) -> tuple[str, ...]:
    """The names that were dropped, oldest first."""
    if not connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE schema_name = ? AND table_name = 'dropped'", [TEXTS]
    ).fetchone():
        return ()
    return tuple(name for (name,) in connection.execute(f"SELECT name FROM {_DROPPED} ORDER BY rowid").fetchall())


def tables(connection: Connection, number: int) -> tuple[str, tuple[str, ...]] | None:
    """A call's tool, and the names of its tables; None where it has no row."""
    found = connection.execute("SELECT tool, tables FROM calls WHERE number = ?", [number]).fetchone()
    return None if found is None else (str(found[0]), tuple(found[1]))


def stored(connection: Connection) -> tuple[StoredCall, ...]:
    """Every row, oldest first."""
    kept = "CASE WHEN number IN (SELECT call FROM results) OR len(tables) > 0 THEN bytes ELSE 0 END"
    rows = connection.execute(f"SELECT number, {kept}, tables, note FROM calls ORDER BY number").fetchall()
    return tuple(StoredCall(number, size, tuple(names), note == _EVICTED) for number, size, names, note in rows)
