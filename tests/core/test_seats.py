"""Seats under a clock of the test's own: who has one, who makes way, and who is idle."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from millpond.core.seats import LINGER_SECONDS, STAY_SECONDS, Seats

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "touch", "settle", "leave", "wait"]),
        st.integers(0, 5),
        st.sampled_from([0, 0.0625, 0.5, 1, 30]),
    ),
    max_size=60,
)


@given(st.integers(1, 4), STEPS, st.sets(st.integers(0, 5)))
def test_no_more_have_a_place_than_there_are_and_the_longest_unused_makes_way(
    most: int, steps: Sequence[tuple[str, int, float]], busy: set[int]
) -> None:
    """CANVAS-13 CANVAS-14"""
    seats: Seats[int] = Seats(most, idle_seconds=10)
    used: dict[int, float] = {}
    came: dict[int, float] = {}
    now = 0.0
    for step, who, more in steps:
        now += more if step == "wait" else 0
        if step == "take":
            assert seats.take(who, now) == (who in used or len(used) < most)
            if who in used or len(used) < most:
                used[who] = now
                came.setdefault(who, now)
        elif step == "touch":
            seats.touch(who, now)
            used |= {who: now} if who in used else {}
        elif step == "settle":
            seats.settle(who, now)
            came |= {who: now} if who in used else {}
            used |= {who: now} if who in used else {}
        elif step == "leave":
            assert seats.leave(who) == (used.pop(who, None) is not None)
            came.pop(who, None)
        assert len(seats) == len(used) <= most
        idle = seats.idle(now, busy.__contains__)
        assert set(idle) == {one for one, at in used.items() if now - at >= 10 and one not in busy}
        way = seats.make_way(1, busy.__contains__, now)
        free = [
            at
            for one, at in used.items()
            if one not in busy and (now - at >= LINGER_SECONDS or now - came[one] >= STAY_SECONDS)
        ]
        assert len(way) == (1 if len(used) == most and free else 0)
        assert all(used[one] == min(free) for one in way)


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 1000)), st.integers(1, 100))
def test_a_look_comes_no_later_than_someone_is_idle_and_never_at_once_again(used: dict[int, int], idle: int) -> None:
    """CANVAS-13"""
    seats: Seats[int] = Seats(10, idle)
    for who, at in used.items():
        seats.take(who, at)
    found = seats.next_look_seconds(1000)
    if not used:
        assert found is None
    else:
        assert found == max(min(used.values()) + idle - 1000, idle / 10)
