"""Listings that answer in pages, in the styles that servers have. Standard library only.

A listing is a list of rows as JSON texts; `page` gives the raw result for a call's arguments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 3
"""Rows of a page where the caller does not say how many."""


@dataclass(frozen=True)
class Style:
    """How a listing is paged, and the configuration that collects it."""

    toml: str
    argument: str
    by_number: bool = False
    """True where the argument counts pages from 1, not rows from 0."""


STYLES: Mapping[str, Style] = {
    "cursor": Style('page = "cursor"\nnext = "$.nextCursor"\nrows = "$.items"', "cursor"),
    "token in a text": Style(
        'page = "page_token"\nnext = "$.meta.next_page_token"\nmore = "$.meta.more"', "page_token"
    ),
    "next offset": Style('page = "offset"\nnext = "$.next_offset"\nmore = "$.has_more"', "offset"),
    "offset": Style('page = "offset"\ncount = "rows"\nrows = "$.data.items"', "offset"),
    "offset with a total": Style('page = "skip"\ncount = "rows"\ntotal = "$.total"', "skip"),
    "page number": Style('page = "page"\ncount = "pages"', "page", by_number=True),
    "link": Style('page = "page"\nnext = "$.links.next"', "page", by_number=True),
    "last row": Style('page = "after"\nnext = "$.data[-1].id"\nmore = "$.has_more"', "after"),
    "blocks": Style('page = "offset"\ncount = "rows"\nrows = "$"', "offset"),
}


def page(style: str, rows: Sequence[str], arguments: Mapping[str, Any]) -> str:
    """The raw result of a call of a listing whose rows have the ids 0, 1, 2 ..."""
    how = STYLES[style]
    size = int(arguments.get("limit", MOST))
    given = arguments.get(how.argument)
    if how.by_number:
        start = (int(given or 1) - 1) * size
    elif style == "last row":
        start = 0 if given is None else int(given) + 1
    else:
        start = int(str(given or 0).removeprefix("c"))
    stop = min(start + size, len(rows))
    return _BUILD[style](rows[start:stop], stop, len(rows), (stop // size) + 1)


def structured(document: str) -> str:
    """A result whose data is in both channels, as SDK servers write it."""
    return f'{{"content":[{{"type":"text","text":{json.dumps(document)}}}],"structuredContent":{document}}}'


def text(document: str) -> str:
    """A result whose data is in a text."""
    return f'{{"content":[{{"type":"text","text":{json.dumps(document)}}}]}}'


def _cursor(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    following = f',"nextCursor":"c{stop}"' if stop < count else ""
    return structured(f'{{"items":[{",".join(rows)}]{following},"facets":[{{"name":"all"}}]}}')


def _token(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    meta = json.dumps({"next_page_token": f"c{stop}" if stop < count else "", "more": stop < count})
    return text(f'{{ "meta": {meta}, "data": {{"issues": [{", ".join(rows)}]}} }}')


def _next_offset(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    return structured(f'{{"rows":[{",".join(rows)}],"next_offset":{stop},"has_more":{json.dumps(stop < count)}}}')


def _offset(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    return text(f'{{"data":{{"items":[{",".join(rows)}],"warnings":["none of the rows is counted by hand"]}}}}')


def _with_total(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    return structured(f'{{"total":{count},"items":[{",".join(rows)}]}}')


def _number(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    return structured(f'{{"result":[{",".join(rows)}]}}')


def _link(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    link = f'"https://host/items?page={number}&per_page=3"' if stop < count else "null"
    return structured(f'{{"items":[{",".join(rows)}],"links":{{"next":{link}}}}}')


def _last_row(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    return structured(f'{{"data":[{",".join(rows)}],"has_more":{json.dumps(stop < count)}}}')


def _blocks(rows: Sequence[str], stop: int, count: int, number: int) -> str:
    blocks = ",".join(f'{{"type":"text","text":{json.dumps(row)}}}' for row in rows)
    return f'{{"content":[{blocks}]}}'


_BUILD = {
    "cursor": _cursor,
    "token in a text": _token,
    "next offset": _next_offset,
    "offset": _offset,
    "offset with a total": _with_total,
    "page number": _number,
    "link": _link,
    "last row": _last_row,
    "blocks": _blocks,
}
