"""Collecting: one call of `NAME_all`, from its first page to its end, without a byte of input or output.

Rule: one page at a time; whatever ends it, the rows so far are kept and it is said where to go on. No row comes twice, and
nothing goes on for ever. Imports `core.pages`, `core.paging`, `core.sizes`, msgspec, hashlib and the relay's modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from millpond.core.pages import Joined, Page, read_page
from millpond.core.paging import whole_number
from millpond.core.sizes import counted
from millpond.relay.envelope import Envelope
from millpond.relay.refusals import refusal_of
from millpond.relay.requests import Request
from millpond.relay.siblings import Sibling
from millpond.relay.spans import Member, object_members

MAX_PRINTED_CHARACTERS = 2_000
"""Of the arguments to go on with: what is longer is looked up."""
_OWN_MEMBERS = ("name", "arguments", "task")
"""Members of a call's `params` that a page has of its own, or not at all: a page is never a task."""
_FIRST_ONLY = ("inputResponses", "requestState")
"""What answers a question about one page is sent with that page alone."""


@dataclass(frozen=True, slots=True)
class End:
    """How the collecting of a call ended."""

    reason: str | None = None
    """Why there may be more; None where all pages are there."""
    resume: bytes | None = None
    """The page's value to go on with; None for the first page."""


