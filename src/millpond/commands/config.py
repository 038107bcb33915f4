"""Config: the settings that hold, and where each comes from.

Rule: values of `[servers]` are never printed, for they may be secrets. Imports `core`, the engine's `ceiling` and the
commands' modules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from millpond.commands.parser import Parser
from millpond.commands.run import Command, Door, Line, write, write_json
from millpond.core.config import SETTINGS, Config, RemoteServer, Setting, engine_settings
from millpond.core.config_url import shown_origin
from millpond.core.errors import ConfigError
from millpond.core.toml_text import quoted
from millpond.engine.ceiling import default_budget_bytes

HELP = """\
usage: millpond config [--config FILE] [--json] [URL | -- COMMAND ARGS...]   the settings that hold, and their sources

The file is found as for a start: --config FILE, else $MILLPOND_CONFIG, else ./millpond.toml without a COMMAND.
Arguments and values of env are not shown: they may be secrets.

examples:
  millpond config
  millpond config --config github.toml
  millpond config --config limits.toml -- npx -y some-server
"""
DEFAULT = "default"
_NO_SERVER = ("none",)


@dataclass(frozen=True, slots=True)
class Row:
    """One setting."""

    name: str
    value: int | float | str
    source: str
    """`default`, `command line`, or the file."""
    means: str = ""
    """What 0 or an empty text comes to on this machine."""


def config(line: Line, door: Door) -> int:
    """`millpond config`. Raises `ConfigError` where a start would."""
    parser = Parser("config")
    parser.add_argument("--config")
    parser.add_argument("url", nargs="?")
    parser.add_argument("--json", dest="is_json", action="store_true")
    asked = parser.parse_args(line.own)
    if asked.url is not None and line.command is not None:
        parser.error("expected a URL or -- COMMAND, got both")
    path = _file(door, asked.config, line.command, asked.url)
    document = _document(path)
    is_given = line.command is not None or asked.url is not None
    is_placeholder = not is_given and "servers" not in document
    loaded = door.load(None if path is None else str(path), _NO_SERVER if is_placeholder else line.command, asked.url)
    source = "command line" if is_given else str(path)
    rows = [] if is_placeholder else [Row("server", _server(loaded), source)]
    rows += [*_settings(loaded, document, str(path)), *_tools(loaded, str(path))]
    if asked.is_json:
        write_json([asdict(row) for row in rows])
    else:
        write(_text(rows))
    return 0


def _file(door: Door, file: str | None, command: Command, url: str | None) -> Path | None:
    """The file that holds; without any, the defaults are shown."""
    try:
        return door.file(file, command, url)
    except ConfigError:
        return None


def _document(path: Path | None) -> Mapping[str, object]:
    """The file as it is, where it can be read; what is wrong with it is said when it is loaded."""
    try:
        return {} if path is None else tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {"servers": {}}


def _server(loaded: Config) -> str:
    server = loaded.server
    if isinstance(server, RemoteServer):
        names = f", headers {', '.join(server.headers)} (values not shown)" if server.headers else ""
        return f"{server.name}: {shown_origin(server.url)}{names}"
    parts = [f"{server.name}: {server.command[0]}"]
    if len(server.command) > 1:
        parts.append(f"{len(server.command) - 1} arguments (not shown)")
    if server.env:
        parts.append(f"env {', '.join(server.env)} (values not shown)")
    return ", ".join([*parts, *([f"cwd {server.cwd}"] if server.cwd else [])])


def _settings(loaded: Config, document: Mapping[str, object], source: str) -> list[Row]:
    budget = loaded.canvas.memory_bytes or default_budget_bytes()
    meant = engine_settings(loaded, "", "", "", budget)
    means = {
        "results.max_result_bytes": f"{meant.max_result_bytes:,}",
        "canvas.memory_bytes": f"{budget:,}",
    }
    return [_row(loaded, setting, document, source, means.get(setting.key, setting.empty)) for setting in SETTINGS]


def _row(loaded: Config, setting: Setting, document: Mapping[str, object], source: str, means: str) -> Row:
    value: int | float | str = getattr(getattr(loaded, setting.section), setting.name)
    section = cast("Mapping[str, object]", document.get(setting.section, {}))
    is_set = setting.name in section
    return Row(setting.key, value, source if is_set else DEFAULT, "" if value or not setting.empty else means)


def _tools(loaded: Config, source: str) -> list[Row]:
    rows = [Row(f"tools.{quoted(name)}.mode", mode, source) for name, mode in loaded.modes.items()]
    for notes in loaded.notes:
        where = f"tools.{quoted(notes.tool)}"
        rows += [Row(f"{where}.note", notes.note, source)] if notes.note else []
        rows += [Row(f"{where}.tables.{quoted(path)}", text, source) for path, text in notes.tables]
        rows += [Row(f"{where}.columns.{quoted(name)}", text, source) for name, text in notes.columns]
    return rows


def _text(rows: list[Row]) -> str:
    lines: list[str] = []
    for row in rows:
        value = f"{row.value:,}" if isinstance(row.value, int) else str(row.value)
        lines.append(f"{row.name} = {value}{f' ({row.means})' if row.means else ''}  [{row.source}]")
    return "\n".join(lines) + "\n"
