"""What comments rest on: DuckDB sets them in the transaction that makes and fills the table, and keeps them in its file."""

from __future__ import annotations

from pond import canvas


def test_comments_are_set_beside_the_rows_and_survive() -> None:
    with canvas() as pond:
        with pond.database.transaction() as connection:
            connection.execute('CREATE TABLE t (a BIGINT, "b""c" VARCHAR)')
            connection.execute("INSERT INTO t SELECT i, 'x' FROM range(5000) r(i)")
            connection.execute("COMMENT ON TABLE t IS 'it''s\n; two'; COMMENT ON COLUMN t.\"b\"\"c\" IS 'said'")
        for _ in range(2):
            assert pond.sql("SELECT count(*), sum(a) FROM t") == [(5000, 12497500)]
            assert pond.sql("SELECT comment FROM duckdb_tables() WHERE table_name = 't'") == [("it's\n; two",)]
            assert pond.sql("SELECT comment FROM duckdb_columns() WHERE table_name = 't'") == [(None,), ("said",)]
            pond.reopen()


def test_describe_itself_shows_no_comment() -> None:
    with canvas() as pond:
        pond.sql("COMMENT ON COLUMN calls.tool IS 'said'")
        assert "said" not in str(pond.sql("DESCRIBE calls"))
