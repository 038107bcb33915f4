"""Wrap and unwrap: a client's servers put behind Millpond in its configuration file, and taken out again.

Rule: everything is decided before the first byte is written; a server that was named and cannot be changed stops all.
Imports the clients' modules, `core` and the commands' modules.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from millpond.clients import change, files
from millpond.clients.change import ALREADY, NOT_WRAPPED, Change, refusal
from millpond.clients.entries import Entry, State
from millpond.clients.files import surroundings
from millpond.clients.masked import masked, secrets_in
from millpond.clients.places import CLIENTS, Client
from millpond.clients.text import decode, difference
from millpond.commands.found import Found, Where, chosen, client_named, found, holding
from millpond.commands.parser import Parser
from millpond.commands.program import named_program, own_program, runner_note
from millpond.commands.run import Door, Line, write, write_json
from millpond.core.config_file import url_config
from millpond.core.errors import ConfigError
from millpond.core.state_folder import state_folder

_OPTIONS = """\
  --all            every server of the client that can be
  --scope SCOPE    where a client has several files: project, user, ... (millpond clients shows them)
  --file FILE      this file, in the client's form, and none of those that are known
  --dry-run        show the lines that would change, and change nothing
"""
_Part = tuple[Found, Sequence[str] | None]
_Step = tuple[Found, Change]
WRAP_HELP = f"""\
usage: millpond wrap CLIENT [SERVER ...] [options]   put servers of a client behind Millpond
       millpond wrap --print -- COMMAND ARGS...      print the entry, for a client that is not known
       millpond wrap --print URL                     the same for a server at a URL

Only the command and args of an entry change, in place; comments, order and all other bytes stay. An address becomes
a command, the values of its headers variables in env. The file is kept in a backup first. Wrapping twice is the same
as once. A client with one server needs no SERVER.

options:
{_OPTIONS}\
  --config FILE    give the wrapped servers this configuration file
  --program PATH   the program to write, in the place of this one

examples:
  millpond wrap claude-desktop filesystem
  millpond wrap cursor --all --dry-run
  millpond wrap claude-code github --scope user
  millpond wrap vscode --file ~/work/.vscode/mcp.json issues
  millpond wrap --print -- npx -y @modelcontextprotocol/server-filesystem ~/notes

clients: {", ".join(CLIENTS)}
"""
UNWRAP_HELP = f"""\
usage: millpond unwrap CLIENT [SERVER ...] [options]   take Millpond out again: the file is as it was, to the byte

options:
{_OPTIONS}
examples:
  millpond unwrap claude-desktop filesystem
  millpond unwrap cursor --all
