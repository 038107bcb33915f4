"""Directory: the private place of a canvas's file, and the end of places whose process is gone.

Rule: a directory is in use as long as a process holds a lock on it; the kernel lets go of the lock when the process ends, however it
ends, so no process id is kept that another process could come to bear. Imports the standard library only.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from types import TracebackType

if sys.platform != "win32":  # Which has no such lock: nothing is swept there; the owner still removes its own at exit.
    import fcntl

PREFIX = "millpond-"
"""What the names of all canvas directories begin with."""
FILE = "canvas.duckdb"
"""In a canvas's directory, its database."""
SPILL = "canvas.spill"
"""A folder there, for what DuckDB puts out of memory for a while."""
EXCHANGE = "exchange"
"""A folder there, through which whole tables pass between two canvases."""
EXPORTS = "export"
"""A folder there, in which DuckDB may write a file of its own."""
_MODE = 0o700


class CanvasDirectory:
    """A directory of mode 0700 that this process uses; several processes may use it at once."""

    def __init__(self, path: Path) -> None:
        """Nothing is touched until `hold`."""
        self.path = path
        self._lock: int | None = None

    @classmethod
    def new(cls, parent: Path | None = None) -> CanvasDirectory:
        """A new one under `parent`, or the temporary directory, that is yet to be made."""
        return cls((parent or _temporary()) / f"{PREFIX}{secrets.token_hex(8)}")

    @classmethod
    def create(cls, parent: Path | None = None) -> CanvasDirectory:
        """A new one, held. Raises `OSError` where none can be made."""
        directory = cls.new(parent)
        directory.hold()
        return directory

    def hold(self) -> bool:
        """Make it where it is not there, and lock it. Returns True if it was made.

        Raises `OSError` where it cannot be made, or is not this user's own directory.
        """
        made = False
        while True:
            try:
                self.path.mkdir(mode=_MODE, parents=True)
                made = True
            except FileExistsError:
                require_own(self.path)
            if sys.platform == "win32" or self._locked():
                return made

    def _locked(self) -> bool:
        """Lock it. False where it was swept between its making and its locking."""
        try:
            lock = lock_of(self.path, wait=True)
            self.release()  # Only now: there is no moment in which a sweep finds it unlocked.
            self._lock = lock
            return lock is None or os.path.samestat(os.fstat(lock), self.path.stat())
        except FileNotFoundError:
            return False

    def renew(self, tag: str) -> Path | None:
        """Empty it, made again if need be, and held, for a canvas whose table names have this tag. Raises `OSError` as `hold` does.

        Returns where that was put which lay in it, where it is not gone.
        """
        shutil.rmtree(self.path, ignore_errors=True)
        self.hold()
        return None

    def release(self) -> None:
        """Let go of the lock; the directory stays."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Remove it with all that lies in it. What cannot be removed is left for a later `sweep`."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()

    def leave(self) -> None:
        """The canvas has ended, and its processes with it."""
        self.remove()

    def remove_unless_shared(self) -> bool:
        """Remove it if no other process uses it. Returns True if it was removed."""
        if sys.platform == "win32" or self._lock is None:
            return False
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        self.remove()
        return True

    def __enter__(self) -> CanvasDirectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _temporary() -> Path:
    """The temporary directory; where none can be written to, the one that would be usual."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return Path(os.path.abspath(os.sep), "tmp")


def sweep(parent: Path | None = None) -> tuple[Path, ...]:
    """Remove this user's canvas directories that no process uses. Returns those removed; never raises."""
    try:
        with os.scandir(parent or tempfile.gettempdir()) as entries:
            found = [Path(entry.path) for entry in entries if entry.name.startswith(PREFIX)]
    except OSError:
        return ()
    return tuple(path for path in found if _swept(path))


def _swept(path: Path) -> bool:
    try:
        require_own(path)
        lock = lock_of(path, wait=False)
    except OSError:
        return False
    if lock is None:
        return False
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)
    return True


def require_own(path: Path) -> None:
    """Raises `OSError` where the path is anything but a directory (not a link to one) of this user."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and found.st_uid != os.getuid()):
        raise PermissionError(f"{path} is not a directory of this user")


def lock_of(path: Path, *, wait: bool) -> int | None:
    """A descriptor with a shared lock, or without `wait` the only one; None where it cannot be locked.

    Raises `OSError` where the directory cannot be opened.
    """
    if sys.platform == "win32":
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # Another process uses it, or the file system knows no locks.
        os.close(descriptor)
        return None
    return descriptor
