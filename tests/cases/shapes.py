"""Shapes: where the rows lie in a JSON value, and what becomes of what lies beside them.

Rule: the data is small and its sums are known. Imports `cases.case` and the standard library only.
"""

from __future__ import annotations

import json
from decimal import Decimal

from cases.case import Case, Table, structured, text

_ROWS = [{"id": at, "tag": "ab"[at % 2]} for at in range(12)]
_COLUMNS = "id BIGINT | tag VARCHAR"
_ASKS = {"count(*), sum(id), count(DISTINCT tag)": (12, 66, 2)}


def _at(path: str) -> tuple[Table, ...]:
    return (Table(path, 12, _COLUMNS, _ASKS),)


def _value(value: object) -> str:
    return structured(json.dumps(value))


_CONNECTION = {
    "data": {"repository": {"issues": {"nodes": _ROWS, "totalCount": 12, "pageInfo": {"hasNextPage": False}}}}
}
_EDGES = {"data": {"search": {"edges": [{"cursor": f"c{at}", "node": row} for at, row in enumerate(_ROWS)]}}}
_FEATURES = [
    {
        "type": "Feature",
        "id": at,
        "properties": {"name": f"p{at}", "pop": at * 10},
        "geometry": {"type": "Point", "coordinates": [at + 0.5, -at - 0.25]},
    }
    for at in range(12)
]
_SHEET = [["name", "age", "city"], ["Ann", 31, "Oslo"], ["Bob", 4, "Rome"], ["Eve", 27]]
_MAP = {code: {"name": code.lower(), "area": at} for at, code in enumerate(("NOR", "SWE", "DNK", "FIN"))}
_WIDE = {f"c{at}": at for at in range(400)}
_WIDER = {f"column_{at}": at for at in range(1_500)}
_DEEP: dict[str, object] = {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 7, "j": ["x", "y"]}}}}}}}}}
_WORLD_BANK = [{"page": 1, "pages": 1, "total": 12}, _ROWS]
_ALIASES = {"data": {kind: {"totalCount": 12, "nodes": _ROWS} for kind in ("open", "closed", "merged")}}

