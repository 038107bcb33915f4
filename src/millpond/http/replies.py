"""Replies: the answers that the front makes itself, as the SDK's servers word them.

Rule: an error is a JSON-RPC error in a body with a status that fits it. Imports the SDK, Starlette,
`http.headers` and the relay's `requests`.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp_types import INVALID_REQUEST
from starlette.responses import Response

from millpond.http.headers import JSON
from millpond.relay.requests import error_line


def error_body(raw_id: bytes, code: int, message: str, data: object = None) -> bytes:
    """A JSON-RPC error as a body: the line without its end."""
    return error_line(raw_id, message, code, data).removesuffix(b"\n")


def error_reply(
    status: int, message: str, code: int = INVALID_REQUEST, headers: Mapping[str, str] | None = None
) -> Response:
    """An error that belongs to no request."""
    return Response(error_body(b"null", code, message), status, headers, JSON)


def code_reply(raw_id: bytes, code: int, message: str, data: object = None) -> Response:
    """An error that answers a request, with the status that the SDK gives its code."""
    return Response(error_body(raw_id, code, message, data), ERROR_CODE_HTTP_STATUS.get(code, 200), None, JSON)
