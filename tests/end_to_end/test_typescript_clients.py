"""Clients on the TypeScript SDKs: all that they see is what they see without the proxy, and large results are handles."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from relay_client import MILLPOND, SECONDS, SERVERS, Client

pytestmark = pytest.mark.npm
SCRIPT = str(Path(__file__).parents[1] / "clients" / "sdk_client.mjs")
GIVING = (sys.executable, str(SERVERS / "giving_server.py"))
ON_PYTHON_SDK = (sys.executable, str(SERVERS / "relay_sdk_server.py"))
CALLS: tuple[tuple[Any, ...], ...] = (
    ("getServerVersion",),
    ("ping",),
    ("callTool", {"name": "echo", "arguments": {"message": "é\u2028"}}),
    ("callTool", {"name": "get-sum", "arguments": {"a": 1.5, "b": 2}}),
    ("callTool", {"name": "get-structured-content", "arguments": {"location": "Chicago"}}),
    ("callTool", {"name": "get-tiny-image", "arguments": {}}),
    ("callTool", {"name": "get-annotated-message", "arguments": {"messageType": "error", "includeImage": True}}),
    ("callTool", {"name": "get-resource-links", "arguments": {"count": 2}}),
    ("callTool", {"name": "trigger-long-running-operation", "arguments": {"duration": 0.1, "steps": 3}}),
    ("callTool", {"name": "absent", "arguments": {}}),
    ("callTool", {"name": "echo", "arguments": {}}),
    ("listResources",),
    ("listResourceTemplates",),
    ("listPrompts",),
    ("getPrompt", {"name": "args-prompt", "arguments": {"city": "Oslo"}}),
    ("getPrompt", {"name": "absent"}),
    (
        "complete",
        {"ref": {"type": "ref/prompt", "name": "completable-prompt"}, "argument": {"name": "department", "value": "E"}},
    ),
    ("setLoggingLevel", "debug"),
)


class Typed:
    """A client of an SDK in a process of its own."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.capabilities = self._answer()

    def __call__(self, method: str, *given: object) -> dict[str, Any]:
        """Call a method of the client: `{"ok": ...}` or `{"error": ...}`."""
        self.client.send(json.dumps([method, *given]).encode() + b"\n")
        return self._answer()

    def tool(self, name: str, **arguments: object) -> dict[str, Any]:
        """The result of a call that the SDK takes."""
        return self("callTool", {"name": name, "arguments": arguments})["ok"]

    def _answer(self) -> dict[str, Any]:
        return json.loads(self.client.line())


def sdk_client(modules: Path, which: str, command: Sequence[str], **options: object) -> Client:
    """The process of a client that has started this server."""
    return Client(["node", SCRIPT, str(modules), which, json.dumps(options), *command])


def handle_of(result: dict[str, Any]) -> tuple[str, int]:
    """The table that a result became, and its rows."""
    assert "structuredContent" not in result
    (table,) = result["_meta"]["millpond/handle"]["tables"]
    return table["name"], table["rows"]


def test_the_sdk_sees_the_everything_server_as_it_is(npm_packages: Path) -> None:
    """RELAY-01, TOOLS-02, TOOLS-03"""
    everything = ["node", str(npm_packages / "@modelcontextprotocol/server-everything/dist/index.js")]
    with (
        sdk_client(npm_packages, "sdk", everything) as one,
        sdk_client(npm_packages, "sdk", [*MILLPOND, *everything]) as other,
    ):
        direct, proxied = Typed(one), Typed(other)
        assert proxied.capabilities == direct.capabilities
        theirs, seen = direct("listTools")["ok"]["tools"], proxied("listTools")["ok"]["tools"]
        assert seen[-1]["name"] == "query"
        assert seen[:-1] == [{key: of[key] for key in of if key != "outputSchema"} for of in theirs]
        for call in CALLS:
            assert proxied(*call) == direct(*call), call


def test_the_sdk_gets_handles_where_a_schema_is_declared_and_where_it_would_drop_the_line(npm_packages: Path) -> None:
    """RELAY-10, RELAY-11, TOOLS-03"""
    with sdk_client(npm_packages, "sdk", [*MILLPOND, *GIVING]) as process:
        client = Typed(process)
        client("listTools")
        assert len(client.tool("list_rows", count=3)["structuredContent"]["items"]) == 3
        name, rows = handle_of(client.tool("list_rows", count=500))
        assert rows == 500
        assert client.tool("query", sql=f"SELECT sum(score) AS s FROM {name}", format="json")["content"][0]["text"] == (
            '[{"s":31187.50}]'
        )
        assert handle_of(client.tool("bulk", mib=12)) == (
            name.replace("list_rows", "bulk").replace("_2", "_3"),
            12 << 9,
        )
        failed = client.tool("fail", mib=12)
        assert failed["isError"]
        assert failed["content"][0]["text"].startswith("This result has 12,")
        assert client("ping") == {"ok": {}}


def test_without_the_proxy_that_sdk_drops_a_line_of_12_mib(npm_packages: Path) -> None:
    """RELAY-11: the reason for `max_line_bytes`."""
    with sdk_client(npm_packages, "sdk", GIVING) as process:
        client = Typed(process)
        assert "error" in client("callTool", {"name": "fail", "arguments": {"mib": 12}})


@pytest.mark.parametrize("mode", ["legacy", {"pin": "2026-07-28"}], ids=["legacy", "modern"])
def test_the_newer_sdk_calls_lists_and_queries_in_both_eras(npm_packages: Path, mode: object) -> None:
    """RELAY-10, TOOLS-02, TOOLS-03, TOOLS-07"""
    command = [*MILLPOND, *ON_PYTHON_SDK]
    with sdk_client(npm_packages, "client", command, versionNegotiation={"mode": mode}) as process:
        client = Typed(process)
        assert [tool["name"] for tool in client("listTools")["ok"]["tools"]] == ["list_rows", "query"]
        assert len(client.tool("list_rows", count=2)["structuredContent"]["result"]) == 2
        name, rows = handle_of(client.tool("list_rows", count=2_000))
        assert rows == 2_000
        answer = client.tool("query", sql=f"SELECT sum(twice) AS s FROM {name}", format="json")
        assert answer["content"][0]["text"] == f'[{{"s":{2_000 * 1_999}}}]'


def inspect(modules: Path, command: Sequence[str], *words: str) -> dict[str, Any]:
    """What the inspector's command line prints."""
    cli = modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    done = subprocess.run(
        ["node", str(cli), "--cli", *words, "--", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_inspector_lists_strictly_calls_and_queries(npm_packages: Path) -> None:
    """TOOLS-02, TOOLS-06"""
    command = [*MILLPOND, *GIVING]
    listed = inspect(npm_packages, command, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]][-2:] == ["fail", "query"]
    call = ("--method", "tools/call", "--tool-name")
    found = inspect(npm_packages, command, *call, "list_rows", "--tool-arg", "count=3")
    assert len(found["structuredContent"]["items"]) == 3
    asked = inspect(npm_packages, command, *call, "query", "--tool-arg", "sql=SELECT 6 * 7 AS answer")
    assert "42" in asked["content"][0]["text"]
