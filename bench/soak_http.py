"""Do eight clients at once on one HTTP front leave it as it was, and each answer true: with few engines, evictions, and sessions that come and go?

    python bench/soak_http.py [--quick]      18 turns of each client, about a minute; or 4

Puts `millpond --http` in front of a bare server. Each of 8 clients works in turns: 20 calls of five sizes with questions between, then
a pause, as agents think. `max_engines` is 3, so that engines rest and wake all the time; `max_calls` is 40, so that a session's third turn
begins to evict. After every sixth turn a client ends its session, or calls once more and vanishes, and begins another.

Every answer is checked: small results by their bytes; a table, asked for its count and two exact sums, must have its rows as long as
40 later calls have not pushed it out, and after that its rows or the reason `evicted_table`. No two clients get the same rows. The figures
compare the last third of what was seen with the first; at the end all sessions are over, and what is left is counted against what an idle
front held before. Linux only: it reads /proc. Its bias: raw clients on threads of one process, which take part of the same cores.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

from lib.front import Front, HttpSession
from lib.payloads import MIB, SMALL, count_text, result
from lib.sheet import Sheet, run
from lib.watching import Look, Watch, look
from lib.ways import served

CLIENTS = 8
TURNS, QUICK_TURNS = 18, 4
SESSION_TURNS, QUICK_SESSION_TURNS = 6, 3
MAX_ENGINES = 3
MAX_CALLS = 40
SETTINGS = """
[canvas]
directory = "{folder}/canvases"
max_calls = {calls}
[results]
inline_rows_bytes = 8192
[http]
max_engines = {engines}
session_idle_seconds = 2
[inspect]
directory = "{folder}/doors"
"""
PAUSE_SECONDS = (0.3, 1.3)
"""The shortest and the longest that a client thinks."""
END_SECONDS = 20.0
"""For all that sessions had to be gone, once they are over."""
ROWS: Mapping[str, int] = {"word": 0, "few": 1, "some": 48, "many": 400, "most": 2_500}
"""Kinds of tools, with the rows that each answers and a few more: 60 bytes, up to 4 KiB, 12 KiB, 100 KiB and 0.6 MiB."""
VARIANTS = 2 * CLIENTS
"""Tools of each kind, each with a row more than the one before; two of them for each client."""
MIXTURE = ("word", "some", "few", "word", "many", "word", "few", "word", "some", "most",
           "word", "few", "some", "word", "few", "many", "word", "few", "some", "word")  # fmt: skip
ASKED_EVERY = 4
"""Calls."""
QUESTION = "SELECT count(*), sum(id), sum(score) FROM {}"
KINDS = ("small result", "table", "question", "first question of a turn")
HELD = "SELECT count(*) FROM calls WHERE note IS NULL OR NOT starts_with(note, 'evicted')"


def measure(sheet: Sheet) -> None:
    """One front, from its start to what it leaves behind."""
    tools = {f"{kind}_{at}": Tool.of(rows and rows + at) for kind, rows in ROWS.items() for at in range(VARIANTS)}
    results = {name: tool.result for name, tool in tools.items()}
    with tempfile.TemporaryDirectory() as name, served(results) as server:
        folder = Path(name)
        (folder / "canvases").mkdir()
        settings = folder / "millpond.toml"
        settings.write_text(SETTINGS.format(folder=folder, calls=MAX_CALLS, engines=MAX_ENGINES))
        with Front(server, settings, {"XDG_STATE_HOME": str(folder / "state")}) as front:
            work(sheet, front, folder, tools)
            sheet.add("exit code", "count", [front.stop()])
        left = [file for part in ("canvases", "doors") for file in (folder / part).iterdir()]
        sheet.add("left behind by the front", "count", [len(left)])


def work(sheet: Sheet, front: Front, folder: Path, tools: Mapping[str, Tool]) -> None:
    """All clients at once, and what is there before, meanwhile and after."""
    first = HttpSession(front.port)  # What the first session loads for all, and the record of counts, are no growth.
    first.call("word_0")
    first.end()
    before = idle(front, folder)
    clients = [Client(front.port, at, tools, quick=sheet.quick) for at in range(CLIENTS)]
    with Watch(front.process.pid, folder) as watch, ThreadPoolExecutor(CLIENTS) as threads:
        for done in [threads.submit(client.work) for client in clients]:
            done.result()
    after = idle(front, folder)
    note_answers(sheet, clients, watch)
    note_holdings(sheet, watch.looks)
    note_latency(sheet, clients)
    for name in ("processes", "descriptors", "files"):
        sheet.add(f"{name} left after the last session", "count", [getattr(after, name) - getattr(before, name)])
    for trouble, times in Counter(front.troubles).most_common():
        sheet.note(f"log, {times} times", trouble)


def idle(front: Front, folder: Path) -> Look:
    """What a front holds whose sessions are over; where something stays, what there is when patience ends."""
    deadline = time.perf_counter() + END_SECONDS
    while (seen := look(front.process.pid, folder)).processes > 1 and time.perf_counter() < deadline:
        time.sleep(0.1)
    time.sleep(0.5)  # The canvases' folders go behind the processes.
    return look(front.process.pid, folder) if seen.processes == 1 else seen


# --- what the clients do ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool answers, and what its rows come to."""

    result: bytes
    sums: tuple[Decimal, ...]
    """The count of the rows, the sum of their ids and that of their scores; nothing where there are no rows."""

    @classmethod
    def of(cls, rows: int) -> Tool:
        """A tool that answers with so many rows."""
        if not rows:
            return cls(SMALL, ())
        text = count_text(rows)
        each = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        return cls(result(text), (Decimal(rows), sum(row["id"] for row in each), sum(row["score"] for row in each)))


