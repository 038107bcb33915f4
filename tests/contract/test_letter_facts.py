"""What the search for spellings and for dates rests on: DuckDB's `lower`, and which days there are."""

from __future__ import annotations

from datetime import date

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.oddities import STAMP, is_stamp, spelling

SURROGATES = range(0xD800, 0xE000)
LETTERS_END = 0x20000
"""No letter of two cases has a greater code point."""


def test_letters_fall_together_as_lower_takes_them() -> None:
    """PROFILE-04"""
    letters = [chr(at) for at in range(0x21, LETTERS_END) if at not in SURROGATES and not chr(at).isspace()]
    asked = [*letters, "ΟΔΟΣ", "Straße", "STRASSE", "İstanbul"]
    found = duckdb.execute("SELECT list_transform(?::VARCHAR[], lambda text: lower(text))", [asked]).fetchone()
    assert found is not None
    assert [text for text, lower in zip(asked, found[0], strict=True) if spelling(text) != lower] == []


@given(st.integers(1, 9999), st.integers(0, 13), st.integers(0, 32))
def test_a_date_is_one_of_the_calendar(year: int, month: int, day: int) -> None:
    """INFER-10 PROFILE-03"""
    text = f"{year:04}-{month:02}-{day:02}"
    try:
        is_date = bool(date.fromisoformat(text))
    except ValueError:
        is_date = False
    assert is_stamp(text) == is_date


def test_duckdb_reads_the_pattern_of_a_date_alike() -> None:
    """PROFILE-03"""
    texts = [
        "2024-02-29",
        "2023-02-29",
        "1900-02-29",
        "2000-02-29",
        "2024-02-31",
        "2024-01-01T24:01",
        "2024-01-01 23:59",
    ]
    found = duckdb.execute(
        "SELECT list_transform(?, lambda text: regexp_full_match(text, ?))", [texts, STAMP]
    ).fetchone()
    assert found == ([is_stamp(text) for text in texts],)
    assert [text for text in texts if is_stamp(text)] == ["2024-02-29", "2000-02-29", "2024-01-01 23:59"]
