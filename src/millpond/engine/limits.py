"""Limits: every bound of the engine's process and of what waits for it.

Rule: a number has a name, a unit and a default here, and nowhere else. Imports the standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds that the link keeps to."""

    start_seconds: float = 30.0
    """From the start of a process until it must be ready; opening a file after a kill takes about 0.1 s. Then what waits is answered."""
    starts: int = 3
    """Failed starts in a row after which what waits is answered; the next request tries again."""
    damaged_starts: int = 2
    """Starts in a row that find the file damaged, after which an empty canvas takes its place."""
    checkpoint_delay: int = 4
    """How much more log is written before the next checkpoint, after one that found the disk full and stopped the database."""
    first_pause_seconds: float = 0.1
    """Before a start that follows a failure; doubled with each further one."""
    longest_pause_seconds: float = 5.0
    """The most that doubling comes to, and how long after giving up a request may cause another start."""
    grace_seconds: float = 2.0
    """From `Cancel` until the process is killed, unless the query is answered."""
    close_seconds: float = 1.0
    """From the end of the process's input until it is killed."""
    waiting_loads: int = 512
    """Results that wait to be stored, the one in hand included: small ones take 7 ms each, on a busy machine 34."""
    waiting_load_bytes: int = 512 << 20
    """Bytes of those results; one that finds nothing waiting is taken whatever its size."""
    load_seconds: float = 30.0
    """For one load, from when it is first sent: past it the result goes on as it came, before hosts give up (60 s)."""
    load_seconds_per_mib: float = 1.0
    """Added for each MiB of it."""
    load_deaths: int = 2
    """Ends of the process under the same load after which the load has failed."""
    query_sends: int = 2
    """How often a query is sent, when the process ends under it through no fault that is known to be its own."""
    unconfirmed: int = 10_000
    """Recorded results that are held until they are known to be committed."""
    unconfirmed_bytes: int = 64 << 20
    """Bytes of those results."""
    learned_bytes: int = 8 << 20
    """Of what the server says of its tools; held to be told to the next process too."""


QUERY_THREADS = 4
"""Queries that run at once in the engine; DuckDB itself works on two threads."""
BATCH_RECORDS = 64
"""Recorded results that are committed at once: a commit costs 4-6 ms in a file, however small."""
BATCH_SECONDS = 0.05
"""The longest that a recorded result waits for its commit."""
DATABASE_SHARE = 0.6
"""Part of the memory budget that DuckDB may use; the rest holds the result that is being decoded."""
FLUSH_RETRY_SECONDS = 1.0
"""After a commit that failed (a full disk), before the next try."""
STOP_AGAIN_SECONDS = 0.1
"""Between two tries to stop the same query: an interrupt that falls between two statements is lost on DuckDB."""
