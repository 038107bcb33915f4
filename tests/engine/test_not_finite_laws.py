"""Laws: NaN and the infinities are what they were, whatever stands beside them."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from pond import canvas, handle

ROWS = 6
_lexemes = st.sampled_from(
    ("NaN", "Infinity", "-Infinity", "1e22", "1E-7", "-1e-7", "0e5", "-0e0", "0.5", "-2.25", "3", "null")
)
_rows = st.lists(st.tuples(_lexemes, _lexemes, _lexemes, _lexemes), min_size=ROWS, max_size=ROWS)


def value_of(lexeme: str) -> float | None:
    """As a DOUBLE."""
    return None if lexeme == "null" else float(lexeme)


def same(stored: Any, written: float | None) -> bool:
    """True where a stored number is the one that was written."""
    if stored is None or written is None:
        return stored is None and written is None
    if math.isnan(written):
        return math.isnan(float(stored))
    return float(stored) == written


@given(_rows)
@example([("1e22", "2.5", "1.5", "1.5"), *[("1.5", "NaN", "-Infinity", "Infinity")] * (ROWS - 1)])
@example([("1e-7", "1e-7", "1e-7", "1e-7"), *[("NaN", "NaN", "NaN", "NaN")] * (ROWS - 1)])
def test_nan_and_the_infinities_are_kept_beside_numbers_with_exponents(rows: list[tuple[str, ...]]) -> None:
    """STORE-14"""
    written = ",".join(f'{{"a":{a},"b":{b},"u":{{"c":{c}}},"l":[{d},0.5],"pad":"{"p" * 40}"}}' for a, b, c, d in rows)
    result = f'{{"content":[{{"type":"text","text":{json.dumps(f"[{written}]")}}}]}}'.encode()
    with canvas(inline_rows_bytes=0) as pond:
        table = handle(pond.take(result, mode="always"))["tables"][0]["name"]
        stored = pond.sql(f"SELECT a, b, u.c, l[1] FROM {table}")
    assert len(stored) == len(rows)
    for found, lexemes in zip(stored, rows, strict=True):
        for one, lexeme in zip(found, lexemes, strict=True):
            assert same(one, value_of(lexeme)), (found, lexemes)
