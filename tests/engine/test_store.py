"""The store through its own door, with a real database file."""

import json
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from millpond.core.errors import EngineFailed
from millpond.core.model import Mode, TableState
from millpond.engine.store import Store
from millpond.engine.texts import PART_BYTES
from pond import Canvas, canvas, handle, rows, structured


def test_a_large_answer_of_rows_becomes_a_table_and_two_rows_about_it() -> None:
    """STORE-01 STORE-02"""
    with canvas() as pond:
        body = pond.take(structured({"items": rows(9000)}))
        (table,) = handle(body)["tables"]
        assert (table["path"], table["rows"], table["name"]) == ("$.items", 9000, "rows_k7q2xd_1")
        assert pond.sql(f"SELECT id FROM {table['name']}") == [(at,) for at in range(9000)]
        assert pond.sql("SELECT number, tool, arguments, tables FROM calls") == [
            (1, "rows", '{"q":1}', ["rows_k7q2xd_1"])
        ]
        assert "structuredContent" not in body


@pytest.mark.parametrize("size", [5_000, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES + 7])
def test_the_result_comes_back_as_it_came(size: int) -> None:
    """STORE-03"""
    result = (
        '{"structuredContent":{"items":["é€😀",1.10,1e2]},  "content":[{"type":"text","text":"'
        + "é😀" * (size // 6)
        + '"}]}'
    )
    with canvas() as pond:
        pond.take(result.encode())
        parts = pond.sql("SELECT text FROM results WHERE call = 1 ORDER BY part")
        assert "".join(part for (part,) in parts) == result
        assert all(len(part.encode()) <= PART_BYTES for (part,) in parts)


def test_a_small_result_is_recorded_and_its_table_made_when_it_is_named() -> None:
    """STORE-04"""
    with canvas() as pond:
        pond.store.record(pond.call("few"), structured({"items": [{"id": 1}, {"id": 2}]}))
        pond.store.record(pond.call("none"), b'{"content":[{"type":"text","text":"ok"}]}')
        assert pond.sql("SELECT count(*) FROM calls") == [(0,)]
        pond.store.flush()
        assert pond.sql("SELECT number, tables FROM calls ORDER BY 1") == [(1, ["few_k7q2xd_1"]), (2, [])]
        assert pond.store.state("few_k7q2xd_1") is TableState.PENDING
        assert "few_k7q2xd_1" in pond.store.names()
        pond.store.make(frozenset({"FEW_k7q2xd_1"}), pond.database.cursor())
        assert pond.store.state("few_k7q2xd_1") is TableState.STORED
        assert pond.sql("SELECT sum(id) FROM few_k7q2xd_1") == [(3,)]


def test_two_threads_that_name_a_small_result_make_its_table_once() -> None:
    """STORE-04"""
    with canvas() as pond:
        pond.store.record(pond.call("few"), structured({"items": [{"id": 1}] * 50}))
        pond.store.flush()
        threads = [
            threading.Thread(target=pond.store.make, args=(frozenset({"few_k7q2xd_1"}), pond.database.cursor()))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert pond.sql("SELECT count(*) FROM few_k7q2xd_1") == [(50,)]


def test_errors_and_never_make_no_tables() -> None:
    """PLAN-03 STORE-04"""
    with canvas() as pond:
        pond.store.record(pond.call("bad", replaceable=False), structured({"items": [{"id": 1}]}))
        pond.store.record(pond.call("plain", mode="never"), structured({"items": [{"id": 1}]}))
        pond.store.flush()
        assert pond.sql("SELECT tables FROM calls") == [([],), ([],)]


def test_a_call_that_is_stored_again_leaves_one_row_and_one_table() -> None:
    """STORE-05"""
    with canvas() as pond:
        for _ in range(2):
            pond.take(structured({"items": rows(300)}), number=1)
        assert pond.sql("SELECT count(*) FROM calls") == [(1,)]
        assert pond.sql("SELECT count(*), sum(id) FROM rows_k7q2xd_1") == [(300, 44850)]
        assert pond.sql("SELECT count(*) FROM results") == [(1,)]


def test_a_file_that_is_opened_again_has_everything(tmp_path: Path) -> None:
    """STORE-06"""
    first = Canvas(tmp_path)
    first.take(structured({"items": rows(300)}))
    first.store.record(first.call("few"), structured({"items": [{"id": 7}]}))
    first.store.flush()
    first.database.close()
    again = Canvas(tmp_path)
    assert again.store.last_number == 2
    assert again.store.state("rows_k7q2xd_1") is TableState.STORED
    assert again.store.state("few_k7q2xd_2") is TableState.PENDING
    again.store.make(frozenset({"few_k7q2xd_2"}), again.database.cursor())
    assert again.sql("SELECT id FROM few_k7q2xd_2") == [(7,)]
    again.database.close()


def test_the_oldest_calls_make_room_and_it_is_said() -> None:
    """STORE-07 STORE-09"""
    with canvas(max_calls=2) as pond:
        for _ in range(2):
            pond.take(structured({"items": rows(300)}))
        body = pond.take(structured({"items": rows(300)}))
        assert "call 1 evicted to make room" in body["content"][0]["text"]
        assert pond.sql("SELECT number, note FROM calls WHERE note LIKE 'evicted%'") == [
            (1, "evicted to make room; call the tool again for its rows")
        ]
        assert pond.store.state("rows_k7q2xd_1") is TableState.EVICTED
        assert pond.store.state("rows_k7q2xd_2") is TableState.STORED
        assert pond.store.state("rows_k7q2xd_9") is TableState.UNKNOWN
        assert pond.sql("SELECT DISTINCT call FROM results ORDER BY 1") == [(2,), (3,)]


def test_the_bytes_of_a_canvas_are_bounded() -> None:
    """STORE-07"""
    result = structured({"items": rows(300)})
    with canvas(max_canvas_bytes=3 * len(result)) as pond:
        for _ in range(5):
            pond.take(result)
        assert pond.sql("SELECT number FROM calls WHERE note IS NULL OR note NOT LIKE 'evicted%' ORDER BY 1") == [
            (3,),
            (4,),
            (5,),
        ]
        pond.take(structured({"items": rows(2000)}))
        assert pond.sql("SELECT DISTINCT call FROM results") == [(6,)]


@pytest.mark.parametrize(
    ("mode", "result", "replaced"),
    [
        ("auto", structured({"items": rows(20)}), False),
        ("auto", structured({"items": rows(200)}), True),
        ("always", structured({"items": rows(20)}), True),
        ("always", structured({"id": 1, "body": "x" * 2000}), False),
        ("never", structured({"items": rows(200)}), False),
        ("auto", structured({"id": 1, "body": "x" * 20_000, "labels": [{"name": "bug"}]}), False),
        ("auto", structured({"id": 1, "body": "x" * 40_000, "labels": [{"name": "bug"}]}), True),
        ("auto", json.dumps({"content": [{"type": "text", "text": "word " * 6000}]}).encode(), False),
        ("auto", json.dumps({"content": [{"type": "text", "text": "word " * 7000}]}).encode(), True),
        (
            "auto",
            json.dumps({"content": [{"type": "image", "data": "A" * 99_000, "mimeType": "image/png"}]}).encode(),
            False,
        ),
        (
            "auto",
            json.dumps(
                {"content": [{"type": "text", "text": "[1,2]"}, {"type": "image", "data": "A" * 99_000}]}
            ).encode(),
            False,
        ),
    ],
)
def test_size_and_kind_decide_what_is_replaced(mode: Mode, result: bytes, replaced: bool) -> None:
    """PLAN-01 PLAN-02 PLAN-03 PLAN-04"""
    with canvas() as pond:
        assert bool(pond.take(result, mode=mode)) is replaced


def test_the_last_of_a_repeated_key_counts() -> None:
    """STORE-08"""
    pad = ',"pad":"' + "p" * 40 + '"}'
    nested = '{"o":{"k":1,"k":2},"s":":x"' + pad
    late = '{"a":1,"a":2' + pad
    with canvas() as pond:
        pond.take(('{"structuredContent":{"items":[' + ",".join([nested] * 5000 + [late]) + "]}}").encode())
        assert pond.sql("SELECT sum(o.k), sum(a), count(s) FROM rows_k7q2xd_1") == [(10_000, 2, 5000)]


def test_every_other_member_and_block_stays() -> None:
    """PAYLOAD-04 PAYLOAD-05"""
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png", "vendor": {"x": 1.10}}
    link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
    result = {
        "content": [{"type": "text", "text": "ok"}, image, link],
        "structuredContent": {"items": rows(200)},
        "_meta": {"vendor/key": [1, 2]},
        "resultType": "complete",
        "vendor": {"a": 1},
    }
    with canvas() as pond:
        body = pond.take(json.dumps(result).encode())
        assert body["content"][1:] == [image, link]
        assert body["_meta"]["vendor/key"] == [1, 2]
        assert (body["resultType"], body["vendor"]) == ("complete", {"a": 1})


def test_nan_and_lone_surrogates_do_not_keep_a_result_from_being_read() -> None:
    """PAYLOAD-06 INFER-04"""
    row = '{"v":NaN,"w":-Infinity,"s":"\\ud800 NaN","pad":"' + "p" * 40 + '"}'
    with canvas() as pond:
        pond.take(('{"structuredContent":{"items":[' + ",".join([row] * 200) + "]}}").encode())
        assert pond.sql("SELECT DISTINCT v::VARCHAR, w::VARCHAR, s FROM rows_k7q2xd_1") == [
            ("nan", "-inf", "\\ud800 NaN")
        ]


@pytest.mark.parametrize(
    ("structured_value", "texts", "said"),
    [
        ({"result": rows(100)}, [json.dumps(row) for row in rows(100)], None),
        ({"items": rows(100)}, [json.dumps({"items": rows(100)}, indent=2)], None),
        ({"items": rows(100)}, ["done"], "text beside it: done"),
        ({"items": rows(100)}, [json.dumps(rows(99))], "differ from structuredContent"),
    ],
)
def test_text_that_differs_from_structured_content_is_said(
    structured_value: object, texts: list[str], said: str | None
) -> None:
    """PAYLOAD-01 PAYLOAD-03"""
    result = {"content": [{"type": "text", "text": text} for text in texts], "structuredContent": structured_value}
    with canvas() as pond:
        body = pond.take(json.dumps(result).encode())
        note = handle(body)["note"]
        assert note is None if said is None else said in note


def test_an_object_that_holds_one_text_is_opened() -> None:
    """PAYLOAD-02"""
    with canvas() as pond:
        body = pond.take(structured({"result": json.dumps({"columns": ["i"], "rows": [[at] for at in range(3000)]})}))
        assert [(table["path"], table["rows"]) for table in handle(body)["tables"]] == [("$.result", 3000)]


def test_rows_in_the_text_are_taken_where_structured_content_has_none() -> None:
    """PAYLOAD-01"""
    result = {
        "content": [{"type": "text", "text": json.dumps(rows(200))}],
        "structuredContent": {"count": 200, "ok": True},
    }
    with canvas() as pond:
        told = handle(pond.take(json.dumps(result).encode()))
        assert [(table["path"], table["rows"]) for table in told["tables"]] == [("$", 200)]
        assert "structuredContent holds other data" in told["note"]


DEEP = 700 if sys.version_info < (3, 12) else 2_000
"""Levels that the decoder takes and recursion does not."""


def deep(opening: str, closing: str) -> str:
    return opening * DEEP + "1" + closing * DEEP


@pytest.mark.parametrize(
    "value",
    [
        "[" + ",".join(['{"id":1,"cell":' + deep("[", "]") + "}"] * 50) + "]",
        "[" + ",".join([deep("[", "]")] * 50) + "]",
        "[" * 100_000 + "]" * 100_000,
    ],
    ids=["rows", "lists", "past every decoder"],
)
def test_a_result_that_is_nested_too_deep_is_kept_out_of_the_conversation_too(value: str) -> None:
    """PLAN-05"""
    result = '{"content":[],"structuredContent":{"items":' + value + '},"resultType":"complete"}'
    with canvas() as pond:
        body = pond.take(result.encode())
        assert len(json.dumps(body)) < 4_000
        assert "SELECT part, substr(text, 1, 500) FROM results WHERE call = 1" in body["content"][0]["text"]
        pond.store.flush()
        assert "".join(part for (part,) in pond.sql("SELECT text FROM results ORDER BY part")) == result


def test_a_small_result_that_is_nested_too_deep_says_so_when_its_table_is_named() -> None:
    """PLAN-05"""
    result = b'{"content":[],"structuredContent":{"items":[' + deep("[", "]").encode() + b"]}}"
    with canvas() as pond:
        pond.store.record(pond.call("few"), result)
        pond.store.flush()
        for name in set(pond.store.names()) - {"calls", "results"}:
            with pytest.raises(EngineFailed, match="nested too deep"):
                pond.store.make(frozenset({name}), pond.database.cursor())


def test_of_a_result_that_was_too_large_to_keep_the_size_and_the_reason_are_kept() -> None:
    """STORE-12"""
    with canvas(max_canvas_bytes=1 << 20) as pond:
        pond.take(structured({"items": rows(100)}))
        call = msgspec.structs.replace(pond.call("huge"), unkept_bytes=1 << 40, note="larger")
        pond.store.record(call, b"")
        pond.store.flush()
        assert pond.sql("SELECT number, bytes, tables, note FROM calls WHERE number = 2") == [
            (2, 1 << 40, [], "larger")
        ]
        assert pond.sql("SELECT count(*) FROM results WHERE call = 2") == [(0,)]
        again = Store(pond.database, pond.settings)
        assert again.names()[0] == "rows_k7q2xd_1"


@pytest.mark.parametrize("count", [1, 200, 20_000])
def test_rows_that_cannot_be_read_leave_the_result_as_it_came_and_in_calls(count: int) -> None:
    """STORE-13"""
    row = b'{"v":1,"pad":"' + b"p" * 40 + b'"}'
    raw = (
        b'{"structuredContent":{"items":[' + b",".join([row] * count + [row.replace(b"ppp", b"\xff\xfe\xfd")]) + b"]}}"
    )
    with canvas(inline_rows_bytes=0) as pond:
        assert pond.take(raw) == {}
        pond.store.flush()
        assert pond.sql("SELECT number, bytes, tables FROM calls") == [(1, len(raw), [])]
