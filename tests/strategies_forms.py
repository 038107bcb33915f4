"""Strategies for texts: tables as `csv` writes them, values as `repr` writes them, and anything else."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import uuid
from collections.abc import Sequence
from typing import cast

from hypothesis import strategies as st

characters = st.characters(codec="utf-8")
any_text = st.one_of(
    st.text(),
    st.text("[]{}()'\"\\,:|-\n\r\t ;aN01.", max_size=40),
    st.lists(
        st.sampled_from(
            ["NaN", "Infinity", "-", "[", "]", "{", "}", '"', "\\ud800", "\\", ",", ":", "1", "None", "'", "(", ")",
             "|", "\n", "|-|", "a,b", "1,2", "```", "0e9000000", "datetime.date(", "1e400", "\ud800", "\ufeff"]
        ),
        max_size=24,
    ).map("".join),
)  # fmt: skip
"""Any text, and texts made of what the forms look for."""

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,11}", fullmatch=True)
cells = st.one_of(
    st.text(characters, max_size=12), st.text(',;|\t"\r\n a', max_size=6), st.sampled_from(["", "007", "1,5"])
)
numbers = st.one_of(
    st.integers().map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["1.10", "-0", "1e2"]),
)

json_values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(characters),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(characters), inner),
    max_leaves=10,
)

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Names, and at least three rows in which no cell repeats its column's name."""
    header = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    kinds = [draw(st.sampled_from((cells, numbers))) for _ in header]
    row = st.tuples(*kinds).filter(lambda found: not any(map(str.__eq__, found, header)))
    return header, draw(st.lists(row, min_size=3, max_size=8))


def write_csv(table: Table, delimiter: str, line_end: str) -> str:
    """The table as Python's `csv` writes it, every cell that needs quotes in quotes.

    Before 3.13 it writes a CR bare where lines end with LF; nobody can tell that from a line end, so all is quoted.
    """
    text = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if any("\r" in cell for row in table[1] for cell in row) else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerow(table[0])
    writer.writerows(table[1])
    return text.getvalue()


zones = st.one_of(
    st.none(),
    st.integers(-1439, 1439).map(lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))),
)
scalars: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(characters),
    st.binary(max_size=6),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.datetimes(timezones=zones),
    st.dates(),
    st.uuids(),
)
keys = st.one_of(st.text(characters, max_size=8), st.integers(), st.booleans(), st.none())
python_values: st.SearchStrategy[object] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
        st.sets(st.integers(), max_size=3),
    ),
    max_leaves=12,
)
python_containers = st.one_of(
    st.lists(python_values, max_size=4),
    st.lists(python_values, max_size=4).map(tuple),
    st.dictionaries(keys, python_values, max_size=4),
)


def as_json_value(value: object) -> object:
    """The value that the `repr` of a value comes back as, fractions as `Decimal`."""
    if isinstance(value, dict):
        return {str(key): as_json_value(member) for key, member in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple | set):
        return list(map(as_json_value, cast("list[object]", value)))
    return _scalar_as_json(value)


def _scalar_as_json(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, float | decimal.Decimal):
        text = str(value)
        return decimal.Decimal(text) if any(mark in text for mark in ".eE") else int(text)
    return value
