"""Frames out of pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.frames import PREFIX, decode_answer, encode_head
from millpond.core.model import Answered
from millpond.core.unframe import MAX_HEAD_BYTES, Splitter


@given(bodies=st.lists(st.binary(max_size=300), max_size=8), cuts=st.lists(st.integers(1, 97), min_size=1))
def test_frames_come_out_whole_and_in_order_whatever_the_pieces(bodies: list[bytes], cuts: list[int]) -> None:
    """ENGINE-23"""
    stream = b"".join(encode_head(Answered(id=at), len(body)) + body for at, body in enumerate(bodies))
    splitter = Splitter()
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(stream):
        size = cuts[at % len(cuts)]
        for head, body in splitter.feed(stream[at : at + size]):
            answer = decode_answer(head)
            assert isinstance(answer, Answered)
            found.append((answer.id, body))
        at += size
    assert found == list(enumerate(bodies))


def test_bytes_that_are_no_frame_are_refused() -> None:
    """ENGINE-23"""
    with pytest.raises(ValueError, match="head"):
        Splitter().feed(PREFIX.pack(MAX_HEAD_BYTES + 1, 0))
