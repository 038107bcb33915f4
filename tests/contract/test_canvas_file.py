"""What DuckDB says of a file that it cannot open or write, and what a full disk does to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing as closing_it
from pathlib import Path

import pytest

from millpond.engine.database import CHECKPOINT_BYTES, Database, DatabaseError, FatalError, is_damage

FULL_AT = CHECKPOINT_BYTES + (2 << 20)
"""More than the log that DuckDB keeps before it writes a checkpoint, less than the checkpoint needs besides."""
FILL = """
import os, resource, sys
from pathlib import Path
from millpond.engine.database import Database, DatabaseError, FatalError
database = Database(Path(sys.argv[1]), memory_bytes=256 << 20)
connection = database.cursor()
connection.execute("CREATE TABLE kept (part VARCHAR)")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
kept = 0
try:
    while kept < 400:
        connection.execute("INSERT INTO kept VALUES (?)", [os.urandom(1 << 18).hex()])
        kept += 1
except DatabaseError as error:
    print(type(error).__name__)
try:
    database.cursor().execute("SELECT 1")
except FatalError:
    print("takes no further statement")
print(kept, flush=True)
os._exit(0)
"""

OPEN = """
import os, sys
from pathlib import Path
from millpond.engine.database import Database
opened = Database(Path(sys.argv[1]), memory_bytes=256 << 20)
"""
KILLED = f"""{OPEN}
opened.cursor().execute("CREATE TABLE t AS SELECT range, hash(range) FROM range(2000)")
os._exit(0)
"""
HELD = f"""{OPEN}
print(flush=True)
sys.stdin.read()
"""


def database(path: Path) -> Database:
    return Database(path, memory_bytes=256 << 20)


def test_a_commit_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    """It is one setting of DuckDB's, which can be set on an open database; a kill loses nothing that was committed."""
    opened = database(tmp_path / "canvas.duckdb")
    [mode] = opened.cursor().execute("SELECT value FROM duckdb_settings() WHERE name = 'fsync_mode'").fetchall()
    opened.close()
    assert mode == ("NONE",)


def test_a_commit_in_a_kept_canvas_waits_for_the_disk(tmp_path: Path) -> None:
    """CANVAS-23"""
    opened = Database(tmp_path / "canvas.duckdb", memory_bytes=256 << 20, is_kept=True)
    [mode] = opened.cursor().execute("SELECT value FROM duckdb_settings() WHERE name = 'fsync_mode'").fetchall()
    opened.close()
    assert mode == ("STANDARD",)


def of_version(path: Path, version: int) -> None:
    """Have a file say that a DuckDB of this storage version wrote it: the number stands in its first block, under its sum."""
    with path.open("r+b") as file:
        head = bytearray(file.read(4_096))
        struct.pack_into("<Q", head, 12, version)
        total = 5_381
        for (word,) in struct.iter_unpack("<Q", head[8:]):
            total ^= word * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
        struct.pack_into("<Q", head, 0, total)
        file.seek(0)
        file.write(head)


@pytest.mark.parametrize("version", [1, 100_000])
def test_a_file_of_another_version_of_duckdb_counts_as_damaged_and_is_not_written_to(
    tmp_path: Path, version: int
) -> None:
    """CANVAS-20"""
    path = closed(tmp_path)
    of_version(path, version)
    before = path.read_bytes()
    with pytest.raises(DatabaseError) as raised:
        database(path)
    assert "storage version number" in str(raised.value)
    assert is_damage(raised.value)
    assert path.read_bytes() == before


def test_a_file_of_another_database_counts_as_damaged(tmp_path: Path) -> None:
    """CANVAS-20"""
    path = tmp_path / "canvas.duckdb"
    with closing_it(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (a)")
        other.commit()
    with pytest.raises(DatabaseError) as raised:
        database(path)
    assert is_damage(raised.value)


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands in for a full disk")
def test_a_disk_that_fills_during_a_checkpoint_ends_all_statements_and_loses_nothing(tmp_path: Path) -> None:
    """ENGINE-25"""
    command = [sys.executable, "-c", FILL, str(tmp_path / "canvas.duckdb"), str(FULL_AT)]
    raised, after, kept = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[:3]
    assert raised == FatalError.__name__
    assert after == "takes no further statement"
    (found,) = database(tmp_path / "canvas.duckdb").cursor().execute("SELECT count(*) FROM kept").fetchall()
    assert found[0] >= int(kept) > 0


def closed(folder: Path) -> Path:
    path = folder / "canvas.duckdb"
    opened = database(path)
    opened.cursor().execute("CREATE TABLE t AS SELECT range, hash(range) FROM range(20000)")
    opened.close()
    return path


def killed(folder: Path) -> Path:
    """A file whose tables are in its log still."""
    path = folder / "canvas.duckdb"
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=True)
    return path


def overwrite(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"no database" * 8)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "emptied": lambda path: os.truncate(path, 0),
    "cut short": lambda path: os.truncate(path, 5_000),
    "another file": lambda path: overwrite(path, 0) or overwrite(path, 8),
    "its head written over": lambda path: overwrite(path, 100),
    "both of its roots written over": lambda path: overwrite(path, 4_200) or overwrite(path, 8_300),
    "its catalog written over": lambda path: overwrite(path, 12_400),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_from_one_that_cannot_be_opened(tmp_path: Path, damage: str) -> None:
    """ENGINE-15"""
    path = closed(tmp_path)
    DAMAGES[damage](path)
    with pytest.raises(DatabaseError) as raised:
        database(path)
    assert is_damage(raised.value)


def test_a_damaged_log_is_damage_too(tmp_path: Path) -> None:
    """ENGINE-15"""
    path = killed(tmp_path)
    overwrite(path.with_suffix(".duckdb.wal"), 400)
    with pytest.raises(DatabaseError) as raised:
        database(path)
    assert is_damage(raised.value)


@pytest.mark.parametrize("at", [2, 8])
def test_a_log_whose_head_is_damaged_or_another_files_is_damage_too(tmp_path: Path, at: int) -> None:
    """CANVAS-20"""
    log = killed(tmp_path).with_suffix(".duckdb.wal")
    head = bytearray(log.read_bytes())
    head[at] ^= 0xFF
    log.write_bytes(head)
    with pytest.raises(DatabaseError) as raised:
        database(tmp_path / "canvas.duckdb")
    assert is_damage(raised.value)


def test_a_file_that_another_process_holds_is_not_damaged(tmp_path: Path) -> None:
    """ENGINE-15"""
    path = closed(tmp_path)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HELD, str(path)], stdin=pipe, stdout=pipe) as holder:
        assert holder.stdin
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(DatabaseError) as raised:
            database(path)
        holder.stdin.close()
    assert not is_damage(raised.value)
    database(path).close()


def test_a_folder_in_the_place_of_the_file_is_not_damage(tmp_path: Path) -> None:
    """ENGINE-15"""
    path = closed(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(DatabaseError) as raised:
        database(path)
    assert not is_damage(raised.value)
    shutil.rmtree(path)
