"""Seats: which of many may have one of a few places, and who makes way.

Rule: who was used longest ago goes first, and never one that is busy; whoever has just come is left a moment to be used again, for to
come costs more than most uses do. The clock arrives as an argument, in seconds. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

LINGER_SECONDS = 0.1
"""Without a use, after which one that has just come makes way: a client that asks again at once has asked by then."""
STAY_SECONDS = 1.0
"""Since it came, after which one makes way however often it is used."""

Who = TypeVar("Who", bound=Hashable)


class Seats(Generic[Who]):
    """So many places, and who has them."""

    def __init__(self, most: int, idle_seconds: float) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._used: dict[Who, float] = {}
        """When each was used last, the longest ago first."""
        self._came: dict[Who, float] = {}

    def __len__(self) -> int:
        return len(self._used)

    def take(self, who: Who, now_seconds: float) -> bool:
        """Give a place, where one is free or is had already."""
        if who not in self._used and len(self._used) >= self._most:
            return False
        self._used.pop(who, None)
        self._used[who] = now_seconds
        self._came.setdefault(who, now_seconds)
        return True

    def touch(self, who: Who, now_seconds: float) -> None:
        """Note that someone with a place is used; others are passed over."""
        if self._used.pop(who, None) is not None:
            self._used[who] = now_seconds

    def settle(self, who: Who, now_seconds: float) -> None:
        """Note that someone with a place has only now come, for it takes a while; others are passed over."""
        if who in self._used:
            self._came[who] = now_seconds
            self.touch(who, now_seconds)

    def leave(self, who: Who) -> bool:
        """Free a place. True where one was had."""
        self._came.pop(who, None)
        return self._used.pop(who, None) is not None

    def make_way(self, count: int, is_busy: Callable[[Who], bool], now_seconds: float) -> tuple[Who, ...]:
        """Who is to leave, the longest unused first, for so many to come in; fewer where the others are busy, or have just come."""
        may_leave = (who for who in self._used if not is_busy(who) and not self._has_just_come(who, now_seconds))
        return tuple(may_leave)[: max(count - (self._most - len(self._used)), 0)]

    def _has_just_come(self, who: Who, now_seconds: float) -> bool:
        return now_seconds - self._used[who] < LINGER_SECONDS and now_seconds - self._came[who] < STAY_SECONDS

    def idle(self, now_seconds: float, is_busy: Callable[[Who], bool]) -> tuple[Who, ...]:
        """Who was not used for `idle_seconds`."""
        return tuple(
            who for who, at in self._used.items() if now_seconds - at >= self._idle_seconds and not is_busy(who)
        )

    def next_look_seconds(self, now_seconds: float) -> float | None:
        """How long from now until somebody may be idle; at least a tenth of `idle_seconds`, for one that is busy then."""
        if not self._used:
            return None
        return max(min(self._used.values()) + self._idle_seconds - now_seconds, self._idle_seconds / 10)
