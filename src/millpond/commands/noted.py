"""Noted: which notes of the configuration fit nothing that a server answers, as far as a look at it tells.

Rule: pure; an answer that was tried is judged first, an `outputSchema` where there is none. Imports `core` and the commands'
`probe`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from millpond.commands.probe import Meeting, Trial
from millpond.core import plan
from millpond.core.config import Config
from millpond.core.meaning import Said, schema_fields, stray
from millpond.core.model import Table, ToolNotes
from millpond.core.near import near_name
from millpond.core.schema_texts import property_names


def note_problems(meeting: Meeting, config: Config) -> list[str]:
    """One sentence for each note on a list or a column that is not there, with the name that may be meant."""
    tools = {str(tool["name"]): tool for tool in meeting.tools}
    known = (notes for notes in config.notes if notes.tool in tools)
    return [text for notes in known for text in _problems(notes, tools[notes.tool], meeting.trials)]


def _problems(notes: ToolNotes, tool: Mapping[str, Any], trials: Sequence[Trial]) -> Iterator[str]:
    schema = tool.get("outputSchema")
    tables = [table for trial in trials if trial.tool == notes.tool for table in _tables(trial)]
    if tables:
        for one in stray(notes, tables, schema_fields(Said("", schema), tables)):
            what = "list" if one.kind == "tables" else "column"
            yield _sentence(notes.tool, f"{what} {one.key}", "its answer has none of that name", one.near)
        return
    names = property_names(schema)
    for name, _ in notes.columns if names else ():
        if missing := [part for part in name.split(".") if part not in names]:
            near = near_name(missing[0], sorted(names))
            yield _sentence(notes.tool, f"column {name}", f"its output schema has no {missing[0]}", near)


def _sentence(tool: str, what: str, problem: str, near: str) -> str:
    return f"{tool}: the configuration has a note on {what}, and {problem}" + (
        f"; did you mean {near}?" if near else ""
    )


def _tables(trial: Trial) -> Sequence[Table]:
    """The tables that an answer would make; none where it cannot be read or has no rows."""
    try:
        reading = None if trial.reply.error else plan.read(trial.reply.raw)
        if reading is None or not reading.has_rows:
            return ()
        return plan.tables(plan.columns(reading), plan.names(reading, trial.tool, "", 1))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ()
