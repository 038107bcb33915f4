"""Exporting: the whole answer of a judged statement becomes a file in the user's folder.

Rule: DuckDB itself reaches no file but one in the canvas's own folder, which Python copies; what is seen is whole, and what is not
exact is said. Imports `core` and the engine's `database`, `directory`, `fetch`, `judging`, `outbox` and `parquet`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from millpond.core.arguments import Arguments
from millpond.core.errors import QueryRefused
from millpond.core.export import (
    Exported,
    FileFormat,
    WrittenColumn,
    beside_save_as,
    exported_notes,
    file_format,
    file_taken,
    name_fault,
    no_rows_to_write,
    renamed_note,
    turned_off,
)
from millpond.core.file_text import FileText
from millpond.core.model import EngineSettings
from millpond.core.naming import column_names
from millpond.engine.database import Connection, reading
from millpond.engine.directory import EXPORTS
from millpond.engine.fetch import NESTED, fetch_all, is_text_in_python
from millpond.engine.judging import Judged
from millpond.engine.outbox import Draft, Outbox
from millpond.engine.parquet import Spool

_BATCH_ROWS = 2_048
_COPY_BYTES = 1 << 20
_LOST_NULL = "In a CSV of one column a NULL is written as the empty text."


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the user's folder now."""

    exported: Exported
    columns: tuple[tuple[str, str], ...]
    """Names in the file, and DuckDB's types in the answer."""
    notes: tuple[str, ...]
    sample: Sequence[Sequence[Any]] = ()
    """First rows of a file of text."""


class _Job(msgspec.Struct, frozen=True):
    """An answer on its way into a draft."""

    connection: Connection
    statement: str
    names: tuple[str, ...]
    kinds: tuple[Any, ...]
    draft: Draft
    go_on: Callable[[], None]


class _Contents(msgspec.Struct, frozen=True):
    """What a draft holds."""

    rows: int
    written: dict[int, str]
    """What a column is written as, by its place, where that is another kind."""
    sample: Sequence[Sequence[Any]] = ()
    notes: tuple[str, ...] = ()


class Exporter:
    """Writes answers of one canvas to files."""

    def __init__(self, settings: EngineSettings) -> None:
        """What earlier processes left half-written is removed."""
        self._outbox: Outbox | None = None
        if settings.export_directory:
            self._outbox = Outbox(Path(settings.export_directory), settings.max_export_bytes)
            self._outbox.sweep()
            self._spool = Spool(spool_path(settings), settings.max_export_bytes)
            self._spool.empty()

    def check(self, arguments: Arguments) -> None:
        """Raises `QueryRefused` for what cannot be exported, before anything has run."""
        name = arguments.export
        if name is None:
            return
        if self._outbox is None:
            raise QueryRefused(turned_off())
        fault = name_fault(name)
        if fault is None and arguments.save_as is not None:
            fault = beside_save_as(name, arguments.save_as)
        if fault is None and self._outbox.is_taken(name):
            fault = file_taken(name, self._outbox.is_taken)
        if fault is not None:
            raise QueryRefused(fault)

    def write(self, connection: Connection, judged: Judged, name: str, go_on: Callable[[], None]) -> Written:
        """Write the file of a name that was checked.

        `go_on` is called between the steps and before the file is seen; what it raises leaves nothing. Raises `QueryRefused` and
        DuckDB's errors.
        """
        form = file_format(name)
        if judged.explain:
            raise QueryRefused(no_rows_to_write())
        assert self._outbox is not None
        assert form is not None
        relation = connection.sql(judged.statement)
        found, kinds = tuple(relation.columns), tuple(relation.types)
        names = column_names(found, reserved=())
        with self._outbox.draft() as draft:
            job = _Job(connection, judged.statement, names, kinds, draft, go_on)
            contents = self._parquet(job) if form == "parquet" else _text(job, form)
            go_on()
            path = draft.publish(name)
            exported = _exported(job, contents, path, form)
        return Written(
            exported=exported,
            columns=tuple(zip(names, map(str, kinds), strict=True)),
            notes=(*exported_notes(exported), *renamed_note(found, names), *contents.notes),
            sample=contents.sample,
        )

    def _parquet(self, job: _Job) -> _Contents:
        with self._spool.written(job.connection, job.statement, job.names) as file:
            with file.path.open("rb") as source:
                while piece := source.read(_COPY_BYTES):
                    job.go_on()
                    job.draft.write(piece)
            pairs = enumerate(zip(map(str, job.kinds), file.types, strict=True))
            texts = {at: "text" if new == "VARCHAR" else new for at, (old, new) in pairs if old != new}
            return _Contents(file.rows, texts)


def spool_path(settings: EngineSettings) -> Path:
    """The one folder in which DuckDB may write a file of its own."""
    return Path(settings.directory) / EXPORTS


def _text(job: _Job, form: Literal["csv", "jsonl"]) -> _Contents:
    file = FileText(form, job.names)
    job.draft.write(file.head)
    rows, sample = 0, None
    with reading(job.connection):
        for batch in fetch_all(job.connection, job.statement, _BATCH_ROWS):
            job.go_on()
            job.draft.write(file.lines(batch))
            sample = sample or batch
            rows += len(batch)
    written = _csv_kinds(job.kinds) if form == "csv" else _json_kinds(job.kinds, file.inexact)
    return _Contents(rows, written, sample or (), (_LOST_NULL,) if file.has_lost_null else ())


def _csv_kinds(kinds: Sequence[Any]) -> dict[int, str]:
    return {at: "JSON text" for at, kind in enumerate(kinds) if kind.id in NESTED}


def _json_kinds(kinds: Sequence[Any], inexact: set[int]) -> dict[int, str]:
    """A column that JSON has no kind for is text; so is a number that most readers would round, or that is none."""
    texts = {at: "text" for at, kind in enumerate(kinds) if is_text_in_python(kind)}
    texts |= {at: "JSON text" for at, kind in enumerate(kinds) if str(kind) == "JSON"}
    numbers = {at: "text where a number has more digits than a double, or is none" for at in inexact}
    return {**numbers, **texts}


def _exported(job: _Job, contents: _Contents, path: Path, form: FileFormat) -> Exported:
    return Exported(
        path=str(path),
        format=form,
        rows=contents.rows,
        bytes=job.draft.bytes,
        columns=tuple(
            WrittenColumn(name=job.names[at], type=str(job.kinds[at]), written_as=kind)
            for at, kind in sorted(contents.written.items())
        ),
    )
