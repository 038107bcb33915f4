"""Server end: what the relay asks of a server and hears of it, be it a process or a URL.

Rule: lines only; how they travel is the end's own affair, and what is said here is said on the loop. Imports the
standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Owner(Protocol):
    """What hears of the server. Called on the loop."""

    def on_line(self, line: bytes) -> None:
        """A line of the server; the last one may lack its end."""
        ...

    def on_full(self, full: bool) -> None:
        """Whether the server takes no more for now."""
        ...

    def on_deaf(self) -> None:
        """It hears or speaks no more, and it has not ended itself."""
        ...

    def on_exit(self) -> None:
        """It has ended, and all that it said was heard."""
        ...


class ServerEnd(Protocol):
    """A server that has been started, or is being connected to."""

    @property
    def has_ended(self) -> bool:
        """True where it is over; what it said may still be on its way."""
        ...

    def write(self, line: bytes) -> None:
        """Send a line, after those before it; lost where nobody reads any more."""
        ...

    def close(self) -> None:
        """Let it end by itself: no line follows those that were written."""
        ...

    def pause(self) -> None:
        """Have no more of its lines for now."""
        ...

    def resume(self) -> None:
        """Have its lines again."""
        ...

    def terminate(self) -> None:
        """End it soon, in order, and all that it started."""
        ...

    def kill(self) -> None:
        """End at once what is left of it."""
        ...

    def last_words(self) -> str:
        """How it ended, and what may tell why: the start of a sentence that goes on with what to do."""
        ...


StartServer = Callable[[Owner], ServerEnd]
"""Starts the server for its owner. Raises `ServerFailed` where it cannot be started."""
