"""JSON that strict decoders refuse, made strict."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.relaxed import MAX_DEPTH, MAX_INTEGER_DIGITS, Relaxed, is_strict, relax

VALUES: st.SearchStrategy[object] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["NaN", "0e9000000", '\\"', "\\"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.just("NaN"), inner, max_size=4),
    max_leaves=12,
)


def relaxed(text: str) -> Relaxed:
    found = relax(text.encode())
    assert found is not None
    return found


def restored(found: Relaxed) -> bytes:
    text = found.json
    for marker, token in found.markers.items():
        text = text.replace(marker, token)
    return text


def visible(value: object) -> object:
    """The value with its lone surrogates as six characters; pairs of them are one character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "backslashreplace")
    if isinstance(value, list):
        return list(map(visible, cast("list[object]", value)))
    if isinstance(value, dict):
        return {visible(key): visible(member) for key, member in cast("dict[str, object]", value).items()}
    return value


def test_not_a_number_becomes_the_lexeme_of_a_zero_that_occurs_nowhere_else() -> None:
    """FORMS-04"""
    text = (
        '[NaN, -Infinity, {"a":Infinity}, "NaN", "0e9000000", 0.0e9000002, 0E+09000004,'
        " 0e9000003000000000, 0e90000040000000000000]"
    )
    found = relaxed(text)
    assert restored(found).decode() == text
    exponents = [Decimal(marker.decode()).as_tuple().exponent for marker in found.markers]
    assert not {9000000, 9000001, 9000004} & set(exponents)
    assert len(set(exponents)) == 3


@pytest.mark.parametrize(
    "text",
    ["[1NaN]", "[NaN1]", "[--Infinity]", "[-NaN]", "[+Infinity]", "[NaN.5]", "[Na]", "NaN NaN", '["NaN'],
)
def test_a_word_that_only_holds_one_is_no_json(text: str) -> None:
    """FORMS-04"""
    assert relax(text.encode()) is None


def test_lone_surrogates_become_visible_and_pairs_stay() -> None:
    """FORMS-05"""
    found = relaxed(r'["\ud800", "\ud83d\ude00", "\\ud800", "\uDC00x\ud800\ud800\udc00", "é\u00e9"]')
    assert found.json.decode() == r'["\\ud800", "\ud83d\ude00", "\\ud800", "\\uDC00x\\ud800\ud800\udc00", "é\u00e9"]'
    assert found.notes


def test_integers_of_thousands_of_digits_become_text() -> None:
    """FORMS-06"""
    long, longest = "9" * (MAX_INTEGER_DIGITS + 1), "9" * MAX_INTEGER_DIGITS
    text = f'[{long},-{long},{longest},0.{long},{long}.5,{long}e1,1e{long},"{long}",{{"{long}":{long}}}]'
    found = relaxed(text)
    assert found.json.decode() == (
        f'["{long}","-{long}",{longest},0.{long},{long}.5,{long}e1,1e{long},"{long}",{{"{long}":"{long}"}}]'
    )
    assert len(found.notes) == 1
    assert not is_strict(text.encode())
    assert is_strict(found.json)


def test_nesting_past_the_bound_is_refused() -> None:
    """FORMS-07"""
    assert relax(b"[" * MAX_DEPTH + b"NaN" + b"]" * MAX_DEPTH) is not None
    assert relax(b"[" * (MAX_DEPTH + 1) + b"NaN" + b"]" * (MAX_DEPTH + 1)) is None
    assert relax(b"[" * 100_000 + b"NaN" + b"]" * 100_000) is None
    assert relax(b'["' + b"[" * 1000 + b'\\"[", NaN]') is not None


def test_what_is_strict_stays_as_it_is() -> None:
    """FORMS-01"""
    text = b'{"a":1.10,"a":-0,"b":"NaN \\" \\\\"}'
    found = relax(text)
    assert found == Relaxed(json=text, markers={}, notes=())


def test_a_long_text_full_of_digits_is_strict_where_no_integer_is_long() -> None:
    """FORMS-06"""
    text = "[" + ",".join(["1234567"] * 2000) + "]"
    assert is_strict(text.encode())
    assert relaxed(text).json.decode() == text


@given(VALUES)
def test_whatever_json_writes_comes_back(value: object) -> None:
    """FORMS-04, FORMS-05"""
    text = json.dumps([value])
    found = relaxed(text)
    assert is_strict(found.json)
    assert repr(json.loads(restored(found))) == repr(visible(json.loads(text)))


@given(
    st.lists(
        st.sampled_from(["NaN", "-", "Infinity", '"', "\\", "\\ud800", "[", "]", ",", "0e9", "9" * 4001, "1"]),
        max_size=12,
    )
)
def test_any_bytes_give_strict_json_or_none(parts: list[str]) -> None:
    """FORMS-02"""
    found = relax("".join(parts).encode())
    if found is not None:
        msgspec.json.decode(found.json, type=msgspec.Raw)
        assert is_strict(found.json)
