"""What keeping an answer rests on: DuckDB's tables of a connection, and its transactions that only read."""

import pytest

from millpond.engine.database import DatabaseError
from pond import canvas

MADE = 'CREATE TEMP TABLE _saved AS SELECT * FROM (SELECT 1, 2, 1.10, count(*) FROM calls\n) AS _("a", "b", "c", "d")'


def test_a_table_of_the_connection_is_made_where_nothing_can_be_written() -> None:
    with canvas() as pond:
        one, other = pond.database.cursor(), pond.database.cursor()
        one.execute("BEGIN TRANSACTION READ ONLY")
        one.execute(MADE)
        with pytest.raises(DatabaseError, match="read-only"):
            one.execute("CREATE TABLE main.t AS FROM temp.main._saved")
        one.execute("ROLLBACK")
        one.execute("BEGIN TRANSACTION READ ONLY")
        one.execute(MADE)
        one.execute("COMMIT")
        assert one.execute("SELECT a, b, c::VARCHAR, d FROM temp.main._saved").fetchall() == [(1, 2, "1.10", 0)]
        with pytest.raises(DatabaseError, match="does not exist"):
            other.execute("FROM temp.main._saved")
        one.close()
        other.close()
        assert pond.sql("SELECT count(*) FROM duckdb_tables() WHERE table_name = '_saved'") == [(0,)]


def test_the_words_that_describe_reads_as_its_own_are_no_names_of_tables() -> None:
    with canvas() as pond:
        pond.sql("CREATE TABLE tables AS SELECT 1 AS mine")
        assert "mine" not in str(pond.sql("DESCRIBE tables"))
