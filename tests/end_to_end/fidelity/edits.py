"""The documented edits: for each rule, what it makes of what a direct connection shows.

Rule: written anew and by other means than the product's, so that the two agree only where both are right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple

from millpond.core.resources import TEMPLATES
from millpond.relay.own_tools import INSTRUCTIONS, own_tool


class Edit(NamedTuple):
    """One rule's change to the bytes that the client gets."""

    expected: Callable[[bytes], bytes]
    """Of what a direct connection shows."""
    seen: Callable[[bytes], bytes] = bytes
    """Of what the proxied one shows: a part whose bytes the rule leaves open is blanked in both."""


def with_paragraph(shown: bytes) -> bytes:
    """The paragraph stands before the instructions, as one text with them."""
    paragraph = json.dumps(INSTRUCTIONS).encode()[:-1]
    return shown.replace(b'"instructions":"', b'"instructions":' + paragraph + b"\\n\\n")


def with_own_tool(shown: bytes) -> bytes:
    """The own tool is the last of each list that ends here; no probe has a bracket behind its tools."""
    lines = BytesIO(shown).readlines()
    return b"".join(_with_own_tool(line) if _is_last_page(line) else line for line in lines)


def _is_last_page(line: bytes) -> bool:
    return b'"tools":[' in line and b'"nextCursor":"' not in line


def _with_own_tool(line: bytes) -> bytes:
    before, bracket, behind = line.rpartition(b"]")
    name = "millpond_query" if b'"name":"query"' in line else "query"
    return before + b"," + own_tool(name) + bracket + behind


def without_output_schema(shown: bytes) -> bytes:
    """No probe has an `outputSchema` with braces inside of braces inside of it."""
    return re.sub(rb',"outputSchema":\{(?:[^{}]|\{[^{}]*\})*\}', b"", shown)


def with_templates(shown: bytes) -> bytes:
    """Our templates are the last of each list; no probe has a bracket behind its own, nor more than one such list."""
    before, name, list_ = shown.partition(b'"resourceTemplates":[')
    ours = json.dumps(list(TEMPLATES), separators=(",", ":")).encode()[1:-1]
    line, end, behind = list_.partition(b"\n")
    theirs, bracket, tail = line.rpartition(b"]")
    return before + name + theirs + b"," + ours + bracket + tail + end + behind if name else shown


def with_result_blanked(shown: bytes) -> bytes:
    """Where `trace` stands behind a result, the result is a dot: the large one, and whatever stands for it."""
    return re.sub(rb'"result":\{(?:(?!"result":).)*\}(?=,"trace":)', b'"result":.', shown)


EDITS = {
    "TOOLS-01": Edit(with_paragraph),
    "TOOLS-02": Edit(with_own_tool),
    "TOOLS-03": Edit(without_output_schema),
    "RESOURCES-05": Edit(with_templates),
    "RELAY-10": Edit(with_result_blanked, with_result_blanked),
    "RELAY-26": Edit(with_result_blanked, with_result_blanked),
}
"""Of the edits that RELAY-01 lists, those that a probe shows; the others answer or cut where a direct connection fails."""
