"""Texts as servers send them, and the form that each is read as; then what must hold of any text."""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Sequence
from decimal import Decimal

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies_forms as texts
from millpond.core.forms import Form, FormText, read_blocks, read_text

README = """# Millpond

A proxy, in Python, that keeps large results, logs, and rows out of the context.

- fast, small, exact
- one process, one file, one tool

## Use

Run it, and ask.
"""
LOG = """2026-01-02 10:00:01,123 INFO  [main] server started, port=8080
2026-01-02 10:00:02,456 WARN  [pool-1] slow query, 312 ms
2026-01-02 10:00:03,789 ERROR [pool-2] connection reset, retrying
2026-01-02 10:00:04,000 INFO  [main] done, bye
"""
BRACKET_LOG = """[2026-01-02 10:00:01] [INFO] started
[2026-01-02 10:00:02] [WARN] slow [312]
[2026-01-02 10:00:03] [INFO] done [0]
"""
TAB_LOG = """2026-01-02T10:00:01Z\tINFO\tstarted
2026-01-02T10:00:02Z\tWARN\tslow
2026-01-02T10:00:03Z\tINFO\tdone
"""
LEVEL_LOG = "INFO,start,api\nINFO,stop,api\nWARN,start,db\nINFO,stop,db\n"
TRACE = """Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main(a, b)
  File "app.py", line 9, in main
    raise ValueError(x, y)
ValueError: ('a', 'b')
"""
PYTHON_CODE = """import os, sys
def f(a, b):
    return a, b
print(f(1, 2), f(3, 4))
"""
JAVASCRIPT = """const rows = [
  {"a": 1, "b": 2},
  {"a": 3, "b": 4}
];
module.exports = { rows };
"""
C_CODE = "int a, b;\nint c, d;\nint e, f;\nint g, h;\n"
ASSEMBLY = "mov eax,ebx\nadd ecx,edx\nsub esi,edi\nxor eax,eax\n"
SQL = "SELECT a, b FROM t;\nSELECT c, d FROM u;\nSELECT e, f FROM v;\n"
GIT_LOG = """commit 3f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a
Author: A Person <a@example.org>
Date:   Mon Jan 5 10:00:00 2026 +0100

    Fix the parser, and test it
"""
GIT_PIPES = "3f2a1b9|A Person|2026-01-05|Fix\n4a3b2c1|B Person|2026-01-04|Add\n5b4c3d2|A Person|2026-01-03|Start\n"
LS = """total 8
drwxr-xr-x 2 root root 4096 Jan  5 10:00 bin
-rw-r--r-- 1 root root  120 Jan  5 10:00 a,b.txt
"""
INI = "[server]\nhost = localhost\nport = 8080\n\n[client]\nnames = a, b, c\n"
YAML = "---\nitems:\n  - name: a\n    tags: [x, y]\n  - name: b\n    tags: [z]\n"
HTML = "<table>\n<tr><td>1</td><td>2, 3</td></tr>\n<tr><td>4</td><td>5, 6</td></tr>\n</table>\n"
XML = '<?xml version="1.0"?>\n<rows><row id="1"/><row id="2"/></rows>\n'
CSS = "a, b { color: red; }\nc, d { color: blue; }\n"
POEM = """Roses are red, violets are blue
Sugar is sweet, and so are you
The sky is high, the sea is deep
The day is long, the night for sleep
"""
PSQL = " id | name \n----+------\n  1 | a\n  2 | b\n(2 rows)\n"
ADDRESSES = "Berlin, Germany\nParis, France\nRome, Italy\nMadrid, Spain\n"
HEADLESS = "1,2.5,3\n4,5.5,6\n7,8.5,9\n"
LONG_README = README + "More words, and more of them. " * 40 + "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
README_WITH_JSON = README + "More words, and more of them. " * 40 + '\n\n```json\n{"a": 1, "b": 2}\n```\n'
CHANGELOG = "## 1.2.0\n\n- add a, b, and c ([#12](https://example.org/12))\n- fix d [#13]\n\n## 1.1.0\n\n- start\n"
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a, b\n+a, c\n"
ENVIRONMENT = "PATH=/usr/bin:/bin\nHOME=/root\nLANG=C.UTF-8\n"
TODO = "- [ ] buy milk, eggs\n- [x] call home, work\n- [ ] read, write\n"
DECIMALS = "name;price\nx;1,5\ny;2,5\nz;3,25\n"
REPR = repr(
    [
        {"a": 1, "b": None, "c": "it's", "d": 'say "x"', "e": True, "f": 1.10, "g": (1, "z"), "h": b"raw"},
        {
            "when": datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
            "day": datetime.date(2026, 1, 2),
            "price": Decimal("1.10"),
            "id": uuid.UUID(int=1),
            "tags": {"x"},
        },
    ]
)
INDENTED = json.dumps([{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}], indent=2)

