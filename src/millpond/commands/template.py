"""Template: a server as a configuration file of ours says it, from a command line or from a client's entry.

Rule: `${NAME}` is the only variable here; a client's own words for one are translated, or refused where we have none.
Imports `core`, the clients' modules and the standard library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import cast

from millpond.clients.entries import Entry, State
from millpond.core.config_file import basic_string, one_line, parse_config, quoted
from millpond.core.config_text import settings_toml
from millpond.core.errors import ConfigError

EXPANDING = ("claude-code", "copilot", "gemini")
"""Clients that fill in `${NAME}` as we do."""
EDITORS = ("vscode", "cursor")
"""Clients with variables of their own: `${input:token}`, `${workspaceFolder}`."""
_environment = re.compile(r"\$\{env:(\w+)\}")
_variable = re.compile(r"(?<!\$)\$\{(\w+)\}")
_own = "\x00{"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The parts of `[servers.NAME]`, their `${NAME}` not filled in."""

    name: str
    words: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the environment that are named in it."""
        texts = (*self.words, *self.env.values(), self.cwd or "")
        return tuple(dict.fromkeys(name for text in texts for name in _variable.findall(text)))


def of_command(command: tuple[str, ...]) -> Template:
    """The server that a command line starts. Raises `ConfigError` for an empty one."""
    if not command or not command[0]:
        raise ConfigError(
            "command line: expected a command behind --, got none; write millpond init -- COMMAND ARGS..."
        )
    return Template(name=PurePath(command[0]).stem, words=tuple(map(_literal, command)), env={})


def of_entry(client: str, entry: Entry) -> Template:
    """The server that an entry of a client's configuration starts, without Millpond where it is wrapped.

    Raises `ConfigError` where it is no command, or holds a variable that only the client can fill in.
    """
    if entry.state not in (State.LOCAL, State.WRAPPED):
        reason = entry.reason or "it is an address"
        raise ConfigError(f"{entry.name}: expected a server that a command starts, got another: {reason}")
    env = entry.values.get("env")
    variables = cast("Mapping[str, object]", env if isinstance(env, Mapping) else {})
    cwd = entry.values.get("cwd")
    return Template(
        name=entry.name,
        words=tuple(_translated(client, entry.name, word) for word in entry.words[entry.head :]),
        env={name: _translated(client, entry.name, str(value)) for name, value in variables.items()},
        cwd=_translated(client, entry.name, cwd) if isinstance(cwd, str) and cwd else None,
    )


def _literal(text: str) -> str:
    return text.replace("${", "$${")


def _translated(client: str, name: str, text: str) -> str:
    text = _environment.sub(rf"{_own}\1}}", text)
    if client in EXPANDING:
        text = _variable.sub(rf"{_own}\1}}", text)
    if client in (*EDITORS, *EXPANDING) and (other := re.search(r"\$\{[^}]*\}?", text)):
        problem = f"expected values, got {other[0]}, which only the client can fill in"
        raise ConfigError(f"{name}: {problem}; set a variable of the environment and write ${{NAME}} instead")
    return _literal(text).replace(_own, "${")


def toml_text(template: Template) -> str:
    """A whole file: the server, then every setting commented out at its default.

    Raises `ConfigError` where a part of the server cannot be written in a file.
    """
    key = f"servers.{quoted(template.name)}"
    lines = [
        "# Millpond's configuration for this server: millpond --config THIS-FILE starts it.",
        "# What is commented out stands at its default, under the reason for it and its bounds.",
        "",
        f"[{key}]",
        f"command = {basic_string(template.words[0])}",
        f"args = [{', '.join(map(basic_string, template.words[1:]))}]",
        "# The server gets the whole environment; env is set on top. ${NAME} is a variable of the environment, here and",
        "# in command, args and cwd; one that is not set is an error. $${ stands for ${ itself.",
    ]
    env = ", ".join(f"{quoted(name)} = {basic_string(value)}" for name, value in template.env.items())
    lines.append(f"env = {{ {env} }}" if env else '# env = { API_TOKEN = "${API_TOKEN}" }')
    lines.append(f"cwd = {basic_string(template.cwd)}" if template.cwd else '# cwd = "/srv/data"')
    lines += [
        "",
        '# For one tool: "auto" replaces large results, "always" every one that has rows, "never" none.',
        '# [tools."NAME"]',
        '# mode = "never"',
        "",
        settings_toml(),
    ]
    return _checked("\n".join(lines) + "\n", template)


def _checked(text: str, template: Template) -> str:
    try:
        [server] = tomllib.loads(text)["servers"].values()
        same = (server["command"], *server["args"]) == template.words and server.get("env", {}) == template.env
        parse_config(text.encode(), template.name, {name: "x" for name in template.variables})
    except (ValueError, ConfigError) as error:
        raise ConfigError(one_line(f"{template.name}: it cannot be written in a file: {error}")) from error
    if not same:
        raise ConfigError(one_line(f"{template.name}: it cannot be written in a file"))
    return text
