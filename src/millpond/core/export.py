"""Export: which file an answer may be written to, and what is said of it.

Rule: a name is one plain part of a path or it is refused with what is wrong and a name that works; what a file cannot hold exactly is
said. Imports `core.clip`, `core.errors`, `core.naming`, `core.sizes`, `core.sql`, `core.steps` and msgspec.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import PureWindowsPath
from typing import Literal

import msgspec

from millpond.core.clip import shown
from millpond.core.errors import Reason, Refusal
from millpond.core.naming import named_anew, slug
from millpond.core.sizes import human_size
from millpond.core.sql import printed_name
from millpond.core.steps import Step

FileFormat = Literal["csv", "parquet", "jsonl"]
FORMATS: dict[str, FileFormat] = {"csv": "csv", "parquet": "parquet", "jsonl": "jsonl", "ndjson": "jsonl"}
"""What a name ends in, and the format that it asks for."""
MAX_NAME_BYTES = 200
"""Of a file's name: systems take 255 bytes, and some store each character longer."""
MAX_COLUMNS = 6
"""Columns that a note names; `_meta` has all."""
MAX_TYPE_CHARACTERS = 40
"""Of a column's type in a note."""
_STEM_CHARACTERS = 40

_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?", re.IGNORECASE)
_COPY = re.compile(
    r"copy\b\s*(?:\((?P<select>.*)\)|(?P<table>\w+|\"(?:[^\"]|\"\")*\"))\s*to\s*'(?P<file>(?:[^']|'')*)'"
    r"\s*(?:with\s*)?(?:\([^()]*\))?",
    re.IGNORECASE | re.DOTALL,
)

FAULTS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("is empty", lambda name: not name),
    ("holds a path separator", lambda name: "/" in name or "\\" in name),
    ("begins with a dot", lambda name: name.startswith(".")),
    ("holds a colon", lambda name: ":" in name),
    ("holds a character that cannot be seen", lambda name: not name.isprintable()),
    ('holds one of < > " | ? *', lambda name: set(name) & set('<>"|?*')),
    ("begins or ends with a space, or ends with a dot", lambda name: name != name.strip() or name.endswith(".")),
    ("is the name of a device on Windows", _DEVICE.fullmatch),
    (f"is longer than {MAX_NAME_BYTES} bytes", lambda name: len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES),
    ("does not end in .csv, .parquet, .jsonl or .ndjson", lambda name: file_format(name) is None),
)
"""What may be wrong with a name, told of the first that is."""


class WrittenColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column that a file holds in another kind than the answer has it."""

    name: str
    type: str
    """DuckDB's type in the answer."""
    written_as: str
    """`text`, `JSON text`, `DECIMAL(38,0)`."""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A file that holds a whole answer."""

    path: str
    format: FileFormat
    rows: int
    bytes: int
    columns: tuple[WrittenColumn, ...] = ()
    """Those that are of another kind in the file."""


def file_format(name: str) -> FileFormat | None:
    """The format that a name's end asks for."""
    _, dot, end = name.rpartition(".")
    return FORMATS.get(end.lower()) if dot else None


def name_fault(name: str) -> Refusal | None:
    """Why no file may have this name; None where one may."""
    fault = next((fault for fault, is_so in FAULTS if is_so(name)), None)
    if fault is None:
        return None
    return Refusal(
        Reason.BAD_ARGUMENT,
        f"`export` must be the name of a new file, such as rows.csv; {shown(name, 80)!r} {fault}."
        f" Give a name such as {plain_name(name)}.",
    )


def plain_name(name: str) -> str:
    """A name that works, with as much of this one as may stay: its last part's words and its format."""
    last = PureWindowsPath(name).name
    stem, _, end = last.rpartition(".")
    words = slug(stem if end.lower() in FORMATS else last, _STEM_CHARACTERS) or "rows"
    end = end.lower() if end.lower() in FORMATS else "csv"
    return f"{words}.{end}" if not _DEVICE.fullmatch(words) else f"{words}_rows.{end}"


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """The first of `NAME_2.csv`, `NAME_3.csv` that no file has."""
    stem, _, end = name.rpartition(".")
    while len(stem.encode()) > MAX_NAME_BYTES - 20:
        stem = stem[:-1]
    number = 2
    while is_taken(f"{stem}_{number}.{end}"):
        number += 1
    return f"{stem}_{number}.{end}"


