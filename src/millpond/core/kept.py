"""Kept: which kept canvas is whose, and what is written beside its file.

Rule: a canvas is found again by all that tells it from others, the server's credentials and the caller's token among it, so that nobody
comes upon what another server or caller has left. Values only. Imports msgspec and `core`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from millpond.core.canvas import is_id
from millpond.core.config import RemoteServer, Server

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a session has to show for the canvases that it finds again."""

    server: tuple[str, ...]
    """All that is known of the server, secrets included: it is never written anywhere."""
    folder: str | None = None
    """The working folder, which tells the session's own canvas; None where that is never found again."""
    token: str = ""
    """The caller's, over HTTP."""

    def key(self, conversation: str | None) -> bytes | None:
        """What tells the canvas of a conversation, or the session's own, from all others; None where none is kept."""
        if conversation is not None:
            return msgspec.json.encode(["conversation", conversation, self.token, *self.server])
        return None if self.folder is None else msgspec.json.encode(["folder", self.folder, self.token, *self.server])


def words(server: Server | RemoteServer) -> tuple[str, ...]:
    """All that tells a server from others, in an order that is always the same."""
    if isinstance(server, RemoteServer):
        return ("url", server.name, server.url, _sorted(server.headers))
    return ("command", server.name, *server.command, server.cwd or "", _sorted(server.env))


def _sorted(values: Mapping[str, str]) -> str:
    return msgspec.json.encode(dict(values), order="sorted").decode()


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
