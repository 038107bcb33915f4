"""A server whose tool `list_issues` answers in pages, over stdio, in every revision. Standard library only.

Its argument `how` says what comes in the place of the second page: `hold` nothing, `ask` a question to the client and the
page when that is answered, `fail` an error, `die` the server's end. The tool `seen` tells what was cancelled.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import listings

ROWS = [f'{{"id":{at},"state":"{"open" if at % 3 else "closed"}","price":{at}.10}}' for at in range(1_812)]
ANY: dict[str, Any] = {"type": "object", "properties": {"cursor": {"type": "string"}}}
TOOLS = [
    {"name": "list_issues", "inputSchema": ANY, "annotations": {"readOnlyHint": True}},
    {"name": "seen", "inputSchema": ANY},
]
OPENING: dict[str, Any] = {"capabilities": {"tools": {}}, "serverInfo": {"name": "paging", "version": "1"}}
VERSIONS = ["2026-07-28"]
cancelled: list[object] = []
asked: dict[str, tuple[object, dict[str, Any]]] = {}


def write(message: str) -> None:
    sys.stdout.write(message + "\n")
    sys.stdout.flush()


def answer(ident: object, result: str) -> None:
    write(f'{{"jsonrpc":"2.0","id":{json.dumps(ident)},"result":{result}}}')


def page(arguments: dict[str, Any], meta: dict[str, Any]) -> str:
    result = listings.page("cursor", ROWS, arguments)
    is_modern = "io.modelcontextprotocol/protocolVersion" in meta
    return f'{{"resultType":"complete",{result[1:]}' if is_modern else result


def call(ident: object, params: dict[str, Any]) -> None:
    arguments = params.get("arguments", {})
    if params["name"] == "seen":
        answer(ident, listings.text(json.dumps(cancelled)))
        return
    how = arguments.get("how") if "cursor" in arguments else None
    match how:
        case "hold":
            return
        case "ask":
            asked["q"] = (ident, params)
            write('{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Go on?"}}')
        case "fail":
            answer(ident, '{"content":[{"type":"text","text":"rate limit"}],"isError":true}')
        case "die":
            os._exit(7)
        case _:
            answer(ident, page(arguments, params.get("_meta", {})))


def handle(message: dict[str, Any]) -> None:
    ident, params = message.get("id"), message.get("params", {})
    match message.get("method"):
        case "initialize":
            answer(ident, json.dumps({"protocolVersion": params["protocolVersion"], **OPENING}))
        case "server/discover":
            answer(ident, json.dumps({"resultType": "complete", "supportedVersions": VERSIONS, **OPENING}))
        case "tools/list":
            answer(ident, json.dumps({"tools": TOOLS}))
        case "tools/call":
            call(ident, params)
        case "notifications/cancelled":
            cancelled.append(params["requestId"])
        case None if ident in asked:
            number, held = asked.pop(str(ident))
            answer(number, page(held["arguments"], held.get("_meta", {})))
        case _:
            pass


for line in sys.stdin:
    handle(json.loads(line))