@dataclass(frozen=True, slots=True)
class Table:
    """A table that a session was told of, or can know of."""

    call: int
    name: str
    sums: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer's time."""

    turn: int
    kind: str
    seconds: float


class Client:
    """One client: its sessions, one after the other, and what it found."""

    def __init__(self, port: int, at: int, tools: Mapping[str, Tool], *, quick: bool) -> None:
        self._port = port
        self._at = at
        self._tools = tools
        self._turns = QUICK_TURNS if quick else TURNS
        self._session_turns = QUICK_SESSION_TURNS if quick else SESSION_TURNS
        self._chance = random.Random(at)
        self.times: list[Timed] = []
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        """What was no true answer."""

    def work(self) -> None:
        """All turns. Raises `NoAnswer` where a request is not answered at all."""
        self._begin()
        for turn in range(self._turns):
            self._turn = turn
            if turn and (turn + self._at) % self._session_turns == 0:
                self._end()
                self._begin()
            self._take_turn()
            self._session.pause()
            time.sleep(self._chance.uniform(*PAUSE_SECONDS))
        self._end()

    def _begin(self) -> None:
        self._session = HttpSession(self._port)
        self._calls = 0
        self._tag = ""
        self._tables: list[Table] = []
        self.counts["sessions"] += 1

    def _end(self) -> None:
        """End the session in order, or, every other time, by going away in the middle of a call."""
        held, _ = self._query(HELD)
        kept = int(_rows(held)[0][0])
        self.counts["calls evicted"] += self._calls - kept
        if kept > MAX_CALLS:
            self.faults.append(f"{kept} calls are kept, of at most {MAX_CALLS}")
        if (self.counts["sessions"] + self._at) % 2:
            self._session.end()
        else:
            self._session.vanish(f"most_{self._at}")

    def seconds(self, kind: str, turns: range | None = None) -> list[float]:
        """How long answers of a kind took, in these turns or all."""
        return [one.seconds for one in self.times if one.kind == kind and (turns is None or one.turn in turns)]

    def end_to_start(self, kind: str) -> tuple[float, ...]:
        """The median of the last third of the turns to that of the first, which begins with the second turn; nothing where one has none."""
        third = max((self._turns - 1) // 3, 1)
        first, last = range(1, 1 + third), range(self._turns - third, self._turns)
        start, end = self.seconds(kind, first), self.seconds(kind, last)
        return (median(end) / median(start),) if start and end else ()

    def _take_turn(self) -> None:
        if self._tables:
            self._ask("first question of a turn", self._chance.choice(self._tables))
        for number, kind in enumerate(MIXTURE, 1):
            self._call(kind)
            if number % ASKED_EVERY == 0 and self._tables:
                of_late = number % (2 * ASKED_EVERY) == 0
                self._ask("question", self._tables[-1] if of_late else self._chance.choice(self._tables))

    def _call(self, kind: str) -> None:
        """Call a tool, and see that its result comes as it is or as a handle of its rows."""
        name = f"{kind}_{2 * self._at + self._calls % 2}"
        tool = self._tools[name]
        answer, seconds = self._session.call(name)
        self._calls += 1
        self.counts["calls"] += 1
        is_small = ROWS[kind] <= ROWS["few"]
        self.times.append(Timed(self._turn, "small result" if is_small else "table", seconds))
        if is_small:
            if tool.result not in answer:
                self.faults.append(f"{kind}: not the result as it is")
            elif tool.sums and self._tag:
                self._tables.append(Table(self._calls, f"{name}_{self._tag}_{self._calls}", tool.sums))
            return
        handle = json.loads(answer)["result"].get("_meta", {}).get("millpond/handle", {"tables": []})
        found = [(handle["call"], one["name"], one["rows"]) for one in handle["tables"]]
        if [(call, rows) for call, _, rows in found] != [(self._calls, tool.sums[0])]:
            self.faults.append(f"{kind}: no handle of its rows")
            return
        self._tables.append(Table(self._calls, found[0][1], tool.sums))
        self._tag = found[0][1].split("_")[-2]

    def _ask(self, kind: str, table: Table) -> None:
        """Ask a table for what its rows come to; they may be gone where enough other calls came after it."""
        answer, seconds = self._query(QUESTION.format(table.name))
        self.times.append(Timed(self._turn, kind, seconds))
        self.counts["questions"] += 1
        reason = answer.get("_meta", {}).get("millpond/error", {}).get("reason")
        may_be_gone = self._calls - table.call >= MAX_CALLS
        if reason == "evicted_table" and may_be_gone:
            self.counts["answered that it was evicted"] += 1
        elif reason is not None:
            self.faults.append(f"question: {reason}")
        elif tuple(map(Decimal, _rows(answer)[0])) == table.sums:
            self.counts["answered with exact sums"] += 1
        else:
            self.faults.append("question: other sums than those of the rows")

    def _query(self, sql: str) -> tuple[dict[str, Any], float]:
        answer, seconds = self._session.call("query", sql=sql, format="csv")
        return json.loads(answer)["result"], seconds


def _rows(answer: Mapping[str, Any]) -> list[list[str]]:
    """The rows of an answer in CSV, without its head."""
    return [line.split(",") for line in answer["content"][0]["text"].splitlines()[1:]]


# --- what is noted ----------------------------------------------------------------------------------------------------


def note_answers(sheet: Sheet, clients: list[Client], watch: Watch) -> None:
    """How many of what, and what was no true answer."""
    counts = sum((client.counts for client in clients), Counter[str]())
    for name in (
        "sessions",
        "calls",
        "calls evicted",
        "questions",
        "answered with exact sums",
        "answered that it was evicted",
    ):
        sheet.add(name, "seen", [counts[name]], "higher")
    sheet.add("other answers", "count", [sum(len(client.faults) for client in clients)])
    for fault, times in Counter(fault for client in clients for fault in client.faults).most_common():
        sheet.note(f"other answers, {times} times", fault)
    sheet.add("engines started", "seen", [len(watch.engines)])
    sheet.add("engines at once", "count", [watch.most_engines])


def note_holdings(sheet: Sheet, looks: list[Look]) -> None:
    """Memory, descriptors, processes, files: the last third's median against the first's, and the most."""
    third = max(len(looks) // 3, 1)

    def values(name: str) -> list[float]:
        return [float(getattr(one, name)) for one in looks]

    def growth(name: str) -> float:
        return median(values(name)[-third:]) - median(values(name)[:third])

    for what in ("front", "engines"):
        sheet.add(f"memory of the {what}, growth", "MiB", [growth(f"{what}_bytes") / MIB])
        sheet.add(f"memory of the {what}, most", "MiB", [max(values(f"{what}_bytes")) / MIB])
    sheet.add("files, most", "MiB", [max(values("files_bytes")) / MIB])
    for what in ("descriptors of the front", "processes", "files"):
        sheet.add(f"{what}, growth", "seen", [growth(what.partition(" ")[0])])


def note_latency(sheet: Sheet, clients: list[Client]) -> None:
    """Medians of all answers, and, client by client, of the last third of its turns to the first; the very first turn is warm-up."""
    for kind in KINDS:
        sheet.add(kind, "ms", [1e3 * median(client.seconds(kind)) for client in clients])
    for kind in KINDS:
        sheet.add(f"{kind}, end to start", "x", [ratio for client in clients for ratio in client.end_to_start(kind)])


if __name__ == "__main__":
    run("soak_http", __doc__, measure)
