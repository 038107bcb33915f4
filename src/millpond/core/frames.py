"""Frames between the relay and the engine: a msgpack head and a body of raw bytes.

Rule: values in, values out; whoever reads and writes the pipe is elsewhere. Imports `core.model` and msgspec only.
A frame is `<IQ` (length of the head, length of the body, little-endian), the head, the body.
The first frame to an engine holds its settings.
"""

from __future__ import annotations

import struct

import msgspec

from millpond.core.model import Answer, EngineSettings, Request

PREFIX = struct.Struct("<IQ")
"""Length of the head in bytes (4), length of the body in bytes (8)."""

_encoder = msgspec.msgpack.Encoder()
_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)
_settings: msgspec.msgpack.Decoder[EngineSettings] = msgspec.msgpack.Decoder(EngineSettings)


def encode_head(message: Request | Answer | EngineSettings, body_bytes: int) -> bytes:
    """The prefix and the head of a frame whose body of `body_bytes` bytes follows."""
    head = _encoder.encode(message)
    return PREFIX.pack(len(head), body_bytes) + head


def decode_request(head: bytes | memoryview) -> Request:
    """The request of a frame's head. Raises `msgspec.DecodeError` where it is none."""
    return _requests.decode(head)


def decode_answer(head: bytes | memoryview) -> Answer:
    """The answer of a frame's head. Raises `msgspec.DecodeError` where it is none."""
    return _answers.decode(head)


def decode_settings(head: bytes | memoryview) -> EngineSettings:
    """The settings of the first frame's head. Raises `msgspec.DecodeError` where it is none."""
    return _settings.decode(head)
