"""Server: answers the call of a tool with the bytes of the file of that name, as they are.

    python server.py FOLDER

Rule: no SDK and no thought, so that what is measured is between it and the client. `FOLDER/NAME.json` is the raw `result` of the tool
NAME; `FOLDER/definitions/NAME.json`, where it is there, its definition. All are read before the first request. Standard library only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

INITIALIZE: dict[str, object] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "bench", "version": "1"},
}


def definition(folder: Path, name: str) -> object:
    """The definition of a tool; a short one where there is no file."""
    file = folder / "definitions" / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else {"name": name, "inputSchema": {"type": "object"}}


def main() -> None:
    """Serve until the input ends."""
    folder = Path(sys.argv[1])
    results = {file.stem: file.read_bytes() for file in sorted(folder.glob("*.json"))}
    others = {
        "initialize": json.dumps(INITIALIZE).encode(),
        "tools/list": json.dumps({"tools": [definition(folder, name) for name in results]}).encode(),
    }
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        called = message["method"] == "tools/call"
        body = results[message["params"]["name"]] if called else others.get(message["method"], b"{}")
        out.writelines((b'{"jsonrpc":"2.0","id":', json.dumps(message["id"]).encode(), b',"result":', body, b"}\n"))
        out.flush()


if __name__ == "__main__":
    main()
