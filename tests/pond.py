"""A canvas for tests: a store on a real database file, and the results that go into it."""

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from millpond.core.model import Call, EngineSettings, Mode, Verdict
from millpond.core.values import is_object
from millpond.engine.database import Database
from millpond.engine.exporting import spool_path
from millpond.engine.query import QueryRunner
from millpond.engine.store import Store

_SQL = re.compile(r"(?:^  |^and [0-9]+ (?:tables?|columns?) more: )((?:SELECT|DESCRIBE) .*)$")


def settings(directory: Path, **changes: Any) -> EngineSettings:
    base = EngineSettings(
        directory=str(directory),
        canvas="c" * 20,
        tag="k7q2xd",
        memory_bytes=1 << 30,
        inline_rows_bytes=4096,
        inline_text_bytes=32768,
        max_result_bytes=256 << 20,
        max_line_bytes=10 << 20,
        handle_tokens=300,
        timeout_seconds=10,
        max_rows=100,
        max_answer_bytes=65536,
        max_cell_bytes=512,
        max_calls=1000,
        max_tables=1000,
        max_canvas_bytes=1 << 30,
    )
    return msgspec.structs.replace(base, **changes)


class Canvas:
    """A store, its database and the numbering of calls."""

    def __init__(self, directory: Path, **changes: Any) -> None:
        self.settings = settings(directory, **changes)
        self._open()
        self.number = self.store.last_number

    def reopen(self) -> None:
        """Close the file, and open it as the next process would."""
        self.database.close()
        self._open()

    def _open(self) -> None:
        spool = spool_path(self.settings) if self.settings.export_directory else None
        path = Path(self.settings.directory) / "canvas.duckdb"
        self.database = Database(path, memory_bytes=1 << 30, spool=spool)
        self.store = Store(self.database, self.settings)
        self.runner = QueryRunner(self.database, self.store, self.settings)

    def call(
        self,
        tool: str,
        mode: Mode = "auto",
        *,
        number: int | None = None,
        replaceable: bool = True,
        arguments: bytes = b'{"q":1}',
    ) -> Call:
        self.number = number or self.number + 1
        return Call(
            number=self.number,
            tool=tool,
            arguments=arguments,
            time="2026-11-30T00:00:00Z",
            mode=mode,
            replaceable=replaceable,
        )

    def take(self, result: bytes, tool: str = "rows", mode: Mode = "auto", number: int | None = None) -> dict[str, Any]:
        """The body that replaces the result, or {} where it goes on as it came."""
        outcome = self.store.take(self.call(tool, mode, number=number), memoryview(result), "query")
        assert outcome.verdict in (Verdict.KEEP, Verdict.REPLACE), outcome.note
        return json.loads(outcome.body) if outcome.body else {}

    def query(self, sql: str) -> list[list[Any]]:
        """The rows of an answer of the own tool, numbers as text."""
        arguments = json.dumps({"sql": sql, "format": "json"}).encode()
        result = json.loads(self.runner.answer(1, arguments, "query"))
        assert not result.get("isError"), result["content"][0]["text"]
        return read_rows(result)

    def sql(self, text: str, *parameters: Any) -> list[tuple[Any, ...]]:
        connection = self.database.cursor()
        try:
            return connection.execute(text, list(parameters)).fetchall()
        finally:
            connection.close()


@contextmanager
def canvas(**changes: Any) -> Generator[Canvas]:
    with TemporaryDirectory() as directory:
        opened = Canvas(Path(directory), **changes)
        yield opened
        opened.database.close()


def structured(value: object, text: str = "done") -> bytes:
    return json.dumps({"content": [{"type": "text", "text": text}], "structuredContent": value}).encode()


def handle(body: dict[str, Any]) -> dict[str, Any]:
    return body["_meta"]["millpond/handle"]


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": at, "pad": "x" * 40, "tags": ["a", "b"][: at % 3]} for at in range(count)]


def read_rows(result: dict[str, Any]) -> list[list[Any]]:
    """The rows of an answer of the own tool in JSON, numbers as text."""
    found: list[Any] = json.loads(result["content"][0]["text"], parse_int=str, parse_float=str)
    return [list(row.values()) if is_object(row) else row for row in found]


def printed_sql(text: str) -> list[str]:
    """The statements that a handle prints: each ends its line."""
    return [
        found[1] for line in text.split("\n") if not line.startswith("| ") for found in [_SQL.search(line)] if found
    ]
