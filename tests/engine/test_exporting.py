"""`export` through the own tool's door, on a real canvas and a real folder: what stands in a file, and what never does."""

import csv
import json
import os
import sys
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import Asking, notes, reason, text
from millpond.core.steps import LABEL
from millpond.engine.exporting import spool_path
from millpond.engine.outbox import Outbox
from pond import canvas, rows, structured

T = "list_issues_k7q2xd_1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "it's mine"
    made.mkdir()
    return made


@pytest.fixture
def ask(folder: Path) -> Iterator[Asking]:
    with canvas(export_directory=str(folder)) as pond:
        pond.take(structured({"items": rows(412)}), "list_issues")
        yield Asking(pond)


def exported(answer: dict[str, Any]) -> dict[str, Any]:
    assert reason(answer) is None, text(answer)
    return answer["_meta"]["millpond/result"]["exported"]


def read_csv(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def read_parquet(path: Path, columns: str = "*") -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(f"SELECT {columns} FROM read_parquet(?)", [str(path)]).fetchall()


# --- what is written ------------------------------------------------------------------------------------------------


def test_the_whole_answer_is_written_and_the_answer_says_where(ask: Asking, folder: Path) -> None:
    """EXPORT-02, EXPORT-03"""
    answer = ask(f"FROM {T}", export="all.csv", max_rows=3)
    path = folder / "all.csv"
    tags = {"name": "tags", "type": "VARCHAR[]", "written_as": "JSON text"}
    size = path.stat().st_size
    assert exported(answer) == {"path": str(path), "format": "csv", "rows": 412, "bytes": size, "columns": [tags]}
    assert text(answer) == f"Exported 412 rows ({size} bytes) to {path}"
    assert notes(answer) == ["In the file as JSON text: tags (VARCHAR[])."]
    meta = answer["_meta"]["millpond/result"]
    assert (meta["rows"], meta["total"], meta["truncated"]) == (0, 412, False)
    head, *found = read_csv(path)
    assert head == ["id", "pad", "tags"]
    assert [(int(row[0]), row[1], json.loads(row[2])) for row in found] == [tuple(row.values()) for row in rows(412)]
    assert os.listdir(folder) == ["all.csv"]
    assert "exported" not in ask("SELECT 1")["_meta"]["millpond/result"]


def test_each_format_holds_the_rows_in_their_order(ask: Asking, folder: Path) -> None:
    """EXPORT-02"""
    sql = f"SELECT id, tags FROM {T} ORDER BY id DESC"
    expected = [(row["id"], row["tags"]) for row in reversed(rows(412))]
    for name in ("a.jsonl", "b.NDJSON"):
        assert exported(ask(sql, export=name))["format"] == "jsonl"
        lines = (folder / name).read_text().splitlines()
        assert [tuple(json.loads(line).values()) for line in lines] == expected
    assert exported(ask(sql, export="c.parquet"))["rows"] == 412
    assert read_parquet(folder / "c.parquet") == expected


@pytest.mark.parametrize(
    "sql", [f"DESCRIBE {T}", f"SUMMARIZE {T}", "SHOW TABLES", "SELECT * FROM calls", f"SELECT * FROM {T} WHERE false"]
)
@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl"])
def test_every_read_can_be_written(ask: Asking, sql: str, name: str) -> None:
    """EXPORT-02"""
    assert exported(ask(sql, export=name))["rows"] == ask(sql)["_meta"]["millpond/result"]["rows"]


def test_columns_have_a_name_each(ask: Asking, folder: Path) -> None:
    """EXPORT-05"""
    for name in ("x.csv", "x.parquet", "x.jsonl"):
        answer = ask("SELECT 1 AS a, 2 AS a, 3 AS A, count(*)", export=name)
        assert notes(answer)[-1] == 'Columns named anew in the file: a_2 is column 2 (a), "A_3" is column 3 (A).'
    assert read_csv(folder / "x.csv")[0] == ["a", "a_2", "A_3", "count_star()"]
    assert json.loads((folder / "x.jsonl").read_text()) == {"a": 1, "a_2": 2, "A_3": 3, "count_star()": 1}
    assert read_parquet(folder / "x.parquet") == [(1, 2, 3, 1)]


# --- exactness ------------------------------------------------------------------------------------------------------

VALUES = (
    "170141183460469231731687303715884105727::HUGEINT AS h, 340282366920938463463374607431768211455::UHUGEINT AS uh,"
    " (SELECT '1234567890123456789012345678901234567890123')::BIGNUM AS b, 9007199254740993 AS i, 0.1::FLOAT AS f, 'nan'::DOUBLE AS nan,"
    " -0.0::DOUBLE AS zero, 12345678901234567890123456789.123456789::DECIMAL(38,9) AS d, 1.10::DECIMAL(5,2) AS m,"
    " DATE '2026-01-01' AS day, TIMESTAMPTZ '2026-01-01 10:00:00.123456+02:00' AS t, TIMETZ '12:00:01.123456+02:30' AS tz,"
    " TIMESTAMP_NS '2026-01-01 00:00:00.123456789' AS ns, INTERVAL '1 month 3.123456 seconds' AS iv, '\\xAA'::BLOB AS o, '0101'::BIT AS bits,"
    " uuid '00000000-0000-0000-0000-000000000001' AS u, {'k': 1.10, 'n': ['nan'::DOUBLE], 'h': 1::HUGEINT} AS s, ['a', NULL] AS l,"
    " MAP {'x': 9007199254740993} AS mp, true AS yes, NULL AS none, '' AS empty, 'a,\"b\"\r\nc\t é\U0001f600' AS odd,"
    " '{\"a\": 1.10}'::JSON AS j, 'a'::ENUM('a', 'b') AS e, union_value(num := 2) AS un"
)


def test_in_parquet_every_value_comes_back_and_what_is_of_another_type_is_said(ask: Asking, folder: Path) -> None:
    """EXPORT-04"""
    answer = ask(f"SELECT {VALUES}", export="x.parquet")
    said = {column["name"]: column["written_as"] for column in exported(answer)["columns"]}
    assert said == {
        **dict.fromkeys(("h", "uh", "b", "tz", "iv", "bits", "e", "un"), "text"),
        "s": 'STRUCT("k" DECIMAL(3,2), "n" DOUBLE[], "h" VARCHAR)',
    }
    names = [column["name"] for column in answer["_meta"]["millpond/result"]["columns"]]
    wanted = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
    assert read_parquet(folder / "x.parquet", wanted) == ask.pond.sql(f"SELECT {wanted} FROM (SELECT {VALUES})")
    (types,) = read_parquet(
        folder / "x.parquet", ", ".join(f"typeof({name})" for name in ("d", "f", "t", "u", "o", "j", "mp"))
    )
    assert types == (
        "DECIMAL(38,9)",
        "FLOAT",
        "TIMESTAMP WITH TIME ZONE",
        "UUID",
        "BLOB",
        "JSON",
        "MAP(VARCHAR, BIGINT)",
    )


def test_a_sum_stays_a_number_in_parquet(ask: Asking, folder: Path) -> None:
    """EXPORT-04"""
    answer = ask(f"SELECT sum(id) AS total FROM {T}", export="x.parquet")
    assert notes(answer) == ["In the file as DECIMAL(38,0): total (HUGEINT)."]
    assert read_parquet(folder / "x.parquet") == [(Decimal(84666),)]


def test_in_csv_every_value_is_the_text_that_an_answer_shows(ask: Asking, folder: Path) -> None:
    """EXPORT-04"""
    answer = ask(f"SELECT {VALUES}", export="x.csv")
    assert {column["name"] for column in exported(answer)["columns"]} == {"s", "l", "mp"}
    shown = list(csv.reader(text(ask(f"SELECT {VALUES}", format="csv")).splitlines(keepends=True)))
    assert read_csv(folder / "x.csv") == shown


def test_in_json_what_is_no_number_there_is_text_and_said(ask: Asking, folder: Path) -> None:
    """EXPORT-04"""
    answer = ask(f"SELECT {VALUES}", export="x.jsonl")
    said = {column["name"]: column["written_as"] for column in exported(answer)["columns"]}
    number = "text where a number has more digits than a double, or is none"
    assert said == {
        **dict.fromkeys(("h", "uh", "i", "nan", "d", "s", "mp"), number),
        **dict.fromkeys(("b", "day", "t", "tz", "ns", "iv", "o", "bits", "u", "e", "un"), "text"),
        "j": "JSON text",
    }
    (found,) = (folder / "x.jsonl").read_text().splitlines()
    (shown,) = json.loads(text(ask(f"SELECT {VALUES}", format="json")), parse_float=str)
    assert json.loads(found, parse_float=str) == shown
    assert (shown["m"], shown["f"], shown["zero"]) == ("1.10", "0.1", "-0.0")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LAW_ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "i": st.integers(-(1 << 63), (1 << 63) - 1) | st.none(),
            "t": TEXTS | st.none(),
            "x": st.floats(allow_nan=False, allow_infinity=False) | st.none(),
            "l": st.lists(TEXTS | st.none(), max_size=3) | st.none(),
        }
    ),
    min_size=1,
    max_size=8,
)


