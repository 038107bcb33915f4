"""Doctor: starts a server, and says what Millpond would do for it.

Rule: one page, or one line where the server fails; no tool is called but those that are named. Imports `core`, the
relay's `child` and `log`, and the commands' modules.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from millpond.commands.diagnosis import Diagnosis, TrialView, diagnose
from millpond.commands.found import Where
from millpond.commands.init import template_of
from millpond.commands.machine import Machine, machine
from millpond.commands.parser import Parser
from millpond.commands.probe import Meeting, meet
from millpond.commands.run import Door, Line, write
from millpond.commands.template import toml_text
from millpond.core.config import GIB, Config
from millpond.core.config_file import one_line, parse_config
from millpond.core.errors import ConfigError, ServerFailed
from millpond.relay.child import Child
from millpond.relay.log import Log

HELP = """\
usage: millpond doctor [options] -- COMMAND ARGS...   start a server, and see whether it gains from Millpond
       millpond doctor [options] CLIENT SERVER        the same for a server of a client's configuration
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

exit codes: 0 the server works; 1 it does not start, ends, or does not answer; 2 a wrong argument or configuration
"""
FAILED = 1
DEFAULT_SECONDS = 60.0
MOST_SECONDS = 3_600.0


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
    calls = [(tool, _arguments(tool, text)) for tool, text in asked.calls]
    if line.command is None and asked.client is None:
        return _only_machine(is_json=asked.is_json)
    if line.command is not None and asked.client is not None:
        parser.error(f"expected no {asked.client} before a command")
    if line.command is not None:
        config = door.load(asked.config, line.command)
    else:
        template = template_of(parser, line, asked.client, asked.server, Where(asked.scope, asked.file))
        server = parse_config(toml_text(template).encode(), template.name, os.environ).server
        config = _under(door, asked.config, server.command, Config(server=server))
    return _examine(config, calls, asked.timeout, is_json=asked.is_json)


def _under(door: Door, file: str | None, command: tuple[str, ...], config: Config) -> Config:
    """A client's server under the settings of a file."""
    loaded = door.load(file, command)
    return Config(
        server=config.server, results=loaded.results, query=loaded.query, canvas=loaded.canvas, modes=loaded.modes
    )


def _arguments(tool: str, text: str) -> Mapping[str, Any]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ConfigError(
            f"--try {tool}: expected its arguments as a JSON object; write for example '{{\"limit\": 500}}'"
        )
    return value  # pyright: ignore[reportUnknownVariableType]


def _only_machine(*, is_json: bool) -> int:
    around = machine(None)
    text = _machine_text(around) + "Name a server to examine: millpond doctor -- COMMAND ARGS...\n"
    write(_json({"machine": asdict(around)}) if is_json else text)
    return 0


def _examine(config: Config, calls: Sequence[tuple[str, Mapping[str, Any]]], seconds: float, *, is_json: bool) -> int:
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    around = machine(config)
    try:
        diagnosis = diagnose(asyncio.run(_meet(config, calls, seconds)), config)
    except ServerFailed as error:
        if not is_json:
            raise
        write(_json({"works": False, "problem": one_line(str(error)), "machine": asdict(around)}))
        return FAILED
    if is_json:
        write(_json({"works": True, **asdict(diagnosis), "machine": asdict(around)}))
    else:
        write(_text(diagnosis) + _machine_text(around) + f"\n{one_line(diagnosis.sentence)}\n")
    return 0


async def _meet(config: Config, calls: Sequence[tuple[str, Mapping[str, Any]]], seconds: float) -> Meeting:
    with open(os.devnull, "wb") as nowhere:  # Its last words are told where they matter.
        return await meet(partial(Child.start, config.server, Log(nowhere.fileno())), calls, seconds)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _text(diagnosis: Diagnosis) -> str:
    lines = [
        f"server    {diagnosis.server}" + (f" ({diagnosis.name})" if diagnosis.name else ""),
        f"start     {diagnosis.start_seconds:.2f} s to its first answer, {diagnosis.list_seconds:.2f} s for its tools",
        f"protocol  {diagnosis.protocol}",
        f"tools     {len(diagnosis.tools)}, about {diagnosis.definition_tokens:,} tokens of definitions",
    ]
    for tool in diagnosis.tools:
        dropped = "; its outputSchema is dropped, for a handle does not fit it" if tool.drops_output_schema else ""
        lines.append(f"  {tool.name}: {tool.what_happens}{dropped}")
    if diagnosis.own_tool:
        lines.append(f"  {diagnosis.own_tool}: added by Millpond")
    lines += ["tried"] * bool(diagnosis.trials) + [f"  {_trial_text(trial)}" for trial in diagnosis.trials]
    lines += ["notes"] * bool(diagnosis.notes) + [f"  {note}" for note in diagnosis.notes]
    return "".join(f"{one_line(line)}\n" for line in lines)


def _trial_text(trial: TrialView) -> str:
    called = f"{trial.tool} {trial.arguments}"
    if trial.problem:
        return f"{called}: {trial.problem}"
    rows = f", {trial.rows:,} rows" if trial.rows else ""
    fate = "would be replaced by a handle" if trial.is_replaced else "would stay as it is"
    return f"{called}: {trial.bytes:,} bytes, about {trial.tokens:,} tokens{rows}, in {trial.seconds:.2f} s; {fate}"


def _machine_text(around: Machine) -> str:
    lines = [
        f"versions  millpond {around.millpond}, Python {around.python}, duckdb {around.duckdb}, mcp {around.mcp},"
        f" {around.system}",
        f"memory    {around.budget_bytes / GIB:.1f} GiB for the engine, of {around.memory_bytes / GIB:.1f}",
        f"disk      {around.free_bytes / GIB:.1f} GiB free in {around.folder}",
        *(f"problem   {problem}" for problem in around.problems),
    ]
    return "".join(f"{line}\n" for line in lines)
