"""Inside: the engine's own path in this process, stage by stage, and other readers of the same bytes.

Rule: each stage by its public function, one after the other, on a canvas of its own; the engine overlaps observing and loading, so that
the whole takes less than the sum. Imports `millpond`, the tests' `pond`, DuckDB and, where it is installed, polars.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from millpond.core import plan as stages_of
from millpond.core.columns import plan_columns
from millpond.core.handle import HandleText, handle_meta, handle_text
from millpond.core.payload import find_payloads
from millpond.core.preview import preview
from millpond.core.replacement import replace_result
from millpond.core.shape import shape
from millpond.engine.load import load
from millpond.engine.texts import BATCH_BYTES, Texts
from millpond.engine.worker import tune
from pond import Canvas


@contextmanager
def canvas() -> Generator[Canvas]:
    """A new canvas on a file, in an interpreter that is tuned as the engine's is."""
    tune()
    with TemporaryDirectory() as name:
        made = Canvas(Path(name))
        yield made
        made.database.close()


def whole_seconds(pond: Canvas, result: bytes) -> float:
    """From the bytes of a result to its handle."""
    begin = time.perf_counter()
    assert pond.take(result)
    return time.perf_counter() - begin


class Stages:
    """The stages one by one, on a canvas of their own: its store keeps no texts meanwhile."""

    def __init__(self, pond: Canvas) -> None:
        self._pond = pond
        self._texts = Texts(pond.database)

    def seconds(self, result: bytes) -> dict[str, float]:
        """What each of `lib.stages.STAGES` takes."""
        pond, clock = self._pond, _Clock()
        view = memoryview(result)
        with clock("decode"):
            payload = next(iter(find_payloads(view)))
        with clock("shape"):
            reading = stages_of.Reading(payload=payload, shape=shape(payload.document, payload.markers, payload.root))
        with clock("observe"):
            plans = tuple(map(plan_columns, reading.shape.row_sets))
        number = pond.number = pond.number + 1
        names = stages_of.names(reading, "staged", pond.settings.tag, number)
        with clock("load"), pond.database.transaction() as connection:
            for name, one in zip(names, plans, strict=True):
                load(connection, name, one)
        with clock("keep"):
            self._keep(number, view)
        with clock("handle"):
            handle = HandleText(
                canvas=pond.settings.canvas,
                call=number,
                bytes=len(result),
                query_tool="query",
                tables=stages_of.tables(plans, names),
                previews=tuple(preview(one, rows=3) for one in plans),
                notes=stages_of.notes(reading, plans),
                rest=reading.shape.rest,
                empty=reading.shape.empty,
            )
            replace_result(payload, handle_text(handle, pond.settings.handle_tokens), handle_meta(handle))
        return clock.seconds

    def _keep(self, number: int, result: memoryview) -> None:
        if len(result) > BATCH_BYTES:
            self._texts.insert_large(number, result)
            return
        table = self._texts.room((number,), len(result))
        with self._pond.database.transaction() as connection:
            self._texts.insert(connection, table, [(number, result)])


class _Clock:
    """Seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - begin


def readers(file: Path) -> dict[str, Callable[[], object]]:
    """Other readers of a file that holds a JSON list of rows: each makes a table of it in memory."""
    connection = duckdb.connect(config={"threads": 2})
    found: dict[str, Callable[[], object]] = {
        "read_json": lambda: connection.execute(
            f"CREATE OR REPLACE TABLE t AS FROM read_json('{file}', maximum_object_size=300000000)"
        )
    }
    try:
        polars: Any = import_module("polars")
    except ImportError:
        return found
    return {**found, "polars": lambda: polars.read_json(file, infer_schema_length=None)}


def reader_seconds(read: Callable[[], object]) -> float:
    """What a reader takes."""
    begin = time.perf_counter()
    read()
    return time.perf_counter() - begin
