"""Limits: what clients do not take, or cut, of a server's tools.

Rule: pure, and nothing is renamed: what is over a limit is only said. Imports the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

DESCRIPTION_CHARACTERS = 2_048
"""Claude Code cuts a longer description of a tool."""
NEAR_CHARACTERS = 4
"""So close below a limit a name is said too: a longer name of the server takes it over."""
_plain_name = re.compile(r"[A-Za-z0-9_-]+")
_words = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_list_word = re.compile(
    "all|quer(?:y|ies)|search|find|list|logs?|history|scan|export|select|sql|rows|records|tables?|events|metrics|commits"
)
_GET_WORDS = frozenset(("get", "read", "fetch", "show", "retrieve", "load"))


@dataclass(frozen=True, slots=True)
class NameLimit:
    """How long a client lets a tool's name be."""

    client: str
    characters: int
    pattern: str
    """How the name is made up, with `{server}` and `{tool}`."""


NAME_LIMITS = (
    NameLimit("Cursor", 60, "{server}{tool}"),
    NameLimit("Gemini CLI", 63, "{tool}"),
    NameLimit("Windsurf", 64, "{tool}"),
    NameLimit("Claude", 128, "mcp__{server}__{tool}"),
)


def name_problems(server: str, tool: str) -> list[str]:
    """What is wrong with a tool's name for some client, a sentence each; `server` is empty where it is not known."""
    problems: list[str] = []
    for limit in NAME_LIMITS:
        size = len(limit.pattern.format(server=server, tool=tool))
        if size > limit.characters - NEAR_CHARACTERS:
            what = "with the server's name " if server and "{server}" in limit.pattern else ""
            how = "over" if size > limit.characters else "close to"
            problems.append(f"{tool}: {size} characters {what}are {how} the {limit.characters} of {limit.client}")
    if not _plain_name.fullmatch(tool):
        problems.append(f"{tool}: some clients take only letters, digits, _ and - in a name")
    return problems


def definition_problems(tool: str, definition: Mapping[str, object]) -> list[str]:
    """What is wrong with a tool's description and schema for some client, a sentence each."""
    problems: list[str] = []
    description = definition.get("description")
    if isinstance(description, str) and len(description) > DESCRIPTION_CHARACTERS:
        problems.append(f"{tool}: Claude Code cuts its description after {DESCRIPTION_CHARACTERS:,} characters")
    schema = definition.get("inputSchema")
    if not isinstance(schema, Mapping) or schema.get("type") != "object":  # pyright: ignore[reportUnknownMemberType]
        problems.append(f'{tool}: its inputSchema is not of "type": "object", which clients refuse')
    elif {"anyOf", "oneOf", "allOf"} & set(schema):  # pyright: ignore[reportUnknownArgumentType]
        problems.append(f"{tool}: its inputSchema has anyOf, oneOf or allOf at the top, which some models' APIs refuse")
    return problems


def looks_like_a_list(tool: str, output_schema: object) -> bool:
    """Whether a tool seems to answer with many records, by its name or by what it declares."""
    words = [word.lower() for word in _words.findall(tool)]
    if any(map(_list_word.fullmatch, words)) or (_GET_WORDS & set(words[:1]) and words[-1].endswith("s")):
        return True
    return '"array"' in str(output_schema).replace("'", '"')
