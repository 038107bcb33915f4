"""Observe: what is gathered of the values at one place, whatever the chunks they come in."""

from __future__ import annotations

import json

import msgspec
import pytest

from millpond.core.columns import decode_exactly
from millpond.core.observe import BEYOND_ANY_TYPE, MAX_FIELDS, Observed


def observed(*lexemes: str, markers: tuple[str, ...] = (), top: bool = False) -> Observed:
    seen = Observed(top=top)
    seen.add(decode_exactly([msgspec.Raw(text) for text in lexemes]), markers)
    return seen


def both(*lexemes: str) -> tuple[Observed, Observed]:
    """The same values in one chunk, and one a chunk."""
    apart = Observed()
    for lexeme in lexemes:
        apart.add(decode_exactly([msgspec.Raw(lexeme)]), ())
    return observed(*lexemes), apart


def test_each_kind_is_counted() -> None:
    """INFER-07"""
    values = ("null", "true", "1", "1.5", "1e2", '"x"', "[]", "{}", "2", "null", "false", '"y"', "[1]", '{"a":1}')
    for seen in both(*values):
        counts = (seen.nulls, seen.booleans, seen.integers, seen.fractions, seen.strings, seen.lists, seen.objects)
        assert counts == (2, 2, 2, 2, 2, 2, 2)
        assert seen.present() == 12


def test_a_range_that_was_left_once_stays_left() -> None:
    """INFER-04"""
    for seen in both("9007199254740993", "1"):
        assert not seen.integers_survive
    for seen in both("0.12345678901234567890", "0.5", "0.1234567890123456"):
        assert (seen.long_fraction, seen.numbers_survive) == (True, False)


@pytest.mark.parametrize(
    ("lexemes", "low", "high", "survive"),
    [
        (("5", "-3", "4"), -3, 5, True),
        (("9007199254740992", "-9007199254740992"), -(2**53), 2**53, True),
        (("9007199254740993",), 2**53 + 1, 2**53 + 1, False),
        (("-9007199254740993", "1"), -(2**53) - 1, 1, False),
        (("9007199254740994",), 2**53 + 2, 2**53 + 2, True),
        (("1" + "0" * 400,), 10**400, 10**400, False),
    ],
)
def test_integers_have_a_range_and_survive_a_double_or_not(
    lexemes: tuple[str, ...], low: int, high: int, survive: bool
) -> None:
    """INFER-02 INFER-04"""
    for seen in both(*lexemes):
        assert (seen.low, seen.high, seen.integers_survive) == (low, high, survive)


@pytest.mark.parametrize(
    ("lexemes", "whole", "fraction", "long", "survive"),
    [
        (("0.5",), 0, 1, False, True),
        (("-0.5",), 0, 1, False, True),
        (("10.25", "1.125"), 2, 3, False, True),
        (("-12.5",), 2, 1, False, True),
        (("0.123456789012345",), 0, 15, False, True),
        (("0.1234567890123456",), 0, 16, True, True),
        (("1.100000000000000000",), 1, 18, False, True),
        (("0.12345678901234567890",), 0, 20, True, False),
        (("1234567890123456.5",), 16, 1, True, True),
        (("12345678901234567.25",), 17, 2, True, False),
        (("1e2",), 3, 0, False, True),
        (("12e-1",), 1, 1, False, True),
        (("1e-5",), 0, 5, False, True),
        (("1e400",), 401, 0, False, False),
        (("0e5", "0.0"), 0, 1, False, True),
        (("1.5", "1e99999999999999999999"), BEYOND_ANY_TYPE, 1, False, False),
        (("1234567890123456e-1",), 15, 1, True, True),
        (("1234567890123456e1",), 17, 0, False, True),
        (("1234567890123456e0",), 16, 0, False, True),
        (("0.1000000000000000", "0.123456789012345"), 0, 16, False, True),
        (("1.0000000000000000000",), 1, 19, False, True),
        (("1.230000000000000000",), 1, 18, False, True),
        (("100.0",), 3, 1, False, True),
        (("0.5", "1e2", "20.25"), 3, 2, False, True),
    ],
)
def test_fractions_have_digits_on_both_sides_and_survive_a_double_or_not(
    lexemes: tuple[str, ...], whole: int, fraction: int, long: bool, survive: bool
) -> None:
    """INFER-03 INFER-04 INFER-06"""
    for seen in both(*lexemes):
        assert (seen.whole_digits, seen.fraction_digits) == (whole, fraction)
        assert (seen.long_fraction, seen.numbers_survive) == (long, survive)


