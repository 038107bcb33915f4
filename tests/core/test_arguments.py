"""The own tool's arguments, mended where the meaning is plain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.arguments import MAX_SQL_BYTES, Arguments, read_arguments
from millpond.core.errors import Reason, Refusal


def read(**given: Any) -> Arguments | Refusal:
    return read_arguments(json.dumps(given).encode(), "query")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"sql": "SELECT 1"}, Arguments(sql="SELECT 1")),
        ({"query": "SELECT 1"}, Arguments(sql="SELECT 1")),
        ({"STATEMENT": "SELECT 1", "Limit": 3}, Arguments(sql="SELECT 1", max_rows=3)),
        ({"q": "SELECT 1", "rows": " 7 "}, Arguments(sql="SELECT 1", max_rows=7)),
        ({"sql": "SELECT 1", "max_rows": 10.0, "format": " MD "}, Arguments(sql="SELECT 1", max_rows=10)),
        ({"sql": "SELECT 1", "format": "CSV", "exact_total": "True"}, Arguments(sql="SELECT 1", format="csv", exact_total=True)),
        ({"sql": "SELECT 1", "exact_total": False, "canvas": "c", "save_as": "t"}, Arguments(sql="SELECT 1", canvas="c", save_as="t")),
        ({"sql": "SELECT 1", "save_as": " t "}, Arguments(sql="SELECT 1", save_as="t")),
        ({"sql": "SELECT 1", "save_as": ""}, Arguments(sql="SELECT 1")),
        ({"sql": "SELECT 1", "max_rows": None, "format": None, "exact_total": None}, Arguments(sql="SELECT 1")),
    ],
)  # fmt: skip
def test_what_is_plainly_meant_is_taken(given: dict[str, Any], expected: Arguments) -> None:
    """QUERY-06"""
    assert read(**given) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "`sql` must be a text"),
        ({"sql": "  "}, "`sql` must be a text"),
        ({"sql": 5}, "`sql` must be a text"),
        ({"sql": None}, "`sql` must be a text"),
        ({"sql": "x" * (MAX_SQL_BYTES + 1)}, "longer than"),
        ({"sql": "SELECT '\0'"}, "NUL"),
        ({"sql": "SELECT '\ud800'"}, "not JSON"),
        ({"sql": "SELECT 1", "max_rows": 0}, "`max_rows` must be a whole number from 1 on; 0 came"),
        ({"sql": "SELECT 1", "max_rows": 1.5}, "1.5 came"),
        ({"sql": "SELECT 1", "max_rows": True}, "True came"),
        ({"sql": "SELECT 1", "max_rows": "many"}, "'many' came"),
        ({"sql": "SELECT 1", "max_rows": "9" * 19}, "came"),
        ({"sql": "SELECT 1", "format": "xml"}, "markdown, csv, json"),
        ({"sql": "SELECT 1", "exact_total": "perhaps"}, "true or false"),
        ({"sql": "SELECT 1", "exact_total": 1}, "true or false"),
        ({"sql": "SELECT 1", "canvas": 5}, "`canvas` must be a text"),
        ({"sql": "SELECT 1", "save_as": []}, "`save_as` must be a text"),
        ({"sql": "SELECT 1", "query": "SELECT 2"}, "Give `sql` once"),
        ({"sql": "SELECT 1", "max_row": 5}, "Did you mean `max_rows`?"),
        ({"sql": "SELECT 1", "zzz": 5}, "There is no argument `zzz`. The arguments are"),
    ],
)
def test_anything_else_is_refused_by_its_name(given: dict[str, Any], said: str) -> None:
    """QUERY-06"""
    refusal = read_arguments(json.dumps(given).encode("utf-8", "surrogatepass"), "query")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.BAD_ARGUMENT
    assert said in refusal.message


@pytest.mark.parametrize(
    ("raw", "said"), [(b"", "`sql`"), (b"{", "not JSON"), (b"[]", "must be an object"), (b"null", "must be an object")]
)
def test_what_is_no_object_is_refused(raw: bytes, said: str) -> None:
    """QUERY-06"""
    refusal = read_arguments(memoryview(raw), "query")
    assert isinstance(refusal, Refusal)
    assert said in refusal.message


@given(
    st.binary()
    | st.dictionaries(st.text(max_size=8), st.none() | st.integers() | st.text() | st.booleans()).map(
        lambda given: json.dumps(given).encode()
    )
)
def test_any_bytes_give_arguments_or_a_refusal(raw: bytes) -> None:
    """QUERY-06"""
    assert isinstance(read_arguments(raw, "query"), (Arguments, Refusal))
