"""Supervisor: keeps one engine process running: starts it, tells when it takes requests, and starts the next when it ends.

Rule: never a busy loop, never silence: after a few failed starts it gives up until someone asks again. Imports `core`, asyncio and the
engine's modules without `duckdb`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from millpond.core.canvas import begun_anew
from millpond.core.model import Answer, EngineSettings, Ready
from millpond.engine.exits import Exit
from millpond.engine.kept import directory_of
from millpond.engine.limits import Limits
from millpond.engine.process import Process
from millpond.engine.tags import new_tag

Blame = Literal["query", "load", "memory"]
_SAID = {
    "query": "a query did not stop, the process is ended",
    "load": "a load did not stop, the process is ended",
    "memory": "a load found no memory, it is tried again in a new process",
}


@dataclass(frozen=True, slots=True)
class End:
    """How a process that took requests came to its end."""

    code: int
    """A member of `Exit`, another exit code, or a negative signal."""
    blame: Blame | None
    """What it was killed for, where the link killed it."""


class Owner(Protocol):
    """Who is told what becomes of the process. Nothing here may block or raise."""

    async def may_start(self) -> bool:
        """Wait until another process may run, for a bounded time. False where it may not."""
        ...

    def on_over(self) -> None:
        """The process is gone, or none came up."""
        ...

    def on_up(self, last_number: int) -> None:
        """A process takes requests; it knows what was committed, up to that call's number, and nothing else."""
        ...

    def on_answer(self, answer: Answer, body: bytes) -> None:
        """An answer other than `Ready`."""
        ...

    def on_down(self, end: End) -> None:
        """The process that took requests is gone, and all its answers were told."""
        ...

    def on_given_up(self) -> None:
        """None comes up; nothing is tried until someone wants one."""
        ...