def turned_off() -> Refusal:
    """No folder is configured."""
    return Refusal(
        Reason.BAD_ARGUMENT,
        '`export` is turned off. The user turns it on with a line such as directory = "/home/me/exports" under [export] in'
        " Millpond's configuration file, and a new start. Leave `export` out, and page or aggregate instead.",
    )


def no_rows_to_write() -> Refusal:
    """An EXPLAIN is to be written."""
    return Refusal(
        Reason.BAD_ARGUMENT, "EXPLAIN gives no rows to write. Leave `export` out, or send the SELECT itself."
    )


def beside_save_as(name: str, save_as: str) -> Refusal:
    """Both are asked for at once."""
    then = json.dumps({"sql": f"FROM {printed_name(save_as)}", "export": name}, ensure_ascii=False)
    return Refusal(
        Reason.BAD_ARGUMENT,
        f"`export` and `save_as` are two calls. Leave `export` out of this one, then call with {then}",
    )


def file_taken(name: str, is_taken: Callable[[str], bool]) -> Refusal:
    """A file of this name is there."""
    return Refusal(
        Reason.NAME_TAKEN,
        f"There is a file {shown(name, MAX_NAME_BYTES)} already, and none is written over. Give another name, such as"
        f" {free_name(name, is_taken)}.",
    )


def file_too_large(max_bytes: int) -> Refusal:
    """The file would pass the limit."""
    return Refusal(
        Reason.EXECUTION_ERROR,
        f"The file would be larger than {human_size(max_bytes)}, and nothing of it is left. Export fewer rows or columns, in"
        " several files, or as .parquet, which is smaller. The limit is `max_export_bytes` under [export] in Millpond's configuration.",
    )


def not_written(why: str) -> Refusal:
    """The file system refused."""
    return Refusal(
        Reason.EXECUTION_ERROR,
        f"The file could not be written: {why}. Nothing of it is left. Ask the user to look at the folder that `[export]"
        " directory` names in Millpond's configuration; the same call works once that is mended.",
    )


def copied(sql: str) -> Step | None:
    """The call that writes what a COPY ... TO would; None for another statement."""
    found = _COPY.fullmatch(sql)
    if found is None:
        return None
    select = (found["select"] or f"FROM {found['table']}").strip()
    return Step(select, {"export": plain_name(found["file"].replace("''", "'"))})


def copy_refused(call: Step, step: str) -> Refusal:
    """What to do in place of a COPY ... TO; `step` is the call as it is printed, "" where it is not."""
    said = "COPY reaches outside the canvas, and SQL does not; `export` writes a file."
    if not step:
        said += f" Send the SELECT inside of COPY's parentheses, with {call.more['export']} as `export`."
    return Refusal(Reason.FILE_ACCESS_REFUSED, said, step)


def exported_text(exported: Exported) -> str:
    """What an answer says of its file."""
    rows = "1 row" if exported.rows == 1 else f"{exported.rows} rows"
    return f"Exported {rows} ({exported.bytes} bytes) to {exported.path}"


def exported_notes(exported: Exported) -> list[str]:
    """Which columns the file holds in another kind, a line a kind."""
    kinds = dict.fromkeys(column.written_as for column in exported.columns)
    return [
        f"In the file as {kind}: {_listed([column for column in exported.columns if column.written_as == kind])}."
        for kind in kinds
    ]


def renamed_note(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Which columns have another name in the file than in the answer, as each must have its own there."""
    named = named_anew(zip(old, new, strict=True), MAX_TYPE_CHARACTERS)
    more = len(named) - MAX_COLUMNS
    rest = f" and {more} more" if more > 0 else ""
    return [f"Columns named anew in the file: {', '.join(named[:MAX_COLUMNS])}{rest}."] if named else []


def _listed(columns: Sequence[WrittenColumn]) -> str:
    named = [
        f"{printed_name(shown(column.name, MAX_TYPE_CHARACTERS))} ({shown(column.type, MAX_TYPE_CHARACTERS)})"
        for column in columns[:MAX_COLUMNS]
    ]
    more = len(columns) - MAX_COLUMNS
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")
