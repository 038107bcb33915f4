"""Values: what a decoded JSON value is, told to the type checker.

Rule: one question each, no judgement. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """True for a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """True for a JSON list."""
    return isinstance(value, list)


def object_of(value: object) -> dict[str, Any]:
    """The value where it is an object, an empty one else."""
    return value if is_object(value) else {}


def list_of(value: object) -> list[Any]:
    """The value where it is a list, an empty one else."""
    return value if is_list(value) else []


def member(value: object, key: str) -> Any:
    """A member of an object; None where there is no such object or member."""
    return value.get(key) if is_object(value) else None


def objects(value: object, without: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Every object at and below a value, in no order; members of the names in `without` are passed over."""
    stack = [value]
    while stack:
        item = stack.pop()
        if is_object(item):
            yield item
            stack.extend(below for key, below in item.items() if key not in without)
        elif is_list(item):
            stack.extend(item)
