"""Render: rows of an answer as Markdown, CSV or JSON, whole rows within a bound of bytes.

Rule: a value is written exactly, a cell can never look like more than a cell, and every cut is counted. Imports `core.arguments`,
`core.clip`, `core.numbers` and msgspec.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from millpond.core.arguments import Format
from millpond.core.clip import clip
from millpond.core.numbers import DOUBLE_DIGITS, DOUBLE_INTEGERS

LEAST_CELL_BYTES = 16
"""However many columns there are, a cell keeps this much."""


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """The text of an answer and what was left out of it."""

    text: str
    rows: int
    cell_bytes: int
    """Where the cells were cut; less than asked where not even one row fitted."""
    cut_cells: int = 0
    cut_names: int = 0


def render(
    names: Sequence[str], rows: Sequence[Sequence[Any]], form: Format, max_bytes: int, max_cell_bytes: int
) -> Rendered:
    """As many whole rows as fit `max_bytes`, and one at least; each cell and each name is cut at `max_cell_bytes`.

    Where one row is too large, its cells are cut shorter until it fits, down to `LEAST_CELL_BYTES`.
    """
    cell_bytes = max_cell_bytes
    while True:
        rendered = _render(names, rows, form, max_bytes, cell_bytes)
        if rendered.rows > 1 or cell_bytes <= LEAST_CELL_BYTES or size_bytes(rendered.text) <= max_bytes:
            return rendered
        cell_bytes //= 2


def _render(names: Sequence[str], rows: Sequence[Sequence[Any]], form: Format, max_bytes: int, cell: int) -> Rendered:
    cutter = _Cutter(cell)
    heads = [cutter(name) for name in names]
    cut_names, cutter.count = cutter.count, 0
    write = _WRITERS[form](heads)
    lines: list[str] = []
    size, cut_cells = size_bytes(write.head), 0
    for row in rows:
        line = write.line(row, cutter)
        size += size_bytes(line) + 1
        if size > max_bytes and lines:
            break
        lines.append(line)
        cut_cells = cutter.count
    text = write.head + write.between.join(lines) + write.tail
    return Rendered(text=text, rows=len(lines), cell_bytes=cell, cut_cells=cut_cells, cut_names=cut_names)


def size_bytes(text: str) -> int:
    """The bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class _Writer(msgspec.Struct, frozen=True):
    """How a form is put together: the head, then the lines."""

    head: str
    line: Callable[[Sequence[Any], _Cutter], str]
    between: str = ""
    tail: str = ""


class _Cutter:
    """Cuts cells and counts what it cut."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self.count = 0

    def __call__(self, text: str) -> str:
        clipped = clip(text, self._max_bytes)
        if not clipped.left_out_bytes:
            return text
        self.count += 1
        return clipped.text + "…"


# --- Markdown and CSV -----------------------------------------------------------------------------------------------


def _markdown(names: Sequence[str]) -> _Writer:
    return _Writer("|".join(map(escaped, names)) + "\n" + "|".join("-" for _ in names), _markdown_line)


def _markdown_line(row: Sequence[Any], cutter: _Cutter) -> str:
    return "\n" + "|".join("NULL" if cell is None else _cell(cell, cutter) for cell in row)


def _cell(cell: Any, cutter: _Cutter) -> str:
    text = cutter(plain(cell))
    return escaped(f'"{text}"' if isinstance(cell, str) and _needs_quotes(text) else text)


def _needs_quotes(text: str) -> bool:
    """True where the bare text would be read as NULL, as nothing, without its ends, or as another text in quotes."""
    while len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return text in ("", "NULL") or text != text.strip()


def escaped(text: str) -> str:
    """A text that stays within its cell, with every character to be seen; it can be read back."""
    text = text.replace("\\", "\\\\").replace("|", "\\|") if "|" in text or "\\" in text else text
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    code = f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char, code)


def _csv(names: Sequence[str]) -> _Writer:
    return _Writer(",".join(map(csv_cell, names)), _csv_line)


def _csv_line(row: Sequence[Any], cutter: _Cutter) -> str:
    return "\n" + ",".join("" if cell is None else csv_cell(cutter(plain(cell))) for cell in row)


def csv_cell(text: str) -> str:
    """A field of RFC 4180; an empty text is quoted, so that it is not taken for NULL."""
    if text and text == text.strip() and not any(char in text for char in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def plain(value: Any) -> str:
    """A value's own text: what DuckDB prints, JSON for nested values."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, int):
        return str(value)
    return msgspec.json.encode(exact_json(value)).decode()


def _float_text(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


# --- JSON -----------------------------------------------------------------------------------------------------------


def _json(names: Sequence[str]) -> _Writer:
    unique = len(set(names)) == len(names)

    def line(row: Sequence[Any], cutter: _Cutter) -> str:
        cells = [_json_cell(cell, cutter) for cell in row]
        return msgspec.json.encode(dict(zip(names, cells, strict=True)) if unique else cells).decode()

    return _Writer("[", line, ",", "]")


def _json_cell(value: Any, cutter: _Cutter) -> Any:
    if isinstance(value, str):
        return cutter(value)
    if not isinstance(value, (list, dict)):
        return exact_json(value)
    before = cutter.count
    exact = exact_json(value)  # pyright: ignore[reportUnknownArgumentType]  # a cell: any nested value
    text = cutter(msgspec.json.encode(exact).decode())
    return exact if cutter.count == before else text


def exact_json(value: Any) -> Any:
    """A value that JSON holds exactly, numbers as lexemes, those that readers would round as strings."""
    for kind, write in _EXACT:
        if isinstance(value, kind):
            return write(value)
    return value


def _exact_integer(value: int) -> Any:
    """Most readers hold numbers as doubles: what those would round is a string."""
    return value if isinstance(value, bool) or -DOUBLE_INTEGERS <= value <= DOUBLE_INTEGERS else str(value)


def _exact_decimal(value: Decimal) -> Any:
    text = format(value, "f")
    digits = text.lstrip("-").replace(".", "").lstrip("0")
    return msgspec.Raw(text.encode()) if len(digits) <= DOUBLE_DIGITS else text


def _exact_float(value: float) -> Any:
    return msgspec.Raw(repr(value).encode()) if math.isfinite(value) else _float_text(value)


def _exact_object(value: dict[Any, Any]) -> Any:
    return {key if isinstance(key, str) else plain(key): exact_json(item) for key, item in value.items()}


def _exact_list(value: Any) -> Any:
    return [exact_json(item) for item in value]


_EXACT: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (int, _exact_integer),
    (Decimal, _exact_decimal),
    (float, _exact_float),
    (dict, _exact_object),
    ((list, tuple), _exact_list),
)
_WRITERS: dict[Format, Callable[[Sequence[str]], _Writer]] = {"markdown": _markdown, "csv": _csv, "json": _json}
