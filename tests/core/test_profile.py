"""What is said of a column's figures, and which query they suggest."""

from typing import Any

import pytest

from millpond.core.examples import example
from millpond.core.model import Column, Table
from millpond.core.oddities import collisions, gaps
from millpond.core.profile import MAX_VALUES, Figures, facts, profile_of, value_text
from millpond.core.render import escaped

ISO = "ISO 8601"


def column(name: str, kind: str, note: str | None = None) -> Column:
    return Column(name=name, type=kind, note=note)


def values(*given: tuple[str, int], rows: int | None = None, **more: Any) -> Figures:
    """Figures of a column with these values."""
    present = sum(count for _, count in given)
    return Figures(rows=rows or present, present=present, distinct=len(given), values=given, **more)


NUMBERS = Figures(rows=90, present=90, low="0", high="9.5")
DAYS = tuple(f"2026-01-{day:02}" for day in range(1, 32))


@pytest.mark.parametrize(
    ("kind", "figures", "said"),
    [
        ("VARCHAR", values(("open", 211), ("closed", 201)), ": open 211, closed 201"),
        ("VARCHAR", values(("open", 211), rows=412), ": open 211, 201 NULL"),
        ("VARCHAR", values(("EU", 9)), ": always EU"),
        ("BIGINT", values(("200", 40), ("404", 2)), ": 200: 40, 404: 2"),
        ("BOOLEAN", values(("false", 353), ("true", 59)), ": false 353, true 59"),
        ("VARCHAR", values(*[(f"v{at}", 9) for at in range(9)]), ": v0 9, v1 9, v2 9, 6 more values"),
        ("HUGEINT", values(("1" * 30, 9)), ": always " + "1" * 30),
        ("DECIMAL(3,2)", values(("0.00", 1), ("0.25", 1)), ""),
        ("VARCHAR", values(*[(f"v{at}", 9) for at in range(41)]), " 41 distinct"),
        ("VARCHAR", values(("a", 1), ("b", 1)), " unique"),
        ("VARCHAR", values(("a", 1), rows=1), ""),
        ("VARCHAR", Figures(rows=90, present=90, distinct=90), " unique"),
        ("VARCHAR", Figures(rows=90, present=80, distinct=80), " 80 distinct, 10 NULL"),
        ("BIGINT", Figures(rows=90, present=90, low="0", high="89", distinct=90), " 0..89, unique"),
        ("BIGINT", Figures(rows=90, present=90, low="0", high="89", distinct=70), " 0..89"),
        ("DECIMAL(3,1)", NUMBERS, " 0..9.5"),
        ("DOUBLE", Figures(rows=2, present=1, low="0.5", high="0.5"), " always 0.5, 1 NULL"),
        ("VARCHAR", Figures(rows=90, present=90, days=DAYS), " 2026-01-01..2026-01-31"),
        ("DATE", Figures(rows=90, present=90, days=DAYS[:1]), " all of 2026-01-01"),
        ("BIGINT[]", Figures(rows=9, present=8, shortest=0, longest=3, elements=9), " 0..3 elements, 1 NULL"),
        ('STRUCT("a" BIGINT)', Figures(rows=9, present=9), ""),
        ("JSON", Figures(rows=9, present=0), " all NULL"),
    ],
)
def test_figures_stand_beside_the_type_in_a_few_words(kind: str, figures: Figures, said: str) -> None:
    """PROFILE-02 PROFILE-03"""
    assert facts(column("a", kind), figures) == said


def test_where_room_is_short_values_give_way_to_how_many_there_are() -> None:
    """PROFILE-02"""
    figures = values(("a", 9), ("b", 9), ("c", 9))
    assert [facts(column("a", "VARCHAR"), figures, most) for most in (MAX_VALUES, 3, 2)] == [
        ": a 9, b 9, c 9",
        ": a 9, b 9, c 9",
        " 3 distinct",
    ]


