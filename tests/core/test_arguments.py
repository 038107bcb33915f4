"""The own tool's arguments, mended where the meaning is plain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.argument_names import KEYS, is_kept, meant
from millpond.core.arguments import MAX_SQL_BYTES, Arguments, read_arguments
from millpond.core.errors import Reason, Refusal

DEEP = b"[" * 100_000 + b"]" * 100_000


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
        ({"SQL": "SELECT 1;", "maxRows": "5", "output_format": "text/csv", "exact-total": 1, "saveAs": "t"}, Arguments(sql="SELECT 1;", max_rows=5, format="csv", exact_total=True, save_as="t")),
        ({"Sql Statement": "SELECT 1", "max-rows": "5.0", "Response Format": "application/json"}, Arguments(sql="SELECT 1", max_rows=5, format="json")),
        ({"sql": "```sql\nSELECT 1\n```"}, Arguments(sql="SELECT 1")),
        ({"sql": "  ```\nSELECT '`'\n-- x\n```\n"}, Arguments(sql="SELECT '`'\n-- x")),
        ({"sql": "```duckdb\nSELECT 1```"}, Arguments(sql="SELECT 1")),
        ({"sql": "```sql SELECT 1 ```"}, Arguments(sql=" SELECT 1")),
        ({"sql": "~~~sql\nSELECT 1\n~~~"}, Arguments(sql="SELECT 1")),
        ({"sql": "`SELECT 1`;"}, Arguments(sql="SELECT 1")),
        ({"sql": "SELECT `a` FROM `t`"}, Arguments(sql="SELECT `a` FROM `t`")),
        ({"sql": "```\nSELECT 1\n```\n```\nSELECT 2\n```"}, Arguments(sql="```\nSELECT 1\n```\n```\nSELECT 2\n```")),
        ({"sql": "SELECT 1", "query": "SELECT 1"}, Arguments(sql="SELECT 1")),
        ({"sql": "SELECT 1", "query": None, "limit": "", "format": "none", "exact_total": ""}, Arguments(sql="SELECT 1")),
        ({"arguments": {"query": "SELECT 1", "limit": 2}}, Arguments(sql="SELECT 1", max_rows=2)),
        ({"input": {"sql": "SELECT 1"}}, Arguments(sql="SELECT 1")),
        *(({"sql": "SELECT 1", "exact_total": flag}, Arguments(sql="SELECT 1", exact_total=True)) for flag in (True, "true", "TRUE", " yes", "on", 1, "1")),
        *(({"sql": "SELECT 1", "exact_total": flag}, Arguments(sql="SELECT 1")) for flag in (False, "false", "No", "off", 0, "0")),
        *(({"sql": "SELECT 1", key: 7}, Arguments(sql="SELECT 1", max_rows=7)) for key in ("max_rows", "maxRows", "MAX ROWS", "max-rows", "MaxRows", "maxrows", "row_limit", "max_results")),
        *(({key: "SELECT 1"}, Arguments(sql="SELECT 1")) for key in ("sql", "SQL", "query", "Query", "statement", "q", "sql_query", "sqlQuery")),
        *(({"sql": "SELECT 1", key: "csv"}, Arguments(sql="SELECT 1", format="csv")) for key in ("format", "Format", "output", "outputFormat", "output_format", "fmt")),
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
        ({"sql": "SELECT 1", "max_rows": True}, "true came"),
        ({"sql": "SELECT 1", "max_rows": "many"}, '"many" came'),
        ({"sql": "SELECT 1", "max_rows": "9" * 19}, "came"),
        ({"sql": "SELECT 1", "format": "xml"}, "markdown, csv, json"),
        ({"sql": "SELECT 1", "exact_total": "perhaps"}, "true or false"),
        ({"sql": "SELECT 1", "exact_total": 2}, "true or false"),
        ({"sql": "SELECT 1", "canvas": 5}, "`canvas` must be a text"),
        ({"sql": "SELECT 1", "save_as": []}, "`save_as` must be a text"),
        ({"sql": "SELECT 1", "query": "SELECT 2"}, "Give `sql` once"),
        ({"max_rows": 1, "sql": "SELECT 1", "limit": "1"}, "Give `max_rows` once"),
        ({"sql": "SELECT 1", "max_rows": "1,000"}, '"1,000" came'),
        ({"sql": "SELECT 1", "max_rows": "-5"}, '"-5" came'),
        ({"sql": "SELECT 1", "format": "jsonl"}, '"jsonl" came'),
        ({"sql": "SELECT 1", "table": "t"}, "There is no argument `table`."),
        ({"sql": "SELECT 1", "arguments": {"max_rows": 5}}, "There is no argument `arguments`."),
        ({"sql": ["SELECT 1"]}, "`sql` must be a text"),
        ({"sql": "``` ```"}, "`sql` must be a text"),
        ({"sql": "SELECT 1", "max_rowz": 5}, "Did you mean `max_rows`?"),
        ({"sql": "SELECT 1", "zzz": 5}, "There is no argument `zzz`. The arguments are"),
    ],
)
def test_anything_else_is_refused_by_its_name(given: dict[str, Any], said: str) -> None:
    """QUERY-06"""
    refusal = read_arguments(json.dumps(given).encode("utf-8", "surrogatepass"), "query")
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.BAD_ARGUMENT
    assert said in refusal.message


def test_the_arguments_that_are_listed_are_those_that_are_offered() -> None:
    """QUERY-06"""
    raw = b'{"sql": "SELECT 1", "zzz": 5}'
    for exports in (True, False):
        refusal = read_arguments(raw, "query", exports=exports)
        assert isinstance(refusal, Refusal)
        assert ("export" in refusal.message) is exports


@pytest.mark.parametrize(
    ("sql", "step"),
    [("SELECT \0 1", "SELECT  1"), ("\0", '{"sql":"SHOW TABLES"}'), ("\0" + "x" * 601, '{"sql":"SHOW TABLES"}')],
)
def test_a_statement_that_holds_a_nul_is_printed_without_it_where_it_is_short(sql: str, step: str) -> None:
    """QUERY-06"""
    refusal = read(sql=sql)
    assert isinstance(refusal, Refusal)
    assert refusal.step == step


@pytest.mark.parametrize(
    ("given", "step"),
    [
        ({"sql": "FROM t ; ", "offset": 3, "format": "csv"}, {"sql": "FROM t OFFSET 3", "format": "csv"}),
        ({"query": "SELECT 1 LIMIT 2", "Offset": "3"}, {"query": "SELECT 1 LIMIT 2 OFFSET 3"}),
        ({"sql": "FROM t OFFSET 2", "offset": 3}, {"sql": "FROM (FROM t OFFSET 2\n) OFFSET 3"}),
        ({"sql": "DESCRIBE t -- a", "offset": 3}, {"sql": "FROM (DESCRIBE t\n) OFFSET 3"}),
        ({"sql": "SELECT 1; -- a\n-- b\n", "offset": 3}, {"sql": "SELECT 1 OFFSET 3"}),
        ({"sql": "SELECT '--;' AS a", "offset": 3}, {"sql": "FROM (SELECT '--;' AS a\n) OFFSET 3"}),
        ({"sql": "FROM t", "offset": 10**18}, {"sql": "SELECT * FROM calls ORDER BY number OFFSET 100"}),
        ({"sql": "FROM t", "offset": "x"}, {"sql": "SELECT * FROM calls ORDER BY number OFFSET 100"}),
        ({"offset": 3}, {"sql": "SELECT * FROM calls ORDER BY number OFFSET 100"}),
    ],
)
def test_an_offset_is_written_into_the_statement_that_is_to_be_sent(
    given: dict[str, Any], step: dict[str, Any]
) -> None:
    """QUERY-06"""
    refusal = read_arguments(json.dumps(given).encode(), "query")
    assert isinstance(refusal, Refusal)
    assert json.loads(refusal.step) == step


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "`sql`"),
        (b"{", "not JSON"),
        (b"[]", "must be an object"),
        (b"null", "must be an object"),
        (DEEP, "nested too deep"),
    ],
)
def test_what_is_no_object_is_refused(raw: bytes, said: str) -> None:
    """QUERY-06"""
    refusal = read_arguments(memoryview(raw), "query")
    assert isinstance(refusal, Refusal)
    assert said in refusal.message


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'"{\\"sql\\": \\"SELECT 1\\", \\"limit\\": \\"2\\"}"', Arguments(sql="SELECT 1", max_rows=2)),
        (b'"SELECT 1"', Arguments(sql="SELECT 1")),
        (b'"```sql\\nSELECT 1\\n```"', Arguments(sql="SELECT 1")),
        (b'{"params": {"statement": "SELECT 1"}}', Arguments(sql="SELECT 1")),
    ],
)  # fmt: skip
def test_an_object_that_came_as_a_text_is_taken(raw: bytes, expected: Arguments) -> None:
    """QUERY-06"""
    assert read_arguments(raw, "query") == expected


@pytest.mark.parametrize("sql", ["```{}x", "```{}x```", "`a`{}x", "{}x"])
def test_long_spaces_around_a_statement_are_no_long_work(sql: str) -> None:
    """QUERY-06"""
    assert isinstance(read(sql=sql.format(" " * 500_000)), Arguments)


def test_a_text_that_is_nested_too_deep_to_be_json_is_the_statement() -> None:
    """QUERY-06"""
    assert read_arguments(b'"' + DEEP + b'"', "query") == Arguments(sql=DEEP.decode())


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (b'{"sql": "x", "save_as": "t"}', True),
        (b'{"sql": "x", "SaveAs": "t"}', True),
        (b'{"sql": "x", "save\\u005fas": "t"}', True),
        (b'{"arguments": {"sql": "x", "save_as": "t"}}', True),
        (b'"{\\"sql\\": \\"x\\", \\"save_as\\": \\"t\\"}"', True),
        (b'{"sql": "x", "save_as": " "}', False),
        (b'{"sql": "save_as"}', False),
        (b'{"save_as": 5}', False),
        (b"[]", False),
        (b"{", False),
        (b'"\xff"', False),
        (DEEP, False),
        (b'"' + DEEP + b'"', False),
        (b"", False),
    ],
)  # fmt: skip
def test_the_relay_sees_an_answer_that_is_to_be_kept_as_the_engine_does(raw: bytes, kept: bool) -> None:
    """QUERY-12"""
    assert is_kept(raw) is kept
    read = read_arguments(raw, "query")
    assert not (isinstance(read, Arguments) and read.save_as) or kept


@given(st.dictionaries(st.sampled_from(KEYS), st.none() | st.text(max_size=3) | st.integers(0, 2), max_size=4))
def test_nothing_that_the_engine_keeps_is_unseen_by_the_relay(given: dict[str, Any]) -> None:
    """QUERY-12"""
    raw = json.dumps(given).encode()
    read = read_arguments(raw, "query")
    assert not (isinstance(read, Arguments) and read.save_as) or is_kept(raw)


@given(
    st.sampled_from(KEYS).flatmap(
        lambda key: st.tuples(st.just(key), st.lists(st.booleans(), min_size=len(key), max_size=len(key)))
    ),
    st.sampled_from(["", "_", "-", " "]),
)
def test_case_and_marks_between_words_change_no_meaning(cased: tuple[str, list[bool]], mark: str) -> None:
    """QUERY-06"""
    key, upper = cased
    written = mark.join(char.upper() if up else char for char, up in zip(key, upper, strict=True))
    assert meant(written) == meant(key) != ""


@given(
    st.binary()
    | st.dictionaries(st.text(max_size=8), st.none() | st.integers() | st.text() | st.booleans()).map(
        lambda given: json.dumps(given).encode()
    )
)
def test_any_bytes_give_arguments_or_a_refusal(raw: bytes) -> None:
    """QUERY-06"""
    assert isinstance(read_arguments(raw, "query"), (Arguments, Refusal))