CASES = (
    Case("shape: a list at the root", text(json.dumps(_ROWS)), _at("$")),
    Case("shape: items and a total", _value({"total": 300, "items": _ROWS}), _at("$.items"), says=("$.total = 300",)),
    Case("shape: GraphQL nodes", _value(_CONNECTION), _at("$.data.repository.issues.nodes"), says=("totalCount = 12", "hasNextPage = false")),
    Case("shape: GraphQL edges", _value(_EDGES), (Table("$.data.search.edges", 12, 'cursor VARCHAR | node STRUCT("id" BIGINT, "tag" VARCHAR)', {"sum(node.id), count(DISTINCT node.tag)": (66, 2)}),)),
    Case("shape: three connections are three tables", _value(_ALIASES), tuple(Table(f"$.data.{kind}.nodes", 12, _COLUMNS, _ASKS) for kind in ("open", "closed", "merged"))),
    Case("shape: GeoJSON", _value({"type": "FeatureCollection", "features": _FEATURES}), (Table("$.features", 12, "type VARCHAR | id BIGINT | properties STRUCT(\"name\" VARCHAR, \"pop\" BIGINT) | geometry STRUCT(\"type\" VARCHAR, \"coordinates\" DECIMAL(4,2)[])", {"sum(properties.pop), sum(geometry.coordinates[1]), min(geometry.coordinates[2])": (660, 72, Decimal("-11.25"))}),), says=('$.type = "FeatureCollection"',)),
    Case("shape: HAL, an embedded list and links", _value({"_links": {"self": {"href": "/x"}}, "_embedded": {"rows": _ROWS}}), _at("$._embedded.rows"), says=("$._links.self.href",)),
    Case("shape: JSON:API", _value({"data": [{"type": "x", "id": str(at), "attributes": row} for at, row in enumerate(_ROWS)], "meta": {"n": 12}}), (Table("$.data", 12, 'type VARCHAR | id VARCHAR | attributes STRUCT("id" BIGINT, "tag" VARCHAR)', {"sum(attributes.id)": 66}),)),
    Case("shape: search hits and facets", _value({"hits": {"total": {"value": 12}, "hits": [{"_id": "x", "_source": row} for row in _ROWS]}, "facets": [{"f": at} for at in range(9)]}), (Table("$.hits.hits", 12, '_id VARCHAR | _source STRUCT("id" BIGINT, "tag" VARCHAR)', {"sum(_source.id)": 66}), Table("$.facets", 9, "f BIGINT", {"sum(f)": 36})), says=("$.hits.total.value = 12",)),
    Case("shape: columns and rows", _value({"columns": ["i", "name"], "rows": [[at, f"n{at}"] for at in range(9)], "rowCount": 9}), (Table("$", 9, "i BIGINT | name VARCHAR", {"sum(i), max(name)": (36, "n8")}),), says=("$.rowCount = 9",)),
    Case("shape: columns with types, rows as data", _value({"columns": [{"name": "i", "type": "int"}], "data": [[at] for at in range(9)]}), (Table("$", 9, "i BIGINT", {"sum(i)": 36}),)),
    Case("shape: columns and rows that are too short", _value({"columns": ["a", "b"], "rows": [[1, 2], [3], []]}), (Table("$", 3, "a BIGINT | b BIGINT", {"sum(a), count(b)": (4, 1)}),)),
    Case("shape: columns and no rows", _value({"columns": ["a", "b"], "rows": []}), (Table("$", 0, "a VARCHAR | b VARCHAR", {"count(*)": 0}),)),
    Case("shape: columns and rows that are objects", _value({"columns": ["id", "tag"], "rows": _ROWS}), (Table("$.columns", 2, "value VARCHAR", {"max(value)": "tag"}), *_at("$.rows"))),
    Case("shape: columns and rows inside result", _value({"result": {"columns": ["a"], "rows": [[1], [2]]}}), (Table("$.result", 2, "a BIGINT", {"sum(a)": 3}),)),
    Case("shape: a column's name twice", _value({"columns": ["a", "a", "A"], "rows": [[1, 2, 3], [4, 5, 6]]}), (Table("$", 2, "a BIGINT | a_2 BIGINT | A_3 BIGINT", {'sum(a), sum(a_2), sum("A_3")': (5, 7, 9)}),)),
    Case("shape: lists of one width", _value({"rows": [[1, "a"], [2, "b"]]}), (Table("$.rows", 2, "column0 BIGINT | column1 VARCHAR", {"sum(column0), max(column1)": (3, "b")}),)),
    Case("shape: lists of several widths", _value({"rows": [[1], [2, 3]]}), (Table("$.rows", 2, "value BIGINT[]", {"sum(list_sum(value))": 6}),)),
    Case("shape: lists below a header", _value({"range": "A1:C4", "values": _SHEET}), (Table("$.values", 3, "name VARCHAR | age BIGINT | city VARCHAR", {"sum(age), count(city), max(name)": (62, 2, "Eve")}),), says=('$.range = "A1:C4"',)),
    Case("shape: texts of numbers below a header", text(json.dumps([["NAME", "POP"], ["Alabama", "4903185"], ["Alaska", "731545"]])), (Table("$", 2, "NAME VARCHAR | POP VARCHAR", {'sum("POP"::BIGINT)': 5634730}),)),
    Case("shape: lists of texts have no header", _value({"rows": [["a", "b"], ["c", "d"]]}), (Table("$.rows", 2, "column0 VARCHAR | column1 VARCHAR", {"min(column0)": "a"}),)),
    Case("shape: a list of scalars", _value({"ids": [3, 1, 2]}), (Table("$.ids", 3, "value BIGINT", {"sum(value)": 6}),)),
    Case("shape: a list of kinds", _value({"x": [1, "a", None, True]}), (Table("$.x", 4, "value VARCHAR", {"count(value)": 3}),)),
    Case("shape: objects among scalars", _value({"items": [{"a": 1}] * 6 + [42] * 3}), (Table("$.items", 9, "value JSON", {"count(*), sum((value ->> 'a')::BIGINT)": (9, 6)}),)),
    Case("shape: objects among nulls", _value({"items": [{"a": 1}, None, {"a": 2}]}), (Table("$.items", 3, "a BIGINT", {"count(*), sum(a)": (3, 3)}),)),
    Case("shape: a page and its rows", text(json.dumps(_WORLD_BANK)), (Table("$[1]", 12, _COLUMNS, _ASKS),), says=("$[0].total = 12",)),
    Case("shape: a map of like objects", _value({"countries": _MAP}), (Table("$.countries", 4, "_key VARCHAR | name VARCHAR | area BIGINT", {"sum(area), max(_key)": (6, "SWE")}),)),
    Case("shape: a map whose objects differ a little", _value({f"k{at}": {"x": at, **({"y": 1.5} if at % 3 else {})} for at in range(20)}), (Table("$", 20, "_key VARCHAR | x BIGINT | y DECIMAL(2,1)", {"sum(x), count(y)": (190, 13)}),)),
    Case("shape: a map with a key named _key", _value({code: {"_key": at} for at, code in enumerate("abc")}), (Table("$", 3, "_key VARCHAR | _key_1 BIGINT", {"max(_key), sum(_key_1)": ("c", 3)}),)),
    Case("shape: an empty list", _value({"items": [], "total": 0}), (Table("$", 2, "path VARCHAR | value VARCHAR", {"max(path)": "$.total"}),), says=("empty lists: $.items",)),
    Case("shape: an empty list beside rows", _value({"errors": [], "items": _ROWS}), _at("$.items"), says=("empty lists: $.errors",)),
    Case("shape: a list of empty lists and objects", structured('{"a":[[],[]],"b":[{},{}]}'), (Table("$.a", 2, "value VARCHAR[]"), Table("$.b", 2, "value JSON", {"count(*)": 2}))),
    Case("shape: one object", _value({"id": 7, "name": "x", "ok": True, "none": None}), (Table("$", 4, "path VARCHAR | value VARCHAR", {"SELECT value FROM {t} WHERE path = '$.id'": "7", "count(value)": 3}),)),
    Case("shape: one record with labels", _value({"id": 7, "body": "b" * 400, "labels": [{"n": "x"}, {"n": "y"}]}), (Table("$", 4, "path VARCHAR | value VARCHAR", {"SELECT value FROM {t} WHERE path = '$.labels[1].n'": "y"}), Table("$.labels", 2, "n VARCHAR", {"max(n)": "y"}))),
    Case("shape: one number", text("42"), ()),
    Case("shape: nothing", text(""), (Table("$", 0, "line VARCHAR | text VARCHAR", {"count(*)": 0}),)),
    Case("shape: an empty object", _value({}), (Table("$", 1, "path VARCHAR | value VARCHAR", {"value": "{}"}),)),
    Case("shape: a deep object", _value(_DEEP), (Table("$", 3, "path VARCHAR | value VARCHAR", {"SELECT value FROM {t} WHERE path LIKE '%.i'": "7"}),)),
    Case("shape: lists inside rows stay cells", _value({"items": [{"id": at, "labels": [{"n": "x"}] * (at % 3)} for at in range(9)]}), (Table("$.items", 9, 'id BIGINT | labels STRUCT("n" VARCHAR)[]', {"sum(len(labels)), count(labels)": (9, 9)}),)),
    Case("shape: JSON in a cell's string stays text", _value({"items": [{"p": json.dumps({"a": at})} for at in range(5)]}), (Table("$.items", 5, "p VARCHAR", {"sum((p ->> 'a')::BIGINT)": 10}),)),
    Case("shape: a list under an odd key", _value({"odd key": {'q"x': _ROWS}}), _at('$."odd key"."q\\"x"')),
    Case("shape: the same list twice in one result", _value({"a": {"rows": _ROWS}, "b": {"rows": _ROWS}}), (*_at("$.a.rows"), *_at("$.b.rows"))),
    Case("shape: 60 lists", _value({f"l{at}": [{"v": at}] * 2 for at in range(60)}), tuple(Table(f"$.l{at}", 2, "v BIGINT", {"sum(v)": 2 * at}) for at in range(60)), says=("tables more",)),
    Case("shape: 70 lists are leaves", _value({f"l{at}": [at, at] for at in range(70)}), (Table("$", 140, "path VARCHAR | value BIGINT", {"sum(value)": 2 * sum(range(70))}),)),
    Case("shape: 400 columns", _value({"rows": [_WIDE] * 3}), (Table("$.rows", 3, " | ".join(f"c{at} BIGINT" for at in range(400)), {"sum(c399)": 1197}),), replaced=True, says=("columns more",)),
    Case("shape: 1,500 columns", _value({"rows": [_WIDER] * 2}), (Table("$.rows", 2, " | ".join(f"column_{at} BIGINT" for at in range(1_500)), {"sum(column_1499), sum(column_750)": (2998, 1500)}),), replaced=True, says=("columns more",)),
    Case("shape: 2,100 columns are one value", _value({"rows": [{f"k{at}": at for at in range(2_100)}] * 2}), (Table("$.rows", 2, "value JSON", {"sum((value ->> 'k2099')::BIGINT)": 4198}),), replaced=True),
    Case("shape: 120 deep inside a row", structured('{"rows":[{"a":' + "[" * 120 + "1" + "]" * 120 + "}]}"), (Table("$.rows", 1, "a JSON[][][][][][][][]", {"count(a)": 1}),)),
    Case("shape: a long scalar beside rows", _value({"note": "n" * 300, "items": _ROWS * 4}), (Table("$.items", 48, _COLUMNS, {"sum(id)": 264}),), says=("$.note = ", "…")),
)  # fmt: skip
