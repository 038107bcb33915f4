"""Config paging: `[tools."NAME".all]`, how the pages of a tool are collected.

Rule: what does not fit together is refused at the start, and never found out by a page too many. Imports `core.config`,
`core.paging` and the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn, Protocol, cast

from millpond.core.config import SETTINGS, PagingLimits, Setting
from millpond.core.paging import COUNTS, Paging, Path, parse_path

LIMITS = tuple(setting for setting in SETTINGS if setting.section == "paging")
"""What `[paging]` says for all tools, and a tool's own table for that one."""
KEYS = (
    "page",
    "next",
    "count",
    "first",
    "more",
    "total",
    "rows",
    "size",
    "read_only",
    *(setting.name for setting in LIMITS),
)
MAX_FIRST = 1_000_000_000


class Reader(Protocol):
    """Reads one file; every method raises `ConfigError`, or gives what it was asked for."""

    def wrong(self, key: str, expected: str, came: object, advice: str) -> NoReturn:
        """Refuse a value."""
        ...

    def known(self, where: str, table: Mapping[str, Any], names: Iterable[str]) -> None:
        """Refuse the first key that is not one of the names."""
        ...

    def value(self, setting: Setting, value: object, where: str = "") -> int | float | str:
        """A setting's value, in the table that `where` names if it is not the setting's own section."""
        ...


def read_paging(reader: Reader, where: str, table: Mapping[str, Any], limits: PagingLimits) -> Paging:
    """The paging in a table. Raises `ConfigError` for what cannot be used."""
    reader.known(where, table, KEYS)
    page = table.get("page")
    if not isinstance(page, str) or not page:
        reader.wrong(f"[{where}] page", "the name of an argument", page, 'write for example page = "cursor"')
    if ("next" in table) == ("count" in table):
        came = "both" if "next" in table else "neither"
        advice = 'write for example next = "$.nextCursor" for a value of the answer, or count = "rows" for an offset'
        reader.wrong(f"[{where}] next", "either next or count", came, advice)
    count = table.get("count")
    if count is not None and count not in COUNTS:
        reader.wrong(f"[{where}] count", f"one of {', '.join(COUNTS)}", count, 'write count = "rows" for an offset')
    bounds: dict[str, Any] = {setting.name: getattr(limits, setting.name) for setting in LIMITS}
    bounds |= {
        setting.name: reader.value(setting, table[setting.name], where) for setting in LIMITS if setting.name in table
    }
    rows = _path(reader, where, table, "rows")
    if rows is not None and not all(isinstance(step, str) for step in rows):
        reader.wrong(f"[{where}] rows", "a path of names", table["rows"], 'write for example rows = "$.items"')
    return Paging(
        page=page,
        next=_path(reader, where, table, "next"),
        count=count,
        first=_first(reader, where, table),
        more=_path(reader, where, table, "more"),
        total=_path(reader, where, table, "total"),
        rows=None if rows is None else tuple(map(str, rows)),
        size=_size(reader, where, table.get("size", {})),
        read_only=_flag(reader, where, table),
        **bounds,
    )


def _path(reader: Reader, where: str, table: Mapping[str, Any], name: str) -> Path | None:
    text = table.get(name)
    if text is None:
        return None
    path = parse_path(text) if isinstance(text, str) else None
    if path is None:
        reader.wrong(f"[{where}] {name}", "a JSON path", text, f'write for example {name} = "$.data.{name}"')
    return path


def _first(reader: Reader, where: str, table: Mapping[str, Any]) -> int:
    """Offsets begin with 0 and page numbers with 1, where nothing else is said."""
    first = table.get("first", 1 if table.get("count") == "pages" else 0)
    if not isinstance(first, int) or isinstance(first, bool) or not 0 <= first <= MAX_FIRST:
        reader.wrong(f"[{where}] first", f"a whole number from 0 to {MAX_FIRST:,}", first, "write first = 0")
    if "first" in table and "count" not in table:
        reader.wrong(f"[{where}] first", "count beside it", "next", "remove it")
    return first


def _size(reader: Reader, where: str, size: object) -> Mapping[str, bytes]:
    members = cast("dict[str, object]", size) if isinstance(size, dict) else {"": None}
    if not all(isinstance(value, str | int | float) for value in members.values()):
        came = members if isinstance(size, dict) else size
        reader.wrong(f"[{where}] size", "a table of arguments", came, "write for example size = { per_page = 100 }")
    return MappingProxyType({name: json.dumps(value).encode() for name, value in members.items()})


def _flag(reader: Reader, where: str, table: Mapping[str, Any]) -> bool:
    flag = table.get("read_only", False)
    if not isinstance(flag, bool):
        reader.wrong(f"[{where}] read_only", "true or false", flag, "write read_only = true")
    return flag
