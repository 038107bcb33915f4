"""A server whose results break other tools: each tool is one fault, written as raw bytes. Standard library only."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

ROWS = b",".join([b'{"id":1,"title":"xxxxxxxxxxxxxxxxxxxxxxxx"}'] * 300)
DEEP = 100_000


def items(first: bytes) -> bytes:
    return b'{"content":[],"structuredContent":{"items":[' + first + b"," + ROWS + b"]}}"


FAULTS: dict[str, Callable[[], bytes]] = {
    "nan": lambda: items(b'{"id":NaN}'),
    "lone_surrogate": lambda: items(b'{"title":"\\ud800"}'),
    "long_integer": lambda: items(b'{"id":' + b"9" * 5_000 + b"}"),
    "deep": lambda: b'{"content":[],"structuredContent":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "invalid_utf8": lambda: items(b'{"title":"\xff\xfe"}'),
    "control_character": lambda: items(b'{"title":"a\tb"}'),
    "huge": lambda: b'{"content":[{"type":"text","text":"' + b"0123456789abcdef" * (300 << 16) + b'"}]}',
    "null": lambda: b"null",
    "no_result": lambda: b"null",
}


out = sys.stdout.buffer
for line in sys.stdin.buffer:
    message = json.loads(line)
    result = b'{"tools":[{"name":"nan","inputSchema":{"type":"object"}}]}'
    if message["method"] == "tools/call":
        result = FAULTS[message["params"]["name"]]()
    out.write(b'{"jsonrpc":"2.0","id":' + json.dumps(message["id"]).encode())
    out.write(b"}\n" if message.get("params", {}).get("name") == "no_result" else b',"result":' + result + b"}\n")
    out.flush()
