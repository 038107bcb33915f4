"""Files: configuration files as they are on the disk: read whole, written whole or not at all, kept in a backup first.

Rule: a symlink stays one, its target is written; mode and owner stay; what changed since it was read is not overwritten.
Imports the clients' `places`, `core.errors` and the standard library.
"""

from __future__ import annotations

import glob
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from millpond.clients.places import Surroundings
from millpond.core.errors import ConfigError

MOST_BACKUPS = 50
"""Of one file; the oldest go."""
MAX_FILE_BYTES = 64 << 20
"""A client's configuration is a page of text, with some clients' history beside it; what is larger is another file."""


def surroundings() -> Surroundings:
    """What this machine has."""
    home = Path.home()
    packages = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Packages"
    return Surroundings(
        platform=sys.platform,
        environ=os.environ,
        home=home,
        folder=Path.cwd(),
        claude_packages=sorted(path.name for path in packages.glob("Claude_*")),
    )


def read(path: Path) -> bytes:
    """The bytes of a file. Raises `ConfigError` where it cannot be read or is larger than `MAX_FILE_BYTES`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: expected a file that can be read: {error.strerror}; check its rights") from error
    if len(data) > MAX_FILE_BYTES:
        raise ConfigError(f"{path}: expected at most {MAX_FILE_BYTES:,} bytes, got more; it is not a configuration")
    return data


def check_writable(path: Path) -> None:
    """Raise `ConfigError` for a read-only file: its folder may be writable, and its owner want it as it is."""
    with suppress(OSError):  # What is wrong with it otherwise is said where it is written.
        if not stat.S_IMODE(path.stat().st_mode) & 0o222:
            raise ConfigError(f"{path}: expected a file that can be written, got a read-only one; nothing was changed")


def replace(path: Path, old: bytes, new: bytes, keep: Callable[[Path, bytes], Path]) -> Path:
    """Put `new` in the place of `old` in one step; returns the backup that `keep` made of `old` before.

    Raises `ConfigError`, with nothing changed, where the file is read-only, has other bytes by now, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        check_writable(path)
        backup = keep(target, old)
        _swap(target, target.stat(), old, new)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"{path}: it cannot be written: {reason}; nothing was changed") from error
    return backup


def _swap(target: Path, status: os.stat_result, old: bytes, new: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(new)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, stat.S_IMODE(status.st_mode))
        if sys.platform != "win32":
            with suppress(PermissionError):  # Another's file, in a folder that one may write: it becomes one's own.
                os.chown(name, status.st_uid, status.st_gid)
        if target.read_bytes() != old:
            raise ConfigError(f"{target}: it was changed by another program meanwhile; nothing was changed, try again")
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def keep_in(folder: Path, now: datetime) -> Callable[[Path, bytes], Path]:
    """A function that keeps a file's bytes in the folder, under its name and the time, for this user alone.

    Of the backups of one file the newest `MOST_BACKUPS` stay.
    """

    def keep(path: Path, data: bytes) -> Path:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stem = f"{_prefix(path)}{now:%Y%m%d-%H%M%S}"
        first = max((_age(old)[1] + 1 for old in _kept(folder, path) if old.name.startswith(stem)), default=0)
        for number in range(first, first + 1_000):
            backup = folder / (f"{stem}-{number}" if number else stem)
            with suppress(FileExistsError):
                with open(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(data)
                for old in _kept(folder, path)[MOST_BACKUPS:]:
                    old.unlink(missing_ok=True)
                return backup
        raise OSError(f"{folder} is full of backups")

    return keep


def backups(folder: Path, path: Path) -> list[bytes]:
    """What was kept of a file, newest first."""
    found: list[bytes] = []
    for backup in _kept(folder, Path(os.path.realpath(path))):
        with suppress(OSError):
            found.append(backup.read_bytes())
    return found


def _kept(folder: Path, path: Path) -> list[Path]:
    """The backups of a file, newest first."""
    return sorted(folder.glob(f"{glob.escape(_prefix(path))}*"), key=_age, reverse=True)


def _age(backup: Path) -> tuple[str, int]:
    """The time in a backup's name, and its number among those of one second."""
    day, clock, number = f"{backup.name.rpartition('.')[2]}-0".split("-")[:3]
    return f"{day}-{clock}", int(number)


def _prefix(path: Path) -> str:
    """What the names of a file's backups begin with: files of one name lie in many folders."""
    return f"{path.name}.{hashlib.sha256(str(path).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}."
