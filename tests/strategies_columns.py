"""Strategies for columns: the lexemes of a column's cells, by the type that the column gets."""

from __future__ import annotations

import json

from hypothesis import strategies as st

Cells = list["str | None"]
"""Each cell as JSON text; None for null."""


def _around(*middles: int) -> st.SearchStrategy[int]:
    return st.one_of(*(st.integers(middle - 3, middle + 3) for middle in middles))


def _fraction(units: int, scale: int) -> str:
    digits = str(abs(units)).zfill(scale + 1)
    return f"{'-' if units < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"


_small = st.integers(-5, 5)
_money = st.integers(-(10**4), 10**4).map(lambda units: _fraction(units, 2))
_wide = st.integers(-(10**24), 10**24).map(lambda units: _fraction(units, 4))
_doubles = st.one_of(
    st.floats(-1e3, 1e3, allow_nan=False).map(repr),
    st.floats(-1e60, 1e60, allow_nan=False, allow_subnormal=False).map(repr),
    st.sampled_from(["0.1", "0.2", "1e16", "-1e16", "1.5"]),
)
_texts = st.one_of(
    st.sampled_from(["9", "10", "2.5", "-3", "007", "", "NULL", "a|b", "é"]),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=4),
)
_mixed = st.sampled_from(['"9"', '"10"', "[1]", "[1.10]", '{"a":1}', "3", '"x"', "true"])

_TYPES: dict[str, tuple[list[str], st.SearchStrategy[str]]] = {
    "BOOLEAN": (["true"], st.sampled_from(["true", "false"])),
    "BIGINT": (["7"], st.one_of(_small, _around(2**53, -(2**53), 2**62, -(2**62))).map(str)),
    "HUGEINT": ([str(2**70 + 1)], st.one_of(_small, _around(2**53, 2**70, -(2**100))).map(str)),
    "BIGNUM": ([str(10**45 + 1)], st.one_of(_small, _around(2**53, 10**45, -(10**45))).map(str)),
    "DECIMAL": (["1.10"], st.one_of(_money, _money, _wide)),
    "DOUBLE": (["0.30000000000000004"], _doubles),
    "VARCHAR": (['"12"'], _texts.map(json.dumps)),
    "JSON": (["[1]", '"10"'], _mixed),
}
"""For each type the cells that make it the column's type, and the other ones."""
TYPES = tuple(_TYPES)


def columns(kind: str, *, nulls: bool = True) -> st.SearchStrategy[Cells]:
    """The cells of a column that gets this type: 1 to 9, in any order."""
    first, others = _TYPES[kind]
    cell = st.none() | others if nulls else others
    return st.lists(cell, max_size=8).flatmap(lambda rest: st.permutations([*first, *rest]))


def rows_of(cells: Cells) -> str:
    """The JSON text of rows `{"i": number, "x": cell}`."""
    return "[" + ",".join(f'{{"i":{at},"x":{"null" if cell is None else cell}}}' for at, cell in enumerate(cells)) + "]"
