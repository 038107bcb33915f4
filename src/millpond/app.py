"""App: owns every lifetime: the canvas's directory, the engine, the server, the session.

Rule: what is begun here ends here, whatever happens between. Imports every side; nothing but the command line imports
it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from millpond.core.claim import Claim, words_of
from millpond.core.config import Config, RemoteServer, Server, engine_settings
from millpond.core.errors import ConfigError
from millpond.core.listen import Listen
from millpond.core.model import EngineSettings
from millpond.core.stats import SessionCount, session_line, session_sentence
from millpond.core.toml_text import one_line, shown
from millpond.engine.canvases import Canvases, EngineFactory
from millpond.engine.ceiling import default_budget_bytes, shared_budget_bytes
from millpond.engine.counting import Counting
from millpond.engine.directory import CanvasDirectory, sweep
from millpond.engine.kept import Keeper, KeptCanvas, gone_line, problem_of, sweep_kept
from millpond.engine.limits import Limits
from millpond.engine.link import Link
from millpond.engine.places import Places
from millpond.relay.actions import Policy
from millpond.relay.child import Child
from millpond.relay.driver import ClientEnd, Driver
from millpond.relay.log import Log
from millpond.relay.server_end import StartServer
from millpond.relay.session import Session
from millpond.relay.siblings import Shown
from millpond.relay.stdio import Stdio
from millpond.viewer import places
from millpond.viewer.visible import directory_of, visible
from millpond.viewer.watch import StartedEngine

STDIO_ENGINES = 2
"""Engines that run at once on standard streams, where a client tells its conversations apart; each has a quarter of the memory."""
PAGE_ID_BYTES = 10
"""Random bytes in the ids of requests of ours, which no client can have."""
LOG_SECONDS = 1.0
"""For the last lines of the log, where nobody reads stderr."""


def run(config: Config, listen: Listen | None = None) -> int:
    """Serve one session over standard streams, or many over HTTP; returns the exit code. Raises `MillpondError`."""
    log = Log()
    try:
        return asyncio.run(serve(config, log) if listen is None else serve_http(config, listen, log))
    finally:
        log.flush(LOG_SECONDS)


async def serve(config: Config, log: Log, engine_factory: EngineFactory | None = None) -> int:
    """One session, from the server's start to its end; returns the exit code. Raises `MillpondError`."""
    _prepare(config, log)
    home = _Home(config, log, engine_factory or _link_factory(config, STDIO_ENGINES), default_budget_bytes())
    async with home.canvas(Claim(server=words_of(config.server), folder=_working_folder())) as desk:
        session = Session(home.policy, _utc_now)
        return await Stdio(session, desk, log).run(start_server(config.server, log), desk.start)


def _working_folder() -> str | None:
    """The working folder; None where it was removed under whoever stands in it, and no canvas can be found again by it."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


async def serve_http(config: Config, listen: Listen, log: Log, engine_factory: EngineFactory | None = None) -> int:
    """Any number of sessions over HTTP, until a signal comes; returns the exit code. Raises `MillpondError`."""
    from millpond.http.serve import serve as serve_front  # The SDK takes longer to import than all the rest.

    _prepare(config, log)
    engines = config.http.max_engines
    home = _Home(config, log, engine_factory or _link_factory(config, engines), shared_budget_bytes(engines))

    @asynccontextmanager
    async def begin(client: ClientEnd, own: Shown | None = None, caller: int = 0) -> AsyncGenerator[Driver]:
        claim = Claim(server=words_of(config.server), token=listen.tokens[caller - 1]) if caller else None
        async with home.canvas(claim) as desk:
            driver = Driver(Session(home.policy, _utc_now, own), desk, log, client)
            driver.start(start_server(config.server, log), desk.start)
            try:
                yield driver
            finally:
                driver.kill()

    if config.canvas.keep_days and not listen.tokens:
        log.line("canvas: none is kept over HTTP without a token (--token-env), for nothing would tell whose it is")
    return await serve_front(listen, config.http, begin, log)


def _prepare(config: Config, log: Log) -> None:
    _require_folder(config.export.directory)
    if config.canvas.keep_days and (problem := problem_of(Path(config.canvas.directory))) is not None:
        raise ConfigError(one_line(f"[canvas] directory: {problem} (got {shown(config.canvas.directory)})"))
    _quiet_the_loop(log)
    threading.Thread(target=_sweep, args=(config, log), name="sweep", daemon=True).start()


def _sweep(config: Config, log: Log) -> None:
    """Remove what killed sessions have left, and what is kept no longer."""
    parent = _parent(config)
    sweep(parent)
    for path in sweep_kept(parent) if parent is not None else ():
        log.line(gone_line(path))
    if (doors := directory_of(config.inspect)) is not None:
        places.sweep(doors)


class _Home:
    """Where all canvases of this process are, and what holds for each."""

    def __init__(self, config: Config, log: Log, make: EngineFactory, budget_bytes: int) -> None:
        budget = config.canvas.memory_bytes or budget_bytes
        place = partial(_canvas_directory, log, _parent(config))
        self._config, self._log = config, log
        keep_days = config.canvas.keep_days
        self._keeper = Keeper(Path(config.canvas.directory), keep_days, log.line) if keep_days else None
        settings = partial(engine_settings, config, memory_bytes=budget)
        self._canvases = Canvases(place, make, settings, log.line, self._tell)
        self.policy = _policy(config, engine_settings(config, "", "", "", memory_bytes=budget))

    @asynccontextmanager
    async def canvas(self, claim: Claim | None) -> AsyncGenerator[StartedEngine]:
        """A session's canvas, as long as it lasts; a kept one is found by the claim. Raises `ConfigError` where there is no place."""
        async with (
            self._canvases.open(self._config.canvas.max_conversations, partial(self._keep, claim)) as desk,
            visible(desk, self._config, _utc_now, self._log.line) as seen,
        ):
            yield seen

    def _keep(self, claim: Claim | None, conversation: str | None) -> KeptCanvas | None:
        if claim is None or self._keeper is None:
            return None
        return self._keeper.find(claim.key(conversation), waits=conversation is None)  # Before anything else has begun.

    def _tell(self, counted: Counting) -> None:
        _tell_counts(counted.session(self._config.server.name, _utc_now()), self._config, self._log)


