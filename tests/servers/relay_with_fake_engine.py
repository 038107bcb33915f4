"""Millpond with an engine that stores nothing.

    python relay_with_fake_engine.py COMMAND ARGS...        as `millpond -- COMMAND ARGS...`

Every result is replaced by a handle that tells its call; a result of the tool `late` waits for the query `release`. The
query `wait` lasts until it is cancelled, `recorded` tells the numbers that were recorded, and any other is echoed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable

from millpond import app
from millpond.cli import load_config, parse_arguments
from millpond.core.errors import MillpondError
from millpond.core.model import Call, EngineSettings, Outcome, ToolText, Verdict, Visit
from millpond.engine.counting import Counting
from millpond.relay.log import Log


def text(value: object) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": json.dumps(value)}]}, separators=(",", ":")).encode()


class FakeEngine:
    def __init__(self, settings: EngineSettings, log: Callable[[str], None]) -> None:
        self._log = log
        self._recorded: list[int] = []
        self._released = asyncio.Event()
        self.counted = Counting()

    async def start(self) -> None:
        self._log("engine started")

    async def close(self) -> None:
        self._log("engine closed")

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        if call.tool == "late":
            await self._released.wait()
        return Outcome(verdict=Verdict.REPLACE, body=text([call.number, call.tool, len(result), query_tool]))

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        self._log(f"engine learned {len(tools)}")

    def record(self, call: Call, result: bytes | memoryview) -> None:
        self._recorded.append(call.number)

    async def query(
        self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None, visit: Visit | None = None
    ) -> bytes:
        sql = json.loads(bytes(arguments)).get("sql")
        if sql == "release":
            self._released.set()
        if sql == "wait":
            self._log("query waits")
            try:
                await asyncio.Event().wait()
            finally:
                self._log("query cancelled")
        return text(self._recorded if sql == "recorded" else sql)

    async def look(self, uri: str) -> bytes:
        return json.dumps({"missing": uri}).encode()


def main() -> int:
    log = Log()
    config = load_config(parse_arguments(["--", *sys.argv[1:]]), os.environ)
    try:
        return asyncio.run(app.serve(config, log, FakeEngine))
    except MillpondError as error:
        log.line(str(error))
        return 1
    finally:
        log.flush(1.0)


if __name__ == "__main__":
    sys.exit(main())
