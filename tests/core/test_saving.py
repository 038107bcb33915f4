"""Names of kept answers and of their columns, and what is said of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from millpond.core.errors import Reason
from millpond.core.model import Column, Table
from millpond.core.names import fold
from millpond.core.saving import name_fault, name_taken, no_room, renamed_notes, saved_columns, saved_notes, too_large

TAG = "k7q2xd"
names = st.text(max_size=80) | st.from_regex(r"[A-Za-z_]{1,60}(_k7q2xd_[1-9]{1,3})?(_[a-z]{1,3})?", fullmatch=True)


@given(names, st.sets(st.from_regex(r"[a-z]_v[2-9]", fullmatch=True)))
def test_what_a_refusal_proposes_is_never_refused(name: str, others: set[str]) -> None:
    """QUERY-15"""
    fault = name_fault(name, TAG) or name_taken(name, 7, lambda other: other in others)
    proposed = fault.message.rstrip(".").rsplit(" ", 1)[-1]
    assert name_fault(proposed, TAG) is None
    assert proposed not in others | {name}


def test_a_refusal_names_the_call_that_has_the_name() -> None:
    """QUERY-15"""
    refusal = name_taken("busy", 7, {"busy_v2"}.__contains__)
    assert refusal.reason is Reason.NAME_TAKEN
    assert refusal.message == snapshot(
        "busy is taken by call 7, and no table is written over. Ask of it as it is, or give another name, such as busy_v3."
    )


def test_a_full_canvas_is_told_with_what_to_do() -> None:
    """QUERY-16"""
    assert [too_large(9 << 20, 1 << 20).message, no_room(9 << 20, ("Order",)).message] == snapshot(
        [
            "The answer is 9.0 MB, and the canvas holds 1.0 MB. Save fewer rows or columns, aggregate, or leave `save_as` out. The limit is `max_canvas_bytes` in Millpond's configuration.",
            'The canvas is full: for 9.0 MB more it would lose "Order", which the query reads. Save fewer rows or columns, aggregate, or leave `save_as` out.',
        ]
    )


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("state", "state"),
        ("_row", "_row"),
        ("user name", "user name"),
        ("2024", "2024"),
        ("count_star()", "count_star"),
        ("'2024'", "column_2"),
        ("(a + 1)", "a_1"),
        ("x[1]", "x_1"),
        ("('ü')", "column_2"),
        ("", "column_2"),
        ("a\nb", "a_b_2"),
    ],
)
def test_a_column_has_its_own_name_or_one_of_its_expressions_words(given_name: str, expected: str) -> None:
    """QUERY-14"""
    assert saved_columns(["other", given_name]) == ("other", expected)


@given(st.lists(st.text(max_size=10) | st.sampled_from(["a", "A", "a_2", "sum(a)", "", "column_1"])))
def test_every_column_has_a_name_of_its_own(found: list[str]) -> None:
    """QUERY-14"""
    named = saved_columns(found)
    assert len(named) == len(found)
    assert len({fold(name) for name in named}) == len(named)
    assert all(name and not re.search(r"[\x00-\x1f]", name) for name in named)


def test_what_was_kept_is_said_shortly() -> None:
    """QUERY-12 QUERY-14"""
    one = Table(name="busy", path="$", rows=1, columns=(Column(name="a", type="BIGINT"),))
    assert renamed_notes("busy", [("a", "a")]) == []
    assert saved_notes(one, 30, None) == snapshot(
        [
            "Saved: 1 row (30 bytes) in busy, all that the query gives. Ask of it as of any table:\n  SELECT count(*) FROM busy"
        ]
    )
    anew = [(f"sum(c{at})", f"sum_c{at}") for at in range(8)]
    many = Table(name="Busy", path="$", rows=412, columns=tuple(Column(name=new, type="DOUBLE") for _, new in anew))
    assert renamed_notes(None, anew)[0].endswith("and 2 more.")
    assert [*saved_notes(many, 12_000, None), *renamed_notes("Busy", anew)] == snapshot(
        [
            'Saved: 412 rows (12 KB) in "Busy", all that the query gives. Ask of it as of any table:\n  SELECT count(*) FROM "Busy"',
            'Columns named anew: sum_c0 is column 1 (sum(c0)), sum_c1 is column 2 (sum(c1)), sum_c2 is column 3 (sum(c2)), sum_c3 is column 4 (sum(c3)), sum_c4 is column 5 (sum(c4)), sum_c5 is column 6 (sum(c5)), and 2 more; DESCRIBE "Busy" lists them.',
        ]
    )