SIMPLE_CASES: Sequence[tuple[str, str, Form]] = [
    ("an empty text", "", Form.LINES),
    ("blanks", " \n\t\n", Form.LINES),
    ("a word", "done", Form.LINES),
    ("a sentence", "Created 3 issues, 2 of them open.", Form.LINES),
    ("a number", "42", Form.JSON),
    ("a compact list", '[{"a":1},{"a":2}]', Form.JSON),
    ("an indented list", INDENTED, Form.JSON),
    ("an empty list", "[]", Form.JSON),
    ("a byte order mark", "\ufeff[1,2]\n", Form.JSON),
    ("a JSON string that holds JSON", json.dumps('[{"a":1}]'), Form.JSON),
    ("a JSON string in a JSON string", json.dumps(json.dumps('{"a":1}')), Form.JSON),
    ("a JSON string that holds prose", json.dumps("[see above]"), Form.LINES),
    ("Python's NaN", '{"rows":[{"v":NaN},{"v":-Infinity}]}', Form.RELAXED_JSON),
    ("a lone surrogate", r'["\ud83d"]', Form.RELAXED_JSON),
    ("an integer of 5,000 digits", f"[{'7' * 5000}]", Form.RELAXED_JSON),
    ("nesting of 100,000", "[" * 100_000 + "]" * 100_000, Form.LINES),
    ("a trailing comma, as Python writes it", '{"a": 1, "b": 2,}', Form.PYTHON_LITERAL),
    ("a JSON text cut short", '[{"a":1},{"a":2},{"a"', Form.LINES),
    ("a sentence before the JSON", 'Found 2 issues:\n[{"a":1},{"a":2}]', Form.JSON_IN_TEXT),
    ("JSON after a colon", 'Result: {"a": 1, "b": 2}', Form.JSON_IN_TEXT),
    ("words after the JSON", '[{"a":1},{"a":2}]\n\nShowing 2 of 412.', Form.JSON_IN_TEXT),
    ("a fence", f"Here it is:\n```json\n{INDENTED}\n```\n", Form.JSON_IN_TEXT),
    ("NaN in prose", "Values:\n[1, NaN]", Form.JSON_IN_TEXT),
    ("two lists in prose", "Open:\n[1, 2]\nClosed:\n[3, 4]", Form.LINES),
    ("JSON whose frame has brackets", 'Rows (see {"n": 2} and [1]):\n[1, 2]\n]\n]\n', Form.JSON_IN_TEXT),
    ("JSON whose frame has many brackets", "Rows:\n[1, 2]\n]\n]\n]\n]\n", Form.LINES),
    ("a list beside a smaller one", "Open:\n[1, 2]\nClosed:\n[]", Form.LINES),
    ("lists of JSON and of Python, one a line", "[1, 2]\n(3,)", Form.PYTHON_LITERAL),
    ("a footnote", "See the list:\n[1]", Form.LINES),
    ("a word in brackets, then JSON", '[note] all of them:\n{"a": 1, "b": 2}', Form.JSON_IN_TEXT),
    ("JSON in a sentence", 'Send {"a": 1, "b": 2} to it.', Form.LINES),
    ("JSON Lines", '{"a":1}\n{"a":2}\n', Form.JSON_LINES),
    ("JSON Lines of lists, blank lines, CR LF", "[1]\r\n\r\n[2,3]\r\n", Form.JSON_LINES),
    ("JSON Lines with NaN", '{"a":1}\n{"a":NaN}', Form.JSON_LINES),
    ("numbers one a line", "1\n2\n3\n", Form.LINES),
    ("a list over two lines", "[1,\n2]", Form.JSON),
    ("halves of lists", "[1\n2]", Form.LINES),
    ("repr", REPR, Form.PYTHON_LITERAL),
    ("repr of one dict", "{'a': 1, 'b': None}", Form.PYTHON_LITERAL),
    ("repr of tuples", "[(1, 'a'), (2, 'b')]", Form.PYTHON_LITERAL),
    ("repr, one a line", "(1, 'a')\n(2, 'b')\n", Form.PYTHON_LITERAL),
    ("a tuple", "(1, 2, 'x')", Form.PYTHON_LITERAL),
    ("pretty-printed repr", "[{'a': 1,\n  'b': None},\n {'a': 2,\n  'b': [1]}]", Form.PYTHON_LITERAL),
    ("tuples in tuples", "[('a', (1, 2)), ('b', ())]", Form.PYTHON_LITERAL),
    ("repr with an object in it", "[{'a': <object at 0x7f>}]", Form.LINES),
    ("repr with a call", "[{'a': open('x')}]", Form.LINES),
    ("a value in parentheses", "(1)", Form.LINES),
    ("words in parentheses", "(see above, or below)", Form.LINES),
    ("a JavaScript object", "{a: 1, b: 'x'}", Form.LINES),
    ("CSV", 'id,name,zip\n1,"Name, 1",00001\n2,b,00002\n', Form.CSV),
    ("CSV with CR LF and newlines in quotes", 'id,text\r\n1,"a\r\nb"\r\n2,"c"\r\n3,d\r\n', Form.CSV),
    ("CSV with names of several words", "First Name,Last Name,Age\nA,B,1\nC,D,2\n", Form.CSV),
    ("CSV with years as names", "country,2019,2020\na,1.5,2\nb,2.5,\n", Form.CSV),
    ("CSV with an index", ",name,age\n0,a,31\n1,b,42\n", Form.CSV),
    ("CSV whose width changes", "a,b\n1,2\n3,4,5\n6,7\n", Form.LINES),
    ("CSV with an open quote", 'a,b\n1,2\n"3,4\n5,6\n', Form.LINES),
    ("one column", "name\na\nb\nc\n", Form.LINES),
    ("a header and nothing", "id,name\n", Form.LINES),
    ("numbers without a header", HEADLESS, Form.LINES),
    ("TSV", "id\tname\n1\ta\n2\tb\n", Form.TSV),
    ("TSV with quotes as text", 'id\tname\n1\t"a" b\n2\t"\n', Form.TSV),
    ("semicolons", DECIMALS, Form.SSV),
    ("pipes", "id|name|state\n1|a|open\n2|b|closed\n", Form.PSV),
    ("pipes between spaces", "id | name\n1 | a\n2 | b\n", Form.PSV),
    ("a Markdown table", "| a | b |\n|---|:-:|\n| 1 | x |\n| 2 | y |\n", Form.MARKDOWN),
    ("a Markdown table without outer pipes", "a | b\n--- | ---\n1 | 2\n", Form.MARKDOWN),
    ("a Markdown table in prose", "## Found\n\n| a | b |\n|---|---|\n| 1 | x |\n\nThat is all.\n", Form.MARKDOWN),
    ("two Markdown tables", "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n", Form.MARKDOWN),
    ("a Markdown table with a cell too many", "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n", Form.LINES),
    ("a Markdown page", README, Form.LINES),
    ("a Markdown page with a small table", LONG_README, Form.LINES),
    ("a Markdown page with a small example", README_WITH_JSON, Form.LINES),
    ("a changelog", CHANGELOG, Form.LINES),
    ("a to-do list", TODO, Form.LINES),
    ("a log", LOG, Form.LINES),
    ("a log with brackets", BRACKET_LOG, Form.LINES),
    ("a log with tabs", TAB_LOG, Form.LINES),
    ("a log whose levels repeat", LEVEL_LOG, Form.LINES),
    ("a stack trace", TRACE, Form.LINES),
    ("Python code", PYTHON_CODE, Form.LINES),
    ("JavaScript", JAVASCRIPT, Form.LINES),
    ("C", C_CODE, Form.LINES),
    ("assembly", ASSEMBLY, Form.LINES),
    ("SQL", SQL, Form.LINES),
    ("CSS", CSS, Form.LINES),
    ("git log", GIT_LOG, Form.LINES),
    ("git log with pipes", GIT_PIPES, Form.LINES),
    ("a diff", DIFF, Form.LINES),
    ("ls", LS, Form.LINES),
    ("environment", ENVIRONMENT, Form.LINES),
    ("INI", INI, Form.LINES),
    ("YAML", YAML, Form.LINES),
    ("HTML", HTML, Form.LINES),
    ("XML", XML, Form.LINES),
    ("a poem", POEM, Form.LINES),
    ("places", ADDRESSES, Form.LINES),
    ("psql", PSQL, Form.LINES),
]