"""


def wrap(line: Line, door: Door) -> int:
    """`millpond wrap`. Raises `ConfigError`, with nothing changed, where a named server cannot be wrapped."""
    parser = _parser("wrap")
    parser.add_argument("--config")
    parser.add_argument("--program")
    parser.add_argument("--print", dest="is_print", action="store_true")
    asked = parser.parse_args(line.own)
    config = ("--config", os.path.abspath(asked.config)) if asked.config is not None else ()
    program = named_program(asked.program) if asked.program is not None else own_program()
    words = (*program, *config)
    if asked.is_print:
        sys.stderr.write(runner_note(program))
        return _print(line, asked.client, words)
    line.without_command("wrap")
    client = client_named(asked.client) if asked.client is not None else parser.error("expected a CLIENT")
    all_found = found(client, surroundings(), Where(asked.scope, asked.file))
    parts = _parts(all_found, asked, lambda entry: not refusal(entry, is_named=True))
    steps = _in_turn(parts, lambda one, names: change.wrapped(one.file, names, words))
    _refuse(steps, () if asked.is_all else (ALREADY,))
    _carry_out(client, steps, "wrapped", is_dry=asked.is_dry)
    write(runner_note(program) if any(step.done for _, step in steps) else "")
    return 0


def unwrap(line: Line, door: Door) -> int:
    """`millpond unwrap`. Raises `ConfigError`, with nothing changed, where a named server cannot be unwrapped."""
    parser = _parser("unwrap")
    asked = parser.parse_args(line.without_command("unwrap"))
    client = client_named(asked.client) if asked.client is not None else parser.error("expected a CLIENT")
    all_found = found(client, surroundings(), Where(asked.scope, asked.file))
    steps = _in_turn(_parts(all_found, asked, lambda entry: entry.is_wrapped), _unwrapped)
    _refuse(steps, () if asked.is_all else (NOT_WRAPPED,))
    _carry_out(client, steps, "unwrapped", is_dry=asked.is_dry)
    return 0


def _parser(command: str) -> Parser:
    parser = Parser(command)
    parser.add_argument("client", nargs="?")
    parser.add_argument("servers", nargs="*")
    parser.add_argument("--all", dest="is_all", action="store_true")
    parser.add_argument("--dry-run", dest="is_dry", action="store_true")
    parser.add_argument("--scope")
    parser.add_argument("--file")
    return parser


def _parts(all_found: Sequence[Found], asked: Namespace, is_wanted: Callable[[Entry], bool]) -> list[_Part]:
    """The files, each with the servers in it that are meant; None stands for all."""
    if asked.is_all:
        return [(one, None) for one in all_found]
    return [(one, held) for one, held in holding(all_found, chosen(all_found, asked.servers, is_wanted))]


def _in_turn(parts: Sequence[_Part], make: Callable[[Found, Sequence[str] | None], Change]) -> list[_Step]:
    """The changes, each made to what the one before left of the same file: one file may hold several scopes."""
    steps: list[_Step] = []
    texts: dict[Path, str] = {}
    for one, names in parts:
        text = texts.get(one.path, one.file.text)
        step = make(replace(one, file=replace(one.file, text=text)), names)
        texts[one.path] = step.text
        steps.append((one, step))
    return steps


def _unwrapped(one: Found, names: Sequence[str] | None) -> Change:
    """The file unwrapped; addresses come back from its backups."""
    if not any(entry.state is State.WRAPPED_REMOTE for entry in one.file.entries()):
        return change.unwrapped(one.file, names)
    kept = [decode(data, str(one.path)).text for data in files.backups(_backup_folder(), one.path)]
    return change.unwrapped(one.file, names, kept)


def _refuse(steps: Sequence[_Step], harmless: Sequence[str]) -> None:
    """Stop where a named server stays as it is for another reason than that it is so already."""
    for one, step in steps:
        for name, reason in step.left.items():
            if harmless and reason not in harmless:
                raise ConfigError(f"{one.path}: {name} stays as it is: {reason}; nothing was changed")


def _carry_out(client: Client, steps: Sequence[_Step], done: str, *, is_dry: bool) -> None:
    """Write each file once, and say what became of each server."""
    last = {one.path: (one, step.text) for one, step in steps}
    changed = [(one, text) for one, text in last.values() if text != one.source.text]
    backups = [] if is_dry else _write(changed)
    for one, step in steps:
        write(f"{client.title}, {one.scope}: {one.path}\n")
        for name in step.done:
            write(f"  {name}: {f'would be {done}' if is_dry else done}\n")
        for name, reason in step.left.items():
            write(f"  {name}: stays as it is, {reason}\n")
    if is_dry:
        write("".join(_shown_difference(one, text) for one, text in changed))
    for backup in backups:
        write(f"Backup: {backup}\n")
    undo = f" To undo it: millpond unwrap {client.name} --all" if done == "wrapped" else ""
    effect = f"Restart {client.title}, or its servers, for it to take effect.{undo}\n"
    write(effect if backups else "Nothing was changed.\n")


def _shown_difference(one: Found, text: str) -> str:
    """What would change in a file, without the values of its servers' variables and headers."""
    secrets = {secret for each in (one.source.text, text) for secret in secrets_in(one.file.form.read(each))}
    return masked(difference(one.source.text, text, one.path.name), secrets)


def _write(changed: Sequence[tuple[Found, str]]) -> list[Path]:
    """Write the files; returns their backups."""
    for one, _ in changed:
        files.check_writable(one.path)
    keep = files.keep_in(_backup_folder(), datetime.now())
    return [files.replace(one.path, one.data, one.source.encoded(text), keep) for one, text in changed]


def _backup_folder() -> Path:
    """Not beside the file: a project's folder is shared, and the entries hold tokens."""
    return state_folder(os.environ, Path.home(), sys.platform) / "backups"


def _print(line: Line, url: str | None, words: Sequence[str]) -> int:
    if line.command and line.command[0] and url is None:
        server = ["--", *line.command]
    elif url is not None and line.command is None:
        url_config(url)  # Raises where it is none.
        server = [url]
    else:
        raise ConfigError("command line: expected a command or a URL; write millpond wrap --print -- COMMAND ARGS...")
    entry = {"command": words[0], "args": [*words[1:], *server]}
    write_json(entry)
    return 0