def test_markers_count_as_not_finite_and_have_no_digits() -> None:
    """INFER-04"""
    seen = observed("0e9000000", "0e9000001", "1.5", markers=("0e9000000", "0e9000001"))
    assert (seen.nonfinite, seen.fractions, seen.whole_digits, seen.fraction_digits) == (2, 3, 1, 1)
    assert not seen.exponents


def test_exponents_are_seen_at_any_depth() -> None:
    """INFER-03"""
    assert observed("1e2").has_exponents()
    assert observed('{"a":[{"b":1e2}]}').has_exponents()
    assert not observed('{"a":[{"b":1.5}],"c":"1e2"}').has_exponents()


@pytest.mark.parametrize(
    ("texts", "stamps"),
    [
        (["2026-01-01", "2026-01-01T10:00", "2026-01-01 10:00:00,5"], True),
        (["2026-01-01T10:00:00.123456789+0200", "2026-01-01T10:00:00Z"], True),
        (["2026-01-01", "soon"], False),
        (["soon", "2026-01-01"], False),
        (["2026-1-1"], False),
        (["2026-01-01T10:00:00.1234567890Z"], False),
        (["x2026-01-01"], False),
        (["٢٠٢٦-٠١-٠١"], False),
    ],
)
def test_strings_are_all_stamps_or_not(texts: list[str], stamps: bool) -> None:
    """INFER-10"""
    for seen in both(*map(json.dumps, texts)):
        assert seen.stamps is stamps


def test_fields_and_elements_are_observed_below_and_missing_ones_are_not_values() -> None:
    """INFER-08 INFER-11"""
    for seen in both('{"a":1}', '{"b":[1,"x"]}', '{"a":2.5,"b":[]}'):
        assert set(seen.fields) == {"a", "b"}
        a, b = seen.fields["a"], seen.fields["b"]
        assert (a.present(), a.integers, a.fractions) == (2, 1, 1)
        assert b.elements is not None
        assert (b.lists, b.elements.integers, b.elements.strings) == (2, 1, 1)


@pytest.mark.parametrize("chunks", [1, 2])
def test_too_many_keys_between_objects_are_no_fields_but_the_rows_own_may_be_many(chunks: int) -> None:
    """INFER-09"""
    wide = json.dumps({f"k{at}": {"x": at} for at in range(MAX_FIELDS)})
    more = json.dumps({f"m{at}": [{"y": at}] for at in range(2)})
    seen, top = Observed(), Observed(top=True)
    for one in (seen, top):
        for part in ([wide, more],) if chunks == 1 else ([wide], [more]):
            one.add(decode_exactly([msgspec.Raw(text) for text in part]), ())
    assert (seen.too_wide, seen.fields) == (True, {})
    assert (top.too_wide, len(top.fields)) == (False, MAX_FIELDS + 2)
    assert not observed(wide).too_wide
    assert seen.total_members() == top.total_members() == 2 * MAX_FIELDS + 4


def test_members_after_too_many_keys_are_still_counted() -> None:
    """STORE-08"""
    wide = json.dumps({f"k{at}": at for at in range(MAX_FIELDS + 1)})
    seen = observed(wide)
    seen.add(decode_exactly([msgspec.Raw('{"a":{"b":[{"c":1}]},"d":[[{"e":2}]]}')]), ())
    assert seen.total_members() == MAX_FIELDS + 1 + 5


def test_members_are_those_of_all_objects_below() -> None:
    """STORE-08"""
    assert observed('{"a":{"b":1,"c":[{"d":1},{"d":2}]},"e":null}').total_members() == 6


def test_sparse_objects_and_dense_ones_are_observed_alike() -> None:
    """INFER-08"""
    sparse = [json.dumps({f"k{at}": at, "all": 1}) for at in range(20)]
    seen = observed(*sparse, top=True)
    assert all(seen.fields[f"k{at}"].high == at for at in range(20))
    assert seen.fields["all"].integers == 20
