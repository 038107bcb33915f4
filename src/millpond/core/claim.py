"""Claim: which kept canvas is whose.

Rule: a canvas is found again by all that tells it from others, the server's credentials and the caller's token among it, so that nobody
comes upon what another server or caller has left. Values only. Imports msgspec and `core.config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from millpond.core.config import RemoteServer, Server


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


def words_of(server: Server | RemoteServer) -> tuple[str, ...]:
    """All that tells a server from others, in an order that is always the same."""
    if isinstance(server, RemoteServer):
        return ("url", server.name, server.url, _sorted(server.headers))
    return ("command", server.name, *server.command, server.cwd or "", _sorted(server.env))


def _sorted(values: Mapping[str, str]) -> str:
    return msgspec.json.encode(dict(values), order="sorted").decode()
