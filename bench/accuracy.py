"""Which questions about real results are answered right: by SQL through Millpond, by other tools' verbs, and from what a client leaves?

    python bench/accuracy.py [--quick]      all questions, quick or not; each wrong answer is noted

17 results of 18 files that npm has (installed once into the cache of the tests), and questions with answers computed in plain Python
on exact numbers. Through Millpond each is asked as the SQL beside it; a number counts where it is the same, one that DuckDB gives as
DOUBLE (a mean) where it is the same to 12 digits. For each client that cuts results the same Python answers on the records that are
whole in what is left: where that differs from the true answer, no reader can get it right but by chance.

ctxtual and jmunch-mcp are asked in their own verbs, each through its own process, by the best calls that we found for a competent user
(`questions/ctxtual.py`, `questions/jmunch.py`): at most 12, of which a reader looks at 20 rows, orders, counts and compares them and
combines a few figures. A table of groups that holds the row asked for is an answer, and a value that the text does not ask for may be
missing. Paging through all rows is none: where no verbs lead to an answer, the question has no verb. Where a tool leaves a result as it
came (ctxtual below 20,000 characters), the model has it whole and there is nothing to ask: counted apart, as left whole.

No model is asked, and none is claimed. Its bias: the questions are of those who wrote Millpond, who chose what SQL is good at, so they say
little of how often another tool lacks a verb in its own users' work; SQL and verbs are written by the same hand, and a model may write
either wrongly; some of the verbs (subqueries in a WHERE, patterns that compare numbers, all scores of a draw listed) are more than most
models would find. On the other side a reader who sees all records of a cut is taken never to miscount.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from lib.client import Client as Asker
from lib.client import NoAnswer
from lib.cuts import CUTS, cut_by
from lib.session import filled
from lib.sheet import Sheet, run
from lib.verbs import Verbs
from lib.ways import opened, others, reference, served

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from installed import npm_packages
from questions import ctxtual, jmunch
from questions.asked import Question
from questions.sources import FILES, source
from questions.tables import QUESTIONS as TABLES
from questions.vega import QUESTIONS as VEGA
from questions.world import QUESTIONS as WORLD
from relay_client import MILLPOND, Client

QUESTIONS: Sequence[Question] = (*VEGA, *WORLD, *TABLES)
TOOLS = {"ctxtual": ctxtual, "jmunch-mcp": jmunch}
"""The verbs of the other tools, and how their answers are read."""
PATIENCE_SECONDS = 45.0
Outcome = Literal["right", "wrong", "no verb", "left whole", "not tried"]
OTHERWISE: Sequence[Outcome] = ("wrong", "no verb", "left whole", "not tried")
"""What else than right; not tried is what follows on an answer that did not come in time."""
DIGITS = Fraction(1, 10**12)
"""The relative error that a figure in a column of DOUBLE may have; it comes as a float, every other number exactly."""


def measure(sheet: Sheet) -> None:
    """The questions answered right, by result: through Millpond, by each other tool's verbs, and from what each client leaves."""
    try:
        npm_packages()
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        sheet.note("not measured", f"the data sets come from npm: {str(error).strip().splitlines()[-1][:200]}")
        return
    with served({name: raw(source(name).text) for name in FILES}) as server:
        answers = asked_through_millpond(server)
        outcomes = asked_through_others(server, sheet)
    is_right = {"millpond": [same(one, got) for one, got in zip(QUESTIONS, answers, strict=True)]}
    for client, cut in CUTS.items():
        kept = {name: source(name).seen(cut(source(name).text)) for name in FILES}
        is_right[cut_by(client)] = [same(one, read(one, kept)) for one in QUESTIONS]
    for one, got, right in zip(QUESTIONS, answers, is_right["millpond"], strict=True):
        if not right:
            sheet.note(one.text, f"{one.sql}: came {str(got)[:300]}, true {str(truth(one))[:300]}")
    count(sheet, is_right, outcomes)