def value_of(found: FormText) -> object:
    """The value, fractions as `Decimal`."""
    return msgspec.json.Decoder(float_hook=Decimal).decode(found.json)


def rows_of(found: FormText) -> list[list[object]]:
    table = msgspec.json.Decoder(dict[str, list[object]], float_hook=str).decode(found.json)
    assert table.keys() == {"columns", "rows"}
    return [table["columns"], *msgspec.convert(table["rows"], list[list[object]])]


@pytest.mark.parametrize(("text", "form"), [case[1:] for case in SIMPLE_CASES], ids=[case[0] for case in SIMPLE_CASES])
def test_a_text_is_read_as_the_first_form_that_fits_all_of_it(text: str, form: Form) -> None:
    """FORMS-01"""
    found = read_text(text)
    assert found.form is form
    msgspec.json.decode(found.json, type=msgspec.Raw)


@given(texts.any_text)
def test_any_text_gives_strict_json_and_never_an_exception(text: str) -> None:
    """FORMS-02"""
    found = read_text(text)
    msgspec.json.Decoder(float_hook=str).decode(found.json)
    found.json.decode()


@given(st.lists(texts.any_text, max_size=4))
def test_any_blocks_give_strict_json_and_never_an_exception(blocks: list[str]) -> None:
    """FORMS-02"""
    msgspec.json.Decoder(float_hook=str).decode(read_blocks(blocks).json)


