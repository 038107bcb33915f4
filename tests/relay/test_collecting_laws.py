"""Laws of collecting: whatever the listing, its style and its bounds, every row comes once and in order."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import listings
from collecting_talk import Listing
from millpond.core import plan
from millpond.core.rows import restore

MARKS = [
    "1.10",
    "1e400",
    "NaN",
    "-0.0",
    '"\\ud800"',
    '"é\\u00e9"',
    "12345678901234567890.123",
    '[1, {"a": []}]',
    "null",
]
STYLES = st.sampled_from(sorted(listings.STYLES))


@st.composite
def rows(draw: st.DrawFn) -> list[str]:
    """Rows as JSON texts, each with an id of its own and a value that only its raw text holds exactly."""
    marks = draw(st.lists(st.sampled_from(MARKS), max_size=30))
    return [f'{{"id":{at},"v":{mark}}}' for at, mark in enumerate(marks)]


def table(collected: list[Listing]) -> list[str]:
    """The rows of the tables that were made, one after the other, as they were written."""
    found: list[str] = []
    for listing in collected:
        reading = plan.read(listing.raw())
        assert reading is not None
        sets = [one for one in reading.shape.row_sets if all(b'"id"' in bytes(row) for row in one.rows)]
        if not sets:
            continue
        (only,) = sets
        found += [restore(bytes(row), only.markers).decode().replace("\\\\ud800", "\\ud800") for row in only.rows]
    return found


def same(left: list[str], right: list[str]) -> bool:
    """Equal as texts, but for the space and the spelling of characters that a server's own text may have."""
    return [_plain(row) for row in left] == [_plain(row) for row in right]


def _plain(row: str) -> str:
    return repr(json.loads(row, parse_float=str, parse_int=str, parse_constant=str))


@given(STYLES, rows(), st.integers(1, 8))
def test_the_collected_table_is_the_whole_listing(style: str, listing: list[str], size: int) -> None:
    """PAGING-04, PAGING-05, PAGING-06"""
    how = f"{listings.STYLES[style].toml}\nsize = {{ limit = {size} }}"
    collected = Listing(how, lambda arguments: listings.page(style, listing, arguments)).call()
    assert same(table([collected]), listing)
    assert collected.said.startswith("Complete: ")
    assert f"{len(listing):,} row" in collected.said


@given(STYLES, rows(), st.integers(1, 5), st.integers(1, 4), st.integers(0, 30))
def test_any_cut_tells_where_to_go_on_and_going_on_gives_the_rest(
    style: str, listing: list[str], size: int, pages: int, failing: int
) -> None:
    """PAGING-06, PAGING-07, PAGING-08, PAGING-09, PAGING-19"""
    how = f"{listings.STYLES[style].toml}\nsize = {{ limit = {size} }}\nmax_pages = {pages}"
    calls = 0

    def page(arguments: dict[str, Any]) -> str:
        nonlocal calls
        calls += 1
        if calls == failing:
            return '{"content":[{"type":"text","text":"no luck"}],"isError":true}'
        return listings.page(style, listing, arguments)

    collected: list[Listing] = []
    arguments: dict[str, Any] = {"state": "open"}
    for _ in range(200):
        one = Listing(how, page).call(arguments)
        if not any(hasattr(action, "said") for action in one.done):
            assert calls == failing  # The first page was the error, and is given as it came.
            continue
        collected.append(one)
        if one.said.startswith("Complete"):
            break
        arguments = one.resume
        assert arguments["state"] == "open"
    assert same(table(collected), listing)
