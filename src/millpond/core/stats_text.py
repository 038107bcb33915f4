"""Stats text: what is said at a session's end.

Rule: one line, for people. Imports `core.sizes` and `core.stats`; it comes when a session ends, for a start should not pay for it.
"""

from __future__ import annotations

from millpond.core.sizes import counted, human_size
from millpond.core.stats import SessionCount


def session_sentence(session: SessionCount) -> str:
    """What is said at a session's end; "" where nothing was kept out and nothing asked."""
    total = session.total
    if not total.replaced and not session.queries:
        return ""
    parts = [
        f"{counted(total.calls, 'call')}, {counted(total.replaced, 'result')} kept out of the conversation"
        f" ({human_size(total.kept_out_bytes)}, about {total.kept_out_tokens:,} tokens)",
        "1 query" if session.queries == 1 else f"{session.queries:,} queries",
        *([counted(session.evictions, "call") + " evicted"] if session.evictions else []),
        *([counted(session.restarts, "restart") + " of the engine"] if session.restarts else []),
    ]
    return "; ".join(parts)
