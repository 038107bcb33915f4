"""Schema texts: what a server's `outputSchema` says of the fields of the rows at a path.

Rule: a schema is other people's text: whatever it is, something bounded comes out, never an error; nothing is fetched, and no word
of it is obeyed. Imports `core.clip`, `core.values` and msgspec.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from millpond.core.clip import shown
from millpond.core.values import is_list, is_object, member, objects

MAX_TEXT_CHARACTERS = 300
"""Of what is said of one field: two or three sentences."""
MAX_FIELDS = 500
"""Fields of a row, nested ones included, that are looked at."""
MAX_DEPTH = 8
"""Objects within objects; STRUCT goes as deep."""
MAX_NODES = 20_000
"""Parts of one schema that are looked at: definitions may refer to one another without end."""
MAX_VALUES = 12
"""Values of an enumeration that are named."""
MAX_VALUE_CHARACTERS = 40

Field = tuple[str, ...]
"""The names of a field from the row down; `()` is the row itself."""
_Schema = dict[str, Any]

_STEP = re.compile(r'\.(?:(?P<plain>[A-Za-z_][A-Za-z0-9_]*)|(?P<quoted>"(?:[^"\\]|\\.)*"))|\[(?P<at>[0-9]+)\]')
_UNITS = ("unit", "units", "x-unit", "x-units")
_CHOICES = ("anyOf", "oneOf", "allOf")
_WRAPPER = "result"
"""The member in which SDK servers wrap what is no object."""


def read_schema(raw: bytes) -> object:
    """The schema in a JSON text; None where it cannot be read."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def row_fields(schema: object, path: str) -> dict[Field, str]:
    """The fields of the rows of the list at a JSON path, each with what is said of it: "" where that is nothing."""
    walk = _Walk(schema)
    steps = _steps(path)
    if steps is None:
        return {}
    ways = (steps, [_WRAPPER, *steps])
    found = (rows for way in ways if (rows := walk.rows(walk.descend([schema], way))))
    return walk.fields(next(found, ()))


def property_names(schema: object) -> frozenset[str]:
    """The names of all properties in a schema, wherever they stand."""
    found = (member(node, "properties") for node in objects(schema))
    return frozenset(str(name) for properties in found if is_object(properties) for name in properties)


def one_line(text: object, max_characters: int) -> str:
    """A text of other people's on one line, clipped; "" for what is no text."""
    return shown(" ".join(text.split()), max_characters) if isinstance(text, str) else ""


def _steps(path: str) -> list[str | int] | None:
    """The members and elements on the way from `$`; None where the path is no such way."""
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return None
        at = found.end()
        plain, quoted = found["plain"], found["quoted"]
        steps.append(plain or (msgspec.json.decode(quoted, type=str) if quoted else int(found["at"])))
    return steps


