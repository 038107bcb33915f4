"""What other people's servers answer, in the forms that they have: tables behind the proxy, and figures that are right."""

from __future__ import annotations

import csv
import sqlite3
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pond import read_rows
from relay_client import MILLPOND, Client

Servers = Callable[[str], tuple[str, ...]]


class Proxied:
    """A server behind the proxy."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def tables(self, tool: str, **arguments: Any) -> list[dict[str, Any]]:
        """The tables of a result that is replaced."""
        result = self.client.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert "structuredContent" not in result
        return result["_meta"]["millpond/handle"]["tables"]

    def row(self, sql: str) -> list[Any]:
        """The one row of an answer, numbers as text."""
        answer = self.client.ask("tools/call", {"name": "query", "arguments": {"sql": sql, "format": "json"}})["result"]
        assert not answer.get("isError"), answer
        (row,) = read_rows(answer)
        return row


@contextmanager
def proxied(command: Sequence[str]) -> Generator[Proxied]:
    with Client([*MILLPOND, *command]) as client:
        info = {"name": "test", "version": "1"}
        client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info})
        client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        client.ask("tools/list")
        yield Proxied(client)
        assert client.close() == 0


def columns_of(table: dict[str, Any]) -> str:
    return " | ".join(f"{column['name']} {column['type']}" for column in table["columns"])


@pytest.mark.servers
def test_sqlites_python_literals_are_tables(python_server: Servers, tmp_path: Path) -> None:
    """FORMS-13 FORMS-14 STORE-02"""
    file = tmp_path / "data.db"
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE t (a INTEGER, b REAL, c TEXT, d BLOB, e INTEGER)")
    cells = [(at, at / 8 if at % 3 else None, f'it\'s "{at}"\n', b"\x00\xff", 2**62 + at) for at in range(500)]
    database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", cells)
    database.commit()
    asked = "count(*), count(b), sum(a), sum(b), max(c), sum(length(c)), max(e)"
    (expected,) = database.execute(f"SELECT {asked} FROM t")
    database.close()
    with proxied([*python_server("mcp-server-sqlite"), "--db-path", str(file)]) as server:
        (table,) = server.tables("read_query", query="SELECT * FROM t")
        assert (table["path"], table["rows"]) == ("$", 500)
        assert columns_of(table) == "a BIGINT | b DECIMAL(5,3) | c VARCHAR | d VARCHAR | e BIGINT"
        found = server.row(f"SELECT {asked}, sum(e) FROM {table['name']}")
    assert [Decimal(cell) if cell[0].isdigit() else cell for cell in found] == [
        *(Decimal(str(cell)) if isinstance(cell, int | float) else cell for cell in expected),
        sum(2**62 + at for at in range(500)),
    ]


@pytest.mark.servers
def test_motherducks_columns_and_rows_are_a_table_with_its_nans(python_server: Servers, tmp_path: Path) -> None:
    """SHAPE-04 PAYLOAD-06 INFER-04"""
    asked = """
        SELECT range AS i, 'n' || range AS s, range / 8 AS d, CASE WHEN range % 2 = 0 THEN 'nan'::DOUBLE ELSE 0.5 END AS x,
        CASE WHEN range % 5 = 0 THEN range END AS z, [range, 2] AS l, {'a': range} AS st, range::DECIMAL(10, 2) AS dc,
        TIMESTAMP '2026-01-01' AS ts, 170141183460469231731687303715884105000 + range AS h FROM range(300)
    """
    with proxied([*python_server("mcp-server-motherduck"), "--db-path", ":memory:", "--read-write"]) as server:
        table, *_ = server.tables("execute_query", sql=asked)
        assert (table["path"], table["rows"]) == ("$.result", 300)
        columns = columns_of(table)
        assert columns.startswith("i BIGINT | s VARCHAR | d DECIMAL(5,3) | x DOUBLE | z BIGINT | l BIGINT[]")
        assert 'st STRUCT("a" BIGINT)' in columns
        found = server.row(
            "SELECT sum(i), max(s), sum(d), count(*) FILTER (isnan(x)), count(z), sum(z), sum(l[1]), sum(st.a), max(dc), min(ts),"
            f" max(h) FROM {table['name']}"
        )
    total = sum(range(300))
    assert [*map(Decimal, (found[0], *found[2:8]))] == [
        total,
        Decimal(total) / 8,
        150,
        60,
        sum(range(0, 300, 5)),
        total,
        total,
    ]
    assert (found[1], found[8], found[9], found[10]) == (
        "n99", "99.00", "2026-01-01 00:00:00", "170141183460469231731687303715884105299"
    )  # fmt: skip


@pytest.fixture
def files(npm_packages: Path, tmp_path: Path) -> Generator[tuple[Proxied, Path]]:
    script = npm_packages / "@modelcontextprotocol/server-filesystem/dist/index.js"
    with proxied(["node", str(script), str(tmp_path)]) as server:
        yield server, tmp_path


@pytest.mark.npm
def test_a_csv_file_that_is_read_is_a_table(files: tuple[Proxied, Path], npm_packages: Path) -> None:
    """PAYLOAD-02 PAYLOAD-03 FORMS-15"""
    server, folder = files
    text = (npm_packages / "vega-datasets/data/seattle-weather.csv").read_text()
    (folder / "weather.csv").write_text(text)
    rows = list(csv.DictReader(text.splitlines()))
    (table,) = server.tables("read_text_file", path=str(folder / "weather.csv"))
    assert (table["path"], table["rows"]) == ("$.content", len(rows))
    found = server.row(
        f"SELECT sum(precipitation), min(temp_min), count(DISTINCT weather), max(date) FROM {table['name']}"
    )
    assert [Decimal(found[0]), Decimal(found[1]), found[2], found[3]] == [
        sum(Decimal(row["precipitation"]) for row in rows),
        min(Decimal(row["temp_min"]) for row in rows),
        str(len({row["weather"] for row in rows})),
        max(row["date"] for row in rows),
    ]


@pytest.mark.npm
def test_a_log_file_that_is_read_is_its_lines(files: tuple[Proxied, Path]) -> None:
    """FORMS-20 PLAN-02"""
    server, folder = files
    levels = ["INFO", "WARN", "ERROR", "INFO", "INFO"]
    (folder / "x.log").write_text(
        "".join(f"2026-01-01T00:00:00Z {levels[at % 5]} took {at} ms, ok\n" for at in range(2_000))
    )
    (table,) = server.tables("read_text_file", path=str(folder / "x.log"))
    assert (table["rows"], columns_of(table)) == (2_000, "line BIGINT | text VARCHAR")
    assert server.row(
        "SELECT count(*) FILTER (contains(text, ' ERROR ')), sum(regexp_extract(text, 'took ([0-9]+)', 1)::BIGINT)"
        f" FROM {table['name']}"
    ) == ["400", str(sum(range(2_000)))]


@pytest.mark.npm
def test_a_tree_of_json_inside_a_string_is_a_table(files: tuple[Proxied, Path]) -> None:
    """SHAPE-07 PAYLOAD-02"""
    server, folder = files
    for at in range(150):
        (folder / f"folder{at % 10}").mkdir(exist_ok=True)
        (folder / f"folder{at % 10}" / f"file{at}.txt").write_text("x")
    (table,) = server.tables("directory_tree", path=str(folder))
    assert (table["path"], table["rows"]) == ("$.content", 10)
    assert server.row(f"SELECT sum(len(children)), count(*) FILTER (type = 'directory') FROM {table['name']}") == [
        "150",
        "10",
    ]


@pytest.mark.servers
def test_a_log_of_git_is_its_lines(python_server: Servers, tmp_path: Path) -> None:
    """FORMS-20 PLAN-02"""
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=tmp_path, check=True)
    change = "commit refs/heads/main\ncommitter t <t@localhost> {at} +0000\ndata 10\nchange {at:03d}\n"
    stream = "".join(change.format(at=at) for at in range(400))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=tmp_path, input=stream.encode(), check=True)
    with proxied(python_server("mcp-server-git")) as server:
        (table,) = server.tables("git_log", repo_path=str(tmp_path), max_count=400)
        assert columns_of(table) == "line BIGINT | text VARCHAR"
        assert server.row(
            "SELECT count(*) FILTER (text LIKE 'Commit: %'), count(DISTINCT regexp_extract(text, 'change [0-9]+'))"
            f" FILTER (text LIKE 'Message: %') FROM {table['name']}"
        ) == ["400", "400"]
