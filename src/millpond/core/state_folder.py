"""State folder: where Millpond keeps, for this user, what is to be there at its next run.

Rule: the platform's own place; what the environment names counts as its specification says. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TypeVar

_Path = TypeVar("_Path", bound=PurePath)


def state_folder(environ: Mapping[str, str], home: _Path, platform: str) -> _Path:
    """`~/.local/state/millpond` or the platform's own (`platform` is as `sys.platform` says); it need not be there."""
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (type(home)(local) if local else home / "AppData" / "Local") / "millpond"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "millpond"
    named = type(home)(environ.get("XDG_STATE_HOME", ""))
    # The XDG specification has a relative path ignored: it would be another folder wherever Millpond is started.
    return (named if named.is_absolute() else home / ".local" / "state") / "millpond"