class Supervisor:
    """The engine processes of one canvas, one after the other."""

    def __init__(
        self, owner: Owner, settings: EngineSettings, limits: Limits, command: Sequence[str], log: Callable[[str], None]
    ) -> None:
        self._owner = owner
        self._settings = settings
        self._limits = limits
        self._command = command
        self._log = log
        self._directory = directory_of(settings)
        self._begun = False
        self._newest: Process | None = None
        self._preparing: asyncio.Future[None] | None = None
        self._wanted = asyncio.Event()
        self._blame: Blame | None = None
        self._failed_starts = 0
        self._damaged = 0
        self._lost = False
        self._is_resting = False
        self.process: Process | None = None
        """The process, where it takes requests."""
        self.failures = 0
        """Ends in a row of processes that took requests and answered none."""
        self.refusing = False
        """True for a while after giving up: asking does not start another."""

    def want(self) -> None:
        """Someone asks: where it was given up, start again."""
        self._wanted.set()

    @property
    def is_resting(self) -> bool:
        """True where it was told to rest: the next one that wants a process starts it."""
        return self._is_resting

    def rest(self) -> None:
        """End the process, which nobody needs for now: it is asked first."""
        process, self.process = self.process, None
        if process:
            self._is_resting = True
            self._wanted.clear()
            process.finish()
            asyncio.get_running_loop().call_later(self._limits.close_seconds, process.kill)

    def kill(self, blame: Blame) -> None:
        """End the process at once; the next one starts without a pause."""
        process, self.process = self.process, None
        if process:
            self._log(f"engine: {_SAID[blame]}")
            self._blame = blame
            process.kill()

    async def run(self) -> None:
        """Keep a process running until cancelled. The one that still runs then keeps its place until `close` has ended it."""
        while True:
            has_run = await self._run_one()
            self._owner.on_over()
            if self._is_resting:
                await self._wanted.wait()
                self._is_resting = False
            elif not has_run:
                await self._failed()
            elif self.failures > 1:
                await self._pause(self.failures)

    async def _run_one(self) -> bool:
        """One process, from its start to its end. False where none came up."""
        if not await self._owner.may_start():
            self._log("engine: cannot be started: the others are all at work")
            self._have_waited_enough()
            return False
        launched = await self._launch()
        if launched is None:
            return False
        process, last_number = launched
        self._failed_starts = self._damaged = 0
        self.process = process
        self._owner.on_up(last_number)
        await self._ended(process)
        return True

    async def close(self) -> None:
        """End the process: it is asked first. Call it when `run` was cancelled."""
        self.process = None
        if self._preparing is not None:
            await asyncio.gather(self._preparing, return_exceptions=True)
        process, self._newest = self._newest, None
        if process is not None:
            process.finish()
            await asyncio.wait([process.ended], timeout=self._limits.close_seconds)
            process.kill()
            await process.ended
        self._directory.release()

    async def _launch(self) -> tuple[Process, int] | None:
        """A process that takes requests, and the last number that it knows; None where none came up."""
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def on_answer(answer: Answer, body: bytes) -> None:
            if isinstance(answer, Ready):
                if not ready.done():
                    ready.set_result(answer.last_number)
                return
            self.failures = 0
            self._owner.on_answer(answer, body)

        try:
            # On a thread, for it may remove gigabytes, or wait for a sweep; whoever ends the session waits for it.
            self._preparing = asyncio.ensure_future(asyncio.to_thread(self._prepare))
            await asyncio.shield(self._preparing)
            process = await Process.spawn(self._command, self._settings, on_answer, self._log)
        except OSError as error:
            self._log(f"engine: cannot be started: {error}")
            return None
        self._newest = process
        await asyncio.wait(
            [ready, process.ended], timeout=self._limits.start_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if ready.done() and not process.ended.done():
            return process, ready.result()
        if not process.ended.done():
            self._have_waited_enough()
        process.kill()
        code = await asyncio.shield(process.ended)  # it is awaited again at the close
        self._damaged += code == Exit.DAMAGED
        self._log(f"engine: did not come up (exit code {code})")
        return None

    def _have_waited_enough(self) -> None:
        """Give up without another start: who asked has waited for `start_seconds`, and hosts give up a call after 60 s."""
        self._failed_starts = self._limits.starts

    def _prepare(self) -> None:
        """Have the directory there. Raises `OSError` where that cannot be."""
        if self._damaged >= self._limits.damaged_starts:
            self._renew("was damaged")
            self._damaged = 0
        elif self._lost or (self._directory.hold() and self._begun):
            self._renew("was removed from the temporary directory")
        self._begun = True
        self._lost = False

    def _renew(self, what: str) -> None:
        """Begin an empty canvas. Its tables get another tag, so that a name of the old one is known to be stale."""
        tag = new_tag()
        aside = self._directory.renew(tag)
        self._settings = msgspec.structs.replace(self._settings, tag=tag, begun_anew=begun_anew(what))
        put = f" and is now in {aside}" if aside else ""
        self._log(f"engine: the canvas's file {what}{put}; a new, empty canvas is begun")

    async def _ended(self, process: Process) -> None:
        code = await asyncio.shield(process.ended)  # it is awaited again at the close
        self.process = None
        if self._is_resting:
            self.failures = 0
            return
        end, self._blame = End(code, self._blame), None
        self.failures = 0 if end.blame else self.failures + 1
        self._log(f"engine: ended (exit code {code}), starting again")
        if code == Exit.STOPPED:
            factor = self._settings.checkpoint_factor * self._limits.checkpoint_delay
            self._settings = msgspec.structs.replace(self._settings, checkpoint_factor=factor)
        self._owner.on_down(end)
        self._lost = code == Exit.LOST  # What is left of the directory is no canvas.

    async def _failed(self) -> None:
        self._failed_starts += 1
        if self._failed_starts < self._limits.starts:
            await self._pause(self._failed_starts)
            return
        self._log("engine: given up until something is asked of it")
        self.refusing = True
        self._owner.on_given_up()
        await asyncio.sleep(self._limits.longest_pause_seconds)
        self.refusing = False
        self._wanted.clear()
        await self._wanted.wait()

    async def _pause(self, failures: int) -> None:
        seconds = self._limits.first_pause_seconds * 2 ** min(failures - 1, 16)
        await asyncio.sleep(min(seconds, self._limits.longest_pause_seconds))
