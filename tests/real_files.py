"""Real data files, and what plain Python makes of them: the questions that are asked of a table, each with its answer.

Rule: the model reads the file anew, with the standard library's decoders, and knows nothing of how Millpond reads it; what it takes from a
table is its path and the names and types of its columns.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, Inexact, localcontext
from typing import Any, NamedTuple

from millpond.core.values import is_list, is_object

MAX_COLUMNS = 12
"""Columns of a table that are asked about."""
_STEP = re.compile(r'\.([A-Za-z_][A-Za-z0-9_]*)|\.("(?:[^"\\]|\\.)*")|\[([0-9]+)\]')
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBERS = ("BIGINT", "HUGEINT", "BIGNUM", "DECIMAL", "DOUBLE")


class Question(NamedTuple):
    """An expression over a table, and its value: a number, a text, a boolean or None."""

    sql: str
    value: object


def read_json(text: str) -> Any:
    """The file's value: every number exactly."""
    return json.loads(text, parse_float=Decimal)


def read_table(text: str) -> list[dict[str, Any]]:
    """The rows of a CSV or TSV file as texts."""
    body = text.removeprefix("\ufeff")
    delimiter = "\t" if "\t" in body.partition("\n")[0] else ","
    names, *records = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)
    return [dict(zip(names, record, strict=True)) for record in records if record]


def at_path(value: Any, path: str) -> Any:
    """What stands at a JSON path."""
    for name, quoted, index in _STEP.findall(path):
        value = value[int(index)] if index else value[json.loads(quoted) if quoted else name]
    return value


