"""What is kept for clients that come back, and what holds a server up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from millpond.http.events import EVENT_BYTES, HIGH_WATER_BYTES, LOW_WATER_BYTES, Outbox, Stream


def outbox(most_bytes: int = 1 << 20) -> tuple[Outbox, list[bool]]:
    told: list[bool] = []
    return Outbox(most_bytes, told.append), told


def read(stream: Stream) -> list[bytes]:
    """All that the reader can get now."""
    lines: list[bytes] = []
    while (event := stream.next()) is not None:
        stream.has_sent(event[0])
        lines.append(event[1])
    return lines


def test_a_reader_gets_what_came_before_it_and_after() -> None:
    """HTTPF-06"""
    box, _ = outbox()
    stream = box.open()
    stream.add(b"1")
    stream.attach(self := object())
    assert read(stream) == [b"1"]
    stream.add(b"2")
    assert read(stream) == [b"2"]
    stream.detach(self)
    stream.add(b"3")
    stream.attach(object())
    assert read(stream) == [b"3"]


def test_a_client_that_comes_back_gets_what_followed_its_last_event_and_takes_the_place() -> None:
    """HTTPF-07"""
    box, _ = outbox()
    stream = box.open()
    stream.attach(first := object())
    for line in (b"1", b"2", b"3"):
        stream.add(line)
    assert read(stream) == [b"1", b"2", b"3"]
    stream.complete()
    stream.attach(second := object(), after=1)
    stream.detach(first)
    assert stream.reader is second
    assert read(stream) == [b"2", b"3"]
    assert box.find(stream.name) is stream


def test_an_answer_is_known_as_one_when_nothing_came_before_it() -> None:
    """HTTPF-14"""
    box, _ = outbox()
    alone, second = box.open(), box.open()
    for stream in (alone, second):
        stream.attach(object())
    second.add(b"progress")
    for stream in (alone, second):
        assert stream.answer() is None
        stream.add(b"answer")
        assert stream.answer() is None
        stream.complete()
    assert (alone.answer(), second.answer()) == (b"answer", None)


def test_a_reader_that_is_behind_is_told_once_each_way() -> None:
    """HTTPF-23"""
    box, told = outbox()
    stream = box.open()
    stream.attach(reader := object())
    size = LOW_WATER_BYTES // 2
    for _ in range(HIGH_WATER_BYTES // size + 2):
        stream.add(b"x" * size)
    assert told == [True]
    stream.detach(reader)
    assert told == [True, False]
    stream.attach(object())
    read(stream)
    assert told == [True, False, True, False]
    assert box.waiting_bytes == 0


def test_what_nobody_reads_is_dropped_oldest_first() -> None:
    """HTTPF-06"""
    box, told = outbox(10 * (EVENT_BYTES + 1))
    stream = box.open()
    for number in range(12):
        stream.add(b"%x" % number)
    stream.attach(object())
    assert read(stream) == [b"%x" % number for number in range(2, 12)]
    assert (box.lost, told) == (2, [])


def test_what_was_sent_is_forgotten_oldest_first_and_a_stream_with_its_last_event() -> None:
    """HTTPF-07"""
    box, _ = outbox(2 * (EVENT_BYTES + 1))
    streams = [box.open() for _ in range(3)]
    for stream in streams:
        stream.attach(object())
        stream.add(b"1")
        stream.complete()
        read(stream)
    assert [box.find(stream.name) for stream in streams] == [None, *streams[1:]]
    assert box.lost == 0


steps = st.lists(
    st.tuples(st.sampled_from(["add", "read", "attach", "detach", "back"]), st.integers(0, 2), st.integers(0, 40)),
    max_size=60,
)


@given(steps, st.sampled_from([0, 3 * EVENT_BYTES, 1 << 20]))
def test_a_reader_never_gets_an_event_twice_or_out_of_order_and_only_dropped_ones_are_missing(
    moves: list[tuple[str, int, int]], most_bytes: int
) -> None:
    """HTTPF-06, HTTPF-07"""
    box, _ = outbox(most_bytes)
    streams = [box.open() for _ in range(3)]
    added = [0, 0, 0]
    got: list[list[int]] = [[], [], []]
    for move, at, number in moves:
        stream = streams[at]
        if move == "add":
            added[at] += 1
            stream.add(b"%d" % added[at])
        elif move == "read" and stream.reader is not None:
            got[at] += map(int, read(stream))
        elif move == "attach":
            stream.attach(object())
        elif move == "back":
            stream.attach(object(), after=number)
            got[at] = [value for value in got[at] if value <= number]
        elif move == "detach" and stream.reader is not None:
            stream.detach(stream.reader)
    lost = 0
    for at, stream in enumerate(streams):
        stream.attach(object())
        got[at] += map(int, read(stream))
        assert got[at] == sorted(set(got[at]))
        lost += added[at] - len(got[at])
    assert lost == 0 or most_bytes < 1 << 20
    assert box.waiting_bytes == 0
