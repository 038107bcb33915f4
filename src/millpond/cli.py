"""Command line: arguments in, an exit code out.

Rule: what is wrong is one line on stderr, at once; stdout is the protocol's, but for commands that start no session.
Imports at the top are light, because every start of a server pays for them; `app`, `demo` and the commands come when
they run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from millpond import __version__
from millpond.commands.parser import Parser
from millpond.core.config import Config
from millpond.core.config_file import command_config, parse_config, url_config
from millpond.core.config_text import settings_help
from millpond.core.config_url import header_in, header_of_variable, looks_like_a_url, name_problem, url_problem
from millpond.core.errors import ConfigError, MillpondError
from millpond.core.listen import Listen, read_listen
from millpond.core.toml_text import one_line

CONFIG_VARIABLE = "MILLPOND_CONFIG"
CONFIG_FILE = "millpond.toml"
COMMANDS = ("wrap", "unwrap", "clients", "init", "config", "doctor", "inspect", "stats")
"""First words that are done by `millpond.commands`."""
MAX_CONFIG_BYTES = 1 << 20
"""A configuration is a page of text; what is larger is another file."""

USAGE = """\
usage: millpond [--config FILE] -- COMMAND ARGS...   put Millpond in front of the MCP server that COMMAND starts
       millpond [--config FILE] [--header H] URL     the same for a server at a URL (streamable HTTP, or SSE)
       millpond [--config FILE]                      the same for the server that a file names
       millpond --http HOST:PORT [...] -- COMMAND    serve it over streamable HTTP, at http://HOST:PORT/mcp
       millpond demo                                 see it work on real data, in a few seconds
       millpond wrap CLIENT SERVER                   put a server of a client's configuration behind Millpond
       millpond unwrap CLIENT SERVER                 take it out again
       millpond clients                              the clients and servers on this machine
       millpond doctor -- COMMAND ARGS...            start a server, and see whether it gains from Millpond
       millpond inspect                              see the running sessions on a page in your browser
       millpond init -- COMMAND ARGS...              write a millpond.toml with every setting
       millpond config                               the settings that hold, and where each comes from
       millpond stats                                what it did on this machine, by server and tool
       millpond [wrap | unwrap | ...] --help         what a command does, with examples
       millpond --help | --version

examples:
  millpond -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  millpond -- uvx mcp-server-git --repository .
  millpond --header 'Authorization: Bearer ${TOKEN}' https://mcp.example.com/mcp
  millpond --config github.toml
  millpond --config limits.toml -- npx -y some-server

Over HTTP, besides --http HOST:PORT (loopback, or with a token):
  --token-env NAME       demand the bearer token that this variable holds; may be given again for further ones
  --allow-origin ORIGIN  let web pages of this origin connect; may be given again
  --allow-host NAME      a name, besides HOST, by which clients call this machine; may be given again
  --without-token        let everyone who can reach HOST in, where something else keeps strangers away

In a client's configuration, "command": "npx", "args": ["-y", "some-server"] becomes
  "command": "millpond", "args": ["--", "npx", "-y", "some-server"]

The file: --config FILE, else $MILLPOND_CONFIG; without COMMAND and URL also ./millpond.toml. With one of them, the
settings of the file hold, and its [servers] is not read. example.toml shows all of it. COMMAND gets the whole
environment. --header NAME: VALUE may be given again; ${NAME} in a value is a variable of the environment.
--header-env NAME=VARIABLE is the same with the whole value from a variable, and clients fill in nothing in it.

settings, with their defaults:
"""
EXIT_CODES = """
exit codes: 0 the client ended the session; 1 the server could not be started, or failed; 2 a wrong argument or
configuration; 128 and the signal's number where a signal ended it
"""
DEMO_HELP = """\
usage: millpond demo   see it work on real data, in a few seconds

A server with 10,000 real records is put behind Millpond: its handle, three queries with their answers, and what was kept
out of the conversation. Nothing is configured or left behind, and no network is used.

examples:
  millpond demo
