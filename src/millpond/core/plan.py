"""Plan: the stages in order, from the raw bytes of a result to tables' plans and the verdict on what the client gets.

Rule: this is the only module that knows the order payload, shape, columns, naming. Imports the stages.
"""

from __future__ import annotations

import msgspec

from millpond.core.columns import Plan, plan_columns
from millpond.core.forms import Form
from millpond.core.model import Mode, Table
from millpond.core.naming import table_names
from millpond.core.payload import Payload, find_payloads, unread_payload
from millpond.core.shape import Shape, shape


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes up to which a result goes on as it came, in bytes of the raw `result` value without images, audio and links."""

    inline_rows_bytes: int
    inline_text_bytes: int


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A result as read: its data and the row sets in it, no type chosen yet."""

    payload: Payload
    shape: Shape

    @property
    def has_rows(self) -> bool:
        """True for an answer of rows: a list found, or a text that is a table; not prose, a file's text or one record."""
        return self.shape.has_rows and self.payload.form is not Form.LINES


def read(result: bytes | memoryview) -> Reading | None:
    """The data of a raw `result` value, or None where it has none: of both channels the first that has rows.

    Raises `msgspec.DecodeError` or `RecursionError` where it cannot be read.
    """
    first: Reading | None = None
    for payload in find_payloads(result):
        reading = Reading(payload=payload, shape=shape(payload.document, payload.markers, payload.root))
        if reading.has_rows:
            return reading
        first = first or reading
    return first


def unread(result: bytes | memoryview) -> Reading:
    """A result that cannot be read, or whose rows are nested too deep: no row sets are found in it."""
    return Reading(payload=unread_payload(result), shape=Shape(row_sets=(), has_rows=False))


def is_replaced(reading: Reading, mode: Mode, thresholds: Thresholds) -> bool:
    """Whether the client gets a handle: the table "What is replaced, and what is not"."""
    if mode == "never":
        return False
    size = reading.payload.data_bytes
    if reading.has_rows:
        return mode == "always" or size > thresholds.inline_rows_bytes
    return size > thresholds.inline_text_bytes


def names(reading: Reading, tool: str, tag: str, call: int) -> tuple[str, ...]:
    """The names of the tables that this result makes."""
    return table_names(tool, tag, call, [rows.path for rows in reading.shape.row_sets])


def columns(reading: Reading) -> tuple[Plan, ...]:
    """The tables' plans, in the order of `names`."""
    return tuple(map(plan_columns, reading.shape.row_sets))


def notes(reading: Reading, plans: tuple[Plan, ...]) -> tuple[str, ...]:
    """What is to be said of the data and of the tables made of it."""
    repeated = any(plan.repeated for plan in plans)
    return reading.payload.notes + (("some objects have a key twice: the last one counts",) if repeated else ())


def tables(plans: tuple[Plan, ...], table_names: tuple[str, ...]) -> tuple[Table, ...]:
    """The tables as the handle gives them."""
    return tuple(
        Table(name=name, path=plan.rows.path, rows=len(plan.rows.rows), columns=plan.columns)
        for plan, name in zip(plans, table_names, strict=True)
    )
