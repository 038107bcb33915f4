"""Rounds: one session under load, one fault at a point that a seed chooses, and what must be true after it.

After every fault: each call that was asked has its true answer (the server's own bytes, or a handle whose table holds exactly those
rows) or a clear error where the fault takes the one who would answer; every table that was told of is there; nothing is left running
and no file is left behind. In two of three rounds all that was asked is answered before the fault, so that there are rows to lose; in
the others the fault meets whatever is on its way. Linux only: it finds processes in /proc, and sets other processes' limits.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from relay_client import MILLPOND, SECONDS, SERVERS, Client
from servers.counting_server import line as answer_line
from servers.counting_server import result as true_result

SERVER = (sys.executable, str(SERVERS / "counting_server.py"))
SIZES = (1, 3, 40, 200, 200, 1_500, 20_000)
"""Rows of a call: three that stay as they are, four that become tables, one of them of 1.3 MiB, which takes a while."""
REPLACED_ROWS = 200
"""From so many on a result becomes a table."""
_Found = TypeVar("_Found")
EXCUSES = frozenset(("engine_restarted", "timeout", "out_of_memory", "execution_error"))
"""Reasons with which a query may come to nothing under a fault; each is told to be asked again."""


@dataclass
class Round:
    """One session, and all that was asked in it."""

    seed: int
    folder: Path
    chance: random.Random
    client: Client
    asked: dict[int, int] = field(default_factory=dict[int, int])
    """Rows by the id of the call."""
    queries: set[int] = field(default_factory=set[int])
    answers: dict[int, bytes] = field(default_factory=dict[int, bytes])
    early: frozenset[int] = frozenset()
    """What was answered before the fault."""
    seen: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    """Every process of the session, by its id and when it began."""
    ident: int = 10
    is_over: bool = False
    """Nothing more comes."""
    server_is_killed: bool = False

    def send(self, method: str, params: object) -> int:
        """Send a request that counts; raises `BrokenPipeError` where nobody listens."""
        self.ident += 1
        self.client.request(method, params, self.ident)
        return self.ident

    def call(self, count: int | None = None) -> int:
        """Call the tool for some rows."""
        count = self.chance.choice(SIZES) if count is None else count
        ident = self.ident + 1
        self.send("tools/call", {"name": "rows", "arguments": {"count": count, "key": ident}})
        self.asked[ident] = count
        return ident

    def query(self, sql: str) -> int:
        """Ask the own tool."""
        ident = self.send("tools/call", {"name": "query", "arguments": {"sql": sql, "format": "json"}})
        self.queries.add(ident)
        return ident

    def load(self) -> None:
        """One step of the load: mostly calls, now and then a query of all there is."""
        if self.chance.random() < 0.25:
            self.query("SELECT count(*) AS n FROM calls")
        else:
            self.call()
        if self.chance.random() < 0.3:
            self.receive()
        self.look()

    def receive(self) -> bool:
        """Take the next line that comes; False at the end."""
        line = b"" if self.is_over else self.client.line()
        self.is_over = not line
        if line and not self._is_left_of_an_answer(line):
            ident = json.loads(line)["id"]
            assert ident not in self.answers, f"{ident} was answered twice"
            self.answers[ident] = line
        return bool(line)

    def _is_left_of_an_answer(self, line: bytes) -> bool:
        """Whether it is the beginning of a true answer, as a server that is killed leaves it."""
        begun = line.removesuffix(b"\n")
        wholes = (answer_line(ident, true_result(count, ident)) for ident, count in self.asked.items())
        return self.server_is_killed and any(begun == whole[: len(begun)] != whole[:-1] for whole in wholes)

    @property
    def owed(self) -> set[int]:
        """The ids of what was asked and is not answered."""
        return (set(self.asked) | self.queries) - set(self.answers)

    def settle(self) -> None:
        """Take all that is owed, or all that comes before the end."""
        while self.owed and self.receive():
            pass

    # --- processes ----------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Know the processes of the session that run now."""
        family = descendants(self.client.process.pid)
        self.seen |= {(pid, began) for pid in family if (began := begun(pid)) is not None}

    def pid_of(self, word: str) -> int:
        """The child of the relay whose command line has this word, once it is there."""
        return until(lambda: next((pid for pid in children(self.client.process.pid) if word in command_of(pid)), 0))

    def left(self) -> set[int]:
        """The processes of the session that still run, after a bounded wait for their end."""
        until(lambda: not self._running())
        return self._running()

    def _running(self) -> set[int]:
        return {pid for pid, began in self.seen if begun(pid) == began}


def until(look: Callable[[], _Found], pause_seconds: float = 0.01) -> _Found:
    """What is found when it is something, or after a bounded wait."""
    end = time.monotonic() + SECONDS
    while not (found := look()) and time.monotonic() < end:
        time.sleep(pause_seconds)
    return found


