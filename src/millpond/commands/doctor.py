"""Doctor: starts a server, and says what Millpond would do for it.

Rule: one page, or one line where the server fails; no tool is called but those that are named. Imports `core`, `app`, the
relay's `log`, and the commands' modules.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from millpond.app import start_server
from millpond.commands.diagnosis import diagnose
from millpond.commands.found import Where
from millpond.commands.init import template_of
from millpond.commands.machine import machine
from millpond.commands.parser import Parser
from millpond.commands.probe import Meeting, meet
from millpond.commands.report import diagnosis_text, machine_text
from millpond.commands.run import Door, Line, write, write_json
from millpond.commands.template import toml_text
from millpond.core.config import Config
from millpond.core.config_file import parse_config
from millpond.core.errors import ConfigError, ServerFailed
from millpond.core.toml_text import one_line
from millpond.relay.log import Log

HELP = """\
usage: millpond doctor [options] -- COMMAND ARGS...   start a server, and see whether it gains from Millpond
       millpond doctor [options] URL                  the same for a server at a URL
       millpond doctor [options] CLIENT SERVER        the same for a server of a client's configuration
       millpond doctor [options] --config FILE        the same for the server that a file names
       millpond doctor                                this machine alone

It lists the tools with what would happen to each, and says in one sentence whether Millpond helps. No tool is called
but those that you name; name only ones that change nothing.

options:
  --try TOOL JSON  call this tool with these arguments, and see how large its answer is; may be given again
  --timeout N      seconds for each step, 60 without it
  --config FILE    under this configuration file
  --scope, --file  which of the client's files, as for millpond wrap
  --json           everything as one JSON object

examples:
  millpond doctor -- uvx mcp-server-git --repository .
  millpond doctor --try git_log '{"repo_path": ".", "max_count": 500}' -- uvx mcp-server-git --repository .
  millpond doctor cursor github --json

exit codes: 0 the server works; 1 it does not start, ends, or does not answer; 2 a wrong argument or configuration,
or a tool that it does not have; 3 it works, but a call of --try got no result: an error, or a question
"""
FAILED = 1
NO_RESULT = 3
"""The server works, and a call that was tried got no result."""
DEFAULT_SECONDS = 60.0
MOST_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be examined."""

    config: Config
    name: str
    """The server's name in a client's configuration; empty where it has none."""
    calls: Sequence[tuple[str, Mapping[str, Any]]]
    """Tools to call, with their arguments."""
    seconds: float
    """For each step."""


def doctor(line: Line, door: Door) -> int:
    """`millpond doctor`. Raises `ConfigError`, and `ServerFailed` where the server does not work."""
    parser = Parser("doctor")
    parser.add_argument("client", nargs="?")
    parser.add_argument("server", nargs="?")
    parser.add_argument("--try", dest="calls", nargs=2, action="append", default=[])
    parser.add_argument("--timeout", type=float, default=DEFAULT_SECONDS)
    parser.add_argument("--config")
    parser.add_argument("--scope")
    parser.add_argument("--file")
    parser.add_argument("--json", dest="is_json", action="store_true")
    asked = parser.parse_args(line.own)
    if not 0 < asked.timeout <= MOST_SECONDS:
        parser.error(f"expected --timeout from above 0 to {MOST_SECONDS:,.0f} seconds")
    if line.command is None and asked.client is None and asked.config is None:
        return _only_machine(is_json=asked.is_json)
    calls = [(tool, _arguments(tool, text)) for tool, text in asked.calls]
    task = Task(_config(parser, line, door, asked), asked.server or "", calls, asked.timeout)
    return _examine(task, is_json=asked.is_json)


def _config(parser: Parser, line: Line, door: Door, asked: Namespace) -> Config:
    """The server of a command line, a URL, a client's entry or a file, under the settings of the file."""
    if asked.client is None:
        return door.load(asked.config, line.command, None)
    template = template_of(parser, line, asked.client, asked.server, Where(asked.scope, asked.file))
    server = parse_config(toml_text(template).encode(), template.name, os.environ).server
    return replace(door.load(asked.config, (server.name,), None), server=server)


def _arguments(tool: str, text: str) -> Mapping[str, Any]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        advice = "write for example '{\"limit\": 500}'"
        raise ConfigError(f"command line: --try {tool}: expected its arguments as a JSON object; {advice}")
    return cast("dict[str, Any]", value)


def _only_machine(*, is_json: bool) -> int:
    around = machine(None)
    advice = "Name a server to examine: millpond doctor -- COMMAND ARGS...\n"
    if is_json:
        write_json({"machine": asdict(around)})
    else:
        write(machine_text(around) + advice)
    return 0


def _examine(task: Task, *, is_json: bool) -> int:
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    around = machine(task.config)
    try:
        diagnosis = diagnose(asyncio.run(_meet(task)), task.config, task.name)
    except ServerFailed as error:
        if not is_json:
            raise
        write_json({"works": False, "problem": one_line(str(error)), "machine": asdict(around)})
        return FAILED
    if is_json:
        write_json({"works": True, **asdict(diagnosis), "machine": asdict(around)})
    else:
        write(f"{diagnosis_text(diagnosis)}{machine_text(around)}\n{one_line(diagnosis.sentence)}\n")
    return NO_RESULT if any(trial.problem for trial in diagnosis.trials) else 0


async def _meet(task: Task) -> Meeting:
    nowhere = Log(os.open(os.devnull, os.O_WRONLY))  # The server's last words are told where they matter.
    return await meet(start_server(task.config.server, nowhere), task.calls, task.seconds)
