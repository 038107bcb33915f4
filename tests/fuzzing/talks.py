"""A whole session of the relay: any lines of either side, in any order.

A line that begins with `>` is the client's, `!` lets the time of an alarm come, `.` ends the server, and any other is the server's, a `<`
before it left out. The engine answers by turns that it keeps, fails and replaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import cycle

from fuzzing.target import JSON_WORDS, RESULTS, Members, Target, as_json
from millpond.core.config_file import parse_config
from millpond.relay.actions import Action, Alarm, Ask, Look, Policy, Take, ToClient, ToServer
from millpond.relay.envelope import read_envelope
from millpond.relay.session import Session
from relay_talk import FAILED, KEPT, REPLACED, TIME, policy

EDITED = ("initialize", "server/discover", "tools/list", "tools/call", "tasks/", "resources/")
"""Beginnings of the methods whose answers may be edited."""
_PAGING = '[tools."list_issues".all]\npage = "cursor"\nnext = "$.nextCursor"\n'
_LOOKED = (b'{"result":{"resources":[{"uri":"millpond://a","name":"a"}]}}', b'{"result":{"contents":[]}}', b"{}")


@cache
def _policy() -> Policy:
    server = parse_config(b'[servers.a]\ncommand = "a"\n', "a", {}).server
    paging = parse_config(_PAGING.encode(), "a.toml", {}, server).collected
    sizes = policy(
        {"never": "never", "always": "always"}, resources="always", inline_rows_bytes=64, max_line_bytes=6000
    )
    return replace(sizes, paging=paging, page_id="own", conversation_keys=("c",))


class _Talk:
    """A session, and what is known of it without looking inside."""

    def __init__(self) -> None:
        self.session = Session(_policy(), lambda: TIME)
        self.may_edit = False
        self.outcomes = cycle((KEPT, REPLACED, FAILED))
        self.looked = cycle(_LOOKED)
        self.alarms: list[bytes] = []

    def client_says(self, line: bytes) -> None:
        """A line of the client goes on as it is, or is answered here."""
        envelope = read_envelope(line)
        method = None if envelope is None else envelope.method
        self.may_edit = self.may_edit or (method or "").startswith(EDITED)
        actions = self.session.from_client(line)
        assert actions
        self._carry_out(actions)
        sent = [action.line for action in actions if isinstance(action, ToServer)]
        if method is None:
            assert sent == [line], "no request, and not as it came"
        else:
            assert sent in ([], [line]) or _is_of_ours(sent[0]), "neither as it came nor answered here"

    def server_says(self, line: bytes) -> None:
        """A line of the server goes on as it is, but for the answers that are edited."""
        for action in self._carry_out(self.session.from_server(line)):
            if isinstance(action, ToClient) and action.line != line:
                assert self.may_edit, "edited"
                _check_edit(line, action.line)
            elif isinstance(action, Take):
                assert action.line == line or action.said is not None
                self._take(action)

    def _take(self, take: Take) -> None:
        outcome = next(self.outcomes)
        line = self.session.taken(take, outcome)
        if outcome is not REPLACED and take.said is None:
            assert line == take.line or len(take.line) > _policy().max_line_bytes
        _check_edit(take.line, line)

    def _carry_out(self, actions: Iterable[Action]) -> list[Action]:
        for action in actions:
            if isinstance(action, Alarm):
                self.alarms.append(action.key)
            elif isinstance(action, Ask):
                _check_whole(self.session.answered(action, b'{"content":[]}'))
            elif isinstance(action, Look) and action.listing is None:
                _check_whole(self.session.looked(action, next(self.looked)))
            elif isinstance(action, Look) and action.listing is not None:
                _check_edit(action.listing.line, self.session.looked(action, next(self.looked)))
        return list(actions)

    def clock_says(self) -> None:
        """The time of the oldest alarm comes."""
        if self.alarms:
            for action in self._carry_out(self.session.overdue(self.alarms.pop(0))):
                if isinstance(action, Take):
                    self._take(action)

    def server_ends(self) -> None:
        """Whoever still waits is answered."""
        for action in self._carry_out(self.session.server_ended("it ended")):
            if isinstance(action, ToClient):
                assert action.line.endswith(b"\n")


def check(data: bytes) -> None:
    """Nothing is raised, and a line that is not to be edited is the same line."""
    talk = _Talk()
    for line in data.splitlines(keepends=True):
        if line[:1] == b">":
            talk.client_says(line[1:])
        elif line[:1] == b"!":
            talk.clock_says()
        elif line[:1] == b".":
            talk.server_ends()
        else:
            talk.server_says(line.removeprefix(b"<"))


def _is_of_ours(line: bytes) -> bool:
    """Whether a line asks for a page that is collected, or answers that."""
    return b'"%s-' % _policy().page_id.encode() in line


def _check_whole(line: bytes) -> None:
    """A line of ours is one line; whether it is JSON is up to the client, whose id is in it as it came."""
    assert line.endswith(b"}\n")


def _check_edit(old: bytes, new: bytes) -> None:
    """Of a message that the standard library reads, only what it holds may be another thing; of a page, what comes is a line of ours."""
    if _is_of_ours(old):
        assert new.endswith(b"}\n")
        return
    try:
        before, after = as_json(old.decode()), as_json(new.decode())
    except UnicodeDecodeError:
        return
    if before is None or not isinstance(before[0], Members):
        return
    assert after is not None, "no JSON any more"
    assert _outside(before[0]) == _outside(after[0])


def _outside(message: Members) -> list[tuple[str, object]]:
    return [(name, value if name not in ("result", "error", "params") else None) for name, value in message]


def _request(method: str, params: str, id: str = "1") -> bytes:
    return f'>{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}\n'.encode()


def _answer(result: bytes, id: bytes = b"1") -> bytes:
    return b'<{"jsonrpc":"2.0","id":' + id + b',"result":' + result + b"}\n"


_TOOL = b'{"name":"%s","inputSchema":{"type":"object","properties":{"cursor":{"type":"string"}}},"annotations":{"readOnlyHint":true},"outputSchema":{}}'
_OPENED = (
    _request("initialize", "{}", "0")
    + _answer(b'{"capabilities":{"tools":{}},"instructions":"be kind","protocolVersion":"2025-11-25"}', b"0")
    + _request("tools/list", "{}")
    + _answer(b'{"tools":[' + b",".join(_TOOL % name for name in (b"list_issues", b"never", b"always")) + b"]}")
)
_PAGE = b'{"content":[],"structuredContent":{"items":[{"a":1},{"a":2}],"nextCursor":"n"}}'
TARGET = Target(
    check=check,
    seeds=(
        *(_OPENED + _request("tools/call", '{"name":"always"}') + _answer(result) for result in RESULTS if len(result) < 1500),
        _OPENED + _request("tools/call", '{"name":"list_issues_all","arguments":{},"_meta":{"progressToken":1}}') + _answer(_PAGE, b'"own-1"') + b"!\n.\n",
        _OPENED + _request("tools/call", '{"name":"query","arguments":{"sql":"SELECT 1","save_as":"t"}}', '"a"'),
        _OPENED + _request("resources/list", "{}") + _answer(b'{"resources":[]}') + _request("resources/read", '{"uri":"millpond://call/1"}'),
        _OPENED + _request("tools/call", '{"name":"never","task":{}}') + _answer(b'{"task":{"taskId":"t"}}') + _request("tasks/result", '{"taskId":"t"}', "2") + _answer(_PAGE, b"2"),
        _OPENED + _request("tools/call", '{"name":"x"}') + b'>{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n' + _answer(_PAGE),
        _request("server/discover", '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}') + _answer(b'{"capabilities":{"tools":{}},"resultType":"complete"}'),
        b'<{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","result":{"content":[]}}}\n',
    ),
    words=(
        *JSON_WORDS, b"\n>", b"\n<", b"\n!\n", b"\n.\n", b'"id":1', b'"id":"own-1"', b'"method":"tools/call"', b'"method":"tools/list"', b'"result":',
        b'"error":', b'"params":', b'"name":"query"', b'"name":"list_issues_all"', b'"nextCursor":"x"', b'"cursor":null', b'"taskId":"t"', b'"task":{}',
        b'"resultType":"task"', b'"isError":true', b'"requestId":1', b'"uri":"millpond://tables"', b'"_meta":{', b'"resources":[', b'"tools":[', b"x" * 6000,
    ),
)  # fmt: skip