@given(LAW_ROWS)
def test_values_of_any_rows_come_back_from_every_format(ask_once: Asking, given_rows: list[dict[str, Any]]) -> None:
    """EXPORT-04"""
    values = [tuple(row[name] for name in "itxl") for row in given_rows]
    connection = ask_once.pond.database.cursor()
    connection.execute("DROP TABLE IF EXISTS calls")
    connection.execute("CREATE TABLE calls (i BIGINT, t VARCHAR, x DOUBLE, l VARCHAR[])")
    connection.executemany("INSERT INTO calls VALUES (?, ?, ?, ?)", values)
    connection.close()
    folder = Path(ask_once.pond.settings.export_directory)
    for name in ("law.csv", "law.jsonl", "law.parquet"):
        (folder / name).unlink(missing_ok=True)
        assert exported(ask_once("FROM calls", export=name))["rows"] == len(given_rows)
    assert read_parquet(folder / "law.parquet") == values
    _, *cells = read_csv(folder / "law.csv")
    assert [_of_csv(row) for row in cells] == [{**row, "t": row["t"] or ""} for row in given_rows]
    lines = (folder / "law.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [_of_json(json.loads(line)) for line in lines] == given_rows


def _of_csv(row: list[str]) -> dict[str, Any]:
    i, t, x, items = row
    return {"i": int(i) if i else None, "t": t, "x": float(x) if x else None, "l": json.loads(items) if items else None}


def _of_json(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "i": None if row["i"] is None else int(row["i"])}


@pytest.fixture(scope="module")
def ask_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    with canvas(export_directory=str(tmp_path_factory.mktemp("law"))) as pond:
        yield Asking(pond)


def test_a_null_of_a_single_column_is_a_line_all_the_same(ask: Asking, folder: Path) -> None:
    """EXPORT-04"""
    answer = ask("SELECT unnest([NULL, 'a', ''])", export="x.csv")
    assert notes(answer)[-1] == "In a CSV of one column a NULL is written as the empty text."
    assert read_csv(folder / "x.csv")[1:] == [[""], ["a"], [""]]
    ask("SELECT NULL AS a, '' AS b", export="y.csv")
    assert (folder / "y.csv").read_text() == 'a,b\n,""\n'


# --- names ----------------------------------------------------------------------------------------------------------


def test_a_name_that_is_taken_is_refused_with_one_that_is_free(ask: Asking, folder: Path) -> None:
    """EXPORT-07"""
    (folder / "x.csv").write_text("mine")
    (folder / "link.csv").symlink_to("/nowhere/at/all")
    (folder / "x_2.csv").mkdir()
    for name in ("x.csv", "link.csv", "x_2.csv"):
        refused = ask("SELECT 1", export=name)
        assert reason(refused) == "name_taken"
        free = text(refused).rsplit(" ", 1)[1].rstrip(".")
        assert exported(ask("SELECT 1", export=free))["rows"] == 1
    assert (folder / "x.csv").read_text() == "mine"


def test_a_name_that_is_taken_meanwhile_is_not_written_over(ask: Asking, folder: Path) -> None:
    """EXPORT-07, EXPORT-08"""
    outbox = Outbox(folder, 100)
    with outbox.draft() as draft:
        draft.write(b"ours")
        (folder / "x.csv").write_text("mine")
        with pytest.raises(Exception, match=r"There is a file x\.csv already"):
            draft.publish("x.csv")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"x.csv": "mine"}


