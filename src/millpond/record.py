"""Record: the local file of what sessions came to, for `millpond stats`.

Rule: a line a session, written in one go and never again; several processes append at once, and no lock is held. What is too much or too
old goes with half of the record. Imports `core.stats` and the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from millpond.core.stats import Lines, read_lines

FILE, OLDER = "stats.jsonl", "stats.older.jsonl"
VARIABLE = "MILLPOND_STATS"
"""`off` writes no record, whatever the configuration says."""
_OFF = ("off", "0", "no", "false")
_HEAD_BYTES = 1 << 17
"""More than the longest line."""
MOST_READ_BYTES = 1 << 30
"""Of each of the two files: the largest bound that a configuration may give the record."""


def is_switched_off(environ: Mapping[str, str]) -> bool:
    """True where the environment wants no record."""
    return environ.get(VARIABLE, "").strip().lower() in _OFF


def append(place: Path, line: bytes, max_bytes: int, oldest: str) -> None:
    """Add a line. The record stays within `max_bytes` and a line; what is older than `oldest` (ISO 8601) goes.

    Raises `OSError` where it cannot be written.
    """
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = place / FILE
    with suppress(OSError):  # Another process has turned it, or holds it open on Windows: the next one tries again.
        _turn(path, place / OLDER, max_bytes // 2 - len(line), oldest)
    with open(path, "ab+", buffering=0, opener=_private) as file:  # Path.open has no opener
        file.write(line if _ends_whole(file) else b"\n" + line)


def read(place: Path) -> Lines:
    """What the record holds, oldest first; of a file over `MOST_READ_BYTES` its end. Raises `OSError` where it cannot be read."""
    return read_lines(b"\n".join(_bytes(place / name) for name in (OLDER, FILE)))


def remove(place: Path) -> bool:
    """Remove the record. False where there was none. Raises `OSError` where it cannot be removed."""
    found = [path for name in (OLDER, FILE) if (path := place / name).exists()]
    for path in found:
        path.unlink(missing_ok=True)
    return bool(found)


def _turn(path: Path, older: Path, most_bytes: int, oldest: str) -> None:
    """Put the file in the place of the older one where it is full or begins too early; let that one go where it ends too early."""
    if older.exists() and (last := read_lines(_tail(older)).sessions) and last[-1].time < oldest:
        older.unlink(missing_ok=True)
    if not path.exists():
        return
    first = read_lines(_head(path)).sessions[:1]
    if path.stat().st_size > most_bytes or any(session.time < oldest for session in first):
        path.replace(older)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_HEAD_BYTES)


def _tail(path: Path, most_bytes: int = _HEAD_BYTES) -> bytes:
    """The end of the file, from the begin of a line where it has one."""
    with path.open("rb") as file:
        start = file.seek(max(file.seek(0, os.SEEK_END) - most_bytes, 0))
        tail = file.read(most_bytes)
    return tail.partition(b"\n")[2] if start else tail


def _ends_whole(file: BinaryIO) -> bool:
    """False where the last line was torn: what is added to it would be lost with it."""
    if not file.seek(0, os.SEEK_END):
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _bytes(path: Path) -> bytes:
    try:
        return _tail(path, MOST_READ_BYTES)
    except FileNotFoundError:
        return b""


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
