"""Every message that an own tool can refuse with, in one file for the eye, and the law that what they print works.

    pytest tests/engine/test_error_messages.py --write-pins

writes `errors.md` anew. The messages that the sources can make are read from the sources, so that a new one without a call here fails.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asking import Asking, reason, text
from millpond.core import canvas as canvases
from millpond.core import export, saving
from millpond.core.argument_names import is_kept
from millpond.core.errors import Reason, Refusal
from millpond.core.mending import instead, reading, running
from millpond.core.replies import refusal_result
from millpond.core.steps import Step
from millpond.engine import exits, messages
from pond import Canvas, canvas
from wrong_calls import ISSUES, T, U, arguments_of, asked_canvas, calls, step_of

SOURCES = Path(exits.__file__).parent.parent
GOLDEN = Path(__file__).parent / "errors.md"
CALLS = calls()
PROCESS: dict[str, Callable[[], Refusal]] = {
    "the deadline passed before it began": lambda: exits.not_reached(10),
    "the process ended under it": exits.restarted,
    "the process ended for its size": exits.grew_too_large,
    "an allocation failed": exits.out_of_memory,
    "the query side raised": lambda: exits.failed("KeyError"),
    "the canvas's file is gone": exits.lost,
    "no process comes up": exits.unavailable,
    "a guest's DROP TABLE": lambda: canvases.no_guest("nothing is dropped there"),
    "a kept answer larger than the canvas": lambda: saving.too_large(2 << 30, 1 << 30),
    "a kept answer that would push out what it reads": lambda: saving.no_room(1 << 20, [T]),
}
"""What is said when it is not the call's fault; that these come when they should is proved with the link, the store and `save_as`."""
NOTES = {
    "saved_notes", "_behind", "why", "stop", "exported_text", "exported_notes", "renamed_note", "renamed_notes", "_listed", "dropped_note",
    "fullness_note", "gone_note", "begun_anew",
}  # fmt: skip
"""Functions whose sentences stand under an answer, in a note or in the log."""
COPIED = Step(f"FROM {T}", {"export": "busy.csv"})
FILES: dict[str, Callable[[], Refusal | None]] = {
    "no folder is configured": export.turned_off,
    "EXPLAIN": export.no_rows_to_write,
    "beside save_as": lambda: export.beside_save_as("busy.csv", "busy"),
    "the file is there": lambda: export.file_taken("busy.csv", lambda _: False),
    "too large": lambda: export.file_too_large(1 << 30),
    "not written": lambda: export.not_written("the disk is full"),
    "COPY": lambda: export.copy_refused(COPIED, COPIED.text),
    "COPY of much": lambda: export.copy_refused(COPIED, ""),
    **{
        f"export {name[:20]!r}": partial(export.name_fault, name)
        for name in (
            "",
            "a/b.csv",
            ".csv",
            "a:b.csv",
            "a\tb.csv",
            "a?.csv",
            " a.csv",
            "con.csv",
            "x" * 300 + ".csv",
            "a.txt",
        )
    },
}
"""What is said of files; when is proved with `export`."""
UNMADE = (
    "The statement reads a table outside this canvas.", "which is no part of this canvas", "is not known to be a read",
    "The engine's", "could not be read. Give it once.", "Call the tool again for its rows",
    "The statement would reach outside this canvas", "did not fit the engine's memory", "the plan holds", "an unknown source",
    "could not be carried over", "no name of a file for exchange", "What the other canvas gave", "No results have come yet",
)  # fmt: skip
"""Sentences of layers that an earlier layer keeps from being reached, of a table that cannot be made, of files that pass between two
canvases and are gone, and of the page."""


@pytest.fixture(scope="module")
def asked() -> Generator[tuple[Asking, Canvas]]:
    with asked_canvas() as both:
        yield both


@pytest.fixture(scope="module")
def refused(asked: tuple[Asking, Canvas]) -> dict[str, dict[str, dict[str, Any]]]:
    """Every refusal, by what is wrong and by what was asked."""
    _, pond = asked
    found = {kind: {shown: answered(pond, raw) for shown, raw in entries} for kind, entries in CALLS.items()}
    with canvas() as empty:
        found["an empty canvas"] = {"FROM zebra": Asking(empty)("FROM zebra")}
    found["stopped"] = {why: stopped(pond, why) for why in ("timeout", "cancelled")}
    found["files"] = {name: json.loads(refusal_result(made)) for name, make in FILES.items() if (made := make())}
    found["the engine's process"] = {name: json.loads(refusal_result(make())) for name, make in PROCESS.items()}
    return found


def answered(pond: Canvas, raw: bytes) -> dict[str, Any]:
    """The answer to raw arguments, numbered where it is to be kept, as the relay does."""
    return json.loads(pond.runner.answer(1, raw, "query", pond.call("query") if is_kept(raw) else None))


