"""Signals: the ones that ask us to end, on the event loop.

Rule: what is done about one is its owner's. Imports asyncio and the standard library only.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress

EXIT_SIGNAL = 128
"""Added to a signal's number: what shells show of a process that a signal ended."""


def watch_signals(on_signal: Callable[[int], None]) -> None:
    """Have SIGTERM, SIGINT and SIGHUP call this with their number, where the system has them."""
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError, RuntimeError):
            number: int = getattr(signal, name)
            loop.add_signal_handler(number, on_signal, number)
