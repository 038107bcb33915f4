"""Wire: HTTP requests to the one server, and what can go wrong with each.

Rule: headers go to the configured origin only; connecting is bounded, waiting for an answer is not. Imports httpx2,
`core` and `http.failures`.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx2

from millpond import __version__
from millpond.core.config import RemoteServer
from millpond.http.failures import CONNECT_SECONDS, broken, origin_of, unreachable

WRITE_SECONDS = 60.0
"""Without a byte of a request taken by the server."""
IDLE_SECONDS = 4.0
"""For which a connection is kept: less than the 5 s after which uvicorn and Node close theirs, which would lose a call."""
MOST_IDLE = 32
"""Connections that are kept."""
MOST_REDIRECTS = 5
DESCRIPTORS = 1_024
"""Open files that are wanted: macOS allows 256 unless it is asked for more."""
KEEP_ALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPALIVE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 6}
"""Seconds, seconds, seconds, probes: a peer that has vanished ends a call within about two minutes."""
_UNCONNECTED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol)

Trace = Callable[[str, Mapping[str, Any]], Any]


class Wire:
    """Connections to one server."""

    def __init__(self, server: RemoteServer) -> None:
        """Raises `httpx2.InvalidURL`."""
        _allow_descriptors()
        self.url = httpx2.URL(server.url)
        self.origin = origin_of(self.url)
        self.has_answered = False
        """True once any response has come."""
        self._context = httpx2.create_ssl_context() if self.url.scheme == "https" else None
        self._client = httpx2.AsyncClient(
            verify=self._context or True,
            headers={"user-agent": f"millpond/{__version__}", **server.headers},
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS, write=WRITE_SECONDS),
            limits=httpx2.Limits(max_keepalive_connections=MOST_IDLE, keepalive_expiry=IDLE_SECONDS),
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def send(
        self,
        method: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        url: httpx2.URL | None = None,
        on_sent: Callable[[], object] | None = None,
    ) -> AsyncGenerator[httpx2.Response]:
        """The response, whose body is still to be read; `on_sent` is called when the request is on its way.

        Raises `RemoteFailed` where there is no connection, or it breaks, before or while the body is read.
        """
        extensions = {"trace": _trace(on_sent)}
        request = self._client.build_request(
            method, url or self.url, headers=headers, content=body, extensions=extensions
        )
        try:
            response = await self._answered(request)
            self.has_answered = True
            try:
                yield response
            finally:
                await response.aclose()
        except _UNCONNECTED as error:
            raise unreachable(self.origin, error) from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise broken(self.origin, error) from error

    async def _answered(self, request: httpx2.Request) -> httpx2.Response:
        """The response of the server, behind redirects within its origin."""
        for _ in range(MOST_REDIRECTS):
            response = await self._client.send(request, stream=True, follow_redirects=False)
            following = _within_origin(response)
            if following is None:
                return response
            await response.aclose()
            request = following
        return await self._client.send(request, stream=True, follow_redirects=False)

    async def reach(self) -> None:
        """Connect, TLS included, and send nothing. Raises `RemoteFailed`.

        Behind a proxy of the environment nothing is tried: only a request shows what that reaches.
        """
        url = self.url
        proxies = getproxies()
        if (url.scheme in proxies or "all" in proxies) and not proxy_bypass(url.host):
            return
        port = url.port or (443 if self._context else 80)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, writer = await asyncio.open_connection(url.host, port, ssl=self._context)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise unreachable(self.origin, error) from error
        writer.transport.abort()


def _within_origin(response: httpx2.Response) -> httpx2.Request | None:
    """The request that follows a redirect, where it is the same one at the same origin, or at its https."""
    following, sent = response.next_request, response.request
    if following is None or following.method != sent.method:
        return None
    old, new = sent.url, following.url
    is_upgrade = (old.scheme, new.scheme, old.port, new.port) == ("http", "https", None, None)
    is_same = (old.scheme, old.port) == (new.scheme, new.port) or is_upgrade
    brings_user = bool(new.userinfo) and new.userinfo != old.userinfo
    return following if is_same and old.host == new.host and not brings_user else None


def _trace(on_sent: Callable[[], object] | None) -> Trace:
    """What the HTTP library calls at each step of a request."""

    async def on_step(step: str, info: Mapping[str, Any]) -> None:
        if step.endswith(".send_request_body.complete") and on_sent is not None:
            on_sent()
        elif step.endswith(".connect_tcp.complete"):
            _keep_alive(info["return_value"].get_extra_info("socket"))

    return on_step


def _keep_alive(connection: socket.socket | None) -> None:
    """Have the system notice a peer that has vanished without a word."""
    if connection is None or sys.platform == "win32":
        return
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in KEEP_ALIVE.items():
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _allow_descriptors() -> None:
    """Have as many connections at once as there may be requests, where the system lets us."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < DESCRIPTORS and soft != resource.RLIM_INFINITY:
            wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