def _tell_counts(session: SessionCount, config: Config, log: Log) -> None:
    """Say at a canvas's end what it came to, and enter it in the record; one that cannot be written is one line."""
    from millpond import record  # Neither is needed before.
    from millpond.core.state_folder import state_folder

    if sentence := session_sentence(session):
        log.line(sentence)
    days, most_bytes = config.stats.keep_days, config.stats.max_record_bytes
    if not days or not session.tools or record.is_switched_off(os.environ):
        return
    oldest = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
    try:
        place = state_folder(os.environ, Path.home(), sys.platform)
        record.append(place, session_line(session), most_bytes, oldest)
    except Exception as error:  # Whatever it is, the session ends as it would without a record.
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        log.once(f"stats: the record cannot be written: {why}; MILLPOND_STATS=off writes none")


def start_server(server: Server | RemoteServer, log: Log) -> StartServer:
    """How the server of a configuration is started, be it a command or a URL."""
    if isinstance(server, RemoteServer):
        from millpond.http.remote import Remote  # only who names a URL pays for the HTTP libraries

        return partial(Remote.start, server, log)
    return partial(Child.start, server, log)


def _parent(config: Config) -> Path | None:
    return Path(config.canvas.directory) if config.canvas.directory else None


def _quiet_the_loop(log: Log) -> None:
    """Have what asyncio would print with its traceback and its arguments, which hold data, be one line without them."""

    def on_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        log.line(f"{context.get('message')}: {type(context.get('exception')).__name__}")

    asyncio.get_running_loop().set_exception_handler(on_error)


def _require_folder(export: str) -> None:
    """Raises `ConfigError` where files are to be exported to what is no folder that can be written to."""
    path = Path(export)
    if export and not (path.is_absolute() and path.is_dir() and os.access(path, os.W_OK | os.X_OK)):
        problem = "expected the absolute path of a folder that is there and can be written to"
        raise ConfigError(one_line(f"[export] directory: {problem}, got {shown(export)}; make it, or name another"))


def _canvas_directory(log: Log, parent: Path | None) -> CanvasDirectory:
    """A canvas's place. Raises `ConfigError` where none can be made in the folder that is configured.

    Where none was configured the server is relayed all the same, as one whose engine does not come up.
    """
    directory = CanvasDirectory.new(parent)
    try:
        directory.hold()
    except OSError as error:
        problem = f"no folder can be made in {directory.path.parent}: {error.strerror or error}"
        if parent is not None:
            raise ConfigError(f"[canvas] directory: {problem}; name another one in a configuration file") from error
        log.once(
            f"canvas: {problem}; large results go on as they came; name a folder under [canvas] directory in a configuration file"
        )
    return directory


def _link_factory(config: Config, engines: int) -> EngineFactory:
    """Makes engines of which at most so many run at once."""
    limits = Limits(grace_seconds=config.query.grace_seconds, waiting_load_bytes=config.results.max_waiting_bytes)
    places = Places(engines, config.canvas.engine_idle_seconds)
    return lambda settings, log: Link(settings, log, limits=limits, places=places)


def _policy(config: Config, settings: EngineSettings) -> Policy:
    return Policy(
        modes=config.modes,
        inline_rows_bytes=settings.inline_rows_bytes,
        max_result_bytes=settings.max_result_bytes,
        max_line_bytes=settings.max_line_bytes,
        resources=config.canvas.resources,
        conversation_keys=tuple(config.canvas.conversation_keys.split()),
        exports=bool(config.export.directory),
        keeps=bool(config.canvas.keep_days),
        paging=config.collected,
        page_id=f"millpond-{secrets.token_hex(PAGE_ID_BYTES)}",
    )


def _utc_now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
