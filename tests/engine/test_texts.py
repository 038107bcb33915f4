"""The results as they came: whole, in tables of a bounded size, and gone with what they belong to."""

from millpond.core.model import Verdict
from millpond.engine.texts import BATCH_BYTES, PART_BYTES, TABLE_BYTES, Texts
from pond import Canvas, canvas, structured


def wide(size_bytes: int, mark: str = "x") -> bytes:
    """A result of about so many bytes in rows of 64 KiB."""
    return structured({"items": [{"id": at, "pad": mark * (1 << 16)} for at in range(size_bytes >> 16)]})


def text_of(pond: Canvas, call: int) -> str:
    return "".join(part for (part,) in pond.sql("SELECT text FROM results WHERE call = ? ORDER BY part", call))


def kept_tables(pond: Canvas) -> int:
    return pond.sql("SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'kept'")[0][0]


def test_a_text_longer_than_a_table_stands_in_several_and_comes_back_whole() -> None:
    """STORE-03 STORE-11"""
    result = wide(TABLE_BYTES + 3 * PART_BYTES)
    with canvas() as pond:
        pond.take(b'{"content":[],"structuredContent":{"items":[1111,2222,3333]}}', mode="always")
        pond.take(result)
        assert text_of(pond, 2) == result.decode()
        assert kept_tables(pond) > 1
        assert pond.sql("SELECT number, bytes FROM calls ORDER BY 1")[1] == (2, len(result))


def test_a_large_text_goes_again_where_its_tables_cannot_be_stored() -> None:
    """STORE-01"""
    with canvas() as pond:
        pond.sql("CREATE VIEW rows_k7q2xd_1 AS SELECT 1")
        outcome = pond.store.take(pond.call("rows"), memoryview(wide(BATCH_BYTES + 1)), "query")
        assert outcome.verdict is Verdict.FAILED
        assert pond.sql("SELECT count(*) FROM results") == [(0,)]
        assert pond.sql("SELECT count(*) FROM calls") == [(0,)]
        pond.sql("DROP VIEW rows_k7q2xd_1")
        again = wide(BATCH_BYTES + 1)
        pond.take(again, number=1)
        assert text_of(pond, 1) == again.decode()


def test_a_large_result_that_is_stored_again_has_its_text_once() -> None:
    """STORE-05"""
    with canvas() as pond:
        pond.take(wide(BATCH_BYTES + 1, "x"))
        second = wide(BATCH_BYTES + 1, "y")
        pond.take(second, number=1)
        assert text_of(pond, 1) == second.decode()
        assert pond.sql("SELECT count(*) FROM calls") == [(1,)]


def test_large_results_that_went_on_are_recorded_too() -> None:
    """STORE-03 STORE-04"""
    result = wide(BATCH_BYTES + PART_BYTES)
    with canvas() as pond:
        pond.store.record(pond.call("some", mode="never"), result)
        pond.store.record(pond.call("few"), b'{"content":[]}')
        pond.store.flush()
        assert text_of(pond, 1) == result.decode()
        assert text_of(pond, 2) == '{"content":[]}'


def test_a_text_whose_call_was_never_committed_goes_with_the_next_that_is_stored() -> None:
    """STORE-06"""
    with canvas() as pond:
        pond.take(wide(PART_BYTES))
        Texts(pond.database).insert_large(2, memoryview(wide(PART_BYTES)))
        assert pond.sql("SELECT DISTINCT call FROM results ORDER BY 1") == [(1,), (2,)]
        pond.reopen()
        pond.take(wide(PART_BYTES), number=3)
        assert pond.sql("SELECT DISTINCT call FROM results ORDER BY 1") == [(1,), (3,)]
        Texts(pond.database).insert_large(4, memoryview(wide(PART_BYTES)))
        pond.reopen()
        pond.take(wide(BATCH_BYTES + PART_BYTES), number=4)
        assert text_of(pond, 4) == wide(BATCH_BYTES + PART_BYTES).decode()


def test_tables_that_lost_all_their_texts_are_dropped() -> None:
    """STORE-07 STORE-11"""
    with canvas(max_calls=4) as pond:
        for _ in range(24):
            pond.take(wide(8 * PART_BYTES))
        assert pond.sql("SELECT DISTINCT call FROM results ORDER BY 1") == [(21,), (22,), (23,), (24,)]
        assert kept_tables(pond) <= 4
