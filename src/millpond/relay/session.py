"""Session: what is done with each line, without a byte of input or output of its own.

Rule: a line goes on as it came unless it is one of the few that are edited or answered here; a call that worked never becomes an error.
Drivers feed lines and carry out the actions, whatever the transport. Imports `core.model` and the relay's modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from millpond.core.model import Call, Mode, Outcome, Verdict
from millpond.relay.degraded import degraded_result
from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.own_tools import (
    edited_listing,
    offers_tools,
    own_name,
    own_tool,
    read_listing,
    with_instructions,
)

OPENING = ("initialize", "server/discover")
MODERN = b'"io.modelcontextprotocol/protocolVersion"'
"""Every request of 2026-07-28 carries this in `params._meta`; earlier revisions never do."""
MAX_TASKS = 10_000
"""Tasks whose tool is remembered; the oldest are forgotten, and their results go on as they came."""


class ToServer(msgspec.Struct, frozen=True):
    """Send this line to the server."""

    line: bytes


class ToClient(msgspec.Struct, frozen=True):
    """Send this line to the client."""

    line: bytes


class Take(msgspec.Struct, frozen=True):
    """Give a result to the engine; its line goes to the client as `Session.taken` then says."""

    call: Call
    line: bytes
    span: slice
    query_tool: str


class Keep(msgspec.Struct, frozen=True):
    """Have the engine record a result that went on."""

    call: Call
    result: memoryview


class Ask(msgspec.Struct, frozen=True):
    """Answer an own call; the result goes to the client in the line that `Session.answered` makes."""

    id: bytes
    arguments: bytes
    query_tool: str
    modern: bool


class Stop(msgspec.Struct, frozen=True):
    """Cancel the own call of this id."""

    id: bytes


Action = ToServer | ToClient | Take | Keep | Ask | Stop


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is told of the configuration."""

    modes: Mapping[str, Mode]
    inline_rows_bytes: int
    max_result_bytes: int
    max_line_bytes: int

    def mode(self, tool: str) -> Mode:
        """The mode of a tool."""
        return self.modes.get(tool, "auto")


class _Pending(msgspec.Struct, frozen=True):
    """A request of the client that the server has not answered."""

    method: str
    tool: str | None = None
    arguments: bytes = b"{}"
    task: bool = False


class _CallParams(msgspec.Struct):
    name: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    task: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _ListParams(msgspec.Struct):
    cursor: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _TaskParams(msgspec.Struct, rename="camel"):
    task_id: str = ""


class _CancelParams(msgspec.Struct, rename="camel"):
    request_id: msgspec.Raw = msgspec.Raw(b"null")


class _Task(msgspec.Struct):
    task: _TaskParams | None = None


class _ResultHead(msgspec.Struct, rename="camel"):
    is_error: bool = False
    result_type: str = "complete"


_Params = TypeVar("_Params", bound=msgspec.Struct)


