"""Text: a configuration file as text in which places are known, and edits that touch nothing else.

Rule: what is not edited stays byte for byte: byte order mark, line ends, spaces. Imports `core.errors` and the standard
library only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from millpond.core.errors import ConfigError

_BOM = "\ufeff"


class Span(NamedTuple):
    """A part of a text: `text[start:stop]`."""

    start: int
    stop: int

    def of(self, text: str) -> str:
        """The part."""
        return text[self.start : self.stop]


class Edit(NamedTuple):
    """Put `new` in the place of `text[start:stop]`."""

    start: int
    stop: int
    new: str


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a server's entry, in the text."""

    key: Span
    """The key as it is written, with what is dotted before it."""
    value: Span


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text, decoded."""

    text: str
    """Without a byte order mark; line ends as they are."""
    has_mark: bool
    """True where the file begins with a byte order mark."""

    def encoded(self, text: str) -> bytes:
        """Another text as the bytes of this file."""
        return ((_BOM if self.has_mark else "") + text).encode()


class Broken(Exception):
    """A text that its format refuses; the message says what is wrong and where, without the text, which may hold secrets."""


class Format(Protocol):
    """What a format of configuration files must know."""

    @property
    def title(self) -> str:
        """Its name in messages."""
        ...

    def read(self, text: str) -> Mapping[str, object]:
        """The values of the whole text. Raises `Broken`."""
        ...

    def locate(self, text: str, keys: Sequence[str], names: Iterable[str]) -> Mapping[str, Mapping[str, Field]]:
        """Where the members of these servers' entries lie, for a text that was read; `keys` lead to the servers.

        Raises `Broken` where that cannot be told, or a name is there twice.
        """
        ...

    def elements(self, text: str, array: Span) -> Sequence[Span]:
        """Where the elements of a list of strings lie."""
        ...

    def literal(self, value: str) -> str:
        """A string as it is written in this format."""
        ...

    def renamed(self, key: str, name: str) -> str:
        """A key as it is written, with another name."""
        ...

    def with_args(self, text: str, command: Field, array: str) -> Edit:
        """The edit that gives an entry without `args` the list, beside its command."""
        ...

    def without_args(self, text: str, command: Field, args: Field) -> Edit:
        """The edit that takes out what `with_args` put in."""
        ...

    def has_own_args(self, text: str, command: Field, args: Field) -> bool:
        """True where `args` stand where `with_args` puts them."""
        ...


def decode(data: bytes, source: str) -> Source:
    """The text of a file. Raises `ConfigError`, which names the `source`, where it is not UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        problem = f"expected UTF-8 text, got another byte at offset {error.start:,}"
        raise ConfigError(f"{source}: {problem}; nothing was changed, save the file as UTF-8 first") from error
    return Source(text.removeprefix(_BOM), text.startswith(_BOM))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made; they do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        pieces += (text[at : edit.start], edit.new)
        at = edit.stop
    return "".join((*pieces, text[at:]))


def difference(old: str, new: str, name: str) -> str:
    """The lines that differ, as `diff -U0` shows them: lines that stay may hold secrets."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, f"{name} (changed)", n=0, lineterm="")
    return "".join(f"{line}\n" for line in lines)
