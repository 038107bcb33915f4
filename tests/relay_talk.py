"""A talk with a session, without processes: lines in, actions out, an engine that answers what it is told to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from millpond.core.model import Mode, Outcome, Resources, Verdict
from millpond.relay.actions import Action, Policy, Take, ToClient, ToServer
from millpond.relay.session import Session

TIME = "2026-11-30T12:00:00.000Z"


def policy(
    modes: Mapping[str, Mode] | None = None, *, exports: bool = False, resources: Resources = "auto", **sizes: int
) -> Policy:
    """The default sizes, but for those that are named."""
    defaults = Policy(modes=modes or {}, inline_rows_bytes=4096, max_result_bytes=1 << 28, max_line_bytes=10 << 20)
    return replace(defaults, exports=exports, resources=resources, **sizes)


def session(
    modes: Mapping[str, Mode] | None = None, *, exports: bool = False, resources: Resources = "auto", **sizes: int
) -> Session:
    """A new session whose clock stands still."""
    return Session(policy(modes, exports=exports, resources=resources, **sizes), lambda: TIME)


def request(method: str, params: str | None = None, id: str = "1") -> bytes:  # JSON-RPC's own word
    """A request's line."""
    tail = "" if params is None else f',"params":{params}'
    return f'{{"jsonrpc":"2.0","id":{id},"method":"{method}"{tail}}}\n'.encode()


def answer(result: str | bytes, id: str = "1") -> bytes:
    """The line of an answer with a result."""
    raw = result.encode() if isinstance(result, str) else result
    return b'{"jsonrpc":"2.0","id":' + id.encode() + b',"result":' + raw + b"}\n"


def ask(session: Session, method: str, params: str | None, result: str | bytes) -> list[Action]:
    """Send a request through, have the server answer it, and return what is done with the answer."""
    line = request(method, params)
    assert session.from_client(line) == [ToServer(line)]
    return session.from_server(answer(result))


def show_tools(session: Session, *names: str) -> None:
    """Have the client list the server's tools, and so be shown the own ones."""
    tools = ",".join(f'{{"name":"{name}","inputSchema":{{}}}}' for name in names or ("list_issues",))
    ask(session, "tools/list", None, f'{{"tools":[{tools}]}}')


def call(session: Session, result: str | bytes, tool: str = "list_issues", arguments: str = "{}") -> list[Action]:
    """Call a tool of the server, and return what is done with its result."""
    return ask(session, "tools/call", f'{{"name":"{tool}","arguments":{arguments}}}', result)


def rows(count: int) -> bytes:
    """A result with that many rows in `structuredContent`, about 50 bytes each."""
    row = b'{"id":12345,"title":"a title of some length"}'
    return b'{"content":[],"structuredContent":{"items":[' + b",".join([row] * count) + b"]}}"


def taken(session: Session, actions: list[Action], outcome: Outcome) -> bytes:
    """The client's line for the one result that is given to the engine, when the engine answers so."""
    (take,) = actions
    assert isinstance(take, Take)
    return session.taken(take, outcome)


def to_client(actions: list[Action]) -> bytes:
    """The first action's line, which goes to the client."""
    assert isinstance(actions[0], ToClient)
    return actions[0].line


KEPT = Outcome(verdict=Verdict.KEEP)
FAILED = Outcome(verdict=Verdict.FAILED, note="too many results wait to be stored")
REPLACED = Outcome(verdict=Verdict.REPLACE, body=b'{"content":[{"type":"text","text":"handle"}]}')
