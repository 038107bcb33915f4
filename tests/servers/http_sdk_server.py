"""A server on the Python SDK over HTTP; its first line of stdout is its URL.

    python http_sdk_server.py streamable | json | sse

`streamable` and `json` speak the handshake's revisions and 2026-07-28 at once.
"""

from __future__ import annotations

import socket
import sys
from typing import Annotated

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import Field

server = MCPServer("rows", instructions="Theirs.")


@server.tool()
def list_rows(count: int) -> list[dict[str, int]]:
    """As many rows as are asked for."""
    return [{"id": number, "twice": 2 * number} for number in range(count)]


@server.tool()
async def slow(seconds: float, context: Context) -> str:
    """Tells its progress, then waits."""
    await context.report_progress(1, 2, "half")
    await anyio.sleep(seconds)
    return "done"


@server.tool()
def weather(city: Annotated[str, Field(json_schema_extra={"x-mcp-header": "City"})]) -> str:
    """An argument that is repeated as a header."""
    return f"rain in {city}"


def main() -> None:
    kind = sys.argv[1]
    app = server.sse_app() if kind == "sse" else server.streamable_http_app(json_response=kind == "json")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:  # asyncio knows TCP by it
        listening.bind(("127.0.0.1", 0))
        path = "sse" if kind == "sse" else "mcp"
        sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}/{path}\n")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)).run([listening])


if __name__ == "__main__":
    main()