def test_json_keeps_its_bytes() -> None:
    """FORMS-03"""
    text = '{"a": 1.10, "a": 1e2, "b": -0, "c": 12345678901234567890123, "d": "\\u00e9\\/"}'
    assert read_text(f"\ufeff \r\n{text}\t\n") == FormText(form=Form.JSON, json=text.encode())


@given(texts.json_values, st.sampled_from([None, 1]), st.booleans())
def test_json_text_is_never_another_form(value: object, indent: int | None, ascii_only: bool) -> None:
    """FORMS-03"""
    assume(not isinstance(value, str))
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read_text(text) == FormText(form=Form.JSON, json=text.encode())


def test_json_inside_a_json_string_is_opened_up_to_twice_and_said() -> None:
    """FORMS-08"""
    inner = '{"a":1.10}'
    once, twice = json.dumps(inner), json.dumps(json.dumps(inner))
    for text in (once, twice):
        found = read_text(text)
        assert (found.json, found.form) == (inner.encode(), Form.JSON)
        assert found.notes
    assert read_text(json.dumps(twice)).json == once.encode()
    assert read_text(json.dumps("id,v\n1,2\n3,4\n5,6")).form is Form.CSV


def test_relaxed_json_in_a_string_is_opened_too() -> None:
    """FORMS-08"""
    found = read_text(json.dumps("[NaN]"))
    assert found.form is Form.RELAXED_JSON
    assert list(found.markers.values()) == [b"NaN", b"Infinity", b"-Infinity"]


def test_prose_around_json_is_repeated_in_a_note_and_cut() -> None:
    """FORMS-09"""
    short = read_text("Found 2:\n[1.10, 2]\nThat is all.\n")
    assert (short.json, short.notes) == (b"[1.10, 2]", ("text around the data: Found 2: That is all.",))
    long = read_text("word " * 60 + "\n" + json.dumps(list(range(200))))
    assert long.form is Form.JSON_IN_TEXT
    assert long.notes[0].endswith("… (299 characters, cut)")
    assert read_text("word " * 60 + "\n[1,2]").form is Form.LINES
    assert read_text("word " * 500 + "\n" + json.dumps(list(range(2000)))).form is Form.LINES


