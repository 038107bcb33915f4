"""A talk in which the pages of a listing are collected, without processes: what the server is asked, and what comes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from millpond.core.config_file import parse_config
from millpond.core.model import Outcome, Verdict
from millpond.relay.actions import Action, Take, ToClient, ToServer
from millpond.relay.session import Session
from relay_talk import TIME, policy, request

LISTED: dict[str, Any] = {
    "name": "list_issues",
    "inputSchema": {"type": "object", "properties": {"state": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
HANDLE = Outcome(verdict=Verdict.REPLACE, body=b'{"content":[{"type":"text","text":"a handle"}],"_meta":{"x":1.0}}')


class Listing:
    """A session whose server has the tool `list_issues`, and answers its pages as it is told to."""

    def __init__(self, toml: str, page: Callable[[dict[str, Any]], str], **options: Any) -> None:
        """`page` gives the raw result for the arguments of a page; options are `tools`, and sizes of the policy."""
        tools: Iterable[dict[str, Any]] = options.pop("tools", [LISTED])
        text = f'[tools."list_issues".all]\n{toml}\n'
        server = parse_config(b'[servers.a]\ncommand = "a"\n', "a", {}).server
        paging = parse_config(text.encode(), "a.toml", {}, server).collected
        self._policy = replace(policy(**options), paging=paging, page_id="own")
        self.session = Session(self._policy, lambda: TIME)
        self._page = page
        self.asked: list[dict[str, Any]] = []
        """What the server was asked for, page by page."""
        self.done: list[Action] = []
        """All that was done, in order, but for what was asked of the server."""
        self.tools = self._list(tools)

    def _list(self, tools: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """The tools that the client is shown; what is said of them stays in `done`."""
        line = request("tools/list")
        assert self.session.from_client(line) == [ToServer(line)]
        sent, *self.done = self.session.from_server(answer_line(b"1", json.dumps({"tools": list(tools)})))
        assert isinstance(sent, ToClient)
        return {tool["name"]: tool for tool in json.loads(sent.line)["result"]["tools"]}

    def start_again(self) -> None:
        """Have another session, for a client that was shown the tools by this one."""
        self.session = Session(self._policy, lambda: TIME, self.session.own)

    def call(self, arguments: object = None, rest: str = "", id: str = "7") -> Listing:
        """Call `list_issues_all`, and answer page after page until no more is asked for."""
        given = json.dumps(arguments if arguments is not None else {})
        params = f'{{"name":"list_issues_all","arguments":{given}{rest}}}'
        return self.run(self.session.from_client(request("tools/call", params, id)))

    def run(self, actions: list[Action]) -> Listing:
        """Carry out actions, and what comes of them."""
        waiting = list(actions)
        while waiting:
            action = waiting.pop(0)
            message: dict[str, Any] = json.loads(action.line) if isinstance(action, ToServer) else {}
            if message.get("method") != "tools/call":
                self.done.append(action)
                continue
            self.asked.append(message)
            waiting += self.answered(message, self._page(message["params"]["arguments"]))
        return self

    def answered(self, message: dict[str, Any], result: str) -> list[Action]:
        """What is done where the server answers so; an empty result is no answer."""
        line = answer_line(json.dumps(message["id"]).encode(), result)
        return self.session.from_server(line) if result else []

    @property
    def take(self) -> Take:
        """The one result that the engine is given."""
        (take,) = [action for action in self.done if isinstance(action, Take)]
        return take

    @property
    def said(self) -> str:
        """What is said of the pages."""
        assert self.take.said is not None
        return self.take.said

    @property
    def resume(self) -> dict[str, Any]:
        """The arguments that the agent is told to go on with."""
        found = re.search(r"To go on, call list_issues_all with (\{.*\})$", self.said)
        assert found, self.said
        return json.loads(found[1])

    def raw(self) -> bytes:
        """The collected result."""
        return self.take.line[self.take.result.start : self.take.result.stop]

    def sent(self, outcome: Outcome) -> dict[str, Any]:
        """The result that the client gets where the engine answers so."""
        message = json.loads(self.session.taken(self.take, outcome))
        assert message["id"] == 7
        return message["result"]


def answer_line(id: bytes, result: str) -> bytes:
    """The line of an answer."""
    return b'{"jsonrpc":"2.0","id":' + id + b',"result":' + result.encode() + b"}\n"


def error_line(id: str, message: str) -> bytes:
    """The line of an error of the protocol."""
    error = json.dumps({"code": -32000, "message": message})
    return f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"error":{error}}}\n'.encode()
