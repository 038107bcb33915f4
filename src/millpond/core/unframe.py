"""Unframe: frames out of bytes that come in pieces of any size.

Rule: values in, values out; linear in the bytes whatever the pieces. Imports `core.frames` only.
"""

from __future__ import annotations

from millpond.core.frames import PREFIX

MAX_HEAD_BYTES = 64 << 20
"""A head holds a call's arguments at most; more than this is no frame but foreign bytes."""


class Splitter:
    """Joins the pieces of one stream and cuts them into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._wanted = PREFIX.size

    def feed(self, piece: bytes) -> list[tuple[bytes, bytes]]:
        """The frames (head, body) that this piece completes. Raises `ValueError` where the stream holds no frames."""
        self._buffer += piece
        frames: list[tuple[bytes, bytes]] = []
        while len(self._buffer) >= self._wanted:
            head_bytes, body_bytes = PREFIX.unpack_from(self._buffer)
            if head_bytes > MAX_HEAD_BYTES:
                raise ValueError(f"a frame's head of {head_bytes} bytes, at most {MAX_HEAD_BYTES} expected")
            end = PREFIX.size + head_bytes + body_bytes
            if len(self._buffer) < end:
                self._wanted = end
                break
            with memoryview(self._buffer) as view:
                body_start = PREFIX.size + head_bytes
                frames.append((bytes(view[PREFIX.size : body_start]), bytes(view[body_start:end])))
            del self._buffer[:end]
            self._wanted = PREFIX.size
        return frames
