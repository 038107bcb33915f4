"""JSONC: JSON as editors keep it, with comments and trailing commas: its values, and where each member lies.

Rule: the standard library judges and reads; what is found here is only where things lie in a text that it accepted.
Imports the clients' `text` and the standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from millpond.clients.text import Broken, Edit, Field, Span

title = "JSON"
"""The format's name in messages."""
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_COMMENT = r"//[^\n\r]*+|/\*(?>.*?\*/)"
"""Each takes all it can and gives nothing back: what ends a comment is not looked for behind its end."""
_MOST_DIGITS = 300
_string = re.compile(_STRING, re.DOTALL)
_trivia = re.compile(rf"(?:[ \t\r\n]++|{_COMMENT})*+", re.DOTALL)
_bracket = re.compile(rf"{_STRING}|{_COMMENT}|[{{}}\[\]]", re.DOTALL)
_scalar = re.compile(r"[^\s,\]}/]+")
_string_or_comment = re.compile(rf"{_STRING}|{_COMMENT}", re.DOTALL)
_string_or_comma = re.compile(rf"{_STRING}|[{{\[][ \t\r\n]*+,|,(?=[ \t\r\n]*+[}}\]])", re.DOTALL)
"""A comma behind an opening bracket trails nothing, and stays for the standard library to refuse."""
_line_before = re.compile(r"(?<=[{,])[ \t]*\r?\n[ \t]*\Z")
_visible = re.compile(r"[^\r\n]")


class _Member(NamedTuple):
    name: str
    key: Span
    value: Span


def read(text: str) -> Mapping[str, object]:
    """The values. Raises `Broken` with line and column."""
    try:
        value: object = _loads(text)
    except (ValueError, RecursionError):
        value = _read_with_comments(text)
    if not isinstance(value, dict):
        raise Broken(f"expected an object in braces, got a value of another kind ({type(value).__name__})")
    return cast("dict[str, object]", value)


def _read_with_comments(text: str) -> object:
    if not text.strip():
        raise Broken("expected an object in braces, got an empty file")
    try:
        return _loads(plain(text))
    except json.JSONDecodeError as error:
        raise Broken(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise Broken("brackets are nested too deep") from error


def _loads(text: str) -> object:
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int | float:
    """`int` refuses thousands of digits; nobody asks for their value here."""
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


def plain(text: str) -> str:
    """The text with spaces for comments and trailing commas, so that every place in it stays what it was."""
    return _string_or_comma.sub(_blank, _string_or_comment.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith(('"', "{", "[")) else _visible.sub(" ", found[0])


def locate(text: str, keys: Sequence[str], names: Iterable[str]) -> Mapping[str, Mapping[str, Field]]:
    """Where the members of these servers' entries lie. Raises `Broken` where a name on the way is there twice."""
    place = _trivia_end(text, 0)
    for key in keys:
        place = _only(_members(text, place), key).value.start
    servers = _members(text, place)
    return {name: _fields(text, _only(servers, name).value.start) for name in names}


def _fields(text: str, start: int) -> Mapping[str, Field]:
    """The members of an entry; of a command that is an object with `path` and `args`, as Zed had it, its own."""
    members = _members(text, start)
    command = next((member.value.start for member in members if member.name == "command"), None)
    if command is not None and text[command] == "{":
        members = _members(text, command)
        members = [member._replace(name="command") if member.name == "path" else member for member in members]
    found = (_only(members, name) for name in dict.fromkeys(member.name for member in members))
    return {member.name: Field(member.key, member.value) for member in found}


def _only(members: Sequence[_Member], name: str) -> _Member:
    found = [member for member in members if member.name == name]
    if len(found) != 1:
        raise Broken(f"expected {json.dumps(name, ensure_ascii=False)} once, got it {len(found)} times")
    return found[0]


def _members(text: str, start: int) -> list[_Member]:
    """The members of the object that begins there."""
    members: list[_Member] = []
    at = _trivia_end(text, start + 1)
    while text[at] != "}":
        key = Span(at, _value_end(text, at))
        value_start = _trivia_end(text, _trivia_end(text, key.stop) + 1)  # past the colon
        value = Span(value_start, _value_end(text, value_start))
        members.append(_Member(json.loads(key.of(text)), key, value))
        at = _past_comma(text, value.stop)
    return members


def elements(text: str, array: Span) -> Sequence[Span]:
    """Where the elements of a list lie."""
    found: list[Span] = []
    at = _trivia_end(text, array.start + 1)
    while text[at] != "]":
        found.append(Span(at, _value_end(text, at)))
        at = _past_comma(text, found[-1].stop)
    return found


def _past_comma(text: str, at: int) -> int:
    at = _trivia_end(text, at)
    return _trivia_end(text, at + 1) if text[at] == "," else at


def _trivia_end(text: str, at: int) -> int:
    """Where spaces and comments end."""
    found = _trivia.match(text, at)
    return at if found is None else found.end()


def _value_end(text: str, start: int) -> int:
    if text[start] not in "{[":
        found = (_string if text[start] == '"' else _scalar).match(text, start)
        assert found
        return found.end()
    depth = 0
    for found in _bracket.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if not depth:
            return found.end()
    raise Broken("a bracket is not closed")


def literal(value: str) -> str:
    """A string as JSON writes it."""
    return json.dumps(value, ensure_ascii=False)


def renamed(key: str, name: str) -> str:
    """Another key."""
    return literal(name) if key else ""


def with_args(text: str, command: Field, array: str) -> Edit:
    """The edit that puts `args` behind the command, on a line of its own where the command has one."""
    line = _line_before.search(text, 0, command.key.start)
    return Edit(command.value.stop, command.value.stop, f',{line[0] if line else " "}"args": {array}')


def without_args(text: str, command: Field, args: Field) -> Edit:
    """The edit that takes `args` out, with the comma before."""
    return Edit(command.value.stop, args.value.stop, "")


def has_own_args(text: str, command: Field, args: Field) -> bool:
    """True where only a comma and spaces stand between the command and `args`."""
    between = text[command.value.stop : args.key.start]
    return command.value.stop <= args.key.start and between[:1] == "," and not between[1:].strip(" \t\r\n")
