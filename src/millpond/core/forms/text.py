"""What a text was read as: the values that every form gives, and what they share.

Rule: values and small pure functions. Imports `core.relaxed`, msgspec and the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from millpond.core.relaxed import is_strict, relax

MAX_NOTED_CHARACTERS = 200
"""Characters of the prose around the data that a note repeats; prose up to this length may stand around any data."""
MAX_PROSE_CHARACTERS = 2_000
"""Characters of prose around data that is at least as long as the prose."""


class Form(StrEnum):
    """The forms a text is read as, in the order in which they are tried."""

    JSON = "json"
    RELAXED_JSON = "relaxed_json"
    """JSON with `NaN`, infinities, lone surrogates or integers of thousands of digits."""
    JSON_LINES = "json_lines"
    JSON_BLOCKS = "json_blocks"
    """One value in each of several text blocks."""
    PYTHON_LITERAL = "python_literal"
    """What Python's `repr` writes of lists, dicts, tuples and sets."""
    JSON_IN_TEXT = "json_in_text"
    """One list or object with prose around it."""
    TSV = "tsv"
    SSV = "ssv"
    """Separated by semicolons."""
    PSV = "psv"
    """Separated by `|`, without the rule that Markdown has below the header."""
    CSV = "csv"
    MARKDOWN = "markdown"
    """Tables of a Markdown text."""
    LINES = "lines"
    """Plain text, numbered by line: always fits."""


class FormText(msgspec.Struct, frozen=True, kw_only=True):
    """A text as strict JSON."""

    form: Form
    json: bytes
    """One JSON value that `msgspec` accepts, in UTF-8."""
    notes: tuple[str, ...] = ()
    """Short phrases for the handle: what was left out or written otherwise."""
    markers: Mapping[bytes, bytes] = msgspec.field(default_factory=dict[bytes, bytes])
    """Number lexemes in `json` that stand for `NaN` and the infinities (`core.relaxed.Relaxed.markers`)."""


def visible(text: str) -> str:
    """The text with lone surrogates written as six characters (`\\ud800`), so that UTF-8 can hold it."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


def json_string(text: str) -> str:
    """The text as a JSON string, quotes included."""
    return msgspec.json.encode(visible(text)).decode()


def make_strict(form: Form, loose: bytes, notes: tuple[str, ...] = ()) -> FormText | None:
    """A text that may hold what `core.relaxed` knows, as this form; None where it is not JSON at all."""
    if is_strict(loose):
        return FormText(form=form, json=loose, notes=notes)
    relaxed = relax(loose)
    if relaxed is None:
        return None
    if form is Form.JSON and relaxed.notes:
        form = Form.RELAXED_JSON
    return FormText(form=form, json=relaxed.json, notes=notes + relaxed.notes, markers=relaxed.markers)


def is_around(prose_characters: int, data_characters: int) -> bool:
    """Whether so much prose is a frame around so much data, and not a text that has some data in it."""
    if prose_characters <= MAX_NOTED_CHARACTERS:
        return True
    return prose_characters <= min(data_characters, MAX_PROSE_CHARACTERS)


def prose_note(prose: str) -> tuple[str, ...]:
    """What to say of prose that was left out: its words on one line, cut at `MAX_NOTED_CHARACTERS`; none of blanks."""
    words = " ".join(prose.split())
    if not words:
        return ()
    if len(words) > MAX_NOTED_CHARACTERS:
        words = f"{words[:MAX_NOTED_CHARACTERS]}… ({len(words)} characters, cut)"
    return (f"text around the data: {words}",)