class _Walk:
    """Looks at the parts of one schema, at so many and no more."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._left = MAX_NODES

    def descend(self, places: Sequence[object], steps: Sequence[str | int]) -> Sequence[object]:
        """The schemas of what lies at the end of these steps; none where the schema does not tell."""
        for step in steps:
            places = [below for node in self._views(places) for below in _child(node, step)]
        return places

    def rows(self, places: Sequence[object]) -> Sequence[object]:
        """The schemas of the rows of a list, or of a map of like objects."""
        views = list(self._views(places))
        items = [item for node in views for item in _items(node)]
        return items or [more for node in views if is_object(more := node.get("additionalProperties"))]

    def fields(self, rows: Sequence[object]) -> dict[Field, str]:
        """The fields of rows and of what is nested in them, the outer ones first."""
        found: dict[Field, str] = {}
        level: list[tuple[Field, Sequence[object]]] = [((), rows)] if rows else []
        for _ in range(MAX_DEPTH):
            below: list[tuple[Field, Sequence[object]]] = []
            for field, places in level:
                views = list(self._views(places))
                if len(found) >= MAX_FIELDS or not views:
                    continue
                found.setdefault(field, _text(field[-1] if field else "", views))
                if len(below) < MAX_FIELDS:
                    below += [((*field, name), [schema]) for name, schema in self._members(views)]
            level = below[:MAX_FIELDS]
        return found

    def _members(self, views: Sequence[_Schema]) -> Iterator[tuple[str, object]]:
        """The properties of an object, or of the objects in a list."""
        inside = [item for node in views for item in _items(node)]
        for node in (*views, *self._views(inside)):
            properties = node.get("properties")
            if is_object(properties):
                yield from properties.items()

    def _views(self, places: Sequence[object]) -> Iterator[_Schema]:
        """These schemas with all that they refer to or choose from, each once, what stands nearest first."""
        waiting, seen = deque(places), set[int]()
        while waiting and self._left > 0:
            node = waiting.popleft()
            self._left -= 1
            if not is_object(node) or id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            waiting.append(self._at(node.get("$ref")))
            for choice in _CHOICES:
                waiting += choices if is_list(choices := node.get(choice)) else []

    def _at(self, reference: object) -> object:
        """What a reference within the schema (`#/$defs/User`) names; None for anything else."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        found = self._root
        for part in reference.split("/")[1:]:
            found = member(found, part.replace("~1", "/").replace("~0", "~"))
        return found


def _child(node: _Schema, step: str | int) -> list[object]:
    """The schemas of one member or element."""
    if isinstance(step, int):
        return list(_items(node))
    properties = node.get("properties")
    if is_object(properties) and step in properties:
        return [properties[step]]
    more = node.get("additionalProperties")
    return [more] if is_object(more) else []


def _items(node: _Schema) -> Iterator[object]:
    """The schemas of the elements of a list."""
    items, first = node.get("items"), node.get("prefixItems")
    if is_object(items):
        yield items
    for one in (items, first):
        if is_list(one):
            yield from one


# --- what is said of one field --------------------------------------------------------------------------------------


def _text(name: str, views: Sequence[_Schema]) -> str:
    """Its description, else a title that tells more than its name; its values where they are listed; its unit."""
    titles = (title for title in _said(views, ("title",)) if _letters(title) != _letters(name))
    says = next((text for text in _said(views, ("description",))), "") or next(titles, "")
    parts = [says, _values(views), *(f"unit: {unit}" for unit in list(_said(views, _UNITS))[:1])]
    return one_line("; ".join(part for part in parts if part), MAX_TEXT_CHARACTERS)


def _said(views: Sequence[_Schema], keys: Sequence[str]) -> Iterator[str]:
    for node in views:
        for key in keys:
            if text := one_line(node.get(key), 2 * MAX_TEXT_CHARACTERS):
                yield text


def _values(views: Sequence[_Schema]) -> str:
    """`one of open, closed`."""
    found: dict[str, None] = {}
    for node in views:
        listed = node.get("enum")
        for value in (*(listed if is_list(listed) else ()), *((node["const"],) if "const" in node else ())):
            found[_value(value)] = None
    found.pop("null", None)
    shown_values = list(found)[:MAX_VALUES] + (["…"] if len(found) > MAX_VALUES else [])
    return f"one of {', '.join(shown_values)}" if shown_values else ""


def _value(value: object) -> str:
    if is_list(value) or is_object(value):
        return "…"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return one_line(text, MAX_VALUE_CHARACTERS)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def texts_of_columns(fields: Mapping[Field, str]) -> dict[str, str]:
    """What is said of each field of the row: of itself, then of what is nested in it, as `user.login: ...`."""
    found: dict[str, list[str]] = {}
    for field, text in fields.items():
        if field and text:
            found.setdefault(field[0], []).append(text if len(field) == 1 else f"{'.'.join(field)}: {text}")
    return {name: "; ".join(texts) for name, texts in found.items()}