def stopped(pond: Canvas, why: Literal["timeout", "cancelled"]) -> dict[str, Any]:
    """What a query is told that is stopped while its tables are made."""
    make = pond.store.make

    def stop_then_make(names: frozenset[str], connection: Any) -> None:
        make(names, connection)
        pond.runner.stop(1, why)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pond.store, "make", stop_then_make)
        return answered(pond, b'{"sql": "SELECT count(*) FROM calls"}')


def test_every_message_stands_in_the_golden_file(
    refused: dict[str, dict[str, dict[str, Any]]], pytestconfig: pytest.Config
) -> None:
    """QUERY-05"""
    assert [shown for entries in refused.values() for shown, answer in entries.items() if not answer["isError"]] == []
    lines = ["# What an own tool refuses with", ""]
    for kind, entries in refused.items():
        lines += [f"## {kind}", ""]
        for asked, answer in entries.items():
            shown = asked if len(asked) <= 200 else f"{asked[:60]} ... {len(asked)} characters"
            lines += [
                f"> {shown}",
                f"**{reason(answer)}**",
                "",
                *(f"    {line}" for line in text(answer).split("\n")),
                "",
            ]
    if pytestconfig.getoption("--write-pins"):
        GOLDEN.write_text("\n".join(lines))
    assert "\n".join(lines) == GOLDEN.read_text(), (
        "if it is wanted: pytest tests/engine/test_error_messages.py --write-pins"
    )


def all_messages(refused: dict[str, dict[str, dict[str, Any]]]) -> list[str]:
    return [text(answer) for entries in refused.values() for answer in entries.values()]


def test_every_reason_has_its_message(refused: dict[str, dict[str, dict[str, Any]]]) -> None:
    """QUERY-05"""
    sources = "\n".join(path.read_text() for path in SOURCES.rglob("*.py"))
    given = {reason(answer) for entries in refused.values() for answer in entries.values()}
    assert given == {one for one in Reason if f"Reason.{one.name}" in sources}


def templates() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Each sentence of the modules that refuse an agent, where it stands and as a pattern; those of the page are for people."""
    for path in sorted(SOURCES.rglob("*.py")):
        source = path.read_text()
        if "Refusal(" not in source or path.name == "errors.py" or path.parent.name == "viewer":
            continue
        yield from _templates(path.name, ast.parse(source))


def _templates(where: str, node: ast.AST) -> Iterator[tuple[str, re.Pattern[str]]]:
    for child in ast.iter_child_nodes(node):
        if _is_no_sentence(child):
            continue
        if isinstance(child, (ast.JoinedStr, ast.Constant)):
            parts = child.values if isinstance(child, ast.JoinedStr) else [child]
            texts = [str(part.value) if isinstance(part, ast.Constant) else "\0" for part in parts]
            if re.search(r"[a-z`,']+ [a-z`]+ [a-z`]+", "".join(texts)):
                yield f"{where}:{child.lineno}", re.compile(re.escape("".join(texts)).replace("\0", ".*?"), re.DOTALL)
            continue
        yield from _templates(where, child)


def _is_no_sentence(node: ast.AST) -> bool:
    """Docstrings, patterns and what is compared with; and the functions of `NOTES`."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("re.compile", "frozenset")
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or isinstance(node, ast.Compare) or (isinstance(node, ast.FunctionDef) and node.name in NOTES)


def test_every_sentence_of_the_sources_is_in_a_message(refused: dict[str, dict[str, dict[str, Any]]]) -> None:
    """QUERY-05"""
    said = all_messages(refused)
    missing = [(where, found.pattern) for where, found in templates() if not any(map(found.search, said))]
    assert [
        (where, pattern)
        for where, pattern in missing
        if not any(one in re.sub(r"\\(.)", r"\1", pattern) for one in UNMADE)
    ] == []


RARE = ("Could not add BIGNUM", "(?:STDDEV")
"""Beginnings of shapes for which it takes values of millions of digits, or another machine's floating point."""


def test_every_shape_of_duckdbs_that_is_repeated_is_in_a_message(
    refused: dict[str, dict[str, dict[str, Any]]],
) -> None:
    """QUERY-10"""
    heads = [message.partition("\n")[0] for message in all_messages(refused)]
    missing = [shape.pattern for shape in messages.SHAPES if not any(map(shape.fullmatch, heads))]
    assert [pattern for pattern in missing if not pattern.startswith(RARE)] == []


def test_every_kind_of_mending_is_in_a_message(refused: dict[str, dict[str, dict[str, Any]]]) -> None:
    """QUERY-18"""
    said = all_messages(refused)
    patterns = [*(pattern for pattern, _ in reading.ROWS), *(re.compile(pattern) for pattern, _ in running.ROWS)]
    assert [one.pattern for one in patterns if not any(map(one.search, said))] == []
    sent = [shown for entries in CALLS.values() for shown, _ in entries]
    assert [one.pattern for one, _ in instead.ROWS if not any(map(one.fullmatch, sent))] == []


