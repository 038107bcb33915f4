"""Edge: where requests of many clients become those of one, and what comes back is told apart again.

Rule: ids and progress tokens are replaced, in both directions as raw text, and every other byte stays. Imports the
relay's `envelope`, `requests`, `session` and `spans`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.requests import id_key
from millpond.relay.session import LISTEN
from millpond.relay.spans import Edit, Member, edited, members_of, object_members

SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
"""In `_meta` of all that a subscription sends; its value is the id of the request that opened it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is to be answered."""

    id: bytes
    """As the client wrote it."""
    method: str
    token: bytes | None
    """The client's progress token, as it wrote it."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A line of the server for one client."""

    number: int | None
    """Of the request that it belongs to; None where it names none."""
    line: bytes
    asked: Asked | None = None
    """The request that it answers; None where it is no answer."""
    envelope: Envelope | None = None


class Edge:
    """The table of requests to one server."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._asked: dict[int, Asked] = {}

    def open(self) -> tuple[int, ...]:
        """The numbers of the requests that are to be answered, subscriptions left out, oldest first."""
        return tuple(number for number, asked in self._asked.items() if asked.method != LISTEN)

    def sent(self, envelope: Envelope) -> tuple[int, bytes] | None:
        """The number of a request and its line for the server.

        None where it has no id, or a name stands twice in its `params` or `_meta`, so that no edit could be exact.
        """
        if envelope.id is None or envelope.id_place is None:
            return None
        number = next(self._numbers)
        edits = [Edit(envelope.id_place.start, envelope.id_place.stop, b"%d" % number)]
        meta: Member | None = None
        if envelope.params is not None:
            params = object_members(envelope.line, envelope.params.start, envelope.params.stop)
            if params is None:
                return None
            meta = params.get("_meta")
        place = _member(envelope.line, meta, "progressToken")
        if place is not None:
            edits.append(Edit(place.start, place.stop, b"%d" % number))
        token = None if place is None else place.of(envelope.line)
        self._asked[number] = Asked(envelope.id, envelope.method or "", token)
        return number, edited(envelope.line, *sorted(edits))

    def forget(self, number: int) -> None:
        """Nobody waits for the answer to this request any more."""
        self._asked.pop(number, None)

    def came(self, line: bytes) -> Returned | None:
        """What a line of the server is for its client; None where no client waits for it."""
        envelope = read_envelope(line)
        if envelope is None:
            return None
        return self._notification(envelope) if envelope.method is not None else self._answer(envelope)

    def _answer(self, envelope: Envelope) -> Returned | None:
        number = _number(envelope.id)
        asked = self._asked.pop(number, None) if number is not None else None
        if number is None or asked is None or envelope.id_place is None:
            return None
        edits = [Edit(envelope.id_place.start, envelope.id_place.stop, asked.id)]
        if asked.method == LISTEN and envelope.result is not None:
            members = members_of(envelope.line, envelope.result)
            place = _member(envelope.line, members.get("_meta"), SUBSCRIPTION_ID)
            edits += [] if place is None else [Edit(place.start, place.stop, asked.id)]
        return Returned(number, edited(envelope.line, *sorted(edits)), asked, envelope)

    def _notification(self, envelope: Envelope) -> Returned | None:
        line, params = envelope.line, envelope.of_params()
        place = _member(line, params.get("_meta"), SUBSCRIPTION_ID)
        if envelope.method == "notifications/progress":
            place = params.get("progressToken")
        elif envelope.method == "notifications/cancelled":
            place = params.get("requestId")
        if place is None:
            return Returned(None, line)
        number = _number(place.of(line))
        asked = self._asked.get(number) if number is not None else None
        if number is None or asked is None:
            return None
        new = asked.token if envelope.method == "notifications/progress" else asked.id
        return None if new is None else Returned(number, edited(line, Edit(place.start, place.stop, new)))


def _member(line: bytes, parent: Member | None, name: str) -> Member | None:
    return members_of(line, parent).get(name)


def _number(raw: bytes | None) -> int | None:
    """The number that a server gave back, as it was or as a text."""
    digits = id_key(raw or b"").strip(b'"')
    return int(digits) if digits.isdigit() and len(digits) < 20 else None
