"""Records: what a session has the engine keep of its calls, and what the client gets where nothing is replaced.

Rule: every answer to a call has one number; what no line can carry is cut and said. Imports `core.model`, msgspec and the
relay's modules.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from millpond.core.model import Call
from millpond.relay.actions import Keep, Policy, Take
from millpond.relay.degraded import degraded_line
from millpond.relay.envelope import read_envelope
from millpond.relay.remarks import as_text, with_remark
from millpond.relay.requests import Request
from millpond.relay.spans import Edit, Member, edited


class Records:
    """The calls of one session, numbered from 1."""

    def __init__(self, policy: Policy, now: Callable[[], str]) -> None:
        """`now` gives the time as ISO 8601 in UTC."""
        self._policy = policy
        self._now = now
        self.last_number = 0
        """0 before the first call."""

    def call(self, request: Request, *, replaceable: bool, note: str | None) -> Call:
        """The next call, which has come now."""
        self.last_number += 1
        tool = request.tool or ""
        return Call(
            number=self.last_number,
            tool=tool,
            arguments=request.arguments,
            time=self._now(),
            mode=self._policy.mode(tool),
            replaceable=replaceable,
            note=note,
            conversation=request.conversation,
        )

    def kept(self, call: Call, line: bytes, value: Member) -> Keep:
        """Have it recorded; of what is too large to be kept, that it came."""
        size, most = value.stop - value.start, self._policy.max_result_bytes
        if size <= most:
            return Keep(call, memoryview(line)[value.start : value.stop])
        note = "; ".join(filter(None, (call.note, f"larger than max_result_bytes ({most:,}): not kept")))
        return Keep(msgspec.structs.replace(call, unkept_bytes=size, note=note), memoryview(b""))

    def carried(self, line: bytes, result: Member, why: str) -> bytes:
        """The line itself where every client can carry it, else with the first part of its result."""
        return line if len(line) <= self._policy.max_line_bytes else degraded_line(line, result, why)

    def remarked(self, take: Take, said: str, why: str) -> bytes:
        """A collected result without a table: its data as text for clients that show no other, and what is said of it."""
        raw = take.result.of(take.line)
        whole = edited(take.line, Edit(take.result.start, take.result.stop, with_remark(as_text(raw), said)))
        if len(whole) <= self._policy.max_line_bytes:
            return whole
        cut = degraded_line(take.line, take.result, why)
        envelope = read_envelope(cut)
        if envelope is None or envelope.result is None:
            return cut
        place = envelope.result
        return edited(cut, Edit(place.start, place.stop, with_remark(place.of(cut), said)))