"""


class Exit(IntEnum):
    """What the process ends with."""

    OK = 0
    """The client ended the session, or what was asked was printed."""
    SERVER = 1
    """The wrapped server could not be started, or failed."""
    USAGE = 2
    """An argument or a configuration cannot be used."""
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Arguments:
    """The command line, read."""

    action: str
    """`help`, `version`, `demo`, `demo help`, or `run`."""
    file: str | None
    """FILE of `--config`."""
    command: tuple[str, ...] | None
    """What follows `--`; None without one."""
    url: str | None = None
    """The server's URL, checked; None without one."""
    headers: tuple[str, ...] = ()
    """`NAME: VALUE` of every header, the names checked; variables in them are not filled in."""
    http: str | None = None
    """HOST:PORT of `--http`; None for standard streams."""
    token_names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    without_token: bool = False


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit code; an error is one line on stderr."""
    words = sys.argv[1:] if argv is None else argv
    try:
        if words and words[0] in COMMANDS:
            return run_command(words)
        return run(parse_arguments(words))
    except MillpondError as error:
        sys.stderr.write(f"millpond: {one_line(str(error))}\n")
        return Exit.USAGE if isinstance(error, ConfigError) else Exit.SERVER
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def run(arguments: Arguments) -> int:
    """Do what the arguments ask. Raises `MillpondError` for all that a person can put right."""
    if arguments.action == "help":
        sys.stdout.write(help_text())
        return Exit.OK
    if arguments.action == "version":
        sys.stdout.write(f"millpond {__version__}\n")
        return Exit.OK
    if arguments.action == "demo help":
        sys.stdout.write(DEMO_HELP)
        return Exit.OK
    if arguments.action == "demo":
        from millpond.demo.show import show

        return show()
    listen = listen_of(arguments, os.environ)
    config = load_config(arguments, os.environ)
    from millpond import app

    return app.run(config, listen)


def listen_of(arguments: Arguments, environ: Mapping[str, str]) -> Listen | None:
    """Where to serve over HTTP; None for standard streams. Raises `ConfigError`."""
    if arguments.http is None:
        if arguments.token_names or arguments.origins or arguments.hosts or arguments.without_token:
            raise ConfigError("command line: expected --http HOST:PORT beside its options, got none; add it")
        return None
    return read_listen(
        arguments.http,
        token_names=arguments.token_names,
        origins=arguments.origins,
        hosts=arguments.hosts,
        without_token=arguments.without_token,
        environ=environ,
    )


def run_command(words: Sequence[str]) -> int:
    """Do what one of `COMMANDS` asks. Raises `MillpondError` for all that a person can put right."""
    from millpond.commands.run import Door
    from millpond.commands.run import run as run_words

    door = Door(
        file=lambda file, command, url: config_path(Arguments("run", file, command, url), os.environ),
        load=lambda file, command, url: load_config(Arguments("run", file, command, url), os.environ),
    )
    return run_words(words, door)


def help_text() -> str:
    """The whole of `--help`."""
    return f"{USAGE}{settings_help()}\n{EXIT_CODES}"


def parse_arguments(argv: Sequence[str]) -> Arguments:
    """Read the command line; all after the first `--` is the server's. Raises `ConfigError`."""
    own, command = list(argv), None
    if "--" in own:
        at = own.index("--")
        own, command = own[:at], tuple(own[at + 1 :])
    if own and not own[0].startswith("-") and not looks_like_a_url(own[0]):
        return _demo_or_unknown(own, alone=command is None)
    parser = Parser()
    parser.add_argument("-h", "--help", dest="action", action="store_const", const="help", default="run")
    parser.add_argument("-V", "--version", dest="action", action="store_const", const="version")
    parser.add_argument("--config", dest="file", metavar="FILE")
    parser.add_argument("--header", dest="headers", metavar="H", action="append", default=[])
    parser.add_argument("--header-env", dest="header_variables", metavar="NAME=VARIABLE", action="append", default=[])
    parser.add_argument("--http", metavar="HOST:PORT")
    parser.add_argument("--token-env", dest="tokens", metavar="NAME", action="append", default=[])
    parser.add_argument("--allow-origin", dest="origins", metavar="ORIGIN", action="append", default=[])
    parser.add_argument("--allow-host", dest="hosts", metavar="NAME", action="append", default=[])
    parser.add_argument("--without-token", action="store_true")
    parser.add_argument("url", metavar="URL", nargs="?")
    found = parser.parse_args(own)
    headers = (*found.headers, *map(header_of_variable, found.header_variables))
    problem = _server_problem(found.url, headers, command)
    if problem is not None:
        raise ConfigError(f"command line: {problem}")
    return Arguments(
        action=found.action,
        file=found.file,
        command=command,
        url=found.url,
        headers=headers,
        http=found.http,
        token_names=tuple(found.tokens),
        origins=tuple(found.origins),
        hosts=tuple(found.hosts),
        without_token=found.without_token,
    )


