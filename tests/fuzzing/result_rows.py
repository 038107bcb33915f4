"""A result all the way into a table and out again: rows, cells and the text that is kept.

The bytes stand where `result_text` says. Every result is replaced that can be, and is asked for with `query`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asking import Asking
from fuzzing import result_text
from fuzzing.target import Target, deepest
from millpond.core.model import Verdict
from millpond.core.relaxed import MAX_DEPTH
from millpond.core.values import is_list, is_object
from pond import canvas, handle
from written import check_rows, decode

CALLS_OF_ONE_CANVAS = 400
MAX_ROWS = 2000
_NOT_COMPARED = (b"NaN", b"Infinity", b"\\ud", b"\\uD")
"""What comes back as something else, by rules of its own."""


def _canvases() -> Iterator[Asking]:
    """A canvas for each input: the same one, until it has grown."""
    while True:
        with canvas(inline_rows_bytes=0, inline_text_bytes=0, max_answer_bytes=1 << 24, max_cell_bytes=1 << 22) as pond:
            asking = Asking(pond)
            for _ in range(CALLS_OF_ONE_CANVAS):
                yield asking


_opened = _canvases()


def check(data: bytes) -> None:
    """The result is stored or goes on as it came; every table answers, and a list of objects comes back."""
    ask, result = next(_opened), result_text.result_of(data)
    if not _is_utf8(result):  # A block that is kept as it came makes the whole body as unreadable as the result was.
        outcome = ask.pond.store.take(ask.pond.call("list_rows", "always"), memoryview(result), "query")
        assert outcome.verdict in (Verdict.KEEP, Verdict.REPLACE)
        return
    body = ask.pond.take(result, tool="list_rows", mode="always")
    if not body:
        return
    tables = handle(body)["tables"]
    answers = [ask(f"SELECT * FROM {table['name']}", format="json", max_rows=MAX_ROWS) for table in tables[:4]]
    assert not any(answer.get("isError") for answer in answers)
    for table, answer in zip(tables, answers, strict=False):
        assert answer["_meta"]["millpond/result"]["rows"] == min(table["rows"], MAX_ROWS)
    written = _objects(data[1:]) if data[:1] == b"s" else None
    if written is not None and len(written) <= MAX_ROWS:
        check_rows(tables[0], answers[0]["content"][0]["text"], written)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _objects(raw: bytes) -> list[Any] | None:
    """The objects of a list that is strict JSON; None for anything else."""
    if any(word in raw for word in _NOT_COMPARED):
        return None
    try:
        text = raw.decode()
        found = decode(text)
    except (ValueError, RecursionError):
        return None
    is_taken = is_list(found) and len(found) > 0 and all(map(is_object, found)) and deepest(text) < MAX_DEPTH
    return found if is_taken else None


TARGET = Target(check=check, seeds=result_text.TARGET.seeds, words=result_text.TARGET.words)