def count(sheet: Sheet, is_right: Mapping[str, Sequence[bool]], outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    """For each line of the table, how many are right, and what became of the others."""
    for group in (*dict.fromkeys(map(group_of, QUESTIONS)), "traps", "all"):
        picked = [at for at, one in enumerate(QUESTIONS) if belongs(one, group)]
        sheet.add(f"{group}/questions", "count", [len(picked)], "higher")
        for who, right in is_right.items():
            sheet.add(f"{group}/{who}", "count", [sum(right[at] for at in picked)], "higher")
        for who, found in outcomes.items():
            came = Counter(found[at] for at in picked)
            sheet.add(f"{group}/{who}", "count", [came["right"]], "higher")
            for outcome in OTHERWISE:
                sheet.add(f"{group}/{who}/{outcome}", "count", [came[outcome]])


def raw(text: str) -> bytes:
    """The `result` of a tool that answers with a text."""
    return json.dumps({"content": [{"type": "text", "text": text}]}).encode()


def stray() -> set[str]:
    """Verbs to questions that nobody asks: there must be none."""
    return {text for tool in TOOLS.values() for text in tool.VERBS} - {one.text for one in QUESTIONS}


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
        return abs(number - true) <= DIGITS * abs(true) if isinstance(got, float) else number == true
    return true == got


# --- Millpond -----------------------------------------------------------------------------------------------------------


def asked_through_millpond(server: Sequence[str]) -> list[Any]:
    """The answer to each question, from one session in which each tool was called once."""
    with Client([*MILLPOND, *server]) as client:
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
    is_double = [column["type"] == "DOUBLE" for column in result["_meta"]["millpond/result"]["columns"]]
    rows = [row.values() if isinstance(row, dict) else row for row in json.loads(text, parse_float=Fraction)]
    return [
        [_as_double(value) if double else value for double, value in zip(is_double, row, strict=True)] for row in rows
    ]


def _as_double(value: Any) -> Any:
    return float(value) if isinstance(value, (int, Fraction)) else value


# --- other tools --------------------------------------------------------------------------------------------------------


def asked_through_others(server: Sequence[str], sheet: Sheet) -> dict[str, list[Outcome]]:
    """What became of each question in each of the other tools that can be installed here."""
    found: dict[str, list[Outcome]] = {}
    for way in others(sheet):
        with opened((way,), server, sheet, PATIENCE_SECONDS) as clients:
            for name, client in clients.items():
                found[name] = _outcomes(name, client, sheet)
    return found


def _outcomes(name: str, client: Asker, sheet: Sheet) -> list[Outcome]:
    found: list[Outcome] = []
    try:
        references = {tool: reference(name, _text(client, tool, {})) for tool in FILES}
        if whole := [tool for tool, named in references.items() if not named]:
            sheet.note(f"{name}: nothing to ask", f"it leaves {', '.join(whole)} as they came")
        found.extend(_outcome(name, client, one, references, sheet) for one in QUESTIONS)
    except NoAnswer as error:
        sheet.note(f"{name}, from question {len(found) + 1} on", str(error))
    return [*found, *["not tried"] * (len(QUESTIONS) - len(found))]


def _outcome(name: str, client: Asker, one: Question, references: Mapping[str, str], sheet: Sheet) -> Outcome:
    if not all(references[tool] for tool in one.of):
        return "left whole"
    asked: Verbs | None = TOOLS[name].VERBS.get(one.text)
    if asked is None:
        return "no verb"
    texts = [_text(client, tool, filled(arguments, references[one.of[0]])) for tool, arguments in asked.calls]
    try:
        got = asked.read(*map(TOOLS[name].answered, texts))
    except (ValueError, TypeError, LookupError, ArithmeticError):
        got = None
    if equal(flat(asked.asked(truth(one))), flat(got)):
        return "right"
    sheet.note(f"{name}: {one.text}", f"{asked.calls}: came {str(got if got is not None else texts)[:300]}")
    return "wrong"


def _text(client: Asker, tool: str, arguments: Mapping[str, Any]) -> str:
    return json.loads(client.call(tool, arguments)[0])["result"]["content"][0]["text"]


if __name__ == "__main__":
    run("accuracy", __doc__, measure)
