"""Forms: one table of small data in every form a text comes in, and the neighbours of each that are none.

Rule: what a text is taken for is seen from its tables. Imports `cases.case` and the standard library only.
"""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import uuid
from collections import Counter, deque

from cases.case import IMAGE, Case, Table, blocks, lines, resource, structured, text

_DATA = [{"id": at, "name": f"row {at}", "score": at / 4} for at in range(6)]
_JSON = json.dumps(_DATA)
_COLUMNS = "id BIGINT | name VARCHAR | score DECIMAL(3,2)"
_ASKS = {"count(*), sum(id), max(name), sum(score)": (6, 15, "row 5", decimal.Decimal("3.75"))}
_TABLE = (Table("$", 6, _COLUMNS, _ASKS),)
_RESULT = (Table("$.result", 6, _COLUMNS, _ASKS),)
_NDJSON = "\n".join(map(json.dumps, _DATA))
_SENTENCE = "The six rows that you asked for are these."


def _csv(delimiter: str = ",", line_end: str = "\n") -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(_DATA[0])
    writer.writerows(row.values() for row in _DATA)
    return out.getvalue()


def _markdown(rule: str = "---") -> str:
    head = ["| id | name | score |", f"|{rule}|{rule}|{rule}|"]
    return "\n".join([*head, *("| " + " | ".join(map(str, row.values())) + " |" for row in _DATA)])


_CSV_COLUMNS = "id BIGINT | name VARCHAR | score DECIMAL(3,2)"
_MARKDOWN = _markdown()

