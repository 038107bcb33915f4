"""SQL: names and statements as they are printed for an agent.

Rule: what is printed runs as printed. A contract test holds the words against `duckdb_keywords()`. Imports `core.names`.
"""

from __future__ import annotations

import re

from millpond.core.names import quote

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_EXPLAIN = re.compile(r"\s*explain\b\s*(?:analyze\b\s*)?(?:\([^()]*\)\s*)?", re.IGNORECASE)
_COMMENTS = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)

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


def without_leading_comments(sql: str) -> str:
    """The text from its first word on."""
    found = _COMMENTS.match(sql)
    return sql[found.end() :] if found else sql


def after_explain(sql: str) -> str:
    """What an EXPLAIN explains; the text itself where it is none."""
    text = without_leading_comments(sql)
    found = _EXPLAIN.match(text)
    return text[found.end() :] if found else text
