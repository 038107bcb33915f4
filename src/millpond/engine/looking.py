"""Looking: the engine's answer to a `millpond://` URI: rows of a table, or a result as it came.

Rule: a table is read by a statement that is judged as an agent's is, and everything in a transaction that only reads. Imports `core`
and the engine's `database`, `fetch`, `judging` and `tables`.
"""

from __future__ import annotations

import msgspec

from millpond.core.errors import QueryRefused, Reason
from millpond.core.model import OWN_TABLES
from millpond.core.names import quote
from millpond.core.render import render
from millpond.core.resources import (
    PAGE_BYTES,
    PAGE_CHARACTERS,
    PAGE_ROWS,
    CallPage,
    Looked,
    Page,
    TablePage,
    call_uri,
    list_result,
    missing,
    page_result,
    read_uri,
    table_uri,
)
from millpond.engine.database import Connection, reading
from millpond.engine.fetch import Bounds, fetch
from millpond.engine.judging import Judge
from millpond.engine.tables import Tables

_GONE = frozenset({Reason.UNKNOWN_TABLE, Reason.STALE_TABLE, Reason.EVICTED_TABLE})


class Looker:
    """Reads resources of one canvas. Safe for several threads."""

    def __init__(self, tables: Tables, judge: Judge) -> None:
        self._tables = tables
        self._judge = judge

    def look(self, connection: Connection, uri: str) -> bytes:
        """What `uri` names, or where it is empty what there is: a `Looked`, as JSON.

        Raises `QueryRefused` where it cannot be read now, and DuckDB's errors.
        """
        return msgspec.json.encode(self._look(connection, uri))

    def _look(self, connection: Connection, uri: str) -> Looked:
        if not uri:
            return list_result(self._names())
        match read_uri(uri):
            case TablePage() as page:
                return self._table(connection, uri, page)
            case CallPage() as page:
                return self._call(connection, uri, page)
            case None:
                return missing(uri, self._names())

    def _names(self) -> tuple[str, ...]:
        return tuple(name for name in self._tables.names() if name not in OWN_TABLES)

    def _table(self, connection: Connection, uri: str, page: TablePage) -> Looked:
        try:
            judged = self._judge.judge(connection, f"FROM {quote(page.name)} OFFSET {page.start}")
        except QueryRefused as refused:
            if refused.refusal.reason not in _GONE:
                raise
            known = "" if refused.refusal.reason is Reason.UNKNOWN_TABLE else f"{refused.refusal.message} "
            return missing(uri, self._names(), known)
        with reading(connection):
            counted = connection.execute(f"SELECT count(*) FROM {quote(page.name)}").fetchone()
            total = int(counted[0]) if counted else 0
            if page.start and page.start >= total:
                return missing(uri, self._names(), f"The table has {total} rows. ")
            fetched = fetch(connection, judged.statement, Bounds(PAGE_ROWS, PAGE_BYTES, PAGE_BYTES))
        names = [name for name, _ in fetched.columns]
        text = render(names, fetched.rows[:PAGE_ROWS], "csv", PAGE_BYTES, PAGE_BYTES)
        stop = page.start + text.rows
        cut = f"{text.cut_cells} cells are cut at {text.cell_bytes} bytes and end in …; query reads them whole"
        return page_result(
            uri,
            Page(
                text=text.text,
                mime_type="text/csv",
                unit="rows",
                start=page.start,
                stop=stop,
                total=total,
                next=table_uri(page.name, stop) if stop < total else None,
                notes=(cut,) if text.cut_cells else (),
            ),
        )

    def _call(self, connection: Connection, uri: str, page: CallPage) -> Looked:
        with reading(connection):
            parts = connection.execute(
                "SELECT part, length(text) FROM results WHERE call = ? ORDER BY part", [page.number]
            ).fetchall()
            total = sum(int(length) for _, length in parts)
            if page.start >= total:
                return missing(uri, self._names(), self._why_no_text(connection, page, total))
            stop = min(page.start + PAGE_CHARACTERS, total)
            text = _between(connection, page, stop, parts)
        return page_result(
            uri,
            Page(
                text=text,
                mime_type="application/json",
                unit="characters",
                start=page.start,
                stop=stop,
                total=total,
                next=call_uri(page.number, stop) if stop < total else None,
            ),
        )

    def _why_no_text(self, connection: Connection, page: CallPage, total: int) -> str:
        if total:
            return f"The result has {total} characters. "
        found = connection.execute("SELECT note FROM calls WHERE number = ?", [page.number]).fetchone()
        if found is None:
            return ""
        return f"No result of this call is kept{f': {found[0]}' if found[0] else ''}. "


def _between(connection: Connection, page: CallPage, stop: int, parts: list[tuple[int, int]]) -> str:
    """The characters of a result from the page's start to `stop`, of which `parts` are the numbers and lengths of its parts."""
    pieces: list[str] = []
    at = 0
    for part, length in parts:
        first, last = max(page.start, at), min(stop, at + length)
        if first < last:
            found = connection.execute(
                "SELECT substr(text, ?, ?) FROM results WHERE call = ? AND part = ?",
                [first - at + 1, last - first, page.number, part],
            ).fetchone()
            pieces.append(str(found[0]) if found else "")
        at += length
    return "".join(pieces)
