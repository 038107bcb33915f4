"""Load: the rows of a plan become a table, a chunk at a time.

Rule: DuckDB reads each cell from the text that came; what it would write anew is handed over as text and cast. Runs inside the
caller's transaction. Imports `core` and `engine.database`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import zip_longest
from typing import Any

import msgspec

from millpond.core.columns import Plan, Source
from millpond.core.errors import EngineFailed
from millpond.core.infer import Route
from millpond.core.names import quote, quoted_text
from millpond.core.raw import read_elements
from millpond.core.rows import Layout, join_rows, restore
from millpond.engine.database import Connection

_NULL = msgspec.Raw(b"null")
_as_written = msgspec.json.Decoder(float_hook=lambda lexeme: msgspec.Raw(lexeme.encode()))
MAX_PLAIN_EXPONENT = 60
"""Exponents written out in digits for DECIMAL, which holds 38; a number beyond is no DECIMAL."""
_members = msgspec.json.Decoder(dict[str, msgspec.Raw] | None)


def load(connection: Connection, table: str, plan: Plan) -> None:
    """Create `table` and fill it with every row of the plan. Raises DuckDB's errors; the caller rolls back."""
    create(connection, table, plan)
    for number, chunk in enumerate(plan.rows.chunks()):
        insert(connection, table, plan, number, chunk)
    check(connection, table, plan)


def create(connection: Connection, table: str, plan: Plan) -> None:
    """Create the table without rows, in place of one that is there."""
    columns = ", ".join(f"{quote(column.name)} {column.type}" for column in plan.columns)
    connection.execute(f"CREATE OR REPLACE TABLE {quote(table)} ({columns})")


def insert(connection: Connection, table: str, plan: Plan, number: int, chunk: slice) -> None:
    """Append the rows of a chunk; `number` counts the chunks from 0."""
    raws = plan.rows.rows[chunk]
    if number in plan.repeated:
        raws = _rewrite(raws, _as_written)
    connection.execute(_insert(table, plan), _parameters(plan, raws, chunk))


def check(connection: Connection, table: str, plan: Plan) -> None:
    """Count what was stored against what was read: a cast of DuckDB's gives NULL for what it cannot take.

    Raises `EngineFailed` where some value is not there.
    """
    counts = ", ".join(f"count({quote(source.column.name)})" for source in plan.sources)
    found = connection.execute(f"SELECT count(*), {counts} FROM {quote(table)}").fetchone()
    assert found is not None
    expected = (len(plan.rows.rows), *(source.present for source in plan.sources))
    if found != expected:
        raise EngineFailed("not every value could be stored exactly")


def _plain(lexeme: str) -> msgspec.Raw:
    """The same number without an exponent, where its digits are few enough for a DECIMAL to hold."""
    if "e" not in lexeme and "E" not in lexeme:
        return msgspec.Raw(lexeme.encode())
    try:
        value = Decimal(lexeme)
    except InvalidOperation:
        return msgspec.Raw(lexeme.encode())
    if not value:
        return msgspec.Raw(b"-0.0" if value.is_signed() else b"0")
    if abs(value.adjusted()) > MAX_PLAIN_EXPONENT:
        return msgspec.Raw(lexeme.encode())
    return msgspec.Raw(format(value, "f").encode())


def _without_exponents(markers: Mapping[bytes, bytes]) -> msgspec.json.Decoder[Any]:
    """Writes numbers without exponents; a marker, which is a number with one, stays what it stands for."""

    def plain(lexeme: str) -> msgspec.Raw:
        raw = lexeme.encode()
        return msgspec.Raw(raw) if raw in markers else _plain(lexeme)

    return msgspec.json.Decoder(float_hook=plain)


def _rewrite(raws: Sequence[msgspec.Raw], decoder: msgspec.json.Decoder[Any]) -> list[msgspec.Raw]:
    return [msgspec.Raw(msgspec.json.encode(decoder.decode(raw))) for raw in raws]


