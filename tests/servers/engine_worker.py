"""The engine's process on parts that do as they are told, to be killed and held at known moments.

A result's tool and a query's text say what happens; `*_once` happens the first time only, whatever process it is in. What
is about to happen is told on stderr, which the link logs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from millpond.core.errors import CanvasDamaged, CanvasStopped
from millpond.core.model import Call, EngineSettings, Outcome, ToolText, Verdict, Visit
from millpond.engine.parts import Parts, Why, file_path
from millpond.engine.worker import main

SECRET = "a cell of the conversation"


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def hold() -> None:
    threading.Event().wait()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    hold()


class Script:
    """What both parts do by name."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._guard = threading.Lock()
        self.running: set[int] = set()

    def first(self, name: str) -> bool:
        """True the first time that this name is asked for on this canvas."""
        with self._guard:
            try:
                (self._directory / f"done-{name}").touch(exist_ok=False)
            except FileExistsError:
                return False
            return True

    def act(self, name: str) -> None:
        """Do what the name says before the answer."""
        verb, _, rest = name.partition("_")
        again = rest.startswith("once") and not self.first(name)
        say(f"begins {name}")
        if again:
            return
        if verb == "hold":
            hold()
        elif verb == "die":
            die()
        elif verb == "raise":
            raise RuntimeError(SECRET)
        elif verb == "stopped":
            raise CanvasStopped("FatalException")
        elif verb == "memory":
            raise MemoryError
        elif verb == "print":
            sys.stdout.write(f"{SECRET}\n")
            sys.stdout.flush()


class Store:
    """Numbers in a file: those that are in it are committed."""

    def __init__(self, script: Script, settings: EngineSettings) -> None:
        self._script = script
        self._file = file_path(settings)
        self._file.touch()
        self._recorded: list[int] = []

    @property
    def evicted(self) -> int:
        return 0

    @property
    def last_number(self) -> int:
        return max(self.committed(), default=0)

    def committed(self) -> list[int]:
        return [int(line) for line in self._file.read_text().split()]

    def take(self, call: Call, result: memoryview, query_tool: str) -> Outcome:
        if call.tool == "beside" and self._script.running:
            return Outcome(verdict=Verdict.NO_MEMORY, note="no room beside a query")
        if call.tool == "beside":
            say("alone")
        self._script.act(call.tool)
        if call.tool == "keep":
            self.record(call, result)
            return Outcome(verdict=Verdict.KEEP)
        self._commit([call.number])
        body = json.dumps({"call": call.number, "bytes": len(result), "pid": os.getpid()}).encode()
        return Outcome(verdict=Verdict.REPLACE, body=body)

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        say(f"learns {' '.join(tool.name for tool in tools)}")

    def record(self, call: Call, result: bytes | memoryview) -> None:
        if call.tool.startswith("die"):
            self._script.act(call.tool)
        self._recorded.append(call.number)

    def flush(self) -> None:
        if (self._file.parent / "full").exists():
            raise OSError(28, SECRET)
        if (stop := self._file.parent / "stopped").exists():
            stop.unlink()
            raise CanvasStopped("FatalException")
        waiting, self._recorded = self._recorded, []
        self._commit(waiting)

    def _commit(self, numbers: list[int]) -> None:
        known = set(self.committed())
        with self._file.open("a") as file:
            file.write("".join(f"{number}\n" for number in numbers if number not in known))


class Queries:
    """Answers with the text, or with what it asks for."""

    def __init__(self, script: Script, store: Store, settings: EngineSettings) -> None:
        self._script = script
        self._store = store
        self._settings = settings
        self._stops: dict[int, threading.Event] = {}

    def answer(
        self, id: int, arguments: bytes, query_tool: str, call: Call | None = None, visit: Visit | None = None
    ) -> bytes:
        text = arguments.decode()
        stop = self._stops[id] = threading.Event()
        self._script.running.add(id)
        try:
            if text.startswith("wait"):
                say(f"begins {text}")
                stop.wait()
                say(f"stopped {text}")
            else:
                self._script.act(text)
            return json.dumps(self._fact(text)).encode()
        finally:
            self._script.running.discard(id)

    def look(self, id: int, uri: str) -> bytes:
        return self.answer(id, uri.encode(), "")

    def _fact(self, text: str) -> object:
        if text == "pid":
            return os.getpid()
        if text == "tag":
            return self._settings.tag
        if text == "begun anew":
            return self._settings.begun_anew
        if text == "numbers":
            return sorted(self._store.committed())
        return text

    def stop(self, id: int, why: Why) -> None:
        self._stops[id].set()


def build(settings: EngineSettings) -> Parts:
    directory = Path(settings.directory)
    if (directory.parent / "unusable").exists() or (directory / "unusable").exists():
        raise OSError("no good")
    if (directory / "damaged").exists():
        raise CanvasDamaged("no database")
    script = Script(directory)
    store = Store(script, settings)
    return Parts(store, Queries(script, store, settings))


if __name__ == "__main__":
    main(build)
