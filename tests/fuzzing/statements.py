"""SQL of an agent: the functions that read statements as text, and a canvas that is asked them.

The bytes are the statement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from threading import Timer

import duckdb

from asking import Asking, reason, text
from fuzzing.target import Target
from millpond.core.dropping import dropped_name
from millpond.core.errors import Reason
from millpond.core.export import copied
from millpond.core.mending.faults import arguments_of, outline, split
from millpond.core.mending.instead import instead
from millpond.core.names import fold
from millpond.core.sql import explained, last_offset, summarized, table_column, with_offset, without_ends
from millpond.core.steps import LABEL
from wrong_calls import STATEMENTS, T, asked_canvas

LONGEST_SECONDS = 1.0
"""Then a statement is stopped, as at its deadline."""
QUESTIONS_OF_ONE_CANVAS = 2000
_BY_DATA = (Reason.EXECUTION_ERROR, Reason.TIMEOUT, Reason.OUT_OF_MEMORY)
"""What a statement that can be read may still run into."""
_SAID_AGAIN = (Reason.NOT_ONE_STATEMENT, Reason.BAD_ARGUMENT)
"""Where the statement is printed as it came, but for what was one too many in it."""
_REASONS = {reason.value for reason in Reason}


def _canvases() -> Iterator[Asking]:
    while True:
        with asked_canvas() as (ask, _):
            for _ in range(QUESTIONS_OF_ONE_CANVAS):
                yield ask


_opened = _canvases()


def check(data: bytes) -> None:
    """Nothing is raised; an answer comes, or an error whose step can be sent, and the canvas is what it was."""
    sql = data.decode("utf-8", "replace")
    check_text(sql)
    check_answer(sql)


def check_text(sql: str) -> None:
    """What is found in a statement is in it."""
    if (parts := explained(sql)) is not None:
        assert sql.endswith(parts.statement)
    rest = summarized(sql)
    assert rest is None or sql.endswith(rest)
    if (names := table_column(sql)) is not None:
        assert fold(names.table) in fold(sql).replace('""', '"')
    assert 0 <= last_offset(sql) < 10**18
    assert str(7) in with_offset(sql, 7)
    assert len(outline(sql)) == len(sql)
    assert "".join("".join(split(sql, ",")).split()) == "".join("".join(_parts(sql)).split())
    for read in (arguments_of, dropped_name, copied, instead):
        read(sql)
    words = (
        [(offset, kind == duckdb.token_type.comment) for offset, kind in duckdb.tokenize(sql)]
        if "\0" not in sql
        else []
    )
    assert all(0 <= offset <= len(sql.encode()) for offset, _ in words)
    assert without_ends(sql, words) in sql


def _parts(sql: str) -> list[str]:
    """The text without the commas that stand outside quotes and brackets."""
    marks = outline(sql)
    return ["" if mark == "," else char for char, mark in zip(sql, marks, strict=True)]


def check_answer(sql: str) -> None:
    """The statement as `query` answers it."""
    if dropped_name(sql) is not None:
        return
    ask = next(_opened)
    why, said = _asked(ask, json.dumps({"sql": sql}).encode())
    if why is None:
        return
    step = said.partition(LABEL)[2]
    if step and why not in _SAID_AGAIN and '"save_as":' not in step:
        then, _ = _asked(ask, step.encode() if step.startswith("{") else json.dumps({"sql": step}).encode())
        assert then in (None, *_BY_DATA), f"{why}, then {then}"


def _asked(ask: Asking, arguments: bytes) -> tuple[str | None, str]:
    """The reason and the text of an answer, which has written nothing."""
    before = ask.pond.sql("SELECT count(*), max(number) FROM calls")
    timer = Timer(LONGEST_SECONDS, ask.runner.stop, (1, "timeout"))
    timer.start()
    try:
        answer = json.loads(ask.runner.answer(1, arguments, "query"))
    finally:
        timer.cancel()
    why = reason(answer)
    assert why is None or why in _REASONS
    assert bool(answer.get("isError")) is (why is not None)
    assert ask.pond.sql("SELECT count(*), max(number) FROM calls") == before, "a statement wrote"
    return why, text(answer)


TARGET = Target(
    check=check,
    seeds=tuple(statement.encode() for group in STATEMENTS.values() for statement in group if len(statement) < 2000),
    words=(
        b"SELECT ", b" FROM ", b" WHERE ", b" GROUP BY ALL", b" ORDER BY ", b" LIMIT 1", b" OFFSET 2", b"EXPLAIN ", b"SUMMARIZE ", b"DESCRIBE ", b"PIVOT ",
        b"WITH x AS (", b"(", b")", b"[", b"]", b"{'a': 1}", b"'", b'"', b"$$", b"--", b"/*", b"*/", b";", b"::INT", b"CAST(", b"count(*)", b"unnest(", b"labels",
        b"title", b"state", b"user.login", b"amount", T.encode(), b"calls", b"results", b"?", b"$1", b"\\", b"\xe2\x80\x99", b"\xc3\xa9", b"`", b"COPY ", b"DROP TABLE ",
        b"json_each(", b"range(3)", b"OVER ()", b"QUALIFY ", b"HAVING ", b"UNION ", b"JOIN ", b"ON ", b"USING (", b"=", b"<>", b"LIKE ", b"IN (", b"BETWEEN ", b" AND ",
    ),
)  # fmt: skip
