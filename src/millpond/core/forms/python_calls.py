"""Calls inside Python literals: `Decimal('1.10')`, `datetime.datetime(2026, 1, 2, 3, 4)`, `UUID('...')` and the like.

Rule: a closed set of names, each with what its value is as JSON; any other call is no literal. Only the standard
library's own date types are ever made, from whole numbers. Imports `forms.text` and the standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta, timezone
from typing import NamedTuple

from millpond.core.forms.text import json_string


class NotLiteral(ValueError):
    """The text is no Python literal, or one that is not known here."""


class Argument(NamedTuple):
    """One argument of a call."""

    name: str | None
    value: str
    """Relaxed JSON; a time zone is the JSON string of its offset (`"+02:00"`) or of its name (`"[Europe/Rome]"`)."""


UTC = '"+00:00"'
"""How `datetime.timezone.utc` is written, as the offset of an ISO 8601 stamp."""

_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?+")
_integer = re.compile(r"-?[0-9]{1,18}")
_NOT_FINITE = {"NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity"}
_DATE_PARTS = ("year", "month", "day")
_TIME_PARTS = ("hour", "minute", "second", "microsecond")
_ZONED = ("tzinfo", "fold")


def write_call(name: str, arguments: Sequence[Argument]) -> str:
    """The value of a call as relaxed JSON. Raises `NotLiteral` where name or arguments are not known."""
    write = _CALLS.get(name.removeprefix("datetime.") if name.startswith("datetime.") else name.rpartition(".")[2])
    if write is None:
        raise NotLiteral
    return write(arguments)


def _single(arguments: Sequence[Argument]) -> str:
    if len(arguments) != 1 or arguments[0].name is not None:
        raise NotLiteral
    return arguments[0].value


def _text(arguments: Sequence[Argument]) -> str:
    value = _single(arguments)
    if not value.startswith('"'):
        raise NotLiteral
    return value


def _number_or_text(arguments: Sequence[Argument]) -> str:
    value = _single(arguments)
    if not value.startswith('"'):
        return value
    text = _text_of(value)
    if _number.fullmatch(text):
        return text
    return _NOT_FINITE.get(text, value)


def _container(arguments: Sequence[Argument]) -> str:
    """`set()`, `frozenset({1})`, `OrderedDict({...})`, `Counter({...})`: what is inside."""
    return _single(arguments) if arguments else "[]"


def _date(arguments: Sequence[Argument]) -> str:
    values = _whole_numbers(arguments, _DATE_PARTS)
    return _made(lambda: date(*_date_of(values)).isoformat())


def _datetime(arguments: Sequence[Argument]) -> str:
    values = _whole_numbers(arguments, (*_DATE_PARTS, *_TIME_PARTS))
    return _made(lambda: datetime(*_date_of(values), *_time_of(values)).isoformat() + _zone_suffix(arguments))


def _time(arguments: Sequence[Argument]) -> str:
    values = _whole_numbers(arguments, _TIME_PARTS)
    return _made(lambda: time(*_time_of(values)).isoformat() + _zone_suffix(arguments))


def _timedelta(arguments: Sequence[Argument]) -> str:
    values = _whole_numbers(arguments, ("days", "seconds", "microseconds"))
    return _made(lambda: str(timedelta(**values)))


def _timezone(arguments: Sequence[Argument]) -> str:
    """A fixed offset, whose one argument is a `timedelta` as it was written here: its text."""
    text = _text_of(_text(arguments[:1]))
    found = re.fullmatch(r"(?:(-?[0-9]+) days?, )?([0-9]+):([0-9]+):([0-9]+)", text)
    if found is None:
        raise NotLiteral
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    offset = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    return _made(lambda: datetime(2000, 1, 1, tzinfo=timezone(offset)).isoformat()[19:])


def _zone(arguments: Sequence[Argument]) -> str:
    """A zone by name, in the brackets of RFC 9557; its offset would need a table of zones."""
    if len(arguments) != 1:
        raise NotLiteral
    return json_string(f"[{_text_of(arguments[0].value)}]")


def _date_of(values: Mapping[str, int]) -> tuple[int, int, int]:
    return values["year"], values["month"], values["day"]


def _time_of(values: Mapping[str, int]) -> tuple[int, int, int, int]:
    return values.get("hour", 0), values.get("minute", 0), values.get("second", 0), values.get("microsecond", 0)


def _zone_suffix(arguments: Sequence[Argument]) -> str:
    for argument in arguments:
        if argument.name == "tzinfo" and argument.value != "null":
            return _text_of(argument.value)
    return ""


def _whole_numbers(arguments: Sequence[Argument], names: Sequence[str]) -> Mapping[str, int]:
    """The arguments by name; those by position take the names in order."""
    values: dict[str, int] = {}
    for at, argument in enumerate(arguments):
        name = argument.name or (names[at] if at < len(names) else "")
        if name in _ZONED:
            continue
        if name not in names or not _integer.fullmatch(argument.value):
            raise NotLiteral
        values[name] = int(argument.value)
    return values


def _made(make: Callable[[], str]) -> str:
    try:
        return json_string(make())
    except (ValueError, TypeError, KeyError, OverflowError):
        raise NotLiteral from None


def _text_of(value: str) -> str:
    if not value.startswith('"'):
        raise NotLiteral
    text: str = json.loads(value)
    return text


_CALLS: Mapping[str, Callable[[Sequence[Argument]], str]] = {
    "Decimal": _number_or_text,
    "date": _date,
    "datetime": _datetime,
    "time": _time,
    "timedelta": _timedelta,
    "timezone": _timezone,
    "ZoneInfo": _zone,
    **dict.fromkeys(("UUID", "ObjectId", "Timestamp", "str_"), _text),
    **dict.fromkeys(("Path", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath", "IPv4Address"), _text),
    **dict.fromkeys(("float64", "float32", "int64", "int32", "bytearray", "memoryview"), _single),
    **dict.fromkeys(("set", "frozenset", "OrderedDict", "Counter", "deque"), _container),
}
