"""A server whose one tool answers with as many rows as it is asked for, each told by its number. Standard library only.

    python counting_server.py

FIFO names a file that it holds open as long as it lives.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def result(count: int, key: int) -> bytes:
    """The `result` value with `count` rows of the call `key`: some 70 bytes a row."""
    rows = b",".join(b'{"n":%d,"key":%d,"amount":%d.25,"pad":"%s"}' % (n, key, n, b"x" * 30) for n in range(count))
    return b'{"content":[{"type":"text","text":"done"}],"structuredContent":{"items":[' + rows + b"]}}"


def line(ident: object, body: bytes) -> bytes:
    """The answer's line."""
    return b'{"jsonrpc":"2.0","id":' + json.dumps(ident).encode() + b',"result":' + body + b"}\n"


def answer(message: dict[str, Any]) -> bytes:
    """The answer to a request."""
    if message["method"] == "initialize":
        body = b'{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
    elif message["method"] == "tools/list":
        body = b'{"tools":[{"name":"rows","inputSchema":{"type":"object"}}]}'
    elif message["method"] == "tools/call":
        body = result(**message["params"]["arguments"])
    else:
        body = b"{}"
    return line(message["id"], body)


def main() -> None:
    """Answer each request in turn, until the input ends."""
    held = os.open(os.environ["FIFO"], os.O_WRONLY) if "FIFO" in os.environ else None
    for received in sys.stdin.buffer:
        message = json.loads(received)
        if "id" in message:
            sys.stdout.buffer.write(answer(message))
            sys.stdout.buffer.flush()
    if held is not None:
        os.close(held)


if __name__ == "__main__":
    main()
