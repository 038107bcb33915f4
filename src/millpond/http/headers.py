"""Headers: what a request says about its body, so that a server can route it unread.

Rule: names and rules are the SDK's (a contract test compares them); it is imported only for what needs its code, because
that takes a second. Imports the relay's `spans` and `http.message`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from millpond.http.message import Message
from millpond.relay.spans import string_value

SESSION_ID = "mcp-session-id"
PROTOCOL_VERSION = "mcp-protocol-version"
METHOD = "mcp-method"
NAME = "mcp-name"
LAST_EVENT_ID = "last-event-id"
JSON = "application/json"
EVENT_STREAM = "text/event-stream"
NAMED_BY: Mapping[str, str] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which member of `params` a method's `Mcp-Name` repeats."""
PARAMETER = b"x-mcp-header"
"""Marks a property of a tool's schema whose argument is repeated as a header."""
_PLAIN = re.compile(r"(?!=\?base64\?)[!-~](?:[ -~]*[!-~])?")


def posted(version: str | None, session_id: str | None) -> dict[str, str]:
    """The headers of a POST in every revision; those that are None are not sent."""
    headers = {"accept": f"{JSON}, {EVENT_STREAM}", "content-type": JSON}
    return headers | of_session(version, session_id)


def of_session(version: str | None, session_id: str | None) -> dict[str, str]:
    """The headers of any request of a session."""
    named = {PROTOCOL_VERSION: version, SESSION_ID: session_id}
    return {name: header_value(value) for name, value in named.items() if value is not None}


def header_value(text: str) -> str:
    """The text as a header's value; in the SDK's base64 form where a header could not carry it."""
    if _PLAIN.fullmatch(text):
        return text
    from mcp.shared.inbound import encode_header_value

    return encode_header_value(text)


class Routing:
    """The headers of 2026-07-28 that repeat parts of the body."""

    def __init__(self) -> None:
        self._parameters: dict[str, Mapping[tuple[str, ...], str]] = {}

    def headers(self, message: Message) -> dict[str, str]:
        """`Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` of a request or a notification."""
        envelope = message.envelope
        if envelope is None or envelope.method is None:
            return {}
        headers = {METHOD: header_value(envelope.method)}
        params = envelope.of_params()
        name = string_value(envelope.line, params.get(NAMED_BY.get(envelope.method, "")))
        if name is None:
            return headers
        headers[NAME] = header_value(name)
        arguments = params.get("arguments")
        if envelope.method == "tools/call" and arguments is not None and name in self._parameters:
            headers |= _of_arguments(self._parameters[name], arguments.of(envelope.line))
        return headers

    def learn(self, line: bytes) -> None:
        """Remember which arguments the tools of a `tools/list` answer want as headers."""
        if PARAMETER not in line and not self._parameters:
            return
        from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map

        for name, schema in _schemas(line):
            self._parameters.pop(name, None)
            if find_invalid_x_mcp_header(schema) is None and (found := x_mcp_header_map(schema)):
                self._parameters[name] = found


def _of_arguments(parameters: Mapping[tuple[str, ...], str], arguments: bytes) -> dict[str, str]:
    from mcp.shared.inbound import mcp_param_headers

    try:
        values: Any = json.loads(arguments)
        return mcp_param_headers(parameters, cast("dict[str, Any]", values)) if isinstance(values, dict) else {}
    except (ValueError, RecursionError):  # the server says what it makes of such arguments
        return {}


def _schemas(line: bytes) -> Iterator[tuple[str, Any]]:
    """Each tool's name and schema; what is none of a `tools/list` answer is passed over."""
    try:
        answer: Any = json.loads(line)
        tools: Any = answer["result"]["tools"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return
    for tool in cast("list[Any]", tools) if isinstance(tools, list) else ():
        match tool:
            case {"name": str(name), "inputSchema": schema}:
                yield name, schema
            case _:
                pass
