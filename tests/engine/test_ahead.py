"""Rows that are loaded while the rest is still being observed, against rows that are loaded when all were."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from millpond.core.columns import plan_columns
from millpond.core.rows import Layout, RowSet
from millpond.core.shape import shape
from millpond.engine.ahead import MAX_BEGINNINGS, load_rows, one_thread
from millpond.engine.database import Connection, Database, DatabaseError
from millpond.engine.load import load

CELLS = (
    "null", "true", "1", "-0", "9223372036854775808", "1.5", "99.99", "100.00", "1e2", "0.30000000000000004", '"a"', '"2026-01-01"',
    "[1]", '["a"]', '{"b":1}', '{"b":1.25}', '{"B":"x"}', '[{"c":null}]', "12345678901234567890.123",
)  # fmt: skip
ROWS = st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS), st.booleans()).map(
    lambda row: f'{{"a":{row[0]},"z":7' + (f',"late":{row[1]}}}' if row[2] else "}")
)
STRETCHES = st.lists(st.tuples(ROWS, st.integers(1, 1500)), min_size=1, max_size=7)
"""Rows of one kind in a row, so many of them: types change in the middle of the chunks and between them."""


@contextmanager
def connection() -> Generator[Connection]:
    with TemporaryDirectory() as directory:
        database = Database(Path(directory) / "canvas.duckdb", memory_bytes=1 << 30)
        yield database.cursor()
        database.close()


def row_set(text: str) -> RowSet:
    (found,) = shape(text.encode(), {}).row_sets
    return found


@settings(max_examples=30)
@given(STRETCHES)
@example([('{"a":1}', 1024), ('{"a":1.5}', 1024), ('{"a":"x"}', 1), ('{"a":[1]}', 1024), ('{"a":{"b":1}}', 3000)])
@example([('{"a":1,"a":2}', 2000), ('{"a":1}', 2000), ('{"a":1e2,"a":3}', 2000)])
@example([("[1,2]", 3000), ('[1.5,"x"]', 2000)])
@example([('"a"', 3000), ("1", 10)])
@example([("{}", 3000)])
def test_rows_loaded_ahead_are_those_loaded_when_all_types_are_known(stretches: list[tuple[str, int]]) -> None:
    """STORE-10"""
    rows = row_set("[" + ",".join(row for row, count in stretches for _ in range(count)) + "]")
    with connection() as canvas, one_thread() as thread:
        ahead = load_rows(thread, canvas, "ahead", rows)
        plan = plan_columns(rows)
        load(canvas, "at_the_end", plan)
        assert ahead.columns == plan.columns
        assert canvas.execute("DESCRIBE ahead").fetchall() == canvas.execute("DESCRIBE at_the_end").fetchall()
        pairs = "FROM ahead FULL JOIN at_the_end ON ahead.rowid = at_the_end.rowid"
        assert canvas.execute(f"SELECT count(*) {pairs}").fetchall() == [(len(rows.rows),)]
        assert canvas.execute(f"SELECT * {pairs} WHERE ahead IS DISTINCT FROM at_the_end").fetchall() == []


def test_types_that_go_on_widening_are_waited_for() -> None:
    """STORE-10"""
    digits = [f'{{"n":{"9" * width}.5}}' for width in range(1, 3 * MAX_BEGINNINGS)]
    rows = row_set("[" + ",".join(row for row in digits for _ in range(1500)) + "]")
    with connection() as canvas, one_thread() as thread:
        plan = load_rows(thread, canvas, "t", rows)
        (column,) = plan.columns
        assert column.type == f"DECIMAL({len(digits) + 1},1)"
        found = canvas.execute("SELECT n::VARCHAR, count(*) FROM t GROUP BY ALL ORDER BY min(rowid)").fetchall()
        assert found == [(f"{'9' * width}.5", 1500) for width in range(1, len(digits) + 1)]


@pytest.mark.parametrize("count", [1, 10_000])
def test_what_fails_ahead_is_raised_and_leaves_no_thread(count: int) -> None:
    rows = RowSet(path="$", layout=Layout.OBJECTS, rows=[msgspec.Raw(b'{"a":1}')] * count)
    before = threading.active_count()
    with connection() as canvas:
        canvas.execute("CREATE VIEW taken AS SELECT 1")
        with pytest.raises(DatabaseError, match="taken"), one_thread() as thread:
            load_rows(thread, canvas, "taken", rows)
        assert threading.active_count() == before
        with one_thread() as thread:
            load_rows(thread, canvas, "free", rows)
        assert canvas.execute("SELECT sum(a) FROM free").fetchall() == [(count,)]
