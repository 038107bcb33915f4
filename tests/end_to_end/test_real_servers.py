"""Other people's servers behind the proxy: what a client sees is what it sees without it, but for the documented edits."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROXY = (sys.executable, "-m", "millpond", "--")


class Raw:
    """A raw client over a process's pipes; a request of the server is answered with an error."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.id = 0

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdout is not None
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "not offered"}})
            elif message.get("id") == self.id:
                return message["result"]
        raise ConnectionError(method)


@contextmanager
def opened(command: Sequence[str], folder: Path) -> Generator[Raw]:
    env = {key: value for key, value in os.environ.items() if key != "MILLPOND_CONFIG"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=folder
    ) as process:
        client = Raw(process)
        info = {"name": "test", "version": "1"}
        client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        client.send({"method": "notifications/initialized"})
        yield client
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)


def compare(command: Sequence[str], folder: Path, call: tuple[str, dict[str, Any]]) -> None:
    """The same definitions but for the edits, and the same small result."""
    with opened(command, folder) as direct, opened([*PROXY, *command], folder) as proxied:
        theirs: list[dict[str, Any]] = direct.request("tools/list", {})["tools"]
        seen: list[dict[str, Any]] = proxied.request("tools/list", {})["tools"]
        assert seen[-1]["name"] == ("millpond_query" if any(tool["name"] == "query" for tool in theirs) else "query")
        assert seen[:-1] == [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in theirs]
        params = {"name": call[0], "arguments": call[1]}
        assert proxied.request("tools/call", params) == direct.request("tools/call", params)


def rows_of(client: Raw, query: str, sql: str) -> list[list[str]]:
    answer = client.request("tools/call", {"name": query, "arguments": {"sql": sql, "format": "json"}})
    assert not answer.get("isError"), answer
    return [list(row.values()) for row in json.loads(answer["content"][0]["text"], parse_float=str, parse_int=str)]


@pytest.mark.npm
@pytest.mark.parametrize(
    ("package", "script", "call"),
    [
        ("server-everything", "dist/index.js", ("echo", {"message": "hello"})),
        ("server-memory", "dist/index.js", ("search_nodes", {"query": "nothing"})),
        ("server-filesystem", "dist/index.js", ("list_allowed_directories", dict[str, str]())),
    ],
)
def test_a_server_from_npm_is_what_it_is_without_the_proxy(
    npm_packages: Path, tmp_path: Path, package: str, script: str, call: tuple[str, dict[str, Any]]
) -> None:
    """TOOLS-01"""
    command = ["node", str(npm_packages / "@modelcontextprotocol" / package / script)]
    compare([*command, str(tmp_path)] if package == "server-filesystem" else command, tmp_path, call)


@pytest.mark.servers
@pytest.mark.parametrize(
    ("name", "arguments", "call"),
    [
        (
            "mcp-server-time",
            [],
            ("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}),
        ),
        ("mcp-server-git", [], ("git_status", {"repo_path": "."})),
        ("mcp-server-motherduck", ["--db-path", ":memory:", "--read-write"], None),
    ],
)
def test_a_server_from_pypi_is_what_it_is_without_the_proxy(
    python_server: Callable[[str], tuple[str, ...]],
    tmp_path: Path,
    name: str,
    arguments: list[str],
    call: tuple[str, dict[str, Any]] | None,
) -> None:
    """TOOLS-01"""
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    command = [*python_server(name), *arguments]
    with opened(command, tmp_path) as direct:
        tools = [tool["name"] for tool in direct.request("tools/list", {})["tools"]]
    compare(command, tmp_path, call or (tools[0], {}))


@pytest.mark.npm
@pytest.mark.parametrize(
    ("file", "column"), [("movies.json", "Worldwide Gross"), ("flights-200k.json", "distance"), ("budget.json", "2010")]
)
def test_real_data_is_counted_and_summed_as_plain_python_does(
    npm_packages: Path, tmp_path: Path, file: str, column: str
) -> None:
    """STORE-02 INFER-03"""
    data = (npm_packages / "vega-datasets" / "data" / file).read_bytes()
    (tmp_path / file).write_bytes(data)
    records = json.loads(data)
    values = [record[column] for record in records if record.get(column) is not None]
    command = ["node", str(npm_packages / "@modelcontextprotocol/server-filesystem/dist/index.js"), str(tmp_path)]
    with opened([*PROXY, *command], tmp_path) as client:
        client.request("tools/list", {})
        result = client.request("tools/call", {"name": "read_text_file", "arguments": {"path": str(tmp_path / file)}})
        (table, *_) = result["_meta"]["millpond/handle"]["tables"]
        assert table["rows"] == len(records)
        name = '"' + column + '"'
        if isinstance(values[0], str):
            assert rows_of(client, "query", f"SELECT count({name}), min({name}) FROM {table['name']}") == [
                [str(len(values)), min(values)]
            ]
            return
        (found,) = rows_of(
            client, "query", f"SELECT count({name}), sum({name}), quantile_disc({name}, 0.5) FROM {table['name']}"
        )
        assert found == [str(len(values)), str(sum(values)), str(statistics.median_low(values))]
