"""What is said when a statement fails: DuckDB's useful words, and never a row's."""

from __future__ import annotations

import json
from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asking import Asking, reason, text
from millpond.core.model import TableState
from millpond.core.steps import LABEL
from millpond.engine.failures import Asked, explain
from pond import canvas, structured

T = "people_k7q2xd_1"
SECRET = "Zanzibar"
"""Stands in every text of the rows and in no statement."""

RUNNING = [
    ("name::INT", "Could not convert string '…' to INT32 when casting from source column name"),
    ("name::DECIMAL(5, 2)", 'Could not convert string "…" to DECIMAL(5,2) when casting from source column name'),
    (
        "name::DATE",
        'invalid date field format: "…", expected format is (YYYY-MM-DD) when casting from source column name',
    ),
    ("name::TIMESTAMP", 'invalid timestamp field format: "…", expected format is (YYYY-MM-DD HH:MM'),
    ("name::INT[]", "Type VARCHAR with value '…' can't be cast to the destination type INTEGER[]"),
    ("name::STRUCT(a INT)", "can't be cast to the destination type STRUCT(a INTEGER)"),
    ("name::JSON", "Malformed JSON at byte 0 of input: unexpected character."),
    ("json_extract(name, '$.a')", "Malformed JSON at byte 0"),
    ("mixed::INT", "Failed to cast value to numerical: …"),
    ("strptime(name, '%Y')", 'Could not parse string "…" according to format specifier "%Y"'),
    ("date_trunc(name, now())", 'extract specifier "…" not recognized'),
    ("name ~ (name || '(')", "missing )"),
    ("from_base64(name || 'x')", 'Could not decode string "…" as base64'),
    ("unhex(name)", "Invalid input for hex digit: …"),
    ("big + 9223372036854775807", "Overflow in addition of INT64 (…)!"),
    (
        "big::INT",
        "Type INT64 with value … can't be cast because the value is out of range for the destination type INT32",
    ),
    ("price::DECIMAL(3, 2)", 'Casting value "…" to type DECIMAL(3,2) failed: value is out of range!'),
    ("big // 0", "Division by zero"),
    ("(SELECT name FROM range(2))", "More than one row returned by a subquery used as an expression"),
    ("map([name, name], [1, 2])", "Map keys must be unique."),
    ("list_reduce([] :: INT[], lambda x, y: x + y)", "Cannot perform list_reduce on an empty input list"),
    ("name::ENUM('a', 'b')", "A value made the statement fail (conversion error)."),
    ("printf(name || '%d %d', 1)", "A value made the statement fail (invalid input error)."),
]
JUDGING = [
    ("strptime('2020', name)", 'The "format" argument in function "strptime" must be a constant expression'),
    ("stat", 'Referenced column "stat" not found'),
    ("nme", "Columns of people_k7q2xd_1: name, mixed, big, price"),
    ("sum(name)", "No function matches the given name and argument types 'sum(VARCHAR)'"),
    ("name > 5", "Cannot compare values of type VARCHAR and type INTEGER_LITERAL"),
    ("1::FOO", "Type with name FOO does not exist!"),
    ("fn(name)", "Scalar Function with name fn does not exist!"),
    ("name[1:2:3]", "Slice with steps has not been implemented for string types"),
    ("(1, 2) = (1, 2, 3)", "Cannot cast STRUCTs of different size"),
    ("'abc'::INT", "Could not convert string 'abc' to INT32"),
    ("max(sum(big))", "aggregate function calls cannot be nested"),
]


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas() as pond:
        rows = [
            {"name": SECRET, "mixed": [SECRET], "big": 2**40, "price": 12.75},
            {"name": SECRET, "mixed": {"a": SECRET}},
        ]
        pond.take(structured(rows), "people", mode="always")
        yield Asking(pond)


@pytest.mark.parametrize(("expression", "said"), RUNNING)
def test_an_error_at_a_value_is_told_without_the_value(ask: Asking, expression: str, said: str) -> None:
    """QUERY-05 QUERY-10"""
    answer = ask(f"SELECT {expression} FROM {T}")
    assert reason(answer) == "execution_error", text(answer)
    assert said in text(answer)
    assert SECRET not in text(answer)
    assert LABEL in text(answer)


@pytest.mark.parametrize(("expression", "said"), JUDGING)
def test_a_mistake_in_the_statement_keeps_duckdbs_words(ask: Asking, expression: str, said: str) -> None:
    """QUERY-05 QUERY-10"""
    assert said in text(ask(f"SELECT {expression} FROM {T}"))


DATABASE = duckdb.connect()
QUOTING = [
    "'", "\"", "\n\nLINE 1: ", ": ", "' to INT32 when casting from source column ", "\" according to format specifier \"",
    "' can't be cast to the destination type A(", ")", "Error: ", "(", "\n", "\\", "$.", "[", "{", "%", "Binder Error: ",
    " when casting from source column ", "Malformed JSON at byte 0 of input: unexpected ",
]  # fmt: skip


@given(
    st.lists(st.sampled_from([*QUOTING, SECRET]), max_size=6).map("".join),
    st.sampled_from([expression for expression, _ in RUNNING]),
)
@example("' can't be cast to the destination type A(Zanzibar) when casting from source column ", "name::INT[]")
@example("x' to Zanzibar", "name::INT")
@example("\n\nLINE 1: Zanzibar", "name::DATE")
def test_whatever_a_row_says_its_words_are_in_no_error(cell: str, expression: str) -> None:
    """QUERY-04 QUERY-10"""
    statement = f"SELECT {expression} FROM (SELECT ? AS name, ?::JSON AS mixed, 1 AS big, 12.75 AS price)"
    assert SECRET not in said_of(statement, cell)


def said_of(statement: str, cell: str) -> str:
    """What is said of a statement that DuckDB fails, as it is said of one whose cells came from a table."""
    asked = Asked(sql=statement, names=(), tag="k7q2xd", state=lambda _: TableState.UNKNOWN)
    try:
        DATABASE.execute(statement, [cell, json.dumps([cell])]).fetchall()
    except duckdb.Error as error:
        return explain(str(error), asked, ran=True).message
    return ""
