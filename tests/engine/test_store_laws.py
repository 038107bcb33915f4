"""Laws: whatever JSON text comes, each value in the tables is the value that was written."""

import json
from decimal import Decimal
from typing import Any

from hypothesis import example, given

from millpond.core.values import is_list, is_object
from pond import Canvas, canvas, handle
from strategies import row_lists, values


class Lexeme(str):
    """A number as it was written."""

    __slots__ = ()


def decode(text: str) -> Any:
    return json.loads(text, parse_float=Lexeme, parse_int=Lexeme)


def matches(stored: Any, written: Any, kind: str) -> bool:
    """True where a stored value is what was written, in the kind of its column."""
    if written is None or stored is None:
        return written is None and stored is None
    if kind == "JSON":
        return decode_exactly(decode(stored)) == decode_exactly(written)
    if isinstance(written, Lexeme):
        return number_matches(stored, written)
    if isinstance(written, bool):
        return stored is written or stored == ("true" if written else "false")
    if isinstance(written, str):
        return stored == written
    if is_list(written):
        return len(stored) == len(written) and all(map(matches_inside, stored, written))
    return all(matches_inside(stored.get(key), value) for key, value in written.items()) and all(
        value is None for key, value in stored.items() if key not in written
    )


def matches_inside(stored: Any, written: Any) -> bool:
    if isinstance(stored, str) and not (isinstance(written, str) and stored == written):
        try:
            if matches(stored, written, "JSON"):
                return True
        except ValueError:
            return matches(stored, written, "")
    return matches(stored, written, "")


def number_matches(stored: Any, written: Lexeme) -> bool:
    if isinstance(stored, float):
        return float(written) == stored and Decimal(repr(stored)) == Decimal(written)
    if isinstance(stored, str):
        return stored == str(written) or stored == str(int(written))
    return Decimal(stored) == Decimal(written)


def decode_exactly(value: Any) -> Any:
    if isinstance(value, Lexeme):
        return Decimal(value)
    if is_list(value):
        return [decode_exactly(item) for item in value]
    if is_object(value):
        return {key: decode_exactly(item) for key, item in value.items()}
    return value


def stored_rows(pond: Canvas, table: dict[str, Any]) -> list[dict[str, tuple[Any, str]]]:
    """Each row as key -> (value, type)."""
    columns = table["columns"]
    wanted = ", ".join(
        '"{}"{}'.format(column["name"].replace('"', '""'), "::VARCHAR" if column["type"] == "BIGNUM" else "")
        for column in columns
    )
    keys = [column["name"] if column["renamed_from"] is None else column["renamed_from"] for column in columns]
    found = pond.sql(f"SELECT {wanted} FROM {table['name']}")
    kinds = [column["type"] for column in columns]
    return [dict(zip(keys, zip(row, kinds, strict=True), strict=True)) for row in found]


@given(row_lists())
@example('[{"a":1.10},{"a":"1.10"}]')
@example('[{"a":{"b":1.10}},{"a":{"b":[1e2]}}]')
@example('[{"a":1,"a":2},{"a":null}]')
@example('[{"a":18446744073709551616},{"a":-1e2}]')
@example('[{"a":[]},{"a":[{}]}]')
@example('[{"a":{"b":1,"B":2}}]')
@example('[{"":1,"_key":2,"A":3,"a":4}]')
def test_every_cell_of_a_list_of_objects_is_what_was_written(text: str) -> None:
    """STORE-02 INFER-01 INFER-02 INFER-03 INFER-04 INFER-05 INFER-07 INFER-08 INFER-09"""
    with canvas() as pond:
        body = pond.take(('{"structuredContent":{"items":' + text + ',"pad":"x"}}').encode(), mode="always")
        written = decode(text)
        if not body:
            assert 2 * len(text) < len(text) + 40
            return
        (table,) = (table for table in handle(body)["tables"] if table["path"] == "$.items")
        rows = stored_rows(pond, table)
        assert len(rows) == len(written)
        if [column["name"] for column in table["columns"]] == ["value"] and "value" not in written[0]:
            assert all(
                matches(row["value"][0], value, row["value"][1]) for row, value in zip(rows, written, strict=True)
            )
            return
        for row, value in zip(rows, written, strict=True):
            assert set(value) <= set(row)
            for key, (stored, kind) in row.items():
                assert matches(stored, value.get(key), kind), (key, kind, stored, value.get(key))


@given(values)
def test_any_result_gives_tables_or_goes_on_as_it_came(text: str) -> None:
    """STORE-01 SHAPE-01"""
    result = ('{"structuredContent":' + text + ',"content":[]}').encode()
    with canvas(inline_text_bytes=0, inline_rows_bytes=0) as pond:
        body = pond.take(result)
        if not body:
            pond.store.flush()
        assert pond.sql("SELECT text FROM results") == [(result.decode(),)]
        for table in handle(body)["tables"] if body else ():
            assert pond.sql(f"SELECT count(*) FROM {table['name']}") == [(table["rows"],)]