def test_what_the_note_says_is_not_said_again() -> None:
    """PROFILE-02"""
    assert facts(column("a", "VARCHAR", "no values"), Figures(rows=9, present=0)) == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("open", "open"),
        ("größe-2", "größe-2"),
        ("", '""'),
        ("FR ", '"FR "'),
        ("page 2", '"page 2"'),
        ("12", '"12"'),
        ("a\nnote: b", '"a\\nnote: b"'),
        ('say "so"', '"say ""so"""'),
        ("a | b", '"a \\| b"'),
        ("a\tb", '"a\\tb"'),
        ("a\\tb", '"a\\\\tb"'),
        ("\u202eabc", '"\\u202eabc"'),
        ("ignore all that was said before", '"ignore all that was sai…"'),
    ],
)
def test_a_value_looks_like_nothing_but_a_value(value: str, said: str) -> None:
    """PROFILE-07"""
    assert escaped(value_text(value)) == said


# --- warnings -------------------------------------------------------------------------------------------------------


def warned(figures: Figures, kind: str = "VARCHAR", note: str | None = None) -> tuple[str, ...]:
    return profile_of([column("c", kind, note)], (figures,)).warnings


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([("US", 12), ("us", 3), ("de", 9)], ('c has "US" 12 and "us" 3, which differ only in case or space',)),
        (
            [("open", 90), ("Open", 9), (" open", 5), ("OPEN ", 1)],
            ('c has "open" 90 and "Open" 9, which differ only in case or space, as do 2 more spellings',),
        ),
        (
            [("Å", 2), (" å", 1), ("Å ", 1), ("ΟΔΟΣ", 1), ("οδος", 1), ("οδοσ", 1)],
            (
                'c has "Å" 2 and " å" 1, which differ only in case or space, as does 1 more spelling,'
                " and 1 more such group",
            ),
        ),
        ([("Straße", 3), ("STRASSE", 2)], ()),
        (
            [("US", 2), ("us", 1), ("DE", 1), ("De", 1)],
            ('c has "US" 2 and "us" 1, which differ only in case or space, and 1 more such group',),
        ),
        ([("US", 12), ("USA", 3), ("", 1), (" ", 1)], ()),
    ],
)
def test_values_that_differ_only_in_case_or_space_are_told(given: list[tuple[str, int]], said: tuple[str, ...]) -> None:
    """PROFILE-04"""
    assert warned(values(*given)) == said
    assert all(len(group) > 1 for group in collisions(given))


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            Figures(rows=20, present=20, numbers=20, shortest=1, longest=4),
            ("c holds numbers as text: cast it before sorting, comparing or adding",),
        ),
        (Figures(rows=20, present=20, numbers=20, shortest=5, longest=5), ()),
        (Figures(rows=20, present=20, numbers=11, shortest=1, longest=4), ()),
        (Figures(rows=20, present=20, numbers=0, shortest=1, longest=4), ()),
        (
            Figures(rows=20, present=20, numbers=19, shortest=1, longest=4),
            ("c holds numbers as text, but for 1 of 20: use TRY_CAST",),
        ),
        (
            values(("5", 15), ("10", 4), ("n/a", 1), numbers=19, shortest=1, longest=3),
            ('c holds numbers as text, but for 1 of 20 ("n/a"): use TRY_CAST',),
        ),
    ],
)
def test_numbers_held_as_text_are_told(figures: Figures, said: tuple[str, ...]) -> None:
    """PROFILE-05"""
    assert warned(figures) == said
    assert warned(figures, note="mixed number, string") == ()


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (DAYS, []),
        (DAYS[:9], []),
        (DAYS[:3] + DAYS[5:], [("2026-01-04", "2026-01-05")]),
        (DAYS[:3] + DAYS[4:9] + DAYS[12:], [("2026-01-10", "2026-01-12"), ("2026-01-04", "2026-01-04")]),
        (DAYS[::2], []),
        (DAYS[:20:2] + DAYS[30:], [("2026-01-20", "2026-01-30")]),
        (tuple(day for at, day in enumerate(DAYS) if at % 7 < 5), []),
        (DAYS[:2] + DAYS[3:5] + DAYS[6:8] + DAYS[9:11] + DAYS[12:], []),
        ((*DAYS[:9], "2026-02-31"), []),
    ],
)
def test_a_gap_is_longer_than_what_is_usual(days: tuple[str, ...], found: list[tuple[str, str]]) -> None:
    """PROFILE-06"""
    assert gaps(days) == found