class Collection:
    """The pages of one call."""

    def __init__(self, asked: Request, envelope: Envelope, sibling: Sibling, max_bytes: int) -> None:
        """`asked` is the client's request in `envelope`. `max_bytes` of raw results are collected, and the first page whole."""
        self.asked = asked
        self.sibling = sibling
        self._paging = sibling.paging
        self._max_bytes = max_bytes
        self._params = _raw_members(envelope.line, envelope.of_params())
        given = _raw_members(asked.arguments, object_members(asked.arguments) or {})
        self._given = given
        self._value = self._start = given.get(self._paging.page)
        self._joined = Joined()
        self._size_bytes = 0
        self._seen: set[bytes] = set()
        self._asked_values = {self._value}
        self._stop: str | None = None
        self.last_note = ""
        """What `calls` says of the last page, by which it is found there."""

    @property
    def pages(self) -> int:
        """Pages that have come."""
        return self._joined.pages

    @property
    def progress(self) -> str:
        """How far it is, for people."""
        return f"{counted(self._joined.pages, 'page')}, {counted(self._joined.rows, 'row')}"

    def stop(self, reason: str) -> None:
        """Ask for no page after the one in flight; the first reason counts."""
        self._stop = self._stop or reason

    # --- the next page ------------------------------------------------------------------------------------------

    def arguments(self) -> bytes:
        """The arguments of the page in flight, as JSON."""
        members = {**self._paging.size, **self._given}
        members.pop(self._paging.page, None)
        if self._value is not None:
            members[self._paging.page] = self._value
        return _object(members)

    def line(self, id: bytes) -> bytes:
        """The request for the page in flight; but for tool, page and progress token it is the client's own."""
        left_out = (*_OWN_MEMBERS, *(_FIRST_ONLY if self.pages else ()))
        rest = {name: raw for name, raw in self._params.items() if name not in left_out}
        if "_meta" in rest:
            meta = _raw_members(rest["_meta"], object_members(rest["_meta"]) or {})
            rest["_meta"] = _object({name: raw for name, raw in meta.items() if name != "progressToken"})
        params = _object({"name": msgspec.json.encode(self.sibling.tool), "arguments": self.arguments(), **rest})
        return b'{"jsonrpc":"2.0","id":' + id + b',"method":"tools/call","params":' + params + b"}\n"

    # --- what came ----------------------------------------------------------------------------------------------

    def came(self, envelope: Envelope) -> End | None:
        """Take the answer to the page in flight. None where `line` has the request for the next one.

        Where `pages` is 0 afterwards, it holds no list of rows.
        """
        refused = refusal_of(envelope)
        if refused is not None:
            return End(f"page {self.pages + 1} {refused}", self._value)
        page, size_bytes = self._read(envelope)
        if page is None:
            return End(f"page {self.pages + 1} holds no list of rows", self._value)
        if self.pages and self._size_bytes + size_bytes > self._max_bytes:
            return End(f"the limit max_bytes ({self._max_bytes:,}) is reached", self._value)
        if page.rows.count and self._was_seen(page.rows.text):
            return End(f"page {self.pages + 1} has the same rows as a page before it", self._value)
        self._joined.add(page)
        self._size_bytes += size_bytes
        return self._after(page)

    def _read(self, envelope: Envelope) -> tuple[Page | None, int]:
        place = envelope.result
        raw = b"" if place is None else place.of(envelope.line)
        return read_page(raw, self._paging, self.sibling.kind, self._joined.main), len(raw)

    def _was_seen(self, rows: bytes) -> bool:
        digest = blake2b(rows, digest_size=16).digest()
        if digest in self._seen:
            return True
        self._seen.add(digest)
        return False

    def _after(self, page: Page) -> End | None:
        """What follows a page that was added."""
        value, problem = self._next(page)
        if problem is not None:
            return End(problem, self._value)
        if value is None:
            return End()
        reason = self._stop or self._limit()
        if reason is not None:
            return End(reason, value)
        self._value = value
        self._asked_values.add(value)
        return None

    def _limit(self) -> str | None:
        if self.pages >= self._paging.max_pages:
            return f"the limit max_pages ({self._paging.max_pages:,}) is reached"
        if self._size_bytes >= self._max_bytes:
            return f"the limit max_bytes ({self._max_bytes:,}) is reached"
        return None

    def _next(self, page: Page) -> tuple[bytes | None, str | None]:
        """The next page's value, None at the end; or why it cannot be told."""
        if page.is_last:
            return None, None
        if self._paging.count is not None:
            return self._counted_on(page)
        value, problem = page.next
        if problem is not None:
            return None, f"page {self.pages} says of the next one {problem}"
        is_past_the_end = not page.rows.count and value in self._asked_values
        return None if is_past_the_end else value, None

    def _counted_on(self, page: Page) -> tuple[bytes | None, str | None]:
        is_text = self._value is not None and self._value.startswith(b'"')
        here = self._paging.first if self._value is None else whole_number(self._value)
        if here is None:
            return None, f"{self._paging.page} is no whole number to count on from"
        step = page.rows.count if self._paging.count == "rows" else 1
        reached = here + step - self._paging.first if self._paging.count == "rows" else self._joined.rows
        is_whole = self._paging.count == "rows" or self._start is None
        if (not page.rows.count and not page.has_more) or (
            page.total is not None and is_whole and reached >= page.total
        ):
            return None, None
        if not step:
            return None, f"page {self.pages} has no rows and says that there are more"
        digits = b"%d" % (here + step)
        return b'"' + digits + b'"' if is_text or self.sibling.kind == "string" else digits, None

    # --- the end ------------------------------------------------------------------------------------------------

    def here(self, reason: str) -> End:
        """An end before the page in flight came."""
        return End(reason, self._value)

    def result(self) -> bytes:
        """The pages so far as one raw result; there is at least one."""
        return self._joined.result()

    def said(self, end: End) -> str:
        """One line for the agent: complete, or why not and where to go on."""
        whole = "Complete" if self._start is None else "Complete from this page on"
        if end.reason is None:
            return f"{whole}: {self.progress}."
        return f"Partial: {self.progress}; {end.reason}. To go on, call {self.sibling.name} with {self._to_go_on(end)}"

    def _to_go_on(self, end: End) -> str:
        """The arguments to go on with, as JSON; what is too long to be printed is named."""
        page = self._paging.page
        arguments = {name: raw for name, raw in self._given.items() if name != page}
        if end.resume is not None:
            arguments[page] = end.resume
        printed = _compact(_object(arguments))
        if len(printed) <= MAX_PRINTED_CHARACTERS:
            return printed
        value = _compact(end.resume or b"null")
        if len(value) <= MAX_PRINTED_CHARACTERS:
            return f"the same arguments and {page} {value}"
        note = self.last_note.replace("'", "''")
        found = f"SELECT text FROM results WHERE call = (SELECT max(number) FROM calls WHERE note = '{note}')"
        return f"the same arguments and {page} as in {found}"


def _raw_members(text: bytes, members: Mapping[str, Member]) -> dict[str, bytes]:
    return {name: place.of(text) for name, place in members.items()}


def _object(members: dict[str, bytes]) -> bytes:
    return b"{" + b",".join(msgspec.json.encode(name) + b":" + raw for name, raw in members.items()) + b"}"


def _compact(raw: bytes) -> str:
    """JSON on one line, in plain characters as far as that changes nothing."""
    with suppress(msgspec.DecodeError):
        raw = msgspec.json.format(raw, indent=-1)
    return " ".join(raw.decode("utf-8", "backslashreplace").split("\n"))
