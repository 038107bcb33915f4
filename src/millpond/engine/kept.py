"""Kept: the folders of canvases that outlive their session, and how one is found again.

Rule: one process has a kept canvas, by a lock on its folder that the kernel drops with the process; what cannot be read is put aside and
never removed; what is kept no longer goes. Imports `core`, the engine's `directory` and `tags`, and the standard library.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from millpond.core.canvas import ID_BYTES, begun_anew
from millpond.core.kept import Identity, is_over, read, written
from millpond.core.model import EngineSettings
from millpond.engine.directory import EXCHANGE, EXPORTS, FILE, PREFIX, SPILL, CanvasDirectory, lock_of, require_own
from millpond.engine.tags import new_tag

KEPT = "kept-millpond-"
"""What the names of kept canvases' folders begin with."""
ASIDE = "aside-millpond-"
"""The same of folders with what could not be read."""
SECRET = "kept-millpond.secret"
"""A file of random bytes, without which a folder's name tells nothing of what it was made from."""
IDENTITY = "kept.json"
_FILES = (FILE, f"{FILE}.wal")
_PASSING = (SPILL, EXCHANGE, EXPORTS)
"""What a process leaves in the folder that nobody needs after it."""
_SECRET_BYTES = 32
_TRIES = 3
"""For a folder that is swept between its making and its locking."""
_PAUSE_SECONDS = 0.02
_PAUSES = 25
"""Half a second in all: a host that starts a server anew may begin before the old process has ended."""
_UNREADABLE = "was not one that this version of Millpond can read"


class KeptDirectory(CanvasDirectory):
    """The folder of a kept canvas: who has claimed it has it alone; the engine's processes hold nothing."""

    def claim(self) -> bool:
        """Make it where it is not there, and lock it for this process alone. False where another has it.

        Raises `OSError` where it cannot be made, or is not this user's own directory.
        """
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):
                self.hold()
                lock = lock_of(self.path, wait=False)
                if lock is None:
                    return False
                if os.path.samestat(os.fstat(lock), self.path.stat()):
                    self._lock = lock
                    return True
                os.close(lock)
        return False

    def hold(self) -> bool:
        """Make it where it is not there. Returns True if it was made. Raises `OSError` as `claim` does."""
        try:
            self.path.mkdir(mode=0o700)
        except FileExistsError:
            require_own(self.path)
            return False
        return True

    def renew(self, tag: str) -> Path | None:
        """Have it empty for another canvas of the same id. What is there of the old one is put aside, where its file is there."""
        self.hold()
        identity = self.identity()
        aside = self.put_aside() if (self.path / _FILES[0]).exists() else self.empty()
        if identity is not None:
            self.write(msgspec.structs.replace(identity, tag=tag))
        return aside

    def put_aside(self) -> Path:
        """Move all that lies in it to a new folder beside it, which nobody sweeps. Raises `OSError`."""
        aside = self.path.with_name(f"{ASIDE}{self.path.name.removeprefix(KEPT)}-{secrets.token_hex(4)}")
        aside.mkdir(mode=0o700)
        for entry in list(self.path.iterdir()):
            entry.rename(aside / entry.name)
        return aside

    def empty(self) -> None:
        """Remove all that lies in it."""
        for entry in list(self.path.iterdir()):
            _remove(entry)

    def leave(self) -> None:
        """Note when it was used last, and let go of it; where nothing was stored, it is removed."""
        with suppress(OSError):
            if not (self.path / _FILES[0]).exists():
                self.remove()
                return
            self.tidy()
            os.utime(self.path / IDENTITY)
        self.release()

    def tidy(self) -> None:
        """Remove what a process has left that nobody needs."""
        for name in _PASSING:
            _remove(self.path / name)

    def identity(self) -> Identity | None:
        """What was written of the canvas; None where nothing, or nothing of this version."""
        try:
            return read((self.path / IDENTITY).read_bytes())
        except OSError:
            return None

    def write(self, identity: Identity) -> None:
        """Write of the canvas, whole or not at all. Raises `OSError`."""
        draft = self.path / f"{IDENTITY}.new"
        _write(draft, written(identity))
        draft.replace(self.path / IDENTITY)
        folder = os.open(self.path, os.O_RDONLY)  # That the file is there is written in the folder.
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def last_used_seconds(self) -> float:
        """When the canvas was used last: the time of the latest of its files; 0 where there are none."""
        found = [0.0]
        for name in (IDENTITY, *_FILES):
            with suppress(OSError):
                found.append((self.path / name).stat().st_mtime)
        return max(found)


@dataclass(frozen=True, slots=True, eq=False)
class KeptCanvas:
    """A kept canvas that this process has claimed."""

    directory: KeptDirectory
    canvas: str
    """Its id."""
    tag: str
    begun_anew: str | None
    """Why what was in its folder is not used."""


