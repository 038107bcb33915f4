"""What the gate rests on: which functions of the installed DuckDB do more than compute."""

import re

import duckdb
import pytest

from millpond.core.gate import REFUSED_FUNCTIONS, TABLE_FUNCTIONS
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


HARMLESS_MACROS = {"json_group_object"}
"""Over `error`, with a text of DuckDB's own."""


def test_every_volatile_scalar_function_is_known() -> None:
    """GATE-06"""
    found = duckdb.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'scalar' AND stability = 'VOLATILE'"
    ).fetchall()
    assert {name for (name,) in found} - VOLATILE_READS - REFUSED_FUNCTIONS == set()


def test_every_macro_over_a_refused_function_is_refused() -> None:
    """GATE-06"""
    macros = dict(
        duckdb.execute(
            "SELECT function_name, string_agg(macro_definition, ' ') FROM duckdb_functions() WHERE function_type = 'macro' GROUP BY 1"
        ).fetchall()
    )
    assert len(macros) > 50
    reached = set(REFUSED_FUNCTIONS)
    while more := {name for name, body in macros.items() if name not in reached and _calls(body) & reached}:
        reached |= more
    assert reached - REFUSED_FUNCTIONS == HARMLESS_MACROS


def _calls(body: str) -> set[str]:
    return set(re.findall(r'\b(\w+)"?\s*\(', body.lower()))


def test_no_macro_of_the_installed_version_is_a_table_function_that_is_offered() -> None:
    """GATE-05"""
    found = duckdb.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table_macro'"
    ).fetchall()
    assert {name for (name,) in found} & TABLE_FUNCTIONS == set()


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


def test_a_statement_that_the_package_has_no_name_for_raises_where_its_type_is_asked() -> None:
    with duckdb.connect() as connection:
        (statement,) = connection.extract_statements("UPDATE EXTENSIONS (json)")
        with pytest.raises(ValueError, match="StatementType"):
            _ = statement.type
