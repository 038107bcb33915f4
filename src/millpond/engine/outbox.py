"""Outbox: the folder that the user named, and the files that come to stand in it.

Rule: nobody sees a file before it is whole, none is written over, and none but a plain name of that folder is touched. A draft is in use
as long as a process holds a lock on it; what a dead process left is removed by the next. Imports `core` and the engine's `exits`.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from millpond.core.errors import QueryRefused
from millpond.core.export import file_taken, file_too_large, not_written
from millpond.engine.exits import DISK_FULL, FULL_CODES

if sys.platform != "win32":  # Where a file that is open cannot be removed, which is all that the lock is for.
    import fcntl

_DRAFT = re.compile(r"\.millpond-[0-9a-f]{16}\.part")
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_MODE = 0o600


class Outbox:
    """A folder of the user's, which is there already."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        """`max_bytes` is the most that one file may have."""
        self.folder = folder
        self._max_bytes = max_bytes

    def sweep(self) -> None:
        """Remove drafts that no process works on. Never raises."""
        with suppress(OSError):
            for entry in list(os.scandir(self.folder)):
                if _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    _remove_unless_used(Path(entry.path))

    def is_taken(self, name: str) -> bool:
        """True where something has this name, a link to nothing included."""
        return os.path.lexists(self.folder / name)

    @contextmanager
    def draft(self) -> Generator[Draft]:
        """A file to be written and published; without that it is gone at the end.

        Raises `QueryRefused` where the file system refuses, then and while it is written.
        """
        try:
            draft = Draft(self, *self._created(), self._max_bytes)
            try:
                yield draft
            finally:
                draft.remove()
        except OSError as error:
            raise QueryRefused(not_written(_why(error))) from error

    def _created(self) -> tuple[Path, int]:
        """A new file and its descriptor, locked where the file system knows locks."""
        while True:
            path = self.folder / f".millpond-{secrets.token_hex(8)}.part"
            descriptor = os.open(path, _FLAGS, _MODE)
            if sys.platform == "win32" or _is_locked(path, descriptor):
                return path, descriptor
            os.close(descriptor)  # It was swept between its making and its locking.


class Draft:
    """A file that is not there yet for anyone else."""

    def __init__(self, outbox: Outbox, path: Path, descriptor: int, max_bytes: int) -> None:
        self._outbox = outbox
        self._path = path
        self._max_bytes = max_bytes
        self._file = os.fdopen(descriptor, "wb")
        self.bytes = 0
        """Written so far."""

    def write(self, data: bytes) -> None:
        """Add to it. Raises `QueryRefused` where it would be larger than a file may be, and `OSError`."""
        self.bytes += len(data)
        if self.bytes > self._max_bytes:
            raise QueryRefused(file_too_large(self._max_bytes))
        self._file.write(data)

    def publish(self, name: str) -> Path:
        """Have it stand in the folder under this name, and say where. Raises `QueryRefused` where another has it, and `OSError`."""
        self._file.flush()
        os.fsync(self._file.fileno())
        path = self._outbox.folder / name
        try:
            self._publish(path)
        except FileExistsError:
            raise QueryRefused(file_taken(name, self._outbox.is_taken)) from None
        return path

    def _publish(self, path: Path) -> None:
        if sys.platform == "win32":
            self._file.close()
            os.rename(self._path, path)  # There it takes no name that is taken.
            return
        try:
            os.link(self._path, path)
        except FileExistsError:
            raise
        except OSError:  # A file system without hard links.
            if os.path.lexists(path):
                raise FileExistsError from None
            os.rename(self._path, path)

    def remove(self) -> None:
        """Take away what is not published, and the second name of what is."""
        with suppress(OSError):  # Of what a full disk still had in its buffer.
            self._file.close()
        with suppress(FileNotFoundError):
            os.unlink(self._path)


def _is_locked(path: Path, descriptor: int) -> bool:
    """Lock a new draft. False where a sweep was quicker."""
    assert sys.platform != "win32"
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # The file system knows no locks, so nothing of it is swept either.
        return True
    return path.exists() and os.path.samestat(os.fstat(descriptor), path.stat())


def _remove_unless_used(path: Path) -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            path.unlink()
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(descriptor)


def _why(error: OSError) -> str:
    """What the system says, without a path."""
    if error.errno in FULL_CODES:
        return DISK_FULL
    return (error.strerror or type(error).__name__).lower()
