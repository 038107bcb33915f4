"""Laws of the handle: whatever was replaced, it is short, says what it left out, and every statement in it runs."""

from __future__ import annotations

import json
from typing import Any

import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from millpond.core.names import HIDDEN
from pond import Canvas, canvas, handle, printed_sql
from strategies import row_lists, values

TOKENIZER = bpe_openai.get_encoding("o200k_base")
OWN_LINES = ("  SELECT ", "also ", "and ", "mind: ", "first ", "| ", "beside the rows: ", "empty lists: ", "note: ")

_words = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["\n", "note: x", "| a |", "\x1b[2J", "\u202e", "…", '"', "{table}", "日本語", "\U000e0041", " " * 9]
    ),
    st.builds(str.__mul__, st.sampled_from(["k", "ä", "語", '"', "a_", "😀"]), st.integers(1, 300)),
)
_cells = st.one_of(
    st.none(), st.integers(), _words, st.lists(_words, max_size=3), st.dictionaries(_words, _words, max_size=12)
)
_tables = st.lists(st.dictionaries(_words, _cells, min_size=1, max_size=8), min_size=1, max_size=4)
documents = st.dictionaries(_words, st.one_of(_tables, _words, st.just([]), st.lists(_cells, max_size=4)), max_size=12)
"""Objects of tables, scalars and empty lists under names that would pass for something else."""


def check(pond: Canvas, body: dict[str, Any]) -> str:
    """The text of a handle that holds to the rules."""
    text: str = body["content"][0]["text"]
    assert len(TOKENIZER.encode(text)) <= 300, text
    assert not HIDDEN.search(text.replace("\n", ""))
    tables = handle(body)["tables"]
    first, *others = text.split("\n")
    assert (f" in {tables[0]['name']} " in first) if tables else "kept out of the conversation" in first
    columns = 2 if tables else len(text)
    assert [line for at, line in enumerate(others, 1) if at != columns and not line.startswith(OWN_LINES)] == []
    statements = printed_sql(text)
    assert statements
    for sql in statements:
        pond.query(sql)
    return text


@given(documents)
@example({"a" * 300: [{"b" * 300: "c" * 300}] * 3})
@example({f"list {at}": [{"a": at}] * 2 for at in range(64)})
@example({"語" * 300: [{"語" * 300 + str(at): "語" * 300 for at in range(40)}] * 3, "x": "語" * 300, "y": []})
@example({f"{at}" + "ß" * 300: [] for at in range(12)})
def test_any_object_gives_a_short_handle_whose_statements_run(document: dict[str, Any]) -> None:
    """HANDLE-01 HANDLE-03 HANDLE-07"""
    with canvas(inline_rows_bytes=0, inline_text_bytes=0) as pond:
        body = pond.take(json.dumps({"content": [], "structuredContent": document}).encode(), tool="t" * 128)
        check(pond, body)


@given(st.one_of(row_lists(), values))
def test_any_json_gives_a_short_handle_whose_statements_run(text: str) -> None:
    """HANDLE-01 HANDLE-03 HANDLE-07"""
    with canvas(inline_rows_bytes=0, inline_text_bytes=0) as pond:
        body = pond.take(('{"content":[],"structuredContent":{"items":' + text + "}}").encode())
        check(pond, body)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"items": [{f"column_{at}": at for at in range(1_500)}] * 2}, "columns more: DESCRIBE rows_k7q2xd_1"),
        (
            {f"l{at}": [{"a": 1, "b": "x"}] * 2 for at in range(60)},
            "tables more: SELECT tables FROM calls WHERE number = 1",
        ),
        ([{"n" * 300 + str(at): at for at in range(10)}] * 20, "…"),
        ({"rows": [{"a": 1}] * 90, "cursor": "c" * 500}, '= "ccc'),
        ({"rows": [{"a": 1}] * 90, **{f"total_{at}": at for at in range(9)}}, ", and 3 more in results"),
        ({"rows": [{"a": 1}] * 90, **{f"empty_{at}": [] for at in range(9)}}, ", and 3 more in results"),
        ([{f"c{at}": "x" * 30 for at in range(60)}] * 3, "columns more: DESCRIBE"),
        ([{"a": {f"field_{at}": at for at in range(30)}}] * 9, ", …}"),
    ],
)
def test_what_gives_way_is_said(value: object, said: str) -> None:
    """HANDLE-03"""
    with canvas(inline_rows_bytes=0) as pond:
        text = check(pond, pond.take(json.dumps({"content": [], "structuredContent": value}).encode()))
        assert said in text
