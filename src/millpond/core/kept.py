"""Kept: what is written beside the file of a kept canvas, and how long it counts.

Rule: what another version wrote is not read. Values only. Imports msgspec and `core.canvas`.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from millpond.core.canvas import is_id

FORMAT = 1
"""Of what lies in a kept canvas's folder; another one's is not opened."""
DAY_SECONDS = 86_400
_TAG = re.compile(r"[a-z0-9]{6}")


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a canvas the same after a restart."""

    canvas: str
    """Its id."""
    tag: str
    """Of its table names."""
    keep_days: int
    """After its last use; at least 1."""
    format: Literal[1] = FORMAT


def written(identity: Identity) -> bytes:
    """As it lies in the folder."""
    return msgspec.json.encode(identity)


def read(data: bytes) -> Identity | None:
    """What was written; None for anything else, also where another version wrote it."""
    try:
        found = msgspec.json.decode(data, type=Identity)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    is_sound = is_id(found.canvas) and _TAG.fullmatch(found.tag) and found.keep_days > 0
    return found if is_sound else None


def is_over(last_used_seconds: float, keep_days: int, now_seconds: float) -> bool:
    """Whether a canvas that was last used then is kept no longer."""
    return now_seconds - last_used_seconds > keep_days * DAY_SECONDS
