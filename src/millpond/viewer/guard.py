"""Guard: which requests the page's server answers, and under which rules a browser shows what it sends.

Rule: judged by the request's head alone, and every request is. The token stands in the path, so that what belongs to
the page carries it by itself. Imports hmac and Starlette's types.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost")
"""Names under which the page is served; another one was made to mean this machine by a stranger (DNS rebinding)."""
OWN_SITES = ("same-origin", "none")
"""Where a browser may say a request comes from: the page itself, or the person at the address line."""


def headers(script_hash: str) -> dict[str, str]:
    """What goes with every answer; `script_hash` is the one of the only script that stands in the page itself."""
    policy = (
        "default-src 'none'",
        f"script-src 'self' 'sha256-{script_hash}'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }


class Guard:
    """An application behind a token; what it serves lies under the token's folder."""

    def __init__(self, inner: ASGIApp, token: str, port: int, sent: Mapping[str, str]) -> None:
        """`sent` goes with every answer, refusals included."""
        self._inner = inner
        self._token = token.encode()
        self._hosts = tuple(f"{host}:{port}" for host in HOSTS)
        self._sent = [(name.lower().encode(), value.encode()) for name, value in sent.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in self._sent}
                kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in names]
                message = {**message, "headers": [*kept, *self._sent]}
            await send(message)

        token, slash, rest = str(scope["path"]).removeprefix("/").partition("/")
        status = self._refusal(_headers(scope), token)
        if status is None and not slash:
            status = 404  # Without its slash, what the page names would be looked for beside the token.
        if status is not None:
            await _say(with_headers, status)
            return
        await self._inner({**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}, receive, with_headers)

    def _refusal(self, headers: Mapping[str, str], token: str) -> int | None:
        """The status of a refusal; None where the request is answered."""
        if headers.get("host", "").lower() not in self._hosts:
            return 421
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in tuple(f"http://{host}" for host in self._hosts):
            return 403
        if headers.get("sec-fetch-site", "none") not in OWN_SITES:
            return 403
        return None if hmac.compare_digest(token.encode("utf-8", "replace"), self._token) else 404


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


async def _say(send: Send, status: int) -> None:
    text = {403: b"Forbidden\n", 404: b"Not Found\n", 421: b"Misdirected Request\n"}[status]
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": text})