def _insert(table: str, plan: Plan) -> str:
    """The statement that appends one chunk: a parameter for the rows, and one for each column that is read by itself.

    They stand in a VALUES list: `from_json` of a mere parameter is folded to a constant first, which takes twice the time.
    """
    inner: list[str] = []
    outer: list[str] = []

    def unnested(spec: Any, name: str) -> str:
        inner.append(f"unnest(from_json(p{len(inner)}, {quoted_text(msgspec.json.encode([spec]).decode())})) AS {name}")
        return name

    if plan.keyed:
        outer.append(unnested("VARCHAR", "k"))
    direct = {source.key: source.type.spec for source in plan.sources if source.from_row}
    if direct:
        unnested(direct, "r")
    for at, source in enumerate(plan.sources):
        if source.from_row:
            outer.append(f"r.{quote(source.key)}")
        elif source.type.route is Route.DIRECT:
            outer.append(unnested(source.type.spec, f"c{at}"))
        else:
            outer.append(f"{unnested('VARCHAR', f'c{at}')}::{source.type.sql}")
    marks = ", ".join("?" * len(inner))
    names = ", ".join(f"p{at}" for at in range(len(inner)))
    rows = f"SELECT {', '.join(inner)} FROM (VALUES ({marks})) AS given({names})"
    return f"INSERT INTO {quote(table)} SELECT {', '.join(outer)} FROM ({rows})"


def _parameters(plan: Plan, raws: Sequence[msgspec.Raw], chunk: slice) -> list[str]:
    parameters: list[str] = []
    if plan.keyed:
        assert plan.rows.keys is not None
        parameters.append(msgspec.json.encode(plan.rows.keys[chunk]).decode())
    direct = [source for source in plan.sources if source.from_row]
    if direct:
        exponents = any(source.type.exponents for source in direct)
        rows = _rewrite(raws, _without_exponents(plan.rows.markers)) if exponents else raws
        parameters.append(join_rows(rows, plan.rows.markers))
    alone = [source for source in plan.sources if not source.from_row]
    if alone:
        for source, cells in zip(alone, _cells(plan, alone, raws), strict=True):
            parameters.append(_cell_list(source, cells, plan))
    return parameters


def _cells(plan: Plan, alone: Sequence[Source], raws: Sequence[msgspec.Raw]) -> Iterable[Sequence[Any]]:
    """The raw cells of each column that is read by itself."""
    if plan.rows.layout is Layout.VALUES:
        return [raws]
    if plan.rows.layout is Layout.ARRAYS:
        padded: Iterable[tuple[Any, ...]] = zip_longest(*map(read_elements, raws), fillvalue=_NULL)
        columns: list[Sequence[Any]] = list(padded)
        columns.extend([_NULL] * len(raws) for _ in range(len(alone) - len(columns)))
        return columns
    rows = [_members.decode(raw) or {} for raw in raws]
    return [[row.get(source.key, _NULL) for row in rows] for source in alone]


def _cell_list(source: Source, cells: Sequence[Any], plan: Plan) -> str:
    """The JSON text of a column's cells, as its route wants them."""
    if source.type.route is Route.DIRECT:
        plain = _rewrite(cells, _without_exponents(plan.rows.markers)) if source.type.exponents else cells
        return join_rows(plain, plan.rows.markers)
    every = source.type.route is Route.JSON
    texts = [_as_text(cell, plan, every=every) for cell in cells]
    return str(b"[" + b",".join(texts) + b"]", "utf-8")


def _as_text(cell: msgspec.Raw, plan: Plan, *, every: bool) -> bytes:
    """A cell's own text as a JSON string; a string is one already, unless `every` cell is to be JSON."""
    text = bytes(cell)
    if text == b"null" or (text[:1] == b'"' and not every):
        return text
    return msgspec.json.encode(restore(text, plan.rows.markers).decode())
