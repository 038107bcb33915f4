"""Plain text as numbered lines: the last form, which always fits.

Rule: every character is kept; only what ends the lines is not part of them. Imports `forms.text` and msgspec only.
"""

from __future__ import annotations

import msgspec

from millpond.core.forms.text import Form, FormText

CR_LF_NOTE = "lines ended with CR LF"

_CHUNK_LINES = 4096
_encoder = msgspec.json.Encoder()


def read_lines(text: str) -> FormText:
    """The lines of a text without lone surrogates, as columns `line` (from 1) and `text`.

    A newline at the very end ends the last line and begins no other. Where every newline is CR LF the CR belongs to it,
    and a note says so; elsewhere a CR is part of its line.
    """
    separator, notes = "\n", ()
    newlines = text.count("\n")
    if newlines and text.count("\r\n") == newlines:
        separator, notes = "\r\n", (CR_LF_NOTE,)
    lines = text.removesuffix(separator).split(separator) if text else []
    parts: list[bytes] = []
    for start in range(0, len(lines), _CHUNK_LINES):
        rows = list(enumerate(lines[start : start + _CHUNK_LINES], start + 1))
        parts.append(_encoder.encode(rows)[1:-1])
    return FormText(
        form=Form.LINES, json=b'{"columns":["line","text"],"rows":[' + b",".join(parts) + b"]}", notes=notes
    )
