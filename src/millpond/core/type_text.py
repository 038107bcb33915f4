"""Type text: a type as a handle writes it, short for the eye.

Rule: a reader of the types that `core.infer` writes; no judgement of them. Imports nothing.
"""

from __future__ import annotations

MAX_FIELDS = 8
"""Fields of a STRUCT that are named."""


def short_type(sql: str) -> str:
    """`STRUCT {login, id}` for `STRUCT("login" VARCHAR, "id" BIGINT)`, `LIST {name}` for a list of them."""
    lists = 0
    while sql.endswith("[]"):
        sql, lists = sql[:-2], lists + 1
    if sql.startswith("STRUCT("):
        names = _field_names(sql)
        inner = "{" + ", ".join(names[:MAX_FIELDS]) + (", …" if len(names) > MAX_FIELDS else "") + "}"
        sql = f"STRUCT {inner}" if not lists else inner
    elif lists:
        sql = f"of {sql}"
    return "LIST " * lists + sql


def _field_names(sql: str) -> list[str]:
    """The names of a STRUCT's own fields, from its type as `core.infer` writes it."""
    names: list[str] = []
    depth, at = 0, len("STRUCT")
    expects_name = False
    while at < len(sql):
        char = sql[at]
        if char == '"':
            end = at + 1
            while sql[end] != '"' or sql[end + 1 : end + 2] == '"':
                end += 2 if sql[end] == '"' else 1
            if expects_name and depth == 1:
                names.append(sql[at + 1 : end].replace('""', '"'))
            expects_name, at = False, end
        elif char in "()":
            depth += 1 if char == "(" else -1
            expects_name = char == "(" and depth == 1
        elif char == "," and depth == 1:
            expects_name = True
        at += 1
    return names
