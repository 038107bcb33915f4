"""Own tools: what Millpond adds to a server's definitions, and what it takes from them.

Rule: at most 1,500 characters are added in all; every other byte of a definition stays. Imports msgspec only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

INSTRUCTIONS = (
    "Large results of this server's tools are kept out of the conversation as tables of a DuckDB database. The tool then answers"
    " with a short handle that names the table, its columns and first rows. Ask exact questions of it with {query} (DuckDB SQL):"
    " count, sum, filter and join there rather than by eye."
)
"""Put before the server's own instructions; at most 400 characters."""

_DESCRIPTION = (
    "Run one read-only DuckDB SQL statement on the tables that this server's results became. A large result is answered by a handle"
    " naming its table; smaller results have tables too, named in `calls` (number, tool, arguments, time, bytes, tables, note)."
    " `results` (call, part, text) holds each result as it came. SHOW TABLES, DESCRIBE and SUMMARIZE work."
    " STRUCT fields: user.login; lists: unnest(labels)."
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sql": {"type": "string", "description": "One SELECT, for instance SELECT state, count(*) FROM t GROUP BY ALL"},
        "max_rows": {"type": "integer", "minimum": 1, "description": "Rows to answer with, 100 by default"},
        "format": {"type": "string", "enum": ["markdown", "csv", "json"]},
        "exact_total": {"type": "boolean", "description": "Also count all rows when the answer is cut"},
    },
    "required": ["sql"],
}

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_text = msgspec.json.Decoder(str)


def own_name(taken: Collection[str]) -> str:
    """The own tool's name: `query`, or the first like it that the server does not have."""
    name, number = "query", 1
    while name in taken:
        name = "millpond_query" if number == 1 else f"millpond_query_{number}"
        number += 1
    return name


def own_tool(name: str) -> bytes:
    """The own tool's definition as JSON."""
    annotations = {"title": "Query results", "readOnlyHint": True, "openWorldHint": False}
    return msgspec.json.encode(
        {"name": name, "description": _DESCRIPTION, "inputSchema": _SCHEMA, "annotations": annotations}
    )


def with_instructions(result: bytes, query: str) -> bytes:
    """The `result` of `initialize` or `server/discover` with the paragraph before the server's instructions."""
    members: dict[str, Any] = dict(_members.decode(result))
    theirs = members.get("instructions")
    paragraph = INSTRUCTIONS.format(query=query)
    if theirs is not None and bytes(theirs)[:1] == b'"':
        text = bytes(theirs)[1:-1]
        members["instructions"] = msgspec.Raw(msgspec.json.encode(f"{paragraph}\n\n")[:-1] + text + b'"')
    else:
        members["instructions"] = paragraph
    return msgspec.json.encode(members)


def offers_tools(result: bytes) -> bool:
    """True where the `result` of `initialize` or `server/discover` says that the server has tools."""
    capabilities = _members.decode(result).get("capabilities")
    return capabilities is not None and b'"tools"' in bytes(capabilities) and "tools" in _members.decode(capabilities)


class Listing(msgspec.Struct, frozen=True):
    """One page of `tools/list`."""

    names: tuple[str, ...]
    last: bool
    tools: tuple[msgspec.Raw, ...]
    members: Mapping[str, msgspec.Raw]


def read_listing(result: bytes) -> Listing:
    """A page as it came. Raises `msgspec.DecodeError` where it is none."""
    members = _members.decode(result)
    raw = members.get("tools")
    tools = _elements.decode(raw) if raw is not None else []
    names = tuple(_text.decode(_members.decode(tool)["name"]) for tool in tools)
    cursor = members.get("nextCursor")
    return Listing(names, cursor is None or bytes(cursor) == b"null", tuple(tools), members)


def edited_listing(listing: Listing, replaced: Callable[[str], bool], own: bytes | None) -> bytes:
    """The page with `outputSchema` dropped where results may be replaced, and the own tool at its end."""
    tools: list[msgspec.Raw] = [
        _without_output_schema(tool) if replaced(name) else tool
        for name, tool in zip(listing.names, listing.tools, strict=True)
    ]
    if own is not None:
        tools.append(msgspec.Raw(own))
    return msgspec.json.encode({**listing.members, "tools": _as_list(tools)})


def _as_list(tools: Sequence[msgspec.Raw]) -> msgspec.Raw:
    return msgspec.Raw(b"[" + b",".join(tools) + b"]")


def _without_output_schema(tool: msgspec.Raw) -> msgspec.Raw:
    members = _members.decode(tool)
    if members.pop("outputSchema", None) is None:
        return tool
    return msgspec.Raw(msgspec.json.encode(members))