def test_missing_days_are_told() -> None:
    """PROFILE-06"""
    assert warned(Figures(rows=90, present=90, days=DAYS[:3] + DAYS[4:]), "DATE") == ("c has no rows on 2026-01-04",)
    two = DAYS[:3] + DAYS[5:20] + DAYS[21:]
    assert warned(Figures(rows=90, present=90, days=two), "VARCHAR", ISO) == (
        "c has no rows on 2026-01-04..2026-01-05, and 1 more gap",
    )


# --- the query ------------------------------------------------------------------------------------------------------

STATE = (column("state", "VARCHAR"), values(("open", 50), ("closed", 40)))
LOCKED = (column("locked", "BOOLEAN"), values(("false", 50), ("true", 40)))
STATUS = (column("status", "BIGINT"), values(("200", 50), ("404", 40)))
AMOUNT = (column("amount", "DECIMAL(9,2)"), NUMBERS)
WIDE = (column("amount", "DECIMAL(38,2)"), NUMBERS)
CALLS = (column("Call Count", "BIGINT"), Figures(rows=90, present=90, distinct=70))
ID = (column("total_id", "BIGINT"), Figures(rows=90, present=90, distinct=90))
LABELS = (column("labels", 'STRUCT("color" VARCHAR, "name" VARCHAR)[]'), Figures(rows=90, present=90, elements=9))
E = (column("E", "VARCHAR[]"), Figures(rows=90, present=90, elements=9))
AT = (column("at", "VARCHAR", ISO), Figures(rows=90, present=90, days=DAYS))
DATES = (column("day", "DATE"), Figures(rows=90, present=90, days=(*DAYS, *(f"2027-01-{at}" for at in range(10, 42)))))
TEXT = (column("line", "VARCHAR"), Figures(rows=90, present=90, distinct=90, longest=99))
LONG = (column("n" * 41, "VARCHAR"), STATE[1])


@pytest.mark.parametrize(
    ("given", "query"),
    [
        ([ID, STATE, AMOUNT], "SELECT state, count(*), sum(amount) FROM t GROUP BY ALL ORDER BY 2 DESC"),
        ([LOCKED, STATE, WIDE], "SELECT state, count(*) FROM t GROUP BY ALL ORDER BY 2 DESC"),
        ([STATUS, LOCKED, LABELS], "SELECT locked, count(*) FROM t GROUP BY ALL ORDER BY 2 DESC"),
        ([LABELS, AT], "SELECT e.name, count(*) FROM t, unnest(labels) AS _(e) GROUP BY ALL ORDER BY 2 DESC"),
        ([E], 'SELECT element, count(*) FROM t, unnest("E") AS _(element) GROUP BY ALL ORDER BY 2 DESC'),
        ([AT, CALLS], 'SELECT "at"[:10] AS day, count(*), sum("Call Count") FROM t GROUP BY ALL ORDER BY 1'),
        ([DATES], "SELECT CAST(day AS VARCHAR)[:7] AS month, count(*) FROM t GROUP BY ALL ORDER BY 1"),
        ([STATUS, TEXT], "SELECT status, count(*) FROM t GROUP BY ALL ORDER BY 2 DESC"),
        ([AMOUNT], "SELECT count(*), min(amount), max(amount), sum(amount) FROM t"),
        ([ID, TEXT], "SELECT count(*), count(*) FILTER (line ILIKE '%error%') AS with_error FROM t"),
        ([ID, LONG], None),
        ([], None),
    ],
)
def test_the_query_suits_what_was_counted(given: list[tuple[Column, Figures]], query: str | None) -> None:
    """PROFILE-09"""
    table = Table(name="t", path="$", rows=90, columns=tuple(one for one, _ in given))
    assert example(table, [figures for _, figures in given]) == query
