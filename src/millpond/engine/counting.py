"""Counting: what the engine of one session did, in numbers, as its calls go by.

Rule: nothing of a call is held but its tool's name, and a count costs no call more than a fraction of a millisecond. Imports `core`.
"""

from __future__ import annotations

from millpond.core.stats import MAX_TOOLS, OTHERS, SessionCount, ToolCount
from millpond.core.tokens import estimate_tokens_of


class Counting:
    """The counts of one session."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolCount] = {}
        self._queries = 0
        self._restarts = 0
        self._evicted_before = 0
        """By processes that have ended."""
        self._evicted = 0

    def kept(self, tool: str, size_bytes: int) -> None:
        """A result went on as it came."""
        self._add(tool, ToolCount(calls=1, bytes=size_bytes))

    def replaced(self, tool: str, result: bytes | memoryview, body: bytes) -> None:
        """A result became a table, and the body went on in its place."""
        tokens = estimate_tokens_of(result) - estimate_tokens_of(body)
        size = len(result)
        self._add(
            tool,
            ToolCount(
                calls=1,
                replaced=1,
                bytes=size,
                kept_out_bytes=max(size - len(body), 0),
                kept_out_tokens=max(tokens, 0),
            ),
        )

    def asked(self) -> None:
        """The own tool was called."""
        self._queries += 1

    def evicted(self, total: int) -> None:
        """So many calls were evicted since the running process began."""
        self._evicted = total

    def restarted(self) -> None:
        """The process has ended, and another takes its place."""
        self._restarts += 1
        self._evicted_before += self._evicted
        self._evicted = 0

    def session(self, server: str, time: str) -> SessionCount:
        """All of it, for a session with this server that ended at that time."""
        return SessionCount(
            time=time,
            server=server,
            tools=dict(self._tools),
            queries=self._queries,
            evictions=self._evicted_before + self._evicted,
            restarts=self._restarts,
        )

    def _add(self, tool: str, count: ToolCount) -> None:
        name = tool if tool in self._tools or len(self._tools) < MAX_TOOLS else OTHERS
        before = self._tools.get(name)
        self._tools[name] = count if before is None else before.plus(count)
