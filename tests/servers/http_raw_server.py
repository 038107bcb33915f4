"""A server of raw lines for the tests of the front: what it is asked and answers with is bytes that models change.

    python http_raw_server.py

Each method of its own is one way to behave; every other request is answered with `ODD` and with the line that came, as a
JSON string. It says that it has tools where the variable TOOLS is set; FIFO names a file that it holds open as long as
it lives. Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable

ODD = rb'{"one":1.0,"hundred":1e2,"money":12345678901234567.89,"none":NaN,"half":"\ud800","twice":1,"twice":2}'
CAPABILITIES = b'{"tools":{}}' if "TOOLS" in os.environ else b"{}"
INITIALIZED = (
    b'{"protocolVersion":"2025-11-25","capabilities":' + CAPABILITIES + b',"serverInfo":{"name":"raw","version":"1.0"}}'
)
DISCOVERED = (
    b'{"supportedVersions":["2026-07-28"],"capabilities":'
    + CAPABILITIES
    + b',"serverInfo":{"name":"raw","version":"1.0"},'
    b'"resultType":"complete","ttlMs":0,"cacheScope":"private"}'
)
TOOLS = (
    b'{"tools":[{"name":"rows","inputSchema":{"type":"object"}},{"name":"large","inputSchema":{"type":"object"}},{"name":"here","inputSchema":{"type":"object",'
    b'"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}'
)
out = sys.stdout.buffer
held: list[bytes] = []
lines: list[str] = []


def write(line: bytes) -> None:
    out.write(line + b"\n")
    out.flush()


def answer(ident: bytes, result: bytes) -> None:
    write(b'{"jsonrpc":"2.0","id":' + ident + b',"result":' + result + b"}")


def raw(line: bytes, name: str) -> bytes:
    """The raw text of the member of this name that comes first."""
    found = re.search(rb'"' + name.encode() + rb'"\s*:\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)', line)
    return found[1] if found else b"null"


def notify(method: str, params: bytes) -> None:
    write(b'{"jsonrpc":"2.0","method":"' + method.encode() + b'","params":' + params + b"}")


def progress(ident: bytes, line: bytes) -> None:
    for step in (b"1.0", b"2e0"):
        notify(
            "notifications/progress", b'{"progressToken":' + raw(line, "progressToken") + b',"progress":' + step + b"}"
        )
    answer(ident, b'{"steps":2}')


def log(ident: bytes, line: bytes) -> None:
    notify("notifications/message", b'{"level":"info","data":1.0}')
    answer(ident, b"{}")


def ask(ident: bytes, line: bytes) -> None:
    """Ask the client, and answer with its answer's line."""
    write(b'{"jsonrpc":"2.0","id":"server-1","method":"sampling/createMessage","params":' + ODD + b"}")
    held.append(ident)


def hold(ident: bytes, line: bytes) -> None:
    held.append(ident)


def release(ident: bytes, line: bytes) -> None:
    for waiting in held:
        answer(waiting, b'{"held":true}')
    held.clear()
    answer(ident, b'{"released":true}')


def listen(ident: bytes, line: bytes) -> None:
    meta = b'{"_meta":{"io.modelcontextprotocol/subscriptionId":' + ident + b"}}"
    notify("notifications/subscriptions/acknowledged", meta)
    notify("notifications/tools/list_changed", meta)


def announce(ident: bytes, line: bytes) -> None:
    notify("notifications/tools/list_changed", b'{"n":1.0}')
    answer(ident, b"{}")


def noise(ident: bytes, line: bytes) -> None:
    for junk in (b"not json", b"", b"\xff\xfe", b'{"jsonrpc":"2.0","id":"nobody","result":{}}'):
        write(junk)
    answer(ident, b'{ "after" :\r"noise" }')


def torrent(ident: bytes, line: bytes) -> None:
    """Far more than one connection takes at once."""
    for number in range(400):
        token = raw(line, "progressToken")
        notify(
            "notifications/progress",
            b'{"progressToken":%b,"progress":%d,"message":"%b"}' % (token, number, b"m" * 65_536),
        )
    answer(ident, b"{}")


def die(ident: bytes, line: bytes) -> None:
    sys.stderr.write("out of cheese\n")
    sys.stderr.flush()
    os._exit(7)


def grandchild(ident: bytes, line: bytes) -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", code], pass_fds=fifo)
    answer(ident, b"{}")


def seen(ident: bytes, line: bytes) -> None:
    answer(ident, json.dumps({"lines": lines}).encode())


def call(ident: bytes, line: bytes) -> None:
    if raw(line, "name") == b'"large"':
        answer(ident, b'{"content":[{"type":"image","mimeType":"image/png","data":"' + b"A" * 2_000_000 + b'"}]}')
        return
    rows = ",".join(f'{{"id":{number},"title":"{"x" * 30}","price":{number}.10}}' for number in range(500))
    if raw(line, "name") == b'"rows"':
        answer(ident, f'{{"content":[],"structuredContent":{{"items":[{rows}]}},"resultType":"complete"}}'.encode())
    else:
        echo(ident, line)


def echo(ident: bytes, line: bytes) -> None:
    answer(ident, b'{"odd":' + ODD + b',"line":' + json.dumps(line.decode()).encode() + b"}")


METHODS: dict[str, Callable[[bytes, bytes], None]] = {
    "initialize": lambda ident, line: answer(ident, INITIALIZED),
    "server/discover": lambda ident, line: answer(ident, DISCOVERED),
    "tools/list": lambda ident, line: answer(ident, TOOLS),
    "tools/call": call,
    "subscriptions/listen": listen,
    **{f"test/{each.__name__}": each for each in (progress, log, ask, hold, release, announce, noise, torrent)},
    **{f"test/{each.__name__}": each for each in (die, grandchild, seen)},
    "test/unknown": lambda ident, line: write(
        b'{"jsonrpc":"2.0","id":' + ident + b',"error":{"code":-32601,"message":"no such method","data":1.0}}'
    ),
}


def handle(line: bytes) -> None:
    lines.append(line.decode().rstrip("\n"))
    ident, method = raw(line, "id"), json.loads(raw(line, "method")) if b'"method"' in line else None
    if method is None:
        if held:
            answer(held.pop(), json.dumps({"line": line.decode()}).encode())
    elif ident != b"null":
        METHODS.get(method, echo)(ident, line)


fifo = (os.open(os.environ["FIFO"], os.O_WRONLY),) if "FIFO" in os.environ else ()
if "REFUSE" in os.environ:
    METHODS["initialize"] = METHODS["test/unknown"]
for received in sys.stdin.buffer:
    handle(received)
