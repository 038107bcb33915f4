"""Paging: how the pages of a tool are asked for, and how an answer tells where the next one begins.

Rule: a value that goes from an answer into an argument keeps its JSON text, but for what a link's query holds. Imports
`core.raw`, `core.values`, msgspec and the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args
from urllib.parse import parse_qsl, urlsplit

import msgspec

from millpond.core.raw import ARRAY, NULL, OBJECT, STRING, first_byte, read_elements, read_members, read_string
from millpond.core.values import is_list, is_object

Count = Literal["rows", "pages"]
"""What an argument counts that is not taken from the answer: rows before the page (an offset), or pages."""
COUNTS: tuple[Count, ...] = get_args(Count)
Kind = Literal["number", "string"]
"""What the tool's schema wants the argument to be."""
Path = tuple[str | int, ...]
"""The steps of a JSON path: a key of an object, or a place in a list (-1 is the last)."""

_STEP = re.compile(r'\.(?P<key>[A-Za-z_][A-Za-z0-9_]*)|\.(?P<quoted>"(?:[^"\\]|\\.)*")|\[(?P<at>-?[0-9]{1,9})\]')
_LINK = re.compile(r"<([^>]*)>[^,]*\brel=\"?next\b")
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_NOT_ALIKE = re.compile(r"[^a-z0-9]")
_TRUE, _FALSE = ord("t"), ord("f")


class Paging(msgspec.Struct, frozen=True, kw_only=True):
    """`[tools."NAME".all]`: how the pages of one tool are collected."""

    page: str
    """The argument that says which page is wanted."""
    next: Path | None = None
    """Where an answer has the next page's value of it; None where it is counted."""
    count: Count | None = None
    """What it counts; None where `next` is given."""
    first: int = 0
    """Its value on the first page, where it is counted."""
    more: Path | None = None
    """Where an answer says `false` on the last page."""
    total: Path | None = None
    """Where an answer says how many rows all pages have."""
    rows: tuple[str, ...] | None = None
    """Where the rows are; None takes the largest list of the first page."""
    size: Mapping[str, bytes] = MappingProxyType({})
    """Arguments of every page that the caller has no need to give, as JSON."""
    read_only: bool = False
    """True where the user vouches for a tool that its server does not mark."""
    max_pages: int
    max_bytes: int
    max_seconds: float


class Next(NamedTuple):
    """What an answer says of the next page."""

    value: bytes | None
    """The argument's value as JSON; None where there is no next page."""
    problem: str | None = None
    """Why what it says cannot be used."""


def sibling_name(tool: str) -> str:
    """The tool that collects the pages of another: `list_issues_all`."""
    return f"{tool}_all"


def parse_path(text: str) -> Path | None:
    """The steps of `$.data.items`, `$."odd key"` or `$.items[-1].id`; None for what is no such path."""
    if not text.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        at = step.end()
        try:
            quoted = step["quoted"]
            key = step["key"] if quoted is None else msgspec.json.decode(quoted, type=str)
        except msgspec.DecodeError:
            return None
        steps.append(key if step["at"] is None else int(step["at"]))
    return tuple(steps)


def value_at(raw: msgspec.Raw, path: Path) -> msgspec.Raw | None:
    """The value at a path; None where there is none."""
    try:
        for step in path:
            raw = read_members(raw)[step] if isinstance(step, str) else read_elements(raw)[step]
    except (msgspec.DecodeError, KeyError, IndexError):
        return None
    return raw


def is_false(raw: msgspec.Raw | None) -> bool:
    """True for `false`."""
    return raw is not None and first_byte(raw) == _FALSE


def is_true(raw: msgspec.Raw | None) -> bool:
    """True for `true`."""
    return raw is not None and first_byte(raw) == _TRUE


def whole_number(raw: bytes | msgspec.Raw | None) -> int | None:
    """The whole number that a value is, also as a text; None for any other."""
    text = b"" if raw is None else bytes(raw).strip(b'"')
    return int(text) if _WHOLE.fullmatch(text.decode("utf-8", "replace")) else None


def next_value(raw: msgspec.Raw | None, argument: str, kind: Kind | None) -> Next:
    """The next page's value of an argument, from what an answer has at its place: a value, or a link that has it in its query."""
    if raw is None or first_byte(raw) in (NULL, _FALSE):
        return Next(None)
    match first_byte(raw):
        case byte if byte == STRING:
            text = read_string(raw)
            return Next(_argument(_from_link(text, argument), kind) if text else None)
        case byte if byte in (OBJECT, ARRAY):
            link = _link_in(msgspec.json.decode(raw))
            return Next(None, "a list or an object without a link") if link is None else _of_link(link, argument, kind)
        case byte if byte == _TRUE:
            return Next(None, "true, which says that there is a page and not which")
        case _:
            return Next(bytes(raw) if kind != "string" else b'"' + bytes(raw) + b'"')


def _of_link(link: str, argument: str, kind: Kind | None) -> Next:
    return Next(_argument(_from_link(link, argument), kind) if link else None)


def _argument(text: str, kind: Kind | None) -> bytes:
    if kind == "number" and _WHOLE.fullmatch(text):
        return text.encode()
    return msgspec.json.encode(text)


def _from_link(text: str, argument: str) -> str:
    """What a link has for the argument in its query; the text itself where it is no link, or has nothing for it."""
    header = _LINK.search(text)
    link = header[1] if header else text
    if "=" not in link or not ("?" in link or header):
        return text
    try:
        given = parse_qsl(urlsplit(link).query)
    except ValueError:
        return text
    wanted = alike(argument)
    by_name = {alike(name): value for name, value in given}
    inside = {alike(name.rpartition("[")[2]): value for name, value in given if name.endswith("]")}
    return by_name.get(wanted) or inside.get(wanted) or text


def alike(name: str) -> str:
    """A name as it is compared: `pageToken`, `page_token` and `page-token` are one."""
    return _NOT_ALIKE.sub("", name.lower())


def _link_in(value: object) -> str | None:
    """The link to the next page in `{"href": ...}` or in a list of links that have a `rel`; "" where the list has none."""
    if is_list(value):
        links = [item for item in value if is_object(item)]
        found = [item for item in links if item.get("rel") == "next"]
        return (_link_in(found[0]) if found else "") if len(links) == len(value) else None
    if is_object(value):
        link = value.get("href") or value.get("url")
        return link if isinstance(link, str) else None
    return None
