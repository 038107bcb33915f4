"""The main job as a client sees it: a server behind the real proxy, large results as handles, exact answers."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "give", "inputSchema": {"type": "object"}}]}
    else:
        sys.stdout.write('{"jsonrpc":"2.0","id":%s,"result":%s}\\n' % (json.dumps(message["id"]), params["arguments"]["raw"]))
        sys.stdout.flush()
        continue
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
    sys.stdout.flush()
"""


class Client:
    """A raw client over the proxy's pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.id = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.id += 1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.id
        return answer["result"]

    def give(self, raw: str) -> dict[str, Any]:
        """A call whose result is this JSON text."""
        return self.request("tools/call", {"name": "give", "arguments": {"raw": raw}})

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows of an answer, numbers as text."""
        answer = self.request("tools/call", {"name": "query", "arguments": {"sql": sql, "format": "json"}})
        assert not answer.get("isError"), answer
        return json.loads(answer["content"][0]["text"], parse_int=str, parse_float=str)


@contextmanager
def proxied(folder: Path) -> Generator[Client]:
    script = folder / "server.py"
    script.write_text(SERVER)
    command = [sys.executable, "-m", "millpond", "--", sys.executable, str(script)]
    env = {key: value for key, value in os.environ.items() if key != "MILLPOND_CONFIG"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        client = Client(process)
        client.request(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        )
        client.request("tools/list", {})
        yield client
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Generator[Client]:
    with proxied(tmp_path_factory.mktemp("server")) as opened:
        yield opened


def structured(rows: str) -> str:
    return '{"content":[{"type":"text","text":"done"}],"structuredContent":{"rows":[' + rows + "]}}"


def text(payload: str) -> str:
    return json.dumps({"content": [{"type": "text", "text": payload}]})


def repeated(row: str, count: int) -> str:
    return ",".join([row] * count)


PAD = '"pad":"' + "x" * 40 + '"'
CASES = {
    "a key that comes late": (
        structured(repeated('{"a":1}', 20480) + ',{"a":1,"b":9}'),
        "count(*), count(b), max(b)",
        ["20481", "1", "9"],
    ),
    "a fraction that comes late": (
        structured(repeated('{"v":7}', 20480) + ',{"v":1.5}'),
        "max(v), min(v), sum(v)",
        ["7.0", "1.5", "143361.5"],
    ),
    "integers past 2^53": (
        structured(repeated('{"n":7795506888185572399,' + PAD + "}", 200)),
        "sum(n)",
        [str(200 * 7795506888185572399)],
    ),
    "integers past 2^128": (structured(repeated('{"n":%d}' % 10**40, 200)), "max(n)::VARCHAR", [str(10**40)]),  # noqa: UP031
    "money": (structured(repeated('{"p":0.10},{"p":0.20},{"p":19.99}', 200)), "sum(p)", ["4058.00"]),
    "a fraction beside a long integer": (
        structured(repeated('{"v":9007199254740993}', 150) + "," + repeated('{"v":1.5}', 150)),
        "max(v)",
        ["9007199254740993.0"],
    ),
    "keys that differ in case": (
        structured(repeated('{"x":1,"X":2,' + PAD + "}", 200)),
        'sum(x), sum("X_2")',
        ["200", "400"],
    ),
    "a key twice": (structured(repeated('{"a":1,"a":2,' + PAD + "}", 200)), "sum(a)", ["400"]),
    "exponents": (structured(repeated('{"a":1e-1,' + PAD + "}", 200)), "sum(a)", ["20.0"]),
    "NaN": (
        text('{"rows":[' + repeated('{"v":NaN,"w":1},{"v":2.5,"w":2}', 200) + "]}"),
        "sum(w), count(v)",
        ["600", "400"],
    ),
    "a number of 5,000 digits": (
        structured(repeated('{"v":1,' + PAD + "}", 200) + ',{"v":' + "7" * 5000 + "}"),
        "max(length(v))",
        ["5000"],
    ),
    "lone surrogates": (structured(repeated('{"s":"\\ud800",' + PAD + "}", 200)), "max(s)", ["\\ud800"]),
    "Python literals": (
        text(repr([{"a": at, "b": None, "c": "it's"} for at in range(200)])),
        "sum(a), count(b), min(c)",
        ["19900", "0", "it's"],
    ),
    "JSON Lines": (text("\n".join('{"n":%d,"s":"line"}' % at for at in range(400))), "sum(n)", ["79800"]),  # noqa: UP031
    "CSV": (
        text("id,name,zip\n" + "\n".join(f'{at},"Name, {at}",00{at:03d}' for at in range(300))),
        "count(*), min(zip)",
        ["300", "00000"],
    ),
    "one object in each block": (
        json.dumps(
            {"content": [{"type": "text", "text": json.dumps({"id": at, "pad": "q" * 60})} for at in range(100)]}
        ),
        "count(*), sum(id)",
        ["100", "4950"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_server_answers_is_asked_exactly(client: Client, name: str) -> None:
    """PLAN-01 STORE-02"""
    raw, wanted, expected = CASES[name]
    result = client.give(raw)
    assert "structuredContent" not in result
    table = result["_meta"]["millpond/handle"]["tables"][0]["name"]
    (row,) = client.query(f"SELECT {wanted} FROM {table}")
    assert list(row.values()) == expected


def test_a_small_result_keeps_its_bytes_and_can_be_asked_too(client: Client) -> None:
    """STORE-04 QUERY-07"""
    raw = '{"content":[{"type":"text","text":"[{\\"a\\":1.0},{\\"a\\":2.5}]"}],"vendor":1.0}'
    assert client.give(raw) == json.loads(raw)
    (call,) = client.query("SELECT tables[1] AS name FROM calls ORDER BY number DESC LIMIT 1")
    assert client.query(f"SELECT sum(a) AS s FROM {call['name']}") == [{"s": "3.5"}]
