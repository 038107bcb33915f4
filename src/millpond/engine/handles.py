"""Handles: what the client gets for a result whose tables are stored.

Rule: nothing here can undo or refuse what is committed; where the tables cannot be looked at, the handle says less. Imports `core` and
the engine's `comments`, `database` and `profiling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from millpond.core import plan
from millpond.core.columns import Plan
from millpond.core.handle import PREVIEW_ROWS, HandleText, handle_meta, handle_text
from millpond.core.model import Call, EngineSettings, Outcome, Table, Verdict
from millpond.core.names import quote
from millpond.core.preview import preview
from millpond.core.profile import Profile, profile_of
from millpond.core.replacement import replace_result
from millpond.engine.comments import Meanings
from millpond.engine.database import Database, DatabaseError
from millpond.engine.profiling import figures

PROFILED_TABLES = 3
"""Tables of one result that are looked at, from the first: a handle has seldom room for the columns of more."""


class Handles:
    """Writes the handles of one canvas."""

    def __init__(self, database: Database, settings: EngineSettings, meanings: Meanings) -> None:
        self._database = database
        self._settings = settings
        self._meanings = meanings

    def outcome(
        self,
        call: Call,
        size_bytes: int,
        query_tool: str,
        reading: plan.Reading,
        plans: tuple[Plan, ...],
        said: tuple[str, ...],
    ) -> Outcome:
        """The answer to a call whose result of this size is stored; `said` are notes on the canvas."""
        names = plan.names(reading, call.tool, self._settings.tag, call.number)
        tables = plan.tables(plans, names)
        handle = HandleText(
            canvas=self._settings.canvas,
            call=call.number,
            bytes=size_bytes,
            query_tool=query_tool,
            tables=tables,
            previews=tuple(preview(table, PREVIEW_ROWS) for table in plans),
            profiles=self._profiles(tables),
            notes=plan.notes(reading, plans)
            + said
            + self._meanings.strays(call.tool, tables if reading.has_rows else (), reading.shape.empty),
            rest=reading.shape.rest,
            empty=reading.shape.empty,
            about=self._meanings.about(call.tool, tables),
        )
        text = handle_text(handle, self._settings.handle_tokens)
        return Outcome(verdict=Verdict.REPLACE, body=replace_result(reading.payload, text, handle_meta(handle)))

    def _profiles(self, tables: Sequence[Table]) -> tuple[Profile, ...]:
        try:
            with closing(self._database.cursor()) as connection:
                return tuple(
                    profile_of(table.columns, figures(connection, quote(table.name), table.columns, table.rows))
                    if table.rows > PREVIEW_ROWS
                    else Profile()
                    for table in tables[:PROFILED_TABLES]
                )
        except (DatabaseError, MemoryError):
            return ()
