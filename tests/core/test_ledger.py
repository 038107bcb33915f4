"""The ledger against a naive model: whatever comes, goes and is dropped, the oldest go first and the bounds hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from millpond.core.canvas import fullness_note, gone_note
from millpond.core.ledger import EASED_PERCENT, FULL_PERCENT, Bounds, Fullness, Ledger
from millpond.core.model import TableState

TAG = "bcd234"


@dataclass
class Kept:
    """A call as the model has it."""

    size: int
    tables: list[str]
    is_made: bool


@dataclass
class Model:
    """What a canvas holds, told the long way."""

    bounds: Bounds
    calls: dict[int, Kept] = field(default_factory=dict[int, Kept])
    evicted: set[str] = field(default_factory=set[str])
    dropped: set[str] = field(default_factory=set[str])

    def made(self) -> int:
        return sum(len(call.tables) for call in self.calls.values() if call.is_made)

    def excess(self) -> tuple[bool, bool]:
        """Whether calls or bytes are too many, and whether tables are."""
        size = sum(call.size for call in self.calls.values())
        return len(self.calls) > self.bounds.calls or size > self.bounds.bytes, self.made() > self.bounds.tables

    def make_room(self, but: int) -> list[int]:
        """Evict one after the other, oldest first, until the bounds hold; the newest itself never goes."""
        gone: list[int] = []
        for number in sorted(self.calls):
            plain, tables = self.excess()
            call = self.calls[number]
            if number != but and (plain or (tables and call.is_made and call.tables)):
                gone.append(number)
                self.evicted |= set(call.tables)
                del self.calls[number]
        return gone


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "make", "drop"]),
        st.integers(0, 60),
        st.integers(0, 3),
        st.booleans(),
        st.integers(0, 40),
    ),
    max_size=40,
)
BOUNDS = st.builds(Bounds, calls=st.integers(1, 8), tables=st.integers(1, 8), bytes=st.integers(1, 150))


def names(number: int, count: int) -> list[str]:
    return [f"rows_{TAG}_{number}"] * min(count, 1) + [f"rows_{TAG}_{number}_part_{at}" for at in range(1, count)]


@given(BOUNDS, STEPS)
def test_the_bounds_hold_and_the_oldest_go_first(
    bounds: Bounds, steps: Sequence[tuple[str, int, int, bool, int]]
) -> None:
    """CANVAS-09 STORE-07"""
    ledger, model, number = Ledger(TAG, bounds), Model(bounds), 0
    for step, size, count, is_made, pick in steps:
        known = [name for call in model.calls.values() for name in call.tables]
        if step == "add":
            number += 1
            tables = names(number, count)
            gone = ledger.over(1, size, len(tables) if is_made else 0)
            model.calls[number] = Kept(size, list(tables), is_made)
            assert list(gone) == model.make_room(number)
            ledger.remove(gone)
            ledger.add(number, size, tables, made=is_made)
        elif step == "make" and (waiting := [at for at, call in model.calls.items() if not call.is_made]):
            at = waiting[pick % len(waiting)]
            ledger.made(at)
            model.calls[at].is_made = True
        elif step == "drop" and known:
            name = known[pick % len(known)]
            ledger.drop(name.upper())
            model.dropped.add(name)
            call = model.calls[int(name.split("_")[2])]
            call.tables.remove(name)
            call.size = call.size if call.tables else 0
        agree(ledger, model)


def agree(ledger: Ledger, model: Model) -> None:
    """Every name is known for what the model knows it as."""
    made = {name: call.is_made for call in model.calls.values() for name in call.tables}
    assert list(ledger.names()) == list(made)
    for name, is_made in made.items():
        assert ledger.state(name.upper()) is (TableState.STORED if is_made else TableState.PENDING)
    for name in model.evicted - model.dropped:
        assert ledger.state(name) is TableState.EVICTED
    for name in list(model.dropped)[: model.bounds.calls]:
        assert ledger.state(name) in (TableState.DROPPED, TableState.UNKNOWN, TableState.EVICTED)


@given(st.lists(st.integers(0, 30), max_size=60))
def test_a_canvas_that_fills_is_told_once_until_it_was_far_from_full(sizes: list[int]) -> None:
    """CANVAS-10"""
    ledger = Ledger(TAG, Bounds(calls=1000, tables=1000, bytes=100))
    is_told = False
    kept: list[tuple[int, int]] = []
    for number, size in enumerate(sizes, start=1):
        gone = ledger.over(1, size, 0)
        ledger.remove(gone)
        ledger.add(number, size, (), made=True)
        kept = [(at, of) for at, of in kept if at not in gone] + [(number, size)]
        percent = sum(of for _, of in kept)
        found = ledger.fullness()
        assert (found is not None) == (percent >= FULL_PERCENT and not is_told)
        if found is not None:
            assert (found.bound, found.has, found.next_to_go) == ("bytes", percent, kept[0][0])
        is_told = percent >= (EASED_PERCENT if is_told else FULL_PERCENT)


def test_the_bound_that_is_closest_is_told_and_what_goes_first() -> None:
    """CANVAS-10"""
    ledger = Ledger(TAG, Bounds(calls=100, tables=4, bytes=10 << 20))
    for number in range(1, 5):
        assert ledger.fullness() is None
        ledger.add(number, 1 << 10, names(number, 1), made=True)
    found = ledger.fullness()
    assert found == Fullness("tables", 4, 4, 1, (f"rows_{TAG}_1",))
    assert found is not None
    assert fullness_note(found) == f"the canvas is 100 % full (4 of 4 tables); next to go: call 1 (rows_{TAG}_1)"
    full = Fullness("bytes", 95 << 20, 100 << 20, 7, ())
    assert fullness_note(full) == "the canvas is 95 % full (95.0 MB of 100.0 MB); next to go: call 7"
    assert ledger.fullness() is None
    assert gone_note((1,)) == "call 1 evicted to make room"
    assert gone_note((1, 4)) == "calls 1 to 4 evicted to make room"


def test_an_empty_ledger_tells_nothing() -> None:
    """CANVAS-10"""
    assert Ledger(TAG, Bounds(calls=1, tables=1, bytes=1)).fullness() is None