JSON_FORMS = (
    Case("json: compact", text(json.dumps(_DATA, separators=(",", ":"))), _TABLE),
    Case("json: indented", text(json.dumps(_DATA, indent=4)), _TABLE),
    Case("json: a byte order mark and white space", text(f"\ufeff\n \t{_JSON}\r\n\n"), _TABLE),
    Case("json: line ends of Windows", text(json.dumps(_DATA, indent=1).replace("\n", "\r\n")), _TABLE),
    Case("json: inside a JSON string", text(json.dumps(_JSON)), _TABLE),
    Case("json: inside a JSON string twice", text(json.dumps(json.dumps(_JSON))), _TABLE),
    Case("json: a string in structuredContent.result", structured(json.dumps({"result": _JSON})), _RESULT),
    Case("json: a string under another name", structured(json.dumps({"output": _JSON})), (Table("$.output", 6, _COLUMNS, _ASKS),)),
    Case("json: a string in a string in result", structured(json.dumps({"result": json.dumps(_JSON)})), _RESULT),
    Case("json: a string with rows among other members", structured(json.dumps({"ok": True, "data": _JSON})), (Table("$.data", 6, _COLUMNS, _ASKS),), says=("$.ok = true",)),
    Case("json: lines in result", structured(json.dumps({"result": _NDJSON})), _RESULT),
    Case("json: CSV in result", structured(json.dumps({"result": _csv()})), _RESULT),
    Case("json: Markdown in result", structured(json.dumps({"result": _MARKDOWN})), _RESULT),
    Case("json: a Python literal in result", structured(json.dumps({"result": repr(_DATA)})), _RESULT),
    Case("json: prose in result", structured(json.dumps({"result": "one\ntwo"})), (Table("$.result", 2, "line BIGINT | text VARCHAR", {"max(text)": "two"}),)),
    Case("json: a list that is not closed", text(_JSON[:-1]), lines(_JSON, 1, {"text": _JSON[:-1]})),
    Case("json: single quotes and true are neither JSON nor Python", text("[{'a': true}]"), lines("", 1)),
    Case("json: a trailing comma", text('[{"a":1},{"a":2},]'), (Table("$", 2, "a BIGINT", {"sum(a)": 3}),)),
    Case("prose: before", text(f"Found 6 rows:\n{_JSON}"), _TABLE, says=("text around the data: Found 6 rows:",)),
    Case("prose: before, on the same line", text(f"Found 6 rows: {_JSON}"), _TABLE, says=("Found 6 rows:",)),
    Case("prose: after", text(f"{_JSON}\n\n{_SENTENCE}"), _TABLE, says=(_SENTENCE,)),
    Case("prose: before and after an object", text("Result:\n" + json.dumps({"rows": _DATA, "total": 6}) + f"\n{_SENTENCE}"), (Table("$.rows", 6, _COLUMNS, _ASKS),), says=("$.total = 6", _SENTENCE)),
    Case("prose: a fence", text(f"```json\n{json.dumps(_DATA, indent=2)}\n```"), _TABLE),
    Case("prose: a fence and a sentence", text(f"{_SENTENCE}\n\n```\n{_JSON}\n```\n"), _TABLE, says=(_SENTENCE,)),
    Case("prose: two values are not one", text(f"First: {_JSON}\nSecond: {_JSON}"), lines("", 2)),
    Case("prose: brackets in the prose", text(f"Rows [a] of (b):\n{_JSON}"), _TABLE),
    Case("prose: longer than the data", text(f"{_SENTENCE * 20}\n[1, 2]"), lines("", 2)),
    Case("lines: one object each", text(_NDJSON), _TABLE),
    Case("lines: blank ones between", text(_NDJSON.replace("\n", "\n\n") + "\n"), _TABLE),
    Case("lines: line ends of Windows", text(_NDJSON.replace("\n", "\r\n")), _TABLE),
    Case("lines: NaN in one", text('{"v":NaN}\n{"v":1.5}'), (Table("$", 2, "v DOUBLE", {"count(*) FILTER (isnan(v))": 1}),)),
    Case("lines: a list each", text('[1,"a"]\n[2,"b"]\n[3,"c"]'), (Table("$", 3, "column0 BIGINT | column1 VARCHAR", {"sum(column0), max(column1)": (6, "c")}),)),
    Case("lines: a sentence among them", text(f"{_NDJSON}\nthe end"), lines("", 7)),
    Case("lines: other keys in each", text('{"a":1}\n{"b":2}\n{"c":{"d":3}}'), (Table("$", 3, 'a BIGINT | b BIGINT | c STRUCT("d" BIGINT)', {"sum(a), sum(b), sum(c.d)": (1, 2, 3)}),)),
    Case("lines: a log of JSON", text("\n".join(json.dumps({"ts": f"2026-01-01T00:00:{at:02d}Z", "level": "info" if at % 3 else "error", "ms": at * 1.5}) for at in range(30))), (Table("$", 30, "ts VARCHAR | level VARCHAR | ms DECIMAL(3,1)", {"count(*) FILTER (level = 'error'), sum(ms)": (10, decimal.Decimal("652.5"))}),), says=("ISO 8601",)),
    Case("blocks: one object each", blocks(*map(json.dumps, _DATA)), _TABLE),
    Case("blocks: one number each", blocks("1", "2", "3.5"), (Table("$", 3, "value DECIMAL(2,1)", {"sum(value)": decimal.Decimal("6.5")}),)),
    Case("blocks: one Python literal each", blocks(*map(repr, _DATA)), _TABLE),
    Case("blocks: images between", blocks(json.dumps(_DATA[0]), IMAGE, *map(json.dumps, _DATA[1:]), IMAGE), _TABLE, kept=2),
    Case("blocks: a sentence and a list", blocks("Found 6 rows:", _JSON), _TABLE, says=("Found 6 rows:",)),
    Case("blocks: a list and a sentence", blocks(_JSON, _SENTENCE), _TABLE, says=(_SENTENCE,)),
    Case("blocks: a list of rows each", blocks(json.dumps(_DATA[:2]), json.dumps(_DATA[2:])), (Table("$[0]", 2, "id BIGINT | name VARCHAR | score DECIMAL(2,2)", {"sum(id)": 1}), Table("$[1]", 4, "id BIGINT | name VARCHAR | score DECIMAL(3,2)", {"sum(id)": 14}))),
    Case("blocks: prose each", blocks("one", "two"), lines("", 2)),
    Case("blocks: an empty one", blocks("", _JSON), _TABLE),
    Case("resource: JSON", blocks(resource("application/json", _JSON)), _TABLE),
    Case("resource: a JSON type with a suffix", blocks("see below", resource("application/vnd.api+json", _JSON)), _TABLE),
    Case("resource: JSON lines", blocks(resource("application/x-ndjson", _NDJSON)), _TABLE),
    Case("resource: CSV", blocks(resource("text/csv; charset=utf-8", _csv())), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("resource: tabs", blocks(resource("text/tab-separated-values", _csv("\t"))), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("resource: a link and a text beside rows are kept", blocks(_JSON, {"type": "resource_link", "uri": "file:///a", "name": "a"}, resource("text/html", "<p>")), _TABLE, kept=2),
)  # fmt: skip

_AWKWARD = [["1", "a, b", 'say "hi"'], ["2", "two\nlines", ""], ["3", " spaced ", "x;y|z\tt"]]


def _written(delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows([["id", "text", "more"], *_AWKWARD])
    return out.getvalue()


_AWKWARD_TABLE = (
    Table(
        "$",
        3,
        "id BIGINT | text VARCHAR | more VARCHAR",
        {
            "SELECT id, text, more FROM {t} ORDER BY id": [(int(id), *rest) for id, *rest in _AWKWARD],
            "count(*) FILTER (more = '')": 1,
        },
    ),
)


def _column(*cells: str) -> str:
    return "id,v\n" + "".join(f"{at},{cell}\n" for at, cell in enumerate(cells))


DELIMITED = (
    Case("csv: plain", text(_csv()), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("csv: line ends of Windows", text(_csv(line_end="\r\n")), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("csv: a byte order mark and blank lines at the end", text("\ufeff" + _csv() + "\n\n"), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("csv: tabs", text(_csv("\t")), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("csv: semicolons", text(_csv(";")), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("csv: bars", text(_csv("|")), (Table("$", 6, _CSV_COLUMNS, _ASKS),)),
    Case("csv: quotes, commas and newlines in quotes", text(_written(",")), _AWKWARD_TABLE),
    Case("csv: the same with semicolons", text(_written(";")), _AWKWARD_TABLE),
    Case("csv: the same with tabs", text(_written("\t")), _AWKWARD_TABLE),
    Case("csv: every cell in quotes", text('"id","zip"\n"1","00501"\n"2","10001"\n"3","02134"\n'), (Table("$", 3, "id BIGINT | zip VARCHAR", {"sum(id), min(zip)": (6, "00501")}),)),
    Case("csv: numbers with holes", text(_column("1.5", "", "2.25")), (Table("$", 3, "id BIGINT | v DECIMAL(3,2)", {"count(v), sum(v)": (2, decimal.Decimal("3.75"))}),)),
    Case("csv: texts with holes", text(_column("a", "", "b")), (Table("$", 3, "id BIGINT | v VARCHAR", {"count(v), count(*) FILTER (v = '')": (3, 1)}),)),
    Case("csv: numbers with exponents and signs", text(_column("1e2", "-5", "0.5")), (Table("$", 3, "id BIGINT | v DECIMAL(4,1)", {"sum(v)": decimal.Decimal("95.5")}),)),
    Case("csv: 40 digits", text(_column("1" * 40, "2", "3")), (Table("$", 3, "id BIGINT | v BIGNUM", {"sum(v)": int("1" * 40) + 5}),)),
    Case("csv: a plus sign is text", text(_column("+1", "2", "3")), (Table("$", 3, "id BIGINT | v VARCHAR", {"min(v)": "+1"}),)),
    Case("csv: a decimal comma is text", text("id;v\n1;1,5\n2;2,5\n3;3,5\n"), (Table("$", 3, "id BIGINT | v VARCHAR", {"max(v)": "3,5"}),)),
    Case("csv: a dot in front is text", text(_column(".5", "1", "2")), (Table("$", 3, "id BIGINT | v VARCHAR", {"min(v)": ".5"}),)),
    Case("csv: NaN is text", text(_column("NaN", "1", "2")), (Table("$", 3, "id BIGINT | v VARCHAR", {"max(v)": "NaN"}),)),
    Case("csv: booleans are text", text(_column("true", "false", "true")), (Table("$", 3, "id BIGINT | v VARCHAR", {"count(*) FILTER (v = 'true')": 2}),)),
    Case("csv: stamps are named", text(_column("2026-01-01", "2026-01-02", "2026-01-03")), (Table("$", 3, "id BIGINT | v VARCHAR", {"max(v::DATE)::VARCHAR": "2026-01-03"}),), says=("v VARCHAR ISO 8601",)),
    Case("csv: spaces belong to cells", text(_column(" a", "b ", "c")), (Table("$", 3, "id BIGINT | v VARCHAR", {"count(*) FILTER (v = ' a' OR v = 'b ')": 2}),)),
    Case("csv: a name twice", text("id,v,v\n1,2,3\n4,5,6\n7,8,9\n"), (Table("$", 3, "id BIGINT | v BIGINT | v_2 BIGINT", {"sum(v), sum(v_2)": (15, 18)}),)),
    Case("csv: an index without a name", text(",a,b\n0,1,2\n1,3,4\n2,5,6\n"), (Table("$", 3, "empty_1 BIGINT | a BIGINT | b BIGINT", {"sum(empty_1), sum(a)": (3, 9)}),)),
    Case("csv: other letters", text("ime,grad\nЉиљана,Ниш\nŽeljko,Niš\nZoë,São Paulo\n"), (Table("$", 3, "ime VARCHAR | grad VARCHAR", {"count(*) FILTER (ime = 'Љиљана')": 1}),)),
    Case("csv: a wide one", text(",".join(f"c{at}" for at in range(300)) + "\n" + "\n".join(",".join(str(at * row) for at in range(300)) for row in range(3))), (Table("$", 3, " | ".join(f"c{at} BIGINT" for at in range(300)), {"sum(c299)": 897}),), replaced=True, says=("DESCRIBE",)),
    Case("csv: one column is lines", text("id\n1\n2\n3\n"), lines("", 4)),
    Case("csv: no header is lines", text("1,2\n3,4\n5,6\n"), lines("", 3)),
    Case("csv: rows of two widths are lines", text("id,v\n1,2\n3,4,5\n6,7\n"), lines("", 4)),
    Case("csv: a quote that is not closed is lines", text('id,v\n1,"2\n3,4\n5,6\n'), lines("", 4)),
    Case("csv: prose with commas is lines", text("Dear all, good morning\nI hope, truly\nto hear, soon\n"), lines("", 3)),
    Case("csv: only a header is lines", text("id,name\n"), lines("", 1)),
    Case("markdown: plain", text(_MARKDOWN), _TABLE),
    Case("markdown: prose around", text(f"# Rows\n\n{_MARKDOWN}\n\n{_SENTENCE}\n"), _TABLE, says=("# Rows", _SENTENCE)),
    Case("markdown: colons in the rule", text(_markdown(":-:")), _TABLE),
    Case("markdown: no pipes at the ends", text("id | name\n--- | ---\n1 | a\n2 | b"), (Table("$", 2, "id BIGINT | name VARCHAR", {"sum(id), max(name)": (3, "b")}),)),
    Case("markdown: a pipe in a cell", text("| a | b |\n|---|---|\n| x\\|y | 1 |\n| z | 2 |"), (Table("$", 2, "a VARCHAR | b BIGINT", {"min(a)": "x|y"}),)),
    Case("markdown: missing cells", text("| a | b |\n|---|---|\n| x |\n| y | 2 |"), (Table("$", 2, "a VARCHAR | b BIGINT", {"count(b), sum(b)": (1, 2)}),)),
    Case("markdown: two tables", text(f"{_MARKDOWN}\n\nand\n\n| x |\n|---|\n| 7 |\n| 8 |"), (Table("$.table_1", 6, _COLUMNS, _ASKS), Table("$.table_2", 2, "x BIGINT", {"sum(x)": 15}))),
    Case("markdown: a cell too many is lines", text("| a | b |\n|---|---|\n| 1 | 2 | 3 |"), lines("", 3)),
    Case("markdown: a text that mentions one is lines", text(f"{_SENTENCE * 10}\n\n| a |\n|---|\n| 1 |\n"), lines("", 5)),
)  # fmt: skip

_WHEN = datetime.datetime(2026, 1, 2, 3, 4, 5, 60, tzinfo=datetime.UTC)
_PYTHON = [
    {"d": decimal.Decimal("1.10"), "w": _WHEN, "u": uuid.UUID(int=5), "n": None, "b": True},
    {"d": decimal.Decimal("2.25"), "w": _WHEN, "u": uuid.UUID(int=6), "n": None, "b": False},
]

PYTHON = (
    Case("python: dicts", text(repr(_DATA)), _TABLE),
    Case("python: one dict a line", text("\n".join(map(repr, _DATA))), _TABLE),
    Case("python: Decimal, datetime, UUID, None", text(repr(_PYTHON)), (Table("$", 2, "d DECIMAL(3,2) | w VARCHAR | u VARCHAR | n VARCHAR | b BOOLEAN", {"sum(d), max(w), max(u), count(n)": (decimal.Decimal("3.35"), _WHEN.isoformat(), str(uuid.UUID(int=6)), 0)}),)),
    Case("python: dates, times and spans", text(repr([(datetime.date(2026, 1, 2), datetime.time(3, 4), datetime.timedelta(days=1, seconds=5))] * 2)), (Table("$", 2, "column0 VARCHAR | column1 VARCHAR | column2 VARCHAR", {"max(column0), max(column1), max(column2)": ("2026-01-02", "03:04:00", "1 day, 0:00:05")}),)),
    Case("python: an offset", text(repr([{"w": datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))}] * 2)), (Table("$", 2, "w VARCHAR", {"max(w)": "2026-01-02T00:00:00+02:00"}),)),
    Case("python: rows of a cursor", text(repr([(1, "a", None), (2, "it's", 2.5)])), (Table("$", 2, "column0 BIGINT | column1 VARCHAR | column2 DECIMAL(2,1)", {"sum(column0), max(column1), sum(column2)": (3, "it's", decimal.Decimal("2.5"))}),)),
    Case("python: an ordered dict each", text("[OrderedDict([('id', 0), ('name', 'row 0'), ('score', 0.0)]), OrderedDict({'id': 1, 'name': 'row 1', 'score': 0.25})]"), (Table("$", 2, "id BIGINT | name VARCHAR | score DECIMAL(2,2)", {"sum(id), max(name)": (1, "row 1")}),)),
    Case("python: a deque and a counter", text(repr([{"q": deque([1, 2]), "c": Counter("aab")}] * 2)), (Table("$", 2, 'q BIGINT[] | c STRUCT("a" BIGINT, "b" BIGINT)', {"sum(len(q)), sum(c.a)": (4, 4)}),)),
    Case("python: nan and inf", text(repr([{"v": float("nan")}, {"v": float("-inf")}, {"v": 1.5}])), (Table("$", 3, "v DOUBLE", {"count(*) FILTER (isnan(v)), min(v) = '-inf'::DOUBLE": (1, True)}),)),
    Case("python: quotes and escapes", text(repr([{"s": "it's"}, {"s": 'say "x"'}, {"s": "both ' and \""}, {"s": "a\nb\\c\t\x00é"}])), (Table("$", 4, "s VARCHAR", {"count(*) FILTER (contains(s, '''')), count(*) FILTER (contains(s, chr(10)))": (2, 1)}),)),
    Case("python: bytes", text(repr([{"s": b"abc\xff"}, {"s": b"d"}])), (Table("$", 2, "s VARCHAR", {"min(s)": "abc\\xff"}),)),
    Case("python: sets and nested tuples", text(repr([{"s": {1, 2}, "t": ((1, 2), (3,))}] * 2)), (Table("$", 2, "s BIGINT[] | t BIGINT[][]", {"sum(len(s)), max(t[2][1])": (4, 3)}),)),
    Case("python: keys that are no strings", text(repr([{1: "a", None: "b", (1, 2): "c"}] * 3)), (Table("$", 3, "1 VARCHAR | None VARCHAR | (1, 2) VARCHAR", {'max("1"), max("None"), max("(1, 2)")': ("a", "b", "c")}),)),
    Case("python: long integers", text(repr([{"n": 10**40}, {"n": 2**64}])), (Table("$", 2, "n BIGNUM", {"sum(n)": 10**40 + 2**64}),)),
    Case("python: numpy scalars", text("[{'a': np.float64(1.5), 'b': np.int64(7)}, {'a': np.float64(2.5), 'b': np.int64(8)}]"), (Table("$", 2, "a DECIMAL(2,1) | b BIGINT", {"sum(a), sum(b)": (4, 15)}),)),
    Case("python: words that look like Python's", text(repr([{"s": "None"}, {"s": "True, False"}, {"s": "nan"}])), (Table("$", 3, "s VARCHAR", {"count(s), min(s)": (3, "None")}),)),
    Case("python: an object's repr is lines", text("[<Row 1>, <Row 2>]"), lines("", 1)),
    Case("python: an unknown call is lines", text("[Row(id=1), Row(id=2)]"), lines("", 1)),
    Case("python: a dict of lists", text(repr({"rows": _DATA, "total": 6})), (Table("$.rows", 6, _COLUMNS, _ASKS),), says=("$.total = 6",)),
)  # fmt: skip

_LOG = "\n".join(
    f"2026-01-01 00:00:{at:02d} {'ERROR' if at % 7 == 0 else 'INFO'} worker[{at}]: took {at} ms, ok" for at in range(60)
)
_YAML = "items:\n  - id: 1\n    name: a\n  - id: 2\n    name: b\ntotal: 2\n"
_XML = '<?xml version="1.0"?>\n<rows>\n  <row id="1">a</row>\n  <row id="2">b</row>\n</rows>\n'
_CODE = "def f(a, b):\n    return {'a': a, 'b': b}\n\n\nprint(f(1, 2))\n"
_DIFF = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one, two\n+one, three\n"

PLAIN = (
    Case("text: a log", text(_LOG), lines(_LOG, 60, {"count(*) FILTER (contains(text, ' ERROR '))": 9, "sum(regexp_extract(text, 'took ([0-9]+)', 1)::BIGINT)": sum(range(60))})),
    Case("text: YAML", text(_YAML), lines(_YAML, 6, {"max(text) FILTER (line = 6)": "total: 2"})),
    Case("text: XML", text(_XML), lines(_XML, 5, {"count(*) FILTER (contains(text, '<row '))": 2})),
    Case("text: code", text(_CODE), lines(_CODE, 5, {"count(*) FILTER (text = '')": 2})),
    Case("text: a diff", text(_DIFF), lines(_DIFF, 5)),
    Case("text: blank lines and ends are kept", text("a\n\n  b \n\n"), lines("", 4, {"count(*) FILTER (text = '  b ')": 1})),
    Case("text: line ends of Windows", text("a\r\nb\r\nc"), lines("", 3, {"max(text)": "c"}), says=("CR LF",)),
    Case("text: a CR of its own stays", text("a\rb\nc"), lines("", 2, {"max(length(text))": 3})),
    Case("text: one very long line", text("y" * 40_000), lines("", 1, {"length(text)": 40_000}), replaced=True),
    Case("text: many lines", text("line\n" * 9_000), lines("", 9_000, {"count(DISTINCT text), max(line)": (1, 9_000)}), replaced=True),
    Case("text: other separators are no line ends", text("a\u2028b\x0bc\x85d\n2"), lines("", 2, {"max(length(text))": 7})),
    Case("text: a JSON string of prose", text(json.dumps("one\ntwo")), lines("", 2, {"max(text)": "two"})),
)  # fmt: skip

CASES = (*JSON_FORMS, *DELIMITED, *PYTHON, *PLAIN)
