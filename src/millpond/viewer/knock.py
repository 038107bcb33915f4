"""Knock: the page's end of a session's door.

Rule: one connection a question, so that leaving it stops it. Imports asyncio, msgspec and this package's `door`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from millpond.viewer.door import Asked, Follow, Greet, Hello, Question

MOST_LINE_BYTES = 64 << 20
"""Of what a session says; an answer has at most 10 MiB."""
GREET_SECONDS = 2.0
"""For a session to say that it is there."""


class Gone(Exception):
    """Nobody is behind the door, or it was closed in the middle."""


async def greet(path: Path) -> Hello | None:
    """What the session behind the door says of itself; None where there is none, or it does not answer in time."""
    try:
        async with asyncio.timeout(GREET_SECONDS), _asking(path, Greet()) as reader:
            return msgspec.json.decode(await reader.readuntil(b"\n"), type=Hello)
    except (Gone, OSError, EOFError, TimeoutError, asyncio.LimitOverrunError, msgspec.DecodeError):
        return None


async def ask(path: Path, question: Question) -> bytes:
    """The `result` value that answers the question. Raises `Gone`."""
    async with _asking(path, question) as reader:
        try:
            return await reader.readuntil(b"\n")
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            raise Gone from error


async def follow(path: Path) -> AsyncGenerator[str]:
    """Lines of JSON: `Hello`, what is kept, and what comes, until the session's end. Raises `Gone` where there is none."""
    async with _asking(path, Follow()) as reader:
        while True:
            try:
                line = await reader.readuntil(b"\n")
            except (OSError, EOFError, asyncio.LimitOverrunError):
                return
            yield line.decode().rstrip("\n")


@asynccontextmanager
async def _asking(path: Path, asked: Asked) -> AsyncGenerator[asyncio.StreamReader]:
    assert sys.platform != "win32"
    try:
        reader, writer = await asyncio.open_unix_connection(str(path), limit=MOST_LINE_BYTES)
    except OSError as error:
        raise Gone from error
    try:
        writer.write(msgspec.json.encode(asked) + b"\n")
        yield reader
    finally:
        writer.close()
