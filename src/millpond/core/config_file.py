"""Config file: text and environment in, a `Config` out.

Rule: everything is checked at this door, and the first thing that is wrong is one line: file, key, what was expected,
what came, what to do. Nothing unknown is passed over. Values of `[servers]` are never printed: they may be secrets.
Imports `core.config`, `core.config_notes`, `core.config_paging`, `core.config_url`, `core.errors`, `core.model`, `core.near`,
`core.paging`, `core.toml_text` and the standard library.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NoReturn, cast, get_args
from urllib.parse import urlsplit

from millpond.core.config import SECTIONS, SETTINGS, Config, PagingLimits, RemoteServer, Server, Setting
from millpond.core.config_notes import KEYS as NOTE_KEYS
from millpond.core.config_notes import read_notes
from millpond.core.config_paging import read_paging
from millpond.core.config_url import header_in, name_problem, url_problem, value_problem
from millpond.core.errors import ConfigError
from millpond.core.model import Mode, ToolNotes
from millpond.core.near import near_name
from millpond.core.paging import Paging
from millpond.core.toml_text import one_line, quoted, shown

MODES: tuple[Mode, ...] = get_args(Mode)
COMMAND_KEYS = ("command", "args", "env", "cwd")
URL_KEYS = ("url", "headers")
ORDERED = (
    ("results.inline_rows_bytes", "results.max_line_bytes"),
    ("results.inline_text_bytes", "results.max_line_bytes"),
    ("query.max_cell_bytes", "query.max_answer_bytes"),
    ("query.max_answer_bytes", "results.max_line_bytes"),
)
"""Pairs of which the first may not be above the second."""
_VARIABLE = re.compile(r"\$\$\{|\$\{(?P<name>[^}]*)(?P<end>\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_Table = Mapping[str, Any]


def command_config(command: Sequence[str]) -> Config:
    """The defaults around a server that the command line names. Raises `ConfigError` for an empty command."""
    if not command or not command[0]:
        raise ConfigError("command line: expected a command after `--`, got none; write millpond -- COMMAND ARGS...")
    return Config(server=Server(name=PurePath(command[0]).name, command=tuple(command)))


def url_config(url: str, headers: Iterable[str] = (), environ: Mapping[str, str] = MappingProxyType({})) -> Config:
    """The defaults around a server at a URL that the command line names, with headers `NAME: VALUE`.

    Raises `ConfigError` for what is of no use, and for a variable in a header that is not set.
    """
    reader = _Reader("command line", environ)
    if (problem := url_problem(url)) is not None:
        reader.fail("", f"{problem}; write millpond https://host/mcp")
    named = [header_in(word) for word in headers]
    server = RemoteServer(
        name=urlsplit(url).hostname or "",
        url=url,
        headers=MappingProxyType(
            {name: reader.header(f"--header {quoted(name)}", name, value) for name, value in named}
        ),
    )
    return Config(server=server)


def parse_config(
    data: bytes, source: str, environ: Mapping[str, str], server: Server | RemoteServer | None = None
) -> Config:
    """The configuration in the bytes of a TOML file.

    `source` names the file in messages. With a `server`, that is the one, and the file's `[servers]` is not read.
    Raises `ConfigError`, its message one line, for everything that is wrong.
    """
    reader = _Reader(source, environ)
    document = reader.document(data)
    reader.known("", document, ("servers", *SECTIONS, "tools"))
    values = {name: reader.section(name, reader.table("", document, name)) for name in SECTIONS}
    reader.ordered(values)
    sections: dict[str, Any] = {name: section(**values[name]) for name, section in SECTIONS.items()}
    tools = reader.table("", document, "tools")
    return Config(
        server=server or reader.server(document),
        modes=reader.modes(tools),
        notes=reader.notes(tools),
        collected=reader.collected(tools, sections["paging"]),
        **sections,
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one file; every method raises `ConfigError` with the file's name and the key."""

    source: str
    environ: Mapping[str, str]

    def fail(self, key: str, problem: str) -> NoReturn:
        raise ConfigError(one_line(f"{self.source}: {key}: {problem}" if key else f"{self.source}: {problem}"))

    def wrong(self, key: str, expected: str, came: object, advice: str) -> NoReturn:
        self.fail(key, f"expected {expected}, got {shown(came)}; {advice}")

    def document(self, data: bytes) -> _Table:
        try:
            return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
        except UnicodeDecodeError as error:
            self.fail("", f"expected UTF-8 text, got another byte at offset {error.start}; save the file as UTF-8")
        except RecursionError:
            self.fail("", "expected TOML, got brackets nested too deep; see example.toml")
        except ValueError as error:  # TOMLDecodeError is one, and so is an integer of thousands of digits.
            self.fail("", f"expected TOML, got a text that is none: {error}; strings need quotes, see example.toml")

    def table(self, where: str, parent: _Table, name: str) -> _Table:
        """The table of that name; an empty one where it is not there."""
        value = parent.get(name, {})
        if not isinstance(value, dict):
            key = f"{where}.{quoted(name)}" if where else name
            self.wrong(key, "a table", value, f"write [{key}] on a line of its own and its keys below")
        return cast(_Table, value)

    def known(self, where: str, table: _Table, names: Iterable[str]) -> None:
        """Refuse the first key that is not one of the names."""
        allowed = list(names)
        for key in table:
            if key not in allowed:
                near = near_name(key, allowed)
                advice = f"did you mean {near}?" if near else "remove it, or move it to the table it belongs to"
                kind = "key" if where else "key or table"
                self.fail(
                    f"[{where}] {quoted(key)}" if where else quoted(key),
                    f"unknown {kind}; expected one of {', '.join(allowed)}; {advice}",
                )

    def section(self, section: str, table: _Table) -> dict[str, Any]:
        settings = {setting.name: setting for setting in SETTINGS if setting.section == section}
        self.known(section, table, settings)
        return {name: self.value(settings[name], value) for name, value in table.items()}

    def value(self, setting: Setting, value: object, where: str = "") -> int | float | str:
        if not fits(setting, value):
            example = f"write for example {setting.name} = {json.dumps(setting.default)}"
            self.wrong(f"[{where or setting.section}] {setting.name}", expectation(setting), value, example)
        if isinstance(setting.default, float):
            return float(cast(float, value))
        return cast("int | str", value)

    def ordered(self, sections: Mapping[str, Mapping[str, Any]]) -> None:
        """Refuse a setting that is above another which bounds it, or goes without one that it needs."""
        values = {s.key: sections[s.section].get(s.name, s.default) for s in SETTINGS}
        for lower, upper in ORDERED:
            if values[lower] > values[upper]:
                section, name = lower.split(".")
                bound = f"at most {upper} ({values[upper]:,})"
                self.wrong(f"[{section}] {name}", bound, values[lower], "lower it or raise the other")
        if values["canvas.keep_days"] and not values["canvas.directory"]:
            advice = 'name a folder of your own beside it: directory = "/home/me/canvases"'
            self.fail(
                "[canvas] keep_days", f"expected directory to be named, where canvases are kept, got none; {advice}"
            )

    def modes(self, tools: _Table) -> Mapping[str, Mode]:
        modes: dict[str, Mode] = {}
        for name in tools:
            where = f"tools.{quoted(name)}"
            tool = self.table("tools", tools, name)
            self.known(where, tool, ("mode", *NOTE_KEYS, "all"))
            mode = tool.get("mode", "auto")
            if mode not in MODES:
                self.wrong(f"[{where}] mode", f"one of {', '.join(MODES)}", mode, 'write mode = "never"')
            modes[name] = mode
        return MappingProxyType(modes)

    def notes(self, tools: _Table) -> tuple[ToolNotes, ...]:
        """The notes of each tool that has some."""
        found = (read_notes(name, f"tools.{quoted(name)}", tools[name], self.wrong) for name in tools)
        return tuple(notes for notes in found if notes is not None)

    def collected(self, tools: _Table, limits: PagingLimits) -> Mapping[str, Paging]:
        collected: dict[str, Paging] = {}
        for name in tools:
            where = f"tools.{quoted(name)}"
            tool = self.table("tools", tools, name)
            if "all" in tool:
                collected[name] = read_paging(self, f"{where}.all", self.table(where, tool, "all"), limits)
        return MappingProxyType(collected)

    def server(self, document: _Table) -> Server | RemoteServer:
        servers = self.table("", document, "servers")
        if not servers:
            self.fail("servers", "expected one server, got none; add [servers.NAME] with command and args, or with url")
        if len(servers) > 1:
            names = ", ".join(quoted(name) for name in servers)
            self.fail(
                "servers",
                f"expected one server, got {len(servers)} ({names}); keep one, and give others their own file",
            )
        [name] = servers
        where = f"servers.{quoted(name)}"
        entry = self.table("servers", servers, name)
        self.known(where, entry, (*COMMAND_KEYS, *URL_KEYS))
        kind, keys = ("url", URL_KEYS) if "url" in entry else ("command", COMMAND_KEYS)
        if others := [key for key in entry if key not in keys]:
            advice = "a server has a command (and args, env, cwd) or a url (and headers)"
            self.fail(f"[{where}] {others[0]}", f"expected no {others[0]} beside {kind}, got one; {advice}; remove one")
        return self.remote(where, name, entry) if kind == "url" else self.command(where, name, entry)

    def command(self, where: str, name: str, entry: _Table) -> Server:
        cwd = entry.get("cwd")
        return Server(
            name=name,
            command=(
                self.text(f"[{where}] command", entry.get("command"), 'command = "npx"'),
                *self.arguments(f"[{where}] args", entry.get("args", [])),
            ),
            env=self.variables(where, self.table(where, entry, "env")),
            cwd=None if cwd is None else self.text(f"[{where}] cwd", cwd, 'cwd = "/srv/data"'),
        )

    def remote(self, where: str, name: str, entry: _Table) -> RemoteServer:
        example = 'url = "https://host/mcp"'
        url = self.text(f"[{where}] url", entry["url"], example)
        if (problem := url_problem(url)) is not None:
            self.fail(f"[{where}] url", f"{problem}; write for example {example}")
        headers = self.table(where, entry, "headers")
        return RemoteServer(
            name=name,
            url=url,
            headers=MappingProxyType(
                {
                    header: self.header(f"[{where}.headers] {quoted(header)}", header, headers[header])
                    for header in headers
                }
            ),
        )

    def header(self, key: str, name: str, value: object) -> str:
        if (problem := name_problem(name)) is not None:
            self.fail(key, f"{problem}; rename or remove it")
        text = self.text(key, value, "Bearer ${TOKEN}").strip()
        if (problem := value_problem(text)) is not None:
            self.fail(key, f"{problem}; write for example Bearer ${{TOKEN}}")
        return text

    def arguments(self, key: str, value: object) -> tuple[str, ...]:
        example = 'args = ["-y", "some-server"]'
        if not isinstance(value, list):
            self.fail(key, f"expected a list of strings, got {_kind(value)}; write for example {example}")
        items = cast(list[object], value)
        return tuple(self.text(f"{key}[{at}]", item, example, minimum=0) for at, item in enumerate(items))

    def variables(self, where: str, table: _Table) -> Mapping[str, str]:
        variables: dict[str, str] = {}
        for name, value in table.items():
            key = f"[{where}.env] {quoted(name)}"
            if not name or "=" in name or "\0" in name:
                self.fail(key, "expected a variable's name, without = and NUL; rename it")
            variables[name] = self.text(key, value, f'{name} = "..."', minimum=0)
        return MappingProxyType(variables)

    def text(self, key: str, value: object, example: str, *, minimum: int = 1) -> str:
        """A string with its variables filled in; `minimum` characters at the least, no NUL."""
        expected = "a string that is not empty" if minimum else "a string"
        advice = f"write for example {example}"
        if not isinstance(value, str) or "\0" in value:
            self.fail(key, f"expected {expected}, got {_kind(value)}; {advice}")
        filled = _VARIABLE.sub(lambda found: self.variable(key, found), value)
        if len(filled) < minimum:
            self.fail(key, f"expected {expected}, got an empty one; {advice}")
        return filled

    def variable(self, key: str, found: re.Match[str]) -> str:
        """The value of `${NAME}`; `$${` stands for `${` itself, and every other `$` for itself."""
        if found[0].startswith("$$"):
            return found[0][1:]
        name = found["name"]
        if not found["end"] or not _NAME.fullmatch(name):
            advice = "name one environment variable, or write $${ for the characters ${"
            self.fail(key, f"expected ${{NAME}} of letters, digits and _, got another text after ${{; {advice}")
        if name not in self.environ:
            advice = "set it before the start, or write its value here"
            self.fail(key, f"expected the environment variable {name} to be set, got none of that name; {advice}")
        return self.environ[name]


def fits(setting: Setting, value: object) -> bool:
    """Whether the value has the setting's type and is within its bounds."""
    if isinstance(value, bool):
        return False
    if setting.choices:
        return value in setting.choices
    if isinstance(setting.default, str):
        return isinstance(value, str) and "\0" not in value and (not value or len(value) <= setting.maximum)
    if not isinstance(value, int) and not (isinstance(value, float) and isinstance(setting.default, float)):
        return False
    return setting.minimum <= value <= setting.maximum or (bool(setting.empty) and value == 0)


def expectation(setting: Setting) -> str:
    """What the setting takes, in words: `a whole number of bytes from 0 to 10,485,760`."""
    if setting.choices:
        return f"one of {', '.join(setting.choices)}"
    if isinstance(setting.default, str):
        return f"a string of at most {setting.maximum:,} characters"
    kind = "number" if isinstance(setting.default, float) else "whole number"
    empty = f", or 0 for {setting.empty}" if setting.empty else ""
    return f"a {kind} of {setting.unit} from {setting.minimum:,} to {setting.maximum:,}{empty}"


def _kind(value: object) -> str:
    """What came instead of a plain string, without saying the value."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return "one with a NUL character"
    return f"a value of another kind ({type(value).__name__})"
