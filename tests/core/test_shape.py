import json

import msgspec
import pytest

from millpond.core.rows import Layout
from millpond.core.shape import Shape, shape


def found(value: object) -> Shape:
    return shape(json.dumps(value).encode(), {})


def paths(value: object) -> list[str]:
    return [rows.path for rows in found(value).row_sets]


FILLER: list[dict[str, object]] = [{"id": at, "text": "x" * 20} for at in range(20)]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (FILLER, "$"),
        ({"items": FILLER}, "$.items"),
        ({"data": {"repository": {"issues": {"nodes": FILLER, "totalCount": 20}}}}, "$.data.repository.issues.nodes"),
        ({"odd key": {"x": FILLER}}, '$."odd key".x'),
    ],
)
def test_a_list_is_found_at_its_path(value: object, path: str) -> None:
    """SHAPE-01 SHAPE-02"""
    assert paths(value) == [path]
    assert found(value).has_rows


def test_every_list_is_a_row_set() -> None:
    """SHAPE-02"""
    assert paths({"rows": FILLER, "facets": FILLER, "meta": {"more": [1, 2]}}) == ["$.rows", "$.facets", "$.meta.more"]


@pytest.mark.parametrize(
    ("rows", "layout", "names"),
    [
        ([{"a": 1}, None, {"b": 2}], Layout.OBJECTS, ()),
        ([1, "a", None], Layout.VALUES, ("value",)),
        ([{"a": 1}, 42], Layout.VALUES, ("value",)),
        ([[1, 2], [3, 4]], Layout.ARRAYS, ("column0", "column1")),
        ([[1, 2], [3]], Layout.VALUES, ("value",)),
        (json.loads("[[], []]"), Layout.VALUES, ("value",)),
        ([None, None], Layout.VALUES, ("value",)),
    ],
)
def test_the_kinds_of_the_rows_choose_the_layout(rows: list[object], layout: Layout, names: tuple[str, ...]) -> None:
    """SHAPE-03 SHAPE-05"""
    (row_set,) = found(rows).row_sets
    assert (row_set.layout, row_set.names) == (layout, names)


@pytest.mark.parametrize("columns", [["i", "name"], [{"name": "i", "type": "int"}, {"name": "name"}]])
def test_columns_and_rows_are_one_row_set_with_those_names(columns: list[object]) -> None:
    """SHAPE-04"""
    (row_set,) = found({"columns": columns, "rows": [[1, "a"], [2]], "rowCount": 2}).row_sets
    assert (row_set.path, row_set.names, len(row_set.rows)) == ("$", ("i", "name"), 2)


def test_what_stands_beside_columns_and_rows_is_kept() -> None:
    """SHAPE-04 SHAPE-09"""
    answer = found({"fields": ["i"], "values": [[1], [2]], "rowCount": 2, "warnings": [{"w": 1}]})
    assert [(rows.path, rows.names) for rows in answer.row_sets] == [("$", ("i",)), ("$.warnings", ())]
    assert [(path, bytes(raw)) for path, raw in answer.rest] == [("$.rowCount", b"2")]


HEAD = ["name", "age"]


@pytest.mark.parametrize(
    ("lists", "rows"),
    [
        ([HEAD, ["Ann", 31], ["Bob", 4]], 2),
        ([HEAD, ["Ann", 31], ["Bob"], []], 3),
        ([HEAD, ["Ann", "31"], ["Bob", "4,000.5"]], 2),
        ([HEAD, ["Ann", True], ["Bob", None]], 2),
        ([HEAD, ["Ann", 31]], None),  # two lists: nobody can tell
        ([HEAD, ["Ann", "x"], ["Bob", "y"]], None),
        ([HEAD, ["Ann", None], ["Bob", None]], None),
        ([HEAD, ["Ann", 31], ["Bob", "?"]], None),
        ([HEAD, ["Ann", 31], ["Bob", 4, 5]], None),
        ([HEAD, [None, "?"], ["Bob", 4]], None),
        ([["name", "name"], ["Ann", 31], ["Bob", 4]], None),
        ([["name", "2026"], ["Ann", 31], ["Bob", 4]], None),
        ([["name", 1], ["Ann", 31], ["Bob", 4]], None),
        ([["name", "x" * 101], ["Ann", 31], ["Bob", 4]], None),
        ([[], [1], [2]], None),
    ],
)
def test_a_list_of_words_above_numbers_is_their_header(lists: list[list[object]], rows: int | None) -> None:
    """SHAPE-12"""
    (row_set,) = found({"values": lists}).row_sets
    if rows is None:
        assert (row_set.names[0] in ("column0", "value"), len(row_set.rows)) == (True, len(lists))
    else:
        assert (row_set.names, len(row_set.rows)) == (tuple(HEAD), rows)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ([{"page": 1}, FILLER], ["$[1]"]),
        ([FILLER, FILLER], ["$[0]", "$[1]"]),
        ({"data": [FILLER, "end"]}, ["$.data[0]"]),
        ([[FILLER], [FILLER]], ["$"]),
        ([{"text": "x" * 5000}, FILLER], ["$"]),
        ([FILLER[:1]] * 65, ["$"]),
        ([[1, 2], [3, 4]], ["$"]),
    ],
)
def test_a_short_list_of_lists_of_objects_is_opened(value: object, where: list[str]) -> None:
    """SHAPE-13"""
    assert paths(value) == where


