"""Type text: a type as a handle writes it, short for the eye.

Rule: a reader of the types that `core.infer` and DuckDB write; no judgement of them. Imports `core.names`.
"""

from __future__ import annotations

import re

from millpond.core.names import unquoted

MAX_FIELDS = 8
"""Fields of a STRUCT that are named."""

_WORD = re.compile(r'"(?:[^"]|"")*"|[(),]|[^\s"(),]+')
"""A name in quotes, a mark between fields, or anything else up to the next of these."""


def short_type(sql: str) -> str:
    """`STRUCT {login, id}` for `STRUCT("login" VARCHAR, "id" BIGINT)`, `LIST {name}` for a list of them."""
    lists = 0
    while sql.endswith("[]"):
        sql, lists = sql[:-2], lists + 1
    if sql.startswith("STRUCT("):
        names = field_names(sql)
        inner = "{" + ", ".join(names[:MAX_FIELDS]) + (", …" if len(names) > MAX_FIELDS else "") + "}"
        sql = f"STRUCT {inner}" if not lists else inner
    elif lists:
        sql = f"of {sql}"
    return "LIST " * lists + sql


def field_names(sql: str) -> list[str]:
    """The names of a STRUCT's own fields, from its type as `core.infer` or DuckDB writes it."""
    names: list[str] = []
    depth, expects_name = 0, False
    for word in _WORD.findall(sql.removeprefix("STRUCT")):
        if expects_name and depth == 1:
            names.append(unquoted(word))
        depth += {"(": 1, ")": -1}.get(word, 0)
        expects_name = word in ("(", ",")
    return names
