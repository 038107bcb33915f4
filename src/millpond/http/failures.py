"""Failures: why a remote server gave no answer, in words that say what to do next.

Rule: of a URL only its origin is named, and nothing that a server or a header said: paths, queries, headers and bodies
hold secrets. Imports httpx2 and `core`.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus

import httpx2

from millpond.core.config_url import shown_origin
from millpond.core.errors import RemoteFailed

METHOD_NOT_FOUND = -32601
"""JSON-RPC's code for a method that is not known there."""
CONNECT_SECONDS = 10.0
"""To connect, TLS included."""
UNKNOWN_STATUSES = (400, 404, 405)
"""With these a server says that it does not know this transport, as servers of 2024-11-05 do."""
_ADVICE: Mapping[int, str] = {
    401: "it wants credentials, or other ones: check the Authorization header (--header, or headers in a file), or have npx"
    " mcp-remote sign in: millpond -- npx -y mcp-remote URL",
    403: "it refuses these credentials or this client: check the token and what it may do",
    404: "there is no MCP server under this path: check the URL",
    405: "there is no MCP server under this path: check the URL",
    413: "the request is too large for it: send less at once",
    429: "it wants fewer requests: wait a little, then call again",
}
_MAY_HAVE_RUN = "the call may have run, so look before calling it again"


def origin_of(url: httpx2.URL) -> str:
    """`https://host:port`: all of a URL that is ever shown."""
    return shown_origin(str(url))


def unreachable(origin: str, error: BaseException) -> RemoteFailed:
    """Nothing was sent, because there is no connection."""
    return RemoteFailed(f"the server at {origin} cannot be reached: {_cause(error)}", is_unreachable=True)


def broken(origin: str, error: BaseException | None = None) -> RemoteFailed:
    """The connection ended before the answer was whole."""
    match error:
        case httpx2.DecodingError():
            how = "its body is not encoded as it says"
        case httpx2.ProtocolError():
            how = "the connection ended, or what came is no HTTP"
        case _:
            how = "the connection broke"
    return RemoteFailed(f"no whole answer came from {origin}: {how}; {_MAY_HAVE_RUN}")


def ended(origin: str) -> RemoteFailed:
    """The answer's stream ended in order, without the answer."""
    return RemoteFailed(f"the server at {origin} ended its answer without a result; {_MAY_HAVE_RUN}")


def silent(origin: str, seconds: float) -> RemoteFailed:
    """It does not answer what is answered at once."""
    return RemoteFailed(
        f"the server at {origin} did not answer within {seconds:.0f} s: check that it runs, and try again"
    )


def unexpected(origin: str, what: str) -> RemoteFailed:
    """It answered a request with something that is no answer."""
    return RemoteFailed(f"the server at {origin} answered with {what}: check that the URL is one of an MCP server")


def refused(response: httpx2.Response, method: str | None) -> RemoteFailed:
    """It answered with a status that says no."""
    origin, status = origin_of(response.request.url), response.status_code
    if response.has_redirect_location:
        return RemoteFailed(
            f"the server at {origin} redirects ({status}) to {_target(response)}, which is not followed, so that headers"
            " stay with their origin and a call stays a call: use the URL it redirects to if that is your server"
        )
    phrase = next((known.phrase for known in HTTPStatus if known == status), "")
    advice = _ADVICE.get(status) or (f"it failed; {_MAY_HAVE_RUN}" if status >= 500 else "check the URL and headers")
    message = f"the server at {origin} answered {f'{status} {phrase}'.strip()}: {advice}"
    unknown = method == "server/discover" and status < 500
    return RemoteFailed(message, code=METHOD_NOT_FOUND) if unknown else RemoteFailed(message)


def _target(response: httpx2.Response) -> str:
    following = response.next_request
    same = following is not None and origin_of(following.url) == origin_of(response.request.url)
    return "another path" if same or following is None else origin_of(following.url)


def _cause(error: BaseException) -> str:
    """The first known reason in the chain of an error, and what to do."""
    for one in _chain(error):
        match one:
            case ssl.SSLCertVerificationError():
                return f"its certificate is not trusted ({one.verify_message}); SSL_CERT_FILE names other authorities"
            case ssl.SSLError():
                return f"TLS failed ({one.reason or 'no agreement'}); check that the URL is one of https"
            case socket.gaierror():
                return "its name is not known; check the URL's spelling and the network"
            case OSError() if _is_refusal(one):
                return "connection refused; check the port, and that the server runs"
            case TimeoutError() | httpx2.TimeoutException():
                return f"no connection within {CONNECT_SECONDS:.0f} s; check the URL and the network"
            case httpx2.ProxyError():
                return "the proxy of the environment refused; check HTTPS_PROXY and NO_PROXY"
            case _:
                pass
    return "there is no connection; check the URL and the network"


def _is_refusal(error: OSError) -> bool:
    """True of a refusal, at one address or, where a name has several, at each: asyncio puts those into one text."""
    return isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it; of a group, which stands for several addresses, the first."""
    one: BaseException | None = error
    while one is not None:
        yield one
        parts: Sequence[BaseException] = getattr(one, "exceptions", ())
        one = parts[0] if parts else one.__cause__ or one.__context__
