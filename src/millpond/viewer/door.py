"""Door: a socket by which this user's page reaches a running session.

Rule: it waits for nobody: who reads too slowly is cut off, one question of pages runs at a time, and none of them is
the agent's. Nothing can be written through it. Imports asyncio, `core` and this package's modules of the proxy's side.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from millpond.core.dropping import dropped_name
from millpond.core.errors import Reason, Refusal
from millpond.core.replies import refusal_result
from millpond.viewer.places import make_private, new_door
from millpond.viewer.record import Record
from millpond.viewer.watch import Watched

MOST_CONNECTIONS = 16
"""At once; a further one is closed."""
MOST_LINE_BYTES = 8 << 20
"""Of a question: the longest statement, escaped."""
MOST_BEHIND_BYTES = 8 << 20
"""Waiting, beside what is kept, for one who follows; with more they are cut off, and may come back."""
MOST_ROWS = 100_000
"""The most that a question may ask for; the bytes of an answer bound it too."""


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag="hello", tag_field="kind"):
    """What a session says of itself."""

    server: str
    pid: int
    began: str
    """ISO 8601 in UTC."""
    version: str
    max_rows: int
    timeout_seconds: float


class Greet(msgspec.Struct, frozen=True, tag="greet", tag_field="ask"):
    """Asks for the `Hello` alone."""


class Follow(msgspec.Struct, frozen=True, tag="follow", tag_field="ask"):
    """Asks for `Hello`, for what is kept, and for all that comes until the session's end."""


class Question(msgspec.Struct, frozen=True, kw_only=True, tag="question", tag_field="ask"):
    """Asks for the answer to a statement, as CSV. Closing the connection stops it."""

    sql: str
    max_rows: int


Asked = Greet | Follow | Question
_NOTHING_DROPPED = "Only the agent drops tables; this page reads. Ask with one SELECT."
_NOT_STARTED = "No results have come yet: there is nothing to ask. Wait for the first call of a tool."


class Door:
    """The socket of one session, from `open` to `close`."""

    def __init__(self, hello: Hello, watched: Watched, record: Record, max_kept_bytes: int) -> None:
        """Nothing is opened yet."""
        self._hello = msgspec.json.encode(hello)
        self._watched = watched
        self._record = record
        self._most_behind_bytes = max_kept_bytes + MOST_BEHIND_BYTES
        self._turn = asyncio.Semaphore(1)
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.path: Path | None = None

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._connections)

    async def open(self, directory: Path) -> None:
        """Listen in the folder, which is made where it is not there. Raises `OSError` where that cannot be done."""
        assert sys.platform != "win32"
        make_private(directory)
        path = new_door(directory)
        unfinished = path.with_suffix("")
        opened = socket.socket(socket.AF_UNIX)
        try:
            opened.bind(str(unfinished))
            unfinished.chmod(0o600)
            self._server = await asyncio.start_unix_server(self._come, sock=opened, limit=MOST_LINE_BYTES)
            unfinished.rename(
                path
            )  # Only now it has a door's name: a sweep finds nobody behind one that is being made.
        except OSError:
            opened.close()
            unfinished.unlink(missing_ok=True)
            raise
        self.path = path

    async def close(self) -> None:
        """Listen no more, and end every connection."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        if self._server is not None:
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = msgspec.json.decode(await reader.readuntil(b"\n"), type=Asked)
            match asked:
                case Greet():
                    writer.write(self._hello + b"\n")
                case Follow():
                    await self._follow(reader, writer)
                case Question():
                    writer.write(await self._while_heard(reader, asked) + b"\n")
            await writer.drain()
        except (OSError, EOFError, asyncio.LimitOverrunError, msgspec.DecodeError):
            writer.transport.abort()
        finally:
            writer.close()

    async def _follow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def tell(line: bytes) -> None:
            writer.write(line + b"\n")
            if writer.transport.get_write_buffer_size() > self._most_behind_bytes:
                writer.transport.abort()

        writer.write(b"".join(line + b"\n" for line in (self._hello, *self._record.lines())))
        unfollow = self._record.follow(tell)
        try:
            await reader.read()  # Until its end: who follows says nothing more.
        finally:
            unfollow()

    async def _while_heard(self, reader: asyncio.StreamReader, question: Question) -> bytes:
        """The answer; the question is stopped where its asker hangs up. Raises `EOFError` then."""
        answer = asyncio.create_task(self._answer(question))
        hung_up = asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait((answer, hung_up), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise EOFError
            return answer.result()
        finally:
            for task in (answer, hung_up):
                task.cancel()
                with suppress(asyncio.CancelledError, OSError):
                    await task

    async def _answer(self, question: Question) -> bytes:
        if dropped_name(question.sql) is not None:
            return refusal_result(Refusal(Reason.NOT_A_READ, _NOTHING_DROPPED))
        if not self._watched.has_started:
            return refusal_result(Refusal(Reason.UNKNOWN_TABLE, _NOT_STARTED))
        rows = max(1, min(question.max_rows, MOST_ROWS))
        arguments = msgspec.json.encode({"sql": question.sql, "max_rows": rows, "format": "csv"})
        async with self._turn:
            return await self._watched.engine.aside(arguments)
