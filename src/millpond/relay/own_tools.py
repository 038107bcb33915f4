"""Own tools: what Millpond adds to a server's definitions, and what it takes from them.

Rule: at most 1,500 characters are added in all; every other byte of a definition stays. Imports `core.model`,
`core.near`, msgspec and the relay's `results` and `spans`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from millpond.core.model import ToolText
from millpond.core.near import near_name
from millpond.relay.results import appended, capabilities, is_last_page
from millpond.relay.spans import Edit, Member, edited, list_elements, members_of, string_value

INSTRUCTIONS = (
    "Large results of this server's tools are kept out of the conversation, as tables of a DuckDB database."
    " The tool then answers with a short handle that names table, columns and first rows."
    " Ask exact questions of it in SQL with the tool query (millpond_query where the server has a query of its own):"
    " count, sum, filter and join there, not by eye."
)
"""Put before the server's own instructions; at most 400 characters. Both names: its tools are not known yet."""

_DESCRIPTION = (
    "Run one read-only DuckDB SQL statement on the tables that this server's results became."
    " Small results have tables too, named in `calls` (number, tool, arguments, time, bytes, tables, note)."
    " `results` (call, part, text) holds each result as it came. SHOW TABLES, DESCRIBE, SUMMARIZE t, t.column,"
    " DROP TABLE work."
    " STRUCT fields: user.login; lists: unnest(labels)."
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sql": {"type": "string", "description": "One SELECT, such as SELECT state, count(*) FROM t GROUP BY ALL"},
        "max_rows": {"type": "integer", "minimum": 1, "description": "100 by default"},
        "format": {"type": "string", "enum": ["markdown", "csv", "json"]},
        "save_as": {"type": "string", "description": "Keep the whole answer as a table of this name"},
        "exact_total": {"type": "boolean", "description": "Also count all rows when the answer is cut"},
        "canvas": {
            "type": "string",
            "description": "Another canvas's SELECT canvas_id()",
        },
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
MAX_SCHEMA_BYTES = 1 << 20
"""Of one `outputSchema` that is kept for the comments of the tool's tables; of a larger one nothing is."""
MAX_DESCRIPTION_CHARACTERS = 4_000
"""Of one tool's description that is kept for them."""


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


def misnamed(tool: str, names: Sequence[str]) -> str:
    """What is said of a tool that the configuration names and the server does not have."""
    near = near_name(tool, names)
    return f'the configuration: [tools."{tool}"]: the server has no such tool' + (
        f"; did you mean {near}?" if near else ""
    )


# --- the answer to `initialize` and `server/discover` ---------------------------------------------------------------


def offers_tools(line: bytes, result: Member) -> bool:
    """True where the result says that the server has tools."""
    return "tools" in capabilities(line, result)[1]


def with_instructions(line: bytes, result: Member) -> bytes:
    """The line with the paragraph before the instructions in its result."""
    members = members_of(line, result)
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
class Listed:
    """A tool of the server."""

    text: ToolText
    member: Member
    output_schema: Edit | None

    @property
    def name(self) -> str:
        """Its name."""
        return self.text.name


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of `tools/list`, in its line."""

    line: bytes
    tools: tuple[Listed, ...]
    is_last: bool
    """True where no `nextCursor` tells of another page."""
    place: Member
    """Of the list."""
    elements: tuple[Member, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of the tools on it."""
        return frozenset(tool.name for tool in self.tools)

    def texts(self, is_replaced: Callable[[str], bool]) -> tuple[ToolText, ...]:
        """What the server says of the tools whose results may be replaced, where it says something."""
        found = (tool.text for tool in self.tools if is_replaced(tool.name))
        return tuple(text for text in found if text.description or text.schema)

    def edited(self, is_replaced: Callable[[str], bool], own: Sequence[bytes]) -> bytes:
        """The line without `outputSchema` where results may be replaced, and with own tools at the list's end."""
        edits = [tool.output_schema for tool in self.tools if tool.output_schema and is_replaced(tool.name)]
        if own:
            edits.append(appended(self.line, self.place, self.elements, b",".join(own)))
        return edited(self.line, *edits)


def read_listing(line: bytes, result: Member) -> Listing | None:
    """The page that a result is, or None where it is none."""
    members = members_of(line, result)
    tools = members.get("tools")
    elements = None if tools is None else list_elements(line, tools.start, tools.stop)
    if tools is None or elements is None:
        return None
    found = (_tool(line, element) for element in elements)
    return Listing(
        line=line,
        tools=tuple(tool for tool in found if tool is not None),
        is_last=is_last_page(line, members),
        place=tools,
        elements=tuple(elements),
    )


def _tool(line: bytes, element: Member) -> Listed | None:
    members = members_of(line, element)
    name = string_value(line, members.get("name"))
    if name is None:
        return None
    description = string_value(line, members.get("description")) or ""
    schema = _raw(line, members.get("outputSchema"))
    text = ToolText(name=name, description=description[:MAX_DESCRIPTION_CHARACTERS], schema=schema)
    return Listed(text, element, _removal(line, members, "outputSchema"))


def _raw(line: bytes, member: Member | None) -> bytes:
    """A schema's raw text; empty where there is none, or one that is too large."""
    is_kept = member is not None and member.stop - member.start <= MAX_SCHEMA_BYTES
    return member.of(line) if member is not None and is_kept else b""


def _removal(line: bytes, members: dict[str, Member], name: str) -> Edit | None:
    """The edit that takes a member out with one of the commas beside it; None where it is not there."""
    member = members.get(name)
    if member is None:
        return None
    if line[member.delimiter : member.delimiter + 1] == b",":
        return Edit(member.delimiter, member.stop, b"")
    second = next((other for other in members.values() if other.delimiter >= member.stop), None)
    return Edit(member.delimiter + 1, member.stop if second is None else second.delimiter + 1, b"")
