"""Lines: bytes in pieces of any size become lines, in time linear in the bytes.

Rule: no byte is changed or dropped, and none is copied more than twice. Imports the standard library only.
"""

from __future__ import annotations

from io import BytesIO


class Lines:
    """Joins the pieces of one stream into lines."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.waiting_bytes = 0
        """Bytes of the line that has not ended yet."""

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes, each with its `\\n`; only that ends a line."""
        if b"\n" not in piece:
            self._keep(piece)
            return []
        lines = BytesIO(piece).readlines()
        if self._pieces:
            self._pieces.append(lines[0])
            lines[0] = self.rest()
        if not lines[-1].endswith(b"\n"):
            self._keep(lines.pop())
        return lines

    def rest(self) -> bytes:
        """What came after the last line's end."""
        rest = b"".join(self._pieces)
        self._pieces.clear()
        self.waiting_bytes = 0
        return rest

    def _keep(self, piece: bytes) -> None:
        if piece:
            self._pieces.append(piece)
            self.waiting_bytes += len(piece)
