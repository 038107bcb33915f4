"""Sessions: the requests of the revisions that open with `initialize`, and which session each belongs to.

Rule: a session's id is a secret of whoever began it; to any other caller it is as if it were not there. Statuses and
their order are those of the SDK's session manager. Imports the SDK, Starlette, `core`, the relay's `log`
and this package's modules.
"""

from __future__ import annotations

from functools import partial

from mcp.server.streamable_http import LAST_EVENT_ID_HEADER, MCP_SESSION_ID_HEADER, check_accept_headers
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import DEFAULT_NEGOTIATED_VERSION, INVALID_PARAMS, PARSE_ERROR
from mcp_types.jsonrpc import INTERNAL_ERROR
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Send

from millpond.core.errors import MillpondError
from millpond.http.bodies import Kind, Message, NotAMessage, NotJson, is_json, read_message
from millpond.http.connection import Connection
from millpond.http.headers import JSON
from millpond.http.hosted import Open, Running, Terms
from millpond.http.legacy import LegacySession
from millpond.http.replies import error_body, error_reply
from millpond.relay.log import Log

METHODS = ("GET", "POST", "DELETE")


class Sessions:
    """All sessions of one address."""

    def __init__(self, terms: Terms, most: int, begin: Open, log: Log) -> None:
        """At most so many sessions are there at once, those that are ending included."""
        self._terms = terms
        self._most = most
        self._begin = begin
        self._log = log
        self._known: dict[str, LegacySession] = {}
        self.running = Running()
        """All servers of these, for the front to end."""

    async def serve(self, caller: int, request: Request, send: Send) -> Response | None:
        """Answer a request; a response that is returned is still to be sent."""
        ident = request.headers.get(MCP_SESSION_ID_HEADER)
        session = None if ident is None else self._known.get(ident)
        if session is not None and (session.owner != caller or session.is_ending):
            session = None
        if ident is not None and session is None:
            return error_reply(404, "Session not found")
        if session is None:
            return await self._serve_without(caller, request, send)
        session.connected()
        try:
            return await self._serve_in(session, request, send)
        finally:
            session.disconnected()

    # --- without a session --------------------------------------------------------------------------------------

    async def _serve_without(self, caller: int, request: Request, send: Send) -> Response | None:
        if request.method != "POST":
            return _wrong_method(request) or error_reply(400, "Bad Request: Missing session ID")
        message = await _message(request)
        if isinstance(message, Response):
            return message
        if message.kind is not Kind.REQUEST or message.envelope.method != "initialize":
            return error_reply(400, "Bad Request: Missing session ID")
        if len(self.running) >= self._most:
            self._log.line(f"http: a session was refused: {self._most} are open (max_sessions)")
            return error_reply(503, "Too many open sessions", INTERNAL_ERROR)
        return await self._open(caller, message, request, send)

    async def _open(self, caller: int, message: Message, request: Request, send: Send) -> Response | None:
        session = LegacySession(caller, self._terms, partial(self._begin, caller=caller), self._log, self._over)
        self.running.add(session)
        session.connected()
        try:
            await session.start()
            async with Connection(request.receive, send) as connection:
                answer = await session.initialize(message, connection)
                if answer is not None and not session.is_ending:
                    self._known[session.id] = session
                if answer is not None:
                    headers = {MCP_SESSION_ID_HEADER: session.id} if session.id in self._known else None
                    await connection.json(answer, headers=headers)
            return None
        except MillpondError as error:
            self._log.line(str(error))
            return Response(error_body(message.id, INTERNAL_ERROR, str(error)), media_type=JSON)
        finally:
            if session.id not in self._known:
                session.end()
            session.disconnected()

    def _over(self, session: LegacySession) -> None:
        self.running.discard(session)
        self._known.pop(session.id, None)

    # --- in a session -------------------------------------------------------------------------------------------

    async def _serve_in(self, session: LegacySession, request: Request, send: Send) -> Response | None:
        match request.method:
            case "POST":
                return await self._post(session, request, send)
            case "GET":
                return await self._get(session, request, send)
            case "DELETE":
                del self._known[session.id]
                session.end()
                return Response(status_code=200, headers={MCP_SESSION_ID_HEADER: session.id})
            case _:
                return _wrong_method(request)

    async def _post(self, session: LegacySession, request: Request, send: Send) -> Response | None:
        message = await _message(request)
        if isinstance(message, Response):
            return message
        if message.kind is not Kind.REQUEST:
            await session.tell(message)
            return Response(status_code=202, headers={MCP_SESSION_ID_HEADER: session.id})
        if session.has_open(message):
            return error_reply(400, "Bad Request: a request with this id is still to be answered")
        async with Connection(request.receive, send) as connection:
            await session.ask(message, _version(request), connection)
        return None

    async def _get(self, session: LegacySession, request: Request, send: Send) -> Response | None:
        if not check_accept_headers(request)[1]:
            return error_reply(406, "Not Acceptable: Client must accept text/event-stream")
        last_event_id = request.headers.get(LAST_EVENT_ID_HEADER)
        place = session.place(last_event_id)
        if place is None:
            return error_reply(400, "Bad Request: this event is not kept any more")
        if last_event_id is None and session.is_listened_to:
            return error_reply(409, "Conflict: Only one SSE stream is allowed per session")
        async with Connection(request.receive, send) as connection:
            await session.listen(*place, _version(request), connection)
        return None


def _version(request: Request) -> str:
    return request.headers.get(MCP_PROTOCOL_VERSION_HEADER, DEFAULT_NEGOTIATED_VERSION)


def _wrong_method(request: Request) -> Response | None:
    if request.method in METHODS:
        return None
    return error_reply(405, "Method Not Allowed", headers={"Allow": ", ".join(METHODS)})


async def _message(request: Request) -> Message | Response:
    """The message of a POST, or the answer to what is none."""
    if check_accept_headers(request) != (True, True):
        return error_reply(406, "Not Acceptable: Client must accept both application/json and text/event-stream")
    if not is_json(request.headers.get("content-type", "")):
        return error_reply(415, "Unsupported Media Type: Content-Type must be application/json")
    try:
        return read_message(await request.body())
    except NotJson:
        return error_reply(400, "Parse error: the body is no JSON in UTF-8", PARSE_ERROR)
    except NotAMessage:
        return error_reply(400, "Validation error: the body is no single JSON-RPC message", INVALID_PARAMS)
