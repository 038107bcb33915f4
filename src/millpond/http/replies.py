"""Replies: the answers that the front makes itself, as the SDK's servers word them.

Rule: an error is a JSON-RPC error in a body with a status that fits it. Imports the SDK, Starlette and msgspec.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp_types import INVALID_REQUEST
from starlette.responses import Response

JSON = "application/json"


def error_line(raw_id: bytes, code: int, message: str, data: Any = None) -> bytes:
    """A JSON-RPC error as one line, without its end."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return b'{"jsonrpc":"2.0","id":' + raw_id + b',"error":' + msgspec.json.encode(error) + b"}"


def error_reply(
    status: int, message: str, code: int = INVALID_REQUEST, headers: Mapping[str, str] | None = None
) -> Response:
    """An error that belongs to no request."""
    return Response(error_line(b"null", code, message), status, headers, JSON)


def code_reply(raw_id: bytes, code: int, message: str, data: Any = None) -> Response:
    """An error that answers a request, with the status that the SDK gives its code."""
    return Response(error_line(raw_id, code, message, data), ERROR_CODE_HTTP_STATUS.get(code, 200), None, JSON)
