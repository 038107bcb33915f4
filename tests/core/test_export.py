"""Names of files and what is said of them, without a file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.errors import Reason
from millpond.core.export import (
    MAX_COLUMNS,
    Exported,
    WrittenColumn,
    copied,
    copy_refused,
    exported_notes,
    exported_text,
    file_format,
    free_name,
    name_fault,
    plain_name,
    renamed_note,
)


@pytest.mark.parametrize(
    "name", ["rows.csv", "Rows 2026-11-30.CSV", "naïve.parquet", "a.b.jsonl", "x.ndjson", "con_1.csv"]
)
def test_a_plain_name_with_a_known_ending_is_taken(name: str) -> None:
    """EXPORT-06"""
    assert name_fault(name) is None


@pytest.mark.parametrize(
    ("name", "says", "works"),
    [
        ("", "is empty", "rows.csv"),
        ("a/b.csv", "a path separator", "b.csv"),
        ("a\\b.csv", "a path separator", "b.csv"),
        ("/etc/passwd", "a path separator", "passwd.csv"),
        ("C:\\x\\y.parquet", "a path separator", "y.parquet"),
        ("..", "begins with a dot", "rows.csv"),
        ("../x.csv", "a path separator", "x.csv"),
        (".hidden.csv", "begins with a dot", "hidden.csv"),
        (".csv", "begins with a dot", "rows.csv"),
        ("C:x.csv", "a colon", "x.csv"),
        ("x.csv:stream", "a colon", "x_csv_stream.csv"),
        ("a\0.csv", "cannot be seen", "a.csv"),
        ("a\n.csv", "cannot be seen", "a.csv"),
        ("a\u202e.csv", "cannot be seen", "a.csv"),
        ("a\ud800.csv", "cannot be seen", "a.csv"),
        ("a?.csv", "one of", "a.csv"),
        ('"a".csv', "one of", "a.csv"),
        (" a.csv", "a space", "a.csv"),
        ("a.csv ", "a space", "a_csv.csv"),
        ("a.csv.", "ends with a dot", "a_csv.csv"),
        ("CON.csv", "device", "con_rows.csv"),
        ("nul.parquet", "device", "nul_rows.parquet"),
        ("com1.a.csv", "device", "com1_a.csv"),
        ("LPT² .jsonl", "device", "lpt.jsonl"),
        ("é" * 101 + ".csv", "longer than 200 bytes", "rows.csv"),
        ("rows", "does not end in", "rows.csv"),
        ("rows.xlsx", "does not end in", "rows_xlsx.csv"),
        ("rows.csv.gz", "does not end in", "rows_csv_gz.csv"),
    ],
)
def test_any_other_name_is_refused_with_one_that_works(name: str, says: str, works: str) -> None:
    """EXPORT-06"""
    refusal = name_fault(name)
    assert refusal is not None
    assert refusal.reason == Reason.BAD_ARGUMENT
    assert says in refusal.message
    assert refusal.message.endswith(f"Give a name such as {works}.")
    assert refusal.message.isprintable()


@given(st.text() | st.from_regex(r"(con|nul|lpt1|\.\.|/|a|\\|:| ){1,4}(\.csv|\.parquet)?", fullmatch=True))
def test_a_name_that_is_proposed_works_whatever_came(name: str) -> None:
    """EXPORT-06"""
    assert name_fault(plain_name(name)) is None
    if name_fault(name) is None:
        assert file_format(plain_name(name)) == file_format(name)


@given(st.text(alphabet="ab é", min_size=1, max_size=190), st.integers(0, 20))
def test_a_name_that_is_proposed_for_a_taken_one_is_free_and_works(stem: str, taken: int) -> None:
    """EXPORT-07"""
    name = f"x{stem}.csv"
    others = {name, *(f"x{stem}_{number}.csv" for number in range(2, taken + 2))}
    if name_fault(name) is None:
        free = free_name(name, others.__contains__)
        assert free not in others
        assert name_fault(free) is None


@pytest.mark.parametrize(
    ("sql", "select", "name"),
    [
        ("COPY (SELECT 1) TO 'x.csv'", "SELECT 1", "x.csv"),
        ("copy ( SELECT ')' AS a ) to '/tmp/My Rows.parquet' (FORMAT parquet)", "SELECT ')' AS a", "my_rows.parquet"),
        ("COPY t TO 'it''s.json' WITH (FORMAT json)", "FROM t", "it_s_json.csv"),
        ("COPY \"a b\" TO 'x.jsonl'", 'FROM "a b"', "x.jsonl"),
    ],
)
def test_a_copy_is_said_again_as_an_export(sql: str, select: str, name: str) -> None:
    """EXPORT-11"""
    call = copied(sql)
    assert call is not None
    assert json.loads(call.text) == {"sql": select, "export": name}
    assert copy_refused(call, call.text).step == call.text


def test_of_a_long_copy_the_select_is_named_and_another_copy_is_no_export() -> None:
    """EXPORT-11"""
    call = copied(f"COPY (SELECT {'1, ' * 400} 2) TO 'x.csv'")
    assert call is not None
    assert "inside of COPY's parentheses, with x.csv as `export`" in copy_refused(call, "").message
    assert copied("COPY t FROM 'x.csv'") is None


def test_what_is_in_another_kind_in_the_file_is_told_by_kind() -> None:
    """EXPORT-03, EXPORT-04, EXPORT-05"""
    columns = [WrittenColumn(name=f"c{at}", type="HUGEINT", written_as="text") for at in range(MAX_COLUMNS + 2)]
    tags = WrittenColumn(name="Tags", type="VARCHAR[]", written_as="JSON text")
    exported = Exported(path="/x/a.csv", format="csv", rows=1, bytes=9, columns=(*columns, tags))
    assert exported_text(exported) == "Exported 1 row (9 bytes) to /x/a.csv"
    text, nested = exported_notes(exported)
    assert text.startswith("In the file as text: c0 (HUGEINT), c1 (HUGEINT)")
    assert text.endswith("c5 (HUGEINT) and 2 more.")
    assert nested == 'In the file as JSON text: "Tags" (VARCHAR[]).'
    assert renamed_note(["a", "A"], ["a", "A_2"]) == ['Columns named anew in the file: "A_2" is column 2 (A).']
    assert renamed_note(["a"] * 9, [f"a_{at}" for at in range(9)])[0].endswith("a_5 is column 6 (a) and 3 more.")