def test_rows_longer_than_the_columns_are_not_that_form() -> None:
    """SHAPE-04"""
    assert paths({"columns": ["i"], "rows": [[1, 2, 3, 4, 5]]}) != ["$"]


@pytest.mark.parametrize(
    ("value", "keyed"),
    [
        ({code: {"name": code, "area": 1} for code in ("NOR", "SWE", "DNK")}, True),
        ({f"k{at}": {"name": "x", f"only{at % 2}": 1} for at in range(12)}, True),
        ({"NOR": {"name": 1, "area": 2}, "SWE": {"name": 1, "area": 2}}, False),
        ({f"k{at}": {f"own{at}": 1} for at in range(12)}, False),
        ({f"k{at}": {f"one{at % 4}": 1} for at in range(40)}, True),
        ({f"k{at}": {f"one{at % 4}": 1} for at in range(39)}, False),
        ({kind: {"total": 20, "nodes": FILLER} for kind in ("open", "closed", "merged")}, False),
        ({f"k{at}": {"total": 20, "nodes": FILLER} for at in range(12)}, True),
        ({kind: {"ids": list(range(60)), "nodes": FILLER[:1]} for kind in ("a", "b", "c")}, True),
        ({kind: dict[str, object]() for kind in ("a", "b", "c")}, False),
    ],
)
def test_an_object_of_like_objects_is_a_map_of_rows(value: dict[str, object], keyed: bool) -> None:
    """SHAPE-06"""
    first = found(value).row_sets[0]
    assert (first.keys == list(value)) is keyed


def test_json_in_a_string_is_read_as_that_value() -> None:
    """SHAPE-07"""
    assert paths({"result": json.dumps({"rows": FILLER}), "ok": True}) == ["$.result.rows"]
    assert paths({"result": "[not json" * 10}) == ["$"]


def test_one_record_with_small_lists_is_not_an_answer_of_rows() -> None:
    """SHAPE-08"""
    record = found({"id": 1, "body": "text " * 200, "labels": [{"name": "bug"}]})
    assert not record.has_rows
    assert [(rows.path, rows.layout) for rows in record.row_sets] == [
        ("$", Layout.ARRAYS),
        ("$.labels", Layout.OBJECTS),
    ]
    leaves = record.row_sets[0]
    assert leaves.names == ("path", "value")
    assert [json.loads(bytes(row)) for row in leaves.rows] == [
        ["$.id", 1],
        ["$.body", "text " * 200],
        ["$.labels[0].name", "bug"],
    ]


def test_scalars_beside_the_lists_and_empty_lists_are_named() -> None:
    """SHAPE-09"""
    answer = found({"total": 300, "next": {"cursor": "abc"}, "items": FILLER, "errors": []})
    assert [(path, bytes(raw)) for path, raw in answer.rest] == [("$.total", b"300"), ("$.next.cursor", b'"abc"')]
    assert answer.empty == ("$.errors",)
    assert paths({"total": 300, "items": FILLER, "errors": []}) == ["$.items"]


def test_a_document_of_very_many_lists_is_read_as_leaves() -> None:
    """SHAPE-10"""
    assert paths({f"k{at}": [1000, 2000] for at in range(65)}) == ["$"]
    assert len(paths({f"k{at}": [1000, 2000] for at in range(64)})) == 64


def test_lists_inside_rows_make_no_tables() -> None:
    """SHAPE-11"""
    assert paths({"items": [{"id": at, "labels": [{"name": "x"}] * 3} for at in range(9)]}) == ["$.items"]


