"""Where an answer has the next page, and what a configuration may say of it."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.config import GIB, Config, PagingLimits, engine_settings
from millpond.core.config_file import parse_config
from millpond.core.errors import ConfigError
from millpond.core.pages import Joined, read_page
from millpond.core.paging import Kind, Next, Paging, Path, next_value, parse_path, value_at, whole_number
from millpond.core.raw import child_path
from strategies_relay import names

SERVER = '[servers.a]\ncommand = "a"\n'


def raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())


# --- paths ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$", ()),
        ("$.a.b_2", ("a", "b_2")),
        ('$."odd key"."\\u00e9\\""', ("odd key", 'é"')),
        ("$.data[-1].id", ("data", -1, "id")),
        ("$[0]", (0,)),
        ("", None),
        ("a.b", None),
        ("$a", None),
        ("$.a-b", None),
        ("$..a", None),
        ("$.a[x]", None),
        ('$."open', None),
        ('$."\\ud800"', None),
    ],
)
def test_a_path_is_read_as_handles_print_it(text: str, path: Path | None) -> None:
    """PAGING-04"""
    assert parse_path(text) == path


@given(st.lists(names, max_size=4))
def test_every_printed_path_leads_to_its_value(keys: list[str]) -> None:
    """PAGING-04"""
    text, document = "$", "1.10"
    for key in keys:
        text = child_path(text, key)
    for key in reversed(keys):
        document = json.dumps({"": 0, key: msgspec.json.decode("0")})[:-2] + document + "}"
    path = parse_path(text)
    assert path is not None
    assert bytes(value_at(raw(document), path) or b"") == b"1.10"


@pytest.mark.parametrize("path", ["$.b", "$.a.b", "$.a[5]", "$[0]"])
def test_where_a_path_does_not_lead_there_is_nothing(path: str) -> None:
    """PAGING-05"""
    assert value_at(raw('{"a":[1]}'), parse_path(path) or ()) is None


# --- values ---------------------------------------------------------------------------------------------------------

URL = '"https://h/i?per_page=5&page=3"'


@pytest.mark.parametrize(
    ("found", "argument", "kind", "value"),
    [
        (None, "cursor", None, None),
        ("null", "cursor", None, None),
        ("false", "cursor", None, None),
        ('""', "cursor", None, None),
        ('"abc"', "cursor", None, b'"abc"'),
        ('"abc="', "cursor", None, b'"abc="'),
        ('"a?b"', "cursor", None, b'"a?b"'),
        ('"12"', "cursor", None, b'"12"'),
        ('"12"', "offset", "number", b"12"),
        ("100", "offset", None, b"100"),
        ("100", "offset", "number", b"100"),
        ("100", "offset", "string", b'"100"'),
        ("12345678901234567890.10", "offset", None, b"12345678901234567890.10"),
        (URL, "page", "number", b"3"),
        (URL, "page", None, b'"3"'),
        (URL, "cursor", None, URL.encode()),
        ('"/i?page%5Bcursor%5D=a%2Fb&x=1"', "cursor", None, b'"a/b"'),
        ('"?pageToken=t"', "page_token", None, b'"t"'),
        ('"<https://h/i?page=1>; rel=\\"prev\\", <https://h/i?page=3>; rel=\\"next\\""', "page", "number", b"3"),
        ('{"href":"https://h/i?after=x"}', "after", None, b'"x"'),
        ('[{"rel":"self","href":"/?page=1"},{"rel":"next","href":"/?page=2"}]', "page", "number", b"2"),
        ('[{"rel":"self","href":"/?page=9"}]', "page", "number", None),
        ('"http://[h/?page=1"', "page", None, b'"http://[h/?page=1"'),
    ],
)
def test_the_next_value_is_as_it_came_or_as_the_link_has_it(
    found: str | None, argument: str, kind: Kind | None, value: bytes | None
) -> None:
    """PAGING-04, PAGING-05"""
    assert next_value(None if found is None else raw(found), argument, kind) == Next(value)


@pytest.mark.parametrize("found", ["true", "{}", "[1]", '{"href":1}'])
def test_what_is_no_value_is_a_problem(found: str) -> None:
    """PAGING-04"""
    assert next_value(raw(found), "cursor", None).problem


@pytest.mark.parametrize(("text", "number"), [(b"5", 5), (b'"-5"', -5), (b"1.0", None), (b'"x"', None), (None, None)])
def test_a_whole_number_may_be_a_text(text: bytes | None, number: int | None) -> None:
    """PAGING-05"""
    assert whole_number(text) == number


# --- pages ----------------------------------------------------------------------------------------------------------

HOW = Paging(page="cursor", next=("next",), max_pages=9, max_bytes=9, max_seconds=9)


def joined(*results: str, how: Paging = HOW) -> dict[str, object]:
    """The collected result, its numbers as they were written."""
    pages = Joined()
    for result in results:
        page = read_page(result.encode(), how, None, pages.main)
        assert page is not None, result
        pages.add(page)
    return json.loads(pages.result(), parse_float=str, parse_int=str, parse_constant=str)


def test_what_stands_beside_the_rows_is_the_last_pages() -> None:
    """PAGING-06"""
    one = '{"structuredContent":{"items":[{"a":1.10}],"total":7,"tags":["x"],"more":[{"n":1}]},"_meta":{"p":1}}'
    two = '{"content":[{"type":"image","data":"","mimeType":""}],"structuredContent":{"total":8.0,"tags":["x"],"items":[{"a":NaN}],"more":[{"n":2}]},"_meta":{"p":2.0}}'
    assert joined(one, two) == {
        "content": [{"type": "image", "data": "", "mimeType": ""}],
        "structuredContent": {
            "total": "8.0",
            "tags": ["x"],
            "items": [{"a": "1.10"}, {"a": "NaN"}],
            "more": [{"n": "1"}, {"n": "2"}],
        },
        "_meta": {"p": "2.0"},
    }


@pytest.mark.parametrize(
    "last",
    ['{"structuredContent":{}}', '{"structuredContent":{"data":null}}', '{"structuredContent":{"data":{"n":[]}}}'],
)
def test_a_last_page_without_a_list_has_no_rows(last: str) -> None:
    """PAGING-06"""
    how = msgspec.structs.replace(HOW, rows=("data", "items"))
    one = '{"structuredContent":{"data":{"items":[1,2]}}}'
    document = joined(one, last, how=how)["structuredContent"]
    assert isinstance(document, dict)
    assert document["data"]["items"] == ["1", "2"]


def test_rows_that_are_a_block_each_are_joined_down_to_one_and_none() -> None:
    """PAGING-06"""

    def blocks(*rows: str) -> str:
        content = [{"type": "text", "text": row} for row in rows]
        return json.dumps({"content": content})

    pages = [blocks('{"a":1}', '{"a":2}'), blocks('{"a":3}'), blocks()]
    assert joined(*pages)["structuredContent"] == [{"a": "1"}, {"a": "2"}, {"a": "3"}]


def test_markers_of_one_page_are_never_another_pages_numbers() -> None:
    """PAGING-06"""
    pages = ['{"structuredContent":{"items":[NaN]}}', '{"structuredContent":{"items":[0e9000000]}}']
    assert joined(*pages)["structuredContent"] == {"items": ["NaN", "0e9000000"]}
    assert joined(*reversed(pages))["structuredContent"] == {"items": ["0e9000000", "NaN"]}


@pytest.mark.parametrize(
    "result",
    [
        '{"content":[]}',
        '{"content":[{"type":"text","text":"a,b\\n1,2\\n3,4"}]}',
        '{"content":[{"type":"text","text":"prose"}]}',
        '{"structuredContent":{"a":1}}',
        json.dumps({"structuredContent": {f"k{at}": {"v": [at], "w": {"x": at}} for at in range(70)}}),
        '{"structuredContent":' + "[" * 100_000 + "]" * 100_000 + "}",
        "[]",
    ],
)
def test_what_has_no_list_is_no_page(result: str) -> None:
    """PAGING-10"""
    assert read_page(result.encode(), HOW, None) is None


# --- the configuration ----------------------------------------------------------------------------------------------


def config(text: str) -> Config:
    return parse_config((SERVER + text).encode(), "a.toml", {})


def test_a_table_says_all_of_it_and_the_limits_are_those_of_the_section() -> None:
    """CONFIG-16"""
    found = config(
        '[paging]\nmax_pages = 7\n[tools."a b".all]\npage = "p"\nnext = "$.n"\nmore = "$.m"\ntotal = "$.t"\n'
        'rows = "$.r.s"\nsize = { n = 5, s = "x", b = true }\nread_only = true\nmax_bytes = 70000\n'
        '[tools.c.all]\npage = "p"\ncount = "pages"\n[tools.d.all]\npage = "o"\ncount = "rows"\nfirst = 1\n'
    )
    limits = PagingLimits(max_pages=7)
    assert (found.paging, found.modes["a b"]) == (limits, "auto")
    assert found.collected["a b"] == Paging(
        page="p",
        next=("n",),
        more=("m",),
        total=("t",),
        rows=("r", "s"),
        size={"n": b"5", "s": b'"x"', "b": b"true"},
        read_only=True,
        max_pages=7,
        max_bytes=70_000,
        max_seconds=limits.max_seconds,
    )
    assert (found.collected["c"].first, found.collected["d"].first) == (1, 1)


def test_notes_on_a_tool_hold_for_the_table_of_all_its_pages() -> None:
    """PAGING-20"""
    found = config('[tools.a]\nnote = "in cents"\n[tools.a.all]\npage = "p"\nnext = "$.n"\n[tools.b]\nnote = "x"\n')
    settings = engine_settings(found, "", "", "", GIB)
    assert [(one.tool, one.note) for one in settings.notes] == [("a", "in cents"), ("b", "x"), ("a_all", "in cents")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("next = '$.n'", "page: expected the name of an argument, got null; write for example page ="),
        ("page = ''", "page: expected the name of an argument"),
        ("page = 'p'", 'next: expected either next or count, got "neither"; write for example next = "$.nextCursor"'),
        ("page = 'p'\nnext = '$.n'\ncount = 'rows'", 'next: expected either next or count, got "both"'),
        ("page = 'p'\ncount = 'row'", "count: expected one of rows, pages"),
        ("page = 'p'\nnext = 'n'", 'next: expected a JSON path, got "n"; write for example next = "$.data.next"'),
        ("page = 'p'\nnext = '$.n'\nmore = 5", "more: expected a JSON path, got 5"),
        ("page = 'p'\nnext = '$.n'\nrows = '$[0]'", 'rows: expected a path of names, got "$[0]"'),
        ("page = 'p'\nnext = '$.n'\nfirst = 1", "first: expected count beside it"),
        ("page = 'p'\ncount = 'rows'\nfirst = -1", "first: expected a whole number from 0 to"),
        ("page = 'p'\ncount = 'rows'\nsize = 5", "size: expected a table of arguments, got 5"),
        ("page = 'p'\ncount = 'rows'\nsize = { a = [1] }", "size: expected a table of arguments"),
        ("page = 'p'\ncount = 'rows'\nread_only = 1", "read_only: expected true or false"),
        ("page = 'p'\ncount = 'rows'\nmax_pages = 0", "max_pages: expected a whole number of pages from 1 to"),
        ("page = 'p'\ncount = 'rows'\nmax_page = 1", "max_page: unknown key"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_its_place(text: str, says: str) -> None:
    """CONFIG-16, CONFIG-10"""
    with pytest.raises(ConfigError) as caught:
        config(f"[tools.x.all]\n{text}\n")
    assert str(caught.value).startswith(f"a.toml: [tools.x.all] {says}")


def test_a_value_in_the_place_of_the_table_is_refused() -> None:
    """CONFIG-16"""
    with pytest.raises(ConfigError, match=r"a\.toml: tools\.x\.all: expected a table"):
        config("[tools.x]\nall = true\n")
