"""Comments: what is said of tables and columns reaches DuckDB's catalog, and the answer to DESCRIBE.

Rule: a comment is a text and nothing else, quoted whole; what goes wrong with its making costs the comment, never the result.
Safe for several threads. Imports `core`, `engine.database` and `engine.fetch`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from millpond.core.meaning import Comments, Said, Stray, about, comments, schema_fields, stray
from millpond.core.model import Table, ToolNotes, ToolText
from millpond.core.names import quote, quoted_text
from millpond.core.schema_texts import one_line, read_schema
from millpond.core.trees import described_table
from millpond.engine.database import Connection
from millpond.engine.fetch import Fetched

MAX_DESCRIPTION_CHARACTERS = 300
"""Of a tool's own description, in its table's comment: the client has the whole."""
COMMENT = "comment"
_NOTHING = Said("", None)


class Meanings:
    """What is known of the tools' results beyond the data."""

    def __init__(self, notes: Sequence[ToolNotes]) -> None:
        self._notes = {one.tool: one for one in notes}
        self._said: dict[str, Said] = {}
        self._done: dict[str, set[str]] = {}

    def learn(self, tools: Sequence[ToolText]) -> None:
        """Know what the server says of its tools; the latest counts."""
        for tool in tools:
            description = one_line(tool.description, MAX_DESCRIPTION_CHARACTERS)
            self._said[tool.name] = Said(description, read_schema(tool.schema))

    def write(self, connection: Connection, tool: str, tables: Sequence[Table]) -> None:
        """Comment the tables that one result of a tool gave, in the caller's transaction. Raises DuckDB's errors."""
        notes, said = self._notes.get(tool), self._said.get(tool, _NOTHING)
        if notes is None and said == _NOTHING:
            return
        for table in tables:
            if statements := comment_on(table.name, comments(notes, said, table)):
                connection.execute(statements)

    def about(self, tool: str, tables: Sequence[Table]) -> tuple[tuple[str, ...], ...]:
        """What the configuration says of each of these tables."""
        notes = self._notes.get(tool)
        return () if notes is None else tuple(about(notes, table) for table in tables)

    def strays(self, tool: str, tables: Sequence[Table], empty: Sequence[str]) -> tuple[str, ...]:
        """Notes of the configuration that fit nothing of this result, each told once, on stderr too.

        `empty` are paths of lists without rows: of a column that is like none here it is not known that they lack it.
        """
        notes = self._notes.get(tool)
        if notes is None or not tables:
            return ()
        known = schema_fields(self._said.get(tool, _NOTHING), tables) | set(empty)
        found = stray(notes, tables, known)
        fresh = [one for one in found if one.key not in self._settled(tool) and (one.near or not empty)]
        missing = {one.key for one in found}
        self._settled(tool).update(key for key, _ in (*notes.tables, *notes.columns) if key not in missing)
        self._settled(tool).update(one.key for one in fresh)
        for one in fresh:
            sys.stderr.write(f"{_to_people(tool, one)}\n")
            sys.stderr.flush()
        return tuple(map(_to_agents, fresh))

    def _settled(self, tool: str) -> set[str]:
        """Notes that fitted some result, or were told to fit none: neither is told again."""
        return self._done.setdefault(tool, set())


def comment_on(table: str, said: Comments) -> str:
    """The statements that set the comments of a table; "" where there is nothing to say."""
    of_table = [f"COMMENT ON TABLE {quote(table)} IS {quoted_text(said.table)}"] if said.table else []
    of_columns = (
        f"COMMENT ON COLUMN {quote(table)}.{quote(name)} IS {quoted_text(text)}" for name, text in said.columns
    )
    return ";\n".join((*of_table, *of_columns))


def with_comments(connection: Connection, tree: dict[str, Any], fetched: Fetched) -> Fetched:
    """The answer of a DESCRIBE of one table with a column of comments, where there are some; any other as it is."""
    table = described_table(tree)
    names = [name for name, _ in fetched.columns]
    if table is None or "column_name" not in names:
        return fetched
    found = connection.execute(
        "SELECT column_name, comment FROM duckdb_columns() WHERE database_name = current_database()"
        " AND schema_name = 'main' AND comment IS NOT NULL AND lower(table_name) = lower(?)",
        [table],
    ).fetchall()
    if not found:
        return fetched
    at, texts = names.index("column_name"), dict(found)
    rows = [(*row, texts.get(row[at])) for row in fetched.rows]
    return msgspec.structs.replace(fetched, columns=[*fetched.columns, (COMMENT, "VARCHAR")], rows=rows)


def table_comment(connection: Connection, tree: dict[str, Any]) -> tuple[str, ...]:
    """A note with a table's own comment as a JSON string, under the answer of its DESCRIBE."""
    table = described_table(tree)
    if table is None:
        return ()
    found = connection.execute(
        "SELECT table_name, comment FROM duckdb_tables() WHERE database_name = current_database()"
        " AND schema_name = 'main' AND comment IS NOT NULL AND lower(table_name) = lower(?)",
        [table],
    ).fetchone()
    return () if found is None else (f"Comment on {found[0]}: {msgspec.json.encode(found[1]).decode()}",)


def _to_people(tool: str, one: Stray) -> str:
    """Without a name of the data: the log holds none."""
    what = "list" if one.kind == "tables" else "column"
    return (
        f'the configuration: [tools."{one_line(tool, 60)}".{one.kind}] {one_line(one.key, 80)}: a result has no such {what};'
        " millpond doctor --try tells near names"
    )


def _to_agents(one: Stray) -> str:
    what = "list" if one.kind == "tables" else "column"
    near = f"; did you mean {one.near}?" if one.near else ", though another may"
    return f"the configuration has a note on {one.key}, and this result has no such {what}{near}"