def children(pid: int) -> list[int]:
    """The processes that it started, of all its threads."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def descendants(pid: int) -> list[int]:
    """A process and all that came of it and still has a parent in the family."""
    return [pid, *(member for child in children(pid) for member in descendants(child))]


def begun(pid: int) -> str | None:
    """When a process began, in ticks; None where there is none, or only its exit code is left."""
    try:
        rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if rest[0] in "ZX" else rest[19]


def command_of(pid: int) -> str:
    """Its command line, empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


# --- faults -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """What happens to a session, and what it may cost."""

    strike: Callable[[Round], None]
    lift: Callable[[Round], None] = lambda it: None
    """What makes it good again, where it can be: before the answers are looked at."""
    ends: bool = False
    """The session is over with it: what is owed then is an error or the end of the stream."""
    exit_codes: tuple[int, ...] = (0,)


def signal_to(word: str, number: int) -> Callable[[Round], None]:
    """A signal to the server (`counting_server`) or the engine (`millpond.engine`)."""

    def strike(it: Round) -> None:
        os.kill(it.pid_of(word), number)

    return strike


def kill_engine_twice(it: Round) -> None:
    """The second comes while the next process starts, or stores again what was on its way."""
    signal_to("millpond.engine", signal.SIGKILL)(it)
    it.load()
    signal_to("millpond.engine", signal.SIGKILL)(it)


def stop_all(it: Round) -> None:
    """As a lid that is shut: every clock jumps when it is opened."""
    for pid in (it.client.process.pid, *children(it.client.process.pid)):
        os.kill(pid, signal.SIGSTOP)
    time.sleep(it.chance.uniform(0.05, 0.6))
    for pid in (*children(it.client.process.pid), it.client.process.pid):
        os.kill(pid, signal.SIGCONT)


def stop_engine(it: Round) -> None:
    """It is not dead, and does nothing for a while, shorter or longer than the deadline of a query."""
    pid = it.pid_of("millpond.engine")

    def go_on() -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    os.kill(pid, signal.SIGSTOP)
    threading.Timer(it.chance.uniform(0.1, 3.0), go_on).start()


def kill_engine_for_good(it: Round) -> None:
    """No other can be started, for want of descriptors."""
    it.pid_of("millpond.engine")
    limit(resource.RLIMIT_NOFILE, "", open_files)(it)
    signal_to("millpond.engine", signal.SIGKILL)(it)


def limit(what: int, word: str, amount: Callable[[int], int]) -> Callable[[Round], None]:
    """Set a soft limit of the relay (an empty word), the server or the engine."""

    def strike(it: Round) -> None:
        pid = it.pid_of(word) if word else it.client.process.pid
        _, hard = resource.prlimit(pid, what)
        resource.prlimit(pid, what, (amount(pid) if hard == resource.RLIM_INFINITY else min(amount(pid), hard), hard))

    return strike


def open_files(pid: int) -> int:
    """As many descriptors as it has open: the next one fails."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def close_input(it: Round) -> None:
    """The client says that nothing more comes, and reads on."""
    it.client.stdin.close()


def hang_up(it: Round) -> None:
    """The client is gone, both ways at once."""
    it.client.stdin.close()
    os.kill(it.client.process.pid, signal.SIGHUP)


def term(it: Round) -> None:
    """What a client sends that has no more patience."""
    it.client.process.send_signal(signal.SIGTERM)


def kill_relay(it: Round) -> None:
    """Nobody is left to end the others: they must do it themselves."""
    it.client.process.kill()


SIGNALLED = (128 + signal.SIGHUP, 128 + signal.SIGTERM)
FAULTS: dict[str, Fault] = {
    "engine killed": Fault(signal_to("millpond.engine", signal.SIGKILL)),
    "engine killed twice": Fault(kill_engine_twice),
    "engine stopped": Fault(stop_engine),
    "clock jumps": Fault(stop_all),
    "disk full": Fault(
        limit(resource.RLIMIT_FSIZE, "millpond.engine", lambda pid: 1 << 20),
        lift=limit(resource.RLIMIT_FSIZE, "millpond.engine", lambda pid: 1 << 40),
    ),
    "no file handles in the engine": Fault(
        limit(resource.RLIMIT_NOFILE, "millpond.engine", open_files),
        lift=limit(resource.RLIMIT_NOFILE, "millpond.engine", lambda pid: 1024),
    ),
    "no file handles for another engine": Fault(
        kill_engine_for_good, lift=limit(resource.RLIMIT_NOFILE, "", lambda pid: 1024)
    ),
    "server killed": Fault(signal_to("counting_server", signal.SIGKILL), ends=True, exit_codes=(1,)),
    "server closes its ends": Fault(signal_to("counting_server", signal.SIGTERM), ends=True, exit_codes=(1,)),
    "input closed": Fault(close_input, ends=True),
    "client gone": Fault(hang_up, ends=True, exit_codes=(0, *SIGNALLED)),
    "terminated": Fault(term, ends=True, exit_codes=SIGNALLED),
    "relay killed": Fault(kill_relay, ends=True, exit_codes=(-signal.SIGKILL,)),
    "slow reader": Fault(lambda it: None),
}


# --- one round --------------------------------------------------------------------------------------------------


def play(seed: int, folder: Path) -> str:
    """Play one round in an empty folder; returns the fault's name. Raises `AssertionError` where something is not as it must be."""
    name = list(FAULTS)[seed % len(FAULTS)]
    fault, chance = FAULTS[name], random.Random(seed)
    canvas, config, fifo = folder / "canvas", folder / "millpond.toml", folder / "alive"
    canvas.mkdir()
    config.write_text(
        f"[canvas]\ndirectory = {json.dumps(str(canvas))}\n[query]\ntimeout_seconds = 2.0\ngrace_seconds = 0.5\n"
    )
    os.mkfifo(fifo)
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    command = [*MILLPOND[:-1], "--config", str(config), "--", *SERVER]
    try:
        with Client(command, {"FIFO": str(fifo)}, reads=name != "slow reader") as client:
            it = Round(
                seed, folder, chance, client, server_is_killed=name in ("server killed", "server closes its ends")
            )
            _play(it, fault, name)
            assert client.wait() in fault.exit_codes, client.process.returncode
            assert it.left() == set(), "processes are left"
        if name != "relay killed":
            assert list(canvas.iterdir()) == []
    finally:
        os.close(alive)
    return name


