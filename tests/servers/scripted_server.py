"""A server that answers by a script and logs every byte that it receives. Standard library only.

    python scripted_server.py SCRIPT LOG

SCRIPT is a JSON list of `[lines, text]`: once so many lines have come in all (null: once the input has ended), the
text is written, one byte for each of its characters (Latin-1). Nothing of what comes is understood.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main(script: Path, log: Path) -> None:
    received, has_ended = 0, False
    with log.open("wb", buffering=0) as kept:
        for lines, text in [*json.loads(script.read_text()), (None, "")]:
            while not has_ended and (lines is None or received < lines):
                piece = os.read(0, 1 << 16)
                has_ended = not piece
                kept.write(piece)
                received += piece.count(b"\n")
            data = memoryview(text.encode("latin-1"))
            while data:
                data = data[os.write(1, data) :]


main(Path(sys.argv[1]), Path(sys.argv[2]))