@given(
    st.lists(st.dictionaries(st.text(), st.integers() | st.text() | st.floats()), min_size=2),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_json_lines_come_back(values: list[dict[str, object]], separator: str) -> None:
    """FORMS-10"""
    lines = [json.dumps(value) for value in values]
    found = read_text(separator.join(lines))
    assert found.form is Form.JSON_LINES
    assert found.json.count(b"\n") == 0
    joined = read_text(f"[{','.join(lines)}]")
    assert (found.json, found.markers) == (joined.json, joined.markers)


def test_blocks_of_one_value_each_are_a_list() -> None:
    """FORMS-11"""
    assert read_blocks(['{"a":1.10}', " [2]\n", "null"]) == FormText(
        form=Form.JSON_BLOCKS, json=b'[{"a":1.10},[2],null]'
    )
    assert read_blocks(['{"a":NaN}', '{"a":1}']).form is Form.JSON_BLOCKS
    assert read_blocks(["{'a': None}", "{'a': 1.10}"]) == FormText(
        form=Form.JSON_BLOCKS, json=b'[{"a": null},{"a": 1.10}]'
    )


def test_other_blocks_are_read_as_one_text() -> None:
    """FORMS-12"""
    assert read_blocks(["Found 2:", "[1,2]"]) == read_text("Found 2:\n[1,2]")
    assert read_blocks(["a", "007"]) == read_text("a\n007")
    assert read_blocks(["[1,2]"]) == read_text("[1,2]")
    assert read_blocks([]) == read_text("")


@given(texts.python_containers)
def test_what_repr_writes_comes_back(value: object) -> None:
    """FORMS-13"""
    found = read_text(repr(value))
    assume(found.form is not Form.JSON)
    assert found.form is Form.PYTHON_LITERAL
    assert value_of(found) == texts.as_json_value(value)


def test_numbers_of_a_python_literal_keep_their_lexemes() -> None:
    """FORMS-13"""
    found = read_text(
        "[{'a': 1.10, 'b': Decimal('0.10'), 'c': 1E5, 'd': nan, 'e': -inf, 'f': Decimal('NaN'), 'g': 1_000}]"
    )
    text = found.json
    for marker, token in found.markers.items():
        text = text.replace(marker, token)
    assert text == b'[{"a":1.10,"b":0.10,"c":1E5,"d":NaN,"e":-Infinity,"f":NaN,"g":1000}]'
    digits = "9" * 3000
    assert read_text(f"({digits},)").json == f"[{digits}]".encode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("datetime.datetime(2026, 1, 2, 3, 4)", '"2026-01-02T03:04:00"'),
        ("datetime.datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=datetime.timezone.utc)",
         '"2026-01-02T03:04:05.000678+00:00"'),
        ("datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=68400)))",
         '"2026-01-02T03:04:00-05:00"'),
        ("datetime.datetime(2026, 7, 2, 3, 4, fold=1, tzinfo=zoneinfo.ZoneInfo(key='Europe/Rome'))",
         '"2026-07-02T03:04:00[Europe/Rome]"'),
        ("datetime.date(2026, 1, 2)", '"2026-01-02"'),
        ("datetime.time(3, 4)", '"03:04:00"'),
        ("datetime.timedelta(days=1, seconds=5)", '"1 day, 0:00:05"'),
        ("UUID('00000000-0000-0000-0000-000000000001')", '"00000000-0000-0000-0000-000000000001"'),
        ("Timestamp('2026-01-02 03:04:05')", '"2026-01-02 03:04:05"'),
        ("Decimal(5)", "5"),
        ("Decimal('sNaN')", '"sNaN"'),
        (r"'\N{NO SUCH NAME}\
\q'", r'"\\N{NO SUCH NAME}\\q"'),
        ("PosixPath('/a')", '"/a"'),
        ("frozenset({1})", "[1]"),
        ("set()", "[]"),
        ("OrderedDict({'a': 1})", '{"a": 1}'),
        ("np.float64(1.50)", "1.50"),
        ("{1, 2}", "[1,2]"),
        ("{1: 'a', None: 2, (1, 'x'): 3, 1.50: 4}", '{"1":"a","None":2,"(1, \'x\')":3,"1.50":4}'),
        ("'a' \"b\"", '"ab"'),
        (r"'\x41\101\u00e9\N{BULLET}\\\'\n'", '"AAé•\\\\\'\\n"'),
        ("'''a\n\"b'''", '"a\\n\\"b"'),
        (r"r'\n'", r'"\\n"'),
        (r"b'\xc3\xa9\xff'", r'"é\\xff"'),
        ("'\\ud800'", r'"\\ud800"'),
        ("-5", "-5"),
        (".5", "0.5"),
        ("5.", "5.0"),
    ],
)  # fmt: skip
def test_other_values_of_a_python_literal_are_written_as_json(source: str, expected: str) -> None:
    """FORMS-14"""
    for text in (f"[{source}, 'x']", f"[{source}, (1, 'slow')]"):
        found = read_text(text)
        assert found.form is Form.PYTHON_LITERAL
        elements = msgspec.json.decode(found.json, type=list[msgspec.Raw])
        assert json.loads(bytes(elements[0]), parse_float=str) == json.loads(expected, parse_float=str)


