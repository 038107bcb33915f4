"""SQL: names and statements as they are printed for an agent.

Rule: what is printed runs as printed. A contract test holds the words against `duckdb_keywords()`. Imports `core.names`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from millpond.core.names import quote, unquoted

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_GAP = r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*"
_EXPLAIN = re.compile(
    rf"explain\b{_GAP}(?P<analyze>analyze\b)?{_GAP}(?P<options>\((?:\s*(?:analyze|format)\b[\w\s]*+,?)++\))?{_GAP}",
    re.IGNORECASE | re.DOTALL,
)
_SUMMARIZE = re.compile(rf"summarize\b{_GAP}", re.IGNORECASE | re.DOTALL)
_NAME = r'(\w+|"(?:[^"]|"")+")'
_TABLE_COLUMN = re.compile(rf"{_NAME}\s*\.\s*{_NAME}")
_OFFSET = re.compile(r"\boffset\s+(\d{1,18})(?:\s+limit\s+\d+)?\s*$", re.IGNORECASE)

QUOTED_WORDS = frozenset(
    """
    all analyse analyze and anti any array as asc asof asymmetric at attach authorization between bigint binary
    bit boolean both by case cast char character check coalesce collate collation column columns concurrently
    constraint create cross current_catalog current_date current_role current_schema current_time
    current_timestamp current_user dec decimal default deferrable desc describe distinct do else end except exists
    extract false fetch float for foreign freeze from full generated glob grant group grouping grouping_id having
    ilike in initially inner inout int integer intersect interval into is isnull join lambda lateral leading left
    like limit localtime localtimestamp map match national natural nchar none not notnull null nullif numeric
    offset on only or order out outer overlaps overlay pivot pivot_longer pivot_wider placing position positional
    precision primary qualify real references returning right row select semi session_user setof show similar
    smallint some struct substring summarize symmetric table tablesample then time timestamp to trailing treat
    trim true try_cast tuple union unique unpack unpivot user using values varchar variadic verbose when where
    window with within xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
    xmlserialize xmltable
    """.split()  # noqa: SIM905  # a list of so many literals hides the words
)
"""Keywords that DuckDB does not take as a bare name everywhere: all that are not `unreserved`."""


def printed_name(name: str) -> str:
    """A name as SQL reads it: bare where it may be, else in double quotes."""
    return name if _PLAIN.fullmatch(name) and name not in QUOTED_WORDS else quote(name)


class Explained(NamedTuple):
    """An EXPLAIN taken apart: its own words, and the statement that it explains."""

    words: str
    statement: str


def explained(sql: str) -> Explained | None:
    """The parts of an EXPLAIN that begins with its first word, or None."""
    found = _EXPLAIN.match(sql)
    if found is None:
        return None
    words = ("EXPLAIN", "ANALYZE" if found["analyze"] else "", found["options"] or "")
    return Explained(" ".join(filter(None, words)), sql[found.end() :])


class TableColumn(NamedTuple):
    """A column as `table.column` names it."""

    table: str
    column: str


def summarized(sql: str) -> str | None:
    """What follows SUMMARIZE in a statement that begins with it, or None."""
    found = _SUMMARIZE.match(sql)
    return sql[found.end() :] if found else None


def table_column(sql: str) -> TableColumn | None:
    """The two names of a text that is nothing but `table.column`, or None."""
    found = _TABLE_COLUMN.fullmatch(sql)
    return TableColumn(unquoted(found[1]), unquoted(found[2])) if found else None


def last_offset(statement: str) -> int:
    """The rows that a statement passes over by an OFFSET at its very end; 0 where it has none there."""
    found = _OFFSET.search(statement)
    return int(found[1]) if found else 0


_ENDS = re.compile(r"""(?:[;\s]|--[^\n'"]*+$)*+\Z""", re.MULTILINE)
"""Semicolons, spaces and comments of one line; each is taken in one way only, so that long spaces are no long work."""
_APPENDABLE = re.compile(r"\s*(?:select|from|with)\b(?!.*(?:--|/\*|\boffset\b))", re.IGNORECASE | re.DOTALL)


def with_offset(statement: str, rows: int) -> str:
    """The statement that passes over so many rows; around it where it has an OFFSET of its own, or takes none."""
    bare = _ENDS.sub("", statement)
    return f"{bare} OFFSET {rows}" if _APPENDABLE.match(bare) else f"FROM ({bare}\n) OFFSET {rows}"


def without_ends(sql: str, words: Sequence[tuple[int, bool]]) -> str:
    """A statement without the comments before it, and the comments and semicolons after it.

    `words` are the offsets in bytes at which its words begin, each with whether it is a comment.
    """
    encoded = sql.encode()
    start, end = 0, len(encoded)
    for offset, comment in words:
        if not comment:
            start = offset
            break
    for offset, comment in reversed(words):
        if not comment and encoded[offset : offset + 1] != b";":
            break
        end = offset
    return encoded[start:end].decode().strip()
