"""Collector: the calls of one session whose pages are being collected, and the tools that offer it.

Rule: what is asked of the server here has ids of its own, and its answers never reach the client as they are. Imports
`core.model`, `core.paging`, msgspec and the relay's modules; those that read pages only where one is collected.
"""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from millpond.core.model import Call, ToolText
from millpond.core.paging import sibling_name
from millpond.relay.actions import Action, Alarm, Learn, Policy, Say, Stop, Take, ToClient, ToServer
from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.own_tools import Listing, own_name
from millpond.relay.records import Records
from millpond.relay.refusals import refusal_of
from millpond.relay.requests import (
    MAX_PENDING,
    Remembered,
    Request,
    cancelled_line,
    error_line,
    id_key,
    progress_line,
    result_line,
)
from millpond.relay.siblings import Shown, Sibling, sibling_of
from millpond.relay.spans import Edit, Member, edited

if TYPE_CHECKING:
    from millpond.relay.collecting import Collection, End

ASKING = ("elicitation/create", "sampling/createMessage")
"""Requests of a server that a person or a model answers: who collects pages must not cause one after the other."""


@dataclass(frozen=True, slots=True)
class PageAsked:
    """A page that the server was asked for."""

    request: Request
    """As the server got it."""
    number: int
    collection: Collection | None
    """None once nobody waits for it."""


