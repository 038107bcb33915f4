"""Every case of `cases/` through the whole pipeline: the handle, the tables and the answers, replaced or not."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from decimal import Decimal, InvalidOperation
from typing import Any, cast

import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none
import pytest

from cases import forms, results, shapes, types
from cases.case import Answer, Table
from millpond.core.model import Verdict
from pond import Canvas, canvas, handle, printed_sql, read_rows
from relay_client import MILLPOND, SERVERS, Client

TOKENIZER = bpe_openai.get_encoding("o200k_base")
GIVING_SERVER = (sys.executable, str(SERVERS / "giving_server.py"))
CASES = {case.name: case for module in (forms, shapes, types, results) for case in module.CASES}


@pytest.fixture(scope="module")
def replacing() -> Generator[Canvas]:
    """A canvas that replaces every result that has data."""
    with canvas(inline_rows_bytes=0, inline_text_bytes=0) as pond:
        yield pond


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Generator[Client]:
    """A client of the real proxy, which replaces every result that has data."""
    config = tmp_path_factory.mktemp("config") / "millpond.toml"
    config.write_text("[results]\ninline_rows_bytes = 0\ninline_text_bytes = 0\n")
    with Client([*MILLPOND, *GIVING_SERVER], {"MILLPOND_CONFIG": str(config)}) as client:
        yield client.open()
        assert client.close() == 0


@pytest.fixture(scope="module")
def usual() -> Generator[Canvas]:
    """A canvas with the default sizes."""
    with canvas() as pond:
        yield pond


def test_no_two_cases_have_the_same_name_and_they_are_many() -> None:
    count = sum(len(module.CASES) for module in (forms, shapes, types, results))
    assert len(CASES) == count
    assert count >= 150


@pytest.mark.parametrize("name", CASES)
def test_a_handle_tells_the_tables_and_they_answer_exactly(replacing: Canvas, name: str) -> None:
    """STORE-02 SHAPE-02 FORMS-01 INFER-01 PAYLOAD-01"""
    case = CASES[name]
    body = replacing.take(case.result.encode(), tool="list_rows")
    if not case.tables:
        assert not body or handle(body)["tables"] == []
        return
    tables = handle(body)["tables"]
    assert [(one["path"], one["rows"], columns_of(one)) for one in tables] == [
        (one.path, one.rows, one.columns) for one in case.tables
    ]
    assert "structuredContent" not in body
    assert len(body["content"]) == 1 + case.kept
    text = body["content"][0]["text"]
    assert [phrase for phrase in case.says if phrase not in text] == [], text
    assert len(TOKENIZER.encode(text)) <= 300, text
    for sql in printed_sql(text):
        assert replacing.query(sql) != [], sql
    for expected, given in zip(case.tables, tables, strict=True):
        check(replacing.query, expected, given["name"])


@pytest.mark.parametrize("name", CASES)
def test_it_is_replaced_or_kept_by_its_size_and_can_be_asked_either_way(usual: Canvas, name: str) -> None:
    """PLAN-01 PLAN-02 STORE-03 STORE-04"""
    case = CASES[name]
    outcome = usual.store.take(usual.call("list_rows"), memoryview(case.result.encode()), "query")
    assert outcome.verdict is (Verdict.REPLACE if case.replaced else Verdict.KEEP)
    usual.store.flush()
    ((tables,),) = usual.sql("SELECT tables FROM calls WHERE number = ?", usual.number)
    parts = usual.sql("SELECT text FROM results WHERE call = ? ORDER BY part", usual.number)
    assert "".join(part for (part,) in parts) == case.result
    if case.replaced:
        assert len(tables) == len(case.tables)
    for expected, table in zip(case.tables, tables, strict=False):
        check(usual.query, expected, table)


@pytest.mark.parametrize("name", CASES)
def test_the_real_proxy_gives_the_same_tables_and_answers(proxy: Client, name: str) -> None:
    """PLAN-01 STORE-02 QUERY-01"""
    case = CASES[name]
    result = proxy.ask("tools/call", {"name": "give", "arguments": {"raw": case.result}})["result"]
    tables = result.get("_meta", {}).get("millpond/handle", {}).get("tables", [])
    assert [(one["path"], one["rows"], columns_of(one)) for one in tables] == [
        (one.path, one.rows, one.columns) for one in case.tables
    ]

    def ask(sql: str) -> list[list[Any]]:
        arguments = {"sql": sql, "format": "json"}
        answer = proxy.ask("tools/call", {"name": "query", "arguments": arguments})["result"]
        assert not answer.get("isError"), answer
        return read_rows(answer)

    for expected, table in zip(case.tables[:3], tables, strict=False):
        check(ask, expected, table["name"])


def test_an_error_goes_on_as_it_came(proxy: Client) -> None:
    """TOOLS-01"""
    result = proxy.ask("tools/call", {"name": "give", "arguments": {"raw": results.ERROR}})["result"]
    assert result == json.loads(results.ERROR)


def columns_of(table: dict[str, Any]) -> str:
    return " | ".join(f"{column['name']} {column['type']}" for column in table["columns"])


def check(ask: Callable[[str], list[list[Any]]], expected: Table, name: str) -> None:
    """Ask the table's questions as an agent does."""
    assert ask(f"SELECT count(*) FROM {name}") == [[str(expected.rows)]]
    for question, answer in expected.asks.items():
        sql = question if question.startswith("SELECT") else f"SELECT {question} FROM {{t}}"
        found = ask(sql.replace("{t}", name))
        wanted = rows_of(answer)
        assert len(found) == len(wanted), question
        for row, cells in zip(found, wanted, strict=True):
            assert len(row) == len(cells)
            assert all(map(same, row, cells)), (question, row, cells)


def rows_of(answer: Answer) -> list[tuple[object, ...]]:
    if isinstance(answer, list):
        return cast("list[tuple[object, ...]]", answer)
    return [cast("tuple[object, ...]", answer) if isinstance(answer, tuple) else (answer,)]


def same(found: object, wanted: object) -> bool:
    """The same value: numbers as numbers, and everything else as it is."""
    if isinstance(wanted, bool) or wanted is None or isinstance(wanted, str):
        return found == wanted
    try:
        return Decimal(str(found)) == Decimal(repr(wanted) if isinstance(wanted, float) else str(wanted))
    except InvalidOperation:
        return False
