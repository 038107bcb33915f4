"""Where clients keep their servers, told for every platform from this one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath

import pytest

from millpond.clients.places import CLIENTS, Surroundings


def places(
    client: str, platform: str, environ: Mapping[str, str] | None = None, packages: tuple[str, ...] = ()
) -> list[str]:
    """`scope: file` for every place of a client."""
    is_windows = platform == "win32"
    home: PurePath = PureWindowsPath("C:\\Users\\x") if is_windows else PurePosixPath("/home/x")
    folder: PurePath = PureWindowsPath("D:\\work") if is_windows else PurePosixPath("/srv/app")
    around = Surroundings(platform=platform, environ=environ or {}, home=home, folder=folder, claude_packages=packages)
    return [f"{place.scope}: {place.file}" for place in CLIENTS[client].places(around)]


SUPPORT = "/home/x/Library/Application Support"
CASES = [
    ("claude-desktop", "linux", ["user: /home/x/.config/Claude/claude_desktop_config.json"]),
    ("claude-desktop", "darwin", [f"user: {SUPPORT}/Claude/claude_desktop_config.json"]),
    ("claude-desktop", "win32", [r"user: C:\Users\x\AppData\Roaming\Claude\claude_desktop_config.json"]),
    (
        "claude-code",
        "linux",
        ["project: /srv/app/.mcp.json", "local: /home/x/.claude.json", "user: /home/x/.claude.json"],
    ),
    (
        "claude-code",
        "win32",
        [r"project: D:\work\.mcp.json", r"local: C:\Users\x\.claude.json", r"user: C:\Users\x\.claude.json"],
    ),
    (
        "vscode",
        "linux",
        [
            "project: /srv/app/.vscode/mcp.json",
            "user: /home/x/.config/Code/User/mcp.json",
            "insiders: /home/x/.config/Code - Insiders/User/mcp.json",
        ],
    ),
    (
        "vscode",
        "darwin",
        [
            "project: /srv/app/.vscode/mcp.json",
            f"user: {SUPPORT}/Code/User/mcp.json",
            f"insiders: {SUPPORT}/Code - Insiders/User/mcp.json",
        ],
    ),
    ("cursor", "darwin", ["project: /srv/app/.cursor/mcp.json", "user: /home/x/.cursor/mcp.json"]),
    ("codex", "linux", ["project: /srv/app/.codex/config.toml", "user: /home/x/.codex/config.toml"]),
    ("gemini", "linux", ["project: /srv/app/.gemini/settings.json", "user: /home/x/.gemini/settings.json"]),
    ("zed", "linux", ["project: /srv/app/.zed/settings.json", "user: /home/x/.config/zed/settings.json"]),
    ("zed", "darwin", ["project: /srv/app/.zed/settings.json", "user: /home/x/.config/zed/settings.json"]),
    ("zed", "win32", [r"project: D:\work\.zed\settings.json", r"user: C:\Users\x\AppData\Roaming\Zed\settings.json"]),
    ("windsurf", "win32", [r"user: C:\Users\x\.codeium\windsurf\mcp_config.json"]),
    (
        "cline",
        "linux",
        [
            "user: /home/x/.cline/data/settings/cline_mcp_settings.json",
            "extension: /home/x/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ],
    ),
    (
        "copilot",
        "linux",
        ["project: /srv/app/.mcp.json", "github: /srv/app/.github/mcp.json", "user: /home/x/.copilot/mcp-config.json"],
    ),
]


@pytest.mark.parametrize(
    ("client", "platform", "expected"), CASES, ids=lambda case: case if isinstance(case, str) else ""
)
def test_files_are_where_the_client_looks_for_them(client: str, platform: str, expected: list[str]) -> None:
    """CLIENTS-01"""
    assert places(client, platform) == expected


@pytest.mark.parametrize(
    ("client", "variable", "file"),
    [
        ("claude-desktop", "XDG_CONFIG_HOME", "user: /v/Claude/claude_desktop_config.json"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "user: /v/.claude.json"),
        ("codex", "CODEX_HOME", "user: /v/config.toml"),
        ("cline", "CLINE_MCP_SETTINGS_PATH", "user: /v"),
        ("cline", "CLINE_DATA_DIR", "user: /v/settings/cline_mcp_settings.json"),
        ("cline", "CLINE_DIR", "user: /v/data/settings/cline_mcp_settings.json"),
        ("copilot", "COPILOT_HOME", "user: /v/mcp-config.json"),
        ("zed", "XDG_CONFIG_HOME", "user: /v/zed/settings.json"),
    ],
)
def test_the_clients_own_variables_are_followed(client: str, variable: str, file: str) -> None:
    """CLIENTS-01"""
    assert file in places(client, "linux", {variable: "/v"})
    assert file not in places(client, "linux", {variable: ""})


def test_the_packaged_claude_desktop_comes_first() -> None:
    """CLIENTS-02"""
    assert places("claude-desktop", "win32", {"LOCALAPPDATA": "L:\\"}, ("Claude_pzs8sxrjxfjjc",)) == [
        r"package: L:\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json",
        r"user: C:\Users\x\AppData\Roaming\Claude\claude_desktop_config.json",
    ]


@pytest.mark.parametrize(
    ("folder", "key"),
    [(PurePosixPath("/srv/app/caf\u00e9"), "/srv/app/caf\u00e9"), (PureWindowsPath("D:\\work\\x"), "D:/work/x")],
)
def test_claude_codes_local_servers_are_those_of_the_folder(folder: PurePath, key: str) -> None:
    """CLIENTS-01"""
    around = Surroundings(platform="linux", environ={}, home=folder, folder=folder)
    [local] = [place for place in CLIENTS["claude-code"].places(around) if place.scope == "local"]
    assert local.keys == ("projects", key, "mcpServers")
