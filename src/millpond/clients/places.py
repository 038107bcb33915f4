"""Places: the clients that are known, and where each keeps its servers, on every platform.

Rule: pure; what the machine has (environment, home, folder) comes as a `Surroundings`, so that every platform is told
from any other. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

SERVERS = ("mcpServers",)
"""The key of the servers in most clients' files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What of the machine decides where files are."""

    platform: str
    """As `sys.platform` says: `darwin`, `win32`; all others are taken as Linux is."""
    environ: Mapping[str, str]
    home: PurePath
    folder: PurePath
    """The current folder, which is the project for clients that have project files."""
    claude_packages: Sequence[str] = ()
    """Names of the folders `%LOCALAPPDATA%\\Packages\\Claude_*`: Claude Desktop installed as an MSIX package."""

    def named(self, variable: str, default: PurePath) -> PurePath:
        """The path in a variable of the environment, or the default where it is not set or empty."""
        value = self.environ.get(variable)
        return type(self.home)(value) if value else default

    @property
    def application_data(self) -> PurePath:
        """Where applications keep their settings: `%APPDATA%`, `~/Library/Application Support`, `~/.config`."""
        if self.platform == "win32":
            return self.named("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.named("XDG_CONFIG_HOME", self.home / ".config")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client may keep servers."""

    scope: str
    """`user`, `project`, or another word of the client's own."""
    file: PurePath
    keys: tuple[str, ...] = SERVERS
    """The keys that lead to the object of servers."""

    @property
    def is_toml(self) -> bool:
        """True for a TOML file; JSON otherwise, comments allowed."""
        return self.file.suffix == ".toml"


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers."""

    name: str
    """What it is called on the command line."""
    title: str
    """What it calls itself."""
    places: Callable[[Surroundings], tuple[Place, ...]]
    """Where its servers may be, in the order in which they are looked for."""


def _claude_desktop(around: Surroundings) -> tuple[Place, ...]:
    """The packaged application sees only its own copy of `%APPDATA%`, so that one comes first."""
    name = "claude_desktop_config.json"
    plain = Place("user", around.application_data / "Claude" / name)
    if around.platform != "win32":
        return (plain,)
    packages = around.named("LOCALAPPDATA", around.home / "AppData" / "Local") / "Packages"
    found = (packages / package / "LocalCache" / "Roaming" / "Claude" / name for package in around.claude_packages)
    return (*(Place("package", file) for file in found), plain)


def _claude_code(around: Surroundings) -> tuple[Place, ...]:
    """`local` servers are those of one folder in the user's file, its path with slashes; `claude mcp add` puts them there."""
    user = around.named("CLAUDE_CONFIG_DIR", around.home) / ".claude.json"
    return (
        Place("project", around.folder / ".mcp.json"),
        Place("local", user, ("projects", around.folder.as_posix(), "mcpServers")),
        Place("user", user),
    )


def _vscode(around: Surroundings) -> tuple[Place, ...]:
    data = around.application_data
    return (
        Place("project", around.folder / ".vscode" / "mcp.json", ("servers",)),
        Place("user", data / "Code" / "User" / "mcp.json", ("servers",)),
        Place("insiders", data / "Code - Insiders" / "User" / "mcp.json", ("servers",)),
    )


def _cursor(around: Surroundings) -> tuple[Place, ...]:
    return _project_and_user(around, ".cursor", "mcp.json")


def _codex(around: Surroundings) -> tuple[Place, ...]:
    home = around.named("CODEX_HOME", around.home / ".codex")
    keys = ("mcp_servers",)
    return (
        Place("project", around.folder / ".codex" / "config.toml", keys),
        Place("user", home / "config.toml", keys),
    )


def _gemini(around: Surroundings) -> tuple[Place, ...]:
    return _project_and_user(around, ".gemini", "settings.json")


def _zed(around: Surroundings) -> tuple[Place, ...]:
    keys = ("context_servers",)
    if around.platform == "win32":
        user = around.application_data / "Zed"
    elif around.platform == "darwin":
        user = around.home / ".config" / "zed"
    else:
        user = around.application_data / "zed"
    project = around.folder / ".zed" / "settings.json"
    return (Place("project", project, keys), Place("user", user / "settings.json", keys))


def _windsurf(around: Surroundings) -> tuple[Place, ...]:
    return (Place("user", around.home / ".codeium" / "windsurf" / "mcp_config.json"),)


def _cline(around: Surroundings) -> tuple[Place, ...]:
    """The settings that all its applications share, then the VS Code extension's own of earlier versions."""
    name = "cline_mcp_settings.json"
    data = around.named("CLINE_DATA_DIR", around.named("CLINE_DIR", around.home / ".cline") / "data")
    shared = around.named("CLINE_MCP_SETTINGS_PATH", data / "settings" / name)
    extension = around.application_data / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    return (Place("user", shared), Place("extension", extension / "settings" / name))


def _copilot(around: Surroundings) -> tuple[Place, ...]:
    home = around.named("COPILOT_HOME", around.home / ".copilot")
    return (
        Place("project", around.folder / ".mcp.json"),
        Place("github", around.folder / ".github" / "mcp.json"),
        Place("user", home / "mcp-config.json"),
    )


def _project_and_user(around: Surroundings, folder: str, name: str) -> tuple[Place, ...]:
    return (Place("project", around.folder / folder / name), Place("user", around.home / folder / name))


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client("claude-code", "Claude Code", _claude_code),
        Client("claude-desktop", "Claude Desktop", _claude_desktop),
        Client("cline", "Cline", _cline),
        Client("codex", "Codex", _codex),
        Client("copilot", "Copilot CLI", _copilot),
        Client("cursor", "Cursor", _cursor),
        Client("gemini", "Gemini CLI", _gemini),
        Client("vscode", "VS Code", _vscode),
        Client("windsurf", "Windsurf", _windsurf),
        Client("zed", "Zed", _zed),
    )
}
"""Every client that is known, by name."""
