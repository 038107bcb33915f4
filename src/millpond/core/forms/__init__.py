"""Forms: any text becomes strict JSON, so that one loader takes everything exactly.

Rule: the first form that fits the whole text is taken, in the order of `Form`; plain lines always fit, and nothing is
raised. Imports this package's modules and msgspec only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from millpond.core.forms.delimited import read_delimited
from millpond.core.forms.json_in_text import read_json_in_text
from millpond.core.forms.json_text import (
    OPENED_NOTE,
    join_values,
    json_values,
    open_string,
    read_json,
    read_json_lines,
)
from millpond.core.forms.lines import read_lines
from millpond.core.forms.markdown import read_markdown
from millpond.core.forms.python_literal import literal_values, read_python_literal
from millpond.core.forms.text import Form, FormText, visible

__all__ = ["Form", "FormText", "read_blocks", "read_text"]

_READERS: tuple[Callable[[str], FormText | None], ...] = (
    read_json,
    read_json_lines,
    read_python_literal,
    read_json_in_text,
    read_delimited,
    read_markdown,
)


def read_text(text: str) -> FormText:
    """The text as strict JSON, and what it was read as. Never raises; linear in the text's length."""
    text = visible(text)
    inner = open_string(text)
    if inner is None:
        return _read(text)
    found = _read(inner)
    return msgspec.structs.replace(found, notes=(OPENED_NOTE, *found.notes))


def _read(text: str) -> FormText:
    for read in _READERS:
        found = read(text)
        if found is not None:
            return found
    return read_lines(text)


def read_blocks(texts: Sequence[str]) -> FormText:
    """The text blocks of one result as strict JSON. Never raises.

    Where each of several holds one JSON value, or one Python literal, they are the elements of a list; otherwise they
    are read as one text, joined by newlines.
    """
    if len(texts) == 1:
        return read_text(texts[0])
    whole = [visible(text) for text in texts]
    values = (json_values(whole) or literal_values(whole)) if whole else None
    found = join_values(Form.JSON_BLOCKS, values) if values else None
    return found or read_text("\n".join(whole))
