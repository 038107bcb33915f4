"""JSON as it came: strict, relaxed, inside a JSON string, one value a line.

Rule: the bytes of a value pass through; nothing is decoded and written again. Imports `core.relaxed`,
`forms.text` and msgspec only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from millpond.core.forms.text import Form, FormText, make_strict
from millpond.core.relaxed import is_strict, relax

MAX_OPENED = 2
"""JSON strings opened one inside the other."""
WHITE_SPACE = "\ufeff \t\r\n"
"""What JSON allows around a value, and the byte order mark that some servers put before it."""
OPENED_NOTE = "the text was inside a JSON string"

_CONTAINERS = (b"[", b"{")
_raw = msgspec.json.Decoder(msgspec.Raw)


def read_json(text: str) -> FormText | None:
    """The form of a text that is one JSON value; relaxed only for lists and objects."""
    data = text.strip(WHITE_SPACE).encode()
    if data.startswith(_CONTAINERS):
        return make_strict(Form.JSON, data) if data.endswith((b"]", b"}")) else None
    return FormText(form=Form.JSON, json=data) if is_strict(data) else None


def open_string(text: str) -> str | None:
    """The text inside a JSON string, or inside a JSON string in it; None where the text is no JSON string."""
    inner = None
    for _ in range(MAX_OPENED):
        data = (text if inner is None else inner).strip(WHITE_SPACE).encode()
        if not data.startswith(b'"') or not is_strict(data):
            break
        inner = msgspec.json.decode(data, type=str)
    return inner


def read_json_lines(text: str) -> FormText | None:
    """The form of a text of at least two lines, each one list or object; blank lines are passed over."""
    lines = [stripped for line in text.strip(WHITE_SPACE).split("\n") if (stripped := line.strip(WHITE_SPACE))]
    if len(lines) < 2 or not lines[0].startswith(("[", "{")):
        return None
    encoded: list[bytes] = []
    for line in lines:
        data = line.encode()
        if not data.startswith(_CONTAINERS) or not _is_json(data):
            return None
        encoded.append(data)
    return join_values(Form.JSON_LINES, encoded)


def join_values(form: Form, values: Iterable[bytes], notes: tuple[str, ...] = ()) -> FormText | None:
    """A list of values, each strict or relaxed JSON by itself."""
    return make_strict(form, b"[" + b",".join(values) + b"]", notes)


def json_values(texts: Sequence[str]) -> list[bytes] | None:
    """Each text's one JSON value, strict or relaxed, or None where one holds something else."""
    values: list[bytes] = []
    for text in texts:
        data = text.strip(WHITE_SPACE).encode()
        if not _is_json(data):
            return None
        values.append(data)
    return values


def _is_json(data: bytes) -> bool:
    try:
        _raw.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return relax(data) is not None
    return True
