"""Streamable: a server of the streamable HTTP transport, both of the handshake's revisions and of 2026-07-28.

Rule: a call is sent again only where it surely did not run: the server answered that it does not know the session.
Imports httpx2, asyncio, `core.errors` and http's modules.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import httpx2

from millpond.core.errors import RemoteFailed
from millpond.http.failures import UNKNOWN_STATUSES, ended, refused, silent, unexpected
from millpond.http.headers import (
    EVENT_STREAM,
    JSON,
    LAST_EVENT_ID,
    SESSION_ID,
    Routing,
    of_session,
    posted,
)
from millpond.http.message import Message, Waiting
from millpond.http.reading import Reading, Say, content_type, whole_body
from millpond.http.transport import (
    ACCEPT_SECONDS,
    INITIALIZE,
    INITIALIZED,
    OPENING,
    OPENING_SECONDS,
    Note,
    NotStreamable,
    Sent,
    negotiated_version,
)
from millpond.http.wire import Wire

END_SECONDS = 0.8
"""For the session's end to be accepted."""
MOST_RESUMPTIONS = 5
"""Of one answer, one after another, none of which brought an event."""
LONGEST_PAUSE_SECONDS = 60.0
"""Between two attempts to hear what the server says of its own accord."""


@dataclass(slots=True)
class Opened:
    """What a session of the handshake's revisions was opened with, and what it was given."""

    initialize: Message | None = None
    initialized: Message | None = None
    id: str | None = None
    version: str | None = None


