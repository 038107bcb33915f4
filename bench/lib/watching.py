"""Watching: what a front and all that it started hold, looked at again and again while it works.

Rule: a process that ends while it is looked at counts as ended. Linux only: it reads /proc. Imports the library only.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lib.processes import ENGINE, command_line, descendants, descriptors, resident_bytes

GLANCE_SECONDS = 0.1
"""Between two counts of the engines: less than one takes to start."""
GLANCES = 10
"""From one look to the next."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is there at one moment."""

    front_bytes: int
    engines_bytes: int
    """Of all engines that run."""
    descriptors: int
    """Of the front."""
    processes: int
    files: int
    files_bytes: int


def look(front: int, folder: Path) -> Look:
    """The front, its processes, and the files below a folder. Raises `OSError` where the front has ended."""
    family = descendants(front)
    sizes = [_size(file) for file in sorted(folder.rglob("*"))]
    return Look(
        front_bytes=resident_bytes(front),
        engines_bytes=sum(_resident_bytes(pid) for pid in engines(family)),
        descriptors=descriptors(front),
        processes=len(family),
        files=sum(size is not None for size in sizes),
        files_bytes=sum(size or 0 for size in sizes),
    )


def engines(family: Sequence[int]) -> list[int]:
    """The engines among these processes."""
    return [pid for pid in family if ENGINE in command_line(pid)]


def _resident_bytes(pid: int) -> int:
    try:
        return resident_bytes(pid)
    except OSError:
        return 0


def _size(file: Path) -> int | None:
    """The bytes of a file; None for what is none, or is gone."""
    try:
        return file.stat().st_size if file.is_file() else None
    except OSError:
        return None


class Watch:
    """Looks at a front at intervals, on a thread of its own, until it is closed."""

    def __init__(self, front: int, folder: Path) -> None:
        self._front = front
        self._folder = folder
        self.looks: list[Look] = []
        self.engines: set[int] = set()
        """Every engine's process that was seen."""
        self.most_engines = 0
        """At once."""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        glances = 0
        while not self._over.wait(GLANCE_SECONDS):
            glances += 1
            running = engines(descendants(self._front))
            self.engines.update(running)
            self.most_engines = max(self.most_engines, len(running))
            if glances % GLANCES == 0:
                self.looks.append(look(self._front, self._folder))

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
