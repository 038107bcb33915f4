"""Lines: bytes in pieces of any size become lines, in time linear in the bytes.

Rule: no byte is changed, dropped or looked at twice. Imports the standard library only.
"""

from __future__ import annotations


class Lines:
    """Joins the pieces of one stream into lines."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes, each with its `\\n`."""
        if b"\n" not in piece:
            self._pieces.append(piece)
            return []
        *whole, rest = piece.split(b"\n")
        lines = [part + b"\n" for part in whole]
        if self._pieces:
            lines[0] = b"".join((*self._pieces, lines[0]))
            self._pieces.clear()
        if rest:
            self._pieces.append(rest)
        return lines

    def rest(self) -> bytes:
        """What came after the last line's end."""
        rest = b"".join(self._pieces)
        self._pieces.clear()
        return rest