class Session:
    """One client and one server."""

    def __init__(self, policy: Policy, now: Callable[[], str]) -> None:
        """`now` gives the time as ISO 8601 in UTC."""
        self._policy = policy
        self._now = now
        self._pending: dict[bytes, _Pending] = {}
        self._tasks: dict[str, _Pending] = {}
        self._asked: set[bytes] = set()
        self._names: set[str] = set()
        self._own: str | None = None
        self._number = 0

    @property
    def pending(self) -> int:
        """Requests of the client that the server has not answered."""
        return len(self._pending)

    # --- from the client ----------------------------------------------------------------------------------------

    def from_client(self, line: bytes) -> list[Action]:
        """What is done with a line of the client."""
        envelope = read_envelope(line)
        if envelope is None or envelope.method is None:
            return [ToServer(line)]
        if envelope.id is None:
            return self._notification(envelope, line)
        pending = self._read_request(envelope)
        if pending.tool is not None and pending.tool == self._own and pending.method == "tools/call":
            self._asked.add(envelope.id)
            modern = envelope.params is not None and MODERN in envelope.params
            return [Ask(envelope.id, pending.arguments, self._own, modern)]
        self._pending[envelope.id] = pending
        return [ToServer(line)]

    def _read_request(self, envelope: Envelope) -> _Pending:
        method = envelope.method or ""
        if method == "tools/list" and _read(envelope.params, _ListParams()).cursor is msgspec.UNSET:
            self._names.clear()
        if method == "tools/call":
            params = _read(envelope.params, _CallParams())
            return _Pending(method, params.name, bytes(params.arguments), params.task is not msgspec.UNSET)
        if method == "tasks/result":
            return self._tasks.get(_read(envelope.params, _TaskParams()).task_id, _Pending(method))
        return _Pending(method)

    def _notification(self, envelope: Envelope, line: bytes) -> list[Action]:
        if envelope.method == "notifications/cancelled":
            id = bytes(_read(envelope.params, _CancelParams()).request_id)
            if id in self._asked:
                return [Stop(id)]
        return [ToServer(line)]

    # --- from the server ----------------------------------------------------------------------------------------

    def from_server(self, line: bytes) -> list[Action]:
        """What is done with a line of the server."""
        envelope = read_envelope(line)
        if envelope is None or not envelope.is_answer or envelope.id is None:
            return [ToClient(line)]
        pending = self._pending.pop(envelope.id, None)
        if pending is None or envelope.is_error:
            return [ToClient(line)]
        if pending.tool is not None:
            return self._tool_result(envelope, pending, line)
        if envelope.result is None:
            return [ToClient(line)]
        try:
            if pending.method in OPENING:
                return [ToClient(self._opened(line, envelope.result))]
            if pending.method == "tools/list":
                return [ToClient(self._listed(line, envelope.result))]
        except (msgspec.DecodeError, KeyError, RecursionError):
            pass  # not what the protocol says it is: the client sees it as it came
        return [ToClient(line)]

    def _opened(self, line: bytes, span: slice) -> bytes:
        if not offers_tools(line[span]):
            return line
        return exchanged(line, span, with_instructions(line[span], own_name(self._names)))

    def _listed(self, line: bytes, span: slice) -> bytes:
        listing = read_listing(line[span])
        self._names.update(listing.names)
        own = None
        if listing.last and self._names:
            self._own = own_name(self._names)
            own = own_tool(self._own)
        return exchanged(line, span, edited_listing(listing, lambda tool: self._policy.mode(tool) != "never", own))

    def _tool_result(self, envelope: Envelope, pending: _Pending, line: bytes) -> list[Action]:
        if envelope.result is None:
            return [self._carried(line, envelope, "it could not be read")]
        if pending.task and self._remember_task(line[envelope.result], pending):
            return [ToClient(line)]
        result = memoryview(line)[envelope.result]
        head = _read(result, _ResultHead())
        if head.result_type != "complete":
            return [ToClient(line)]
        call = self._call(pending, is_error=head.is_error)
        if head.is_error or call.mode == "never":
            return [ToClient(line), Keep(call, result)]
        if len(result) > self._policy.max_result_bytes:
            return [self._carried(line, envelope, f"it is larger than {self._policy.max_result_bytes} bytes")]
        small = len(result) <= self._policy.inline_rows_bytes and call.mode == "auto"
        if small or (not call.replaceable and len(line) <= self._policy.max_line_bytes):
            return [ToClient(line), Keep(call, result)]
        return [Take(call, line, envelope.result, self._own or "query")]

    def _call(self, pending: _Pending, *, is_error: bool) -> Call:
        self._number += 1
        tool = pending.tool or ""
        return Call(
            number=self._number,
            tool=tool,
            arguments=pending.arguments,
            time=self._now(),
            mode=self._policy.mode(tool),
            replaceable=not is_error and self._own is not None,
        )

    def _remember_task(self, result: bytes, pending: _Pending) -> bool:
        task = _read(result, _Task()).task
        if task is None:
            return False
        if len(self._tasks) >= MAX_TASKS:
            del self._tasks[next(iter(self._tasks))]
        self._tasks[task.task_id] = _Pending("tasks/result", pending.tool, pending.arguments)
        return True

    def _carried(self, line: bytes, envelope: Envelope, why: str) -> ToClient:
        """The line itself where every client can carry it, else its first part."""
        if len(line) <= self._policy.max_line_bytes:
            return ToClient(line)
        if envelope.result is None:
            body = degraded_result(line, why, readable=False)
            return ToClient(b'{"jsonrpc":"2.0","id":' + (envelope.id or b"null") + b',"result":' + body + b"}\n")
        return ToClient(exchanged(line, envelope.result, degraded_result(line[envelope.result], why, readable=True)))

    # --- what the engine said -----------------------------------------------------------------------------------

    def taken(self, take: Take, outcome: Outcome) -> bytes:
        """The client's line for a result that was given to the engine."""
        if outcome.verdict is Verdict.REPLACE and outcome.body is not None:
            return exchanged(take.line, take.span, outcome.body)
        why = outcome.note or "it has no rows to make tables of"
        return self._carried(take.line, Envelope(result=take.span), why).line

    def answered(self, ask: Ask, result: bytes) -> bytes:
        """The client's line for an own call, in the caller's era."""
        self._asked.discard(ask.id)
        if ask.modern:
            result = result[:-1] + b',"resultType":"complete"}'
        return b'{"jsonrpc":"2.0","id":' + ask.id + b',"result":' + result + b"}\n"

    def stopped(self, id: bytes) -> None:
        """An own call was cancelled: it gets no answer."""
        self._asked.discard(id)

    def ended(self, why: str) -> list[bytes]:
        """The lines that answer every pending request after the server's end."""
        error = msgspec.json.encode({"code": -32603, "message": why})
        lines = [b'{"jsonrpc":"2.0","id":' + id + b',"error":' + error + b"}\n" for id in self._pending]
        self._pending.clear()
        return lines


def exchanged(line: bytes, span: slice, result: bytes) -> bytes:
    """The line with another result; every other byte stays."""
    return b"".join((line[: span.start], result, line[span.stop :]))


def _read(raw: bytes | memoryview | None, default: _Params) -> _Params:
    """The members that are of interest, or the default where they are not what the protocol says."""
    if raw is None:
        return default
    try:
        return msgspec.json.decode(raw, type=type(default))
    except (msgspec.DecodeError, RecursionError):
        return default