@pytest.mark.parametrize(
    "text",
    [
        "['a', true]", "[Decimal(1, 2)]", "[(1), 'a']", "[(1, 'a'])", "['a', (1, 2]]", "'a', 'b'", "[Path(1)]",
        "[time(hour=99)]", "[datetime.timezone(datetime.timedelta(microseconds=5))]", "[time(1, tzinfo=5)]",
        "[datetime.date(2026, 13, 1)]", "[datetime.date('x')]", "[datetime.timezone(5)]",
        "[UUID(5)]", "[1 2]", "[1,,2]", "[']", "['a\nb']", "[007]", "[1+2j]", "[0x10]", "{'a': 1, 'b'}",
        "{'a', 'b': 1}",
        "[lambda: 1]", "[f'{x}']", "['a'", "[datetime.datetime(2026)]", "[-None]", "[*a]", "[1]]", "{'a': 1]", "[a=1]",
        "(" * 200 + "1," + ")" * 200, "[zoneinfo.ZoneInfo('a', 'b')]", "[+]", "[set({1}, 2)]", "{", "['x' for x in y]",
    ],
)  # fmt: skip
def test_what_is_no_literal_is_not_taken_for_one(text: str) -> None:
    """FORMS-14"""
    assert read_text(text).form is Form.LINES


DELIMITERS = {Form.CSV: ",", Form.TSV: "\t", Form.SSV: ";", Form.PSV: "|"}


@given(texts.tables(), st.sampled_from(sorted(DELIMITERS)), st.sampled_from(["\n", "\r\n"]))
def test_a_table_that_csv_writes_comes_back_cell_by_cell(table: texts.Table, form: Form, line_end: str) -> None:
    """FORMS-15"""
    found = read_text(texts.write_csv(table, DELIMITERS[form], line_end))
    assert found.form is form
    names, *rows = rows_of(found)
    assert names == table[0]
    assert [["" if cell is None else str(cell) for cell in row] for row in rows] == [
        ["0" if str(cell) == "-0" and got == 0 else cell for cell, got in zip(row, read, strict=True)]
        for row, read in zip(table[1], rows, strict=True)
    ]


def test_a_column_is_numbers_only_where_every_cell_is_one() -> None:
    """FORMS-16"""
    found = read_text("a,b,c,d,e,f,g\n1.10,007,1,2026-01-02,,1,1.2.3\n-0,8,+1,5,,,4\n1e2,9, 1,6,,x,5\n")
    assert b'[1.10,"007","1","2026-01-02","","1","1.2.3"]' in found.json
    assert b'[1e2,"9"," 1","6","","x","5"]' in found.json
    assert b'[-0,"8","+1","5","","","4"]' in found.json
    assert b'[[1,"x"],[null,"y"]]' in read_text("a,b\n1,x\n,y\n").json
    assert b'[["1\\n2","x"],["3","y"],["4","z"]]' in read_text('a,b\n"1\n2",x\n3,y\n4,z\n').json


