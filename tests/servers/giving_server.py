"""A server whose one tool gives the `result` that its caller writes, byte for byte. Standard library only."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    params = message.get("params", {})
    if message["method"] == "initialize":
        result = json.dumps({"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}})
    elif message["method"] == "tools/list":
        result = json.dumps({"tools": [{"name": "give", "inputSchema": {"type": "object"}}]})
    else:
        result = params["arguments"]["raw"]
    sys.stdout.write(f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{result}}}\n')
    sys.stdout.flush()
