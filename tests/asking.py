"""Asking a canvas: raw arguments in, the raw result out, and what a test reads of it."""

from __future__ import annotations

import json
from typing import Any

from millpond.engine.query import QueryRunner
from pond import Canvas


class Asking:
    """A canvas and its query side."""

    def __init__(self, pond: Canvas) -> None:
        self.pond = pond
        self.runner = QueryRunner(pond.database, pond.store, pond.settings)

    def __call__(self, sql: str, **arguments: Any) -> dict[str, Any]:
        raw = json.dumps({"sql": sql, **arguments}).encode()
        call = self.pond.call("query", arguments=raw) if "save_as" in arguments else None
        return json.loads(self.runner.answer(1, raw, "query", call))

    def raw(self, arguments: str) -> dict[str, Any]:
        return json.loads(self.runner.answer(1, arguments.encode(), "query"))

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """The rows of an answer, every number as it is written there."""
        answer = self(sql, format="json", max_rows=10_000)
        assert reason(answer) is None, text(answer)
        return json.loads(text(answer), parse_float=str, parse_int=str)


def reason(result: dict[str, Any]) -> str | None:
    error = result["_meta"].get("millpond/error")
    return error and error["reason"]


def text(result: dict[str, Any]) -> str:
    return result["content"][0]["text"]


def notes(result: dict[str, Any]) -> list[str]:
    assert reason(result) is None, text(result)
    found: list[str] = result["_meta"]["millpond/result"]["notes"]
    assert [block["text"] for block in result["content"][1:]] == (["\n".join(found)] if found else [])
    return found
