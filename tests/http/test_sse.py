"""Pieces of a stream in, events out: whatever the pieces, and as the HTTP library's own decoder has them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from millpond.http.sse import Event, Events

FIELDS = (
    *(b"data: {}", b"data:x", b"data", b"data:  two", "data: é€😀".encode(), b"dataset: z"),
    *(b"event: other", b"event", b"event:endpoint", b"id: 7", b"id:", b"id: a\0b", b"retry: 10", b"retry: x"),
    *(b": comment", b"unknown: y", b"", b""),
)
LINES = st.sampled_from(FIELDS)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"])), max_size=12).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


def events(*pieces: bytes) -> list[Event]:
    decoder = Events()
    return [event for piece in pieces for event in decoder.feed(piece)]


class Stream(httpx2.AsyncByteStream):
    def __init__(self, data: bytes) -> None:
        self._data = data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._data


async def naive(stream: bytes) -> list[tuple[str, str]]:
    """Name and data of the events that have data, as the HTTP library reads them."""
    request, headers = httpx2.Request("GET", "http://h"), {"content-type": "text/event-stream"}
    response = httpx2.Response(200, headers=headers, stream=Stream(stream), request=request)
    return [(event.event, event.data) async for event in httpx2.EventSource(response) if event.data]


@given(STREAMS, st.lists(st.integers(0, 200), max_size=6))
@example(b"data: x\r\n\r\n", [8, 10])
@example(b"data: x\r\rdata: y\n\n", [8, 9])
def test_the_same_events_come_of_any_pieces(stream: bytes, cuts: list[int]) -> None:
    """HTTPC-01"""
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[start:stop] for start, stop in pairwise(places)]
    assert events(*pieces) == events(stream)


@given(STREAMS)
def test_events_are_those_that_the_http_library_reads(stream: bytes) -> None:
    """HTTPC-01"""
    ours = [(event.name.decode(), event.data[:-1].decode()) for event in events(stream + b"\n") if event.data[:-1]]
    assert ours == asyncio.run(naive(stream + b"\n"))  # at a last \\r the library sees two ends


@pytest.mark.parametrize(
    ("stream", "event"),
    [
        (b"\xef\xbb\xbfdata: x\n\n", Event(b"message", b"x\n", None, None)),
        (b"data: a\ndata: b\nevent: e\nid: 1\nretry: 250\n\n", Event(b"e", b"a\nb\n", b"1", 250)),
        (b"id: 1\ndata:\n\n", Event(b"message", b"\n", b"1", None)),
        (b"retry: 99999999999999999999\n\n", Event(b"message", b"", None, 999999999999)),
    ],
)
def test_an_event_has_all_that_it_says(stream: bytes, event: Event) -> None:
    """HTTPC-01"""
    assert events(stream) == [event]


def test_an_event_that_does_not_end_is_none() -> None:
    """HTTPC-01"""
    assert events(b"data: x\n") == []
