"""Wire: the worker's end of the pipes: whole frames in, whole frames out.

Rule: a body is read into memory that is asked for once, and nothing is copied. Imports `core` only.
"""

from __future__ import annotations

import os
import threading
from io import BufferedReader, FileIO

from millpond.core.frames import encode_head
from millpond.core.model import Answer

_BUFFER_BYTES = 1 << 16
_SKIP_BYTES = 1 << 20


def private_streams() -> tuple[BufferedReader[FileIO], Answers]:
    """Requests and answers on descriptors of their own: a stray `print` then goes to stderr, and a stray `input` finds nothing."""
    source = BufferedReader(FileIO(os.dup(0), "rb"), _BUFFER_BYTES)
    answers = Answers(os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, answers


def read_exactly(source: BufferedReader[FileIO], size: int) -> bytearray | None:
    """So many bytes, or None where the input ended before. Raises `MemoryError` with nothing read where they do not fit."""
    data = bytearray(size)
    with memoryview(data) as view:
        done = 0
        while done < size:
            count = source.readinto(view[done:])
            if not count:
                return None
            done += count
    return data


def skip(source: BufferedReader[FileIO], size: int) -> None:
    """Read so many bytes, or to the end, and forget them."""
    while size > 0 and (piece := source.read(min(size, _SKIP_BYTES))):
        size -= len(piece)


class Answers:
    """Where answers go. Safe to use from any thread: frames never mix."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._one_at_a_time = threading.Lock()

    def send(self, message: Answer, body: bytes = b"") -> None:
        """Write one frame. Where the other end is gone it goes nowhere: the input ends too, and with it the process."""
        with self._one_at_a_time:
            try:
                for part in (encode_head(message, len(body)), body):
                    self._write(part)
            except BrokenPipeError:
                return

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
