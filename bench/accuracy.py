"""Which questions about real results are answered right: by SQL through Millpond, and from what is left where a client cuts?

    python bench/accuracy.py [--quick]      all questions, quick or not; each that SQL answers wrongly is noted

17 results of 18 files that npm has (installed once into the cache of the tests), and questions with answers computed in plain Python
on exact numbers. Through Millpond each is asked as the SQL beside it; a number counts where it is the same, one that DuckDB computes
in DOUBLE (a mean) where it is the same to 12 digits. For each client that cuts results the same Python answers on the records that are
whole in what is left: where that differs from the true answer, no reader can get it right but by chance.

No model is asked, and none is claimed. Its bias: the SQL is written by whoever wrote the questions, and a model may write it wrongly;
on the other side a reader who sees all records is taken never to miscount.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from lib.cuts import CUTS, cut_by
from lib.sheet import Sheet, run

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from installed import npm_packages
from questions.asked import Question
from questions.sources import FILES, source
from questions.tables import QUESTIONS as TABLES
from questions.vega import QUESTIONS as VEGA
from questions.world import QUESTIONS as WORLD
from relay_client import MILLPOND, Client

QUESTIONS: Sequence[Question] = (*VEGA, *WORLD, *TABLES)
DIGITS = Fraction(1, 10**12)
"""The relative error that a figure in DOUBLE may have."""


def measure(sheet: Sheet) -> None:
    """The questions answered right, by result: through Millpond, and from what each client leaves."""
    try:
        npm_packages()
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        sheet.note("not measured", f"the data sets come from npm: {str(error).strip().splitlines()[-1][:200]}")
        return
    answers = asked_through_millpond()
    is_right = {"millpond": [same(one, got) for one, got in zip(QUESTIONS, answers, strict=True)]}
    for client, cut in CUTS.items():
        kept = {name: source(name).seen(cut(source(name).text)) for name in FILES}
        is_right[cut_by(client)] = [same(one, read(one, kept)) for one in QUESTIONS]
    for one, got, right in zip(QUESTIONS, answers, is_right["millpond"], strict=True):
        if not right:
            sheet.note(one.text, f"{one.sql}: came {str(got)[:300]}, true {str(truth(one))[:300]}")
    for group in (*dict.fromkeys(map(group_of, QUESTIONS)), "traps", "all"):
        picked = [at for at, one in enumerate(QUESTIONS) if belongs(one, group)]
        sheet.add(f"{group}/questions", "count", [len(picked)], "higher")
        for who, right in is_right.items():
            sheet.add(f"{group}/{who}", "count", [sum(right[at] for at in picked)], "higher")


def group_of(one: Question) -> str:
    """The line of the table that a question stands in."""
    return one.of[0] if len(one.of) == 1 else "two or three joined"


def belongs(one: Question, group: str) -> bool:
    """Whether a question counts in a line of the table."""
    if group in ("all", "traps"):
        return group == "all" or bool(one.trap)
    return group_of(one) == group


# --- the true answer, and others against it -------------------------------------------------------------------------


def truth(one: Question) -> Any:
    """The answer from every record."""
    return one.answer(*(source(name).rows for name in one.of))


def read(one: Question, rows: dict[str, Any]) -> Any:
    """The answer from these records; what cannot be computed of them (the largest of none) is no answer."""
    try:
        return one.answer(*(rows[name] for name in one.of))
    except (ValueError, ZeroDivisionError, IndexError, KeyError, StopIteration):
        return None


def same(one: Question, got: Any) -> bool:
    """Whether an answer is the true one."""
    return flat(got) is not None and equal(flat(truth(one)), flat(got))


def flat(answer: Any) -> list[Any] | None:
    """An answer as the values of its rows, in order."""
    if answer is None:
        return None
    rows = answer if isinstance(answer, list) else [answer]
    return [value for row in rows for value in (row if isinstance(row, (list, tuple)) else [row])]


def equal(true: list[Any] | None, got: list[Any] | None) -> bool:
    """Whether values are the same, one by one; numbers that are written as text are numbers where the true one is."""
    if true is None or got is None or len(true) != len(got):
        return False
    return all(_equal(one, other) for one, other in zip(true, got, strict=True))


def _equal(true: Any, got: Any) -> bool:
    if isinstance(true, (int, Fraction)) and not isinstance(true, bool):
        try:
            number = Fraction(got)
        except (TypeError, ValueError):
            return False
        return abs(number - true) <= DIGITS * abs(true)
    return true == got


# --- Millpond -----------------------------------------------------------------------------------------------------------


def asked_through_millpond() -> list[Any]:
    """The answer to each question, from one session in which each tool was called once."""
    with Client([*MILLPOND, sys.executable, __file__, "server"]) as client:
        client.open()
        tables: dict[str, str] = {}
        for name in FILES:
            handle = client.ask("tools/call", {"name": name, "arguments": {}})["result"]["_meta"]["millpond/handle"]
            tables[name] = handle["tables"][0]["name"]
        return [_asked(client, one.sql.format(**tables)) for one in QUESTIONS]


def _asked(client: Client, sql: str) -> Any:
    arguments = {"sql": sql, "format": "json"}
    result = client.ask("tools/call", {"name": "query", "arguments": arguments})["result"]
    text = result["content"][0]["text"]
    if result.get("isError"):
        return text
    rows = json.loads(text, parse_float=Fraction)
    return [list(row.values()) if isinstance(row, dict) else row for row in rows]


def serve() -> None:
    """A server with one tool for each source."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        result: dict[str, Any] = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "data", "version": "1"},
        }
        if message["method"] == "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in FILES]}
        elif message["method"] == "tools/call":
            result = {"content": [{"type": "text", "text": source(message["params"]["name"]).text}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["server"]:
        serve()
    else:
        run("accuracy", __doc__, measure)