class Collector:
    """The collections of one session."""

    def __init__(self, policy: Policy, records: Records, shown: Shown | None) -> None:
        """`shown` are the own tools that the client was shown before."""
        self._policy = policy
        self._records = records
        self._query = own_name(()) if shown is None else shown.query
        self._found: dict[str, tuple[ToolText, bytes]] = {}
        self._said: set[str] = set()
        self._numbers = count(1)
        self._asked: Remembered[PageAsked] = Remembered(MAX_PENDING)
        self._open: dict[bytes, tuple[Collection, bytes]] = {}
        self.siblings: Mapping[str, Sibling] = {} if shown is None else shown.siblings
        """By name, once the client was shown them."""

    @property
    def awaited(self) -> int:
        """Calls that are being collected."""
        return len(self._open)

    # --- tools/list ---------------------------------------------------------------------------------------------

    def begin_listing(self) -> None:
        """The client lists the tools anew."""
        self._found.clear()

    def see(self, listing: Listing) -> None:
        """Remember the definitions that siblings are made of."""
        for tool in listing.tools:
            if tool.name in self._policy.paging:
                self._found[tool.name] = (tool.text, tool.member.of(listing.line))

    def offer(self, taken: Names[str], query: str) -> tuple[tuple[bytes, ...], list[Action]]:
        """The definitions of the siblings, what they mean, and why some tools get none. All names of the server are `taken`."""
        made: dict[str, Sibling] = {}
        actions: list[Action] = []
        for name, (text, raw) in self._found.items():
            is_taken = sibling_name(name) in taken
            found = (
                "the server has a tool of that name" if is_taken else sibling_of(raw, self._policy.paging[name], query)
            )
            if isinstance(found, Sibling):
                made[found.name] = found
                actions.append(Learn((msgspec.structs.replace(text, name=found.name),)))
            elif name not in self._said:
                self._said.add(name)
                actions.append(Say(f"relay: no {sibling_name(name)} is offered: {found}"))
        self.siblings = made
        self._query = query
        return tuple(sibling.definition for sibling in made.values()), actions

    # --- calls --------------------------------------------------------------------------------------------------

    def begin(self, envelope: Envelope, request: Request) -> list[Action] | None:
        """Begin to collect, where the request is a call of a sibling."""
        sibling = self.siblings.get(request.tool or "") if request.method == "tools/call" else None
        if sibling is None:
            return None
        from millpond.relay.collecting import Collection  # The forms of text take 20 ms to import.

        most = min(sibling.paging.max_bytes, self._policy.max_result_bytes)
        collection = Collection(request, envelope, sibling, most)
        return [self._next(collection), Alarm(id_key(request.raw_id), sibling.paging.max_seconds)]

    def _next(self, collection: Collection) -> Action:
        """Ask for the page that comes next."""
        id = b'"%s-%d"' % (self._policy.page_id.encode(), next(self._numbers))
        sibling, asked = collection.sibling, collection.asked
        request = replace(asked, raw_id=id, tool=sibling.tool, arguments=collection.arguments(), is_task=False)
        self._asked.add(id, PageAsked(request, collection.pages + 1, collection))
        self._open[id_key(asked.raw_id)] = collection, id
        return ToServer(collection.line(id))

    # --- what came ----------------------------------------------------------------------------------------------

    def answered(self, raw_id: bytes) -> PageAsked | None:
        """The page that an answer of this id is, which is then no longer awaited."""
        return self._asked.pop(id_key(raw_id))

    def first_refused(self, page: PageAsked, envelope: Envelope) -> Envelope | None:
        """The answer under the client's own id, where it is to the first page and is an error, or asks for input.

        It is then collected no more.
        """
        collection = page.collection
        if collection is None or collection.pages or refusal_of(envelope) is None or envelope.id_place is None:
            return None
        self._close(collection)
        return read_envelope(
            edited(envelope.line, Edit(envelope.id_place.start, envelope.id_place.stop, collection.asked.raw_id))
        )

    def came(self, page: PageAsked, envelope: Envelope) -> list[Action]:
        """What is done with a page, or with what came in its place."""
        collection = page.collection
        if collection is None:
            return [self._kept(page, envelope, "answered after it was cancelled")]
        before = collection.pages
        end = collection.came(envelope)
        if not collection.pages:
            self._close(collection)
            return self._without_rows(page, collection, envelope)
        note = f"page {page.number} of {collection.sibling.name}"
        kept = self._kept(page, envelope, note)
        if collection.pages > before:
            collection.last_note = note
        if end is None:
            return [kept, *_progress(collection), self._next(collection)]
        self._close(collection)
        return [kept, Stop(id_key(collection.asked.raw_id)), self._collected(collection, end)]

    def _kept(self, page: PageAsked, envelope: Envelope, note: str) -> Action:
        place = envelope.result or envelope.error or Member(0, 0, 0)
        return self._records.kept(self._records.call(page.request, replaceable=False, note=note), envelope.line, place)

    def _without_rows(self, page: PageAsked, collection: Collection, envelope: Envelope) -> list[Action]:
        """A first answer in which there is nothing to collect is the whole answer, and it is said."""
        said = f"Only this answer of {collection.sibling.tool}: no list of rows that goes on over pages is in it."
        call = self._records.call(page.request, replaceable=True, note=said)
        place = envelope.result or Member(0, 0, 0)
        take = self._take(call, collection, place.of(envelope.line), said)
        return [Stop(id_key(collection.asked.raw_id)), take]

    def _collected(self, collection: Collection, end: End) -> Action:
        """Give the pages that came to the engine as one result."""
        said = collection.said(end)
        return self._take(self._call(collection, said), collection, collection.result(), said)

    def _call(self, collection: Collection, said: str) -> Call:
        call = self._records.call(collection.asked, replaceable=True, note=said)
        return msgspec.structs.replace(call, mode=self._policy.modes.get(call.tool, "always"))

    def _take(self, call: Call, collection: Collection, result: bytes, said: str) -> Action:
        line, place = result_line(collection.asked.raw_id, result)
        return Take(call, line, place, self._query, said)

    def _close(self, collection: Collection) -> None:
        key = id_key(collection.asked.raw_id)
        if (found := self._open.get(key)) is not None and found[0] is collection:
            del self._open[key]

    # --- what ends it from without ------------------------------------------------------------------------------

    def asks(self, method: str) -> None:
        """The server asks the client something: nothing is answered here, and no further page is asked for."""
        if method in ASKING:
            for collection, _ in self._open.values():
                collection.stop(f"the server asked for {method} meanwhile")

    def overdue(self, key: bytes) -> list[Action]:
        """A call is collected as long as it may be; a first page is waited for as for any call."""
        collection, _ = self._open.get(key, (None, b""))
        if collection is None:
            return []
        reason = f"the limit max_seconds ({collection.sibling.paging.max_seconds:g}) is reached"
        if not collection.pages:
            collection.stop(reason)
            return []
        return [*self._cut(key), self._collected(collection, collection.here(reason))]

    def cancelled(self, key: bytes) -> list[Action] | None:
        """The client cancels a call: nothing is answered, and what came is recorded. None where it is not collected here."""
        collection, _ = self._open.get(key, (None, b""))
        if collection is None:
            return None
        actions = [Stop(key), *self._cut(key)]
        if collection.pages:
            call = self._call(collection, collection.said(collection.here("the client cancelled it")))
            raw = collection.result()
            actions.append(self._records.kept(call, raw, Member(0, 0, len(raw))))
        return actions

    def server_ended(self, why: str) -> list[Action]:
        """Nothing comes any more: each call gets the pages that came, or an error where none did."""
        actions: list[Action] = []
        for key, (collection, _) in self._open.items():
            ended = ToClient(error_line(collection.asked.raw_id, why))
            has_pages = collection.pages > 0
            actions += [Stop(key), self._collected(collection, collection.here(why)) if has_pages else ended]
        self._open.clear()
        return actions

    def _cut(self, key: bytes) -> list[Action]:
        """Cancel the page in flight; an answer that comes all the same is nobody's."""
        _, id = self._open.pop(key)
        page = self._asked.get(id)
        if page is not None:
            self._asked.add(id, PageAsked(replace(page.request, is_cancelled=True), page.number, None))
        return [ToServer(cancelled_line(id, "its pages are no longer collected"))]


def _progress(collection: Collection) -> list[Action]:
    """What the client is told of a page that came, where it wants to be."""
    token = collection.asked.progress_token
    return [] if token is None else [ToClient(progress_line(token, collection.pages, collection.progress))]
