"""Laws: what `query` gives back of a table is what the server wrote, and `results` is the result as it came.

What is the same is told in `written`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given

from asking import Asking
from pond import canvas, handle
from strategies import row_lists, values
from written import check_rows, decode


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with canvas(max_answer_bytes=1 << 24, max_cell_bytes=1 << 22, max_calls=100_000) as pond:
        yield Asking(pond)


@given(row_lists())
@example('[{"a":1e2,"b":-0,"c":0.10,"d":1234567890123456789012345678901234567890}]')
@example('[{"a":"\\u0041\\n\\"","b":{"x":1.10,"y":[1e2,null]}},{"a":"2","b":{"y":[]}}]')
@example('[{"a":1,"a":2.5},{"b":null,"b":"x"},{}]')
@example('[{"a":{"k":1,"k":1.10}},{"a":{"k":null}}]')
@example('[{"a":1.10},{"a":"1.10"},{"a":true}]')
def test_the_rows_of_a_table_are_the_rows_that_were_written(ask: Asking, text: str) -> None:
    """STORE-02 STORE-08 STORE-14"""
    body = ask.pond.take(('{"content":[],"structuredContent":' + text + "}").encode(), mode="always")
    if not body:
        return
    table = handle(body)["tables"][0]
    answer = ask(f"SELECT * FROM {table['name']}", format="json", max_rows=1000)
    check_rows(table, answer["content"][0]["text"], decode(text))


@given(values)
@example('{"a":1e2,"a":-0,"b":"\\u00e9\\ud83d\\ude00\\n","c":0.10}')
def test_results_gives_back_any_result_byte_for_byte(ask: Asking, text: str) -> None:
    """STORE-03 STORE-14"""
    result = '{"content":[],"structuredContent": ' + text + "}"
    ask.pond.store.record(ask.pond.call("raw"), result.encode())
    found = decode(
        ask(f"SELECT text FROM results WHERE call = {ask.pond.number} ORDER BY part", format="json")["content"][0][
            "text"
        ]
    )
    assert "".join(row["text"] for row in found) == result


def test_a_large_result_comes_back_in_pages() -> None:
    """STORE-03 STORE-14"""
    rows = ",".join(f'{{"id":{at},"name":"é😀{at}", "x": {at}.10}}' for at in range(60_000))
    result = f'{{"content":[],"structuredContent":[{rows}]}}'
    with canvas(max_answer_bytes=1 << 20, max_cell_bytes=1 << 19) as pond:
        assert pond.take(result.encode(), "large")
        ask = Asking(pond)
        pages: list[str] = []
        parts = ask.rows("SELECT part, length(text) AS characters FROM results ORDER BY part")
        assert len(parts) > 1
        for part in parts:
            for start in range(1, int(part["characters"]) + 1, 100_000):
                page = ask.rows(
                    f"SELECT substr(text, {start}, 100000) AS page FROM results WHERE part = {part['part']}"
                )
                pages.append(page[0]["page"])
        assert "".join(pages) == result
