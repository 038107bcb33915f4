"""Resources through the query side's door, on a real canvas."""

import csv
import json
import threading
from typing import Any

import pytest

from asking import Asking, reason
from millpond.core.resources import PAGE_BYTES, PAGE_CHARACTERS, PAGE_ROWS
from pond import Canvas, canvas, rows, structured

T = "list_issues_k7q2xd_1"


def look(pond: Canvas, uri: str) -> dict[str, Any]:
    return json.loads(pond.runner.look(1, uri))


def pages(pond: Canvas, uri: str | None) -> list[dict[str, Any]]:
    """The first page of a URI and all that follow it."""
    found: list[dict[str, Any]] = []
    while uri is not None:
        first, *rest = look(pond, uri)["result"]["contents"]
        found.append(first)
        uri = first["_meta"]["millpond/page"]["next"]
        assert [block["text"].endswith(uri) for block in rest if uri] == ([True] if uri else [])
    return found


def test_the_pages_of_a_table_are_all_its_rows_in_order() -> None:
    """RESOURCES-01, RESOURCES-02"""
    with canvas() as pond:
        pond.take(structured({"items": rows(2 * PAGE_ROWS + 1)}), "list_issues")
        found = pages(pond, f"millpond://table/{T}")
        assert [page["_meta"]["millpond/page"]["stop"] for page in found] == [1_000, 2_000, 2_001]
        read = [row for page in found for row in csv.DictReader(page["text"].splitlines())]
        assert [{**row, "id": int(row["id"]), "tags": json.loads(row["tags"])} for row in read] == rows(2_001)
        assert pages(pond, f"millpond://table/{T}/rows/2000")[0]["text"] == found[2]["text"]


def test_a_page_of_wide_rows_ends_earlier_and_a_cell_that_is_cut_is_told() -> None:
    """RESOURCES-02"""
    with canvas() as pond:
        items = [{"id": at, "pad": "x" * 100_000} for at in range(7)]
        pond.take(structured({"items": [*items, {"id": 7, "pad": "x" * (PAGE_BYTES + 1)}]}), "list_issues")
        found = pages(pond, f"millpond://table/{T}")
        assert all(len(page["text"]) <= PAGE_BYTES for page in found)
        assert [page["_meta"]["millpond/page"]["stop"] for page in found] == [2, 4, 6, 7, 8]
        _, told = look(pond, f"millpond://table/{T}/rows/7")["result"]["contents"]
        assert told["text"].startswith("1 cells are cut at ")


@pytest.mark.parametrize("size", [10, PAGE_CHARACTERS - 60, 3 * PAGE_CHARACTERS, (1 << 20) + PAGE_CHARACTERS])
def test_the_pages_of_a_result_are_what_came_byte_for_byte(size: int) -> None:
    """RESOURCES-01, RESOURCES-02"""
    result = json.dumps({"content": [{"type": "text", "text": 'é\U0001f600 "x"\n' * (size // 9)}]}, ensure_ascii=False)
    with canvas() as pond:
        pond.take(result.encode(), mode="never")
        found = pages(pond, "millpond://call/1")
        assert "".join(page["text"] for page in found) == result
        assert all(len(page["text"]) == PAGE_CHARACTERS for page in found[:-1])


def test_all_tables_are_listed_the_pending_ones_too_and_one_is_made_when_it_is_read() -> None:
    """RESOURCES-05, RESOURCES-10"""
    with canvas() as pond:
        assert look(pond, "") == {"result": {"resources": []}}
        pond.take(structured({"items": rows(400)}), "list_issues")
        assert pond.take(structured({"items": rows(2)}), "few") == {}
        Asking(pond)("SELECT 1 AS a", save_as="kept")
        uris = [entry["uri"] for entry in look(pond, "")["result"]["resources"]]
        assert uris == [f"millpond://table/{name}" for name in ("kept", "few_k7q2xd_2", T)]
        assert pages(pond, uris[1])[0]["text"].startswith("id,pad,tags\n0,")
        assert pages(pond, uris[0])[0]["text"] == "a\n1"
        assert pages(pond, "millpond://table/CALLS")[0]["_meta"]["millpond/page"]["total"] == 3


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("millpond://table/nothing", f"There are millpond://table/{T}."),
        ("millpond://table/x_abc234_1", "x_abc234_1 is from an earlier session"),
        ("millpond://table/a%22b", f"There are millpond://table/{T}."),
        ("millpond://table/read_csv('x')", f"There are millpond://table/{T}."),
        ("millpond://table/duckdb_settings()", f"There are millpond://table/{T}."),
        (f"millpond://table/{T}/rows/400", "The table has 400 rows."),
        ("millpond://call/7", f"There are millpond://table/{T}."),
        ("millpond://call/1/text/99999999", "characters."),
        ("millpond://call/2", "No result of this call is kept."),
        ("millpond://other", "Others are named millpond://table/NAME/rows/START"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(uri: str, says: str) -> None:
    """RESOURCES-04, RESOURCES-10"""
    with canvas() as pond:
        pond.take(structured({"items": rows(400)}), "list_issues")
        if uri == "millpond://call/2":
            Asking(pond)("SELECT 1 AS a", save_as="kept")
        said = look(pond, uri)
        assert list(said) == ["missing"]
        assert said["missing"].startswith(f"There is no resource {uri}. ")
        assert says in said["missing"]


def test_an_empty_table_is_a_page_with_its_head() -> None:
    """RESOURCES-02"""
    with canvas() as pond:
        Asking(pond)("SELECT 1 AS a WHERE false", save_as="nothing")
        (page,) = pages(pond, "millpond://table/nothing")
        assert page["text"] == "a"


def test_a_read_that_is_stopped_is_an_error_with_the_reason() -> None:
    """RESOURCES-09"""
    with canvas() as pond:
        Asking(pond)("SELECT a.range AS n FROM range(3000000) a", save_as="long")
        answers: list[bytes] = []
        asking = threading.Thread(
            target=lambda: answers.append(pond.runner.look(7, "millpond://table/long/rows/2999000"))
        )
        asking.start()
        while asking.is_alive():
            pond.runner.stop(7, "timeout")
            asking.join(0.001)
        assert reason(json.loads(answers[0])) == "timeout"
