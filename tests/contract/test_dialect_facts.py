"""What is written in place of other databases' functions and types is DuckDB's, and what it stands for is not."""

import duckdb
import pytest

from millpond.core.mending.dialects import FUNCTIONS, KNOWN_TYPES, SYNTAX, TYPES

KNOWN = {name for (name,) in duckdb.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()}
PARSED = {"unnest"}
"""Known to the parser and to no list."""


def test_every_function_that_is_written_is_known_and_none_that_it_stands_for() -> None:
    assert sorted(set(FUNCTIONS.values()) - KNOWN - set(SYNTAX) - PARSED) == []
    assert sorted(set(FUNCTIONS) & KNOWN) == []


@pytest.mark.parametrize("call", ["coalesce(NULL, 1)", "ifnull(NULL, 1)", "nullif(1, 2)"])
def test_functions_of_the_parser_work(call: str) -> None:
    assert duckdb.execute(f"SELECT {call}").fetchall() == [(1,)]
    assert call.partition("(")[0] in SYNTAX


@pytest.mark.parametrize("kind", sorted({*KNOWN_TYPES, *TYPES.values()}))
def test_every_type_that_is_written_is_known(kind: str) -> None:
    duckdb.execute(f"SELECT NULL::{kind}")


@pytest.mark.parametrize("kind", TYPES)
def test_no_type_that_it_stands_for_is_known(kind: str) -> None:
    with pytest.raises(duckdb.CatalogException):
        duckdb.execute(f"SELECT NULL::{kind}")
