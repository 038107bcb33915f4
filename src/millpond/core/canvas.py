"""Canvas: what an agent is told of canvases: their ids, how full they are, and what went.

Rule: a canvas's id is a capability, and whoever gives a wrong one is told the same whatever is wrong with it. Imports `core.errors`,
`core.ledger`, `core.sizes` and `core.sql`.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence

from millpond.core.errors import Reason, Refusal
from millpond.core.ledger import Fullness
from millpond.core.sizes import human_size
from millpond.core.sql import printed_name

ID_BYTES = 10
"""Random bytes of a canvas's id: 80 bits, for whoever knows it may read the canvas."""
ID_MACRO = "canvas_id"
"""The function that tells a canvas's id: nobody pays a token for it before it is asked."""

_ID = re.compile(rf"[0-9a-f]{{{2 * ID_BYTES}}}")


def is_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    return _ID.fullmatch(text) is not None


def is_same(one: str, other: str) -> bool:
    """Whether two ids are the same, told in a time that says nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def malformed() -> Refusal:
    """What was given is no canvas's id."""
    return Refusal(
        Reason.CANVAS_MALFORMED,
        f"`canvas` must be an id of {2 * ID_BYTES} characters 0-9 and a-f, which SELECT {ID_MACRO}() gives in the conversation"
        " that has that canvas. Leave `canvas` out to ask this one.",
    )


def not_found() -> Refusal:
    """No canvas has this id, or none any more."""
    return Refusal(
        Reason.CANVAS_NOT_FOUND,
        f"There is no such canvas here: it has ended, or the id is wrong. SELECT {ID_MACRO}() gives it in the conversation that"
        " has that canvas. Leave `canvas` out to ask this one.",
    )


def no_guest(what: str) -> Refusal:
    """What only a canvas's own conversation may do."""
    return Refusal(
        Reason.NOT_A_READ,
        f"Another's canvas is only read, and {what}. Ask of its tables; `save_as` keeps an answer in your own canvas.",
    )


def fullness_note(found: Fullness) -> str:
    """That the canvas is nearly full, and what goes first."""
    has, most = (
        (human_size(found.has), human_size(found.most))
        if found.bound == "bytes"
        else (f"{found.has:,}", f"{found.most:,} {found.bound}")
    )
    tables = f" ({', '.join(map(printed_name, found.tables[:2]))})" if found.tables else ""
    return f"the canvas is {found.percent} % full ({has} of {most}); next to go: call {found.next_to_go}{tables}"


def gone_note(numbers: Sequence[int]) -> str:
    """That these calls, oldest first, were evicted."""
    which = f"call {numbers[0]}" if len(numbers) == 1 else f"calls {numbers[0]} to {numbers[-1]}"
    return f"{which} evicted to make room"


def begun_anew(what: str) -> str:
    """What `calls` says first in a canvas whose file is a new one; `what` became of the other."""
    return f"the canvas's file {what}, and its tables with it; call the tools again for their rows"
