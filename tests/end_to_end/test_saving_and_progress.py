"""`save_as` and progress as a client of the proxy sees them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from http_talk import META, Front
from relay_client import MILLPOND, RAW_SERVER, RELAY, SERVERS, Client

GIVING = (sys.executable, str(SERVERS / "giving_server.py"))
ROWS: dict[str, Any] = {
    "content": [],
    "structuredContent": {"items": [{"id": at, "price": at / 4} for at in range(400)]},
}


def ask(client: Client, ident: int, **arguments: object) -> dict[str, Any]:
    client.call("query", ident, **arguments)
    return json.loads(client.line())["result"]


def test_an_answer_is_kept_and_asked_again_through_the_proxy() -> None:
    """QUERY-12 RELAY-14 STORE-15"""
    with Client([*MILLPOND, *GIVING]) as client:
        client.open()
        client.call("give", 1, raw=json.dumps(ROWS))
        table = json.loads(client.line())["result"]["_meta"]["millpond/handle"]["tables"][0]["name"]
        kept = ask(client, 2, sql=f"SELECT * FROM {table} WHERE price > 50", save_as="dear", max_rows=1)
        assert kept["_meta"]["millpond/result"]["saved_as"] == "dear"
        assert "Saved: 199 rows" in kept["content"][1]["text"]
        client.call("give", 3, raw=json.dumps(ROWS))
        client.line()
        joined = ask(client, 4, sql=f"SELECT count(*), sum(d.price) FROM dear d JOIN {table} USING (id)")
        assert joined["content"][0]["text"].endswith("199|14925.00")
        calls = ask(client, 5, sql="SELECT number, tool, tables[1] = 'dear' AS mine FROM calls ORDER BY number")
        assert calls["content"][0]["text"].split("\n")[2:] == ["1|give|false", "2|query|true", "3|give|false"]
        again = ask(client, 6, sql="SELECT 1", save_as="dear")
        assert again["_meta"]["millpond/error"] == {"reason": "name_taken"}


def test_a_long_query_tells_its_progress_until_it_is_cancelled() -> None:
    """TOOLS-08 TOOLS-13"""
    with Client([*RELAY, *RAW_SERVER]) as client:
        client.open()
        arguments = {"name": "query", "arguments": {"sql": "wait"}, "_meta": {"progressToken": "é"}}
        client.request("tools/call", arguments, 7)
        for seconds in (1, 2):
            assert json.loads(client.line()) == {
                "jsonrpc": "2.0",
                "method": "notifications/progress",
                "params": {"progressToken": "é", "progress": seconds},
            }
        client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n')
        client.stderr_until("query cancelled")
        client.call("query", 8, sql="hello")
        said = [json.loads(client.line())]
        while "id" not in said[-1]:
            said.append(json.loads(client.line()))
        assert said[-1]["id"] == 8
        assert all(line["params"]["progress"] > 2 for line in said[:-1])


ENDLESS = b'"name":"query","arguments":{"sql":"SELECT count(*) FROM range(100000000000) a, range(1000) b"}'


@pytest.mark.parametrize("is_modern", [True, False])
def test_progress_of_a_long_query_comes_in_the_stream_of_its_request(is_modern: bool, tmp_path: Path) -> None:
    """TOOLS-13, HTTPF-12"""
    config = tmp_path / "millpond.toml"
    config.write_text("[query]\ntimeout_seconds = 2.5\n")
    with Front("--config", str(config), env={"TOOLS": "1"}) as front:
        if is_modern:
            front.modern("tools/list").body()
            reply = front.modern("tools/call", b"," + ENDLESS + b',"_meta":' + META + b',"progressToken":"t"}')
        else:
            session = front.session()
            session.ask("tools/list").line()
            reply = session.ask("tools/call", b"{" + ENDLESS + b',"_meta":{"progressToken":"t"}}')
        *told, answer = map(json.loads, reply.events())
    assert answer["result"]["_meta"]["millpond/error"] == {"reason": "timeout"}
    assert ("resultType" in answer["result"]) is is_modern
    assert [line["params"] for line in told] == [{"progressToken": "t", "progress": at + 1} for at in range(len(told))]
    assert len(told) >= 1
