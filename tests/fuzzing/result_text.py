"""The stages that read a result, without a database: which part is the data, its form, its rows, their types.

The first byte says where the bytes stand: they are the result itself, its `structuredContent`, or the text of its blocks, which a NUL
parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from fuzzing.target import JSON_WORDS, RESULTS, Members, Number, Target, as_json, deepest, read_json
from millpond.core import plan
from millpond.core.forms import Form, read_blocks, read_text
from millpond.core.relaxed import MAX_DEPTH, MAX_INTEGER_DIGITS
from millpond.core.rows import Layout, restore

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a result raises that is no JSON, or nested too deep."""
_escape = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_SPACE = "\ufeff \t\r\n"


def result_of(data: bytes) -> bytes:
    """The raw result that an input stands for."""
    kind, rest = data[:1], data[1:]
    if kind == b"s":
        return b'{"content":[],"structuredContent":' + rest + b"}"
    if kind == b"t":
        texts = rest.decode("utf-8", "surrogateescape").split("\0")
        return json.dumps({"content": [{"type": "text", "text": text} for text in texts]}).encode()
    return rest


def check(data: bytes) -> None:
    """A text becomes strict JSON that says the same; a result gives plans or one of the errors that are known."""
    if data[:1] == b"t":
        texts = data[1:].decode("utf-8", "surrogateescape").split("\0")
        _check_text(texts[0])
        msgspec.json.decode(read_blocks(texts).json, type=msgspec.Raw)
    result = result_of(data)
    try:
        reading = plan.read(result)
        if reading is None:
            return
        plans = plan.columns(reading)
    except UNREADABLE:
        plan.unread(result)
        return
    names = plan.names(reading, "list_rows", "k7q2xd", 3)
    assert len(set(names)) == len(names)
    tables = plan.tables(plans, names)
    plan.notes(reading, plans)
    for table in tables:
        folded = [column.name.lower() for column in table.columns]
        assert len(set(folded)) == len(folded)
        assert all(folded)
    if data[:1] == b"s":
        _check_rows(data[1:], reading)


def _check_text(text: str) -> None:
    found = read_text(text)
    msgspec.json.decode(found.json, type=msgspec.Raw)
    inside = text.strip(_SPACE)
    if inside[:1] not in ("[", "{") or deepest(inside) > MAX_DEPTH:
        return
    read = as_json(inside)
    if read is not None:
        assert found.form in (Form.JSON, Form.RELAXED_JSON), found.form
        assert _visible(_restored(found.json, found.markers)) == _visible(read[0])


def _check_rows(structured: bytes, reading: plan.Reading) -> None:
    """Where the data is a list of objects, the rows of the one set are the list's elements."""
    text = _decoded(structured)
    read = None if text is None else as_json(text)
    if read is None or not isinstance(read[0], list) or not read[0] or deepest(text or "") > MAX_DEPTH:
        return
    elements = cast("list[Any]", read[0])
    if all(isinstance(element, Members) for element in elements):
        (rows,) = reading.shape.row_sets
        assert (rows.path, rows.layout) == ("$", Layout.OBJECTS)
        assert [_visible(_restored(bytes(row), rows.markers)) for row in rows.rows] == [
            _visible(one) for one in elements
        ]


def _restored(strict: bytes, markers: Mapping[bytes, bytes]) -> Any:
    return read_json(restore(strict, markers).decode())


def _decoded(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _visible(value: Any) -> Any:
    """What the standard library read, as it is kept: lone surrogates by their escapes' characters, the longest integers as texts."""
    if isinstance(value, Number):
        digits = value.removeprefix("-")
        return str(value) if digits.isdigit() and len(digits) > MAX_INTEGER_DIGITS else value
    if isinstance(value, str):
        return _escape.sub(lambda found: found[0].lower(), value.encode("utf-8", "backslashreplace").decode())
    if isinstance(value, Members):
        return Members((_visible(name), _visible(member)) for name, member in value)
    if isinstance(value, list):
        return [_visible(one) for one in cast("list[Any]", value)]
    return value


def _texts_of(result: bytes) -> list[bytes]:
    """A result's text blocks, as inputs."""
    blocks: list[dict[str, Any]] = json.loads(result).get("content") or []
    texts = [str(block["text"]) for block in blocks if block.get("type") == "text"]
    return [b"t" + "\0".join(texts).encode("utf-8", "surrogateescape")] if texts else []


def _structured_of(result: bytes) -> list[bytes]:
    _, found, rest = result.partition(b'"structuredContent":')
    return [b"s" + rest.removesuffix(b"}")] if found else []


TARGET = Target(
    check=check,
    seeds=tuple(seed for one in RESULTS if len(one) < 3000 for seed in (b"r" + one, *_texts_of(one), *_structured_of(one))),
    words=(
        *JSON_WORDS, b"\n", b"\r\n", b"\t", b";", b"|", b"\n|---|---|\n", b"```json\n", b"\n```", b"'", b'""', b"True", b"None", b"b'", b"\\x41", b"(1,)",
        b"datetime.datetime(2026, 1, 2, 3)", b"Decimal('1.10')", b"id,name\n", b"007", b"\0", b'"columns":', b'"rows":', b'"content":[', b'"type":"text","text":"',
        b'"structuredContent":', b'"result":"', b"nan", b"inf", b"frozenset({", b"1_000", b"0x1f",
    ),
)  # fmt: skip