def _play(it: Round, fault: Fault, name: str) -> None:
    steps = it.chance.randint(6, 16)
    at = it.chance.randrange(steps)
    if name == "slow reader":
        _slowly(it, steps)
    else:
        it.client.open()
        for step in range(steps):
            if step == at:
                _before(it)
                fault.strike(it)
            try:
                it.load()
            except (BrokenPipeError, ValueError):  # The other end is gone, or ours is closed.
                assert fault.ends
                with suppress(OSError):
                    it.client.stdin.close()
                break
            if fault.ends and step == at:
                break
        fault.lift(it)
    it.settle()
    check(it, fault)
    if not fault.ends:
        it.client.stdin.close()


def _before(it: Round) -> None:
    """In two of three rounds, all that was asked is answered and something else is on its way."""
    if it.chance.random() < 2 / 3:
        it.call(REPLACED_ROWS)
        it.settle()
        it.early = frozenset(it.answers)
        it.call()
    it.look()


def _slowly(it: Round, steps: int) -> None:
    """Nobody reads while much is asked; then all of it is there."""
    for method in ("initialize", "tools/list"):
        it.client.request(method, {"protocolVersion": "2025-11-25"}, 1)
    for _ in range(steps):
        it.call()
    it.client.read()
    for _ in range(2):
        assert "result" in json.loads(it.client.line())


# --- what must be true ------------------------------------------------------------------------------------------

Sums = tuple[Decimal, ...]
SUMS = "SELECT count(*), sum(n), sum(amount), min(key), max(key)"
"""Tells a table from one that lacks a row, has another number, or is another call's."""


def check(it: Round, fault: Fault) -> None:
    """Every answer is true, and every table that was told of holds its rows."""
    if not fault.ends:
        assert it.owed == set(), "calls without an answer"
    tables: dict[str, Sums] = {}
    for ident, line in list(it.answers.items()):
        message = json.loads(line)
        if ident in it.asked:
            tables |= check_call(it, ident, line, message, fault)
        elif "error" not in message or not fault.ends:
            check_query(message, fault)
    if not fault.ends:
        for table, sums in tables.items():
            assert sums_of(it, table) == sums, table


def check_call(it: Round, ident: int, line: bytes, message: dict[str, Any], fault: Fault) -> dict[str, Sums]:
    """The table that a call's answer tells of, with what its rows come to."""
    count = it.asked[ident]
    if line == answer_line(ident, true_result(count, ident)):
        assert count < REPLACED_ROWS or ident not in it.early, (
            "a large result went on as it came, and nothing was wrong yet"
        )
        return {}
    if "error" in message:
        assert fault.ends, message
        assert "the server" in message["error"]["message"], message
        return {}
    result = message["result"]
    assert not result.get("isError"), result
    [table] = result["_meta"]["millpond/handle"]["tables"]
    assert table["rows"] == count
    numbers = count * (count - 1) // 2
    return {table["name"]: tuple(map(Decimal, (count, numbers, numbers + Decimal(count) / 4, ident, ident)))}


def check_query(message: dict[str, Any], fault: Fault) -> None:
    """A query has rows, or says why not in words that tell what to do."""
    result = message["result"]
    if result.get("isError"):
        assert result["_meta"]["millpond/error"]["reason"] in EXCUSES, result


def sums_of(it: Round, table: str) -> Sums:
    """What the rows of a table come to; asked again where a fault is still felt."""
    found: list[Sums] = []

    def ask() -> bool:
        ident = it.query(f"{SUMS} FROM {table}")
        it.settle()
        result = json.loads(it.answers[ident])["result"]
        if result.get("isError"):
            assert result["_meta"]["millpond/error"]["reason"] in EXCUSES, result
            return False
        [row] = json.loads(result["content"][0]["text"], parse_float=Decimal)
        found.append(tuple(Decimal(value or 0) for value in row.values()))
        return True

    assert until(ask, 0.2), f"{table} cannot be read after the fault"
    return found[0]
