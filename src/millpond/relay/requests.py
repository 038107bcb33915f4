"""Requests: what is remembered of the client's requests until they are answered.

Rule: bounded; what is forgotten is only passed on as it came. Imports msgspec and the relay's `envelope` and `spans`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import msgspec

from millpond.relay.envelope import Envelope
from millpond.relay.spans import Member, members_of, string_value

MAX_PENDING = 10_000
"""Requests that wait for the server; with more, the oldest are forgotten."""
MAX_TASKS = 1_000
"""Tasks whose tool is remembered; with more, the oldest are forgotten."""
MAX_CONVERSATION_CHARACTERS = 256
"""Of what a client calls a conversation: identifiers are shorter, and anything else is none."""
INTERNAL_ERROR = -32603
"""JSON-RPC's code for what is no fault of the request."""
PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
"""Every request of 2026-07-28 carries this in `params._meta`; earlier revisions never do."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+', re.DOTALL)
"""A progress token is a string or an integer."""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the client."""

    method: str
    raw_id: bytes
    tool: str | None = None
    """The tool whose result the answer holds: of `tools/call`, and of `tasks/result` and `tasks/get` of a known task."""
    arguments: bytes = b"{}"
    is_task: bool = False
    """True for a `tools/call` that asks to be run as a task (2025-11-25; later the server decides)."""
    is_modern: bool = False
    is_cancelled: bool = False
    progress_token: bytes | None = None
    """Raw, an integer or a string; None where progress is not asked for."""
    conversation: str | None = None
    """What the client says of the conversation that it is a part of."""


class Remembered(Generic[_Value]):
    """A table that forgets its oldest entry when it is full."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: dict[bytes, _Value] = {}

    def values(self) -> Iterable[_Value]:
        """All values, oldest first."""
        return self._entries.values()

    def add(self, key: bytes, value: _Value) -> None:
        """Remember a value, as the newest."""
        self._entries.pop(key, None)
        if len(self._entries) >= self._most:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = value

    def get(self, key: bytes) -> _Value | None:
        """The value of a key."""
        return self._entries.get(key)

    def pop(self, key: bytes) -> _Value | None:
        """The value of a key, which is forgotten."""
        return self._entries.pop(key, None)

    def clear(self) -> tuple[_Value, ...]:
        """All values, oldest first, which are forgotten."""
        values = tuple(self._entries.values())
        self._entries.clear()
        return values


def id_key(raw: bytes) -> bytes:
    """What ids are compared by: raw bytes, so that `1`, `"1"` and `1.0` differ; of a string, one spelling for all."""
    if raw[:1] == b'"' and b"\\" in raw:
        value = string_value(raw, Member(0, 0, len(raw)))
        return raw if value is None else msgspec.json.encode(value)
    return raw


def result_line(raw_id: bytes, result: bytes) -> tuple[bytes, Member]:
    """The line that answers a request with a raw result, and where that lies in it."""
    head = b'{"jsonrpc":"2.0","id":' + raw_id + b',"result":'
    return head + result + b"}\n", Member(len(head) - 1, len(head), len(head) + len(result))


def error_line(raw_id: bytes, why: str, code: int = INTERNAL_ERROR, data: object = None) -> bytes:
    """The line that answers a request with an error of ours; without `data` where that is None."""
    error = {"code": code, "message": why} | ({} if data is None else {"data": data})
    return b'{"jsonrpc":"2.0","id":' + raw_id + b',"error":' + msgspec.json.encode(error) + b"}\n"


def progress_line(token: bytes, progress: int, message: str | None = None) -> bytes:
    """The line that tells the client how far a request of its own is, in seconds or pages; `token` is raw."""
    words = b"" if message is None else b',"message":' + msgspec.json.encode(message)
    params = b'{"progressToken":' + token + b',"progress":%d' % progress + words + b"}"
    return b'{"jsonrpc":"2.0","method":"notifications/progress","params":' + params + b"}\n"


def cancelled_line(raw_id: bytes, reason: str) -> bytes:
    """The line that tells the server that nobody waits for the answer to a request of ours."""
    params = b'{"requestId":' + raw_id + b',"reason":' + msgspec.json.encode(reason) + b"}"
    return b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":' + params + b"}\n"


def read_request(
    envelope: Envelope, raw_id: bytes, tasks: Remembered[Request], conversation_keys: Iterable[str] = ()
) -> Request:
    """What a request asks for; the value of the first of these keys that its `_meta` has tells its conversation."""
    method, line = envelope.method or "", envelope.line
    if method == "tools/call":
        params = envelope.of_params()
        arguments = params.get("arguments")
        meta = members_of(line, params.get("_meta"))
        return Request(
            method,
            raw_id,
            tool=string_value(line, params.get("name")) or "",
            arguments=b"{}" if arguments is None else arguments.of(line),
            is_task="task" in params,
            is_modern=PROTOCOL_VERSION in meta,
            progress_token=_token(line, meta.get("progressToken")),
            conversation=_conversation(line, meta, conversation_keys),
        )
    if method in ("tasks/result", "tasks/get"):
        task = raw_member(envelope, "taskId")
        known = tasks.get(id_key(task)) if task is not None else None
        if known is not None:
            return replace(Request(method, raw_id, known.tool, known.arguments), conversation=known.conversation)
    return Request(method, raw_id)


def is_modern(envelope: Envelope) -> bool:
    """True for a request of 2026-07-28."""
    return PROTOCOL_VERSION in members_of(envelope.line, envelope.of_params().get("_meta"))


def task_begun(line: bytes, members: Mapping[str, Member], request: Request, kind: str | None) -> bytes | None:
    """The raw id of the task that a call's result tells of, in the form of 2025-11-25 or of 2026-07-28, or None."""
    task = members.get("task") if request.is_task else None
    if task is not None:
        members = members_of(line, task)
    elif kind != "task":
        return None
    found = members.get("taskId")
    return None if found is None else found.of(line)


def raw_member(envelope: Envelope, name: str) -> bytes | None:
    """The raw text of a member of `params`."""
    member = envelope.of_params().get(name)
    return None if member is None else member.of(envelope.line)


def _conversation(line: bytes, meta: Mapping[str, Member], keys: Iterable[str]) -> str | None:
    """The conversation, with the key that told it; a text of any other length than a name's is none."""
    for key in keys:
        value = string_value(line, meta.get(key))
        if value and len(value) <= MAX_CONVERSATION_CHARACTERS:
            return f"{key}={value}"
    return None


def _token(line: bytes, place: Member | None) -> bytes | None:
    raw = b"" if place is None else place.of(line)
    return raw if _TOKEN.fullmatch(raw) else None
