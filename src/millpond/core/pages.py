"""Pages: what one page of a listing holds, and many pages as one result.

Rule: rows are joined by their raw text and nothing of them is decoded; of what stands beside the rows, the last page's is
kept. Imports `core.forms`, `core.layout`, `core.paging`, `core.payload`, `core.raw`, `core.rows` and msgspec.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from millpond.core.forms import Form
from millpond.core.layout import is_map_of_rows
from millpond.core.paging import Kind, Next, Paging, is_false, is_true, next_value, value_at, whole_number
from millpond.core.payload import Payload, find_payloads
from millpond.core.raw import ARRAY, OBJECT, first_byte, read_elements, read_members
from millpond.core.rows import restore

MAX_DEPTH = 8
"""Objects that are opened on the way to a list, as for any result."""
MAX_LISTS = 64
"""Lists of one page; with more it is no listing."""

_JSON = (Form.JSON, Form.RELAXED_JSON, Form.JSON_LINES, Form.JSON_BLOCKS, Form.JSON_IN_TEXT, Form.PYTHON_LITERAL)
"""Forms whose rows can be joined; a text table's columns would have to be matched by their header."""

Keys = tuple[str, ...]
"""The keys that lead from the document to a list."""


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """A list of one page."""

    count: int
    text: bytes
    """The elements as they came, joined by commas."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page as read."""

    payload: Payload
    lists: Mapping[Keys, Rows]
    main: Keys
    """The list whose elements are the rows of the listing."""
    next: Next
    is_last: bool
    """True where it says so itself."""
    has_more: bool
    """True where it says so itself."""
    total: int | None

    @property
    def rows(self) -> Rows:
        """The page's rows."""
        return self.lists[self.main]


def read_page(result: bytes | memoryview, paging: Paging, kind: Kind | None, main: Keys | None = None) -> Page | None:
    """A page in a raw `result` value; None where no list of rows is found in it.

    `main` is where the rows of earlier pages were: a page without a list there has no rows.
    """
    wanted = paging.rows if paging.rows is not None else main
    try:
        payloads = [payload for payload in find_payloads(result) if payload.form in _JSON]
        found = [(payload, _lists(payload, wanted)) for payload in payloads]
    except (msgspec.DecodeError, RecursionError):
        return None
    none: tuple[Payload | None, dict[Keys, Rows]] = (None, {})
    payload, lists = max(found, key=lambda one: _is_listing(one[1], wanted), default=none)
    if wanted is None:
        wanted = max(lists, key=lambda keys: len(lists[keys].text), default=None)
    elif _is_empty(result) or (main is not None and payload is not None):
        lists.setdefault(wanted, Rows(count=0, text=b""))
    if wanted not in lists:
        return None
    payload = payload or _nothing(result)

    def said(path: Sequence[str | int] | None) -> msgspec.Raw | None:
        values = (value_at(one.document, tuple(path)) for one in payloads) if path is not None else ()
        return next((value for value in values if value is not None), None)

    return Page(
        payload=payload,
        lists=lists,
        main=wanted,
        next=next_value(said(paging.next), paging.page, kind),
        is_last=is_false(said(paging.more)),
        has_more=is_true(said(paging.more)),
        total=whole_number(said(paging.total)),
    )


def documents(result: bytes | memoryview) -> tuple[msgspec.Raw, ...]:
    """The JSON of a raw `result` value that pages are read from, of `structuredContent` first; none where it cannot be read."""
    try:
        return tuple(payload.document for payload in find_payloads(result) if payload.form in _JSON)
    except (msgspec.DecodeError, RecursionError):
        return ()


def _is_listing(lists: Mapping[Keys, Rows], wanted: Keys | None) -> int:
    """How well the lists of a document fit: of two channels that say the same the first is taken."""
    if wanted is not None:
        return int(wanted in lists)
    return int(bool(lists)) + any(rows.count for rows in lists.values())


def _is_empty(result: bytes | memoryview) -> bool:
    """True for a result without any data: a list of no rows, where each row is a block of its own."""
    return next(find_payloads(result), None) is None


