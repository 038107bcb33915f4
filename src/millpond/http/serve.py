"""Serve: the front on its sockets, from the bind to the last process's end.

Rule: the first signal ends every server in order, the second one at once, as on standard streams. Imports uvicorn,
asyncio, `core`, the relay's `log` and `signals`, and this package's `front`, `hosted` and `patience`.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn

from millpond.core.config import Http
from millpond.core.errors import ConfigError
from millpond.core.listen import Listen, is_address
from millpond.http.front import PATH, Front
from millpond.http.hosted import Open
from millpond.http.patience import Patient
from millpond.relay.log import Log
from millpond.relay.signals import EXIT_SIGNAL, watch_signals

MOST_CONNECTIONS = 512
"""Open connections and requests, from which further ones are answered 503."""
EXIT_FAILED = 1
"""Nothing is served any more, and nobody asked for that."""
NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""A name may have addresses of a kind that this machine has switched off: `localhost` is `::1`, too."""
LAST_SECONDS = 5
"""From the end of all servers until what is still open is cut."""


class _Uvicorn(uvicorn.Server):
    """Without signal handlers of its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """None is captured: whoever runs it watches them."""
        yield


async def serve(listen: Listen, settings: Http, begin: Open, log: Log) -> int:
    """Serve until a signal comes, and return the exit code. Raises `ConfigError` where the address cannot be used."""
    front = Front(listen, settings, begin, log)
    sockets = bound(listen)
    server = _Uvicorn(
        uvicorn.Config(
            front,
            http=Patient,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=LAST_SECONDS,
        )
    )
    signals: list[int] = []
    is_over = asyncio.Event()

    def on_signal(number: int) -> None:
        if signals:
            front.kill()
            os._exit(EXIT_SIGNAL + number)
        signals.append(number)
        is_over.set()

    watch_signals(on_signal)
    serving = asyncio.create_task(server.serve(sockets))
    serving.add_done_callback(lambda _: is_over.set())
    log.line(f"serving {url(listen, sockets)}")
    await is_over.wait()
    front.close()
    await front.closed()
    server.should_exit = True
    await serving
    return EXIT_SIGNAL + signals[0] if signals else EXIT_FAILED


def bound(listen: Listen) -> list[socket.socket]:
    """Sockets on every address that the host has, with one port. Raises `ConfigError`."""
    sockets: list[socket.socket] = []
    port = listen.port
    try:
        found = socket.getaddrinfo(listen.host, port, type=socket.SOCK_STREAM)
        for at, (family, _, _, _, address) in enumerate(found):
            try:
                sockets.append(_of_tcp(socket.create_server((str(address[0]), port), family=family)))
            except OSError as error:
                if error.errno not in NOT_HERE or (at == len(found) - 1 and not sockets):
                    raise
            else:
                port = sockets[0].getsockname()[1]
    except OSError as error:
        for one in sockets:
            one.close()
        problem = f"--http: the address {listen.host}:{port} cannot be used: {error.strerror or error}"
        raise ConfigError(f"{problem}; choose another") from error
    return sockets


def _of_tcp(one: socket.socket) -> socket.socket:
    """The same socket, named as one of TCP: to no other does asyncio give TCP_NODELAY, without which a second piece waits 40 ms."""
    return socket.socket(one.family, one.type, socket.IPPROTO_TCP, fileno=one.detach())


def url(listen: Listen, sockets: list[socket.socket]) -> str:
    """What a client is told."""
    host = f"[{listen.host}]" if is_address(listen.host) and ":" in listen.host else listen.host
    return f"http://{host}:{sockets[0].getsockname()[1]}{PATH}"