def test_a_text_of_more_than_one_chunk_of_rows_keeps_its_columns_kinds() -> None:
    """FORMS-16"""
    late = read_text("id,v\n" + "1,2\n" * 5000 + "3,x\n")
    rows = rows_of(late)
    assert (len(rows), rows[1], rows[-1]) == (5002, [1, "2"], [3, "x"])


def test_a_name_that_occurs_twice_stays_twice() -> None:
    """FORMS-15"""
    assert rows_of(read_text("a,a,A\n1,2,3\n4,5,6\n"))[0] == ["a", "a", "A"]


def test_a_cell_of_a_mebibyte_is_read() -> None:
    """FORMS-15"""
    cell = "x" * (1 << 20)
    assert rows_of(read_text(f"id,text\n1,{cell}\n2,b\n"))[1] == [1, cell]


def test_a_header_is_names_and_not_a_record() -> None:
    """FORMS-17"""
    for header in ("2026-01-02,a", "a@b.org,c", "https://x.org,a", "3f2a1b9,a", "1.5,a", "This is a sentence.,b",
                   "a b c d e f g,h", "x=1,y", ",", "a,", " a,b", "12345,a", "- a,b"):  # fmt: skip
        assert read_text(f"{header}\n1,2\n3,4\n5,6\n").form is Form.LINES, header
    assert read_text("level,text\nlevel,x\ninfo,y\nwarn,z\n").form is Form.LINES


def test_few_records_are_a_table_only_where_the_names_are_plain() -> None:
    """FORMS-17"""
    assert read_text("a,b\nx,y\nz,w\n").form is Form.LINES
    assert read_text("a,b\nx,y\nz,w\nu,v\n").form is Form.CSV
    assert read_text("a,b,c\nx,y,z\nu,v,w\n").form is Form.CSV
    assert read_text("a b,c d,e f\nx,y,z\nu,v,w\n").form is Form.LINES
    assert read_text("a b,c d,e f\nx,y,z\nu,v,w\ns,t,r\n").form is Form.CSV


def test_markdown_cells_are_trimmed_and_their_pipes_unescaped() -> None:
    """FORMS-18"""
    found = read_text("Found:\n\n| id | text | n |\n|:--|--:|---|\n| 1 | a \\| b | |\n| 2 |\n\nEnd.\n")
    assert rows_of(found) == [["id", "text", "n"], [1, "a | b", ""], [2, "", ""]]
    assert found.notes == ("text around the data: Found: End.",)


def test_several_markdown_tables_are_members_of_one_object() -> None:
    """FORMS-19"""
    found = read_text("| a | b |\n|---|---|\n| 1 | x |\n\nand\n\n| c |\n|---|\n| 2 |\n")
    assert found.json == (
        b'{"table_1":{"columns":["a","b"],"rows":[[1,"x"]]},"table_2":{"columns":["c"],"rows":[[2]]}}'
    )


@given(st.text(texts.characters), st.sampled_from(["\n", "\r\n"]))
def test_lines_joined_again_are_the_text(text: str, separator: str) -> None:
    """FORMS-20"""
    text = "plain text:" + text.replace("\n", separator)
    found = read_text(text)
    assume(found.form is Form.LINES)
    names, *rows = rows_of(found)
    assert names == ["line", "text"]
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    end = "\r\n" if found.notes else "\n"
    assert end.join(str(row[1]) for row in rows) == text.removesuffix(end)


def test_a_cr_belongs_to_the_line_end_only_where_every_line_has_one() -> None:
    """FORMS-21"""
    same, mixed = read_text("a\r\nb\r\n"), read_text("a\r\nb\n\n")
    assert (same.json, same.notes) == (
        b'{"columns":["line","text"],"rows":[[1,"a"],[2,"b"]]}',
        ("lines ended with CR LF",),
    )
    assert mixed.json == b'{"columns":["line","text"],"rows":[[1,"a\\r"],[2,"b"],[3,""]]}'
    assert mixed.notes == ()


def test_a_lone_surrogate_in_the_text_itself_is_shown() -> None:
    """FORMS-05"""
    assert rows_of(read_text("a \ud800"))[1] == [1, "a \\ud800"]
    assert read_text('["\ud800"]').json == b'["\\\\ud800"]'
    assert decimal.Decimal(1) == value_of(read_text("1"))
