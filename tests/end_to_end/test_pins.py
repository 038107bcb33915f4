"""What a client receives in a fixed matrix of calls, against the files of `pins/`: a visible change is a reviewed one.

    pytest tests/end_to_end/test_pins.py --write-pins

writes the files anew. Tags, ids and times are replaced by words of their own. A result that goes on byte for byte is
told as such; of any other the whole line stands there, and under it each text block as an agent reads it.
"""

import json
import re
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from relay_client import SERVERS, Client

PINS = Path(__file__).parent / "pins"
GIVING = (sys.executable, str(SERVERS / "giving_server.py"))
CONFIG = '[tools."always"]\nmode = "always"\n\n[tools."never"]\nmode = "never"\n'
MODERN: dict[str, Any] = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
REPLACED = (
    (re.compile(rb"_[b-z]{3}[2-9]{3}_(?=\d)"), b"_TAG_"),
    (re.compile(rb'(?<="canvas":")[0-9a-f]{20}(?=")'), b"CANVAS"),
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), b"TIME"),
)


@dataclass(frozen=True, slots=True)
class Pin:
    """One request; `given` is the raw result that the server answers with, where it is told to."""

    method: str
    params: dict[str, Any]
    given: str | None = None


def give(result: object, tool: str = "give", **more: Any) -> Pin:
    """A call that the server answers with this result: JSON text, or a value that is written so."""
    raw = result if isinstance(result, str) else json.dumps(result)
    return Pin("tools/call", {"name": tool, "arguments": {"raw": raw}, **more}, raw)


def query(sql: str, more: dict[str, Any] | None = None, **arguments: object) -> Pin:
    """A call of the own tool; `{table}` is the table of the pin `large rows`."""
    return Pin("tools/call", {"name": "query", "arguments": {"sql": sql, **arguments}, **(more or {})})


