"""What the exchange of tables rests on: one folder is open to DuckDB, and nothing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from millpond.engine.database import EXCHANGE, DatabaseError
from millpond.engine.exchange import borrowed, lend
from pond import Canvas

TYPES = (
    "1.10::DECIMAL(38,3) AS d, (SELECT '1234567890123456789012345678901234567890123')::BIGNUM AS b, {'k': [1.5, NULL]} AS s,"
    " MAP {'x': 1} AS m, 'a'::ENUM('a', 'b') AS e, INTERVAL 1 MONTH AS i, '\\xAA'::BLOB AS o, '101'::BIT AS t"
)
NAME = "0" * 32


@pytest.fixture
def pond(tmp_path: Path) -> Canvas:
    return Canvas(tmp_path)


def test_nothing_outside_the_folder_is_attached_written_or_read(pond: Canvas, tmp_path: Path) -> None:
    """CANVAS-08"""
    folder = tmp_path / EXCHANGE
    folder.mkdir()
    (tmp_path / "beside").write_text("a\n1\n")
    for outside in (tmp_path / "x", folder / ".." / "x", tmp_path / f"{EXCHANGE}x", Path("/dev/null")):
        for statement in (f"ATTACH '{outside}' AS x", f"COPY (SELECT 1) TO '{outside}'"):
            with pytest.raises(DatabaseError, match="disabled by configuration"):
                pond.sql(statement)
    with pytest.raises(DatabaseError, match="disabled by configuration"):
        pond.sql(f"FROM read_csv('{tmp_path / 'beside'}')")
    for setting in ("allowed_directories = ['/']", "enable_external_access = true"):
        with pytest.raises(DatabaseError):
            pond.sql(f"SET GLOBAL {setting}")


def test_a_table_that_is_lent_has_the_types_and_values_that_it_had(pond: Canvas) -> None:
    """CANVAS-08"""
    connection = pond.database.cursor()
    connection.execute(f"CREATE TEMP TABLE _saved AS SELECT {TYPES}")
    for _ in range(2):  # A try after one that was killed writes over what that left.
        lend(pond.database, connection, NAME, "temp.main._saved")
    with borrowed(pond.database, NAME) as rows:
        assert (
            connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
            == connection.execute("DESCRIBE _saved").fetchall()
        )
        assert connection.execute(f"FROM {rows}").fetchall() == connection.execute("FROM _saved").fetchall()
        with pytest.raises(DatabaseError, match="read-only"):
            connection.execute(f"DELETE FROM {rows}")
    with pytest.raises(DatabaseError):
        connection.execute(f"FROM {rows}")
    connection.close()
