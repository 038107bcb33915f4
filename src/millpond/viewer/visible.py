"""Visible: an engine that a page can look at while it lasts, where that is wanted and can be had.

Rule: what goes wrong here is one line in the log, and the session runs as it would without. Imports `core.config` and
this package's modules of the proxy's side.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path, PurePath

from millpond import __version__
from millpond.core.config import Config, Inspect, RemoteServer, Server
from millpond.viewer.door import Door, Hello
from millpond.viewer.places import HAS_DOORS, default_directory
from millpond.viewer.record import Record
from millpond.viewer.watch import StartedEngine, Watched

RUNNERS = ("npx", "bunx", "uvx", "pipx", "node", "bun", "deno", "python")
"""Commands that say nothing of the server they start."""


def directory_of(inspect: Inspect) -> Path | None:
    """The folder of the doors; None where sessions are kept off the page, or the system has none."""
    if not inspect.max_kept_bytes or not HAS_DOORS:
        return None
    return Path(inspect.directory) if inspect.directory else default_directory()


def shown_name(server: Server | RemoteServer) -> str:
    """What a session is called on the page: behind a runner such as `npx`, the first word that is no option."""
    if isinstance(server, RemoteServer) or server.name != PurePath(server.command[0]).name:
        return server.name
    is_runner = PurePath(server.name).stem.rstrip("0123456789.") in RUNNERS
    word = next((word for word in server.command[1:] if not word.startswith("-")), server.name)
    return PurePath(word).name if is_runner else server.name


@asynccontextmanager
async def visible(
    engine: StartedEngine, config: Config, now: Callable[[], str], log: Callable[[str], None]
) -> AsyncGenerator[StartedEngine]:
    """The engine to be used in its place. `now` gives the time as ISO 8601 in UTC, `log` gets single lines."""
    directory = directory_of(config.inspect)
    if directory is None:
        yield engine
        return
    record = Record(config.inspect.max_kept_bytes)
    watched = Watched(engine, record, now)
    hello = Hello(
        server=shown_name(config.server),
        pid=os.getpid(),
        began=now(),
        version=__version__,
        max_rows=config.query.max_rows,
        timeout_seconds=config.query.timeout_seconds,
    )
    door = Door(hello, watched, record, config.inspect.max_kept_bytes)
    try:
        await door.open(directory)
    except OSError as error:
        log(f"inspect: this session cannot be shown: {error.strerror or error}")
        yield engine
        return
    try:
        yield watched
    finally:
        await door.close()
