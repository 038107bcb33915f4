"""A server of raw lines for the relay's tests: each tool is one way to behave. Standard library only.

The tool `hold` is answered when `release` is called.

    python raw_server.py

Its capabilities are those of the variable CAPABILITIES (`{"tools":{}}` by default). FIFO names a file that it, and
every process that it starts, holds open as long as it lives.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

out = sys.stdout.buffer
seen: list[str] = []
held: list[object] = []
IGNORE_TERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
TOOLS = (
    "small",
    "rows",
    "noise",
    "flood",
    "seen",
    "die",
    "close",
    "never",
    "environment",
    "stubborn",
    "torrent",
    "late",
    "hold",
    "release",
    "deaf",
)


def write(line: bytes) -> None:
    out.write(line + b"\n")
    out.flush()


def answer(ident: object, result: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}).encode())


def text(value: object) -> dict[str, object]:
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def rows(count: int) -> dict[str, object]:
    return {"content": [], "structuredContent": {"items": [{"id": n, "title": "x" * 30} for n in range(count)]}}


def notification(number: int, padding: int = 0) -> bytes:
    params = {"progressToken": 1, "progress": number, "message": "m" * padding}
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).encode()


def noise(arguments: dict[str, Any]) -> None:
    for line in (b"Server listening on stdio", b"", b"\xff\xfe\x00 bytes", b'{"half": ', b"\r"):
        write(line)
    for number in range(300):
        write(notification(number))


def torrent(arguments: dict[str, Any]) -> None:
    for number in range(arguments["count"]):
        write(notification(number, 1 << 16))


def flood(arguments: dict[str, Any]) -> None:
    for number in range(50_000):
        sys.stderr.write(f"line {number} {'e' * 90}\n")
    sys.stderr.flush()


def die(arguments: dict[str, Any]) -> None:
    sys.stderr.write("Traceback: out of cheese\n")
    sys.stderr.flush()
    os._exit(7)


def close(arguments: dict[str, Any]) -> None:
    os.close(1)


def deaf(arguments: dict[str, Any]) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


def release(arguments: dict[str, Any]) -> None:
    while held:
        answer(held.pop(0), text("hold"))


def stubborn(arguments: dict[str, Any]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", IGNORE_TERM], pass_fds=fifo)


BEFORE: dict[str, Callable[[dict[str, Any]], None]] = {
    "noise": noise,
    "torrent": torrent,
    "flood": flood,
    "die": die,
    "close": close,
    "stubborn": stubborn,
    "release": release,
    "deaf": deaf,
}


def call(ident: object, tool: str, arguments: dict[str, Any]) -> None:
    if tool == "hold":
        held.append(ident)
        return
    if tool in BEFORE:
        BEFORE[tool](arguments)
    if tool not in ("never", "close"):
        answer(ident, result(tool, arguments))


def result(tool: str, arguments: dict[str, Any]) -> object:
    if tool in ("rows", "late"):
        return rows(arguments.get("count", 200))
    if tool == "environment":
        return text([os.environ.get("ADDED"), os.environ.get("INHERITED"), os.getcwd(), os.getpgid(0) == os.getpid()])
    return text(seen if tool == "seen" else tool)


def handle(line: bytes) -> None:
    message = json.loads(line)
    seen.append(message.get("method", "answer"))
    ident, params = message.get("id"), message.get("params", {})
    match message.get("method"):
        case "initialize":
            capabilities = json.loads(os.environ.get("CAPABILITIES", '{"tools":{}}'))
            answer(ident, {"protocolVersion": params.get("protocolVersion"), "capabilities": capabilities})
        case "tools/list":
            answer(ident, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]})
        case "tools/call":
            call(ident, params["name"], params.get("arguments", {}))
        case "ping":
            answer(ident, {})
        case _:
            pass


fifo = (os.open(os.environ["FIFO"], os.O_WRONLY),) if "FIFO" in os.environ else ()
for received in sys.stdin.buffer:
    handle(received)
if "IGNORE_EOF" in os.environ:
    signal.pause()
