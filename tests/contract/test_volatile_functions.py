"""What the gate rests on: which functions of the installed DuckDB do more than compute."""

import duckdb

from millpond.core.gate import REFUSED_FUNCTIONS
from millpond.core.sql import QUOTED_WORDS

VOLATILE_READS = {
    "gen_random_uuid",
    "random",
    "uuid",
    "uuidv4",
    "uuidv7",
    "current_query",
    "error",
    "stats",
    "vector_type",
}
"""VOLATILE, and harmless: chance, the statement itself, an error, and how a column is stored."""


def test_every_volatile_scalar_function_is_known() -> None:
    """GATE-06"""
    found = duckdb.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'scalar' AND stability = 'VOLATILE'"
    ).fetchall()
    assert {name for (name,) in found} - VOLATILE_READS - REFUSED_FUNCTIONS == set()


def test_the_words_that_are_quoted_in_print_are_duckdbs() -> None:
    """HANDLE-01"""
    found = duckdb.execute(
        "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
    ).fetchall()
    assert {word for (word,) in found} - QUOTED_WORDS == set()


def test_an_exponent_is_read_into_a_decimal_as_null() -> None:
    """INFER-03"""
    found = duckdb.execute("SELECT from_json('[1e-1]', '[\"DECIMAL(1,1)\"]')").fetchall()
    assert found == [([None],)]
