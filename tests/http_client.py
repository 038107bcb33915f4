"""Millpond in front of a URL, as its client sees it."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from http_server import MODERN, Handle, HttpServer, Mcp
from relay_client import Client

MILLPOND = (sys.executable, "-m", "millpond")
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def millpond(*arguments: str, env: dict[str, str] | None = None, reads: bool = True) -> Client:
    """A client of Millpond with these arguments, a URL or `--config FILE`."""
    return Client([*MILLPOND, *arguments], {"NO_PROXY": "127.0.0.1,localhost,::1", **(env or {})}, reads=reads)


def opened(client: Client, version: str = "2025-06-18") -> Client:
    """Shake hands."""
    answer = client.ask(
        "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}, 0
    )
    assert "result" in answer, answer
    client.send(INITIALIZED)
    return client


def modern(params: dict[str, Any] | None = None) -> dict[str, Any]:
    """Params of a request of 2026-07-28."""
    return {"_meta": META, **(params or {})}


@contextmanager
def remote(
    methods: dict[str, Handle] | None = None, *, opens: bool = True
) -> Generator[tuple[Client, HttpServer, Mcp]]:
    """A client that has shaken hands with a server of these methods, through Millpond."""
    mcp = Mcp(methods)
    with HttpServer(mcp) as server, millpond(server.url) as client:
        yield opened(client) if opens else client, server, mcp