def text(*blocks: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": block} for block in blocks]}


def issues(count: int) -> list[dict[str, Any]]:
    """Rows with most kinds of value."""
    return [
        {
            "id": number,
            "title": f"Issue {number}",
            "state": ("open", "closed")[number % 2],
            "score": number / 4,
            "created_at": f"2026-01-{number % 28 + 1:02}T00:00:00Z",
            "labels": [{"name": "bug", "color": "f00"}][: number % 2],
            "user": {"login": f"user{number % 7}", "id": number % 7},
        }
        for number in range(count)
    ]


def both(items: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    """A result with the same data in both channels."""
    return {**text(json.dumps({"items": items})), "structuredContent": {"items": items}, **more}


IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///a", "name": "a"}
NESTED = "[" * 2_000 + "]" * 2_000
CSV = "id,name,zip\n" + "\n".join(f'{at},"Name, {at}",00{at:03}' for at in range(300))
MATRIX = {
    "initialize": Pin("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}),
    "server-discover": Pin("server/discover", MODERN),
    "tools-list": Pin("tools/list", {}),
    "large-rows": give(both(issues(60), _meta={"vendor": 1.5})),
    "small-rows": give(both(issues(2))),
    "small-prose": give(text("All is well.")),
    "large-rows-in-a-text": give(text(json.dumps(issues(60)))),
    "large-rows-and-another-text": give({**both(issues(60)), **text("60 issues, newest first")}),
    "large-rows-and-an-image-and-a-link": give({"content": [IMAGE, *text(json.dumps(issues(60)))["content"], LINK]}),
    "large-rows-of-csv": give(text(CSV)),
    "large-rows-wrapped-twice": give(
        {"content": [], "structuredContent": {"result": json.dumps({"data": issues(60)})}}
    ),
    "two-lists-and-what-stands-beside": give(
        {"content": [], "structuredContent": {"total": 90, "next": "c", "none": [], "a": issues(30), "b": issues(60)}}
    ),
    "large-rows-of-mixed-kinds": give(
        '{"content":[],"structuredContent":{"items":['
        + ",".join(['{"v":1,"n":NaN,"big":123456789012345678901234567890,"a":1,"A":2},{"v":"x","n":2.5}'] * 60)
        + "]}}"
    ),
    "large-scalars": give({"content": [], "structuredContent": {"names": [f"name {at}" for at in range(600)]}}),
    "prose-of-30000-characters": give(text("Nothing in here is a table. " * 1_070)),
    "prose-of-40000-characters": give(text("Nothing in here is a table. " * 1_430)),
    "one-large-record": give({"content": [], "structuredContent": {f"key{at}": "v" * 100 for at in range(400)}}),
    "nested-too-deep": give('{"content":[],"structuredContent":{"items":[' + ",".join([NESTED] * 10) + "]}}"),
    "an-empty-list": give(both([])),
    "a-large-error": give({**both(issues(60)), "isError": True}),
    "an-error-of-the-protocol": Pin(
        "tools/call", {"name": "give", "arguments": {"error": '{"code":-32602,"message":"no"}'}}
    ),
    "mode-always-and-small-rows": give(both(issues(2)), "always"),
    "mode-always-and-prose": give(text("All is well."), "always"),
    "mode-never-and-large-rows": give(both(issues(60)), "never"),
    "modern-large-rows": give({"resultType": "complete", **both(issues(60))}, **MODERN),
    "modern-small-rows": give({"resultType": "complete", **both(issues(2))}, **MODERN),
    "modern-input-required": give({"resultType": "input_required", "inputRequests": {}, "requestState": "s"}, **MODERN),
    "query": query("SELECT state, count(*) AS n, sum(score) AS s FROM {table} GROUP BY ALL ORDER BY ALL"),
    "query-as-csv": query("SELECT id, title, labels FROM {table} LIMIT 3", format="csv"),
    "query-as-json": query("SELECT id, score, user, created_at FROM {table} LIMIT 2", format="json"),
    "query-in-the-modern-era": query("SELECT max(id) AS id FROM {table}", MODERN),
    "query-that-is-cut": query("FROM {table} SELECT id, title", max_rows=2, exact_total=True),
    "query-without-rows": query("SELECT id FROM {table} WHERE id < 0"),
    "query-of-a-small-result": query("SELECT tables FROM calls WHERE tool = 'always' ORDER BY number LIMIT 1"),
    "query-of-calls": query("SELECT number, tool, time, bytes, note FROM calls ORDER BY number", max_rows=5),
    "query-describe": query("DESCRIBE {table}"),
    "query-summarize": query("SUMMARIZE {table}"),
    "query-summarize-a-column": query("SUMMARIZE {table}.score"),
    "query-whose-answer-is-kept": query(
        "FROM {table} SELECT state, count(*) GROUP BY ALL ORDER BY ALL", save_as="states"
    ),
    "query-of-a-kept-answer": query("FROM states"),
    "query-with-a-name-that-is-taken": query("SELECT 1", save_as="states"),
    "query-with-a-name-that-is-none": query("SELECT 1", save_as="my table"),
    "query-of-an-unknown-table": query("SELECT * FROM issues"),
    "query-of-a-stale-table": query("SELECT * FROM give_aaaaaa_9"),
    "query-of-an-unknown-column": query("SELECT labl FROM {table}"),
    "query-that-is-no-sql": query("SELEC 1"),
    "query-that-writes": query("DELETE FROM {table}"),
    "query-of-another-canvas": query("FROM calls", canvas="0" * 20),
    "query-of-no-canvas": query("FROM calls", canvas="mine"),
    "query-of-two-statements": query("SELECT 1; SELECT 2"),
    "query-of-a-file": query("SELECT * FROM read_csv('/etc/passwd')"),
    "query-with-a-wrong-argument": query("SELECT 1", max_rows=0),
    "query-in-the-modern-era-that-fails": query("SELECT * FROM issues", MODERN),
}


@dataclass(slots=True)
class Session:
    """The one session of all pins, in the matrix's order."""

    client: Client
    table: str = "none"
    asked: int = 0

    def received(self, pin: Pin) -> bytes:
        """The line that answers a pin."""
        self.asked += 1
        params = json.loads(json.dumps(pin.params).replace("{table}", self.table))
        self.client.request(pin.method, params, self.asked)
        return self.client.line()


def shown(name: str, pin: Pin, line: bytes) -> str:
    """What the file of a pin holds."""
    kept = pin.given is not None and line == _line(line, pin.given.encode())
    size = len((pin.given or "").encode())
    sent = json.dumps({**pin.params, "arguments": {}} if pin.given else pin.params)
    told = [f"> {pin.method} {sent}" + (f" answered with a result of {size:,} bytes" if pin.given else "")]
    for pattern, word in REPLACED:
        line = pattern.sub(word, line)
    told.append(
        "= the result as it came"
        if kept
        else "< " + re.sub(r'"id":\s?\d+', '"id":0', line.decode().rstrip("\n"), count=1)
    )
    result: dict[str, Any] = json.loads(line).get("result", {})
    blocks: list[dict[str, Any]] = [] if kept else result.get("content", [])
    for block in blocks:
        told.append(f"--- {block['type']}\n{block.get('text', '')}")
    return "\n".join(told) + "\n"


def _line(line: bytes, result: bytes) -> bytes:
    """The server's line for this result, under the id of the answer."""
    return b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (json.loads(line)["id"], result)


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> Generator[Callable[[str], bytes]]:
    """A function from a pin's name to the line that answers it: one session, asked once for all."""
    config = tmp_path_factory.mktemp("pins") / "millpond.toml"
    config.write_text(CONFIG)
    with Client([sys.executable, "-m", "millpond", "--config", str(config), "--", *GIVING]) as client:
        session = Session(client)
        lines: dict[str, bytes] = {}
        for name, pin in MATRIX.items():
            lines[name] = session.received(pin)
            if name == "large-rows":
                session.table = json.loads(lines[name])["result"]["_meta"]["millpond/handle"]["tables"][0]["name"]
        yield lines.__getitem__


@pytest.mark.parametrize("name", MATRIX)
def test_a_client_receives_what_is_pinned(
    name: str, received: Callable[[str], bytes], pytestconfig: pytest.Config
) -> None:
    """RELAY-10, TOOLS-06"""
    pinned = PINS / f"{name}.txt"
    now = shown(name, MATRIX[name], received(name))
    if pytestconfig.getoption("--write-pins"):
        pinned.write_text(now)
    assert now == pinned.read_text(), "if the change is wanted: pytest tests/end_to_end/test_pins.py --write-pins"


def test_every_pinned_file_has_its_pin() -> None:
    assert {file.stem for file in PINS.iterdir()} == set(MATRIX)
