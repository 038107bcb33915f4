"""Guard: who may ask: the Host and Origin of a request, and its bearer token.

Rule: a request is judged by its headers before a byte of its body is read. Host and Origin are judged by the SDK.
Imports `core.listen`, the SDK, Starlette and this package's `replies`.
"""

from __future__ import annotations

import hashlib
import hmac

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response

from millpond.core.listen import LOOPBACK_NAME, Listen, is_address
from millpond.http.replies import error_reply

LOOPBACK_ORIGINS = ("http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*")
ANYONE = 0
"""The caller where no token is demanded."""


class Guard:
    """Judges requests to one address."""

    def __init__(self, listen: Listen) -> None:
        names = {LOOPBACK_NAME, *listen.hosts, *(() if is_address(listen.host) else (listen.host.lower(),))}
        self._hosts = [*names, *(f"{name}:*" for name in names)]
        self._origins = [*listen.origins, *(LOOPBACK_ORIGINS if listen.is_loopback else ())]
        self._tokens = [_digest(token) for token in listen.tokens]

    async def refusal(self, request: Request) -> Response | None:
        """The answer to a request from a page or under a name that is not allowed; None where it is.

        A name can be made to mean this machine by whoever owns it (DNS rebinding); an address cannot.
        """
        host = request.headers.get("host", "")
        hosts = [*self._hosts, host] if is_address(_without_port(host)) else self._hosts
        settings = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=self._origins)
        return await TransportSecurityMiddleware(settings).validate_request(request)

    def caller(self, request: Request) -> int | Response:
        """Which token a request came with, counted from 1, or `ANYONE`; the answer where it has none of them.

        Every token is compared, and in a time that tells nothing of it.
        """
        if not self._tokens:
            return ANYONE
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        digest = _digest(given.strip())
        found = 0
        for number, token in enumerate(self._tokens, start=1):
            found += number * hmac.compare_digest(digest, token)
        if found and scheme.lower() == "bearer":
            return min(found, len(self._tokens))
        challenge = 'Bearer realm="millpond"' + (', error="invalid_token"' if given else "")
        return error_reply(401, "Unauthorized: a bearer token is needed", headers={"WWW-Authenticate": challenge})


def _digest(token: str) -> bytes:
    """Of one length, whatever comes."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") <= 1 else host
