"""URIs and pages, without an engine."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.resources import (
    MAX_LISTED,
    TEMPLATES,
    CallPage,
    Looked,
    Page,
    TablePage,
    call_uri,
    list_result,
    missing,
    page_result,
    read_uri,
    table_uri,
)


def result(looked: Looked) -> Any:
    return looked.result


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 10**18 - 1))
def test_any_name_and_place_is_read_from_the_uri_that_is_made_of_them(name: str, start: int) -> None:
    """RESOURCES-01"""
    assert read_uri(table_uri(name, start)) == TablePage(name, start)
    assert read_uri(call_uri(start + 1, start)) == CallPage(start + 1, start) or start + 1 == 10**18


def test_the_templates_make_uris_that_are_read() -> None:
    """RESOURCES-01, RESOURCES-05"""
    table, call = (template["uriTemplate"] for template in TEMPLATES)
    assert read_uri(table.replace("{name}", "t").replace("{start}", "7")) == TablePage("t", 7)
    assert read_uri(call.replace("{number}", "3").replace("{start}", "0")) == CallPage(3, 0)


@pytest.mark.parametrize(
    "uri",
    [
        "millpond://",
        "millpond://table/",
        "millpond://table/a/b",
        "millpond://table/a/rows/-1",
        "millpond://table/a/rows/1e3",
        "millpond://call/x",
        "millpond://call/1/rows/1",
        "millpond://call/1?x",
        "millpond://call/9999999999999999999",
        "file:///a",
    ],
)
def test_another_uri_names_nothing(uri: str) -> None:
    """RESOURCES-04"""
    assert read_uri(uri) is None


def test_the_newest_tables_are_listed_first_and_say_where_they_are_from() -> None:
    """RESOURCES-05"""
    names = [f"rows_k7q2xd_{number}" for number in range(1, 3 * MAX_LISTED)]
    listed = result(list_result([*names, "Mine é"]))["resources"]
    assert len(listed) == MAX_LISTED
    assert listed[:2] == [
        {
            "uri": "millpond://table/Mine%20%C3%A9",
            "name": "Mine é",
            "description": "A kept answer",
            "mimeType": "text/csv",
        },
        {
            "uri": "millpond://table/rows_k7q2xd_299",
            "name": "rows_k7q2xd_299",
            "description": "Result of rows, call 299",
            "mimeType": "text/csv",
        },
    ]


@pytest.mark.parametrize("following", [None, "millpond://table/t/rows/2"])
def test_a_page_says_where_it_stands_and_what_follows(following: str | None) -> None:
    """RESOURCES-02"""
    page = Page(text="a\n1\n2", mime_type="text/csv", unit="rows", start=0, stop=2, total=5, next=following, notes=())
    first, *rest = result(page_result("millpond://table/t", page))["contents"]
    assert (first["uri"], first["mimeType"], first["text"]) == ("millpond://table/t", "text/csv", "a\n1\n2")
    assert first["_meta"]["millpond/page"] == {"unit": "rows", "start": 0, "stop": 2, "total": 5, "next": following}
    texts = [block["text"] for block in rest]
    assert texts == ([f"rows 0 to 1 of 5; the next are {following}"] if following else [])


def test_what_is_missing_is_told_with_what_there_is() -> None:
    """RESOURCES-04"""
    said = missing("millpond://x", ["a", "b"], "It is gone. ").missing
    assert said == (
        "There is no resource millpond://x. It is gone. There are millpond://table/b, millpond://table/a. Others are named"
        " millpond://table/NAME/rows/START and millpond://call/NUMBER/text/START."
    )
    assert "No result has become a table yet" in str(missing("millpond://x", []).missing)
