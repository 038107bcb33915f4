"""Siblings: the tool `NAME_all` beside a tool whose pages are collected, as `tools/list` shows it.

Rule: only beside a tool that changes nothing, and at most 400 characters each: descriptions of arguments go first, then
the arguments. Imports `core.paging`, `core.values` and msgspec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from millpond.core.paging import Kind, Paging, sibling_name
from millpond.core.values import list_of, object_of

MAX_CHARACTERS = 400
"""Of one definition, as JSON."""
_NOISE = frozenset(("description", "title", "default", "examples", "$schema"))
"""What a schema says beside what it allows."""
_KINDS: Mapping[str, Kind] = {"integer": "number", "number": "number", "string": "string"}

_Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sibling:
    """A tool that collects the pages of another."""

    name: str
    tool: str
    paging: Paging
    kind: Kind | None
    """What the argument for the page is in the tool's schema; None where that is not said, or is not one kind."""
    definition: bytes
    """As JSON."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The own tools that a client was shown."""

    query: str
    """The name of the one for SQL."""
    siblings: Mapping[str, Sibling]
    """By name."""


def sibling_of(raw: bytes, paging: Paging, query: str) -> Sibling | str:
    """The sibling of a tool's raw definition, or why it gets none; `query` is the own tool's name."""
    try:
        tool: dict[str, Any] = msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return "its definition cannot be read"
    name = str(tool.get("name"))
    marked = object_of(tool.get("annotations")).get("readOnlyHint")
    if marked is not True and (marked is not None or not paging.read_only):
        why = "says that it changes something" if marked is not None else "does not mark it read-only"
        advice = "" if marked is not None else "; where it changes nothing, say read_only = true"
        return f"the server {why}{advice}"
    schema = object_of(tool.get("inputSchema"))
    for given in _schemas(name, schema, paging):
        definition = msgspec.json.encode(
            {
                "name": sibling_name(name),
                "description": f"All pages of {name} in one table; ask it with {query}.",
                "inputSchema": given,
                "annotations": {"readOnlyHint": True},
            }
        )
        if len(definition.decode()) <= MAX_CHARACTERS:
            return Sibling(sibling_name(name), name, paging, _kind(schema, paging.page), definition)
    return "its name is too long"


def _schemas(name: str, schema: _Schema, paging: Paging) -> Iterator[_Schema]:
    """The schema of the sibling, from the fullest to the shortest. The page stays, for a partial answer is gone on with by it."""
    properties = {key: value for key, value in object_of(schema.get("properties")).items() if key not in paging.size}
    if paging.page in properties:
        described = "As a partial answer says"
        properties[paging.page] = {**_bare(object_of(properties[paging.page])), "description": described}
    needed = [key for key in list_of(schema.get("required")) if key != paging.page and key not in paging.size]
    rest = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    full = {**rest, "properties": properties, **({"required": needed} if needed else {})}
    yield full
    yield _bare(full)
    yield {"type": "object", "description": f"The arguments of {name} but for the page"}


def _bare(schema: _Schema) -> dict[str, Any]:
    """A schema without the words around it."""
    bare = {key: value for key, value in schema.items() if key not in _NOISE}
    if "properties" in bare:
        bare["properties"] = {key: _bare(object_of(value)) for key, value in object_of(bare["properties"]).items()}
    return bare


def _kind(schema: _Schema, argument: str) -> Kind | None:
    """What kind of value an argument takes; `anyOf` and lists of types (with null) are looked through."""
    found = object_of(object_of(schema.get("properties")).get(argument))
    types = [
        found.get("type"),
        *list_of(found.get("type")),
        *(object_of(one).get("type") for one in list_of(found.get("anyOf"))),
    ]
    kinds: set[Kind] = {_KINDS[kind] for kind in types if isinstance(kind, str) and kind in _KINDS}
    return kinds.pop() if len(kinds) == 1 else None
