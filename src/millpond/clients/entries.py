"""Entries: what a client's configuration says of each server, and whether Millpond stands before it already.

Rule: an entry is judged by its values alone, however it is written. Imports `core.errors` and the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from millpond.core.errors import ConfigError

URL_KEYS = ("url", "httpUrl", "serverUrl")
"""Where clients keep the address of a remote server: most, Gemini CLI, Windsurf."""
SIGN_IN_KEYS = ("oauth", "auth", "authProviderType", "oauth_resource", "scopes")
"""Members that say that the client signs in to a remote server."""
MADE_HEADER_KEYS = ("bearer_token_env_var", "http_headers", "env_http_headers", "headersHelper")
"""Members from which a client makes up headers in a way of its own."""
HEADER_VARIABLE = "MILLPOND_HEADER_"
"""What the names of variables that hold headers begin with."""
_own_word = re.compile(r"(?:^|[/\\])millpond(?:\.exe|@[^/\\]*|==[^/\\]*)?$")
_not_a_letter = re.compile(r"[^0-9A-Za-z]")
_loopback = re.compile(r"https?://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)", re.IGNORECASE)


class State(StrEnum):
    """What can be done with an entry."""

    LOCAL = "local"
    """A command that can be wrapped."""
    WRAPPED = "wrapped"
    """A command behind Millpond."""
    REMOTE = "remote"
    """An address."""
    WRAPPED_REMOTE = "wrapped remote"
    """An address behind Millpond."""
    OTHER = "other"
    """Nothing; `Entry.reason` says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A server in a client's configuration."""

    name: str
    state: State
    values: Mapping[str, object]
    """The entry's members; of a command that is an object, as Zed had it, its own."""
    reason: str = ""
    """Why nothing can be done, where that is so."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command and its arguments; empty where there is none."""
        command = self.values.get("command")
        return (command, *_strings(self.values.get("args"))) if isinstance(command, str) else ()

    @property
    def is_wrapped(self) -> bool:
        """True for what stands behind Millpond."""
        return self.state in (State.WRAPPED, State.WRAPPED_REMOTE)

    @property
    def head(self) -> int:
        """How many of the words are Millpond's, `--` among them; 0 where it is not wrapped."""
        return self.words.index("--") + 1 if self.state is State.WRAPPED else 0

    @property
    def url(self) -> str | None:
        """The address of a remote server, behind Millpond or not."""
        if self.state is State.WRAPPED_REMOTE:
            return self.words[-1]
        return next((value for key in URL_KEYS if isinstance(value := self.values.get(key), str)), None)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that are sent to a remote server, behind Millpond those whose values its `env` holds."""
        if self.state is not State.WRAPPED_REMOTE:
            return {name: str(value) for name, value in _table(self.values.get("headers")).items()}
        options = (word.partition("=") for at, word in enumerate(self.words[1:]) if self.words[at] == "--header-env")
        return {name: str(self.env[variable]) for name, _, variable in options if variable in self.env}

    @property
    def env(self) -> Mapping[str, object]:
        """The variables that it sets."""
        return _table(self.values.get("env"))

    @property
    def header_variables(self) -> Mapping[str, str]:
        """For each header, the name of the variable that holds its value behind Millpond; none that `env` has."""
        taken = {name.upper() for name in self.env}
        found: dict[str, str] = {}
        for name in self.headers:
            plain = HEADER_VARIABLE + _not_a_letter.sub("_", name).upper()
            names = (plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3)))
            found[name] = next(each for each in names if each not in taken)
            taken.add(found[name])
        return found

    @property
    def header_options(self) -> tuple[str, ...]:
        """Its headers as options of the command line, which every user of the machine can read: without the values."""
        named = self.header_variables.items()
        return tuple(word for name, variable in named for word in ("--header-env", f"{name}={variable}"))

    @property
    def program(self) -> tuple[str, ...]:
        """Of an address behind Millpond, the words before its headers and itself."""
        words = self.words[:-1]
        end = next((at for at, word in enumerate(words) if word in ("--header", "--header-env")), len(words))
        return words[:end]

    @property
    def is_loopback(self) -> bool:
        """True for an address on this machine."""
        return _loopback.match(self.url or "") is not None


def read_entries(values: Mapping[str, object], keys: Sequence[str]) -> tuple[Entry, ...]:
    """The servers to which the keys lead, in their order; none where there is no such table.

    Raises `ConfigError` where something else stands there.
    """
    table = values
    for key in keys:
        inner = table.get(key, {})
        if not isinstance(inner, Mapping):
            raise ConfigError(f"{'.'.join(keys)}: expected an object of servers, got another kind of value")
        table = cast("Mapping[str, object]", inner)
    return tuple(_entry(name, value) for name, value in table.items())


def _entry(name: str, value: object) -> Entry:
    if not isinstance(value, Mapping):
        return Entry(name, State.OTHER, {}, "its entry is no object")
    values = cast("Mapping[str, object]", value)
    command = values.get("command")
    if isinstance(command, Mapping):
        inner = cast("Mapping[str, object]", command)
        values = {**values, **inner, "command": inner.get("path")}
    return _judged(name, values)


def _judged(name: str, values: Mapping[str, object]) -> Entry:
    command, args = values.get("command"), values.get("args", [])
    if command is not None and (reason := _flaw(command, args)):
        return Entry(name, State.OTHER, values, reason)
    if command is not None:
        return Entry(name, *_state((cast(str, command), *_strings(args)), values))
    if not any(isinstance(values.get(key), str) for key in URL_KEYS):
        return Entry(name, State.OTHER, values, "its entry names neither a command nor an address")
    if any(values.get(key) for key in SIGN_IN_KEYS):
        return Entry(name, State.OTHER, values, "it signs in by OAuth, which ends at the client and not at Millpond")
    if any(values.get(key) for key in MADE_HEADER_KEYS):
        return Entry(name, State.OTHER, values, "the client makes up its headers, and would not make them for Millpond")
    return Entry(name, State.REMOTE, values)


def _flaw(command: object, args: object) -> str:
    if not isinstance(command, str) or not command:
        return "its command is no text"
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in cast("list[object]", args)):
        return "its args are no list of texts"
    return ""


def _state(words: tuple[str, ...], values: Mapping[str, object]) -> tuple[State, Mapping[str, object], str]:
    head = words[: words.index("--")] if "--" in words else words
    if not any(map(_own_word.search, head)):
        return State.LOCAL, values, ""
    if len(head) + 1 < len(words):
        return State.WRAPPED, values, ""
    if head is words and words[-1].lower().startswith(("http://", "https://")):
        return State.WRAPPED_REMOTE, values, ""
    return State.OTHER, values, "it is Millpond itself, and its command stands elsewhere"


def _table(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _strings(value: object) -> tuple[str, ...]:
    return tuple(cast("list[str]", value)) if isinstance(value, list) else ()
