"""Init: a commented configuration file, from a command line or from a client's entry.

Rule: a file that is there is not written over unless that is asked for; one that may hold secrets is for its user alone.
Imports the clients' modules, `core` and the commands' modules.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from millpond.clients.entries import Entry
from millpond.clients.files import surroundings
from millpond.commands.found import Where, client_named, found, holding
from millpond.commands.parser import Parser
from millpond.commands.run import Door, Line, write
from millpond.commands.template import Template, of_command, of_entry, of_url, toml_text
from millpond.core.config_url import looks_like_a_url
from millpond.core.errors import ConfigError

HELP = """\
usage: millpond init [options] -- COMMAND ARGS...   write a millpond.toml for the server that COMMAND starts
       millpond init [options] URL                  the same for a server at a URL
       millpond init [options] CLIENT SERVER        the same for a server of a client's configuration

options:
  --output FILE    the file to write; millpond.toml in this folder without it
  --force          write over a file that is there
  --scope, --file  which of the client's files, as for millpond wrap

examples:
  millpond init -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  millpond init cursor github --output github.toml
  millpond init https://mcp.example.com/mcp
"""


def init(line: Line, door: Door) -> int:
    """`millpond init`. Raises `ConfigError` where the file is there, or the server cannot be written in one."""
    parser = Parser("init")
    parser.add_argument("client", nargs="?")
    parser.add_argument("server", nargs="?")
    parser.add_argument("--output", default="millpond.toml")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--scope")
    parser.add_argument("--file")
    asked = parser.parse_args(line.own)
    template = template_of(parser, line, asked.client, asked.server, Where(asked.scope, asked.file))
    path = Path(asked.output)
    _write(
        path,
        toml_text(template).encode(),
        is_private=bool(template.env or template.headers or template.url),
        is_forced=asked.force,
    )
    write(f"Wrote {path}. In a client's configuration it is\n")
    write(f'  "command": "millpond", "args": ["--config", "{os.path.abspath(path)}"]\n')
    unset = [name for name in template.variables if name not in os.environ]
    if unset:
        write(f"It needs variables of the environment that are not set here: {', '.join(unset)}\n")
    return 0


def template_of(parser: Parser, line: Line, client: str | None, server: str | None, where: Where) -> Template:
    """The server that a command line, a URL or a client's entry names; one is needed. Raises `ConfigError`."""
    if line.command is not None:
        if client is not None:
            parser.error(f"expected no {client} before a command")
        return of_command(line.command)
    if client is not None and server is None and looks_like_a_url(client):
        return of_url(client)
    if client is None or server is None:
        parser.error("expected -- COMMAND ARGS..., a URL, or CLIENT SERVER")
    return of_entry(client, entry_of(client, server, where))


def entry_of(client: str, server: str, where: Where) -> Entry:
    """An entry of a client's configuration. Raises `ConfigError` where there is none of that name, or several."""
    [(one, _)] = holding(found(client_named(client), surroundings(), where), [server])
    return next(entry for entry in one.file.entries() if entry.name == server)


def _write(path: Path, data: bytes, *, is_private: bool, is_forced: bool) -> None:
    mode = 0o600 if is_private else 0o666
    try:
        if is_forced:
            with suppress(FileNotFoundError):
                path.unlink()
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
    except FileExistsError as error:
        raise ConfigError(
            f"{path}: expected no such file yet, got one; name another with --output, or --force"
        ) from error
    except OSError as error:
        raise ConfigError(f"{path}: it cannot be written: {error.strerror}; name another with --output") from error