@pytest.mark.parametrize("name", ["../x.csv", "/tmp/x.csv", "a\\b.csv", ".x.csv", "nul.csv", "x.csv:y", "x\n.csv"])
def test_a_name_that_leads_out_is_refused_and_the_proposed_one_works(ask: Asking, folder: Path, name: str) -> None:
    """EXPORT-06"""
    refused = ask("SELECT 1", export=name)
    assert reason(refused) == "bad_argument"
    assert exported(ask("SELECT 1", export=text(refused).rsplit(" ", 1)[1].rstrip(".")))["rows"] == 1
    assert len(os.listdir(folder)) == 1


def test_arguments_that_do_not_go_together_are_refused_with_those_that_do(ask: Asking) -> None:
    """EXPORT-12"""
    refused = ask("SELECT 1 AS a", export="x.csv", save_as="kept")
    assert reason(refused) == "bad_argument"
    ask("SELECT 1 AS a", save_as="kept")
    assert exported(ask.raw(text(refused).split("call with ")[1]))["rows"] == 1
    assert reason(ask("EXPLAIN SELECT 1", export="y.csv")) == "bad_argument"
    assert reason(ask.raw('{"sql":"SELECT 1","export":1}')) == "bad_argument"


def test_a_copy_is_refused_with_the_call_that_works(ask: Asking, folder: Path) -> None:
    """EXPORT-11"""
    refused = ask(f"COPY (SELECT id FROM {T}) TO '/tmp/ids.parquet' (FORMAT parquet)")
    assert reason(refused) == "file_access_refused"
    assert exported(ask.raw(text(refused).rpartition(LABEL)[2]))["rows"] == 412
    assert os.listdir(folder) == ["ids.parquet"]
    assert LABEL not in text(ask(f"COPY (SELECT nothing FROM {T}) TO 'x.csv'"))


