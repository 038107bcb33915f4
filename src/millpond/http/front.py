"""Front: Millpond as a server over streamable HTTP, for clients of both eras, at one path.

Rule: who may ask is said by a request's headers, before its body is read; which era it is of, by its protocol version.
Imports the SDK, Starlette, `core`, the relay's `log` and this package's modules.
"""

from __future__ import annotations

import asyncio
from functools import partial

from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.jsonrpc import INTERNAL_ERROR
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from millpond.core.config import Http
from millpond.core.listen import Listen
from millpond.http.callers import Callers
from millpond.http.guard import Guard
from millpond.http.hosted import Open, Terms
from millpond.http.patience import BodyLate, Patience
from millpond.http.replies import error_reply
from millpond.http.sessions import Sessions
from millpond.relay.log import Log

PATH = "/mcp"
EXPOSED_HEADERS = ("Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate")
"""What a page of an allowed origin may read of an answer, besides what every page may."""


class Front:
    """The ASGI application."""

    def __init__(self, listen: Listen, settings: Http, begin: Open, log: Log) -> None:
        """`begin` starts a server with a canvas of its own; nothing is started before a request asks for it."""
        terms = Terms(
            idle_seconds=settings.session_idle_seconds,
            poll_seconds=settings.poll_seconds,
            most_bytes=settings.max_kept_bytes,
        )
        self._log = log
        self._guard = Guard(listen)
        self._max_body_bytes = settings.max_body_bytes
        self._sessions = Sessions(terms, settings.max_sessions, begin, log)
        self._callers = Callers(settings.session_idle_seconds, begin, log)
        self._patience = Patience()
        self._is_closing = False
        self._inner: ASGIApp = self._authorize
        if listen.origins:
            self._inner = CORSMiddleware(
                self._authorize,
                allow_origins=listen.origins,
                allow_methods=("GET", "POST", "DELETE"),
                allow_headers=("*",),
                expose_headers=EXPOSED_HEADERS,
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        refusal = await self._guard.refusal(Request(scope, receive))
        await (refusal or self._inner)(scope, receive, send)

    def close(self) -> None:
        """Take no more requests, and end every server at once."""
        self._is_closing = True
        self._patience.end()
        self._sessions.running.close()
        self._callers.running.close()

    async def closed(self) -> None:
        """Wait until all that was started has ended."""
        await asyncio.gather(self._sessions.running.closed(), self._callers.running.closed())

    def kill(self) -> None:
        """End every server's process group, without a word."""
        self._sessions.running.kill()
        self._callers.running.kill()

    async def _authorize(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        caller = self._guard.caller(request)
        if isinstance(caller, Response):
            await caller(scope, receive, send)
        elif request.url.path.rstrip("/") != PATH:
            await error_reply(404, f"Not Found: the server is at {PATH}")(scope, receive, send)
        elif self._is_closing:
            await error_reply(503, "Service Unavailable: the server is ending", INTERNAL_ERROR)(scope, receive, send)
        else:
            limited = RequestBodyLimitMiddleware(partial(self._serve, caller), self._max_body_bytes)
            try:
                await limited(scope, self._patience.of(receive), send)
            except BodyLate:
                await error_reply(408, "Request Timeout: the body is not whole")(scope, receive, send)

    async def _serve(self, caller: int, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        request = Request(scope, receive, watched)
        version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        is_legacy = version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
        serve = self._sessions.serve if is_legacy else self._callers.serve
        try:
            reply = await serve(caller, request, watched)
        except ClientDisconnect:
            return
        except Exception as error:  # A fault of ours ends this request, and is told without its data.
            self._log.line(f"http: a request failed: {type(error).__name__}")
            reply = None if has_begun else error_reply(500, "Internal Server Error", INTERNAL_ERROR)
        if reply is not None:
            await reply(scope, receive, send)
