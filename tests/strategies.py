"""Strategies: JSON as servers write it, by lexeme, so that the text is what is tested and not a Python value."""

from __future__ import annotations

import json

from hypothesis import strategies as st

_integers = st.one_of(
    st.integers(-100, 100),
    st.integers(-(2**63) - 2, 2**63 + 2),
    st.integers(-(2**127) - 2, 2**127 + 2),
    st.integers(-(10**60), 10**60),
).map(str)


def _fraction(whole: int, digits: str, exponent: str) -> str:
    return f"{whole}.{digits}{exponent}"


_exponents = st.one_of(
    st.just(""),
    st.just(""),
    st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 12)),
)
_fractions = st.builds(
    _fraction, st.integers(-(10**20), 10**20), st.text("0123456789", min_size=1, max_size=20), _exponents
)
_small_fractions = st.builds(
    _fraction, st.integers(-999, 999), st.text("0123456789", min_size=1, max_size=3), st.just("")
)
_powers = st.builds("{}e{}".format, st.integers(-99, 99), st.integers(-30, 40))
_floats = st.floats(allow_nan=False, allow_infinity=False).map(repr)

numbers = st.one_of(_integers, _small_fractions, _fractions, _powers, _floats, st.just("-0"), st.just("-0.0"))
"""Lexemes of JSON numbers."""

_texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12),
    st.sampled_from(
        ["", "007", "1.10", "true", "null", ":", '":', '" :', "a|b", "line\nend", "2026-01-01T10:00:00Z", "\0"]
    ),
)


@st.composite
def strings(draw: st.DrawFn) -> str:
    """Lexemes of JSON strings, escaped or not."""
    return json.dumps(draw(_texts), ensure_ascii=draw(st.booleans()))


_keys = st.one_of(st.sampled_from(["a", "b", "A", "id", "order", 'q"x', "", "_key", "_row", "é", "a.b"]), _texts)

scalars = st.one_of(st.sampled_from(["null", "true", "false"]), numbers, strings())
"""Lexemes of JSON scalars."""


def _list(items: list[str]) -> str:
    return "[" + ",".join(items) + "]"


def _object(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(key)}:{value}" for key, value in members) + "}"


values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(_list), st.lists(st.tuples(_keys, inner), max_size=4).map(_object)
    ),
    max_leaves=12,
)
"""Texts of any JSON value; an object may have a key twice."""


@st.composite
def row_lists(draw: st.DrawFn) -> str:
    """The text of a list of objects that have keys in common, as tools answer."""
    keys = draw(st.lists(_keys, min_size=1, max_size=4, unique=True))
    kinds = {
        key: draw(st.sampled_from([numbers, _small_fractions, strings(), _integers, scalars, values])) for key in keys
    }
    cells = {key: st.one_of(kinds[key], st.just("null")) for key in keys}
    row: st.SearchStrategy[dict[str, str]] = st.fixed_dictionaries({}, optional=cells)
    rows = draw(st.lists(row, min_size=1, max_size=12))
    return _list([_object(list(row.items())) for row in rows])
