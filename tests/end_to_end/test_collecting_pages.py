"""A listing of 19 pages as a client of the proxy collects it."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from http_talk import META, Front
from relay_client import MILLPOND, SERVERS, Client

SERVER = str(SERVERS / "paging_server.py")
PAGING = '[tools.list_issues.all]\npage = "cursor"\nnext = "$.nextCursor"\nrows = "$.items"\nsize = { limit = 100 }\n'
ROWS = 1_812
SQL = "SELECT count(*), count(DISTINCT id), sum(price), count(*) FILTER (state = 'open') FROM {}"
ANSWER = f"{ROWS}|{ROWS}|{ROWS * (ROWS - 1) // 2 + ROWS // 10}.20|{ROWS * 2 // 3}"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "millpond.toml"
    path.write_text(PAGING)
    return path


@pytest.fixture
def client(config: Path) -> Generator[Client]:
    with Client([*MILLPOND[:-1], "--config", str(config), "--", sys.executable, SERVER]) as opened:
        opened.open()
        yield opened


def collect(client: Client, how: str, ident: int = 7) -> None:
    client.call("list_issues_all", ident, how=how)


def said(client: Client) -> str:
    """The text of the answer that comes next."""
    return json.loads(client.line())["result"]["content"][0]["text"]


def asked(client: Client, sql: str, ident: int = 9) -> str:
    client.call("query", ident, sql=sql)
    return said(client).split("\n")[2]


def test_19_pages_are_one_table_with_exact_answers(client: Client) -> None:
    """PAGING-02, PAGING-06, PAGING-07, PAGING-13, PAGING-16"""
    client.request("tools/call", {"name": "list_issues_all", "arguments": {}, "_meta": {"progressToken": 5}}, 7)
    told = [json.loads(client.line()) for _ in range(18)]
    assert [(line["params"]["progressToken"], line["params"]["progress"]) for line in told] == [
        (5, pages) for pages in range(1, 19)
    ]
    result = json.loads(client.line())["result"]
    first, *_, last = result["content"][0]["text"].split("\n")
    table = result["_meta"]["millpond/handle"]["tables"][0]["name"]
    assert first.startswith(f"1812 rows in {table} (from $.items;")
    assert last == "Complete: 19 pages, 1,812 rows."
    assert asked(client, SQL.format(table)) == ANSWER
    calls = "SELECT tool, count(*), sum(len(tables)), max(note) FROM calls GROUP BY ALL ORDER BY 2"
    assert asked(client, calls) == f"list_issues_all|1|2|{last}"
    pages = "SELECT count(*), count(DISTINCT call) FROM results JOIN calls ON call = number WHERE tool = 'list_issues'"
    assert asked(client, pages) == "19|19"


def test_what_ends_it_early_leaves_the_rows_and_says_where_to_go_on(client: Client) -> None:
    """PAGING-07, PAGING-09, PAGING-12, PAGING-19"""
    collect(client, "fail")
    text = said(client)
    assert text.split("\n")[-1] == (
        "Partial: 1 page, 100 rows; page 2 is an error of the tool. To go on, call list_issues_all with"
        ' {"how":"fail","cursor":"c100"}'
    )
    client.call("list_issues_all", 8, cursor="c100")
    assert said(client).split("\n")[-1] == "Complete from this page on: 18 pages, 1,712 rows."
    collect(client, "ask")
    question = json.loads(client.line())
    assert question == {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {"message": "Go on?"}}
    client.send(b'{"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}\n')
    assert (
        said(client)
        .split("\n")[-1]
        .startswith("Partial: 2 pages, 200 rows; the server asked for elicitation/create meanwhile. To go on,")
    )


def test_a_cancelled_call_cancels_its_page_and_its_rows_stay(client: Client) -> None:
    """PAGING-14, PAGING-17"""
    client.request(
        "tools/call", {"name": "list_issues_all", "arguments": {"how": "hold"}, "_meta": {"progressToken": 5}}, 7
    )
    assert json.loads(client.line())["params"]["message"] == "1 page, 100 rows"
    client.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n')
    (page,) = client.result("seen", 8)
    assert page.startswith("millpond-")
    tables = "SELECT tables[1] FROM calls WHERE tool = 'list_issues_all'"
    assert asked(client, f"SELECT count(*) FROM {asked(client, tables)}", 10) == "100"


def test_a_server_that_ends_leaves_what_came(client: Client) -> None:
    """PAGING-15"""
    collect(client, "die")
    last = said(client).split("\n")[-1]
    assert last.startswith("Partial: 1 page, 100 rows; the server ended with exit code 7")
    assert client.wait() == 1


def test_the_time_is_up_while_a_page_is_awaited(config: Path) -> None:
    """PAGING-08"""
    config.write_text(f"{PAGING}max_seconds = 1\n")
    with Client([*MILLPOND[:-1], "--config", str(config), "--", sys.executable, SERVER]) as client:
        client.open()
        collect(client, "hold")
        assert "; the limit max_seconds (1) is reached. To go on, call" in said(client)
        assert len(client.result("seen", 8)) == 1


NAMED = b'"name":"list_issues_all","arguments":{},"_meta":'


def check(last: dict[str, Any], *, is_modern: bool) -> None:
    result = last["result"]
    assert result["content"][0]["text"].endswith("\nComplete: 19 pages, 1,812 rows.")
    assert ("resultType" in result) is is_modern


def test_it_is_the_same_over_http_and_in_front_of_a_url(config: Path, tmp_path: Path) -> None:
    """PAGING-18"""
    plain = tmp_path / "plain.toml"
    plain.write_text('[tools.list_issues]\nmode = "never"\n')
    with (
        Front("--config", str(plain), server=[sys.executable, SERVER]) as behind,
        Front("--config", str(config), server=[behind.url]) as front,
    ):
        front.modern("tools/list").body()
        modern = front.modern("tools/call", b"," + NAMED + META + b',"progressToken":"t"}').events()
        session = front.session()
        session.ask("tools/list").json()
        legacy = session.ask("tools/call", b"{" + NAMED + b'{"progressToken":"t"}}').events()
    for events, is_modern in ((modern, True), (legacy, False)):
        *told, last = map(json.loads, events)
        check(last, is_modern=is_modern)
        assert [line["params"]["progress"] for line in told] == list(range(1, 19))
        assert {line["params"]["progressToken"] for line in told} == {"t"}