def test_a_document_that_is_no_json_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        shape(b"[1,", {})


MARKERS = {b"0e9000000": b"NaN"}


@pytest.mark.parametrize(
    "text",
    [
        '[{"a":0e9000000}]',
        '{"a":0e9000000,"b":[]}',
        '{"a":{"x":1},"b":{"x":0e9000000},"c":{"x":2}}',
        '{"rows":[0e9000000]}',
    ],
)
def test_what_stands_for_nan_goes_with_the_rows(text: str) -> None:
    """PAYLOAD-06"""
    assert [rows.markers for rows in shape(text.encode(), MARKERS).row_sets] == [MARKERS]


def test_a_document_may_be_bytes_or_raw() -> None:
    """SHAPE-01"""
    assert len(shape(msgspec.Raw(b"[1,2]"), {}).row_sets[0].rows) == 2
    assert shape(b"[1,2]", {}, "$.result").row_sets[0].path == "$.result"


@pytest.mark.parametrize(("padding", "has_rows"), [(10, True), (11, False)])
def test_lists_that_are_half_of_a_document_make_it_an_answer_of_rows(padding: int, has_rows: bool) -> None:
    """SHAPE-08"""
    rows = "[" + "1," * 10 + "1]"  # 23 bytes
    text = '{"r":' + rows + ',"p":"' + "x" * padding + '"}'
    assert len(text) == 36 + padding
    assert (2 * len(rows) >= len(text)) is has_rows
    assert shape(text.encode(), {}).has_rows is has_rows


@pytest.mark.parametrize("depth", [8, 9])
def test_lists_are_found_through_eight_objects(depth: int) -> None:
    """SHAPE-02"""
    value: object = FILLER
    for _ in range(depth):
        value = {"a": value}
    assert paths(value)[0] == ("$" + ".a" * 8 if depth == 8 else "$")


@pytest.mark.parametrize("depth", [7, 8])
def test_pages_and_texts_of_json_count_as_depth(depth: int) -> None:
    """SHAPE-07 SHAPE-13"""
    paged: object = [{"page": 1}, FILLER]
    texts: object = json.dumps(FILLER)
    for _ in range(depth):
        paged, texts = {"a": paged}, {"a": texts}
    wrapped = "$" + ".a" * depth
    assert paths(paged)[0] == (f"{wrapped}[1]" if depth == 7 else wrapped)
    assert paths(texts)[0] == (wrapped if depth == 7 else "$")


@pytest.mark.parametrize("lead", ["", " ", "\\n", "\\r\\n\\t "])
def test_white_space_before_json_in_a_string_is_passed_over(lead: str) -> None:
    """SHAPE-07"""
    rows = ",".join('{\\"a\\":1}' for _ in range(9))
    text = f'{{"x":"{lead}[{rows}]"}}'
    assert [found.path for found in shape(text.encode(), {}).row_sets] == ["$.x"]


def test_a_text_of_json_counts_with_its_escapes() -> None:
    """SHAPE-07 SHAPE-08"""
    inner = json.dumps([{"a": "b"}] * 9)
    text = json.dumps({"x": inner, "pad": "p" * 110})
    assert 2 * len(inner) < len(text)
    assert shape(text.encode(), {}).has_rows
    assert not found({"x": json.dumps([]), "pad": "p"}).has_rows


def test_wrappers_in_a_row_keep_what_each_has_beside_its_list() -> None:
    """SHAPE-06 SHAPE-09"""
    half = {kind: {"total": 20, "none": list[int](), "nodes": FILLER} for kind in ("a", "b", "c")}
    answer = found({"first": {"count": 1, "none": list[int](), "rows": FILLER}, "kinds": half, "more": half})
    assert [rows.path for rows in answer.row_sets] == [
        "$.first.rows", "$.kinds.a.nodes", "$.kinds.b.nodes", "$.kinds.c.nodes", "$.more.a.nodes", "$.more.b.nodes", "$.more.c.nodes"
    ]  # fmt: skip
    assert len(answer.rest) == len(answer.empty) == 7
    assert answer.has_rows


def test_maps_in_a_row_are_each_at_their_path() -> None:
    """SHAPE-06"""
    area = {code: {"area": at} for at, code in enumerate(("NOR", "SWE", "DNK"))}
    assert paths({"a": {"by": area}, "b": {"by": area}}) == ["$.a.by", "$.b.by"]


