"""Types: one column `v` of these JSON texts, the type that holds them all, and what is asked of it.

Rule: a row of `COLUMNS` is a case; what needs more than one column stands below. Imports `cases.case` only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal

from cases.case import Answer, Case, Table, rows, structured

_NOISE = 0.1 + 0.2
_STAMPS = ["2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z"]
_LONG = "x" * 1_000_000
_LONGEST = '{"a":1' + "0" * 50 + "}"

COLUMNS: tuple[tuple[str, Sequence[str], str, Mapping[str, Answer]], ...] = (
    # Integers.
    ("integers", ["1", "-2", "3"], "BIGINT", {"sum(v), min(v), max(v)": (2, -2, 3)}),
    ("64 bits at both ends", [str(2**63 - 1), str(-(2**63))], "BIGINT", {"sum(v), min(v)": (-1, -(2**63))}),
    ("past 2^53", [str(2**53 + 1), str(2**53 + 3)], "BIGINT", {"sum(v), count(DISTINCT v)": (2**54 + 4, 2)}),
    ("one past 64 bits", [str(2**63), "0"], "HUGEINT", {"max(v), sum(v)": (2**63, 2**63)}),
    ("unsigned 64 bits", [str(2**64 - 1), "1"], "HUGEINT", {"max(v), sum(v)": (2**64 - 1, 2**64)}),
    ("past unsigned 64 bits", [str(2**64), "-1"], "HUGEINT", {"sum(v)": 2**64 - 1}),
    ("128 bits at both ends", [str(2**127 - 1), str(-(2**127))], "HUGEINT", {"max(v), min(v)": (2**127 - 1, -(2**127))}),
    ("one past 128 bits", [str(2**127), "5"], "BIGNUM", {"max(v), sum(v)": (2**127, 2**127 + 5)}),
    ("one below 128 bits", [str(-(2**127) - 1)], "BIGNUM", {"min(v)": -(2**127) - 1}),
    ("400 digits", ["7" * 400, "-" + "7" * 400], "BIGNUM", {"sum(v), max(v)": (0, int("7" * 400))}),
    ("5,000 digits", ["7" * 5000, "1"], "VARCHAR", {"max(length(v)), count(*)": (5000, 2)}),
    ("negative zero", ["-0", "0", "5"], "BIGINT", {"sum(v), count(DISTINCT v)": (5, 2)}),
    ("null in all but one", ["null"] * 500 + ["5"], "BIGINT", {"sum(v), count(v), count(*)": (5, 1, 501)}),
    ("only null", ["null"] * 3, "VARCHAR", {"count(v), count(*)": (0, 3)}),
    # Fractions.
    ("money", ["0.10", "0.20", "19.99"], "DECIMAL(4,2)", {"sum(v)": Decimal("20.29")}),
    ("growing scale", ["1.5", "1.25", "1.125", "1.0625"], "DECIMAL(5,4)", {"sum(v)": Decimal("4.9375")}),
    ("zeros at the end", ["1.10", "1.100", "1.1"], "DECIMAL(4,3)", {"count(DISTINCT v), sum(v)": (1, Decimal("3.3"))}),
    ("a fraction that comes late", ["7"] * 900 + ["1.5"], "DECIMAL(2,1)", {"sum(v), max(v)": (Decimal("6301.5"), 7)}),
    ("an integer past 2^53 beside", [str(2**53 + 1), "0.5"], "DECIMAL(17,1)", {"max(v)": 2**53 + 1}),
    ("20 digits and a fraction", ["12345678901234567890", "0.5"], "DECIMAL(21,1)", {"sum(v)": Decimal("12345678901234567890.5")}),
    ("17 digits and two more", ["12345678901234567.89"], "DECIMAL(19,2)", {"max(v)": Decimal("12345678901234567.89")}),
    ("38 digits", ["1234567890123456789012345678.0123456789"], "DECIMAL(38,10)", {"max(v)": Decimal("1234567890123456789012345678.0123456789")}),
    ("39 digits, none a double", ["1234567890123456789012345678.01234567891", "0.5"], "VARCHAR", {"max(v)": "1234567890123456789012345678.01234567891"}),
    ("negative zero with a fraction", ["-0.0", "0.0", "1.5"], "DECIMAL(2,1)", {"sum(v), count(DISTINCT v)": (Decimal("1.5"), 2)}),
    ("fractions below zero", ["-1.25", "-0.75"], "DECIMAL(3,2)", {"sum(v), min(v)": (-2, Decimal("-1.25"))}),
    ("coordinates", ["59.913868", "-0.127647"], "DECIMAL(8,6)", {"max(v) - min(v)": Decimal("60.041515")}),
    ("noise of doubles", [repr(_NOISE), "1.5"], "DOUBLE", {"min(v), max(v)": (_NOISE, 1.5)}),
    ("noise beside a small integer", [repr(_NOISE), "3"], "DOUBLE", {"max(v)": 3.0}),
    ("noise beside an integer past 2^53", [repr(_NOISE), str(2**53 + 1)], "DECIMAL(33,17)", {"max(v), min(v)": (2**53 + 1, Decimal(repr(_NOISE)))}),
    ("numbers with 15 digits", ["0.123456789012345", "2.0"], "DECIMAL(16,15)", {"sum(v)": Decimal("2.123456789012345")}),
    # Exponents.
    ("exponents", ["1e2", "2E+1", "5e-1"], "DECIMAL(4,1)", {"sum(v), max(v)": (Decimal("120.5"), 100)}),
    ("whole exponents", ["1e2", "3"], "DECIMAL(3,0)", {"sum(v)": 103}),
    ("zero with an exponent", ["0e5", "0.0e-3", "1.5"], "DECIMAL(2,1)", {"sum(v)": Decimal("1.5")}),
    ("small exponents", ["1e-7", "2.5e-7"], "DECIMAL(8,8)", {"sum(v)": Decimal("3.5e-7")}),
    ("1e300", ["1e300", "1.5"], "DOUBLE", {"max(v), min(v)": (1e300, 1.5)}),
    ("1e-300", ["1e-300", "0.5"], "DOUBLE", {"min(v)": 1e-300}),
    ("past every double", ["1e400", "1.5"], "VARCHAR", {"max(length(v)), count(*)": (5, 2)}),
    ("the least double", ["5e-324", "1.7976931348623157e308"], "DOUBLE", {"min(v), max(v)": (5e-324, 1.7976931348623157e308)}),
    ("an exponent of twenty digits", ["1e99999999999999999999", "1"], "VARCHAR", {"count(*)": 2}),
    # NaN and the infinities, which JSON has no word for.
    ("NaN", ["NaN", "2.5", "1"], "DOUBLE", {"count(v), count(*) FILTER (isnan(v)), sum(v) FILTER (NOT isnan(v))": (3, 1, 3.5)}),
    ("the infinities", ["Infinity", "-Infinity", "0.5"], "DOUBLE", {"max(v) = 'inf'::DOUBLE, min(v) = '-inf'::DOUBLE": (True, True)}),
    ("NaN beside integers", ["NaN", "1", "2"], "DOUBLE", {"sum(v) FILTER (NOT isnan(v))": 3.0}),
    ("NaN as a word", ['"NaN"', '"x"'], "VARCHAR", {"count(*) FILTER (v = 'NaN')": 1}),
    # Booleans, and kinds side by side.
    ("booleans", ["true", "false", "null", "true"], "BOOLEAN", {"count(*) FILTER (v), count(v)": (2, 3)}),
    ("a boolean that comes late", ["7"] * 600 + ["true"], "VARCHAR", {"count(*) FILTER (v = 'true'), sum(TRY_CAST(v AS BIGINT))": (1, 4200)}),
    ("a text that comes late", ["7"] * 600 + ['"n/a"'], "VARCHAR", {"count(*) FILTER (v = 'n/a'), count(*) FILTER (v = '7')": (1, 600)}),
    ("numbers beside texts of numbers", ["1.10", '"1.10"', "1.1"], "VARCHAR", {"count(*) FILTER (v = '1.10')": 2}),
    ("a null that comes late", ["7"] * 600 + ["null"], "BIGINT", {"sum(v), count(*) - count(v)": (4200, 1)}),
    ("an object that comes late", ["1"] * 9 + ['{"a":1.10}'], "JSON", {"count(*) FILTER (json_type(v) = 'OBJECT'), max(v::VARCHAR)": (1, '{"a":1.10}')}),
    ("a list beside an object", ["[1]", '{"a":1}'], "JSON", {"count(*) FILTER (json_type(v) = 'ARRAY')": 1}),
    # Texts.
    ("empty texts", ['""', '"a"', "null"], "VARCHAR", {"count(*) FILTER (v = ''), count(v)": (1, 2)}),
    ("leading zeros", ['"007"', '"30"'], "VARCHAR", {"min(v), max(v)": ("007", "30")}),
    ("texts of numbers", ['"1"', '"2"'], "VARCHAR", {"sum(v::BIGINT)": 3}),
    ("texts of booleans", ['"true"', '"false"'], "VARCHAR", {"count(*) FILTER (v = 'true')": 1}),
    ("ISO stamps", list(map(json.dumps, _STAMPS)), "VARCHAR", {"min(v::TIMESTAMPTZ)::VARCHAR LIKE '2026-01-01 0%', min(v)": (True, _STAMPS[1])}),
    ("dates", ['"2026-01-31"', '"2026-02-28"'], "VARCHAR", {"max(v::DATE) - min(v::DATE)": 28}),
    ("UUIDs", ['"0f8fad5b-d9cb-469f-a165-70867728950e"', '"7c9e6679-7425-40de-944b-e07fc1f90ae7"'], "VARCHAR", {"min(v)": "0f8fad5b-d9cb-469f-a165-70867728950e"}),
    ("URLs", ['"https://example.org/a?b=c&d=%20#e"', '"ftp://x"'], "VARCHAR", {"max(v)": "https://example.org/a?b=c&d=%20#e"}),
    ("escapes", [r'"a\"b\\c\/d\b\f\n\r\t\u00e9"', '"z"'], "VARCHAR", {"min(length(v)), min(v) = concat('a\"b\\c/d', chr(8), chr(12), chr(10), chr(13), chr(9), 'é')": (1, True)}),
    ("NUL", [r'"a\u0000b"', '"c"'], "VARCHAR", {"max(length(v)), count(*) FILTER (contains(v, chr(0)))": (3, 1)}),
    ("a lone surrogate", [r'"\ud800"', r'"\udc00x"', '"y"'], "VARCHAR", {"count(*) FILTER (v = '\\ud800'), max(v)": (1, "y")}),
    ("a pair of surrogates", [r'"\ud83d\ude00"', '"😀"'], "VARCHAR", {"count(DISTINCT v), min(length(v))": (1, 1)}),
    ("1 MB cells", [f'"{_LONG}"', '"y"'], "VARCHAR", {"max(length(v)), max(v), min(v) = repeat('x', 1000000)": (1_000_000, "y", True)}),
    ("normal forms stay two", [r'"\u00e9"', r'"e\u0301"'], "VARCHAR", {"count(DISTINCT v)": 2}),
    ("quotes and SQL", ['"\'; DROP TABLE calls; --"', '"\\"x\\""'], "VARCHAR", {"count(*) FILTER (v = '\"x\"')": 1}),
    # Nested values.
    ("objects", ['{"a":1,"b":{"c":"x"}}', '{"a":2,"b":null}'], 'STRUCT("a" BIGINT, "b" STRUCT("c" VARCHAR))', {"sum(v.a), max(v.b.c)": (3, "x")}),
    ("objects whose keys differ", ['{"a":1}', '{"b":1.5}'], 'STRUCT("a" BIGINT, "b" DECIMAL(2,1))', {"sum(v.a), sum(v.b)": (1, Decimal("1.5"))}),
    ("lists of numbers", ["[1,2]", "[]", "null", "[3.5]"], "DECIMAL(2,1)[]", {"sum(len(v)), sum(list_sum(v))": (3, Decimal("6.5"))}),
    ("lists of texts", ['["a","b"]', '["b"]'], "VARCHAR[]", {"SELECT t, count(*) FROM (SELECT unnest(v) AS t FROM {t}) GROUP BY ALL ORDER BY ALL": [("a", 1), ("b", 2)]}),
    ("lists of objects", ['[{"n":"bug"},{"n":"x"}]', "[]"], 'STRUCT("n" VARCHAR)[]', {"SELECT count(*) FROM (SELECT unnest(v).n AS n FROM {t}) WHERE n = 'bug'": 1}),
    ("lists of lists", ["[[1,2],[3]]", "[[]]"], "BIGINT[][]", {"max(v[1][2]), sum(len(v))": (2, 3)}),
    ("only empty lists", ["[]", "[]"], "VARCHAR[]", {"sum(len(v))": 0}),
    ("only empty objects", ["{}", "{}"], "JSON", {"count(*) FILTER (v::VARCHAR = '{}')": 2}),
    ("a map in disguise", ["{" + ",".join(f'"k{at}":{at}.10' for at in range(65)) + "}"], "JSON", {"v ->> 'k64'": Decimal("64.10"), "contains(v::VARCHAR, '64.10')": True}),
    ("keys inside that differ in case", ['{"a":1,"A":2}'], "JSON", {"v ->> 'A'": 2}),
    ("kinds side by side inside", ['{"a":1}', '{"a":"x"}'], 'STRUCT("a" VARCHAR)', {"min(v.a), max(v.a)": ("1", "x")}),
    ("fractions beside texts inside", ['{"a":1.10}', '{"a":"x"}'], "JSON", {"min(v::VARCHAR)": '{"a":"x"}', "max(v ->> 'a')": "x"}),
    ("long integers inside", ['{"a":18446744073709551616}'], 'STRUCT("a" HUGEINT)', {"max(v.a)": 2**64}),
    ("longer integers inside", [_LONGEST], "JSON", {"v::VARCHAR": _LONGEST}),
)  # fmt: skip


def _column(name: str, lexemes: Sequence[str], kind: str, asks: Mapping[str, Answer]) -> Case:
    result = rows(*(f'{{"v":{lexeme}}}' for lexeme in lexemes))
    table = Table("$.rows", len(lexemes), f"v {kind}", asks)
    return Case(f"type: {name}", result, (table,), replaced=len(result) > 4096)


_KEY = "k" * 300
_AWKWARD = '{"":1,"order":2,"a\\"b":3,"select":4,"a b":5,"é":6,"a.b":7,"\'":8}'

CASES = (
    *(_column(*row) for row in COLUMNS),
    Case(
        "keys: empty, reserved, quoted, spaced, dotted",
        rows(_AWKWARD, _AWKWARD),
        (
            Table(
                "$.rows",
                2,
                "empty_1 BIGINT | order BIGINT | a\"b BIGINT | select BIGINT | a b BIGINT | é BIGINT | a.b BIGINT | ' BIGINT",
                {
                    'sum("empty_1"), sum("order"), sum("a""b"), sum("select")': (2, 4, 6, 8),
                    'sum("a b"), sum("é"), sum("a.b"), sum("\'")': (10, 12, 14, 16),
                },
            ),
        ),
    ),
    Case(
        "keys: differ in case only",
        rows('{"x":1,"X":2,"ID":3,"id":4,"Id":5}', '{"X":20}'),
        (
            Table(
                "$.rows",
                2,
                "x BIGINT | X_2 BIGINT | ID BIGINT | id_2 BIGINT | Id_3 BIGINT",
                {'sum(x), sum("X_2"), sum("ID"), sum(id_2), sum("Id_3")': (1, 22, 3, 4, 5)},
            ),
        ),
        says=('(key "X")',),
    ),
    Case(
        "keys: own names",
        rows('{"_row":1,"_key":2}', '{"_row":3,"_key":4}'),
        (Table("$.rows", 2, "_row_1 BIGINT | _key_1 BIGINT", {"sum(_row_1), sum(_key_1)": (4, 6)}),),
    ),
    Case(
        "keys: 300 characters",
        rows(f'{{"{_KEY}":1,"{_KEY}2":2}}'),
        (Table("$.rows", 1, f"{_KEY} BIGINT | {_KEY}2 BIGINT", {f'"{_KEY}", "{_KEY}2"': (1, 2)}),),
    ),
    Case(
        "keys: twice in an object, the last counts",
        rows('{"a":1,"a":2}', '{"a":3,"b":1,"a":4,"a":5}'),
        (Table("$.rows", 2, "a BIGINT | b BIGINT", {"sum(a), sum(b)": (7, 1)}),),
        says=("a key twice",),
    ),
    Case(
        "keys: twice in an object inside",
        rows('{"o":{"a":1,"a":2}}', '{"o":{"a":3}}'),
        (Table("$.rows", 2, 'o STRUCT("a" BIGINT)', {"sum(o.a)": 5}),),
        says=("a key twice",),
    ),
    Case(
        "keys: twice in an object in a list of lists",
        structured('{"columns":["o","p"],"rows":[[{"a":1,"a":2},1],[{"a":3},2]]}'),
        (Table("$", 2, 'o STRUCT("a" BIGINT) | p BIGINT', {"sum(o.a), sum(p)": (5, 3)}),),
        says=("a key twice",),
    ),
    Case(
        "keys: twice in one of several values",
        structured('{"rows":[{"a":1,"a":2},3,{"a":4}]}'),
        (Table("$.rows", 3, "value JSON", {"sum((value ->> 'a')::BIGINT)": 6}),),
        says=("a key twice",),
    ),
    Case(
        "keys: texts that look like keys are none",
        rows(r'{"a":":\"x\":1"}', r'{"a":"\"a\":2"}'),
        (Table("$.rows", 2, "a VARCHAR", {"min(a), max(a)": ('"a":2', ':"x":1')}),),
    ),
    Case(
        "keys: one that comes late",
        rows(*['{"a":1}'] * 20_480, '{"a":1,"b":9}'),
        (Table("$.rows", 20_481, "a BIGINT | b BIGINT", {"count(*), count(b), max(b)": (20_481, 1, 9)}),),
        replaced=True,
    ),
    Case(
        "keys: a line end, an escape and a turned direction inside",
        rows('{"a\\nb":1,"c\\u001b[31m":2,"d\\u202ee":3,"ok":4}'),
        (
            Table(
                "$.rows",
                1,
                "a_b_2 BIGINT | c_[31m_2 BIGINT | d_e_2 BIGINT | ok BIGINT",
                {'a_b_2, "c_[31m_2", d_e_2, ok': (1, 2, 3, 4)},
            ),
        ),
        says=('a_b_2 BIGINT (key "a b")',),
    ),
    Case(
        "keys: NUL and its neighbour",
        rows('{"a\\u0000b":1,"a_b":2}'),
        (Table("$.rows", 1, "a_b_2 BIGINT | a_b BIGINT", {"a_b_2, a_b": (1, 2)}),),
    ),
    Case(
        "keys: missing here and there",
        rows('{"a":1}', '{"b":"x"}', "{}", "null", '{"a":2,"c":[1]}'),
        (
            Table(
                "$.rows",
                5,
                "a BIGINT | b VARCHAR | c BIGINT[]",
                {"count(*), count(a), count(b), count(c), sum(a)": (5, 2, 1, 1, 3)},
            ),
        ),
    ),
    Case(
        "a number keeps its value in every column of one row",
        rows('{"i":9007199254740993,"d":0.1,"e":1e2,"n":-0.0,"f":' + repr(math.pi) + ',"s":"0.10"}'),
        (
            Table(
                "$.rows",
                1,
                "i BIGINT | d DECIMAL(1,1) | e DECIMAL(3,0) | n DECIMAL(1,1) | f DOUBLE | s VARCHAR",
                {"i, d, e, n, f, s": (2**53 + 1, Decimal("0.1"), 100, 0, math.pi, "0.10")},
            ),
        ),
    ),
)
