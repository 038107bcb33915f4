"""A server that gives what it is told to. Standard library only.

`give`, `always` and `never` answer with the JSON text in `raw`, or with the protocol's error in `error`. `list_rows`
declares an `outputSchema`; `bulk` and `fail` answer with `mib` MiB of rows or of an error's text.
"""

from __future__ import annotations

import json
import sys
from typing import Any

ANY: dict[str, Any] = {"type": "object"}
ITEMS = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object", "required": ["id", "score"]}}},
    "required": ["items"],
}
SCHEMAS = {"list_rows": ITEMS, "bulk": ITEMS}
TOOLS = [
    {"name": name, "inputSchema": ANY, **({"outputSchema": SCHEMAS[name]} if name in SCHEMAS else {})}
    for name in ("give", "always", "never", "list_rows", "bulk", "fail")
]
OPENING: dict[str, Any] = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "giving", "version": "1"},
    "instructions": "Ask.",
}


def rows(count: int, pad: str = "") -> str:
    items = [{"id": number, "score": number / 4, **({"pad": pad} if pad else {})} for number in range(count)]
    text = json.dumps({"items": items})
    return json.dumps({"content": [{"type": "text", "text": text}], "structuredContent": {"items": items}})


def result(params: dict[str, Any]) -> str:
    """The raw result of a call."""
    arguments = params.get("arguments", {})
    match params["name"]:
        case "list_rows":
            return rows(int(arguments["count"]))
        case "bulk":
            return rows(arguments["mib"] << 9, "x" * 960)
        case "fail":
            text = "no luck " * (arguments["mib"] << 17)
            return json.dumps({"content": [{"type": "text", "text": text}], "isError": True})
        case _:
            return arguments["raw"]


def answer(message: dict[str, Any]) -> str:
    """The raw members of the answer that follow its id."""
    params = message.get("params", {})
    match message["method"]:
        case "initialize":
            return f'"result":{json.dumps({"protocolVersion": params["protocolVersion"], **OPENING})}'
        case "server/discover":
            return f'"result":{json.dumps({"resultType": "complete", "supportedVersions": ["2026-07-28"], **OPENING})}'
        case "tools/list":
            return f'"result":{json.dumps({"tools": TOOLS})}'
        case "tools/call" if "error" in params.get("arguments", {}):
            return f'"error":{params["arguments"]["error"]}'
        case "tools/call":
            return f'"result":{result(params)}'
        case _:
            return '"result":{}'


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        sys.stdout.write(f'{{"jsonrpc":"2.0","id":{json.dumps(request["id"])},{answer(request)}}}\n')
        sys.stdout.flush()
