"""Callers: the requests of 2026-07-28, and the server that each caller's go to.

Rule: the checks, their order and their answers are those of the SDK's modern server. A caller is whoever holds a token;
where none is demanded, there is one. Imports the SDK, Starlette, `core`, the relay's `log` and `siblings`, and this
package's modules.
"""

from __future__ import annotations

import asyncio
from functools import partial

from mcp.server.streamable_http import check_accept_headers
from mcp.shared.inbound import (
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp_types import INVALID_REQUEST, PARSE_ERROR
from mcp_types.jsonrpc import HEADER_MISMATCH, INTERNAL_ERROR, METHOD_NOT_FOUND
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Send

from millpond.core.errors import MillpondError
from millpond.http.bodies import Kind, Message, NotAMessage, NotJson, is_json, read_message
from millpond.http.connection import Connection
from millpond.http.hosted import Open, Running
from millpond.http.modern import ModernServer
from millpond.http.replies import code_reply, error_reply
from millpond.relay.log import Log
from millpond.relay.siblings import Shown

NOT_ONE = "Body must be a single JSON-RPC request or notification object"


class Callers:
    """The servers of all callers of one address."""

    def __init__(self, idle_seconds: float, begin: Open, log: Log) -> None:
        """A server that nobody asked anything for so long is ended; the next request starts another."""
        self._idle_seconds = idle_seconds
        self._begin = begin
        self._log = log
        self._servers: dict[int, ModernServer] = {}
        self.running = Running()
        """All servers of these, for the front to end."""
        self._locks: dict[int, asyncio.Lock] = {}
        self._own: dict[int, Shown | None] = {}

    async def serve(self, caller: int, request: Request, send: Send) -> Response | None:
        """Answer a request; a response that is returned is still to be sent."""
        if request.method != "POST":
            return Response(status_code=405, headers={"Allow": "POST"})
        message = await _message(request)
        if isinstance(message, Response):
            return message
        if message.kind is Kind.NOTIFICATION:
            return _acknowledged(request)
        return _fault(message, request) or await self._ask(caller, message, request, send)

    async def _ask(self, caller: int, message: Message, request: Request, send: Send) -> Response | None:
        try:
            server = await self._server(caller)
        except MillpondError as error:
            self._log.line(str(error))
            return code_reply(message.id, INTERNAL_ERROR, str(error))
        fault = server.header_fault(message, request.headers)
        if fault is not None:
            return _rejected(message.id, fault)
        server.connected()
        try:
            async with Connection(request.receive, send) as connection:
                is_sent = await server.ask(message, connection)
        finally:
            server.disconnected()
            self._own[caller] = server.own or self._own.get(caller)
        return None if is_sent else code_reply(message.id, INVALID_REQUEST, f"{NOT_ONE} without a name twice")

    async def _server(self, caller: int) -> ModernServer:
        """The caller's server, started where there is none. Raises `MillpondError` where that fails."""
        async with self._locks.setdefault(caller, asyncio.Lock()):
            server = self._servers.get(caller)
            if server is None or server.is_ending:
                begin = partial(self._begin, caller=caller)
                server = ModernServer(self._idle_seconds, begin, self._log, self.running.discard)
                self.running.add(server)
                await server.start(self._own.get(caller))
                self._servers[caller] = server
            return server


async def _message(request: Request) -> Message | Response:
    """The request or notification of a POST, or the answer to what is neither."""
    if check_accept_headers(request) != (True, True):
        return Response(status_code=406)
    if not is_json(request.headers.get("content-type", "")):
        return error_reply(415, "Unsupported Media Type: Content-Type must be application/json")
    try:
        message = read_message(await request.body())
    except NotJson:
        return error_reply(400, "Parse error", PARSE_ERROR)
    except NotAMessage:
        return error_reply(400, NOT_ONE)
    return error_reply(400, NOT_ONE) if message.kind is Kind.ANSWER else message


def _acknowledged(request: Request) -> Response:
    """A notification is taken and dropped: no client may cancel by an id what another has asked."""
    fault = unsupported_protocol_version_rejection(request.headers.get(MCP_PROTOCOL_VERSION_HEADER, ""))
    return Response(status_code=202) if fault is None else _rejected(b"null", fault)


def _fault(message: Message, request: Request) -> Response | None:
    """The answer to a request whose headers do not agree with its body, or that this era does not have."""
    twice = find_duplicated_routing_header(request.headers.items())
    if twice is not None:
        return code_reply(message.id, HEADER_MISMATCH, f"{twice} header appears more than once")
    verdict = classify_inbound_request(message.body, headers=dict(request.headers))
    if isinstance(verdict, InboundLadderRejection):
        return _rejected(message.id, verdict)
    if message.envelope.method == "initialize":
        return code_reply(message.id, METHOD_NOT_FOUND, "Method not found", {"method": "initialize"})
    return None


def _rejected(raw_id: bytes, fault: InboundLadderRejection) -> Response:
    return code_reply(raw_id, fault.code, fault.message, fault.data)
