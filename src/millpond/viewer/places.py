"""Places: where the doors of this user's sessions are found, and the end of doors whose session is gone.

Rule: the folder is this user's alone (mode 0700), or it is not used. It depends on no variable of the environment,
for clients start their servers with next to none. Imports the standard library only.
"""

from __future__ import annotations

import os
import secrets
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path

SUFFIX = ".sock"
NAME_BYTES = 6
"""Random bytes of a door's name: it keeps doors apart, and is no secret."""
HAS_DOORS = sys.platform != "win32"
"""False on Windows, where asyncio serves no such sockets."""


def default_directory() -> Path:
    """The folder of this user's doors: short, for a socket's path has 104 bytes on macOS."""
    return Path("/tmp") / f".millpond-{_user()}"


def make_private(directory: Path) -> None:
    """Make the folder where it is not there. Raises `OSError` where it cannot be made, or others could reach into it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    require_private(directory)


def require_private(directory: Path) -> None:
    """Raises `OSError` unless this is a folder (no link to one) of this user that nobody else can reach into."""
    found = directory.lstat()
    if stat.S_ISLNK(found.st_mode) or not stat.S_ISDIR(found.st_mode):
        kind = "a link" if stat.S_ISLNK(found.st_mode) else "a file"
        raise NotADirectoryError(f"{directory} is {kind}, expected a folder")
    if found.st_uid != _user():
        raise PermissionError(f"{directory} belongs to another user")
    if mode := stat.S_IMODE(found.st_mode) & 0o077:
        raise PermissionError(f"{directory} can be reached by other users (mode {mode | 0o700:04o}, expected 0700)")


def new_door(directory: Path) -> Path:
    """A path that no other door has."""
    return directory / f"{secrets.token_hex(NAME_BYTES)}{SUFFIX}"


def doors(directory: Path) -> tuple[Path, ...]:
    """The doors in the folder, those of ended sessions included; none where there is no private folder."""
    try:
        require_private(directory)
        return tuple(sorted(path for path in directory.iterdir() if path.suffix == SUFFIX))
    except OSError:
        return ()


def fault(directory: Path) -> str | None:
    """What keeps every session and page out of this folder, in a few words; None where it is in order or not there yet."""
    try:
        require_private(directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        return str(error) if error.errno is None else f"{directory}: {error.strerror}"
    return None if os.access(directory, os.R_OK | os.W_OK | os.X_OK) else f"{directory} cannot be read by this user"


def sweep(directory: Path) -> None:
    """Remove the doors behind which nobody listens any more; never raises."""
    for path in doors(directory):
        if _is_dead(path):
            with suppress(OSError):
                path.unlink()


def _user() -> int:
    assert sys.platform != "win32"
    return os.getuid()


def _is_dead(path: Path) -> bool:
    assert sys.platform != "win32"
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:  # Somebody listens and is busy, or it went by itself.
            return False
    return False
