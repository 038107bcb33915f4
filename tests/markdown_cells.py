"""Cells of Markdown, read back as the texts they stand for."""

from __future__ import annotations


def read_markdown(cell: str) -> str | None:
    """A cell of Markdown as the text it stands for, None for NULL."""
    if cell == "NULL":
        return None
    out: list[str] = []
    at = 0
    while at < len(cell):
        if cell[at] != "\\":
            out.append(cell[at])
            at += 1
            continue
        mark = cell[at + 1]
        width = {"u": 4, "U": 8}.get(mark, 0)
        out.append(
            chr(int(cell[at + 2 : at + 2 + width], 16)) if width else {"n": "\n", "r": "\r", "t": "\t"}.get(mark, mark)
        )
        at += 2 + width
    found = "".join(out)
    quoted = len(found) > 1 and found[0] == found[-1] == '"'
    inner = found
    while len(inner) > 1 and inner[0] == inner[-1] == '"':
        inner = inner[1:-1]
    return found[1:-1] if quoted and (inner in ("", "NULL") or inner != inner.strip()) else found
