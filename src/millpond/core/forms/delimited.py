"""Tables of delimited text: CSV (RFC 4180), and the same with tabs, semicolons or `|`.

Rule: strict, because prose, logs and code hold commas too: a header of names, and records of one width. Two linear
passes, a chunk of rows at a time. Imports `forms.cells`, `forms.text` and the standard library only.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from millpond.core.forms.cells import CHUNK_ROWS, NumberColumns, encode_rows, encode_table, is_number
from millpond.core.forms.text import Form, FormText

MAX_NAME_CHARACTERS = 100
MAX_NAME_WORDS = 6
"""A longer header cell is a sentence, not a name."""
LOOKED_AT_ROWS = 100
"""Rows in which the header's own cells must not occur again: where they do, it is a record like the others."""

_DELIMITERS = ((Form.TSV, "\t"), (Form.SSV, ";"), (Form.PSV, "|"), (Form.CSV, ","))
_plain_name = re.compile(r"[^\W\d][\w.$#@%/-]*")
_whole_number = re.compile(r"[0-9]{1,4}")
_data_like = re.compile(
    r"\d{4}-\d\d-\d\d.*|\d\d?[:/.]\d\d?[:/.]\d{2,4}.*|[\d.,+-]*\d[\d.,+-]*|(?=\w*\d)[0-9a-f]{7,}|.*://.*|\S+@\S+\.\S+"
)
_sentence_end = re.compile(r".*[.!?,:;{}\\]|.*[=<>`].*|[/>*-].*|#.+")
_rule = re.compile(r"\s*:?-+:?\s*")

# A cell of more than 128 KiB is data, too; the limit is the csv module's own, for the whole process.
csv.field_size_limit(sys.maxsize if sys.maxsize < 1 << 31 else (1 << 31) - 1)


def read_delimited(text: str) -> FormText | None:
    """The form of a text that is one table with a header; blank lines at its end are not part of it."""
    body = text.removeprefix("\ufeff").rstrip("\r\n")
    first_line = body[: body.find("\n") + 1]
    for form, delimiter in _DELIMITERS:
        if delimiter in first_line:
            for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)[: 2 if form is Form.TSV else 1]:
                found = _read(_Table(body, delimiter, quoting), form)
                if found is not None:
                    return found
    return None


class _Table:
    """A text and how its records are read."""

    def __init__(self, text: str, delimiter: str, quoting: int) -> None:
        self.text = text
        self.delimiter = delimiter
        self.quoting = quoting
        self.padded = delimiter == "|" and " | " in text[: text.find("\n")]
        """True where `|` stands between spaces, which belong to no cell."""

    def records(self) -> Iterator[list[str]]:
        """The records; a `csv.Error` where quotes are not RFC 4180's."""
        lines = io.StringIO(self.text, newline="")
        if self.quoting == csv.QUOTE_NONE:
            records = csv.reader(lines, delimiter=self.delimiter, quoting=csv.QUOTE_NONE, strict=True)
        else:
            records = csv.reader(lines, delimiter=self.delimiter, strict=True)
        if self.padded:
            return ([cell.strip(" ") for cell in record] for record in records)
        return records


def _read(table: _Table, form: Form) -> FormText | None:
    try:
        judged = _judge(table)
    except csv.Error:
        return None
    if judged is None:
        return None
    names, numbers = judged
    records = table.records()
    next(records)
    parts = [encode_rows(rows, numbers) for rows in _chunks(records)]
    return FormText(form=form, json=encode_table(names, parts), notes=())


def _judge(table: _Table) -> tuple[Sequence[str], frozenset[int]] | None:
    """The names, and which columns are numbers; None where it is no table."""
    records = table.records()
    names: list[str] = next(records, list[str]())
    if not _are_names(names):
        return None
    numbers = NumberColumns(len(names))
    count = 0
    for rows in _chunks(records):
        if any(len(row) != len(names) for row in rows) or (count == 0 and not _may_follow(names, rows)):
            return None
        count += len(rows)
        numbers.add(rows)
    found = numbers.found()
    return (names, found) if _is_enough(names, count, found) else None


def _chunks(records: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    while rows := list(islice(records, CHUNK_ROWS)):
        yield rows


def _are_names(cells: Sequence[str]) -> bool:
    """Whether a header's cells are names. The first may be empty: that is how an index without a name is written."""
    if len(cells) < 2 or not all(cells[1:]):
        return False
    return all(map(_is_name, filter(None, cells))) and any(map(_has_letter, cells))


def _is_name(cell: str) -> bool:
    if cell != cell.strip() or len(cell) > MAX_NAME_CHARACTERS or not cell.isprintable():
        return False
    if _plain_name.fullmatch(cell) and not _data_like.fullmatch(cell):
        return True
    if _whole_number.fullmatch(cell):
        return True  # a year, or a position
    return len(cell.split()) <= MAX_NAME_WORDS and not (_data_like.fullmatch(cell) or _sentence_end.fullmatch(cell))


def _has_letter(cell: str) -> bool:
    return any(map(str.isalpha, cell))


def _may_follow(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first rows are records below this header."""
    if all(map(_rule.fullmatch, rows[0])):
        return False  # Markdown
    looked_at = rows[:LOOKED_AT_ROWS]
    return not any(name and _has_letter(name) and row[at] == name for row in looked_at for at, name in enumerate(names))


def _is_enough(names: Sequence[str], count: int, numbers: frozenset[int]) -> bool:
    """Whether so many records under these names can hardly be prose: two, or three where less speaks for a table."""
    plain = all(_plain_name.fullmatch(name) or is_number(name) for name in names if name)
    if plain or numbers:
        return count >= (2 if len(names) > 2 or numbers else 3)
    return count >= 3 and len(names) > 2
