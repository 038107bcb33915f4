"""Rows as Markdown, CSV or JSON: what each form writes, and where it cuts."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markdown_cells import read_markdown
from millpond.core.arguments import FORMATS, Format
from millpond.core.render import LEAST_CELL_BYTES, exact_json, plain, render, size_bytes

LARGE = 1 << 20


def text(names: list[str], rows: list[list[Any]], form: Format) -> str:
    return render(names, rows, form, LARGE, LARGE).text


@pytest.mark.parametrize(
    ("cell", "markdown", "as_csv", "as_json"),
    [
        (None, "NULL", "", "null"),
        (True, "true", "true", "true"),
        (2**53, "9007199254740992", "9007199254740992", "9007199254740992"),
        (-(2**53) - 1, "-9007199254740993", "-9007199254740993", '"-9007199254740993"'),
        (Decimal("0.10"), "0.10", "0.10", "0.10"),
        (Decimal("1E+2"), "100", "100", "100"),
        (Decimal("123456789012345.6"), "123456789012345.6", "123456789012345.6", '"123456789012345.6"'),
        (Decimal("-0.000000000000000000001234"), "-0.000000000000000000001234", "-0.000000000000000000001234", "-0.000000000000000000001234"),
        (0.1, "0.1", "0.1", "0.1"),
        (1e22, "1e+22", "1e+22", "1e+22"),
        (float("nan"), "nan", "nan", '"nan"'),
        (float("inf"), "inf", "inf", '"inf"'),
        (float("-inf"), "-inf", "-inf", '"-inf"'),
        ("", '""', '""', '""'),
        ("NULL", '"NULL"', "NULL", '"NULL"'),
        ('"NULL"', '""NULL""', '"""NULL"""', '"\\"NULL\\""'),
        (" x", '" x"', '" x"', '" x"'),
        ("a|b\\c", "a\\|b\\\\c", "a|b\\c", '"a|b\\\\c"'),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd", '"a\nb\tc\rd"', '"a\\nb\\tc\\rd"'),
        ("\0\u202e\U000e0001", "\\u0000\\u202e\\U000e0001", "\0\u202e\U000e0001", '"\\u0000\u202e\U000e0001"'),
        ('a,"b"', 'a,"b"', '"a,""b"""', '"a,\\"b\\""'),
        ([1, None, 2**60], '[1,null,"1152921504606846976"]', '"[1,null,""1152921504606846976""]"', '[1,null,"1152921504606846976"]'),
        ({"a": Decimal("1.10"), "b": (True,)}, '{"a":1.10,"b":[true]}', '"{""a"":1.10,""b"":[true]}"', '{"a":1.10,"b":[true]}'),
        ({1: "x", None: 2}, '{"1":"x","null":2}', '"{""1"":""x"",""null"":2}"', '{"1":"x","null":2}'),
    ],
)  # fmt: skip
def test_a_cell_in_each_form(cell: Any, markdown: str, as_csv: str, as_json: str) -> None:
    """RENDER-02 RENDER-03 RENDER-04 RENDER-05"""
    assert text(["x"], [[cell]], "markdown") == f"x\n-\n{markdown}"
    assert text(["x"], [[cell]], "csv") == f"x\n{as_csv}"
    assert text(["x"], [[cell]], "json") == f'[{{"x":{as_json}}}]'


def test_names_that_repeat_make_lists_in_json() -> None:
    """RENDER-05"""
    assert text(["a", "a"], [[1, 2]], "json") == "[[1,2]]"
    assert text(["a", "b"], [], "json") == "[]"


def test_names_are_escaped_as_cells_are() -> None:
    """RENDER-03 RENDER-04"""
    assert text(["a|b", "c\n"], [[1, 2]], "markdown") == "a\\|b|c\\n\n-|-\n1|2"
    assert text(["a,b", ""], [[1, 2]], "csv") == '"a,b",""\n1,2'


@given(st.sampled_from(FORMATS), st.lists(st.text(max_size=40), min_size=1, max_size=8), st.integers(1, 200))
def test_whole_rows_are_written_while_they_fit(form: Format, cells: list[str], max_bytes: int) -> None:
    """RENDER-06"""
    rows = [[cell] for cell in cells]
    rendered = render(["x"], rows, form, max_bytes, LARGE)
    assert 1 <= rendered.rows <= len(cells)
    assert size_bytes(rendered.text) <= max_bytes + 1 or rendered.rows == 1
    slack = len(cells) + 2  # A row counts as a byte more than it takes.
    assert rendered.rows == len(cells) or size_bytes(text(["x"], rows[: rendered.rows + 1], form)) + slack > max_bytes
    assert rendered.text == render(["x"], rows[: rendered.rows], form, LARGE, rendered.cell_bytes).text


@pytest.mark.parametrize("form", FORMATS)
def test_one_row_that_is_too_large_gets_shorter_cells(form: Format) -> None:
    """RENDER-06 RENDER-07"""
    rendered = render([str(at) for at in range(10)], [["é" * 400] * 10, ["x"] * 10], form, 1000, 512)
    assert LEAST_CELL_BYTES <= rendered.cell_bytes < 100
    assert size_bytes(rendered.text) <= 1000
    assert rendered.cut_cells == 10
    least = render([str(at) for at in range(100)], [["é" * 400] * 100], form, 100, 512)
    assert (least.rows, least.cell_bytes, least.cut_cells) == (1, LEAST_CELL_BYTES, 100)
    assert least.text.count("é" * 8 + "…") == 100


def test_a_cut_is_marked_and_counted_where_it_is_shown() -> None:
    """RENDER-07"""
    rendered = render(["n" * 20, "b"], [["é" * 9, "short"], ["y" * 17, "z" * 300]], "markdown", 60, 16)
    assert rendered.text == "n" * 16 + "…|b\n-|-\n" + "é" * 8 + "…|short"
    assert (rendered.cut_names, rendered.cut_cells, rendered.rows) == (1, 1, 1)


def test_a_nested_value_that_is_cut_is_a_text() -> None:
    """RENDER-08"""
    rendered = render(["x", "y", "z"], [[[1] * 20, [1], ["é" * 20]]], "json", LARGE, 16)
    assert json.loads(rendered.text) == [{"x": "[1,1,1,1,1,1,1,1…", "y": [1], "z": '["ééééééé…'}]
    assert rendered.cut_cells == 2


@given(st.none() | st.text() | st.text('"NUL \\|\n', max_size=8))
def test_any_text_reads_back_from_every_form(cell: str | None) -> None:
    """RENDER-01 RENDER-03 RENDER-04"""
    assert read_markdown(text(["x"], [[cell]], "markdown").removeprefix("x\n-\n")) == cell
    assert json.loads(text(["x"], [[cell]], "json")) == [{"x": cell}]
    written = text(["x", "y"], [[cell, 1]], "csv")
    assert list(csv.reader(io.StringIO(written, newline="")))[1:] == [[cell or "", "1"]]
    assert written.startswith("x,y\n,") == (cell is None)


def test_what_is_not_known_is_left_to_json() -> None:
    """RENDER-01"""
    assert exact_json("x") == "x"
    assert plain([float("nan"), {"a": 2**70}]) == '["nan",{"a":"1180591620717411303424"}]'
