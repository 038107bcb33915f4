"""Exits: what the code says with which the engine's process ends, and what an agent reads in place of rows.

Rule: one place for the words an agent reads when a query came to nothing through no fault of its SQL. Imports `core` only.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from enum import IntEnum
from typing import NoReturn

from millpond.core.errors import CanvasStopped, Reason, Refusal

NO_MEMORY = "the result did not fit the engine's memory"
"""The note of a result that could not be taken; the call is answered with the result as it came."""
DISK_FULL = "the disk is full"
FULL_CODES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says then."""


class Exit(IntEnum):
    """Exit codes of the engine's process; any other code, or a signal, is an accident."""

    END = 0
    """Its input ended."""
    LOST = 3
    """The canvas's file is no longer there."""
    UNUSABLE = 4
    """The canvas's file cannot be opened or made."""
    EXCESS = 5
    """It had more memory than its budget."""
    STOPPED = 6
    """The database takes no further statement: a full disk does that to it. The file is opened anew by the next process."""
    DAMAGED = 7
    """The canvas's file holds no database any more."""


def tell(error: BaseException) -> None:
    """One line on stderr: what was raised and where. Not its message, which may hold the conversation's data."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].name}, line {frames[-1].lineno}" if frames else "nowhere"
    print(f"{type(error).__name__} in {where}", file=sys.stderr, flush=True)


def why(error: BaseException) -> str:
    """What is wrong, without the conversation's data: the disk where that is full, else the kind of error."""
    text = str(error)
    is_full = any(os.strerror(code) in text for code in FULL_CODES)
    return DISK_FULL if is_full else f"the engine failed ({type(error).__name__})"


def stop(error: CanvasStopped) -> NoReturn:
    """End the process, so that the next one opens the file anew."""
    print(f"the database takes no further statement: {error}", file=sys.stderr, flush=True)
    os._exit(Exit.STOPPED)


def timed_out(timeout_seconds: float) -> Refusal:
    """The deadline passed while the query ran."""
    return Refusal(
        Reason.TIMEOUT,
        f"The query was stopped: it took longer than {timeout_seconds:g} s. Ask for less: filter with WHERE, aggregate, "
        "or add LIMIT. The limit is `timeout_seconds` under `[query]` in Millpond's configuration.",
    )


def not_reached(timeout_seconds: float) -> Refusal:
    """The deadline passed before the query got to run."""
    return Refusal(
        Reason.TIMEOUT,
        f"The query could not begin within {timeout_seconds:g} s, because the engine was starting again, storing a "
        "large result alone, or answering other queries. Run the query again.",
    )


def restarted() -> Refusal:
    """The process ended under a query that may have had no part in it."""
    return Refusal(
        Reason.ENGINE_RESTARTED,
        "The engine had to be started again while this query ran. Every stored table is still there. Run the query "
        "again; if it comes to this again, ask for less: filter with WHERE, aggregate, or add LIMIT.",
    )


def grew_too_large() -> Refusal:
    """The process ended for its size, under a query or another."""
    return Refusal(
        Reason.OUT_OF_MEMORY,
        "The engine needed more memory than it may have and was started again. Every stored table is still there. Ask "
        "for less: filter with WHERE, aggregate, or build shorter texts and lists.",
    )


def out_of_memory() -> Refusal:
    """An allocation failed under the query; the process goes on."""
    return Refusal(
        Reason.OUT_OF_MEMORY,
        "The query needed more memory than the engine may have. Ask for less: filter with WHERE, aggregate, or build "
        "shorter texts and lists.",
    )


def failed(kind: str) -> Refusal:
    """The query side raised what it should have turned into an answer."""
    return Refusal(
        Reason.EXECUTION_ERROR,
        f"The query failed in the engine ({kind}). Try it in another form, or in smaller steps.",
    )


def lost() -> Refusal:
    """The canvas's file was taken away."""
    return Refusal(
        Reason.ENGINE_RESTARTED,
        "The canvas's file was removed from the machine's temporary directory, and its tables with it. A new, empty "
        "canvas is in use. Call the tools again, then query the tables that their answers name.",
    )


def unavailable() -> Refusal:
    """No process comes up."""
    return Refusal(
        Reason.EXECUTION_ERROR,
        "The engine could not be started, so nothing can be queried now; Millpond's log says why. Results of tools "
        "go on as they come. Try the query again later.",
    )
