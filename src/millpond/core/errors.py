"""The one tree of Millpond's errors, and the closed set of reasons an agent can be given.

Rule: an error carries fields; its message is built from them and ends with what to do next.
Imports the standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an own tool refused: the value of `reason` in `_meta["millpond/error"]`."""

    BAD_ARGUMENT = "bad_argument"
    NOT_ONE_STATEMENT = "not_one_statement"
    NOT_A_READ = "not_a_read"
    INVALID_SQL = "invalid_sql"
    UNKNOWN_TABLE = "unknown_table"
    STALE_TABLE = "stale_table"
    EVICTED_TABLE = "evicted_table"
    FUNCTION_REFUSED = "function_refused"
    FILE_ACCESS_REFUSED = "file_access_refused"
    EXECUTION_ERROR = "execution_error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    OUT_OF_MEMORY = "out_of_memory"
    ENGINE_RESTARTED = "engine_restarted"
    NAME_TAKEN = "name_taken"
    CANVAS_FULL = "canvas_full"
    CANVAS_NOT_FOUND = "canvas_not_found"
    CANVAS_MALFORMED = "canvas_malformed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A verdict that says no: returned by what decides, turned into a tool error at the edge."""

    reason: Reason
    message: str
    """What was expected, what came, and what to do next, in words that work as printed."""
    step: str = ""
    """SQL, or arguments as JSON, to send next; it is printed behind the message."""


class MillpondError(Exception):
    """Base of every error that Millpond raises on purpose."""


class ConfigError(MillpondError):
    """A configuration or command line that cannot be used; the message names the file and the key."""


class QueryRefused(MillpondError):
    """A query that gets an error instead of rows."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class ServerFailed(MillpondError):
    """The wrapped server could not be started, or ended; the message carries its last words."""


class RemoteFailed(MillpondError):
    """A request to a remote server that got no answer; the message says what happened and what to do."""

    def __init__(self, message: str, *, code: int = -32603, is_unreachable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        """JSON-RPC's code for the client: an internal error where nothing fits better."""
        self.is_unreachable = is_unreachable
        """True where there was no connection, so that nothing was sent."""


class EngineFailed(MillpondError):
    """The engine could not take a result; the call is answered with the result as it came."""


class CanvasStopped(MillpondError):
    """The database takes no further statement until its file is opened anew; what was committed is in it."""


class CanvasDamaged(MillpondError):
    """The canvas's file holds no database any more."""
