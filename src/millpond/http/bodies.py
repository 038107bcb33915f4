"""Bodies: the body of a POST as one line, and what it is.

Rule: the line has the body's bytes, but for line breaks, which can only stand between values; what is decoded of it
decides and goes nowhere. Imports the relay's `envelope` and `spans`, and this package's `headers` and `message`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, cast

from millpond.http.headers import JSON
from millpond.http.message import unbroken
from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.spans import object_members


class Kind(Enum):
    """What a message is."""

    REQUEST = auto()
    NOTIFICATION = auto()
    ANSWER = auto()


@dataclass(frozen=True, slots=True)
class Message:
    """One JSON-RPC message."""

    kind: Kind
    envelope: Envelope
    body: dict[str, Any]
    """Decoded, for decisions only."""

    @property
    def line(self) -> bytes:
        """The message with its line's end."""
        return self.envelope.line

    @property
    def id(self) -> bytes:
        """The id as the client wrote it; empty where there is none."""
        return self.envelope.id or b""


class NotJson(Exception):
    """A body that is no JSON in UTF-8, or is nested too deep."""


class NotAMessage(Exception):
    """A body that is no single JSON-RPC message."""


def is_json(content_type: str) -> bool:
    """Whether a body is said to be JSON."""
    return content_type.partition(";")[0].strip().lower() == JSON


def read_message(data: bytes) -> Message:
    """The message in a body. Raises `NotJson` or `NotAMessage`."""
    try:
        body: Any = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise NotJson from error
    if not isinstance(body, dict):
        raise NotAMessage
    members = cast(dict[str, Any], body)
    line = unbroken(data) + b"\n"
    envelope, kind = read_envelope(line), _kind(members)
    if envelope is None or kind is None or object_members(line) is None:
        raise NotAMessage  # Where a name stands twice, two readers would see two messages.
    return Message(kind, envelope, members)


def _kind(members: dict[str, Any]) -> Kind | None:
    ident = members.get("id")
    has_id = isinstance(ident, str | int | float) and not isinstance(ident, bool)
    if members.get("jsonrpc") != "2.0" or not isinstance(members.get("params", {}), dict):
        return None
    if isinstance(members.get("method"), str):
        if "id" not in members:
            return Kind.NOTIFICATION
        return Kind.REQUEST if has_id else None
    return Kind.ANSWER if has_id and ("result" in members) != ("error" in members) else None
