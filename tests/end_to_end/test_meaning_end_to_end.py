"""Notes and a server's own schema, from the configuration and `tools/list` to the handle and DESCRIBE, through the real proxy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from relay_client import Client

SERVER = """
import json, sys
SCHEMA = {"properties": {"items": {"items": {"properties": {"amount": {"description": "What was paid"}}}}}}
ROWS = {"items": [{"id": at, "amount": at * 100, "pad": "x" * 40} for at in range(200)]}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    results = {
        "tools/list": {"tools": [{"name": "list_orders", "inputSchema": {}, "outputSchema": SCHEMA}]},
        "tools/call": {"content": [], "structuredContent": ROWS},
    }
    opening = {"protocolVersion": "2025-11-25", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    result = {**results.get(message["method"], opening), "resultType": "complete"}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""
CONFIG = """
[servers.orders]
command = {command}
args = [{script}]
[tools.list_orders]
note = "exclude cancelled orders"
columns = {{ amount = "in cents", amuont = "misspelt" }}
[tools.list_ordrs]
mode = "always"
"""
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


@pytest.mark.parametrize(("opening", "meta"), [("initialize", {}), ("server/discover", META)])
def test_what_is_known_of_the_data_reaches_the_agent_in_both_eras(
    opening: str, meta: dict[str, Any], tmp_path: Path
) -> None:
    """MEANING-03, MEANING-04, MEANING-09, MEANING-10, MEANING-11"""
    script, config = tmp_path / "server.py", tmp_path / "orders.toml"
    script.write_text(SERVER)
    config.write_text(CONFIG.format(command=json.dumps(sys.executable), script=json.dumps(str(script))))
    with Client([sys.executable, "-m", "millpond", "--config", str(config)]) as client:

        def request(method: str, **params: Any) -> dict[str, Any]:
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
            client.send(json.dumps(message).encode() + b"\n")
            return json.loads(client.line())["result"]

        request(opening, protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})
        assert "outputSchema" not in request("tools/list")["tools"][0]
        handle = request("tools/call", name="list_orders", arguments={})["content"][0]["text"]
        assert "\nto know: exclude cancelled orders; amount: in cents\n" in handle
        assert "a note on amuont, and this result has no such column; did you mean amount?" in handle
        table = handle.split(" in ", 1)[1].split(" ", 1)[0]
        described = request("tools/call", name="query", arguments={"sql": f"DESCRIBE {table}", "format": "csv"})
        assert "in cents (the server says: What was paid)" in described["content"][0]["text"]
        assert f'Comment on {table}: "exclude cancelled orders"' in described["content"][1]["text"]
        client.stdin.close()
        said = client.stderr()
    assert any('[tools."list_ordrs"]: the server has no such tool; did you mean list_orders?' in line for line in said)
    assert any('[tools."list_orders".columns] amuont: a result has no such column' in line for line in said)
