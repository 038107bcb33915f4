"""Laws: whatever the type of a value, what `query` writes of it in any format reads back as the same value."""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asking import Asking, reason, text
from markdown_cells import read_markdown
from pond import canvas

Value = tuple[str, Any]
"""A type's name (`list` and `struct` for nested ones) and the value in Python."""


def _quoted(written: str) -> str:
    return "'" + written.replace("'", "''") + "'"


def _sql_blob(value: bytes) -> str:
    return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::BLOB"


def _sql_interval(value: tuple[int, int, int]) -> str:
    return "(to_months({}) + to_days({}) + to_microseconds({}))".format(*value)


def _float32(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def _decimal(units: int, scale: int) -> Fraction:
    return Fraction(units, 10**scale)


def _read_blob(written: str) -> bytes:
    return re.sub(rb"\\x([0-9A-F]{2})", lambda found: bytes([int(found[1], 16)]), written.encode())


_INTERVAL = re.compile(
    r"(?:(-?\d+) years? ?)?(?:(-?\d+) months? ?)?(?:(-?\d+) days? ?)?(?:(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?)?"
)


def _read_interval(written: str) -> tuple[int, int, int]:
    found = _INTERVAL.fullmatch(written)
    assert found, written
    years, months, days, sign, hours, minutes, seconds, micros = found.groups()
    clock = (int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)) * 10**6 + int(
        (micros or "").ljust(6, "0")
    )
    return int(years or 0) * 12 + int(months or 0), int(days or 0), -clock if sign else clock


_texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8) | st.sampled_from(
    ["NULL", "", '"', " x", "{", "null"]
)
_stamps = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31))
_floats = st.floats(allow_nan=True)

SCALARS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], str], Callable[[str], Any]]] = {
    "BOOLEAN": (st.booleans(), str, lambda written: {"true": True, "false": False}[written]),
    "HUGEINT": (st.integers(-(2**127), 2**127 - 1), lambda value: f"{_quoted(str(value))}::HUGEINT", int),
    "BIGNUM": (st.integers(-(10**60), 10**60), lambda value: f"{_quoted(str(value))}::BIGNUM", int),
    "DECIMAL": (
        st.integers(-(10**38) + 1, 10**38 - 1).map(lambda units: _decimal(units, 10)),
        lambda value: f"{_quoted(_written(value, 10))}::DECIMAL(38,10)",
        Fraction,
    ),
    "DOUBLE": (_floats, lambda value: f"{_quoted(repr(value))}::DOUBLE", lambda written: repr(float(written))),
    "FLOAT": (
        st.floats(width=32, allow_nan=False, allow_infinity=False),
        lambda value: f"{_quoted(repr(value))}::FLOAT",
        lambda written: repr(_float32(float(written))),
    ),
    "VARCHAR": (_texts, _quoted, str),
    "DATE": (st.dates(), lambda value: f"DATE '{value.isoformat()}'", date.fromisoformat),
    "TIME": (st.times(), lambda value: f"TIME '{value.isoformat()}'", time.fromisoformat),
    "TIMESTAMP": (_stamps, lambda value: f"TIMESTAMP '{value.isoformat(sep=' ')}'", datetime.fromisoformat),
    "TIMESTAMPTZ": (
        _stamps.map(lambda value: value.replace(tzinfo=UTC)),
        lambda value: f"TIMESTAMPTZ '{value.isoformat(sep=' ')}'",
        datetime.fromisoformat,
    ),
    "UUID": (st.uuids(), lambda value: f"'{value}'::UUID", uuid.UUID),
    "BLOB": (st.binary(max_size=6), _sql_blob, _read_blob),
    "INTERVAL": (
        st.tuples(st.integers(-99, 99), st.integers(-99, 99), st.integers(-(10**11), 10**11)),
        _sql_interval,
        _read_interval,
    ),
    "ENUM": (st.sampled_from(["a", "b|c", ""]), lambda value: f"{_quoted(value)}::ENUM('a', 'b|c', '')", str),
}  # fmt: skip
NUMBERS = frozenset({"HUGEINT", "BIGNUM", "DECIMAL", "DOUBLE", "FLOAT"})


