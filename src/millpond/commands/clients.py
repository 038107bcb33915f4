"""Clients: what is known of each client, and what stands in its files.

Rule: only reads; a file that cannot be read is said and does not keep the others from being shown. Imports `core.errors`,
the clients' modules and the commands' modules.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from millpond.clients.change import refusal
from millpond.clients.files import surroundings
from millpond.clients.places import CLIENTS, Client, Place, Surroundings
from millpond.commands.found import Where, existing, read_place
from millpond.commands.parser import Parser
from millpond.commands.run import Door, Line, write, write_json
from millpond.core.errors import ConfigError

HELP = """\
usage: millpond clients [--json]   the clients on this machine, their files, and the servers in them

examples:
  millpond clients
  millpond clients --json
"""
READY = "can be wrapped"


@dataclass(frozen=True, slots=True)
class Row:
    """One server of one file, or the problem with a file."""

    client: str
    scope: str
    file: str
    server: str
    state: str
    """`wrapped`, `can be wrapped`, or why it cannot be."""


def clients(line: Line, door: Door) -> int:
    """`millpond clients`."""
    parser = Parser("clients")
    parser.add_argument("--json", dest="is_json", action="store_true")
    asked = parser.parse_args(line.without_command("clients"))
    around = surroundings()
    rows = {client: _rows(client, around) for client in CLIENTS.values()}
    if asked.is_json:
        write_json([asdict(row) for each in rows.values() for row in each])
    else:
        write(_text(rows))
    return 0


def _rows(client: Client, around: Surroundings) -> list[Row]:
    return [row for place in existing(client, around, Where()) for row in _servers(client, place)]


def _servers(client: Client, place: Place) -> list[Row]:
    def row(server: str, state: str) -> Row:
        return Row(client.name, place.scope, str(place.file), server, state)

    try:
        entries = read_place(place).file.entries()
    except ConfigError as error:
        return [row("", str(error))]
    rows = [
        row(entry.name, "wrapped" if entry.is_wrapped else refusal(entry, is_named=True) or READY) for entry in entries
    ]
    return rows or [row("", "no servers")]


def _text(rows: dict[Client, list[Row]]) -> str:
    lines: list[str] = []
    for client, each in rows.items():
        if each:
            lines.append(f"{client.title} ({client.name})")
        last = None
        for row in each:
            if (row.scope, row.file) != last:
                last = (row.scope, row.file)
                lines.append(f"  {row.scope}: {row.file}")
            lines.append(f"    {f'{row.server}: ' if row.server else ''}{row.state}")
    missing = [client.name for client, each in rows.items() if not each]
    if missing:
        lines.append(f"No files of: {', '.join(missing)}")
    return "\n".join(lines) + "\n"
