"""Paging: the entry that would collect a tool's pages, proposed from its schema and, where one was seen, an answer.

Rule: names are only guessed at here, never in a session; what is proposed has been read back by the code that runs it.
Imports `core`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from millpond.core.config import Server
from millpond.core.config_file import parse_config
from millpond.core.errors import ConfigError
from millpond.core.pages import Page, documents, read_page
from millpond.core.paging import Paging, alike
from millpond.core.raw import OBJECT, child_path, first_byte, read_members
from millpond.core.toml_text import basic_string, quoted
from millpond.core.values import object_of

CURSORS = frozenset(
    [
        "cursor",
        "after",
        "aftercursor",
        "pagetoken",
        "pagecursor",
        "nexttoken",
        "nextpagetoken",
        "nextcursor",
        "continuation",
        "continuationtoken",
        "startcursor",
        "startingafter",
        "marker",
        "scrollid",
    ]
)
OFFSETS = frozenset(("offset", "skip", "start", "startat", "startindex"))
PAGES = frozenset(("page", "pagenumber", "pagenum", "pageno", "pageindex"))
SIZES = frozenset(
    [
        "limit",
        "perpage",
        "pagesize",
        "pagelimit",
        "first",
        "maxresults",
        "maxitems",
        "resultsperpage",
        "itemsperpage",
        "take",
        "top",
        "size",
    ]
)
NEXT = frozenset(
    [
        "nextcursor",
        "nextpagetoken",
        "nexttoken",
        "nextpage",
        "nextoffset",
        "nextlink",
        "nextpageurl",
        "next",
        "endcursor",
        "continuationtoken",
        "scrollid",
    ]
)
MORE = frozenset(("hasmore", "hasnext", "hasnextpage", "more", "moreavailable"))
TOTAL = frozenset(("total", "totalcount", "totalresults", "totalitems", "totalhits"))
MAX_DEPTH = 8
MAX_MEMBERS = 500
"""Members that are looked at in one answer."""
_NOWHERE = Server(name="", command=("",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An entry for the configuration file."""

    tool: str
    toml: str
    """A table; it runs as it stands."""


def propose(tool: Mapping[str, Any], answer: bytes | None) -> Proposal | None:
    """The entry for a tool's definition and the raw result of a call; None where nothing tells that it pages, or how."""
    name = str(tool.get("name"))
    if object_of(tool.get("annotations")).get("readOnlyHint") is False:
        return None
    arguments = object_of(object_of(tool.get("inputSchema")).get("properties"))
    said = None if answer is None else dict(_named(answer))
    for lines in _ways(arguments, said):
        toml = "\n".join([f"[tools.{quoted(name)}.all]", *lines, *_rest(tool, arguments)]) + "\n"
        paging = _read(toml, name)
        if paging is None:
            continue
        page = None if answer is None else read_page(answer, paging, None)
        if answer is None or page is not None:
            return Proposal(tool=name, toml=toml if page is None else _with_rows(toml, lines, page))
    return None


def pages_somehow(tool: Mapping[str, Any]) -> str | None:
    """The argument that tells that a tool pages; what its answers say of the next page has to be seen."""
    return _first(object_of(object_of(tool.get("inputSchema")).get("properties")), CURSORS)


def _ways(arguments: Mapping[str, Any], said: Mapping[str, str] | None) -> Iterator[list[str]]:
    """The ways in which the pages may be asked for, the surest first; `said` are the names in an answer and their paths."""
    cursor, offset, number = (_first(arguments, names) for names in (CURSORS, OFFSETS, PAGES))
    following = _path(said, NEXT)
    more = [f"more = {basic_string(path)}"] if (path := _path(said, MORE)) else []
    total = [f"total = {basic_string(path)}"] if (path := _path(said, TOTAL)) else []
    for argument in (cursor, offset, number):
        if argument is not None and following is not None:
            yield [f"page = {basic_string(argument)}", f"next = {basic_string(following)}", *more]
    is_sized = _first(arguments, SIZES) is not None
    for argument, count in ((offset, "rows"), (number, "pages")):
        if argument is not None and (is_sized or said is not None):
            yield [f"page = {basic_string(argument)}", f'count = "{count}"', *more, *total]


def _rest(tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> Iterator[str]:
    """The largest page that the schema allows, and the user's word where the server says nothing."""
    size = _first(arguments, SIZES)
    most = object_of(arguments.get(size or "")).get("maximum")
    if size is not None and isinstance(most, int) and not isinstance(most, bool) and most > 0:
        yield f"size = {{ {quoted(size)} = {most} }}"
    if object_of(tool.get("annotations")).get("readOnlyHint") is not True:
        yield "# read_only = true  # its server does not mark it: only where it changes nothing"


def _with_rows(toml: str, lines: list[str], page: Page) -> str:
    """The entry with the place of the rows that were seen."""
    path = "$"
    for key in page.main:
        path = child_path(path, key)
    return toml.replace(f"{lines[-1]}\n", f"{lines[-1]}\nrows = {basic_string(path)}\n", 1)


def _named(answer: bytes) -> Iterator[tuple[str, str]]:
    """The names of an answer's members and their paths, the outermost last, so that they count; lists are not looked into."""
    waiting = [(document, "$", 0) for document in documents(answer)]
    found: list[tuple[str, str]] = []
    while waiting and len(found) < MAX_MEMBERS:
        raw, path, depth = waiting.pop(0)
        for key, value in read_members(raw).items() if first_byte(raw) == OBJECT and depth < MAX_DEPTH else ():
            found.append((alike(key), child_path(path, key)))
            waiting.append((value, child_path(path, key), depth + 1))
    return reversed(found)


def _read(toml: str, name: str) -> Paging | None:
    try:
        return parse_config(toml.encode(), "", {}, _NOWHERE).collected[name]
    except ConfigError:
        return None


def _first(arguments: Mapping[str, Any], names: frozenset[str]) -> str | None:
    return next((name for name in arguments if alike(name) in names), None)


def _path(said: Mapping[str, str] | None, names: frozenset[str]) -> str | None:
    return next((path for name, path in (said or {}).items() if name in names), None)