def _written(value: Fraction, scale: int) -> str:
    units = int(value * 10**scale)
    digits = str(abs(units)).zfill(scale + 1)
    return f"{'-' if units < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


def scalars(kind: str) -> st.SearchStrategy[Value]:
    return SCALARS[kind][0].map(lambda value: (kind, value))


_scalars = st.one_of(st.just(("NULL", None)), *map(scalars, SCALARS))
values: st.SearchStrategy[Value] = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.sampled_from(list(SCALARS))
        .flatmap(lambda kind: st.lists(scalars(kind), max_size=3))
        .map(lambda items: ("list", items)),
        st.dictionaries(st.sampled_from(["a", "b c", 'q"', "é|"]), inner, min_size=1, max_size=3).map(
            lambda fields: ("struct", fields)
        ),
        st.dictionaries(_texts, scalars("DECIMAL"), max_size=3).map(lambda entries: ("map", entries)),
    ),
    max_leaves=5,
)


def sql_of(value: Value) -> str:
    kind, held = value
    if kind == "NULL":
        return "NULL"
    if kind == "list":
        return f"[{', '.join(map(sql_of, held))}]"
    if kind == "struct":
        return "{" + ", ".join(f"{_quoted(key)}: {sql_of(item)}" for key, item in held.items()) + "}"
    if kind == "map":
        keys, items = ", ".join(map(_quoted, held)), ", ".join(map(sql_of, held.values()))
        return f"MAP([{keys}]::VARCHAR[], [{items}]::DECIMAL(38,10)[])"
    return SCALARS[kind][1](held)


def same(written: Any, value: Value) -> bool:
    """Whether what was read (JSON with its numbers as text) is the value."""
    kind, held = value
    if kind == "NULL":
        return written is None
    if kind == "list":
        return len(written) == len(held) and all(map(same, written, held))
    if kind in ("struct", "map"):
        return list(written) == list(held) and all(same(written[key], item) for key, item in held.items())
    if kind == "BOOLEAN":
        return written is held
    read: Any = SCALARS[kind][2](written)
    return read == (repr(held) if kind in ("DOUBLE", "FLOAT") else held)


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas(max_answer_bytes=1 << 20, max_cell_bytes=1 << 18) as pond:
        yield Asking(pond)


def loads(written: str) -> Any:
    return json.loads(written, parse_float=str, parse_int=str)


@given(values)
@example(("DATE", date(1, 1, 1)))
@example(("DECIMAL", Fraction(12345678901234567891, 10**10)))
@example(("struct", {"a": ("struct", {"b c": ("DECIMAL", Fraction(1, 10))}), 'q"': ("DOUBLE", float("nan"))}))
@example(("INTERVAL", (14, -3, 3723000500)))
@example(("BLOB", b"\x00\\x41|\xff'"))
def test_every_value_reads_back_from_every_format(ask: Asking, value: Value) -> None:
    """RENDER-01 RENDER-02 QUERY-03"""
    sql = f"SELECT {sql_of(value)} AS v, 1 AS z"
    answers = {form: ask(sql, format=form) for form in ("json", "csv", "markdown")}
    assert [reason(answer) for answer in answers.values()] == [None] * 3, text(answers["json"])
    assert same(loads(text(answers["json"]))[0]["v"], value)
    cell = list(csv.reader(io.StringIO(text(answers["csv"]), newline="")))[1][0]
    assert same(parsed(cell if value[0] != "NULL" else None, value[0]), value)
    line = text(answers["markdown"]).split("\n")[2]
    assert same(parsed(read_markdown(line.removesuffix("|1")), value[0]), value)


def parsed(cell: str | None, kind: str) -> Any:
    """A cell of a form of text, as JSON would give it."""
    if cell is None or kind in ("list", "struct", "map", "BOOLEAN"):
        return None if cell is None else loads(cell)
    return cell
