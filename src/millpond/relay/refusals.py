"""Refusals: why an answer to a tool's call is no page of a listing.

Rule: what is not a complete result of a call that worked is none. Imports msgspec and the relay's `envelope`, `results` and `spans`.
"""

from __future__ import annotations

import msgspec

from millpond.relay.envelope import Envelope
from millpond.relay.results import is_error
from millpond.relay.spans import members_of, string_value

_MAX_ERROR_CHARACTERS = 200


def refusal_of(envelope: Envelope) -> str | None:
    """Why an answer is no page, in words that follow its number; None where it is a result that is complete."""
    line, result = envelope.line, envelope.result
    if envelope.error is not None or result is None:
        place = envelope.error
        members = members_of(line, place)
        return f"was answered with an error{_quoted(string_value(line, members.get('message')))}"
    members = members_of(line, result)
    kind = string_value(line, members.get("resultType"))
    if kind == "input_required":
        return "asks for input, which is given to a call of the tool itself"
    if kind not in (None, "complete") or "task" in members:
        return "was answered with something else than a result"
    return "is an error of the tool" if is_error(line, members) else None


def _quoted(message: str | None) -> str:
    """An error's message as JSON, so that it stays on its line and is seen to be the server's."""
    if not message:
        return ""
    cut = message[:_MAX_ERROR_CHARACTERS] + ("…" if len(message) > _MAX_ERROR_CHARACTERS else "")
    return f": {msgspec.json.encode(cut).decode()}"
