"""A scripted session: a server behind the real proxy and the same server without it, each step kept as an agent reads it.

What the session says is compared with what plain Python computes from the payloads that came without the proxy. Tokens are
of `o200k_base`, of the text with the canvas's tag replaced by one that is always the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it ships none

from markdown_cells import read_markdown
from relay_client import MILLPOND, SERVERS, Client

CUT_TOKENS = 25_000
"""Of one payload: what Claude Code gives the model of it."""
Rows = list[tuple[str, ...]]
TAG = "_bcd234_"
_TAGS = re.compile(r"_[b-z]{3}[2-9]{3}_(?=\d)")
_tokenizer = bpe_openai.get_encoding("o200k_base")


def tokens(text: str) -> int:
    """How many `o200k_base` tokens a text takes."""
    return len(_tokenizer.encode(text))


@dataclass(frozen=True, slots=True)
class Said:
    """What came back from one call, as the agent reads it: the text blocks."""

    text: str

    @property
    def table(self) -> str:
        """The name of the first table that a handle tells."""
        return self._found(r"^[\d,]+ rows? in (\w+) \(from")

    @property
    def sql(self) -> str:
        """The first query that is printed to be run."""
        return self._found(r"^  ((?:SELECT|FROM) .*)$")

    def mended(self, otherwise: str) -> str:
        """The SELECT that an error prints to be run in place of the one that failed; else what its words lead to."""
        found = re.search(r"^Try:\n  ((?:SELECT|FROM) .*)", self.text, re.MULTILINE | re.DOTALL)
        return found[1] if found else otherwise

    @property
    def exact(self) -> str:
        """The expression that a note under an answer gives for an exact one."""
        return self._found(r"Exact: (.+)$")

    @property
    def page(self) -> str:
        """What the notice under a cut answer says the next page is asked with."""
        return self._found(r"page with ORDER BY and (OFFSET \d+)")

    @property
    def rows(self) -> Rows:
        """The rows of an answer in Markdown."""
        lines = self.text.split("\n\n")[0].split("\n")[2:]
        return [tuple(str(read_markdown(cell)) for cell in re.split(r"(?<!\\)\|", line)) for line in lines]

    def _found(self, pattern: str) -> str:
        found = re.search(pattern, self.text, re.MULTILINE)
        assert found, f"{pattern} in: {self.text}"
        return found[1]


@dataclass(frozen=True, slots=True)
class Step:
    """One call and what came of it, with the tag replaced."""

    why: str
    call: str
    answer: str


@dataclass(frozen=True, slots=True)
class Check:
    """A question, what the session answers and what plain Python does."""

    question: str
    said: Rows
    computed: Rows


@dataclass(slots=True)
class Talk:
    """A session under way."""

    proxy: Client
    server: Client
    opening: int
    """Tokens of definitions and instructions through the proxy."""
    plain_opening: int
    """The same without it."""
    steps: list[Step] = field(default_factory=list[Step])
    payloads: list[Step] = field(default_factory=list[Step])
    """What the server's tools answer without the proxy, each once."""
    checks: list[Check] = field(default_factory=list[Check])

    def call(self, why: str, tool: str, **arguments: object) -> Said:
        """Call a tool of the server, through the proxy and without it."""
        self.direct(tool, **arguments)
        return self._step(why, tool, arguments)

    def direct(self, tool: str, **arguments: object) -> Any:
        """Call a tool of the server without the proxy only, and decode its text where it is one JSON value."""
        text = _answered(self.server, tool, arguments)
        self.payloads.append(Step("", _written(tool, arguments), text))
        return self.payload()

    def collect(self, why: str, tool: str, sibling: str, **arguments: object) -> tuple[Said, list[Any]]:
        """Call the sibling that collects a tool's pages, and page by page without the proxy: every page as it came."""
        pages = [self.direct(tool, **arguments)]
        while (cursor := pages[-1]["nextCursor"]) is not None:
            pages.append(self.direct(tool, **arguments, cursor=cursor))
        return self._step(why, sibling, arguments), pages

    def query(self, why: str, sql: str, **arguments: object) -> Said:
        """Ask the own tool."""
        return self._step(why, "query", {"sql": sql, **arguments})

    def check(self, question: str, said: Rows, computed: Rows) -> None:
        """What the session answers to a question of the task, beside what plain Python finds in the payloads."""
        self.checks.append(Check(question, said, computed))

    def payload(self) -> Any:
        """The last payload as plain Python reads it: numbers with fractions as they are written."""
        text = self.payloads[-1].answer
        return json.loads(text, parse_float=str) if text[:1] in "{[" and "}\n{" not in text else text

    def _step(self, why: str, tool: str, arguments: Mapping[str, object]) -> Said:
        text = _answered(self.proxy, tool, arguments)
        self.steps.append(Step(why, _masked(_written(tool, arguments)), _masked(text)))
        return Said(text)


