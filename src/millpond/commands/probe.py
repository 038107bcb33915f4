"""Probe: a talk with a server as a client would have it, every step of it bounded and timed.

Rule: raw lines, as they come; whatever the server does, the talk ends with an answer or one sentence, and nothing is left
running. Imports asyncio, `core`, the relay's `server_end` and `spans`.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from millpond import __version__
from millpond.core.errors import ConfigError, ServerFailed
from millpond.core.near import nearest
from millpond.core.values import object_of
from millpond.relay.server_end import StartServer
from millpond.relay.spans import Member, object_members, string_value

LEGACY, MODERN = "2025-11-25", "2026-07-28"
DISCOVER_SECONDS = 10.0
"""For an answer to `server/discover`, as SDK clients wait, and at most half of the time; the rest is for `initialize`."""
END_SECONDS = 2.0
"""For the server to end by itself, and again after TERM."""
MOST_PAGES = 100
"""Pages of `tools/list` that are read."""
NOISE_LINES = 5
_SHOWN_CHARACTERS = 200
_SHOWN_NAMES = 20
_UNANSWERED = " (before it answered anything)"
_TYPES = "; it may wait for somebody to type: give it in its arguments or environment what it asks for"
_WAITS = (
    "; it may wait for input or a login, log to stdout instead of stderr, or still be downloading (npx, uvx): start it in a"
    " terminal to see, or give it longer with --timeout"
)
_asks = re.compile(r"[?:>]\s*$|\(y\)|\[y/n\]|password|press |enter ", re.IGNORECASE)
_variable = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b")
_about_variables = re.compile(r"environ|not set|must be set|required|missing|undefined|unset", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer."""

    line: bytes
    result: Member | None
    error: str
    """The message of an error; empty where there is a result."""
    seconds: float

    @property
    def raw(self) -> bytes:
        """The raw `result` value."""
        return b"" if self.result is None else self.result.of(self.line)

    @property
    def values(self) -> Mapping[str, Any]:
        """The result as values; empty where it is no object."""
        try:
            value: object = json.loads(self.raw)
        except (ValueError, RecursionError):
            return {}
        return object_of(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A tool that was called."""

    tool: str
    arguments: Mapping[str, Any]
    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """What a server told of itself."""

    version: str
    """The revision of the protocol that it speaks with us."""
    name: str
    """Its name and version in its own words; may be empty."""
    start_seconds: float
    """From its start to its answer to the first message that it understands."""
    list_seconds: float
    tools: Sequence[Mapping[str, Any]]
    trials: Sequence[Trial]
    notes: Sequence[str] = field(default_factory=tuple)


async def meet(start: StartServer, calls: Sequence[tuple[str, Mapping[str, Any]]], seconds: float) -> Meeting:
    """Start the server, list its tools and make the calls, each step within so many seconds.

    Raises `ServerFailed` with one sentence where it does not start, ends, or does not answer, and `ConfigError` for a call
    of a tool that it does not have, before any is made.
    """
    talk = Talk(start, seconds)
    try:
        return await talk.run(calls)
    finally:
        await talk.end()


class Talk:
    """One talk with a server."""

    def __init__(self, start: StartServer, seconds: float) -> None:
        self._new_end = start
        self._seconds = seconds
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._noise: deque[str] = deque(maxlen=NOISE_LINES)
        self._noisy_lines = 0
        self._asked_for: set[str] = set()
        self._is_modern = False
        self._number = 0
        self._start()

    def _start(self) -> None:
        self._ended = asyncio.Event()
        self._began = time.monotonic()
        self._end = self._new_end(self)

    async def run(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> Meeting:
        """The whole talk."""
        hello = await self._open()
        start_seconds = time.monotonic() - self._began
        values = hello.values
        has_tools = "tools" in values.get("capabilities", {})
        began = time.monotonic()
        tools = await self._tools() if has_tools else []
        list_seconds = time.monotonic() - began
        _check_names([tool for tool, _ in calls], [str(tool["name"]) for tool in tools])
        trials = [Trial(tool=tool, arguments=given, reply=await self._call(tool, given)) for tool, given in calls]
        return Meeting(
            version=MODERN if self._is_modern else str(values.get("protocolVersion", "")),
            name=_name(values),
            start_seconds=start_seconds,
            list_seconds=list_seconds,
            tools=tools,
            trials=trials,
            notes=self._notes(),
        )

    async def _open(self) -> Reply:
        """What an up-to-date client does: ask for the modern era, and shake hands where there is none."""
        self._is_modern = True
        reply = await self._discover()
        if reply is not None and MODERN in reply.values.get("supportedVersions", ()):
            return reply
        self._is_modern = False
        if self._ended.is_set():  # It takes another first message for a reason to end.
            self._start()
        client = {"name": "millpond-doctor", "version": __version__}
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
        reply = await self.ask("initialize", params, self._began + self._seconds - time.monotonic())
        if reply.error:
            raise ServerFailed(f"the server answered initialize with an error: {reply.error}")
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply

    async def _discover(self) -> Reply | None:
        with suppress(ServerFailed):
            return await self.ask("server/discover", {}, min(DISCOVER_SECONDS, self._seconds / 2))
        return None

    async def _tools(self) -> list[Mapping[str, Any]]:
        tools: list[Mapping[str, Any]] = []
        cursors: set[str] = set()
        params: dict[str, Any] = {}
        for _ in range(MOST_PAGES):
            reply = await self.ask("tools/list", params)
            if reply.error:
                raise ServerFailed(f"the server answered tools/list with an error: {reply.error}")
            page, cursor = reply.values.get("tools"), reply.values.get("nextCursor")
            tools += [tool for tool in cast("list[Any]", page or []) if isinstance(tool, dict) and "name" in tool]
            if not isinstance(cursor, str) or not cursor or cursor in cursors:
                break
            cursors.add(cursor)
            params = {"cursor": cursor}
        return tools

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        return await self.ask("tools/call", {"name": tool, "arguments": arguments})

    async def ask(self, method: str, params: Mapping[str, Any], seconds: float | None = None) -> Reply:
        """Send a request and wait for its answer. Raises `ServerFailed` where none comes."""
        seconds = self._seconds if seconds is None else seconds
        self._number += 1
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[str(self._number)] = future
        if self._is_modern:
            params = {**params, "_meta": _modern_meta()}
        began = time.monotonic()
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        ended = asyncio.ensure_future(self._ended.wait())
        await asyncio.wait({future, ended}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if not future.done():
            raise await self._silence(method)
        return _reply(future.result(), time.monotonic() - began)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._end.write(json.dumps(message).encode() + b"\n")

    async def _silence(self, method: str) -> ServerFailed:
        """Why no answer came, in one sentence. `server/discover` may go unanswered, and the server stays."""
        if self._ended.is_set():
            return ServerFailed(self._with_hints(self._end.last_words()))
        if method == "server/discover":
            return ServerFailed("no answer")
        await self.end()  # The last words of its output may lack an end of line, and come when it is over.
        return ServerFailed(self._with_hints(f"the server did not answer {method} within {self._seconds:g} s"))

    def _with_hints(self, problem: str) -> str:
        words = self._end.last_words().partition("its last words: ")[2].removesuffix(_UNANSWERED)
        said = [*words.split(" | "), *self._noise]
        last = next((text for text in reversed(said) if text.strip()), "")
        if last and last not in problem:
            problem += f"; it last wrote: {last.strip()[:_SHOWN_CHARACTERS]}"
        if "did not answer" in problem:
            problem += _TYPES if _asks.search(last) else _WAITS
        names = [name for text in said if _about_variables.search(text) for name in _variable.findall(text)]
        if names:
            problem += f"; it names the variable {names[0]}: set it in the environment or under env"
        return problem

    def _notes(self) -> tuple[str, ...]:
        notes: list[str] = []
        if self._noisy_lines:
            notes.append(f"{self._noisy_lines} lines on its stdout are no messages, and some clients fail on them")
        notes += [f"it asks the client for {method}, which doctor refuses" for method in sorted(self._asked_for)]
        return tuple(notes)

    async def end(self) -> None:
        """End the server and what it started."""
        for stronger in (self._end.close, self._end.terminate, self._end.kill):
            stronger()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), END_SECONDS)
        self._end.kill()  # What it left behind in its group.

    # --- what the server does -----------------------------------------------------------------------------------

    def on_line(self, line: bytes) -> None:
        """A line of its stdout."""
        members = object_members(line)
        if members is None:
            if text := line.decode("utf-8", "replace").strip():
                self._noisy_lines += 1
                self._noise.append(text)
            return
        ident = members.get("id")
        raw = None if ident is None else ident.of(line)
        if "method" in members:
            self._refuse(line, members["method"], raw)
        elif raw is not None and (future := self._waiting.pop(raw.decode("utf-8", "replace"), None)):
            future.set_result(line)

    def _refuse(self, line: bytes, method: Member, raw_id: bytes | None) -> None:
        """Answer a request of the server's: `ping` with nothing, all others with an error."""
        if raw_id is None:
            return
        name = string_value(line, method)
        if name is None:
            return
        answer = b'"result":{}' if name == "ping" else b'"error":{"code":-32601,"message":"doctor has no such method"}'
        if name != "ping":
            self._asked_for.add(name)
        self._end.write(b'{"jsonrpc":"2.0","id":' + raw_id + b"," + answer + b"}\n")

    def on_full(self, full: bool) -> None:
        """What it does not read is bounded by what is asked."""

    def on_deaf(self) -> None:
        """Seen as silence."""

    def on_exit(self) -> None:
        """It has ended."""
        self._ended.set()


def _check_names(called: Sequence[str], names: Sequence[str]) -> None:
    """Raise `ConfigError` for a tool that the server does not list."""
    name = next((name for name in called if name not in names), None)
    if name is None:
        return
    near = nearest(name, names, 1)
    advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(names[:_SHOWN_NAMES]) or 'none'}"
    more = "" if near or len(names) <= _SHOWN_NAMES else f" and {len(names) - _SHOWN_NAMES:,} more"
    raise ConfigError(f"command line: --try: expected a tool of the server, got {name}; {advice}{more}")


def _modern_meta() -> Mapping[str, Any]:
    prefix = "io.modelcontextprotocol"
    return {
        f"{prefix}/protocolVersion": MODERN,
        f"{prefix}/clientInfo": {"name": "millpond-doctor", "version": __version__},
        f"{prefix}/clientCapabilities": {},
    }


def _reply(line: bytes, seconds: float) -> Reply:
    members = object_members(line) or {}
    result, error = members.get("result"), members.get("error")
    if result is not None:
        return Reply(line, result, "", seconds)
    message = "it holds neither a result nor an error"
    if error is not None:
        with suppress(ValueError, RecursionError, AttributeError, TypeError):
            message = str(json.loads(error.of(line))["message"])
    return Reply(line, None, " ".join(message.split())[:_SHOWN_CHARACTERS] or "an error without a message", seconds)


def _name(values: Mapping[str, Any]) -> str:
    """The server's name and version: in the result, or in its `_meta` (2026-07-28)."""
    meta: Any = values.get("_meta") or {}
    info: Any = values.get("serverInfo") or meta.get("io.modelcontextprotocol/serverInfo") or {}
    return " ".join(str(info[key]) for key in ("name", "version") if key in info)
