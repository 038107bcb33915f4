"""What a case is: a result as a server writes it, and what must be true of it behind the proxy.

Rule: values and small builders. A result is written by its lexemes, so that `1.10`, `-0` and a key that is there twice are what is
tested. Imports the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

Row = tuple[object, ...]
Answer = object
"""What a question gives: a list of rows (tuples), one row, or the one value of one row."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that must be there."""

    path: str
    rows: int
    columns: str
    """`name TYPE`, joined by ` | `."""
    asks: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    """A SELECT list (or a whole statement on `{t}`), and the answer that plain Python has for it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A result, and what must hold."""

    name: str
    result: str
    """The raw JSON text of the `result` value, on one line."""
    tables: tuple[Table, ...]
    """All of them, in order."""
    replaced: bool = False
    """What becomes of it under the default sizes; all tables can be asked either way."""
    says: tuple[str, ...] = ()
    """Phrases that the handle must hold."""
    kept: int = 0
    """Content blocks that stay beside the handle."""


def text(payload: str) -> str:
    """A result of one text block."""
    return blocks(payload)


def blocks(*payloads: str | dict[str, object]) -> str:
    """A result of several blocks: texts, and others as they are."""
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in payloads]
    return json.dumps({"content": content})


def resource(mime_type: str, payload: str) -> dict[str, object]:
    """A block that embeds a text resource."""
    return {"type": "resource", "resource": {"uri": "file:///x", "mimeType": mime_type, "text": payload}}


def structured(raw: str, payload: str = "done") -> str:
    """A result with this JSON text as its `structuredContent`, and a text beside it."""
    return '{"content":[{"type":"text","text":' + json.dumps(payload) + '}],"structuredContent":' + raw + "}"


def rows(*lexemes: str) -> str:
    """A result whose rows are these JSON texts."""
    return structured('{"rows":[' + ",".join(lexemes) + "]}")


def lines(payload: str, count: int, asks: Mapping[str, Answer] | None = None) -> tuple[Table, ...]:
    """The one table of a text that is taken line by line."""
    del payload
    return (Table("$", count, "line BIGINT | text VARCHAR", asks or {}),)


IMAGE: dict[str, object] = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