def _nothing(result: bytes | memoryview) -> Payload:
    return Payload(
        document=msgspec.Raw(b"[]"),
        root="$",
        form=Form.JSON,
        markers={},
        notes=(),
        kept=(),
        members={name: raw for name, raw in read_members(result).items() if name != "content"},
        data_bytes=len(result),
    )


def _lists(payload: Payload, wanted: Keys | None) -> dict[Keys, Rows]:
    """The lists of a document; none where it has too many. One row alone, where each is a block of its own, is a list."""
    document = payload.document
    if wanted == () and first_byte(document) != ARRAY:
        return {(): Rows(count=1, text=restore(bytes(document), payload.markers))}
    found: dict[Keys, Rows] = {}
    for keys, elements in _walk(document, ()):
        text = restore(b",".join(map(bytes, elements)), payload.markers)
        found[keys] = Rows(count=len(elements), text=text)
        if len(found) > MAX_LISTS:
            return {}
    return found


def _walk(raw: msgspec.Raw, keys: Keys) -> Iterator[tuple[Keys, Sequence[msgspec.Raw]]]:
    kind = first_byte(raw)
    if kind == ARRAY:
        yield keys, read_elements(raw)
    elif kind == OBJECT and len(keys) < MAX_DEPTH:
        members = read_members(raw)
        for key, value in members.items() if not is_map_of_rows(members) else ():
            yield from _walk(value, (*keys, key))


class Joined:
    """Pages that become one result."""

    def __init__(self) -> None:
        self._texts: dict[Keys, list[bytes]] = {}
        self._kept: dict[bytes, None] = {}
        self._last: Page | None = None
        self.pages = 0
        self.rows = 0

    @property
    def main(self) -> Keys | None:
        """Where the rows are; None before the first page."""
        return None if self._last is None else self._last.main

    def add(self, page: Page) -> None:
        """Add the next page. A list that says again what it said on the page before is no part of the listing."""
        for keys, rows in page.lists.items():
            texts = self._texts.setdefault(keys, [])
            if rows.count and (keys == page.main or texts[-1:] != [rows.text]):
                texts.append(rows.text)
        self._kept.update(dict.fromkeys(map(bytes, page.payload.kept)))
        self._last = page
        self.pages += 1
        self.rows += page.rows.count

    def result(self) -> bytes:
        """All pages as one raw `result` value: the last one's, with every row in its list. At least one page was added."""
        assert self._last is not None
        payload = self._last.payload
        lists = {keys: b"[" + b",".join(texts) + b"]" for keys, texts in self._texts.items()}
        content = b"[" + b",".join(self._kept) + b"]"
        document = _with_lists(payload.document, lists, payload.markers)
        members = {name: _restored(raw, payload.markers) for name, raw in payload.members.items()}
        result = {"content": msgspec.Raw(content), "structuredContent": msgspec.Raw(document), **members}
        return msgspec.json.encode(result)


def _with_lists(raw: msgspec.Raw, lists: Mapping[Keys, bytes], markers: Mapping[bytes, bytes]) -> bytes:
    """The value with these lists in the place of its own; objects that lead to them are made where they are not there."""
    if () in lists:
        return lists[()]
    members = read_members(raw) if first_byte(raw) == OBJECT else {}
    built = {key: _restored(value, markers) for key, value in members.items()}
    for key in _firsts(lists):
        inner = {keys[1:]: text for keys, text in lists.items() if keys[0] == key}
        built[key] = msgspec.Raw(_with_lists(members.get(key, msgspec.Raw(b"{}")), inner, markers))
    return msgspec.json.encode(built)


def _firsts(lists: Iterable[Keys]) -> Iterable[str]:
    return dict.fromkeys(keys[0] for keys in lists)


def _restored(raw: msgspec.Raw, markers: Mapping[bytes, bytes]) -> msgspec.Raw:
    return msgspec.Raw(restore(bytes(raw), markers)) if markers else raw
