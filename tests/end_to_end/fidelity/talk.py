"""A talk between a raw client and the scripted server, direct or through the proxy, and the bytes that each end saw.

Rule: both ends are driven by the probes' text alone; nothing that comes is understood, only lines are counted.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from end_to_end.fidelity.edits import EDITS
from end_to_end.fidelity.probe import REVISIONS, Probe
from end_to_end.fidelity.protocol_probes import PROTOCOL
from end_to_end.fidelity.writing_probes import WRITING

PROBES = (*PROTOCOL, *WRITING)
SERVER = Path(__file__).parents[2] / "servers" / "scripted_server.py"
PROXY = (sys.executable, "-m", "millpond", "--")
SECONDS = 30.0
"""The longest wait for what is owed."""

Step = tuple[bytes, bytes]
"""What the client sends, and what the server then sends."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What both ends saw of one probe."""

    client: bytes
    server: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """One probe in one revision, without the proxy and with it."""

    probe: Probe
    direct: Seen
    proxied: Seen

    @property
    def expected(self) -> Seen:
        """What a direct connection shows, with the documented edits made."""
        client = self.direct.client
        for edit in self.probe.edits:
            client = EDITS[edit].expected(client)
        return Seen(client, self.direct.server)

    @property
    def found(self) -> Seen:
        """What the proxied connection shows, with the parts blanked whose bytes an edit leaves open."""
        client = self.proxied.client
        for edit in self.probe.edits:
            client = EDITS[edit].seen(client)
        return Seen(client, self.proxied.server)


def probes_of(revision: str) -> tuple[Probe, ...]:
    """The probes of a revision, in the table's order."""
    return tuple(probe for probe in PROBES if revision in probe.revisions)


@functools.cache
def outcomes(revision: str) -> dict[str, Outcome]:
    """Every probe of a revision, by its name: one session without the proxy and one with it."""
    probes = probes_of(revision)
    direct, proxied = talk(probes, revision, ()), talk(probes, revision, PROXY)
    return {
        probe.name: Outcome(probe, before, after) for probe, before, after in zip(probes, direct, proxied, strict=True)
    }


def figures() -> dict[str, tuple[int, int]]:
    """For each revision, how many probes hold, and how many there are."""
    found = {revision: outcomes(revision).values() for revision in REVISIONS}
    return {
        revision: (sum(outcome.found == outcome.expected for outcome in of), len(of)) for revision, of in found.items()
    }


def talk(probes: Sequence[Probe], revision: str, proxy: tuple[str, ...]) -> list[Seen]:
    """One session with all the probes, one after the other; what was not seen in time is missing."""
    steps = [probe.steps(number, revision) for number, probe in enumerate(probes, 1)]
    with TemporaryDirectory() as folder:
        script, log = Path(folder, "script.json"), Path(folder, "log")
        script.write_text(json.dumps(script_of([step for of_probe in steps for step in of_probe])))
        command = [*proxy, sys.executable, "-I", "-S", str(SERVER), str(script), str(log)]
        client = converse(command, [step for of_probe in steps for step in of_probe])
        server = log.read_bytes()
    lines = [tuple(sum(text.count(b"\n") for text in side) for side in zip(*of, strict=True)) for of in steps]
    sent, got = cut(server, [count[0] for count in lines]), cut(client, [count[1] for count in lines])
    return [Seen(*pair) for pair in zip(got, sent, strict=True)]


def script_of(steps: Sequence[Step]) -> list[tuple[int | None, str]]:
    """The server's script: what it waits for and what it then writes. What lacks its line's end is sent at the end."""
    script: list[tuple[int | None, str]] = []
    lines = 0
    for sent, answered in steps:
        lines += sent.count(b"\n")
        is_cut_off = bool(sent) and not sent.endswith(b"\n")
        script.append((None if is_cut_off else lines, answered.decode("latin-1")))
    return script


def converse(command: Sequence[str], steps: Sequence[Step]) -> bytes:
    """Play the client's part, and return all that came."""
    env = {key: value for key, value in os.environ.items() if key != "MILLPOND_CONFIG"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env) as process:
        assert process.stdin
        assert process.stdout
        heard = Heard(process.stdout)
        owed = 0
        try:
            for sent, answered in steps:
                process.stdin.write(sent)
                process.stdin.flush()
                owed += answered.count(b"\n")
                if not heard.wait_for(owed):
                    break
            process.stdin.close()
            process.wait(SECONDS)
        finally:
            process.kill()
        return heard.all()


class Heard:
    """All bytes of a stream, and how many lines they are."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._pieces: list[bytes] = []
        self._lines = 0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def wait_for(self, lines: int) -> bool:
        """Wait until so many lines have come in all; False where they do not."""
        with self._changed:
            return self._changed.wait_for(lambda: self._lines >= lines, SECONDS)

    def all(self) -> bytes:
        """Everything until the stream's end."""
        self._thread.join(SECONDS)
        return b"".join(self._pieces)

    def _listen(self) -> None:
        while piece := os.read(self._stream.fileno(), 1 << 16):
            with self._changed:
                self._pieces.append(piece)
                self._lines += piece.count(b"\n")
                self._changed.notify_all()


def cut(text: bytes, counts: Sequence[int]) -> list[bytes]:
    """The text in parts of so many lines each; the last part has all the rest."""
    lines = BytesIO(text).readlines()
    parts: list[bytes] = []
    at = 0
    for count in counts:
        parts.append(b"".join(lines[at : at + count]))
        at += count
    return [*parts[:-1], parts[-1] + b"".join(lines[at:])]
