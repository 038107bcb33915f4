"""One JSON list or object with short prose before or after it, or inside a Markdown fence.

Rule: taken only where there is one such value and the prose is a frame around it; where the value begins and ends is
tried a bounded number of times, so that the work is linear. Imports `forms.text`,
`core.relaxed`, msgspec and the standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from millpond.core.forms.text import (
    MAX_PROSE_CHARACTERS,
    Form,
    FormText,
    is_around,
    make_strict,
    prose_note,
)
from millpond.core.relaxed import is_strict

MAX_TRIES = 4
"""Places where the value may begin, and for each where it may end."""
PROBED_CHARACTERS = 1_000
"""Characters from a possible beginning that are decoded to see whether it is one."""

_start = re.compile(r"(?:^|(?<=\n)|(?<=: )|(?<=:))[ \t]*([\[{])")
_container = re.compile(r"[\[{]")
_fence = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_members = msgspec.json.Decoder(list[msgspec.Raw] | dict[str, msgspec.Raw])
_decoder = json.JSONDecoder(parse_int=len, parse_float=len)


def read_json_in_text(text: str) -> FormText | None:
    """The form of a text that frames one list or object of more than one element."""
    for start, end in _places(text):
        prose = _fence.sub("", f"{text[:start]}\n{text[end:]}")
        if not is_around(len(prose.strip()), end - start):
            continue
        found = make_strict(Form.JSON_IN_TEXT, text[start:end].encode(), prose_note(prose))
        if found is not None:
            return found if len(_members.decode(found.json)) > 1 and not _holds_json(prose) else None
    return None


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where the value may stand: it begins a line or follows a colon, and ends a line; outermost first."""
    for _, begin in zip(range(MAX_TRIES), _start.finditer(text, 0, MAX_PROSE_CHARACTERS + 1), strict=False):
        start = begin.start(1)
        if not _may_begin(text[start : start + PROBED_CHARACTERS]):
            continue
        closer = "]" if begin[1] == "[" else "}"
        end = len(text)
        for _ in range(MAX_TRIES):
            at = text.rfind(closer, max(start, len(text) - MAX_PROSE_CHARACTERS - 1), end)
            if at < 0:
                break
            if not text[at + 1 : at + 1 + MAX_PROSE_CHARACTERS].split("\n", 1)[0].strip(" \t\r.`"):
                yield start, at + 1
            end = at


def _may_begin(head: str) -> bool:
    """Whether JSON begins here, as far as this much of the text tells."""
    try:
        _decoder.raw_decode(head)
    except json.JSONDecodeError as error:
        return error.pos >= len(head) - len("-Infinity") or error.msg.startswith(("Unterminated string", "Invalid \\u"))
    except RecursionError:
        return False
    return True


def _holds_json(prose: str) -> bool:
    """Whether the prose, which is short, has another list or object: of several elements, or on its own line."""
    if any(line.strip().startswith(("[", "{")) and is_strict(line.strip().encode()) for line in prose.split("\n")):
        return True
    for found in _container.finditer(prose):
        try:
            value, _ = _decoder.raw_decode(prose, found.start())
        except (ValueError, RecursionError):
            continue
        if len(value) > 1:
            return True
    return False
