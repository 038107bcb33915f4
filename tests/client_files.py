"""Configuration files as the clients' users have them: several servers, secrets, comments where the client takes them.

`@COMMAND@` and `@SCRIPT@` stand for a server that runs, each as a string of the file's format. `FILES` has one for every
client, and the scope in which it lies.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from millpond.clients.places import CLIENTS, Place, Surroundings

SERVER = "notes \u6771\u4eac"
"""The name of the server that runs; with a space and characters outside of ASCII."""
STRICT = ("claude-code", "claude-desktop", "cline", "copilot", "cursor", "windsurf")
"""Clients that read their file as plain JSON."""


@dataclass(frozen=True, slots=True)
class ClientFile:
    """One client's file."""

    scope: str
    text: str
    keys: tuple[str, ...]

    def write(self, client: str, around: Surroundings, script: Path) -> Path:
        """Write it where the client looks for it, with a server that runs in it; returns its path."""
        place = place_of(client, around, self.scope)
        path = Path(place.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self.text.replace("@COMMAND@", json.dumps(sys.executable)).replace("@SCRIPT@", json.dumps(str(script)))
        path.write_bytes(text.replace("@FOLDER@", json.dumps(str(around.folder))).encode())
        return path


def place_of(client: str, around: Surroundings, scope: str) -> Place:
    """Where a client's file of that scope lies."""
    return next(place for place in CLIENTS[client].places(around) if place.scope == scope)


def surroundings_in(folder: Path, environ: Mapping[str, str] = {}) -> Surroundings:
    """A home and a project in a folder, on this platform."""
    home, project = folder / "home", folder / "proj \u00e9"
    home.mkdir(exist_ok=True)
    project.mkdir(exist_ok=True)
    return Surroundings(platform=sys.platform, environ=environ, home=home, folder=project)


def environment_of(around: Surroundings) -> dict[str, str]:
    """The variables of this process with that home in them, and none that leads clients elsewhere."""
    led = ("XDG_", "CODEX_", "CLAUDE_", "CLINE_", "COPILOT_", "MILLPOND_", "APPDATA", "LOCALAPPDATA")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(led)}
    return {**kept, "HOME": str(around.home), "USERPROFILE": str(around.home)}


def _json(key: str, inner: str = "") -> str:
    return f"""{{
  "{key}": {{
    "{SERVER}": {{
      "command": @COMMAND@,
      "args": [@SCRIPT@],
      "env": {{"API_TOKEN": "sk-s3cret/+=", "NAME": "J\u00fcrgen"}}{inner}
    }},
    "github": {{
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-github"
      ],
      "env": {{ "GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_s3cret" }}
    }}
  }},
  "other": [1.50, 1e3, "\\u00e9"]
}}
"""


FILES: Mapping[str, ClientFile] = {
    "claude-desktop": ClientFile("user", _json("mcpServers"), ("mcpServers",)),
    "claude-code": ClientFile("project", _json("mcpServers", ',\n      "type": "stdio"'), ("mcpServers",)),
    "cline": ClientFile(
        "user", _json("mcpServers", ',\n      "disabled": false,\n      "autoApprove": ["rows"]'), ("mcpServers",)
    ),
    "copilot": ClientFile(
        "user",
        _json("mcpServers", ',\n      "type": "local",\n      "tools": ["*"]').replace("\n", "\r\n"),
        ("mcpServers",),
    ),
    "cursor": ClientFile(
        "user", "\ufeff" + _json("mcpServers", ', "envFile": "${workspaceFolder}/.env"'), ("mcpServers",)
    ),
    "windsurf": ClientFile(
        "user",
        f'{{"mcpServers":{{"{SERVER}":{{"command":@COMMAND@,"args":[@SCRIPT@]}},'
        '"remote":{"serverUrl":"https://x.example/mcp","headers":{"Authorization":"Bearer s3cret"}}}}',
        ("mcpServers",),
    ),
    "gemini": ClientFile(
        "user",
        "// mine\n" + _json("mcpServers", ', // its time\n      "timeout": 30000, "trust": false,'),
        ("mcpServers",),
    ),
    "vscode": ClientFile(
        "project",
        f"""{{
\t// Secrets are asked for, and kept by the editor.
\t"inputs": [
\t\t{{ "type": "promptString", "id": "token", "description": "A {{token}}", "password": true }},
\t],
\t"servers": {{
\t\t"{SERVER}": {{
\t\t\t"type": "stdio",
\t\t\t/* "command": "old", */
\t\t\t"command": @COMMAND@, // the interpreter
\t\t\t"args": [
\t\t\t\t// the script
\t\t\t\t@SCRIPT@,
\t\t\t],
\t\t\t"env": {{ "API_TOKEN": "${{input:token}}", "ROOT": "${{workspaceFolder}}" }},
\t\t}},
\t\t"docs": {{ "type": "http", "url": "https://x.example/mcp", "oauth": {{ "clientId": "1" }} }},
\t}},
}}
""",
        ("servers",),
    ),
    "zed": ClientFile(
        "user",
        f"""// Zed settings
{{
  "theme": "One Dark", // as ever
  "context_servers": {{
    "{SERVER}": {{
      "source": "custom",
      "enabled": true,
      "args": [ @SCRIPT@, ],
      "command": @COMMAND@,
      "env": {{}}
    }},
    "extension": {{ "source": "extension", "settings": {{}} }},
  }},
  "buffer_font_size": 15,
}}
""",
        ("context_servers",),
    ),
    "codex": ClientFile(
        "user",
        f"""# Codex
model = "gpt-5"   # the default

[projects."/home/x/\u00e9"]
trust_level = "trusted"

[mcp_servers."{SERVER}"]
command = @COMMAND@  # the interpreter
args = [
    @SCRIPT@, # the script
]
startup_timeout_sec = 20.5

[mcp_servers."{SERVER}".env]
API_TOKEN = 'sk-s3cret'

[mcp_servers.docs]
url = "https://x.example/mcp"
bearer_token_env_var = "DOCS_TOKEN"
""",
        ("mcp_servers",),
    ),
}
