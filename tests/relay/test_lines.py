from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import strategies_relay as some
from millpond.relay.lines import Lines


def in_lines(pieces: list[bytes]) -> list[bytes]:
    lines = Lines()
    whole = [line for piece in pieces for line in lines.feed(piece)]
    rest = lines.rest()
    return [*whole, rest] if rest else whole


@given(some.pieces)
def test_the_same_bytes_give_the_same_lines_however_they_were_cut(pieces: list[bytes]) -> None:
    """RELAY-05"""
    assert in_lines(pieces) == in_lines([b"".join(pieces)])


@given(some.pieces)
def test_no_byte_is_changed_or_lost_and_only_a_newline_ends_a_line(pieces: list[bytes]) -> None:
    """RELAY-01, RELAY-05"""
    lines = in_lines(pieces)
    assert b"".join(lines) == b"".join(pieces)
    assert all(line.endswith(b"\n") for line, _ in pairwise(lines))
    assert all(line.count(b"\n") <= 1 for line in lines)


class Counted(bytes):
    """Bytes that count how often they are looked through."""

    looks = 0

    def __contains__(self, item: object) -> bool:
        type(self).looks += 1
        return isinstance(item, bytes) and super().__contains__(item)


@given(st.integers(1, 400))
def test_a_long_line_is_looked_through_once_a_piece(count: int) -> None:
    """RELAY-05"""
    Counted.looks = 0
    lines = Lines()
    for _ in range(count):
        assert lines.feed(Counted(b"x" * 100)) == []
    assert Counted.looks == count
    assert lines.waiting_bytes == count * 100
    assert lines.feed(b"\n") == [b"x" * 100 * count + b"\n"]
    assert lines.waiting_bytes == 0
