"""Stats: what Millpond did on this machine, from its local record.

Rule: nothing is shown that the record does not hold, and it holds names and numbers only. Imports `core`, `record` and the commands'
modules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from millpond import record
from millpond.commands.parser import Parser
from millpond.commands.run import Door, Line, write, write_json
from millpond.core.errors import ConfigError
from millpond.core.sizes import counted, human_size
from millpond.core.state_folder import state_folder
from millpond.core.stats import ServerCount, ToolCount, by_server

HELP = """\
usage: millpond stats [--since DAYS] [--json]   what Millpond did on this machine, by server and tool
       millpond stats --reset                   forget it

For each tool: calls, results that became tables, and what was so kept out of conversations, in bytes and in tokens; for each
server: sessions, queries, calls evicted to make room, and restarts of the engine. A session counts when it has ended.
Tokens are an estimate, from 2 KiB of each result; a client that shows the model one of two copies of a result saves half.

The record is a file of this machine, which nothing sends anywhere. It holds names of servers and tools and numbers: no
arguments, no rows, no texts. MILLPOND_STATS=off, or keep_days = 0 under [stats], writes none.

options:
  --since DAYS  sessions that ended in the last DAYS days
  --json        everything as one JSON object
  --reset       remove the record

examples:
  millpond stats
  millpond stats --since 7 --json
"""
MOST_DAYS = 36_500
_HEADS = ("tool", "calls", "tables", "kept out", "tokens, about")


@dataclass(frozen=True, slots=True)
class Found:
    """What was read, of the time that was asked for."""

    place: Path
    servers: Mapping[str, ServerCount]
    broken: int
    """Lines that could not be read."""


def stats(line: Line, door: Door) -> int:
    """`millpond stats`. Raises `ConfigError` for wrong arguments, and where the record cannot be read or removed."""
    parser = Parser("stats")
    parser.add_argument("--since", type=float)
    parser.add_argument("--json", dest="is_json", action="store_true")
    parser.add_argument("--reset", action="store_true")
    asked = parser.parse_args(line.without_command("stats"))
    if asked.since is not None and not 0 < asked.since <= MOST_DAYS:
        parser.error(f"expected --since from above 0 to {MOST_DAYS:,} days")
    place = state_folder(os.environ, Path.home(), sys.platform)
    try:
        if asked.reset:
            write(f"{'Removed' if record.remove(place) else 'There is no record'}: {place / record.FILE}\n")
            return 0
        found = _found(place, asked.since)
    except OSError as error:
        raise ConfigError(f"{error.filename or place}: {error.strerror or error}; check its permissions") from error
    if asked.is_json:
        write_json(_members(found))
    else:
        write(_text(found))
    return 0


def _found(place: Path, days: float | None) -> Found:
    sessions, broken = record.read(place)
    if days is not None:
        since = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
        sessions = [session for session in sessions if session.time >= since]
    return Found(place, by_server(sessions), broken)


def _members(found: Found) -> dict[str, Any]:
    servers = [
        {
            "name": name,
            "sessions": count.sessions,
            "queries": count.sum.queries,
            "evictions": count.sum.evictions,
            "restarts": count.sum.restarts,
            "tools": [{"name": tool, **msgspec.structs.asdict(one)} for tool, one in count.sum.tools.items()],
        }
        for name, count in found.servers.items()
    ]
    return {"record": str(found.place / record.FILE), "broken_lines": found.broken, "servers": servers}


def _text(found: Found) -> str:
    lines = [line for name, count in found.servers.items() for line in (*_server(name, count), "")]
    if not found.servers:
        lines = ["Nothing yet: a session counts when it has ended.", ""]
    if found.broken:
        lines.append(f"{found.broken} {'line' if found.broken == 1 else 'lines'} of the record could not be read.")
    lines.append(
        f"Record: {found.place / record.FILE} (names and numbers only; --reset removes it). Tokens are an estimate."
    )
    return "\n".join(lines) + "\n"


def _server(name: str, count: ServerCount) -> list[str]:
    rows = [_HEADS, *(_row(tool, one) for tool, one in count.sum.tools.items())]
    if len(count.sum.tools) > 1:
        rows.append(_row("in all", count.sum.total))
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADS))]
    table = ["  " + "  ".join(_cells(row, widths)) for row in rows]
    more = (
        f"queries {count.sum.queries:,}, evicted calls {count.sum.evictions:,}, engine restarts {count.sum.restarts:,}"
    )
    return [f"{name}: {counted(count.sessions, 'session')}, the last {count.sum.time[:10]}", *table, f"  {more}"]


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    name, *numbers = row
    return [name.ljust(widths[0]), *(text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True))]


def _row(name: str, count: ToolCount) -> tuple[str, ...]:
    kept_out = human_size(count.kept_out_bytes)
    return name, f"{count.calls:,}", f"{count.replaced:,}", kept_out, f"{count.kept_out_tokens:,}"
