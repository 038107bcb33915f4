"""Which statement drops a table, word for word."""

from __future__ import annotations

import pytest

from millpond.core.canvas import is_id, is_same
from millpond.core.dropping import dropped_name, dropped_note


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("DROP TABLE busy", "busy"),
        (" drop\n table\tBusy_2 ;\n", "Busy_2"),
        ('DROP TABLE "a ""b"" c"', 'a "b" c'),
        ("DROP TABLE a, b", None),
        ("DROP TABLE a; DROP TABLE b", None),
        ("DROP TABLE main.a", None),
        ("DROP TABLE IF EXISTS a", None),
        ("DROP TABLE a CASCADE", None),
        ("DROP TABLE a -- the old one", None),
        ("DROP VIEW results", None),
        ("DROP TABLE größe", None),
        ("SELECT 'DROP TABLE a'", None),
        ("", None),
    ],
)
def test_one_table_by_its_name_is_dropped_and_nothing_else(sql: str, name: str | None) -> None:
    """CANVAS-06"""
    assert dropped_name(sql) == name


def test_what_is_left_is_said() -> None:
    """CANVAS-06"""
    assert dropped_note("busy", 3, has_more=False) == "Dropped busy, and what call 3 kept of its result."
    assert "SELECT tables FROM calls WHERE number = 3" in dropped_note("order", 3, has_more=True)


def test_an_id_is_twenty_characters_and_compared_whole() -> None:
    """CANVAS-01"""
    assert is_id("0123456789abcdef0123")
    assert not any(
        map(
            is_id, ("", "0123456789abcdef012", "0123456789abcdef01234", "0123456789ABCDEF0123", "0123456789abcdef012\n")
        )
    )
    assert is_same("ab", "ab")
    assert not is_same("ab", "größe")
