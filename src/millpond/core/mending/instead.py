"""Instead: what an agent may send in place of a statement that is not a read.

Rule: the same data is read, or the same is done by an argument of the own tool. Imports `core.steps`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from millpond.core.steps import Step

_NAME = r"(?P<t>[\w\".]+)"
_Make = Callable[[re.Match[str]], Step]


def _kept(found: re.Match[str]) -> Step:
    return Step(found["q"].strip(), {"save_as": found["t"].rsplit(".", 1)[-1].strip('"').lower()})


_ROWS: tuple[tuple[str, _Make], ...] = (
    (rf"create\b.*?\b(?:table|view)\s+(?:if\s+not\s+exists\s+)?{_NAME}\s+as\b(?P<q>.*)", _kept),
    (r"copy\s*\((?P<q>.*)\)\s*to\b.*", lambda found: Step(found["q"].strip(), {"format": "csv"})),
    (rf"copy\s+{_NAME}.*?\bto\b.*", lambda found: Step(f"FROM {found['t']}", {"format": "csv"})),
    (rf"(?:pragma|call)\s+(?:pragma_)?(?:table_info|show)\s*\(\s*'?{_NAME}'?\s*\).*", lambda found: Step(f"DESCRIBE {found['t']}")),
    (rf"(?:delete\s+from|truncate(?:\s+table)?|update|insert\s+into|alter\s+table|drop\s+(?:table|view))\s+(?:if\s+exists\s+)?{_NAME}.*",
     lambda found: Step(f"FROM {found['t']} LIMIT 5")),
    (rf"pivot\s+{_NAME}\s+on\s+(?P<c>[\w\".]+).*", lambda found: Step(f"SELECT DISTINCT {found['c']} FROM {found['t']}")),
    (r"prepare\s+\w+\s+as\b(?P<q>.*)", lambda found: Step(found["q"].strip())),
)  # fmt: skip
ROWS = tuple((re.compile(pattern, re.IGNORECASE | re.DOTALL), make) for pattern, make in _ROWS)
"""Statements, each with what may be sent in their place."""


def instead(sql: str) -> Iterator[Step]:
    """What may be sent, the likeliest first."""
    for pattern, make in ROWS:
        if found := pattern.fullmatch(sql.strip()):
            yield make(found)
