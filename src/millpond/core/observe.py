"""What the values of a column are: kinds, ranges and digits, gathered from all of them, a chunk at a time.

Rule: nothing is sampled and nothing is decided here; `core.infer` chooses the type. Imports `core.numbers`, `core.oddities` and
`core.values`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain, repeat
from typing import Any

from millpond.core.numbers import DOUBLE_DIGITS, DOUBLE_INTEGERS
from millpond.core.oddities import STAMP
from millpond.core.values import is_list, is_object

MAX_FIELDS = 64
"""Keys that nested objects may have between them to be one STRUCT; more are a map in disguise and stay JSON."""
BEYOND_ANY_TYPE = 10**9
"""Digits of a number that no type holds."""

_STAMP = re.compile(STAMP)


class Lexeme(str):
    """A number with a fraction or an exponent, as it was written."""

    __slots__ = ()


class Observed:
    """The values seen at one place: a column, a field of its objects, the elements of its lists."""

    __slots__ = (
        "booleans", "elements", "exponents", "fields", "fraction_digits", "fractions", "high", "integers",
        "integers_survive", "lists", "long_fraction", "low", "members", "nonfinite", "nulls", "numbers_survive",
        "objects", "stamps", "strings", "too_wide", "top", "whole_digits",
    )  # fmt: skip

    def __init__(self, *, top: bool = False) -> None:
        self.top = top
        """True for the rows themselves: their keys become columns, however many."""
        self.nulls = 0
        self.booleans = 0
        self.integers = 0
        self.low: int | None = None
        self.high: int | None = None
        self.integers_survive = True
        self.fractions = 0
        self.whole_digits = 0
        self.fraction_digits = 0
        self.long_fraction = False
        self.numbers_survive = True
        self.nonfinite = 0
        self.exponents = False
        """Some number is written with an exponent: DuckDB reads such a one into a DECIMAL as NULL (contract test)."""
        self.strings = 0
        self.stamps = True
        self.lists = 0
        self.elements: Observed | None = None
        self.objects = 0
        self.fields: dict[str, Observed] = {}
        self.too_wide = False
        self.members = 0
        """Members of all objects at and below this place: what a document without duplicate keys has in its text."""

    def add(self, values: Sequence[Any], markers: Collection[str]) -> None:
        """Take a chunk of values, decoded with fractions as `Lexeme`.

        `markers` are the lexemes that stand for numbers JSON cannot write (`core.rows.RowSet.markers`).
        """
        kinds = set(map(type, values))
        for kind in kinds:
            part = values if len(kinds) == 1 else [value for value in values if type(value) is kind]
            if kind is Lexeme:
                self._add_fractions(part, markers)
            elif kind is list:
                self.lists += len(part)
                if self.elements is None:
                    self.elements = Observed()
                self.elements.add(list(chain.from_iterable(part)), markers)
            elif kind is dict:
                self._add_objects(part, markers)
            else:
                _ADD[kind](self, part)

    def present(self) -> int:
        """Values that are not null."""
        return self.booleans + self.integers + self.fractions + self.strings + self.lists + self.objects

    def has_exponents(self) -> bool:
        """True where some number at or below this place is written with an exponent."""
        return (
            self.exponents
            or (self.elements is not None and self.elements.has_exponents())
            or any(field.has_exponents() for field in self.fields.values())
        )

    def total_members(self) -> int:
        """Members of all objects at and below this place."""
        below = sum(field.total_members() for field in self.fields.values())
        return self.members + below + (self.elements.total_members() if self.elements else 0)

    def _add_nulls(self, part: Sequence[None]) -> None:
        self.nulls += len(part)

    def _add_booleans(self, part: Sequence[bool]) -> None:
        self.booleans += len(part)

    def _add_integers(self, part: Sequence[int]) -> None:
        self.integers += len(part)
        low, high = min(part), max(part)
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        if self.integers_survive and (low < -DOUBLE_INTEGERS or high > DOUBLE_INTEGERS):
            self.integers_survive = all(map(_integer_survives, part))

    def _add_strings(self, part: Sequence[str]) -> None:
        self.strings += len(part)
        if self.stamps:
            self.stamps = _STAMP.fullmatch(part[0]) is not None and all(map(_STAMP.fullmatch, part))

    def _add_fractions(self, part: Sequence[Lexeme], markers: Collection[str]) -> None:
        self.fractions += len(part)
        wholes, _, fractions = zip(*map(str.partition, part, repeat(".")), strict=True)
        if "".join(fractions).isdigit() and "" not in fractions:
            self._add_plain(part, wholes, fractions)
            return
        plain: list[Lexeme] = []
        for lexeme, fraction in zip(part, fractions, strict=True):
            if fraction.isdigit():
                plain.append(lexeme)
            else:  # no fraction, or an exponent behind it
                self._add_exponent(lexeme, markers)
        if plain:
            self._add_plain(plain, *list(zip(*map(str.partition, plain, repeat(".")), strict=True))[::2])

    def _add_plain(self, part: Sequence[Lexeme], wholes: Sequence[str], fractions: Sequence[str]) -> None:
        """Numbers written with a fraction and no exponent, beside what stands before and behind their points."""
        whole_digits = max(map(len, {whole.lstrip("-") for whole in wholes} - {"0"}), default=0)
        fraction_digits = max(map(len, fractions))
        self.whole_digits = max(self.whole_digits, whole_digits)
        self.fraction_digits = max(self.fraction_digits, fraction_digits)
        if whole_digits + fraction_digits > DOUBLE_DIGITS:
            for lexeme in part:
                if len(lexeme) > DOUBLE_DIGITS:
                    self._add_long_fraction(lexeme)

    def _add_exponent(self, lexeme: Lexeme, markers: Collection[str]) -> None:
        """A number written with an exponent: `1e2`, `1.5E-7`."""
        if lexeme in markers:
            self.nonfinite += 1
            return
        self.exponents = True
        try:
            value = Decimal(lexeme)
        except InvalidOperation:  # an exponent of twenty digits
            self.whole_digits, self.numbers_survive = BEYOND_ANY_TYPE, False
            return
        if value:
            _, digits, exponent = value.as_tuple()
            assert isinstance(exponent, int)  # a lexeme is finite
            self.whole_digits = max(self.whole_digits, len(digits) + exponent)
            self.fraction_digits = max(self.fraction_digits, -exponent)
            self._add_long_decimal(value)

    def _add_long_fraction(self, lexeme: Lexeme) -> None:
        if self.long_fraction and not self.numbers_survive:
            return
        if repr(float(lexeme)) == lexeme:
            significant = len(lexeme.lstrip("-0.").replace(".", "").rstrip("0"))
            self.long_fraction = self.long_fraction or significant > DOUBLE_DIGITS
        else:
            self._add_long_decimal(Decimal(lexeme))

    def _add_long_decimal(self, value: Decimal) -> None:
        _, digits, exponent = value.as_tuple()
        assert isinstance(exponent, int)
        significant = len(digits)
        while significant > 1 and digits[significant - 1] == 0:
            significant -= 1
        if exponent < 0 and significant > DOUBLE_DIGITS:
            self.long_fraction = True
        if self.numbers_survive:
            self.numbers_survive = Decimal(repr(float(value))) == value

    def _add_objects(self, part: Sequence[dict[str, Any]], markers: Collection[str]) -> None:
        self.objects += len(part)
        self.members += sum(map(len, part))
        if self.too_wide:
            self.members += sum(map(_members_below, part))
            return
        shapes = set(map(tuple, part))
        if not self.top and len(self.fields.keys() | set(chain.from_iterable(shapes))) > MAX_FIELDS:
            self.members += sum(map(_members_below, part)) + sum(f.total_members() for f in self.fields.values())
            self.too_wide = True
            self.fields.clear()
            return
        for key, values in _columns(part, shapes):
            field = self.fields.get(key)
            if field is None:
                field = self.fields[key] = Observed()
            field.add(values, markers)


_ADD: dict[type, Callable[[Observed, Sequence[Any]], None]] = {
    type(None): Observed._add_nulls,  # pyright: ignore[reportPrivateUsage]  # the class's own table, read once a kind
    bool: Observed._add_booleans,  # pyright: ignore[reportPrivateUsage]
    int: Observed._add_integers,  # pyright: ignore[reportPrivateUsage]
    str: Observed._add_strings,  # pyright: ignore[reportPrivateUsage]
}


def _columns(rows: Sequence[dict[str, Any]], shapes: set[tuple[str, ...]]) -> Iterable[tuple[str, Sequence[Any]]]:
    """The values of each key; a missing one is None. Rows of one shape, the usual case, are turned at C speed."""
    if len(shapes) == 1:
        (keys,) = shapes
        columns_at_once: Iterable[tuple[Any, ...]] = zip(*map(dict[str, Any].values, rows), strict=True)
        return zip(keys, columns_at_once, strict=True)
    every = dict.fromkeys(chain.from_iterable(rows))
    cells = sum(map(len, rows))
    if 2 * cells >= len(rows) * len(every):
        return ((key, [row.get(key) for row in rows]) for key in every)
    columns: dict[str, list[Any]] = {key: [] for key in every}
    for row in rows:
        for key, value in row.items():
            columns[key].append(value)
    return columns.items()


def _members_below(value: Any) -> int:
    """Members of the objects inside an object or a list, its own not counted."""
    count, stack = 0, [value]
    while stack:
        item = stack.pop()
        for child in item.values() if is_object(item) else item:
            if is_object(child):
                count += len(child)
                stack.append(child)
            elif is_list(child):
                stack.append(child)
    return count


def _integer_survives(value: int) -> bool:
    """True where the double's shortest text, which is what an answer shows, is this integer."""
    try:
        return Decimal(repr(float(value))) == value
    except OverflowError:
        return False