def test_without_a_folder_it_is_refused_with_how_to_turn_it_on() -> None:
    """EXPORT-01, EXPORT-11"""
    with canvas() as pond:
        ask = Asking(pond)
        refused = ask("SELECT 1", export="x.csv")
        assert reason(refused) == "bad_argument"
        assert 'directory = "/home/me/exports" under [export]' in text(refused)
        assert "export" not in text(ask("COPY (SELECT 1) TO 'x.csv'"))


# --- what is left ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_what_fails_leaves_nothing(ask: Asking, folder: Path, name: str) -> None:
    """EXPORT-08"""
    failing = f"SELECT CASE WHEN id < 400 THEN id ELSE CAST(pad AS INT) END FROM {T}"
    assert reason(ask(failing, export=name)) == "execution_error"
    assert reason(ask("SELECT * FROM nowhere", export=name)) == "unknown_table"
    assert os.listdir(folder) == []
    assert exported(ask("SELECT 1", export=name))["rows"] == 1


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_a_file_that_becomes_too_large_is_refused_and_gone(folder: Path, name: str) -> None:
    """EXPORT-09, EXPORT-08"""
    with canvas(export_directory=str(folder), max_export_bytes=50_000) as pond:
        ask = Asking(pond)
        refused = ask("SELECT hash(range) AS h, md5(range::VARCHAR) AS m FROM range(20000000)", export=name)
        assert reason(refused) == "execution_error"
        assert "larger than 49 KB" in text(refused)
        assert os.listdir(folder) == []
        assert not list(spool_path(pond.settings).glob("*"))
        assert exported(ask("SELECT 1", export=name))["rows"] == 1


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_a_stop_leaves_nothing(ask: Asking, folder: Path, name: str) -> None:
    """EXPORT-08"""
    endless = json.dumps({"sql": "SELECT a.range FROM range(100000) a, range(100000) b", "export": name}).encode()
    answers: list[bytes] = []
    asking = threading.Thread(target=lambda: answers.append(ask.runner.answer(7, endless, "query")))
    asking.start()
    while asking.is_alive() and not os.listdir(folder):
        asking.join(0.01)
    while asking.is_alive():
        ask.runner.stop(7, "timeout")
        asking.join(0.05)
    assert reason(json.loads(answers[0])) == "timeout"
    assert os.listdir(folder) == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a folder that cannot be written to")
