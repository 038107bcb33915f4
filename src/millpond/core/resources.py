"""Resources: what a `millpond://` URI names, and how a page of it is told.

Rule: a page is bounded, says where the next begins, and what it holds is exact; a URI that names nothing is told with what there is.
Imports `core.naming` and msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote, unquote

import msgspec

from millpond.core.naming import parse_table_name

SCHEME = "millpond://"
PAGE_ROWS = 1_000
"""The most rows of a table in one page."""
PAGE_BYTES = 256 << 10
"""The most bytes of a table in one page, but for a single row: clients of HTTP take 1 MiB a message, and JSON may double it."""
PAGE_CHARACTERS = 128 << 10
"""Characters of a result in one page; at most four bytes each."""
MAX_LISTED = 100
"""Tables in a list, newest first; a template tells how the others are named."""
MAX_NAMED = 5
"""URIs that an error names."""

_TABLE = re.compile(r"millpond://table/(?P<name>[^/?#]+)(?:/rows/(?P<start>[0-9]{1,18}))?")
_CALL = re.compile(r"millpond://call/(?P<number>[0-9]{1,18})(?:/text/(?P<start>[0-9]{1,18}))?")


class TablePage(msgspec.Struct, frozen=True):
    """Rows of a table, from the one with this number on; the first is 0."""

    name: str
    start: int


class CallPage(msgspec.Struct, frozen=True):
    """The result of a call as it came, from the character with this number on; the first is 0."""

    number: int
    start: int


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """What one URI holds."""

    text: str
    mime_type: Literal["text/csv", "application/json"]
    unit: Literal["rows", "characters"]
    start: int
    stop: int
    total: int
    next: str | None
    """The URI of the page that follows."""
    notes: Sequence[str] = ()


class Looked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the engine says of a URI, or of none."""

    result: dict[str, Any] | None = None
    """The members of the result that are ours: `contents` or `resources`."""
    missing: str | None = None
    """Why there is no such resource, and what there is."""


def read_uri(uri: str) -> TablePage | CallPage | None:
    """What a URI names; None where it is none of ours."""
    if found := _TABLE.fullmatch(uri):
        return TablePage(unquote(found["name"]), int(found["start"] or 0))
    if found := _CALL.fullmatch(uri):
        return CallPage(int(found["number"]), int(found["start"] or 0))
    return None


def table_uri(name: str, start: int = 0) -> str:
    """The URI of a table, from a row on."""
    return f"{SCHEME}table/{quote(name, safe='')}" + (f"/rows/{start}" if start else "")


def call_uri(number: int, start: int = 0) -> str:
    """The URI of a result, from a character on."""
    return f"{SCHEME}call/{number}" + (f"/text/{start}" if start else "")


TEMPLATES: tuple[dict[str, str], ...] = (
    {
        "uriTemplate": SCHEME + "table/{name}/rows/{start}",
        "name": "millpond_table",
        "title": "Rows of a table",
        "description": f"Up to {PAGE_ROWS} rows of a table that a result became, as CSV, from row start (0 is the first).",
        "mimeType": "text/csv",
    },
    {
        "uriTemplate": SCHEME + "call/{number}/text/{start}",
        "name": "millpond_call",
        "title": "A result as it came",
        "description": f"Up to {PAGE_CHARACTERS} characters of a tool's result as JSON, from character start (0 is the first).",
        "mimeType": "application/json",
    },
)


def listed(names: Sequence[str]) -> list[dict[str, str]]:
    """The entries of tables, of which these are the names, oldest first."""
    return [
        {"uri": table_uri(name), "name": name, "description": _origin(name), "mimeType": "text/csv"}
        for name in reversed(names[-MAX_LISTED:])
    ]


def _origin(name: str) -> str:
    parts = parse_table_name(name)
    return "A kept answer" if parts is None else f"Result of {parts.tool}, call {parts.call}"


def list_result(names: Sequence[str]) -> Looked:
    """The answer to what there is."""
    return Looked(result={"resources": listed(names)})


def page_result(uri: str, page: Page) -> Looked:
    """The answer to a URI: the page, and beside it where it stands and what follows."""
    meta: dict[str, Any] = {"unit": page.unit, "start": page.start, "stop": page.stop, "total": page.total}
    contents: list[dict[str, Any]] = [
        {
            "uri": uri,
            "mimeType": page.mime_type,
            "text": page.text,
            "_meta": {"millpond/page": {**meta, "next": page.next}},
        }
    ]
    if said := _said(page):
        contents.append({"uri": uri, "mimeType": "text/plain", "text": said})
    return Looked(result={"contents": contents})


def _said(page: Page) -> str:
    lines = list(page.notes)
    if page.next is not None:
        lines.append(f"{page.unit} {page.start} to {page.stop - 1} of {page.total}; the next are {page.next}")
    return "\n".join(lines)


def missing(uri: str, names: Sequence[str], why: str = "") -> Looked:
    """The answer to a URI that names nothing; `why` is a sentence of what is known of it."""
    known = ", ".join(table_uri(name) for name in reversed(names[-MAX_NAMED:]))
    there = f"There are {known}" if known else "No result has become a table yet"
    forms = f"{SCHEME}table/NAME/rows/START and {SCHEME}call/NUMBER/text/START"
    return Looked(
        missing=f"There is no resource {uri[:200]}. {why}{there}. Others are named {forms}.".replace("  ", " ")
    )
