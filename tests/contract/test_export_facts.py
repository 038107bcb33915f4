"""What DuckDB does with files and Parquet, on which `engine.parquet` and `engine.database` rest."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from millpond.engine.database import Connection, Database
from millpond.engine.fetch import cast_type

SAME = {
    "BOOLEAN": "true",
    "TINYINT": "-128",
    "BIGINT": "-9223372036854775808",
    "UBIGINT": "18446744073709551615",
    "FLOAT": "0.1",
    "DOUBLE": "nan",
    "DECIMAL(38,9)": "12345678901234567890123456789.123456789",
    "VARCHAR": "a\x01é\U0001f600",
    "JSON": '{"a": 1.10}',
    "DATE": "infinity",
    "TIME": "12:00:01.123456",
    "TIMESTAMP": "294247-01-10 04:00:54.775806",
    "TIMESTAMP_NS": "2020-01-01 12:00:01.123456789",
    "TIMESTAMP WITH TIME ZONE": "2020-01-01 10:00:01.123456+00",
    "UUID": "eeccb8c5-9943-b2bb-bb5e-222f4e14b687",
    "BLOB": "\\xAA\\x00",
    "MAP(VARCHAR, INTEGER)": "{a=1, b=NULL}",
    "STRUCT(a INTEGER[], b STRUCT(c DECIMAL(2,1))[])": "{'a': [1, NULL], 'b': [{'c': 1.1}]}",
}
ROUNDED = {
    "HUGEINT": ("170141183460469231731687303715884105727", "1.7014118346046923e+38"),
    "INTERVAL": ("1 month 00:00:03.123456", "1 month 00:00:03.123"),
    "TIME WITH TIME ZONE": ("12:00:01+02:30", "09:30:01+00"),
}


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    made = tmp_path / "canvas" / "export"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def connection(spool: Path) -> Iterator[Connection]:
    database = Database(spool.parent / "canvas.duckdb", memory_bytes=1 << 28, spool=spool)
    yield database.cursor()
    database.close()


def read_back(connection: Connection, spool: Path, kind: str, value: str) -> object:
    path = spool / "x.parquet"
    connection.execute("BEGIN TRANSACTION READ ONLY")
    quoted = value.replace("'", "''")
    connection.execute(f"COPY (SELECT CAST('{quoted}' AS {kind}) AS a) TO '{path}' (FORMAT parquet)")
    connection.execute("COMMIT")
    return connection.execute(f"SELECT typeof(a), CAST(a AS VARCHAR) FROM read_parquet('{path}')").fetchone()


@pytest.mark.parametrize("kind", SAME)
def test_a_value_of_these_types_comes_back_from_parquet_as_it_was(
    connection: Connection, spool: Path, kind: str
) -> None:
    assert read_back(connection, spool, kind, SAME[kind]) == (kind, SAME[kind])


@pytest.mark.parametrize("kind", ROUNDED)
def test_a_value_of_these_types_does_not_and_is_cast_before(connection: Connection, spool: Path, kind: str) -> None:
    value, other = ROUNDED[kind]
    assert read_back(connection, spool, kind, value) != (kind, value)
    found = read_back(connection, spool, kind, value)
    assert isinstance(found, tuple)
    assert found[1] == other


def test_a_nested_type_is_cast_leaf_by_leaf(connection: Connection) -> None:
    (kind,) = connection.sql("SELECT {'a b': [1::HUGEINT], 'm': MAP {'k': [1, 2]::INT[2]}} AS s").types
    text = cast_type(kind, lambda leaf: "VARCHAR" if leaf.id == "hugeint" else str(leaf))
    assert text == 'STRUCT("a b" VARCHAR[], "m" MAP(VARCHAR, INTEGER[2]))'


@pytest.mark.parametrize("sql", ["SELECT * FROM read_text('{}')", "COPY (SELECT 1) TO '{}'"])
def test_below_the_lockdown_one_folder_is_written_to_and_nothing_else_is_reached(
    connection: Connection, spool: Path, tmp_path: Path, sql: str
) -> None:
    """EXPORT-10"""
    (tmp_path / "secret").write_text("s3cret")
    (spool / "link").symlink_to(tmp_path)
    for path in (tmp_path / "secret", spool / ".." / "x", spool / ".." / ".." / "secret", f"{spool}x", "secret"):
        with pytest.raises(duckdb.PermissionException):
            connection.execute(sql.format(path))
    connection.execute(f"COPY (SELECT 1) TO '{spool / 'x.csv'}'")
    for setting in ("allowed_directories = ['/']", "enable_external_access = true"):
        with pytest.raises(duckdb.InvalidInputException):
            connection.execute(f"SET {setting}")


def test_without_a_folder_no_file_is_written(tmp_path: Path) -> None:
    database = Database(tmp_path / "canvas.duckdb", memory_bytes=1 << 28)
    with pytest.raises(duckdb.PermissionException):
        database.cursor().execute(f"COPY (SELECT 1) TO '{tmp_path / 'x.csv'}'")
    database.close()