class Keeper:
    """The kept canvases under one folder."""

    def __init__(
        self,
        parent: Path,
        keep_days: int,
        log: Callable[[str], None],
        now: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`now` gives the seconds since 1970, `pause` lets so many pass."""
        self._parent = parent
        self._keep_days = keep_days
        self._log = log
        self._now = now
        self._pause = pause

    def find(self, key: bytes | None, *, waits: bool = False) -> KeptCanvas | None:
        """The canvas of this key, begun where there is none. None where it is not to be had, said in the log, or without a key.

        With `waits`, one that another session has is waited for, half a second at most: nothing else is done meanwhile.
        """
        if key is None:
            return None
        try:
            digest = hmac.digest(_secret(self._parent / SECRET), key, hashlib.sha256)
            return self._claimed(KeptDirectory(self._parent / f"{KEPT}{digest.hex()[:32]}"), _PAUSES if waits else 0)
        except OSError as error:
            self._log(
                f"canvas: cannot be kept: {error.strerror or error}; a new one is begun, which ends with the session"
            )
            return None

    def _claimed(self, directory: KeptDirectory, pauses: int) -> KeptCanvas | None:
        while not (has_it := directory.claim()) and pauses:
            self._pause(_PAUSE_SECONDS)
            pauses -= 1
        if not has_it:
            self._log(
                "canvas: the kept one is in use by another session; a new one is begun, which ends with this session"
            )
            return None
        try:
            return self._opened(directory)
        except OSError:
            directory.release()
            raise

    def _opened(self, directory: KeptDirectory) -> KeptCanvas:
        found, anew = directory.identity(), None
        if found is not None and is_over(directory.last_used_seconds(), found.keep_days, self._now()):
            directory.empty()
            self._log(gone_line(directory.path))
            found = None
        elif found is not None and not (directory.path / _FILES[0]).exists():  # Whoever removed it wants nothing of it.
            directory.empty()
            found = None
        elif found is None and any(directory.path.iterdir()):
            anew = begun_anew(_UNREADABLE)
            self._log(f"canvas: what was kept {_UNREADABLE}; it is now in {directory.put_aside()}")
        canvas = found.canvas if found else secrets.token_hex(ID_BYTES)
        identity = Identity(canvas=canvas, tag=found.tag if found else new_tag(), keep_days=self._keep_days)
        directory.tidy()
        if identity != found:
            directory.write(identity)
        os.utime(directory.path / IDENTITY)
        return KeptCanvas(directory, identity.canvas, identity.tag, anew)


def gone_line(path: Path) -> str:
    """What the log says of a canvas that is kept no longer."""
    return f"canvas: {path} was not used for as long as it was to be kept; what lay in it is removed"


def directory_of(settings: EngineSettings) -> CanvasDirectory:
    """The directory of an engine with these settings; nothing is touched."""
    path = Path(settings.directory)
    return KeptDirectory(path) if settings.is_kept else CanvasDirectory(path)


def sweep_kept(parent: Path, now: Callable[[], float] = time.time) -> tuple[Path, ...]:
    """Remove this user's canvases that are kept no longer and that no process has. Returns those removed; never raises."""
    try:
        with os.scandir(parent) as entries:
            found = [Path(entry.path) for entry in entries if entry.name.startswith(KEPT)]
    except OSError:
        return ()
    return tuple(path for path in found if _swept(KeptDirectory(path), now()))


def _swept(directory: KeptDirectory, now_seconds: float) -> bool:
    """Whoever looks for it while it goes finds another: it is moved first, to where leftovers are swept."""
    if sys.platform == "win32" or not _is_over(directory, now_seconds):
        return False
    going = directory.path.with_name(f"{PREFIX}{secrets.token_hex(8)}")
    try:
        require_own(directory.path)
        lock = lock_of(directory.path, wait=False)
        if lock is None:
            return False
        try:
            if not _is_over(directory, now_seconds):
                return False
            directory.path.rename(going)
        finally:
            os.close(lock)
    except OSError:
        return False
    shutil.rmtree(going, ignore_errors=True)
    return True


def _is_over(directory: KeptDirectory, now_seconds: float) -> bool:
    identity = directory.identity()
    return identity is not None and is_over(directory.last_used_seconds(), identity.keep_days, now_seconds)


def problem_of(parent: Path, platform: str = sys.platform) -> str | None:
    """Why no canvas can be kept in this folder; None where one can."""
    if sys.platform == "win32" or platform == "win32":
        return "expected no canvases to be kept on Windows, where nothing tells whether another process has one; leave keep_days out"
    if not (parent.is_absolute() and parent.is_dir() and os.access(parent, os.R_OK | os.W_OK | os.X_OK)):
        return "expected the absolute path of a folder that is there and can be read and written to; make it, or name another"
    found = parent.stat()
    is_open = bool(found.st_mode & 0o022) and not found.st_mode & stat.S_ISVTX
    if is_open or found.st_uid not in (0, os.getuid()):
        return "expected a folder that other users cannot write to; chmod 700 it, or name another"
    return None


def _secret(path: Path) -> bytes:
    """The random bytes in a file, made with the first who asks. Raises `OSError`."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        _write(draft, secrets.token_bytes(_SECRET_BYTES))
        with suppress(FileExistsError):  # Another process was first: its bytes are the ones.
            os.link(draft, path)
        draft.unlink()
    return path.read_bytes()


def _write(path: Path, data: bytes) -> None:
    """A file that only this user can read, on the disk when it returns."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
