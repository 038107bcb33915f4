"""Handle: the short text that stands in for a large result, and the same facts for programs.

Rule: what was kept and what was not is always said; the preview gives way first, then figures, columns, other tables and the length of
texts, each cut disclosed; every SQL it prints runs as printed and ends its line; only rows begin with `| `. Imports `core.clip`,
`core.examples`, `core.model`, `core.preview`, `core.profile`, `core.render`, `core.sizes`,
`core.sql`, `core.tokens`, `core.type_text` and msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from millpond.core.clip import clip_bytes, shown
from millpond.core.examples import example
from millpond.core.model import Column, Table
from millpond.core.preview import Preview
from millpond.core.profile import MAX_VALUES, Figures, Profile, facts
from millpond.core.render import escaped
from millpond.core.sizes import human_size
from millpond.core.sql import printed_name
from millpond.core.tokens import estimate_tokens
from millpond.core.type_text import short_type

PREVIEW_ROWS = 3
"""Rows of the first table that a handle shows at most; they are for the eye, never for counting."""


class _Detail(NamedTuple):
    """How much a handle tells."""

    rows: int
    """Of the preview."""
    values: int
    """Told of a column of the first table that has few; 0 where no figures are told."""
    others: int
    """The same, of each other table."""
    warnings: int
    columns: int
    """Of the first table, and half as many of each other one."""
    tables: int
    """Beside the first one, with their columns; the others are in `calls`."""
    members: int
    """Scalars, empty lists and notes, of each so many."""
    characters: int
    """Of a name, a path or a value; a type has twice as many, a note four times."""


_DETAILS = (
    *(_Detail(rows, MAX_VALUES, MAX_VALUES, 3, 40, 11, 6, 60) for rows in (PREVIEW_ROWS, 2, 1)),
    *(_Detail(1, MAX_VALUES, others, 3, 40, 11, 6, 60) for others in (2, 0)),
    *(_Detail(1, values, 0, 2, 40, 11, 6, 60) for values in (4, 2)),
    *(_Detail(0, values, 0, 2, 40, 11, 6, 60) for values in (4, 2, 1)),
    _Detail(1, 0, 0, 2, 40, 11, 6, 60),
    _Detail(1, 0, 0, 1, 24, 11, 6, 60),
    *(_Detail(0, 0, 0, 1, columns, 11, 6, 60) for columns in (24, 12)),
    _Detail(0, 0, 0, 1, 12, 5, 6, 60),
    _Detail(0, 0, 0, 1, 8, 3, 6, 48),
    _Detail(0, 0, 0, 0, 6, 2, 4, 32),
    _Detail(0, 0, 0, 0, 4, 1, 3, 24),
    _Detail(0, 0, 0, 0, 2, 0, 2, 16),
)
"""From the most to the least: the first that fits is taken."""


class HandleText(msgspec.Struct, frozen=True, kw_only=True):
    """All that a handle is made of."""

    canvas: str
    call: int
    bytes: int
    query_tool: str
    tables: tuple[Table, ...]
    previews: tuple[Preview, ...]
    """One for each table, in the same order."""
    profiles: tuple[Profile, ...] = ()
    """Of the first tables, in the same order."""
    notes: tuple[str, ...] = ()
    rest: tuple[tuple[str, msgspec.Raw], ...] = ()
    """Scalars beside the rows, as (path, JSON text)."""
    empty: tuple[str, ...] = ()
    """Paths of lists without elements."""
    about: tuple[tuple[str, ...], ...] = ()
    """What the configuration says of each table, in the same order; empty where it says nothing of any."""


def handle_text(handle: HandleText, max_tokens: int) -> str:
    """The text block of a handle, at most `max_tokens` by estimate where the least detail takes no more."""
    text = ""
    for detail in _DETAILS:
        text = _compose(handle, detail)
        if estimate_tokens(text) <= max_tokens:
            break
    return text


def kept_lines(table: Table, profile: Profile, max_tokens: int) -> list[str]:
    """The columns and what to mind of a table that an answer was kept as, within `max_tokens` by estimate as above."""
    lines: list[str] = []
    for detail in _DETAILS:
        lines = [*_column_lines(table, profile, detail), *_warning_lines(table, profile, detail)]
        if estimate_tokens("\n".join(lines)) <= max_tokens:
            break
    return lines


def handle_meta(handle: HandleText) -> dict[str, object]:
    """The value of `_meta["millpond/handle"]`."""
    return {
        "canvas": handle.canvas,
        "call": handle.call,
        "bytes": handle.bytes,
        "note": "; ".join(handle.notes) or None,
        "tables": [
            {
                "name": table.name,
                "path": table.path,
                "rows": table.rows,
                "columns": [
                    {"name": c.name, "type": c.type, "exact": c.exact, "renamed_from": c.renamed_from}
                    for c in table.columns
                ],
                **({"about": handle.about[at]} if at < len(handle.about) and handle.about[at] else {}),
            }
            for at, table in enumerate(handle.tables)
        ],
    }


def _compose(handle: HandleText, detail: _Detail) -> str:
    lines = _table_lines(handle, detail) if handle.tables else _no_table_lines(handle)
    lines.extend(_what_else(handle, detail))
    return "\n".join(lines)


def _table_lines(handle: HandleText, detail: _Detail) -> list[str]:
    first, preview, profile = handle.tables[0], handle.previews[0], _profile(handle, 0)
    lines = [
        f"{_rows(first)} in {first.name} (from {shown(first.path, detail.characters)}; {human_size(handle.bytes)} kept out of"
        f" the conversation). Ask with {handle.query_tool}:",
        f"  {_example(handle)}",
        *_column_lines(first, profile, detail),
        *_about_lines(handle, 0, detail),
        *_warning_lines(first, profile, detail),
        *_preview_lines(preview, detail),
    ]
    others = handle.tables[1:]
    of_others = detail._replace(values=detail.others, columns=max(detail.columns // 2, 2))
    for at, table in enumerate(others[: detail.tables], 1):
        profile = _profile(handle, at)
        columns = _column_lines(table, profile, of_others)
        lines.append(f"also {_rows(table)} in {table.name} (from {shown(table.path, detail.characters)}): {columns[0]}")
        lines += [*columns[1:], *_about_lines(handle, at, detail), *_warning_lines(table, profile, detail)]
    more = len(others) - detail.tables
    if more > 0:
        lines.append(f"and {more} {_plural('table', more)} more: SELECT tables FROM calls WHERE number = {handle.call}")
    return lines


def _example(handle: HandleText) -> str:
    """The query that suits the first table that one is chosen for; else what the first rows suggest."""
    chosen = (example(table, _profile(handle, at).figures) for at, table in enumerate(handle.tables))
    suggested = handle.previews[0].example.format(table=printed_name(handle.tables[0].name))
    return next(filter(None, chosen), suggested)


def _profile(handle: HandleText, at: int) -> Profile:
    return handle.profiles[at] if at < len(handle.profiles) else Profile()


def _no_table_lines(handle: HandleText) -> list[str]:
    return [
        f"{human_size(handle.bytes)} kept out of the conversation; no rows in it to make a table of. Read it with"
        f" {handle.query_tool}:",
        f"  SELECT part, substr(text, 1, 500) FROM results WHERE call = {handle.call}",
    ]


def _column_lines(table: Table, profile: Profile, detail: _Detail) -> list[str]:
    """The columns with types and figures in one line; where there are more, a second that says where to find the others."""
    most = detail.columns
    columns = zip_longest(table.columns[:most], profile.figures[:most])
    lines = [" | ".join(_column(column, found, detail) for column, found in columns)]
    more = len(table.columns) - most
    if more > 0:
        lines.append(f"and {more} {_plural('column', more)} more: DESCRIBE {printed_name(table.name)}")
    return lines


def _column(column: Column, figures: Figures | None, detail: _Detail) -> str:
    characters = detail.characters
    text = f"{shown(printed_name(column.name), characters)} {shown(short_type(column.type), 2 * characters)}"
    if column.note:
        text += f" {column.note}"
    if column.renamed_from is not None:
        text += f" (key {_json(column.renamed_from, characters)})"
    return text + escaped(facts(column, figures, detail.values)) if figures is not None and detail.values else text


def _warning_lines(table: Table, profile: Profile, detail: _Detail) -> list[str]:
    lines = [f"mind: {escaped(sentence)}" for sentence in profile.warnings[: detail.warnings]]
    more = len(profile.warnings) - len(lines)
    if lines and more:
        lines.append(f"and {more} {_plural('thing', more)} more to mind: SUMMARIZE {printed_name(table.name)}")
    return lines


def _about_lines(handle: HandleText, at: int, detail: _Detail) -> list[str]:
    """What the configuration says of a table and its columns, in one line; DESCRIBE has the whole."""
    notes = handle.about[at] if at < len(handle.about) else ()
    if not notes:
        return []
    said = "; ".join(shown(note, 4 * detail.characters) for note in notes[: detail.members])
    more = len(notes) - detail.members
    table = printed_name(handle.tables[at].name)
    return [f"to know: {said}", *([f"and {more} {_plural('note', more)} more: DESCRIBE {table}"] if more > 0 else [])]


def _json(text: str, characters: int) -> str:
    return msgspec.json.encode(shown(text, characters)).decode()


def _preview_lines(preview: Preview, detail: _Detail) -> list[str]:
    rows = preview.rows[: detail.rows]
    if not rows:
        return []
    head = "first row:" if len(rows) == 1 else f"first {len(rows)} rows:"
    cut = " | …" if len(rows[0]) > detail.columns else ""
    return [head, *("| " + " | ".join(row[: detail.columns]) + cut for row in rows)]


def _what_else(handle: HandleText, detail: _Detail) -> list[str]:
    most, characters = detail.members, detail.characters
    lines: list[str] = []
    if handle.rest:
        said = [f"{shown(path, characters)} = {_value(raw, characters)}" for path, raw in handle.rest[:most]]
        lines.append(_listed("beside the rows: ", said, len(handle.rest)))
    if handle.empty:
        lines.append(
            _listed("empty lists: ", [shown(path, characters) for path in handle.empty[:most]], len(handle.empty))
        )
    lines.extend(f"note: {shown(note, 4 * characters)}" for note in handle.notes[:most])
    if len(handle.notes) > most:
        lines.append(f"and {len(handle.notes) - most} {_plural('note', len(handle.notes) - most)} more in calls")
    return lines


def _listed(head: str, said: Sequence[str], count: int) -> str:
    return head + ", ".join(said) + (f", and {count - len(said)} more in results" if count > len(said) else "")


def _value(raw: msgspec.Raw, characters: int) -> str:
    clipped = clip_bytes(memoryview(raw), 4 * characters)
    return shown(clipped.text + ("…" if clipped.left_out_bytes else ""), characters)


def _rows(table: Table) -> str:
    return f"{table.rows} {_plural('row', table.rows)}"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
