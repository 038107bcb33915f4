"""Where Millpond keeps what its next run finds again: the record of counts, and backups of clients' files."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest

from millpond.core.state_folder import state_folder


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {}, "/home/x/.local/state/millpond"),
        ("linux", {"XDG_STATE_HOME": "/s"}, "/s/millpond"),
        ("linux", {"XDG_STATE_HOME": ""}, "/home/x/.local/state/millpond"),
        ("linux", {"XDG_STATE_HOME": "not/absolute"}, "/home/x/.local/state/millpond"),
        ("darwin", {"XDG_STATE_HOME": "/s"}, "/home/x/Library/Application Support/millpond"),
        ("win32", {"LOCALAPPDATA": "L:\\a"}, "L:\\a\\millpond"),
        ("win32", {}, "C:\\x\\AppData\\Local\\millpond"),
    ],
)
def test_the_state_folder_is_the_platforms_and_a_relative_one_is_ignored(
    platform: str, environ: dict[str, str], folder: str
) -> None:
    """CLIENTS-17, STATS-11"""
    home = PureWindowsPath("C:\\x") if platform == "win32" else PurePosixPath("/home/x")
    assert str(state_folder(environ, home, platform)) == folder
