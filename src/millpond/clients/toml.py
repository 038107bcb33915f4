"""TOML, as Codex keeps it: its values, and where each member of a server's table lies, in whichever form it is written.

Rule: `tomllib` judges and reads, `tomlkit` finds; a text that `tomlkit` would not give back as it came is not edited.
The only importer of `tomlkit`. Imports `core.toml_text`, the clients' `text`, tomlkit and the standard library.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from millpond.clients.text import Broken, Edit, Field, Span
from millpond.core.toml_text import basic_string

title = "TOML"
"""The format's name in messages."""
_MARK = "millpond finds its place"
_piece = re.compile(
    r"\"\"\".*?(?<!\\)(?:\\\\)*\"{3,5}|'''.*?'{3,5}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*|[\[\],]|\s+", re.DOTALL
)
_block_key = re.compile(r"""(?:[\w.\- \t]|"(?:[^"\\]|\\.)*"|'[^']*')*""")
_last_key = re.compile(r"""(?:\w+|"\w+"|'\w+')(?=[ \t]*$)""")


def read(text: str) -> Mapping[str, object]:
    """The values. Raises `Broken` with line and column."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise Broken("brackets are nested too deep") from error
    except ValueError as error:  # TOMLDecodeError is one, and so is an integer of thousands of digits.
        raise Broken(str(error)) from error


def locate(text: str, keys: Sequence[str], names: Iterable[str]) -> Mapping[str, Mapping[str, Field]]:
    """Where `command`, `args` and `url` of these servers' tables lie. Raises `Broken` where that cannot be told."""
    values: Any = read(text)
    for key in keys:
        values = values[key]
    return {
        name: {key: _field(text, (*keys, name, key)) for key in ("command", "args", "url") if key in values[name]}
        for name in names
    }


def _field(text: str, path: Sequence[str]) -> Field:
    value = _value_span(text, path)
    line = max(text.rfind("\n", 0, value.start) + 1, 0)
    before = text[line : value.start]
    equals = before.rfind("=")
    if _block_key.fullmatch(before[:equals]):
        return Field(Span(line, line + equals), value)
    start = line + max(before.rfind("{", 0, equals), before.rfind(",", 0, equals)) + 1
    return Field(Span(start, line + equals), value)


def _value_span(text: str, path: Sequence[str]) -> Span:
    """Where a value lies: the text is written with another in its place, and everything around must be as it was."""
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = _MARK
        before, _, after = tomlkit.dumps(document).partition(literal(_MARK))
    except (TOMLKitError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise Broken(f"{'.'.join(path)} cannot be found in the text") from error
    span = Span(len(before), len(text) - len(after))
    if not (text.startswith(before) and text.endswith(after) and span.start < span.stop):
        raise Broken(f"{'.'.join(path)} is written in a way that cannot be changed alone")
    return span


def elements(text: str, array: Span) -> Sequence[Span]:
    """Where the strings of a list of strings lie."""
    found = _piece.finditer(text, array.start, array.stop)
    return [Span(*piece.span()) for piece in found if piece[0][0] in "\"'"]


def literal(value: str) -> str:
    """A string as a basic string of TOML."""
    return basic_string(value)


def renamed(key: str, name: str) -> str:
    """The key with another last part: indentation and what is dotted before it stay."""
    return _last_key.sub(name, key)


def with_args(text: str, command: Field, array: str) -> Edit:
    """The edit that puts `args` on a line before the command's, or behind it in an inline table."""
    if not _is_block(text, command):
        return Edit(command.value.stop, command.value.stop, f", args = {array}")
    end = text.find("\n", command.value.stop)
    line_end = "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
    return Edit(command.key.start, command.key.start, f"{renamed(command.key.of(text), 'args')}= {array}{line_end}")


def without_args(text: str, command: Field, args: Field) -> Edit:
    """The edit that takes out what `with_args` put in."""
    if _is_block(text, command):
        return Edit(args.key.start, command.key.start, "")
    return Edit(command.value.stop, args.value.stop, "")


def has_own_args(text: str, command: Field, args: Field) -> bool:
    """True where `args` stand where `with_args` puts them."""
    if not _is_block(text, command):
        return text[command.value.stop : args.value.start] == ", args = "
    between = text[args.value.stop : command.key.start]
    return text[args.key.start : args.value.start] == f"{renamed(command.key.of(text), 'args')}= " and between in (
        "\n",
        "\r\n",
    )


def _is_block(text: str, field: Field) -> bool:
    """True for a member on a line of its own; false in an inline table."""
    return field.key.start == 0 or text[field.key.start - 1] == "\n"
