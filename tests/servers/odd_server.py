"""A server for doctor's tests that behaves as its first argument says. Standard library only.

python odd_server.py WAY
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

way = sys.argv[1]
MODERN = "2026-07-28"


def write(message: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def prompt(text: str, stream: Any) -> None:
    stream.write(text)
    stream.flush()
    time.sleep(600)


def page(params: Mapping[str, Any]) -> dict[str, Any]:
    """Two pages; the second one names the first again."""
    number = int(params.get("cursor", "1"))
    tool = {"name": f"list_{number}", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
    return {"tools": [tool], "nextCursor": "2"}


def answer(message: Mapping[str, Any]) -> None:
    ident, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method == "server/discover":
        discover(ident)
    elif method == "initialize":
        initialize(ident, params)
    elif method == "tools/list":
        if way == "silent-list":
            return
        error = {"code": -32000, "message": "no list\ntoday"}
        write({"id": ident, "error": error} if way == "error-list" else {"id": ident, "result": page(params)})
    elif method == "tools/call":
        call(ident, params)
    elif method is None and way == "asks":
        sys.stderr.write(f"heard {json.dumps(message)}\n")


def discover(ident: object) -> None:
    if way == "ends-on-discover":
        sys.exit(3)
    if way == "silent-on-discover":
        return
    if way == "modern":
        info = {"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "7"}}
        versions: dict[str, Any] = {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, "_meta": info}
        write({"id": ident, "result": {**versions, "resultType": "complete"}})
        return
    write({"id": ident, "error": {"code": -32601, "message": "Method not found"}})


def initialize(ident: object, params: Mapping[str, Any]) -> None:
    if way == "error-on-initialize":
        write({"id": ident, "error": {"code": -32602, "message": "bad key"}})
        return
    if way == "noisy":
        sys.stdout.write("Server listening\nready\n")
    capabilities: dict[str, Any] = {} if way == "no-tools" else {"tools": {}}
    info = {"name": "odd", "version": "7"}
    version = params["protocolVersion"]
    write({"id": ident, "result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}})
    if way == "asks":
        write({"id": "s1", "method": "roots/list"})
        write({"id": "s2", "method": "ping"})


def call(ident: object, params: Mapping[str, Any]) -> None:
    count = params["arguments"].get("count", 0)
    if count < 0:
        write({"id": ident, "result": {"content": [{"type": "text", "text": "no such\n  count"}], "isError": True}})
    elif params["name"] == "list_2":
        write({"id": ident, "error": {"code": -32000, "message": "not now"}})
    else:
        rows = [{"id": number, "title": "a title of some length"} for number in range(count)]
        write({"id": ident, "result": {"content": [{"type": "text", "text": json.dumps(rows)}]}})


if way == "prompts":
    prompt("Need to install the following packages:\nsome-server\nOk to proceed? (y) ", sys.stderr)
if way == "prompts-on-stdout":
    prompt("Enter your API key: ", sys.stdout)
if way == "needs-variable":
    sys.exit("Error: SOME_API_KEY environment variable is required")
if way == "never":
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    time.sleep(600)
if way == "dies":
    sys.stderr.write("Traceback (most recent call last):\nValueError: out of cheese\n")
    os._exit(7)
for line in sys.stdin:
    answer(json.loads(line))