@pytest.mark.parametrize(
    ("members", "keyed"),
    [
        ({f"k{at}": {"x": 1, **({"y": 1} if at else {})} for at in range(10)}, True),
        ({f"k{at}": {"x": 1, **({"y": 1} if at else {})} for at in range(9)}, False),
        ({f"k{at}": {"a": 1, f"b{at % 3}": 2} for at in range(12)}, True),
        ({f"k{at}": {"a": 1, f"b{at % 4}": 2} for at in range(12)}, False),
        ({f"k{at}": {"total": 20, "nodes": FILLER} for at in range(9)}, False),
        ({f"k{at}": {"total": 20, "nodes": FILLER} for at in range(10)}, True),
        ({"a": {"x": 1}, "b": {"x": 2}, "c": 3}, False),
        ({f"k{at}": [{"x": 1}] for at in range(12)}, False),
    ],
)
def test_how_many_members_and_keys_make_a_map(members: dict[str, object], keyed: bool) -> None:
    """SHAPE-06"""
    assert (found(members).row_sets[0].keys == list(members)) is keyed


@pytest.mark.parametrize(
    ("rows", "layout"),
    [
        ([[1], [2]], Layout.ARRAYS),
        ([list(range(2_000))] * 2, Layout.ARRAYS),
        ([list(range(2_001))] * 2, Layout.VALUES),
        ([[f"n{at}" for at in range(2_000)], *[list(range(2_000))] * 2], Layout.ARRAYS),
        ([["n" * 98], [1], [2]], Layout.ARRAYS),
    ],
)
def test_how_wide_lists_may_be(rows: list[object], layout: Layout) -> None:
    """SHAPE-05 SHAPE-12"""
    (row_set,) = found(rows).row_sets
    assert row_set.layout is layout


def test_a_name_of_a_hundred_bytes_is_one_and_a_longer_text_is_none() -> None:
    """SHAPE-12"""
    assert found([["n" * 98], [1], [2]]).row_sets[0].names == ("n" * 98,)
    assert found([["n" * 99], [1], [2]]).row_sets[0].names == ("column0",)


@pytest.mark.parametrize(
    "value",
    [
        {"columns": ["a"], "rows": [{"a": 1}, {"a": 2}]},
        {"columns": [1, 2], "rows": [[1, 2], [3, 4]]},
        {"columns": [{"type": "int"}], "rows": [[1], [2]]},
        {"columns": ["a", {"name": 5}], "rows": [[1], [2]]},
        {"columns": ["a", None], "rows": [[1], [2]]},
        {"columns": "a", "rows": [[1], [2]]},
        {"columns": list[str](), "rows": [[1], [2]]},
        {"rows": [[1], [2]]},
    ],
)
def test_columns_that_name_no_cells_are_not_that_form(value: object) -> None:
    """SHAPE-04"""
    at_root = (rows.names for rows in found(value).row_sets if rows.path == "$")
    assert list(at_root) in ([], [("path", "value")])


@pytest.mark.parametrize(("count", "opened"), [(64, True), (65, False)])
def test_so_many_pages_are_opened(count: int, opened: bool) -> None:
    """SHAPE-13"""
    assert (paths([[{"a": 1}]] * count)[0] == "$[0]") is opened


def test_leaves_tell_empty_values_and_what_lies_too_deep() -> None:
    """SHAPE-08"""
    deep = "[" * 64 + "[1.10]" + "]" * 64
    (leaves, *_) = shape(
        ('{"a":{},"b":[],"c":null,"d":' + deep + ',"e":1.10,"f":"' + "x" * 300 + '"}').encode(), {}
    ).row_sets
    assert [bytes(row).decode() for row in leaves.rows] == [
        '["$.a","{}"]',
        '["$.b","[]"]',
        '["$.c",null]',
        '["$.d' + "[0]" * 63 + '","[[1.10]]"]',
        '["$.e",1.10]',
        '["$.f","' + "x" * 300 + '"]',
    ]


def test_a_scalar_at_the_root_is_nothing_beside_rows() -> None:
    """SHAPE-08 SHAPE-09"""
    for text in (b"5", b'"x"', b"null"):
        assert shape(text, {}) == Shape(row_sets=(), has_rows=False)


def test_a_document_that_is_read_as_leaves_is_an_answer_of_rows_without_a_rest() -> None:
    """SHAPE-10"""
    answer = found({"x": 1, "none": list[int](), **{f"k{at}": [1000, 2000] for at in range(65)}})
    assert (answer.has_rows, answer.rest, answer.empty) == (True, (), ())
