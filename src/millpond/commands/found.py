"""Found: the configuration files that are on this machine, and the servers in them.

Rule: files are only read here. Imports the clients' modules, `core.errors` and `core.near`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from millpond.clients import files
from millpond.clients.change import File, file_of, missing_server
from millpond.clients.entries import Entry
from millpond.clients.places import CLIENTS, Client, Place, Surroundings
from millpond.clients.text import Source, decode
from millpond.core.errors import ConfigError
from millpond.core.near import near_name


@dataclass(frozen=True, slots=True)
class Found:
    """A client's configuration file that is there."""

    scope: str
    path: Path
    data: bytes
    source: Source
    file: File

    def names(self) -> tuple[str, ...]:
        """The servers in it. Raises `ConfigError` where it cannot be read as its client would."""
        return tuple(entry.name for entry in self.file.entries())


@dataclass(frozen=True, slots=True)
class Where:
    """Which of a client's files is meant."""

    scope: str | None = None
    """The scope of `--scope`; None takes all."""
    file: str | None = None
    """The file of `--file`, in the place of those that are known."""


def client_named(name: str) -> Client:
    """The client of that name. Raises `ConfigError` with the nearest one for another."""
    if name not in CLIENTS:
        near = near_name(name, list(CLIENTS))
        advice = f"did you mean {near}?" if near else "for another client see millpond wrap --print"
        raise ConfigError(f"command line: expected a client ({', '.join(CLIENTS)}), got {name}; {advice}")
    return CLIENTS[name]


def found(client: Client, around: Surroundings, where: Where) -> list[Found]:
    """The client's files that are there, in their order. Raises `ConfigError` where there is none."""
    places = existing(client, around, where)
    if not places:
        looked = ", ".join(dict.fromkeys(str(place.file) for place in _places(client, around, where)))
        advice = "start the client once, or name its file with --file"
        raise ConfigError(f"{client.title}: expected a configuration file, got none at {looked}; {advice}")
    return [read_place(place) for place in places]


def existing(client: Client, around: Surroundings, where: Where) -> list[Place]:
    """The client's places whose file is there. The packaged Claude Desktop does not see the files after its own."""
    there = [place for place in _places(client, around, where) if Path(place.file).exists()]
    return there[:1] if client.name == "claude-desktop" else there


def _places(client: Client, around: Surroundings, where: Where) -> Sequence[Place]:
    places = client.places(around)
    scopes = list(dict.fromkeys(place.scope for place in places))
    if where.scope is not None:
        if where.scope not in scopes:
            raise ConfigError(
                f"command line: expected --scope {' or '.join(scopes)}, got {where.scope}; use one of them"
            )
        places = tuple(place for place in places if place.scope == where.scope)
    if where.file is not None:
        return [Place("file", Path(where.file), places[-1].keys)]
    return places


def read_place(place: Place) -> Found:
    """A place's file. Raises `ConfigError` where it cannot be read or is not UTF-8."""
    path = Path(place.file)
    data = files.read(path)
    source = decode(data, str(path))
    return Found(place.scope, path, data, source, file_of(str(path), source.text, place.keys, is_toml=place.is_toml))


def holding(all_found: Sequence[Found], names: Iterable[str]) -> list[tuple[Found, list[str]]]:
    """The files that hold these servers, with the names each holds.

    Raises `ConfigError` for a name that none has, or that several have.
    """
    by_file = [(one, list[str]()) for one in all_found]
    there = [one.names() for one in all_found]
    for name in names:
        having = [held for (_, held), known in zip(by_file, there, strict=True) if name in known]
        if not having:
            raise missing_server(_files(all_found), name, dict.fromkeys(n for known in there for n in known))
        if len(having) > 1:
            scopes = " or ".join(one.scope for one, known in zip(all_found, there, strict=True) if name in known)
            raise ConfigError(f"{name}: expected a server of that name once, got {len(having)}; add --scope {scopes}")
        having[0].append(name)
    return [(one, held) for one, held in by_file if held]


def chosen(all_found: Sequence[Found], names: Sequence[str], is_wanted: Callable[[Entry], bool]) -> Sequence[str]:
    """The names, or where none is given the only server that is wanted. Raises `ConfigError` where there are more."""
    if names:
        return names
    wanted = [entry.name for one in all_found for entry in one.file.entries() if is_wanted(entry)]
    if len(wanted) == 1:
        return wanted
    looked = _files(all_found)
    if not wanted:
        raise ConfigError(f"{looked}: expected a server for this, got none; millpond clients shows what is there")
    raise ConfigError(
        f"{looked}: expected the name of a server, got none; name some of {', '.join(wanted)}, or say --all"
    )


def _files(all_found: Sequence[Found]) -> str:
    return ", ".join(dict.fromkeys(str(one.path) for one in all_found))
