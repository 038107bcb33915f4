"""Template: a server as a configuration file of ours says it, from a command line or from a client's entry.

Rule: `${NAME}` is the only variable here; a client's own words for one are translated, or refused where we have none.
Imports `core`, the clients' modules and the standard library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from types import MappingProxyType
from typing import cast

from millpond.clients.entries import Entry, State
from millpond.core.config_file import parse_config, url_config
from millpond.core.config_text import settings_toml
from millpond.core.errors import ConfigError
from millpond.core.toml_text import basic_string, one_line, quoted

EXPANDING = ("claude-code", "copilot", "gemini")
"""Clients that fill in `${NAME}` as we do."""
EDITORS = ("vscode", "cursor")
"""Clients with variables of their own: `${input:token}`, `${workspaceFolder}`."""
_ABOUT_COMMANDS = (
    "# The server gets the whole environment; env is set on top. ${NAME} is a variable of the environment, here and in",
    "# command, args and cwd; one that is not set is an error. $${ stands for ${ itself.",
    '#   env = { API_TOKEN = "${API_TOKEN}" }',
    '#   cwd = "/srv/data"',
)
_ABOUT_URLS = (
    "# Headers go to that origin only. ${NAME} is a variable of the environment; one that is not set is an error.",
    '#   headers = { Authorization = "Bearer ${API_TOKEN}" }',
)
_environment = re.compile(r"\$\{env:(\w+)\}")
_variable = re.compile(r"(?<!\$)\$\{(\w+)\}")
_own = "\x00{"
_Texts = Mapping[str, str]
_NONE: _Texts = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The parts of `[servers.NAME]`, their `${NAME}` not filled in: a command, or a URL."""

    name: str
    words: tuple[str, ...] = ()
    env: _Texts = field(default_factory=lambda: _NONE)
    cwd: str | None = None
    url: str | None = None
    headers: _Texts = field(default_factory=lambda: _NONE)

    @property
    def members(self) -> dict[str, object]:
        """The members of the table, those left out that say nothing."""
        if self.url is not None:
            members: dict[str, object] = {"url": self.url, "headers": dict(self.headers)}
        else:
            args = list(self.words[1:])
            members = {"command": self.words[0], "args": args, "env": dict(self.env), "cwd": self.cwd}
        return {key: value for key, value in members.items() if value or key == "args"}

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the environment that are named in it."""
        texts = (*self.words, *self.env.values(), self.cwd or "", self.url or "", *self.headers.values())
        return tuple(dict.fromkeys(name for text in texts for name in _variable.findall(text)))


def of_command(command: tuple[str, ...]) -> Template:
    """The server that a command line starts. Raises `ConfigError` for an empty one."""
    if not command or not command[0]:
        raise ConfigError(
            "command line: expected a command behind --, got none; write millpond init -- COMMAND ARGS..."
        )
    return Template(name=PurePath(command[0]).stem, words=tuple(map(_literal, command)))


def of_url(url: str) -> Template:
    """The server at a URL. Raises `ConfigError` for one that cannot be used."""
    return Template(name=url_config(url).server.name, url=_literal(url))


def of_entry(client: str, entry: Entry) -> Template:
    """The server of a client's entry, without Millpond where it is wrapped.

    Raises `ConfigError` where there is none, or it holds a variable that only the client can fill in.
    """

    def translated(text: str) -> str:
        return _translated(client, entry.name, text)

    if entry.state is State.OTHER:
        raise ConfigError(f"{entry.name}: expected a server that can be started, got another: {entry.reason}")
    if entry.url is not None and entry.state is not State.WRAPPED:
        headers = {name: translated(value) for name, value in entry.headers.items()}
        return Template(name=entry.name, url=translated(entry.url), headers=headers)
    env, cwd = entry.values.get("env"), entry.values.get("cwd")
    variables = cast("Mapping[str, object]", env if isinstance(env, Mapping) else {})
    return Template(
        name=entry.name,
        words=tuple(map(translated, entry.words[entry.head :])),
        env={name: translated(str(value)) for name, value in variables.items()},
        cwd=translated(cwd) if isinstance(cwd, str) and cwd else None,
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
    lines = [
        "# Millpond's configuration for this server: millpond --config THIS-FILE starts it.",
        "# What is commented out stands at its default, under the reason for it and its bounds.",
        "",
        f"[servers.{quoted(template.name)}]",
        *(f"{key} = {_value(value)}" for key, value in template.members.items()),
        *(_ABOUT_URLS if template.url is not None else _ABOUT_COMMANDS),
        "",
        '# For one tool: "auto" replaces large results, "always" every one that has rows, "never" none.',
        '# [tools."NAME"]',
        '# mode = "never"',
        "# What its data means, for the agent: it stands in every handle of the tool and in DESCRIBE.",
        '# note = "exclude cancelled orders unless asked for them"',
        '# [tools."NAME".columns]',
        '# amount = "in cents"',
        "",
        settings_toml(),
    ]
    return _checked("\n".join(lines) + "\n", template)


def _value(value: object) -> str:
    """A text, a list of texts or a table of texts as TOML on one line."""
    if isinstance(value, dict):
        items = cast("dict[str, str]", value).items()
        return f"{{ {', '.join(f'{quoted(key)} = {basic_string(text)}' for key, text in items)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(basic_string, cast('list[str]', value)))}]"
    return basic_string(str(value))


def _checked(text: str, template: Template) -> str:
    """The text, if it loads and says what it was made from; a name or a value may be none that a file can hold."""
    try:
        is_right = tomllib.loads(text)["servers"] == {template.name: template.members}
        parse_config(text.encode(), template.name, {name: "x" for name in template.variables})
    except (ValueError, ConfigError) as error:
        raise ConfigError(one_line(f"{template.name}: it cannot be written in a file: {error}")) from error
    assert is_right
    return text
