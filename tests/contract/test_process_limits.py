"""What the engine's process rests on: locks, limits, and the SQL that neither stops nor asks for memory first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from millpond.engine.database import Database, is_lack_of_memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="facts about Linux and DuckDB")

OPEN = """
import sys, threading
from pathlib import Path
from millpond.engine import ceiling
from millpond.engine.database import Database, DatabaseError
database = Database(Path(sys.argv[1]), memory_bytes=512 << 20)
connection = database.cursor()
"""


@contextmanager
def python(code: str, *arguments: str, **environment: str) -> Generator[subprocess.Popen[str]]:
    """A Python process; it is killed at the end."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        try:
            yield process
        finally:
            process.kill()


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout
    return [process.stdout.readline().strip() for _ in range(count)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(repeat('a', 3000000000))",
        "SELECT count(*) FROM (SELECT unnest(range(1000000000)))",
        "SELECT length(printf('%2000000000d', 1))",
        "SELECT len(list_resize([1], 500000000))",
    ],
)
def test_under_a_limit_of_the_address_space_sql_for_gigabytes_is_an_error_and_the_connection_goes_on(
    tmp_path: Path, sql: str
) -> None:
    """ENGINE-22"""
    code = f"""{OPEN}
ceiling.limit_address_space(1 << 30)
try:
    connection.execute(sys.argv[2]).fetchall()
except (DatabaseError, MemoryError) as error:
    print("refused", flush=True)
print(connection.execute("SELECT 42").fetchall()[0][0], flush=True)
"""
    with python(code, str(tmp_path / "canvas.duckdb"), sql) as process:
        assert lines(process, 2) == ["refused", "42"]


def test_there_is_sql_that_an_interrupt_does_not_stop_so_that_a_kill_is_needed(tmp_path: Path) -> None:
    """ENGINE-06"""
    code = f"""{OPEN}
done = threading.Event()
def run():
    try:
        connection.execute("SELECT length(lpad('a', 2000000000, 'b'))").fetchall()
    except DatabaseError:
        pass
    done.set()
threading.Thread(target=run, daemon=True).start()
done.wait(0.5)
for _ in range(10):
    connection.interrupt()
    done.wait(0.1)
print("stopped" if done.is_set() else "runs on", flush=True)
"""
    with python(code, str(tmp_path / "canvas.duckdb")) as process:
        assert lines(process, 1) == ["runs on"]


def test_each_arena_of_the_allocator_reserves_address_space_that_counts_against_the_limit(tmp_path: Path) -> None:
    """ENGINE-22"""
    code = f"""{OPEN}
ready = threading.Barrier(9)
def run():
    held = [bytearray(1000) for _ in range(1000)]
    ready.wait()
    threading.Event().wait()
for _ in range(8):
    threading.Thread(target=run, daemon=True).start()
ready.wait()
print(int(Path("/proc/self/statm").read_text().split()[0]) * 4096 >> 20, flush=True)
"""
    sizes: list[int] = []
    for arenas in ("2", "16"):
        with python(code, str(tmp_path / "canvas.duckdb"), MALLOC_ARENA_MAX=arenas) as process:
            sizes.append(int(lines(process, 1)[0]))
    assert sizes[1] - sizes[0] > 256


def test_what_was_committed_is_whole_after_a_kill_in_the_middle_of_writes(tmp_path: Path) -> None:
    """ENGINE-08"""
    code = f"""{OPEN}
for number in range(1000):
    connection.execute("BEGIN TRANSACTION")
    connection.execute(f"CREATE TABLE t{{number}} AS SELECT i, 'x' || i AS s FROM range(20000) r(i)")
    connection.execute("COMMIT")
    print(number, flush=True)
"""
    path = tmp_path / "canvas.duckdb"
    with python(code, str(path)) as process:
        acknowledged = int(lines(process, 15)[-1])
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
    database = Database(path, memory_bytes=512 << 20)
    connection = database.cursor()
    for number in range(acknowledged + 1):
        assert connection.execute(f"SELECT count(*), count(s) FROM t{number}").fetchone() == (20000, 20000)
    connection.close()
    database.close()


def test_a_lock_on_a_directory_ends_with_its_process_however_it_ends(tmp_path: Path) -> None:
    """ENGINE-20"""
    import fcntl

    code = """
import fcntl, os, sys, threading
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_SH)
print("locked", flush=True)
threading.Event().wait()
"""
    descriptor = os.open(tmp_path, os.O_RDONLY)
    with python(code, str(tmp_path)) as process:
        assert lines(process, 1) == ["locked"]
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)


@pytest.mark.parametrize(
    "said",
    [
        "TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (76.5 MiB/76.7 MiB used)",
        "TransactionContext Error: Failed to commit: could not allocate block of size 256.0 KiB (76.5 MiB/76.7 MiB used)",
    ],
)
def test_a_commit_without_memory_is_a_failed_transaction_and_known_as_lack_of_memory(said: str) -> None:
    """ENGINE-11: else a new process, which has memory for it, is never tried."""
    assert is_lack_of_memory(duckdb.TransactionException(said))


def test_a_small_memory_can_read_its_whole_log_again(tmp_path: Path) -> None:
    """ENGINE-08: tables of a few rows, of which each is more in memory than in the log, up to a checkpoint and a kill."""
    database = Database(tmp_path / "small.duckdb", memory_bytes=76 << 20)
    with database.transaction() as connection:
        setting = connection.execute("SELECT current_setting('checkpoint_threshold')").fetchone()
    database.close()
    assert setting == ("9.5 MiB",)
