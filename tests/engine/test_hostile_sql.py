"""SQL drawn from a grammar, against the whole engine: `pytest tests/engine/test_hostile_sql.py --hostile-statements 100000`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest

from engine_link import Bench, bounded, on_loop, quick, real
from hostile_sql import CANARY, VARIABLE, Grammar, Traps
from millpond.core.errors import Reason

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths in SQL")

BATCH = 500
"""Statements to one engine, after which everything is looked at."""
AT_ONCE = 4
TRIES = 20
"""Of a plain question with a deadline of half a second, on a machine that may have more to do."""
REASONS = {str(reason) for reason in Reason}
CATALOG = """
SELECT database_name, schema_name, table_name, sql FROM duckdb_tables() UNION ALL
SELECT database_name, schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal UNION ALL
SELECT database_name, schema_name, function_name, macro_definition FROM duckdb_functions() WHERE NOT internal UNION ALL
SELECT database_name, schema_name, sequence_name, sql FROM duckdb_sequences() UNION ALL
SELECT database_name, schema_name, type_name, '' FROM duckdb_types() WHERE NOT internal UNION ALL
SELECT database_name, schema_name, index_name, sql FROM duckdb_indexes() UNION ALL
SELECT database_name, schema_name, '', '' FROM duckdb_schemas() WHERE NOT internal UNION ALL
SELECT database_name, '', '', '' FROM duckdb_databases() WHERE NOT internal UNION ALL
SELECT name, '', '', '' FROM duckdb_secrets()
ORDER BY ALL
"""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a batch."""
    statements = cast(int, metafunc.config.getoption("--hostile-statements"))
    metafunc.parametrize("seed", range(-(-statements // BATCH)))


def rows(key: str, count: int) -> bytes:
    """A result whose columns are those of the grammar."""
    items: list[dict[str, Any]] = [
        {"id": n, "state": "open", "title": key, "score": n / 4, "labels": ["a"], "user": {"login": "x"}}
        for n in range(count)
    ]
    return json.dumps({"content": [], "structuredContent": {"items": items}}).encode()


def contents(canvas: Path) -> Iterator[list[Any]]:
    """All that a closed canvas holds."""
    with duckdb.connect(canvas, read_only=True) as connection:
        yield connection.execute(CATALOG).fetchall()
        names = (
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY ALL"
        )
        for schema, table in connection.execute(names).fetchall():
            yield connection.execute(f'FROM "{schema}"."{table}" ORDER BY ALL').fetchall()


async def stored(folder: Path, seed: int, traps: Traps | None) -> list[list[Any]]:
    """What a canvas of two tables holds in the end, where it was asked hostile statements and where it was not."""
    folder.mkdir()
    async with real(folder, limits=quick(grace_seconds=0.3), timeout_seconds=0.5, memory_bytes=256 << 20) as it:
        for tool, count in (("issues", 120), ("items", 150)):
            await bounded(it.take(tool, rows(tool, count)))
        if traps is not None:
            await attack(it, Grammar(seed, traps.paths()))
        assert await free(it) == "count_star(),sum(id)\n120,7140"
        await it.link.close()
        return list(contents(it.directory / "canvas.duckdb"))


async def free(it: Bench) -> str:
    """The answer to a plain question, asked again where what came before is still being stopped."""
    asked = json.dumps({"sql": "SELECT count(*), sum(id) FROM issues_k7q2xd_1", "format": "csv"})
    answer = await it.ask(asked)
    for _ in range(TRIES):
        if not answer["isError"] or answer["_meta"]["millpond/error"]["reason"] not in ("timeout", "engine_restarted"):
            break
        answer = await it.ask(asked)
    return answer["content"][0]["text"]


async def attack(it: Bench, grammar: Grammar) -> None:
    """Ask it all, some at once; each has a whole answer, and none tells of what lies elsewhere."""
    waiting = grammar.statements(BATCH)

    async def ask_on() -> None:
        for sql in waiting:
            answer = await it.ask(json.dumps({"sql": sql, "format": "csv"}))
            assert CANARY not in json.dumps(answer), sql
            if answer["isError"]:
                assert answer["_meta"]["millpond/error"]["reason"] in REASONS, sql

    await asyncio.gather(*(ask_on() for _ in range(AT_ONCE)))


@on_loop
async def test_no_statement_writes_reads_elsewhere_or_holds_the_engine(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GATE-01, GATE-02, GATE-03, GATE-04, GATE-05, GATE-06, ENGINE-05, ENGINE-06"""
    monkeypatch.setenv(VARIABLE, CANARY)
    (tmp_path / "traps").mkdir()
    traps = Traps.lay(tmp_path / "traps")
    attacked = await stored(tmp_path / "attacked", seed, traps)
    assert traps.sprung() == {}
    assert attacked == await stored(tmp_path / "left_alone", seed, None)