def questions(value: Any, columns: Sequence[dict[str, Any]]) -> list[Question]:
    """What is asked of the table that was made of a value."""
    names = [column["name"] for column in columns]
    if names == ["path", "value"] and is_object(value):
        return _of_leaves(list(leaves(value, "$")))
    if names[0] == "_key":
        value = [{"_key": key, **row} for key, row in value.items()]
    asked = [Question("count(*)", len(value))]
    for column in columns[:MAX_COLUMNS]:
        key = column["name"] if column["renamed_from"] is None else column["renamed_from"]
        asked += _of_column(_quote(column["name"]), column, [_cell(row, key) for row in value])
    return asked


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every value that holds no other, with its path; an empty list or object is one."""
    if is_object(value) and value:
        for key, member in value.items():
            step = f".{key}" if _PLAIN.fullmatch(key) else "." + json.dumps(key, ensure_ascii=False)
            yield from leaves(member, path + step)
    elif is_list(value) and value:
        for at, element in enumerate(value):
            yield from leaves(element, f"{path}[{at}]")
    else:
        yield path, value


def _cell(row: Any, key: str) -> Any:
    if is_object(row):
        return row.get(key)
    if is_list(row) and key.startswith("column"):
        return row[int(key.removeprefix("column"))]
    return row


def _of_leaves(found: Sequence[tuple[str, Any]]) -> list[Question]:
    paths = [path for path, _ in found]
    present = [value for _, value in found if value is not None]
    return [
        Question("count(*)", len(found)),
        Question("count(value)", len(present)),
        Question("count(DISTINCT path)", len(set(paths))),
        Question("min(path)", min(paths)),
        Question("max(path)", max(paths)),
        Question("sum(length(path))", sum(map(len, paths))),
        Question("count(*) FILTER (value::VARCHAR = 'true')", sum(value is True or value == "true" for value in present)),
        Question("count(*) FILTER (value::VARCHAR = '[]')", sum(value in ([], "[]") for value in present)),
        Question("sum(length(value)) FILTER (value LIKE 'h%')", _total(len(v) for v in present if isinstance(v, str) and v[:1] == "h")),
        Question("count(*) FILTER (contains(path, '[0]'))", sum("[0]" in path for path in paths)),
    ]  # fmt: skip


def _total(lengths: Iterator[int]) -> int | None:
    return sum(lengths) or None


def _of_column(name: str, column: dict[str, Any], cells: Sequence[Any]) -> list[Question]:
    kind: str = column["type"]
    if kind.endswith("[]"):
        present = [cell for cell in cells if cell is not None]
        return [_nulls(name, cells), Question(f"sum(len({name}))", sum(map(len, present)))]
    if kind.startswith(_NUMBERS):
        return _of_numbers(name, kind, [None if cell in (None, "") else cell for cell in cells])
    if kind.startswith("STRUCT"):
        return [_nulls(name, cells), *_of_fields(name, cells)]
    if kind == "BOOLEAN":
        return [_nulls(name, cells), Question(f"count(*) FILTER ({name})", sum(cell is True for cell in cells))]
    if kind == "VARCHAR" and column["exact"] and all(isinstance(cell, str | None) for cell in cells):
        return _of_texts(name, cells)
    return [_nulls(name, cells)]


def _nulls(name: str, cells: Sequence[Any]) -> Question:
    return Question(f"count(*) - count({name})", sum(cell is None for cell in cells))


def _of_numbers(name: str, kind: str, cells: Sequence[Any]) -> list[Question]:
    numbers = sorted(Decimal(cell) for cell in cells if cell is not None)
    asked = [_nulls(name, cells), Question(f"count(DISTINCT {name})", len(set(numbers)))]
    if kind == "DOUBLE":
        least, most = float(numbers[0]), float(numbers[-1])
        positive = sum(number > 0 for number in numbers)
        return [
            *asked,
            Question(f"min({name})", least),
            Question(f"max({name})", most),
            Question(f"count(*) FILTER ({name} > 0)", positive),
        ]
    with localcontext(Context(prec=500, traps=[Inexact])):
        asked.append(Question(f"sum({name})", sum(numbers)))
    for part in (0.25, 0.5, 0.75):
        rank = max(math.ceil(part * len(numbers)), 1)
        asked.append(Question(f"quantile_disc({name}, {part})", numbers[rank - 1]))
    below = sum(number < numbers[len(numbers) // 2] for number in numbers)
    asked.append(Question(f"count(*) FILTER ({name} < {numbers[len(numbers) // 2]:f})", below))
    return [*asked, Question(f"min({name})", numbers[0]), Question(f"max({name})", numbers[-1])]


def _of_texts(name: str, cells: Sequence[str | None]) -> list[Question]:
    texts = [cell for cell in cells if cell is not None]
    asked = [_nulls(name, cells), Question(f"count(DISTINCT {name})", len(set(texts)))]
    if texts:
        top, count = min(Counter(texts).items(), key=lambda found: (-found[1], found[0]))
        asked += [
            Question(f"min({name})", min(texts)),
            Question(f"max({name})", max(texts)),
            Question(f"min(length({name}))", min(map(len, texts))),
            Question(f"max(length({name}))", max(map(len, texts))),
            Question(f"count(*) FILTER ({name} >= {_literal(top)})", sum(text >= top for text in texts)),
            Question(f"sum(length({name}))", sum(map(len, texts))),
            Question(f"arg_max({name}, {name}) FILTER ({name} = {_literal(top)})", top),
            Question(f"count(*) FILTER ({name} = {_literal(top)})", count),
        ]
    return asked


def _of_fields(name: str, cells: Sequence[Any]) -> list[Question]:
    """The first fields that objects have: those of them that are there, and their sum where they are numbers."""
    objects = [cell for cell in cells if cell is not None]
    keys = list(dict.fromkeys(key for cell in objects for key in cell))[:4]
    asked: list[Question] = []
    for key in keys:
        field = f"{name}.{_quote(key)}"
        values = [cell[key] for cell in objects if cell.get(key) is not None]
        asked.append(Question(f"count({field})", len(values)))
        if values and all(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in values):
            asked.append(Question(f"sum({field})", sum(map(Decimal, values))))
    return asked


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
