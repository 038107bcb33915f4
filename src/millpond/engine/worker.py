"""Worker: the engine's process: frames in, frames out, the store and the query side between.

Rule: the main thread only reads, so that a stop is seen at once whatever runs; results are stored one at a time; what was recorded
is committed behind the answers. Ends by itself when its input ends. Run as `python -m millpond.engine.worker`. Imports `core` and the
engine's modules.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from io import BufferedReader, FileIO
from queue import SimpleQueue

from millpond.core.errors import CanvasDamaged, CanvasStopped
from millpond.core.frames import PREFIX, decode_request, decode_settings
from millpond.core.model import (
    Answered,
    Cancel,
    EngineSettings,
    Kept,
    Learn,
    Outcome,
    Query,
    Ready,
    Record,
    Request,
    Take,
    Taken,
    Verdict,
)
from millpond.core.replies import refusal_result
from millpond.engine import ceiling, exits
from millpond.engine.directory import CanvasDirectory
from millpond.engine.exits import NO_MEMORY, Exit, stop, tell, why
from millpond.engine.flusher import Flusher
from millpond.engine.kept import directory_of
from millpond.engine.parts import Build, Parts, build, file_path
from millpond.engine.queries import Queries
from millpond.engine.wire import Answers, private_streams, read_exactly, skip

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Python's own 700 make a collection of every few rows that are decoded: a third of the time that decoding takes."""
_SWITCH_SECONDS = 0.0001
"""The longest that DuckDB's thread waits for the interpreter, five times a chunk; Python's own are 5 ms, a chunk takes 4."""
_ORPHAN_TRIES = 3
_ORPHAN_PAUSE_SECONDS = 0.01
"""The kernel closes the pipe and lets go of the lock of a killed process one after the other."""


class Worker:
    """One canvas, served until the input ends."""

    def __init__(self, settings: EngineSettings, parts: Parts, answers: Answers) -> None:
        self._file = file_path(settings)
        self._store = parts.store
        self._answers = answers
        self._loads: SimpleQueue[tuple[Take, memoryview]] = SimpleQueue()
        self._queries = Queries(parts.queries, answers.send)
        self._behind = False
        """True since a commit of recorded results failed, so that it is told once."""
        self._flusher = Flusher(self._flush)
        threading.Thread(target=self._load_in_turn, name="load", daemon=True).start()

    def ready(self) -> None:
        """Tell the other end that requests are taken."""
        self._answers.send(Ready(last_number=self._store.last_number))

    def serve(self, source: BufferedReader[FileIO]) -> None:
        """Read requests until the input ends."""
        while (prefix := read_exactly(source, PREFIX.size)) is not None:
            head_bytes, body_bytes = PREFIX.unpack(prefix)
            head = read_exactly(source, head_bytes)
            if head is None:
                return
            request = decode_request(memoryview(head))
            try:
                body = read_exactly(source, body_bytes)
            except MemoryError:
                skip(source, body_bytes)
                self._refuse(request)
                continue
            if body is None:
                return
            self._handle(request, body)
            del body

    def _handle(self, request: Request, body: bytearray) -> None:
        if not self._file.exists():
            os._exit(Exit.LOST)
        match request:
            case Take():
                self._loads.put((request, memoryview(body)))
            case Record():
                self._store.record(request.call, memoryview(body))
                self._flusher.add(request.call.number)
            case Query():
                self._queries.add(request, bytes(body))
            case Cancel():
                self._queries.stop(request)
            case Learn():
                self._store.learn(request.tools)

    def _refuse(self, request: Request) -> None:
        """Answer a request whose body did not fit."""
        match request:
            case Take():
                self._answers.send(Taken(id=request.id, verdict=Verdict.NO_MEMORY, note=NO_MEMORY))
            case Query():
                self._answers.send(Answered(id=request.id), refusal_result(exits.out_of_memory()))
            case Record():
                print(f"result {request.call.number} was not recorded: out of memory", file=sys.stderr)
                self._answers.send(Kept(numbers=(request.call.number,)))
            case Cancel() | Learn():
                pass

    def _load_in_turn(self) -> None:
        while True:
            self._load(*self._loads.get())

    def _load(self, request: Take, body: memoryview) -> None:
        outcome = self._take(request, body)
        if outcome.verdict is Verdict.FAILED and not self._file.exists():
            os._exit(Exit.LOST)
        taken = Taken(id=request.id, verdict=outcome.verdict, note=outcome.note, evicted=self._store.evicted)
        self._answers.send(taken, outcome.body or b"")
        if outcome.verdict is Verdict.KEEP:
            self._flusher.add(request.call.number)  # After the answer, so that `Kept` never comes before it.

    def _take(self, request: Take, body: memoryview) -> Outcome:
        try:
            return self._store.take(request.call, body, request.query_tool)
        except MemoryError:
            return Outcome(verdict=Verdict.NO_MEMORY, note=NO_MEMORY)
        except CanvasStopped as error:
            stop(error)
        except Exception as error:
            tell(error)
            return Outcome(verdict=Verdict.FAILED, note=why(error))

    def _flush(self, numbers: tuple[int, ...]) -> bool:
        """Commit, and tell what is committed. False where it failed."""
        try:
            self._store.flush()
        except CanvasStopped as error:
            stop(error)
        except Exception as error:
            if not self._file.exists():
                os._exit(Exit.LOST)
            if not self._behind:
                tell(error)
                print(f"recorded results wait to be committed: {why(error)}", file=sys.stderr, flush=True)
            self._behind = True
            return False
        self._behind = False
        self._answers.send(Kept(numbers=numbers, evicted=self._store.evicted))
        return True


def main(make: Build = build) -> None:
    """Serve on the standard streams. Never returns: the process ends with a code of `Exit`."""
    source, answers = private_streams()
    prefix = read_exactly(source, PREFIX.size)
    head = prefix and read_exactly(source, PREFIX.unpack(prefix)[0])
    if not head:
        os._exit(Exit.END)
    settings = decode_settings(memoryview(head))
    directory = directory_of(settings)
    os.umask(0o077)
    try:
        directory.hold()
        worker = Worker(settings, make(settings), answers)
    except Exception as error:  # Nothing of the conversation is in this message yet.
        print(f"the canvas cannot be opened: {error}", file=sys.stderr, flush=True)
        os._exit(Exit.DAMAGED if isinstance(error, CanvasDamaged) else Exit.UNUSABLE)
    tune()
    ceiling.hold(settings.memory_bytes, Exit.EXCESS)
    worker.ready()
    worker.serve(source)
    if not settings.is_kept:
        _remove_if_orphaned(directory)
    os._exit(Exit.END)


def tune() -> None:
    """What is decoded has no cycles, and loading and reading take turns with a core each."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)


def _remove_if_orphaned(directory: CanvasDirectory) -> None:
    """Where the other end was killed nobody else removes the directory; where it lives it holds the lock."""
    for _ in range(_ORPHAN_TRIES):
        if directory.remove_unless_shared():
            return
        threading.Event().wait(_ORPHAN_PAUSE_SECONDS)


if __name__ == "__main__":
    main()
