"""Examples: the one query that a handle prints, chosen by what was counted of the table.

Rule: it runs as printed whatever the rows hold, and nothing in it can overflow. Imports `core.model`, `core.names`, `core.numbers`,
`core.profile`, `core.sql`, `core.type_text` and the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from millpond.core.model import Column, Table
from millpond.core.names import fold
from millpond.core.numbers import decimal_parts, sum_fits
from millpond.core.profile import Figures, Kind, is_category, kind_of
from millpond.core.sql import printed_name
from millpond.core.type_text import field_names

MAX_NAME_CHARACTERS = 40
"""Of a column that an example names."""
MAX_GROUPS = 20
"""Distinct values up to which a column is one to group by."""
MAX_DAYS = 62
"""Distinct days up to which rows are counted by day, not by month."""
MIN_PROSE_BYTES = 30
"""Of the longest text in a column to look for words in."""

_AMOUNT = re.compile(
    r"amount|balance|bytes|cost|count|distance|duration|fee|hours|minutes|paid|population|price|qty|quantity|revenue|sales"
    r"|seconds|size|spen[dt]|sum|total|units|usd|value|volume|weight",
    re.IGNORECASE,
)
"""In the name of an integer that is worth adding up; the others are mostly ids, codes and years."""
_LABELS = ("name", "title", "label", "key", "login", "type", "id")
"""Fields to count the elements of a list by: the first that is there."""
_ELEMENTS = ("e", "element", "item")
"""Names for an element of a list; one is chosen that is no column's."""


class _Found(NamedTuple):
    """A column with what was counted of it."""

    column: Column
    figures: Figures

    @property
    def kind(self) -> Kind:
        return kind_of(self.column.type)

    @property
    def name(self) -> str:
        """As SQL reads it."""
        return printed_name(self.column.name)


def example(table: Table, profile: Sequence[Figures]) -> str | None:
    """A query that suits the table; None where nothing was counted, or nothing in it stands out."""
    columns = [
        _Found(column, figures)
        for column, figures in zip(table.columns, profile, strict=False)
        if len(column.name) <= MAX_NAME_CHARACTERS and figures.present
    ]
    name = printed_name(table.name)
    amount = next((found.name for found in columns if _is_amount(found)), None)
    added = f", sum({amount})" if amount else ""
    if (group := _category(columns, Kind.TEXT) or _category(columns, Kind.FLAG)) is not None:
        return f"SELECT {group}, count(*){added} FROM {name} GROUP BY ALL ORDER BY 2 DESC"
    if (element := _element(columns, {fold(column.name) for column in table.columns})) is not None:
        return f"{element.replace('FROM t', f'FROM {name}', 1)} GROUP BY ALL ORDER BY 2 DESC"
    if (period := _period(columns)) is not None:
        return f"SELECT {period}, count(*){added} FROM {name} GROUP BY ALL ORDER BY 1"
    if (group := _category(columns, Kind.INTEGER)) is not None:
        return f"SELECT {group}, count(*){added} FROM {name} GROUP BY ALL ORDER BY 2 DESC"
    if amount:
        return f"SELECT count(*), min({amount}), max({amount}), sum({amount}) FROM {name}"
    if (prose := _prose(columns)) is not None:
        return f"SELECT count(*), count(*) FILTER ({prose} ILIKE '%error%') AS with_error FROM {name}"
    return None


def _category(columns: Sequence[_Found], kind: Kind) -> str | None:
    """The column of this kind with the fewest values that repeat."""
    found = [
        one
        for one in columns
        if one.kind is kind
        and one.column.note is None
        and is_category(one.figures)
        and 1 < len(one.figures.values) <= MAX_GROUPS
    ]
    best = min(found, key=lambda one: len(one.figures.values), default=None)
    return best and best.name


def _element(columns: Sequence[_Found], taken: Collection[str]) -> str | None:
    """Of the first list that has elements: them, or a field of theirs, from `t`, under a name that no column has."""
    for one in columns:
        if one.kind is not Kind.LIST or not one.figures.elements:
            continue
        inner = one.column.type.removesuffix("[]")
        fields = field_names(inner) if inner.startswith("STRUCT(") else []
        label = next((label for label in _LABELS if label in fields), None)
        free = next((name for name in _ELEMENTS if name not in taken), None)
        if free and not inner.endswith("[]") and (label or not fields):
            element = f"{free}.{label}" if label else free
            return f"SELECT {element}, count(*) FROM t, unnest({one.name}) AS _({free})"
    return None


def _period(columns: Sequence[_Found]) -> str | None:
    """The month, or where they are few the day, of the first column of stamps."""
    for one in columns:
        if days := one.figures.days:
            text = one.name if one.kind is Kind.TEXT else f"CAST({one.name} AS VARCHAR)"
            return f"{text}[:10] AS day" if len(days) <= MAX_DAYS else f"{text}[:7] AS month"
    return None


def _prose(columns: Sequence[_Found]) -> str | None:
    """The first column of texts to look for words in."""
    found = (
        one
        for one in columns
        if one.kind is Kind.TEXT and (one.figures.longest or 0) >= MIN_PROSE_BYTES and not is_category(one.figures)
    )
    return next((one.name for one in found), None)


def _is_amount(found: _Found) -> bool:
    """Whether it is worth adding up, and the sum of so many stays within the digits that DuckDB has for it."""
    if found.figures.distinct == found.figures.rows and found.kind is Kind.INTEGER:
        return False
    if decimal_parts(found.column.type) is not None:
        return sum_fits(found.column.type, found.figures.rows)
    return found.column.type == "BIGINT" and _AMOUNT.search(found.column.name) is not None