def test_a_folder_that_takes_no_file_is_told(ask: Asking, folder: Path) -> None:
    """EXPORT-09"""
    folder.chmod(0o500)
    assert "could not be written: permission denied" in text(ask("SELECT 1", export="x.csv"))


def test_a_folder_that_has_gone_is_told(ask: Asking, folder: Path) -> None:
    """EXPORT-09"""
    folder.rmdir()
    refused = ask("SELECT 1", export="x.csv")
    assert reason(refused) == "execution_error"
    assert "could not be written: no such file or directory" in text(refused)


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands in for a full disk")
@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_a_full_disk_is_told_and_leaves_nothing(ask: Asking, folder: Path, name: str) -> None:
    """EXPORT-09, EXPORT-08"""
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    ask.pond.sql("CHECKPOINT")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
        refused = ask("SELECT hash(range) AS h, md5(range::VARCHAR) AS m FROM range(300000)", export=name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert reason(refused) == "execution_error"
    assert "could not be written: the disk is full" in text(refused)
    assert os.listdir(folder) == []
    assert exported(ask("SELECT 1", export=name))["rows"] == 1


def test_leftovers_of_the_dead_are_removed_and_drafts_of_the_living_are_not(folder: Path) -> None:
    """EXPORT-08"""
    outbox = Outbox(folder, 100)
    kept = (".millpond-0.part", "x.part", ".millpond-0123456789abcdef.parts")
    for name in (".millpond-0123456789abcdef.part", *kept):
        (folder / name).write_text("half")
    with outbox.draft() as draft:
        (living,) = {path.name for path in folder.iterdir()} - {".millpond-0123456789abcdef.part", *kept}
        assert living.startswith(".")
        outbox.sweep()
        assert {path.name for path in folder.iterdir()} == {living, *kept}
        draft.write(b"whole")
        assert draft.publish("x.csv").read_bytes() == b"whole"
    assert {path.name for path in folder.iterdir()} == {"x.csv", *kept}
    Outbox(folder / "gone", 100).sweep()


def test_a_file_system_without_hard_links_has_no_name_written_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """EXPORT-07"""

    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    outbox = Outbox(folder, 100)
    for number in (1, 2):
        with outbox.draft() as draft:
            draft.write(b"%d" % number)
            if number == 1:
                draft.publish("x.csv")
            else:
                with pytest.raises(Exception, match="There is a file"):
                    draft.publish("x.csv")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"x.csv": "1"}


# --- what SQL may reach ---------------------------------------------------------------------------------------------


def test_sql_reaches_no_file_of_the_folder_nor_of_the_canvas(ask: Asking, folder: Path) -> None:
    """EXPORT-10"""
    ask("SELECT 1", export="x.csv")
    spool = spool_path(ask.pond.settings)
    for path in (folder / "x.csv", spool / "x.csv", "*.csv"):
        for sql in (f"SELECT * FROM '{path}'", f"SELECT * FROM read_csv('{path}')", f"SELECT * FROM glob('{path}')"):
            assert reason(ask(sql.replace("it's", "it''s"))) in (
                "function_refused",
                "file_access_refused",
                "unknown_table",
            )
