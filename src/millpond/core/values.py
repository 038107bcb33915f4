"""Values: what a decoded JSON value is, told to the type checker.

Rule: one question each, no judgement. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """True for a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """True for a JSON list."""
    return isinstance(value, list)


def member(value: object, key: str) -> Any:
    """A member of an object; None where there is no such object or member."""
    return value.get(key) if is_object(value) else None


def objects(value: object) -> Iterator[dict[str, Any]]:
    """Every object at and below a value, in no order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if is_object(item):
            yield item
            stack.extend(item.values())
        elif is_list(item):
            stack.extend(item)