class Streamable:
    """One client at one server: a `Transport`."""

    def __init__(self, wire: Wire, say: Say, note: Note) -> None:
        self._wire = wire
        self._say = say
        self._note = note
        self._routing = Routing()
        self._opened = Opened()
        self._modern_version: str | None = None
        self._renewing = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None

    @property
    def is_modern(self) -> bool:
        """True where the client speaks 2026-07-28 or later: a request is cancelled by closing its stream."""
        return self._modern_version is not None and self._opened.version is None

    async def request(self, message: Message, waiting: Waiting, on_sent: Sent) -> None:
        """Post requests and pass on what comes, until all have their answer. Raises `RemoteFailed`."""
        if message.method == INITIALIZE:
            self._hang_up()
            self._opened, self._modern_version = Opened(initialize=message), None
        elif message.version is not None:
            self._modern_version = message.version
        used = self._session_id(message)
        reading = Reading(waiting, self._say, partial(self._on_answer, message))
        if not await self._exchange(message, waiting, reading, on_sent, session=used):
            await self._renew(used)
            await self._exchange(message, waiting, reading, on_sent)

    async def _exchange(
        self, message: Message, waiting: Waiting, reading: Reading, on_sent: Sent, *, session: str | None = None
    ) -> bool:
        """One POST and its answer, resumed where its stream breaks; False where the server has lost the session."""
        limit = OPENING_SECONDS if message.method in OPENING else None
        try:
            async with (
                asyncio.timeout(limit),
                self._wire.send("POST", self._headers(message), message.body, on_sent=on_sent) as response,
            ):
                if session is not None and await _has_lost_it(response):
                    return False
                await self._read(message, response, reading)
        except TimeoutError:
            raise silent(self._wire.origin, OPENING_SECONDS) from None
        except RemoteFailed:
            if reading.last_event_id is None:
                raise
        if waiting.left:
            await self._resume(waiting, reading)
        return True

    async def _read(self, message: Message, response: httpx2.Response, reading: Reading) -> None:
        kind = content_type(response)
        if not response.is_success:
            await self._read_refusal(message, response, reading)
            return
        if message.method == INITIALIZE:
            self._opened.id = response.headers.get(SESSION_ID)
        if response.status_code == 202:
            raise unexpected(self._wire.origin, "202 Accepted and no result")
        if kind == EVENT_STREAM:
            await reading.events(response)
        elif kind == JSON:
            await reading.message(await whole_body(response))
        else:
            raise unexpected(self._wire.origin, "a body that is neither JSON nor an event stream")

    async def _read_refusal(self, message: Message, response: httpx2.Response, reading: Reading) -> None:
        """An error in JSON-RPC is the answer; any other body says nothing to a client."""
        failed = refused(response, message.method)
        if content_type(response) == JSON:
            line = await whole_body(response)
            if reading.is_answer(line):
                await reading.message(line)
                return
        if message.method == INITIALIZE and response.status_code in UNKNOWN_STATUSES:
            raise NotStreamable(str(failed))
        raise failed

    async def _resume(self, waiting: Waiting, reading: Reading) -> None:
        """Go on with an answer whose stream has ended, behind its last event."""
        attempts = 0
        while waiting.left:
            if reading.last_event_id is None or attempts == MOST_RESUMPTIONS:
                raise ended(self._wire.origin)
            await asyncio.sleep(reading.retry_seconds)
            attempts += 1
            with suppress(RemoteFailed):  # the next attempt tells more
                async with self._wire.send("GET", self._listen_headers(reading)) as response:
                    if response.is_success and content_type(response) == EVENT_STREAM:
                        await reading.events(response)
                        attempts = 0 if reading.has_heard else attempts
                    elif response.status_code < 500:
                        attempts = MOST_RESUMPTIONS

    def _on_answer(self, message: Message, line: bytes) -> None:
        if message.method == INITIALIZE:
            self._opened.version = negotiated_version(line)
        elif message.method == "tools/list" and message.version is not None:
            self._routing.learn(line)

    # --- headers ------------------------------------------------------------------------------------------------

    def _session_id(self, message: Message) -> str | None:
        return None if message.method == INITIALIZE or message.version is not None else self._opened.id

    def _headers(self, message: Message) -> dict[str, str]:
        if message.method == INITIALIZE:
            return posted(None, None)
        if message.version is None and not self.is_modern:
            return posted(self._opened.version, self._opened.id)
        return posted(message.version or self._modern_version, None) | self._routing.headers(message)

    def _listen_headers(self, reading: Reading) -> dict[str, str]:
        headers = {"accept": EVENT_STREAM, "cache-control": "no-store"}
        headers |= of_session(self._opened.version or self._modern_version, self._opened.id)
        return headers if reading.last_event_id is None else headers | {LAST_EVENT_ID: reading.last_event_id}

    # --- notifications and answers ------------------------------------------------------------------------------

    async def tell(self, message: Message) -> None:
        """Post what has no answer. Raises `RemoteFailed` where it was not accepted."""
        used = self._session_id(message)
        if message.method == INITIALIZED:
            self._opened.initialized = message
        if not await self._post(message, session=used):
            await self._renew(used)
            if message.method not in (None, INITIALIZED):  # an answer to a request of the lost session is of no use
                await self._post(message)
        elif message.method == INITIALIZED and not self.is_modern:
            self._listen()

    async def _post(self, message: Message, *, session: str | None = None) -> bool:
        """Post what has no answer; False where the server has lost the session."""
        try:
            async with (
                asyncio.timeout(ACCEPT_SECONDS),
                self._wire.send("POST", self._headers(message), message.body) as response,
            ):
                if session is not None and await _has_lost_it(response):
                    return False
                if not response.is_success:
                    raise refused(response, message.method)
                return True
        except TimeoutError:
            raise silent(self._wire.origin, ACCEPT_SECONDS) from None

    # --- what the server says of its own accord -----------------------------------------------------------------

    def _listen(self) -> None:
        self._hang_up()
        self._listening = asyncio.create_task(self._listen_on())

    def _hang_up(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            self._listening = None

    async def _listen_on(self) -> None:
        """Keep a stream open for as long as the server gives one."""
        reading = Reading(Waiting(()), self._say, lambda line: None)
        pause = reading.retry_seconds
        while True:
            try:
                async with self._wire.send("GET", self._listen_headers(reading)) as response:
                    if not await self._hear(response, reading):
                        return
            except RemoteFailed:
                reading.has_heard = False
            pause = reading.retry_seconds if reading.has_heard else min(2 * pause, LONGEST_PAUSE_SECONDS)
            await asyncio.sleep(pause)

    async def _hear(self, response: httpx2.Response, reading: Reading) -> bool:
        """What one connection brings; False where there is no use in another."""
        if response.is_success and content_type(response) == EVENT_STREAM:
            await reading.events(response)
            return True
        reading.has_heard = False
        if response.status_code >= 500:
            return True
        if response.status_code not in (404, 405):  # with these it says that it has no such stream
            self._note(f"what the server says of its own accord is not heard: {refused(response, None)}")
        return False

    # --- the session --------------------------------------------------------------------------------------------

    async def _renew(self, lost: str | None) -> None:
        """Open the session again with the client's own words, once for all who find it lost. Raises `RemoteFailed`."""
        async with self._renewing:
            old = self._opened
            if old.id != lost or old.initialize is None:
                return
            self._hang_up()
            self._opened = Opened(old.initialize, old.initialized, old.id, old.version)
            try:
                waiting = Waiting(old.initialize.ids)
                reading = Reading(waiting, self._say, partial(self._on_answer, old.initialize), swallows=True)
                await self._exchange(old.initialize, waiting, reading, lambda: None)
                if self._opened.version != old.version:
                    raise RemoteFailed("it refuses, or speaks another revision now")
                if old.initialized is not None:
                    await self._post(old.initialized)
                    self._listen()
            except RemoteFailed as failed:
                self._opened = old
                raise RemoteFailed(
                    f"the server lost the session, and it cannot be opened again: {failed}; start this one again"
                ) from failed
            self._note(
                "the server had lost the session, and it was opened again; subscriptions and log levels are gone"
            )

    async def close(self) -> None:
        """End the session."""
        self._hang_up()
        if self._opened.id is None:
            return
        headers = of_session(self._opened.version, self._opened.id)
        with suppress(RemoteFailed, TimeoutError):
            async with asyncio.timeout(END_SECONDS), self._wire.send("DELETE", headers):
                pass


async def _has_lost_it(response: httpx2.Response) -> bool:
    """Whether a response to a message of a session says that there is none of that id.

    The protocol says so with 404. Servers that are made like the SDK's examples in TypeScript say it with 400 and
    "No valid session ID provided". Neither has run what was asked.
    """
    if response.status_code == 400 and content_type(response) == JSON:
        return b"session" in (await response.aread()).lower()
    return response.status_code == 404
