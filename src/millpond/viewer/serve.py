"""Serve: the page's server on a loopback port, from its start until it is interrupted.

Rule: nothing but this machine can connect, nothing is written to a log, and the token is printed once. Imports uvicorn,
`core.errors` and this package's `guard` and `page`.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from millpond.core.errors import ConfigError
from millpond.viewer.guard import Guard, headers
from millpond.viewer.page import application, script_hash, static_files

ADDRESS = "127.0.0.1"
TOKEN_BYTES = 32
"""Of randomness in the token: 256 bits."""
LAST_SECONDS = 1
"""From an interrupt until pages that are still open are cut off."""


def serve(directory: Path, port: int, say: Callable[[str], None]) -> None:
    """Serve the page for the sessions whose doors are in the folder, until an interrupt; `say` gets its address.

    Port 0 takes a free one. Raises `ConfigError` where it cannot be had.
    """
    opened = _bound(port)
    port = opened.getsockname()[1]
    token = secrets.token_urlsafe(TOKEN_BYTES)
    static = static_files()
    sent = headers(script_hash(static["index.html"][0]))
    server = uvicorn.Server(
        uvicorn.Config(
            Guard(application(directory, static), token, port, sent),
            lifespan="off",
            ws="none",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=LAST_SECONDS,
        )
    )
    say(f"http://{ADDRESS}:{port}/{token}/")
    with suppress(KeyboardInterrupt):
        server.run([opened])


def _bound(port: int) -> socket.socket:
    try:
        return socket.create_server((ADDRESS, port))
    except OSError as error:
        problem = f"--port: the port {port} of {ADDRESS} cannot be used: {error.strerror or error}"
        raise ConfigError(f"{problem}; choose another, or leave it out for a free one") from error
