"""Names and statements as they are printed."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from millpond.core.sql import QUOTED_WORDS, explained, last_offset, printed_name, with_offset, without_ends


@given(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=12)
    | st.sampled_from(sorted(QUOTED_WORDS))
)
@example("at")
@example('a"b')
@example("A")
@example("1a")
def test_a_printed_name_is_read_as_the_name(name: str) -> None:
    """SQL-01"""
    found = duckdb.execute(f"SELECT {printed_name(name)} FROM (SELECT 1 AS {printed_name(name)}) AS t")
    assert [column[0] for column in found.description or ()] == [name]


@pytest.mark.parametrize(
    ("name", "printed"), [("a_1", "a_1"), ("order", '"order"'), ("A", '"A"'), ("é", '"é"'), ("", '""')]
)
def test_only_names_that_need_them_stand_in_quotes(name: str, printed: str) -> None:
    """SQL-01"""
    assert printed_name(name) == printed


@pytest.mark.parametrize(
    ("sql", "words", "statement"),
    [
        ("EXPLAIN SELECT 1", "EXPLAIN", "SELECT 1"),
        ("explain analyze SELECT 1", "EXPLAIN ANALYZE", "SELECT 1"),
        ("EXPLAIN (FORMAT JSON) SELECT 1", "EXPLAIN (FORMAT JSON)", "SELECT 1"),
        ("EXPLAIN (ANALYZE, FORMAT html)SELECT 1", "EXPLAIN (ANALYZE, FORMAT html)", "SELECT 1"),
        ("Explain /* a\nb */ -- c\n FROM t", "EXPLAIN", "FROM t"),
        ("EXPLAIN (SELECT 1)", "EXPLAIN", "(SELECT 1)"),
        ("EXPLAIN -- no end", "EXPLAIN", ""),
    ],
)
def test_an_explain_is_taken_apart(sql: str, words: str, statement: str) -> None:
    """SQL-02"""
    parts = explained(sql)
    assert parts is not None
    assert tuple(parts) == (words, statement)


def test_words_that_look_like_options_without_end_are_looked_at_once() -> None:
    """SQL-02"""
    statement = "(" + "format " * 1000 + "!"
    assert explained(f"EXPLAIN {statement}") == ("EXPLAIN", statement)


@pytest.mark.parametrize("sql", ["SELECT 1", "explained", " EXPLAIN SELECT 1", ""])
def test_what_does_not_begin_with_the_word_is_no_explain(sql: str) -> None:
    """SQL-02"""
    assert explained(sql) is None


@pytest.mark.parametrize(
    ("sql", "words", "bare"),
    [
        ("/* é */ SELECT 1; -- x", [(0, True), (9, False), (16, False), (17, False), (19, True)], "SELECT 1"),
        ("SELECT ';' ;;", [(0, False), (7, False), (11, False), (12, False)], "SELECT ';'"),
        ("SELECT 1", [(0, False), (7, False)], "SELECT 1"),
        ("-- only", [(0, True)], ""),
        ("", [], ""),
    ],
)
def test_what_stands_around_a_statement_is_taken_away(sql: str, words: list[tuple[int, bool]], bare: str) -> None:
    """SQL-03"""
    assert without_ends(sql, words) == bare


@given(
    st.lists(st.sampled_from([" ", "\n", ";", "-- c\n", "/* é; */"]), max_size=4),
    st.sampled_from(["SELECT 'é;--' AS x", "FROM t /* ; */ LIMIT 1"]),
)
def test_ends_of_any_kind_leave_the_statement_as_it_is(ends: list[str], sql: str) -> None:
    """SQL-03"""
    text = sql + "".join(ends)
    words = [(offset, kind == duckdb.token_type.comment) for offset, kind in duckdb.tokenize(text)]
    assert without_ends(text, words) == sql


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("FROM t ORDER BY a OFFSET 20", 20),
        ("FROM t ORDER BY a limit 10\n offset 20 ", 20),
        ("FROM t OFFSET 20 LIMIT 10", 20),
        ("FROM (FROM t OFFSET 20)", 0),
        ("FROM t OFFSET 20 + 1", 0),
        ("SELECT a AS x_offset 20", 0),
        ("FROM t", 0),
    ],
)
def test_an_offset_is_the_statements_own_at_its_very_end(statement: str, rows: int) -> None:
    """SQL-04"""
    assert last_offset(statement) == rows


@pytest.mark.parametrize("space", [" ", "\n", "--", ";", "-- a\n"])
def test_an_offset_is_written_at_once_behind_a_statement_with_long_spaces(space: str) -> None:
    """QUERY-06"""
    statement = "SELECT 1" + space * 100 + " + 1"
    assert with_offset(statement, 7).startswith(("SELECT 1", "FROM (SELECT 1"))
    assert with_offset(statement, 7).endswith("OFFSET 7")