def _server_problem(url: str | None, headers: Sequence[str], command: tuple[str, ...] | None) -> str | None:
    """What is wrong with a URL and its headers, without the values."""
    if url is None:
        return "expected a URL beside --header, got none; write millpond --header H URL" if headers else None
    if command is not None:
        return "expected a URL or -- COMMAND, got both; name one server"
    if (problem := url_problem(url)) is not None:
        return f"{problem}; write millpond https://host/mcp"
    problems = (name_problem(header_in(word)[0]) for word in headers)
    problem = next((problem for problem in problems if problem is not None), None)
    return f"--header: {problem}; write --header 'Authorization: Bearer ${{TOKEN}}'" if problem else None


def _demo_or_unknown(words: Sequence[str], *, alone: bool) -> Arguments:
    """What words ask that begin with none of ours but, maybe, `demo`; `alone` without a `--`. Raises `ConfigError` for others."""
    if words[0] != "demo":
        from millpond.core.near import nearest  # A start without an error does not pay for it.

        near = nearest(words[0], (*COMMANDS, "demo"), 1)
        meant = f"did you mean millpond {near[0]}? " if near and alone else ""
        advice = f"{meant}a server's command follows --: millpond -- {' '.join(words)}"
        raise ConfigError(f"command line: expected demo, a URL or -- COMMAND, got {words[0]}; {advice}")
    if alone and any(word in ("-h", "--help") for word in words):
        return Arguments("demo help", None, None)
    if len(words) > 1 or not alone:
        raise ConfigError("command line: expected nothing beside demo, got more; write millpond demo")
    return Arguments("demo", None, None)


def load_config(arguments: Arguments, environ: Mapping[str, str]) -> Config:
    """The configuration that the arguments, the environment and `./millpond.toml` give. Raises `ConfigError`."""
    given = None
    if arguments.url is not None:
        given = url_config(arguments.url, arguments.headers, environ)
    elif arguments.command is not None:
        given = command_config(arguments.command)
    path = config_path(arguments, environ)
    if path is None:
        return given or command_config(())
    return parse_config(read_config(path), str(path), environ, given.server if given else None)


def config_path(arguments: Arguments, environ: Mapping[str, str]) -> Path | None:
    """The file that holds; None where a command or a URL needs none. Raises `ConfigError` where there is neither."""
    named = arguments.file if arguments.file is not None else environ.get(CONFIG_VARIABLE) or None
    if named is not None:
        return Path(named)
    if arguments.command is not None or arguments.url is not None:
        return None
    if not Path(CONFIG_FILE).exists():
        tried = f"no --config, no ${CONFIG_VARIABLE}, no ./{CONFIG_FILE}"
        raise ConfigError(
            f"no server: {tried}; write millpond -- COMMAND ARGS... or millpond URL, or see millpond --help"
        )
    return Path(CONFIG_FILE)


def read_config(path: Path) -> bytes:
    """The bytes of the file. Raises `ConfigError` where it cannot be read, or is larger than `MAX_CONFIG_BYTES`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"{path}: expected a file that can be read: {reason}; check --config") from error
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(f"{path}: expected at most {MAX_CONFIG_BYTES:,} bytes, got more; name a configuration file")
    return data
