"""Message: what a line of the client is to an HTTP server, and which requests a line of the server answers.

Rule: bytes are looked at, never rebuilt; one edit is made, and it is named (`with_id`). Imports the relay's `envelope`,
`requests` and `spans`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.requests import PROTOCOL_VERSION, id_key, raw_member
from millpond.relay.spans import Edit, edited, list_elements, members_of, object_members, string_value

CANCELLED = "notifications/cancelled"
UNNAMED = b'"server-error"'
"""The id that servers on the Python SDK 1 write where they refuse a request by its headers."""
_SPACES = bytes.maketrans(b"\r\n", b"  ")


@dataclass(frozen=True, slots=True)
class Message:
    """A line of the client."""

    body: bytes
    """The line without its end: what is posted."""
    envelope: Envelope | None
    """None of a batch, and of what is no JSON-RPC."""
    ids: tuple[bytes, ...]
    """The raw ids of the requests in it: none of a notification or an answer, several of a batch."""
    version: str | None
    """The revision that `_meta` names: of requests from 2026-07-28 on."""

    @property
    def method(self) -> str | None:
        """The method of a request or a notification."""
        return self.envelope.method if self.envelope else None

    @property
    def cancels(self) -> bytes | None:
        """The key of the request that a `notifications/cancelled` names."""
        if self.method != CANCELLED or self.envelope is None:
            return None
        return id_key(raw_member(self.envelope, "requestId") or b"")


def read_message(line: bytes) -> Message | None:
    """The message in a line; None of a blank one."""
    body = line.rstrip(b"\r\n")
    if not body.strip():
        return None
    envelope = read_envelope(body)
    envelopes = [envelope] if envelope else [read_envelope(element) for element in _batch(body)]
    ids = tuple(one.id for one in envelopes if one and one.method is not None and one.id is not None)
    return Message(body, envelope, ids, _version(envelope))


def answered_keys(line: bytes) -> tuple[bytes, ...]:
    """The keys of the requests that a line of the server answers: none, one, or several of a batch."""
    envelope = read_envelope(line)
    envelopes = [envelope] if envelope else [read_envelope(element) for element in _batch(line)]
    return tuple(id_key(one.id) for one in envelopes if one and one.method is None and one.id is not None)


def with_id(line: bytes, raw_id: bytes) -> bytes | None:
    """An error of JSON-RPC that names no request (its id is null, `UNNAMED` or not there) with this id.

    None of every other line: a member `error` alone, as OAuth and web frameworks write it, makes no JSON-RPC.
    """
    members = object_members(line) or {}
    error, place = members.get("error"), members.get("id")
    if error is None or "method" in members or string_value(line, members.get("jsonrpc")) != "2.0":
        return None
    if line[error.start : error.start + 1] != b"{":
        return None
    if place is None:
        start = error.delimiter + 1
        return edited(line, Edit(start, start, b'"id":' + raw_id + b","))
    if place.of(line) not in (b"null", UNNAMED):
        return None
    return edited(line, Edit(place.start, place.stop, raw_id))


def unbroken(text: bytes) -> bytes:
    """A JSON text with spaces for its line breaks, which stand between values only."""
    return text.translate(_SPACES)


def one_line(text: bytes) -> bytes:
    """A JSON text as one line, with its end."""
    if text.endswith(b"\n") and text.count(b"\n") == 1 and b"\r" not in text:
        return text
    return unbroken(text.rstrip(b"\r\n")) + b"\n"


class Waiting:
    """The requests of one message that have no answer yet."""

    def __init__(self, ids: Iterable[bytes], on_answered: Callable[[], object] = lambda: None) -> None:
        """`on_answered` is called when the last of them has its answer."""
        self._ids = {id_key(raw): raw for raw in ids}
        self._on_answered = on_answered

    @property
    def left(self) -> tuple[bytes, ...]:
        """The raw ids that wait."""
        return tuple(self._ids.values())

    def take(self, keys: Iterable[bytes]) -> bool:
        """Strike out what is answered; True where any of it waited here."""
        has_taken = any([self._ids.pop(key, None) is not None for key in keys])
        if has_taken and not self._ids:
            self._on_answered()
        return has_taken


def _batch(body: bytes) -> list[bytes]:
    """The elements of a batch (2025-03-26)."""
    if body.lstrip()[:1] != b"[":
        return []
    return [element.of(body) for element in list_elements(body, 0, len(body)) or ()]


def _version(envelope: Envelope | None) -> str | None:
    if envelope is None:
        return None
    members = members_of(envelope.line, envelope.of_params().get("_meta"))
    return string_value(envelope.line, members.get(PROTOCOL_VERSION))
