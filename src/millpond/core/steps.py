"""Steps: what a message tells an agent to send next, whole, so that it works as printed.

Rule: a step is the last thing of a message, on lines of its own: SQL as it is, or the arguments as JSON where SQL is not all of them.
Imports msgspec.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

MAX_STEP_CHARACTERS = 600
"""A statement longer than this is not printed again to change a word of it."""
LABEL = "\nTry:\n  "
"""Stands between a message and its step."""
SHOW_TABLES = "SHOW TABLES"
LATEST_CALLS = "SELECT number, tool, tables FROM calls ORDER BY number DESC LIMIT 20"
"""Names the tables that are not made yet too."""


class Step(msgspec.Struct, frozen=True):
    """A statement, and what else is given with it."""

    sql: str
    more: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        """As it is printed."""
        return msgspec.json.encode({"sql": self.sql, **self.more}).decode() if self.more else self.sql


def addressed(step: str, canvas: str) -> str:
    """A step as arguments that name the canvas too which the call named."""
    arguments = msgspec.json.decode(step) if step.startswith("{") else {"sql": step}
    return msgspec.json.encode({**arguments, "canvas": canvas}).decode()
