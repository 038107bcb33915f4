import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from millpond.relay.log import MOST_BYTES, Log
from millpond.relay.streams import HIGH_WATER_BYTES, Sink, Source

SECONDS = 30
Test = Callable[[], Awaitable[None]]


def run(test: Test) -> None:
    """Run it on a loop, at most so long."""

    async def bounded() -> None:
        await asyncio.wait_for(test(), SECONDS)

    asyncio.run(bounded())


class Pipe:
    """Both ends of a pipe; what is still open is closed at the end."""

    def __enter__(self) -> "Pipe":
        self.reader, self.writer = os.pipe()
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in (self.reader, self.writer):
            with suppress(OSError):
                os.close(descriptor)


def test_a_sink_says_when_it_is_full_and_holds_no_more_than_was_written_until_then() -> None:
    """RELAY-16"""

    async def test() -> None:
        with Pipe() as pipe:
            said: list[bool] = []
            sink = Sink(pipe.writer, said.append, lambda: None)
            piece, count = b"x" * (1 << 16), 0
            while not said:
                sink.write(piece)
                count += 1
            assert sink.waiting_bytes <= HIGH_WATER_BYTES + len(piece)
            source_pieces: list[bytes] = []
            Source(pipe.reader, source_pieces.append)
            await sink.drain()
            while sum(map(len, source_pieces)) < count * len(piece):
                await asyncio.sleep(0)
            assert b"".join(source_pieces) == piece * count
            assert said == [True, False]

    run(test)


def test_lines_of_all_sizes_keep_their_order() -> None:
    """RELAY-01"""

    async def test() -> None:
        with Pipe() as pipe:
            sink = Sink(pipe.writer, lambda _: None, lambda: None)
            pieces = [
                bytes([65 + number % 26]) * size for number, size in enumerate([1, 9_000, 5, 300_000, 2, 4_097, 1] * 3)
            ]
            got: list[bytes] = []
            Source(pipe.reader, got.append)
            for piece in pieces:
                sink.write(piece)
            await sink.drain()
            while sum(map(len, got)) < sum(map(len, pieces)):
                await asyncio.sleep(0)
            assert b"".join(got) == b"".join(pieces)

    run(test)


@pytest.mark.parametrize("size", [10, 1 << 20])
def test_a_sink_that_nobody_reads_breaks_once_and_loses_what_follows(size: int) -> None:
    """RELAY-18"""

    async def test() -> None:
        with Pipe() as pipe:
            broken: list[bool] = []
            sink = Sink(pipe.writer, lambda _: None, lambda: broken.append(True))
            os.close(pipe.reader)
            sink.write(b"x" * size)
            await sink.drain()
            sink.write(b"x")
            sink.look()
            assert sink.is_broken
            assert broken == [True]

    run(test)


def test_a_sink_closes_its_descriptor_after_all_is_written() -> None:
    """RELAY-18"""

    async def test() -> None:
        with Pipe() as pipe:
            sink = Sink(pipe.writer, lambda _: None, lambda: None)
            ended = asyncio.Event()
            got: list[bytes] = []

            def hear(piece: bytes) -> None:
                got.append(piece)
                if not piece:
                    ended.set()

            Source(pipe.reader, hear)
            sink.write(b"x" * 2_000_000)
            sink.close()
            sink.write(b"lost")
            await ended.wait()
            assert b"".join(got) == b"x" * 2_000_000

    run(test)


@pytest.mark.parametrize("is_file", [True, False])
def test_a_paused_source_is_not_heard_until_it_goes_on(tmp_path: Path, is_file: bool) -> None:
    """RELAY-16"""

    async def test() -> None:
        with Pipe() as pipe:
            (tmp_path / "file").write_bytes(b"x" * 10)
            if is_file:
                os.close(pipe.reader)
                pipe.reader = os.open(tmp_path / "file", os.O_RDONLY)
            else:
                os.write(pipe.writer, b"x" * 10)
                os.close(pipe.writer)
            ended = asyncio.Event()
            got: list[bytes] = []

            def hear(piece: bytes) -> None:
                assert not source.is_paused
                got.append(piece)
                if piece:
                    source.pause()
                    loop.call_soon(loop.call_soon, source.resume)
                else:
                    ended.set()

            loop = asyncio.get_running_loop()
            source = Source(pipe.reader, hear)
            await ended.wait()
            assert got == [b"x" * 10, b""]

    run(test)


def test_a_log_that_nobody_reads_holds_nobody_up_and_counts_what_it_drops() -> None:
    """RELAY-17"""
    with Pipe() as pipe:
        log = Log(pipe.writer)
        line = b"x" * 999 + b"\n"
        for _ in range(2 * MOST_BYTES // len(line)):
            log.raw(line)
        got: list[bytes] = []

        def read() -> None:
            while not got or not got[-1].endswith(b"last\n"):
                got.append(os.read(pipe.reader, 1 << 20))

        reader = threading.Thread(target=read)
        reader.start()
        log.flush(SECONDS)
        log.line("the\nlast")
        reader.join(SECONDS)
        *others, last = b"".join(got).splitlines(keepends=True)
        passed = [other for other in others if other == line]
        dropped = [other for other in others if other != line]
        assert last == b"millpond: the last\n"
        assert all(other.endswith(b" lines of stderr were dropped, for nobody read them\n") for other in dropped)
        assert dropped
        assert len(passed) + sum(int(other.split()[1]) for other in dropped) == 2 * MOST_BYTES // len(line)