@dataclass(frozen=True, slots=True)
class Sums:
    """Tokens of one way of having the session."""

    opening: int
    """Definitions and instructions."""
    calls: int
    answers: int
    over_all_turns: int
    """Of all that goes to the model, which is sent the whole so far after each call."""

    @property
    def together(self) -> int:
        """Each text once."""
        return self.opening + self.calls + self.answers


@dataclass(frozen=True, slots=True)
class Played:
    """A session that has been played."""

    title: str
    task: str
    steps: Sequence[Step]
    checks: Sequence[Check]
    calls_without: int
    proxied: Sums
    without: Sums
    cut: Sums
    """Without, of each payload what a host gives the model."""


def played(title: str, task: str, talk: Talk) -> Played:
    """What a session came to."""
    without = _sums(talk.plain_opening, talk.payloads)
    cut = _sums(talk.plain_opening, talk.payloads, CUT_TOKENS)
    return Played(
        title, task, talk.steps, talk.checks, len(talk.payloads), _sums(talk.opening, talk.steps), without, cut
    )


def _sums(opening: int, steps: Sequence[Step], most: int | None = None) -> Sums:
    calls = [tokens(step.call) for step in steps]
    answers = [tokens(step.answer) if most is None else min(tokens(step.answer), most) for step in steps]
    context, sent = opening, opening
    for call, answer in zip(calls, answers, strict=True):
        context += call + answer
        sent += context
    return Sums(opening, sum(calls), sum(answers), sent)


@contextmanager
def talking(server: str, config: Path) -> Generator[Talk]:
    """Both sessions with a server of `session_server.py`, opened."""
    command = [sys.executable, str(SERVERS / "session_server.py"), server]
    with Client([*MILLPOND[:-1], "--config", str(config), "--", *command]) as proxy, Client(command) as direct:
        yield Talk(proxy, direct, _opened(proxy), _opened(direct))
        assert proxy.close() == 0


def transcript(session: Played) -> str:
    """A session as Markdown."""
    parts = [f"# {session.title}\n\n{session.task}\n"]
    for at, step in enumerate(session.steps, 1):
        head = f"## {at}. {step.why}\n\n{tokens(step.call)} tokens written, {tokens(step.answer)} read\n"
        parts.append(f"{head}\n{_fenced('json', step.call)}\n{_fenced('text', step.answer)}")
    head = "## What came out, and plain Python finds the same\n"
    parts.append("\n".join([head, *(f"- {check.question}: {_listed(check.said)}" for check in session.checks), ""]))
    parts.append(_table(session))
    return "\n".join(parts)


def summary(transcripts: Iterable[str]) -> str:
    """One line a session, read from its transcript."""
    lines = [
        f"| session | calls | tokens | without Millpond | a payload cut at {CUT_TOKENS:,} | over all turns | without |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for text in transcripts:
        title, calls = text.split("\n", 1)[0].removeprefix("# "), len(re.findall(r"^## \d", text, re.MULTILINE))
        once, turns = (
            [cell.strip() for cell in line.split("|")[2:-1]]
            for line in text.split("\n")
            if line.startswith(("| together", "| over all turns"))
        )
        lines.append(f"| {title} | {calls} | {' | '.join(once)} | {' | '.join(turns[:2])} |")
    return "\n".join(lines) + "\n"


def _table(session: Played) -> str:
    ways = (session.proxied, session.without, session.cut)
    rows = {
        "definitions, instructions": [way.opening for way in ways],
        f"calls ({len(session.steps)}, without {session.calls_without})": [way.calls for way in ways],
        "answers": [way.answers for way in ways],
        "together, each text once": [way.together for way in ways],
        "over all turns, each sends the whole so far": [way.over_all_turns for way in ways],
    }
    return "\n".join(
        (
            "## Tokens\n",
            f"| | with Millpond | without | without, a payload cut at {CUT_TOKENS:,} |",
            "|---|---:|---:|---:|",
            *(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |" for name, counts in rows.items()),
            "",
        )
    )


def _opened(client: Client) -> int:
    opening = client.ask("initialize", {"protocolVersion": "2025-11-25"})["result"]
    tools = client.ask("tools/list")["result"]["tools"]
    return tokens(opening.get("instructions", "")) + sum(tokens(json.dumps(tool)) for tool in tools)


def _answered(client: Client, tool: str, arguments: Mapping[str, object]) -> str:
    client.request("tools/call", {"name": tool, "arguments": arguments})
    return "\n\n".join(block["text"] for block in json.loads(client.line())["result"]["content"])


def _written(tool: str, arguments: Mapping[str, object]) -> str:
    return f"{tool} {json.dumps(arguments)}"


def _masked(text: str) -> str:
    return _TAGS.sub(TAG, text)


def _fenced(kind: str, text: str) -> str:
    fence = "```"
    return f"{fence}{kind}\n{text}\n{fence}\n"


def _listed(rows: Rows) -> str:
    return "; ".join(" ".join(row) for row in rows)
