"""What a schema says of the rows at a path, whatever the schema is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from millpond.core.schema_texts import MAX_FIELDS, MAX_TEXT_CHARACTERS, property_names, read_schema, row_fields

USER = {"type": "object", "title": "User", "properties": {"login": {"description": "handle\nof the user"}}}


def rows(*fields: tuple[str, Any], path: str = "items") -> dict[str, Any]:
    """The schema of an object with a list of objects."""
    items = {"type": "array", "items": {"type": "object", "properties": dict(fields)}}
    return {"type": "object", "properties": {path: items}}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"description": "in cents"}, "in cents"),
        ({"title": "Amount in cents"}, "Amount in cents"),
        ({"title": "A M_ount"}, ""),
        ({"title": "Money", "description": "in cents"}, "in cents"),
        ({"enum": ["open", "closed", 3, None, True]}, "one of open, closed, 3, true"),
        ({"description": "State", "enum": [str(at) for at in range(20)]}, "State; one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, "one of a, b"),
        ({"description": "took", "unit": "ms"}, "took; unit: ms"),
        ({"x-unit": "°C"}, "unit: °C"),
        ({"anyOf": [{"type": "null"}, {"description": "maybe"}]}, "maybe"),
        ({"$ref": "#/$defs/Amount"}, "from a definition"),
        ({"$ref": "#/$defs/Amount", "description": "nearer"}, "nearer"),
        ({"$ref": "https://elsewhere.example/schema"}, ""),
        ({"$ref": "#/$defs/Loop"}, "turns"),
        ({"description": "two\n| lines\x00\x1b[31m\u202e"}, "two | lines [31m"),
        ({"description": 7, "title": ["x"], "enum": {"a": 1}, "anyOf": 3}, ""),
        (True, None),
        (None, None),
    ],
)  # fmt: skip
def test_what_is_said_of_a_field(schema: Any, says: str | None) -> None:
    """MEANING-05, MEANING-07"""
    loop = {"description": "turns", "anyOf": [{"$ref": "#/$defs/Loop"}]}
    whole = {**rows(("amount", schema)), "$defs": {"Amount": {"description": "from a definition"}, "Loop": loop}}
    assert row_fields(whole, "$.items").get(("amount",)) == says


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (rows(("user", USER)), "$.items"),
        (rows(("user", USER), path="odd key"), '$."odd key"'),
        ({"properties": {"data": rows(("user", USER))}}, "$.data.items"),
        ({"properties": {"result": {"items": {"properties": {"user": USER}}}}}, "$"),
        ({"items": {"properties": {"user": USER}}}, "$"),
        ({"items": {"items": {"properties": {"user": USER}}}}, "$[3]"),
        ({"properties": {"map": {"additionalProperties": {"properties": {"user": USER}}}}}, "$.map"),
        ({"additionalProperties": rows(("user", USER))}, "$.any.items"),
        ({"allOf": [{"$ref": "#/$defs/Page"}], "$defs": {"Page": rows(("user", {"anyOf": [USER, {}]}))}}, "$.items"),
        (rows(("user", {"type": "array", "items": USER})), "$.items"),
    ],
)
def test_fields_are_found_where_the_path_leads(schema: Any, path: str) -> None:
    """MEANING-05"""
    assert row_fields(schema, path)["user", "login"] == "handle of the user"


@pytest.mark.parametrize("path", ["$.items.more", "$.nothing", "$.items[*]", "$..x", "", "x", '$."'])
def test_a_path_that_leads_nowhere_has_no_fields(path: str) -> None:
    """MEANING-07"""
    assert row_fields(rows(("user", USER)), path) == {}


def test_definitions_that_refer_to_one_another_without_end_are_bounded() -> None:
    """MEANING-07"""
    node = {"properties": {f"f{at}": {"$ref": "#/$defs/Node"} for at in range(30)}, "description": "again"}
    schema = {"$ref": "#/$defs/List", "$defs": {"Node": node, "List": {"items": {"$ref": "#/$defs/Node"}}}}
    assert len(row_fields(schema, "$")) <= MAX_FIELDS


def test_names_of_properties_are_found_wherever_they_stand() -> None:
    assert property_names(rows(("user", USER))) == {"items", "user", "login"}
    assert property_names([None, {"properties": 3}]) == set()


keys = st.sampled_from(
    ["properties", "items", "$ref", "anyOf", "allOf", "title", "description", "enum", "const", "unit", "a", "$defs"]
)
schemas = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from(["#", "#/$defs/a", "#/a"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=30,
)


@given(schemas, st.sampled_from(["$", "$.a", "$[0].a", "$.a.a"]))
def test_of_any_schema_come_short_lines(schema: Any, path: str) -> None:
    """MEANING-07"""
    fields = row_fields(schema, path)
    assert len(fields) <= MAX_FIELDS
    assert all(len(text) <= MAX_TEXT_CHARACTERS and text.isprintable() for text in fields.values())
    property_names(schema)


@given(st.one_of(some.values.map(str.encode), st.binary(max_size=20)))
def test_of_any_bytes_comes_a_schema_or_none(raw: bytes) -> None:
    """MEANING-07"""
    row_fields(read_schema(raw), "$.a")


@pytest.mark.parametrize("depth", [900, 5_000, 100_000])
@pytest.mark.parametrize(
    ("opens", "closes"), [(b'{"items":', b"}"), (b'{"items":{"enum":[', b"]}}"), (b'{"anyOf":[', b"]}")]
)
def test_a_schema_nested_without_end_costs_nothing_but_its_texts(depth: int, opens: bytes, closes: bytes) -> None:
    """MEANING-07"""
    schema = read_schema(opens * depth + b"1" + closes * depth)
    assert len(row_fields(schema, "$")) <= 1
    assert len(property_names(schema)) == 0


def test_a_schema_is_read_as_it_is() -> None:
    """MEANING-07"""
    assert read_schema(json.dumps(rows(("a", {}))).encode()) == rows(("a", {}))
