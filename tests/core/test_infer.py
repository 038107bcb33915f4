import json

import msgspec
import pytest

from millpond.core.columns import decode_exactly
from millpond.core.infer import ColumnType, Route, infer
from millpond.core.observe import Observed


def typed(*lexemes: str, chunks: int = 1) -> ColumnType:
    """The type of a column with these JSON texts, observed in so many chunks."""
    seen = Observed()
    step = -(-len(lexemes) // chunks)
    for start in range(0, len(lexemes), step):
        seen.add(decode_exactly([msgspec.Raw(text) for text in lexemes[start : start + step]]), ())
    return infer(seen)


TYPES = [
    # INFER-01
    (("true", "false", "null"), "BOOLEAN"),
    (('"a"', "null"), "VARCHAR"),
    (('"007"', '"30"'), "VARCHAR"),
    # INFER-02
    (("1", "-9223372036854775808", "9223372036854775807"), "BIGINT"),
    (("9223372036854775808",), "HUGEINT"),
    (("18446744073709551616", "-1"), "HUGEINT"),
    (("-0", "null"), "BIGINT"),
    ((str(2**127 - 1), str(-(2**127))), "HUGEINT"),
    ((str(2**127),), "BIGNUM"),
    ((str(10**60),), "BIGNUM"),
    # INFER-03
    (("0.10", "19.99"), "DECIMAL(4,2)"),
    (("1.5", "9007199254740993"), "DECIMAL(17,1)"),
    (("12345678901234567.89",), "DECIMAL(19,2)"),
    (("1e2", "1"), "DECIMAL(3,0)"),
    (("0.001",), "DECIMAL(3,3)"),
    (("0.0",), "DECIMAL(1,1)"),
    (("1.5E1", "-2.25e-1"), "DECIMAL(5,3)"),
    (("1e-7",), "DECIMAL(7,7)"),
    # INFER-04
    (("0.30000000000000004", "1.5"), "DOUBLE"),
    (("0.30000000000000004", "3"), "DOUBLE"),
    (("1e300", "1.5"), "DOUBLE"),
    # INFER-05
    (("0.30000000000000004", "9007199254740993"), "DECIMAL(33,17)"),
    (("1e300", "12345678901234567.89"), "VARCHAR"),
    (("1e400",), "VARCHAR"),
    (("1e99999999999999999999999",), "VARCHAR"),
    # INFER-06
    (("12345678901234567890", "0.5"), "DECIMAL(21,1)"),
    # INFER-07
    (("1", "true"), "VARCHAR"),
    (("1", '"x"'), "VARCHAR"),
    # INFER-08
    (('{"a":1,"b":{"c":1.5}}', "null"), 'STRUCT("a" BIGINT, "b" STRUCT("c" DECIMAL(2,1)))'),
    (("[1,2]", "[]", "null"), "BIGINT[]"),
    (('[{"name":"x"}]', "[]"), 'STRUCT("name" VARCHAR)[]'),
    (('{"a":null}', '{"b":[true]}'), 'STRUCT("a" VARCHAR, "b" BOOLEAN[])'),
    (('{"a":1}', '{"a":"x"}'), 'STRUCT("a" VARCHAR)'),
    (('{"a":1}', '{"a":[1]}'), 'STRUCT("a" JSON)'),
    # INFER-09
    (('{"a":1}', "1"), "JSON"),
    (("[1]", '"x"'), "JSON"),
    (('{"a":1,"A":2}',), "JSON"),
    (('{"":1}',), "JSON"),
    (("{}",), "JSON"),
    (('{"a":1.10}', '{"a":"x"}'), "JSON"),
    (('{"a":1.10}', '{"a":[1]}'), "JSON"),
    ((json.dumps({f"k{at}": at for at in range(65)}),), "JSON"),
    ((json.dumps({f"k{at}": at for at in range(64)}),), "STRUCT"),
    # INFER-11
    (("null", "null"), "VARCHAR"),
    (("[]",), "VARCHAR[]"),
]


@pytest.mark.parametrize(("lexemes", "sql"), TYPES)
@pytest.mark.parametrize("chunks", [1, 2])
def test_all_values_choose_the_type(lexemes: tuple[str, ...], sql: str, chunks: int) -> None:
    """INFER-01 INFER-02 INFER-03 INFER-04 INFER-05 INFER-06 INFER-07 INFER-08 INFER-09 INFER-11"""
    assert typed(*lexemes, chunks=chunks).sql.startswith(sql)


@pytest.mark.parametrize(("lexemes", "sql"), TYPES)
def test_the_order_of_the_values_does_not_matter(lexemes: tuple[str, ...], sql: str) -> None:
    """INFER-01"""
    assert typed(*reversed(lexemes)).sql.startswith(sql.split("(", maxsplit=1)[0])


def test_deep_nesting_stays_json() -> None:
    """INFER-08"""
    deep = "1"
    for _ in range(12):
        deep = f'{{"a":{deep}}}'
    assert typed(deep).sql.count("STRUCT") == 8
    assert typed(deep).sql.endswith("JSON" + ")" * 8)


@pytest.mark.parametrize(
    ("lexemes", "exact", "note"),
    [
        (("1", "true"), False, "mixed boolean, number"),
        (("1.10", '"x"'), False, "mixed number, string"),
        (("0.30000000000000004",), False, None),
        (("1e400",), True, "numbers too long for DECIMAL and DOUBLE, kept as text"),
        (('{"a":1}', "1"), True, "mixed number, object"),
        (('"2026-01-01T10:00:00Z"', '"2026-01-01"', '"2026-01-01 10:00:00.123+02:00"'), True, "ISO 8601"),
        (('"2024-02-01"', '"2024-02-31"'), True, None),
        (('"2026-01-01T10:00:00Z"', '"soon"'), True, None),
        (("null",), True, "no values"),
        (("1.5",), True, None),
    ],
)
def test_a_column_says_what_is_to_be_known_of_its_values(
    lexemes: tuple[str, ...], exact: bool, note: str | None
) -> None:
    """INFER-05 INFER-07 INFER-10 INFER-12"""
    kind = typed(*lexemes)
    assert (kind.exact, kind.note) == (exact, note)


@pytest.mark.parametrize(
    ("lexemes", "route", "spec"),
    [
        (("null",), Route.DIRECT, "VARCHAR"),
        (("true",), Route.DIRECT, "BOOLEAN"),
        (('"x"',), Route.DIRECT, "VARCHAR"),
        (("1",), Route.DIRECT, "BIGINT"),
        ((str(2**64),), Route.DIRECT, "HUGEINT"),
        ((str(2**128),), Route.TEXT, "BIGNUM"),
        (("1.5",), Route.DIRECT, "DECIMAL(2,1)"),
        (("0.30000000000000004",), Route.DIRECT, "DOUBLE"),
        (("1e400",), Route.TEXT, None),
        (("1", "true", '"x"'), Route.TEXT, None),
        (('{"a":1,"b":[null]}',), Route.DIRECT, {"a": "BIGINT", "b": ["VARCHAR"]}),
        (('[{"a":[1.5]}]',), Route.DIRECT, [{"a": ["DECIMAL(2,1)"]}]),
        (('{"a":1}', '{"a":"x"}', '{"a":true}'), Route.DIRECT, {"a": "VARCHAR"}),
        (('{"a":1}', '{"a":[1]}'), Route.DIRECT, {"a": "JSON"}),
        (('{"a":{"b":1,"B":2}}',), Route.DIRECT, {"a": "JSON"}),
        (('{"a":{"b":1.10,"B":2}}',), Route.JSON, None),
        (('[{"b":1.10,"B":2}]',), Route.JSON, None),
        ((f'{{"a":{2**128}}}',), Route.JSON, None),
        (("[1]", '{"a":1}'), Route.JSON, None),
    ],
)  # fmt: skip
def test_a_type_tells_how_its_cells_are_read(lexemes: tuple[str, ...], route: Route, spec: object) -> None:
    """INFER-07 INFER-08 INFER-09"""
    kind = typed(*lexemes)
    assert (kind.route, kind.spec) == (route, spec)


@pytest.mark.parametrize(
    ("lexemes", "sql"),
    [
        (("0",), "BIGINT"),
        (("-5", "-9223372036854775809"), "HUGEINT"),
        (("5", "9223372036854775808"), "HUGEINT"),
        ((str(-(2**127) - 1),), "BIGNUM"),
        (("0.12345678901234567890123456789012345678",), "DECIMAL(38,38)"),
        (("1.12345678901234567890123456789012345678",), "VARCHAR"),
        (("1234567890123456789012345678.1234567890",), "DECIMAL(38,10)"),
        (("123456789012345.5",), "DOUBLE"),
        (("12345678901234.5",), "DECIMAL(15,1)"),
        (('{"a\\u0000":1}',), "JSON"),
    ],
)
def test_types_end_where_their_digits_end(lexemes: tuple[str, ...], sql: str) -> None:
    """INFER-02 INFER-03 INFER-04 INFER-09"""
    assert typed(*lexemes).sql == sql


def test_what_is_too_wide_keeps_its_text_wherever_it_lies() -> None:
    """INFER-09"""
    wide = json.dumps({f"k{at}": at for at in range(65)})
    assert typed(f'{{"a":{wide}}}').route is Route.JSON
    assert typed(f'{{"a":[{wide}],"b":1}}').route is Route.JSON
    assert typed('{"a":{"x":1}}', '{"a":[18446744073709551616]}').route is Route.JSON
    assert typed('{"a":{"x":1}}', '{"a":["y"]}').route is Route.DIRECT
    assert typed("{}").note is None


def test_lists_count_as_depth_too() -> None:
    """INFER-08"""
    assert typed("[" * 8 + "1" + "]" * 8).sql == "BIGINT" + "[]" * 8
    assert typed("[" * 9 + "1" + "]" * 9).sql == "JSON" + "[]" * 8
    assert typed("[" * 9 + "1.10" + "]" * 9).sql == "JSON"


def test_exponents_and_numbers_that_are_not_finite_are_told() -> None:
    """INFER-04"""
    assert typed("1e2").exponents
    assert not typed("1.5").exponents
    seen = Observed()
    seen.add(decode_exactly([msgspec.Raw(b"0e9000000"), msgspec.Raw(b"1.5")]), ("0e9000000",))
    assert (infer(seen).sql, infer(seen).note) == ("DOUBLE", "NaN or Infinity among them")


def test_what_duckdb_would_write_anew_is_handed_over_as_text() -> None:
    """INFER-07 INFER-09"""
    assert typed("1.10", '"x"').route is Route.TEXT
    assert typed('{"a":1.10}', "1").route is Route.JSON
    assert typed(str(10**60)).route is Route.TEXT
