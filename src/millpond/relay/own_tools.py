"""Own tools: what Millpond adds to a server's definitions, and what it takes from them.

Rule: at most 1,500 characters are added in all; every other byte of a definition stays. Imports msgspec and the relay's
`spans`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import msgspec

from millpond.relay.spans import Edit, Member, edited, list_elements, object_members, string_value

INSTRUCTIONS = (
    "Large results of this server's tools are kept out of the conversation, as tables of a DuckDB database."
    " The tool then answers with a short handle that names table, columns and first rows."
    " Ask exact questions of it in SQL with the tool query (millpond_query where the server has a query of its own):"
    " count, sum, filter and join there, not by eye."
)
"""Put before the server's own instructions; at most 400 characters. Both names: its tools are not known yet."""

_DESCRIPTION = (
    "Run one read-only DuckDB SQL statement on the tables that this server's results became."
    " A large result is answered with a handle that names its table; small results have tables too,"
    " named in `calls` (number, tool, arguments, time, bytes, tables, note)."
    " `results` (call, part, text) holds each result as it came. SHOW TABLES, DESCRIBE and SUMMARIZE work."
    " STRUCT fields: user.login; lists: unnest(labels)."
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sql": {"type": "string", "description": "One SELECT, for instance SELECT state, count(*) FROM t GROUP BY ALL"},
        "max_rows": {"type": "integer", "minimum": 1, "description": "Rows to answer with, 100 by default"},
        "format": {"type": "string", "enum": ["markdown", "csv", "json"]},
        "save_as": {"type": "string", "description": "Keep the whole answer as a table of this name"},
        "exact_total": {"type": "boolean", "description": "Also count all rows when the answer is cut"},
    },
    "required": ["sql"],
}
_ANNOTATIONS: dict[str, Any] = {"title": "Query results", "readOnlyHint": True, "openWorldHint": False}
_EXPORT: dict[str, Any] = {
    "type": "string",
    "description": "Write the whole answer to a new NAME.csv, .parquet or .jsonl",
}
_WRITES: dict[str, Any] = {"title": "Query results", "destructiveHint": False, "openWorldHint": False}
"""Where files may be written; none is written over."""


def own_name(taken: Collection[str]) -> str:
    """The own tool's name: `query`, or the first like it that the server does not have."""
    name, number = "query", 1
    while name in taken:
        name = "millpond_query" if number == 1 else f"millpond_query_{number}"
        number += 1
    return name


def own_tool(name: str, *, exports: bool = False) -> bytes:
    """The own tool's definition as JSON; with `exports` it may write files."""
    schema, annotations = _SCHEMA, _ANNOTATIONS
    if exports:
        schema = {**_SCHEMA, "properties": {**_SCHEMA["properties"], "export": _EXPORT}}
        annotations = _WRITES
    return msgspec.json.encode(
        {"name": name, "description": _DESCRIPTION, "inputSchema": schema, "annotations": annotations}
    )


# --- the answer to `initialize` and `server/discover` ---------------------------------------------------------------


def offers_tools(line: bytes, result: Member) -> bool:
    """True where the result says that the server has tools."""
    capabilities = (object_members(line, result.start, result.stop) or {}).get("capabilities")
    return capabilities is not None and "tools" in (object_members(line, capabilities.start, capabilities.stop) or {})


def with_instructions(line: bytes, result: Member) -> bytes:
    """The line with the paragraph before the instructions in its result."""
    members = object_members(line, result.start, result.stop) or {}
    theirs = members.get("instructions")
    paragraph = msgspec.json.encode(INSTRUCTIONS)
    if theirs is None:
        end = line.rindex(b"}", result.start, result.stop)
        comma = b"," if members else b""
        return edited(line, Edit(end, end, comma + b'"instructions":' + paragraph))
    if line[theirs.start : theirs.start + 1] == b'"':
        return edited(line, Edit(theirs.start, theirs.start + 1, paragraph[:-1] + b"\\n\\n"))
    return edited(line, Edit(theirs.start, theirs.stop, paragraph))


# --- the answer to `tools/list` -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    member: Member
    output_schema: Edit | None


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of `tools/list`, in its line."""

    line: bytes
    tools: tuple[_Tool, ...]
    is_last: bool
    """True where no `nextCursor` tells of another page."""
    own_at: int
    """Where another element goes, behind the last one."""
    has_elements: bool

    @property
    def names(self) -> frozenset[str]:
        """The names of the tools on it."""
        return frozenset(tool.name for tool in self.tools)

    def edited(self, is_replaced: Callable[[str], bool], own: bytes | None) -> bytes:
        """The line without `outputSchema` where results may be replaced, and with the own tool at the list's end."""
        edits = [tool.output_schema for tool in self.tools if tool.output_schema and is_replaced(tool.name)]
        if own is not None:
            edits.append(Edit(self.own_at, self.own_at, b"," + own if self.has_elements else own))
        return edited(self.line, *edits)


def read_listing(line: bytes, result: Member) -> Listing | None:
    """The page that a result is, or None where it is none."""
    members = object_members(line, result.start, result.stop) or {}
    tools = members.get("tools")
    elements = None if tools is None else list_elements(line, tools.start, tools.stop)
    if tools is None or elements is None:
        return None
    cursor = members.get("nextCursor")
    found = (_tool(line, element) for element in elements)
    return Listing(
        line=line,
        tools=tuple(tool for tool in found if tool is not None),
        is_last=cursor is None or line[cursor.start : cursor.stop] in (b"null", b'""'),
        own_at=elements[-1].stop if elements else line.index(b"[", tools.start) + 1,
        has_elements=bool(elements),
    )


def _tool(line: bytes, element: Member) -> _Tool | None:
    members = object_members(line, element.start, element.stop) or {}
    name = string_value(line, members.get("name"))
    return None if name is None else _Tool(name, element, _removal(line, members, "outputSchema"))


def _removal(line: bytes, members: dict[str, Member], name: str) -> Edit | None:
    """The edit that takes a member out with one of the commas beside it; None where it is not there."""
    member = members.get(name)
    if member is None:
        return None
    if line[member.delimiter : member.delimiter + 1] == b",":
        return Edit(member.delimiter, member.stop, b"")
    second = next((other for other in members.values() if other.delimiter >= member.stop), None)
    return Edit(member.delimiter + 1, member.stop if second is None else second.delimiter + 1, b"")
