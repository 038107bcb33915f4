"""Leaves: a deep JSON value as rows of its paths and of the values that hold no other.

Rule: nothing is left out: an empty list or object is a leaf, and what lies too deep is one leaf with its JSON text. Imports `core.raw`
and msgspec only.
"""

from __future__ import annotations

import msgspec

from millpond.core.raw import ARRAY, OBJECT, child_step, first_byte, read_elements, read_members

MAX_LEAF_DEPTH = 64
"""Depth to which leaves are listed; what lies deeper is one leaf holding its JSON text."""
MAX_REMEMBERED_KEYS = 1 << 16


def read_leaves(raw: msgspec.Raw, root: str) -> list[msgspec.Raw]:
    """A row `[path, value]` for each leaf of an object or a list, in order."""
    reader = _Reader()
    reader.read(raw, root, 0)
    return reader.rows


class _Steps(dict[str, str]):
    """How a key is written in a path; keys of a deep value come again and again."""

    def __missing__(self, key: str) -> str:
        step = child_step(key)
        if len(self) < MAX_REMEMBERED_KEYS:
            self[key] = step
        return step


class _Reader:
    """The rows so far."""

    def __init__(self) -> None:
        self.rows: list[msgspec.Raw] = []
        self._steps = _Steps()

    def read(self, raw: msgspec.Raw, path: str, depth: int) -> None:
        """Add the leaves of a value."""
        kind = first_byte(raw)
        if kind not in (OBJECT, ARRAY):
            self._add(path, bytes(raw))
        elif depth >= MAX_LEAF_DEPTH:
            self._add(path, msgspec.json.encode(bytes(raw).decode()))
        elif kind == OBJECT:
            members = read_members(raw)
            for key, value in members.items():
                self.read(value, path + self._steps[key], depth + 1)
            if not members:
                self._add(path, b'"{}"')
        else:
            elements = read_elements(raw)
            for at, value in enumerate(elements):
                self.read(value, f"{path}[{at}]", depth + 1)
            if not elements:
                self._add(path, b'"[]"')

    def _add(self, path: str, value: bytes) -> None:
        self.rows.append(msgspec.Raw(b"[%b,%b]" % (msgspec.json.encode(path), value)))
