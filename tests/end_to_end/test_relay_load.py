"""Many calls at once: each has its own answer, and none waits for another."""

import json
from collections.abc import Iterable

import pytest

from relay_client import MILLPOND, RAW_SERVER, RELAY, Client, text_of

CALLS = 200


def answers(client: Client, count: int) -> dict[object, bytes]:
    """The next answers, by their ids."""
    lines = [client.line() for _ in range(count)]
    return {json.loads(line)["id"]: line for line in lines}


def send_calls(client: Client, calls: Iterable[tuple[int, str, dict[str, object]]]) -> None:
    """Send calls of tools in one write."""
    messages = [
        {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        for ident, tool, arguments in calls
    ]
    client.send(b"".join(json.dumps(message).encode() + b"\n" for message in messages))


def test_200_calls_at_once_have_200_tables_and_each_its_own_rows() -> None:
    """RELAY-29"""
    with Client([*MILLPOND, *RAW_SERVER]).open() as client:
        send_calls(client, ((ident, "rows", {"count": 100 + ident}) for ident in range(1, CALLS + 1)))
        found = answers(client, CALLS)
        assert set(found) == set(range(1, CALLS + 1))
        names: set[str] = set()
        for ident, line in found.items():
            (table,) = json.loads(line)["result"]["_meta"]["millpond/handle"]["tables"]
            assert table["rows"] == 100 + int(str(ident))
            names.add(table["name"])
        assert len(names) == CALLS
        client.call("query", 1_000, sql="SELECT count(*), sum(len(tables)) FROM calls")
        assert f"{CALLS}|{CALLS}" in json.loads(client.line())["result"]["content"][0]["text"]
        assert client.close() == 0


@pytest.mark.parametrize("relay", [RELAY, MILLPOND], ids=["fake engine", "real engine"])
def test_a_call_that_is_held_open_holds_up_no_ping_no_query_and_no_other_call(relay: tuple[str, ...]) -> None:
    """RELAY-29"""
    with Client([*relay, *RAW_SERVER]).open() as client:
        client.call("hold", 1)
        client.request("ping", ident=2)
        client.call("query", 3, sql="SELECT 1 AS one")
        send_calls(client, ((ident, "small" if ident % 2 else "rows", {}) for ident in range(4, 9)))
        assert set(answers(client, 7)) == set(range(2, 9))
        client.call("release", 9)
        assert set(answers(client, 2)) == {1, 9}


def test_a_query_that_does_not_end_holds_up_no_other_and_no_call() -> None:
    """RELAY-29"""
    with Client([*RELAY, *RAW_SERVER]).open() as client:
        client.call("query", "q", sql="wait")
        client.stderr_until("query waits")
        client.request("ping", ident=2)
        client.call("query", 3, sql="other")
        send_calls(client, ((ident, "small", {}) for ident in range(4, 9)))
        found = answers(client, 7)
        assert set(found) == set(range(2, 9))
        assert text_of(found[3]) == "other"


def test_two_own_calls_with_one_id_are_both_answered() -> None:
    """RELAY-30"""
    with Client([*RELAY, *RAW_SERVER]).open() as client:
        send_calls(client, ((7, "query", {"sql": "one"}), (7, "query", {"sql": "two"})))
        lines = [client.line(), client.line()]
        assert {json.loads(line)["id"] for line in lines} == {7}
        assert {text_of(line) for line in lines} == {"one", "two"}
