"""Render: rows of an answer as Markdown, CSV or JSON, whole rows within a bound of bytes.

Rule: a value is written exactly, a cell can never look like more than a cell, and every cut is counted. Imports `core.clip` and msgspec.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from millpond.core.arguments import Format
from millpond.core.clip import clip

EXACT_INTEGER = 1 << 53
"""Integers past this are strings in JSON: most readers hold numbers as doubles."""
EXACT_DIGITS = 15
"""Decimals of more significant digits are strings in JSON, for the same reason."""


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """The text of an answer and what was left out of it."""

    text: str
    rows: int
    cut_cells: int = 0


def render(
    names: Sequence[str], rows: Sequence[Sequence[Any]], form: Format, max_bytes: int, max_cell_bytes: int
) -> Rendered:
    """As many whole rows as fit `max_bytes`, each cell cut at `max_cell_bytes`."""
    cutter = _Cutter(max_cell_bytes)
    if form == "json":
        return _json(names, rows, max_bytes, cutter)
    head, line = (_markdown_head, _markdown_line) if form == "markdown" else (_csv_head, _csv_line)
    text = [head(names)]
    size = len(text[0].encode())
    for row in rows:
        before = cutter.count
        one = line(row, cutter)
        size += len(one.encode("utf-8", "surrogatepass")) + 1
        if size > max_bytes and len(text) > 1:
            return Rendered(text="\n".join(text), rows=len(text) - 1, cut_cells=before)
        text.append(one)
    return Rendered(text="\n".join(text), rows=len(text) - 1, cut_cells=cutter.count)


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


def _markdown_head(names: Sequence[str]) -> str:
    return "|".join(_escape(name) for name in names) + "\n" + "|".join("-" for _ in names)


def _markdown_line(row: Sequence[Any], cutter: _Cutter) -> str:
    return "|".join("NULL" if cell is None else _cell(cell, cutter) for cell in row)


def _cell(cell: Any, cutter: _Cutter) -> str:
    text = plain(cell)
    if isinstance(cell, str) and (text == "NULL" or not text or text != text.strip()):
        text = f'"{text}"'
    return _escape(cutter(text))


def _escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("|", "\\|") if "|" in text or "\\" in text else text
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char, f"\\u{ord(char):04x}" if ord(char) < 0x10000 else char)


def _csv_head(names: Sequence[str]) -> str:
    return ",".join(map(_csv_cell, names))


def _csv_line(row: Sequence[Any], cutter: _Cutter) -> str:
    return ",".join("" if cell is None else _csv_cell(cutter(plain(cell))) for cell in row)


def _csv_cell(text: str) -> str:
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


def _json(names: Sequence[str], rows: Sequence[Sequence[Any]], max_bytes: int, cutter: _Cutter) -> Rendered:
    unique = len(set(names)) == len(names)
    texts: list[bytes] = []
    size, cut = 2, 0
    for row in rows:
        cells = [_json_cell(cell, cutter) for cell in row]
        value = dict(zip(names, cells, strict=True)) if unique else cells
        text = msgspec.json.encode(value)
        size += len(text) + 1
        if size > max_bytes and texts:
            break
        texts.append(text)
        cut = cutter.count
    return Rendered(text="[" + b",".join(texts).decode() + "]", rows=len(texts), cut_cells=cut)


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
    return value if isinstance(value, bool) or -EXACT_INTEGER <= value <= EXACT_INTEGER else str(value)


def _exact_decimal(value: Decimal) -> Any:
    text = format(value, "f")
    digits = text.lstrip("-").replace(".", "").lstrip("0")
    return msgspec.Raw(text.encode()) if len(digits) <= EXACT_DIGITS else text


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
