"""App: owns every lifetime: the canvas's directory, the engine, the server, the session.

Rule: what is begun here ends here, whatever happens between. Imports every side; nothing but the command line imports it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from millpond.core.config import Config, engine_settings
from millpond.core.model import EngineSettings
from millpond.engine.ceiling import default_budget_bytes
from millpond.engine.directory import CanvasDirectory
from millpond.engine.limits import Limits
from millpond.engine.link import Link
from millpond.relay.actions import Policy
from millpond.relay.log import Log
from millpond.relay.session import Session
from millpond.relay.stdio import Stdio

ID_BYTES = 10
"""Random bytes of a canvas's id: 80 bits, for whoever knows it may read the canvas."""
TAG_CHARACTERS = 6
_TAG_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
LOG_SECONDS = 1.0
"""For the last lines of the log, where nobody reads stderr."""

LinkFactory = Callable[[EngineSettings, Callable[[str], None], Limits], Link]


def _link(settings: EngineSettings, log: Callable[[str], None], limits: Limits) -> Link:
    return Link(settings, log, limits=limits)


def run(config: Config) -> int:
    """Serve one session over standard streams and return the exit code. Raises `MillpondError`."""
    log = Log()
    try:
        return asyncio.run(serve(config, log))
    finally:
        log.flush(LOG_SECONDS)


async def serve(config: Config, log: Log, link: LinkFactory = _link) -> int:
    """One session, from the server's start to its end."""
    parent = Path(config.canvas.directory) if config.canvas.directory else None
    with CanvasDirectory.create(parent) as directory:
        budget = config.canvas.memory_bytes or default_budget_bytes()
        settings = engine_settings(config, str(directory.path), new_id(), new_tag(), budget)
        limits = Limits(grace_seconds=config.query.grace_seconds, waiting_load_bytes=config.results.max_waiting_bytes)
        engine = link(settings, log.line, limits)
        policy = Policy(
            modes=config.modes,
            inline_rows_bytes=settings.inline_rows_bytes,
            max_result_bytes=settings.max_result_bytes,
            max_line_bytes=settings.max_line_bytes,
        )
        relay = Stdio(Session(policy, utc_now), engine, log)
        try:
            return await relay.run(config.server.command, config.server.env, config.server.cwd, engine.start)
        finally:
            await engine.close()


def new_id() -> str:
    """A canvas's id: unguessable, at least 60 random bits."""
    return secrets.token_hex(ID_BYTES)


def new_tag() -> str:
    """The mark in a canvas's table names; it tells nothing of the id."""
    return "".join(secrets.choice(_TAG_ALPHABET) for _ in range(TAG_CHARACTERS))


def utc_now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
