"""`millpond URL` in front of the reference server in TypeScript, over both of its HTTP transports."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from http_client import INITIALIZED, millpond
from relay_client import Client

CAPABILITIES: dict[str, Any] = {"roots": {}, "sampling": {}, "elicitation": {}}
INITIALIZE: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": CAPABILITIES,
    "clientInfo": {"name": "t", "version": "1"},
}


@contextmanager
def everything(modules: Path, transport: str, port: int) -> Generator[None]:
    """The started server, once it listens."""
    script = modules / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
    with subprocess.Popen(
        ["node", str(script), transport],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        while (line := process.stderr.readline()) and "on port" not in line:
            pass
        try:
            yield
        finally:
            process.kill()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def answer_to(client: Client, ident: int) -> tuple[dict[str, object], list[str]]:
    """The result of a request, and the methods of what came before it."""
    methods: list[str] = []
    while True:
        message = json.loads(client.line())
        if message.get("id") == ident and "method" not in message:
            return message["result"], methods
        methods.append(message["method"])


@pytest.mark.npm
@pytest.mark.parametrize(("transport", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
def test_the_reference_server_tells_its_progress_and_asks_for_roots(
    npm_packages: Path, transport: str, path: str
) -> None:
    """HTTPC-07, HTTPC-11, HTTPC-12"""
    port = free_port()
    with everything(npm_packages, transport, port), millpond(f"http://127.0.0.1:{port}/{path}") as client:
        client.request("initialize", INITIALIZE, 1)
        answer_to(client, 1)
        client.send(INITIALIZED)
        call = {"name": "trigger-long-running-operation", "arguments": {"duration": 0.3, "steps": 3}}
        client.request("tools/call", {**call, "_meta": {"progressToken": "p"}}, 2)
        result, methods = answer_to(client, 2)
        assert "Steps: 3" in json.dumps(result)
        assert methods.count("notifications/progress") == 3
        while "roots/list" not in methods:
            methods.append(json.loads(client.line()).get("method"))
        assert client.close() == 0


@pytest.mark.npm
def test_a_call_after_the_reference_servers_restart_works(npm_packages: Path) -> None:
    """HTTPC-09"""
    port = free_port()
    with millpond_at(npm_packages, port) as client, everything(npm_packages, "streamableHttp", port):
        client.request("tools/call", {"name": "echo", "arguments": {"message": "again"}}, 3)
        assert "again" in json.dumps(answer_to(client, 3)[0])
        assert client.close() == 0
        assert sum("had lost the session" in line for line in client.stderr()) == 1


@contextmanager
def millpond_at(modules: Path, port: int) -> Generator[Client]:
    """A client that has shaken hands with a server that is gone now."""
    with everything(modules, "streamableHttp", port):
        client = millpond(f"http://127.0.0.1:{port}/mcp")
        client.request("initialize", INITIALIZE, 1)
        answer_to(client, 1)
        client.send(INITIALIZED)
        client.request("tools/list", None, 2)
        answer_to(client, 2)
    with client:
        yield client