# --- the law --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CALLS)
def test_what_a_message_prints_works(kind: str, refused: dict[str, dict[str, dict[str, Any]]]) -> None:
    """QUERY-18"""
    with asked_canvas() as (_, pond):  # One of its own: what is followed keeps answers and drops tables.
        failed = [said for shown, raw in CALLS[kind] if (said := unfollowed(pond, shown, raw, refused[kind][shown]))]
    assert not failed, "\n\n".join(failed)


def unfollowed(pond: Canvas, shown: str, raw: bytes, answer: dict[str, Any]) -> str:
    """What was asked and said where following a refusal does not end in rows; "" where it does."""
    said = [text(answer)]
    sent = followed(said[0], raw)
    assert sent or re.search(ELSEWHERE, said[0]), said[0]
    while sent is not None:
        answer = answered(pond, sent)
        if reason(answer) is None:
            return ""
        if text(answer) in said:
            break
        said.append(text(answer))
        sent = followed(said[-1], sent)
    return "\n".join([shown, *said]) if len(said) > 1 else ""


ELSEWHERE = r"Call \w+ again|Split it|extensions are not loaded|as in x >"
"""In messages that say to do something else than to send a statement."""


def followed(message: str, raw: bytes) -> bytes | None:
    """The arguments that an agent sends who does what the message says; None where it says to do something else."""
    step = step_of(message)
    if step is not None:
        return arguments_of(step)
    if found := re.search(r"such as (\w+)\.$", message):
        return json.dumps({**json.loads(raw), "save_as": found[1]}).encode()
    if found := re.search(r"Leave `(\w+)` out", message):
        return json.dumps({key: value for key, value in json.loads(raw).items() if key != found[1]}).encode()
    return None


NAMES = {"table": (T, U, "calls", "totals"), "column": tuple(ISSUES[0]), "function": ("count", "median", "date_trunc", "regexp_matches", "string_agg")}  # fmt: skip
SHAPES = {
    "table": ("SELECT count(*) FROM {}", "DESCRIBE {}", "SELECT t.* FROM {} AS t LIMIT 1", "WITH a AS (FROM {}) FROM a LIMIT 1"),
    "column": (f"SELECT {{}} FROM {T}", f"SELECT count(*) FROM {T} WHERE {{}} IS NULL", f"SELECT t.{{}} FROM {T} t ORDER BY ALL LIMIT 1", f"SELECT {{}}, count(*) FROM {T} GROUP BY ALL"),
    "function": (f"SELECT {{}}(amount) FROM {T}", f"SELECT {{}}(state, 'x') FROM {T}", f"SELECT {{}}(state) OVER () FROM {T}"),
}  # fmt: skip


@st.composite
def slips(draw: st.DrawFn) -> str:
    """A statement in which a name is written with a slip: letters lost, doubled, swapped, in another case or in quotes."""
    kind = draw(st.sampled_from(sorted(NAMES)))
    name = draw(st.sampled_from(NAMES[kind]))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(name) - 1))
        slip = draw(st.sampled_from(["lost", "doubled", "swapped", "other", "case", "joined"]))
        changed = {
            "lost": name[:at] + name[at + 1 :],
            "doubled": name[:at] + name[at] + name[at:],
            "swapped": name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
            "other": name[:at] + "x" + name[at + 1 :],
            "case": name.upper(),
            "joined": name.replace("_", "", 1),
        }[slip]
        name = changed if re.fullmatch(r"[A-Za-z_]\w*", changed) else name
    quoted = f'"{name}"' if kind != "function" and draw(st.booleans()) else name
    return draw(st.sampled_from(SHAPES[kind])).format(quoted)


@given(slips())
@example(f"SELECT or FROM {T}")
def test_after_a_slip_what_is_printed_is_not_met_with_the_same_error(asked: tuple[Asking, Canvas], sql: str) -> None:
    """QUERY-18"""
    ask, _ = asked
    answer = ask(sql)
    if reason(answer) is None:
        return
    step = step_of(text(answer))
    if step is None:
        assert re.search(r"Call \w+ again", text(answer)), text(answer)
        return
    again = ask.raw(arguments_of(step).decode())
    assert reason(again) is None or (reason(again), text(again)) != (reason(answer), text(answer))
    assert reason(again) in (None, "execution_error"), (text(answer), text(again))


WORDS = ["SELECT", "FROM", T, "WHERE", "(", ")", "*", ",", "'", '"', ";", "id", "state", "GROUP BY", "count(*)", "LIMIT", "=", "1", "x.", "user", "labels", "::INT", "labls"]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
@example(f"SELECT x FROM {T} WHERE labels.name = 'a' ; SELECT")
def test_whatever_was_asked_what_is_printed_works(asked: tuple[Asking, Canvas], sql: str) -> None:
    """QUERY-18"""
    ask, _ = asked
    answer = ask(sql)
    step = step_of(text(answer)) if reason(answer) else None
    if step is not None:
        again = ask.raw(arguments_of(step).decode())
        assert reason(again) in (None, "execution_error"), (text(answer), text(again))
