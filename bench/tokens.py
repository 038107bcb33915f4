"""What does a large result cost the model's context, and what is left of it?

    python bench/tokens.py [--quick]

Counted with `o200k_base`: the definitions and instructions that each proxy adds; what the model gets for 412 rows of ten columns; and a
session of three results (412 issues, 6,000 log lines, 1,500 orders) and seven questions, each asked through the proxy in its own words:
the context at its end, and all that goes in over its turns, for every request carries all that came before it. Beside: the payload as it
came, and as three clients cut it at their defaults, with the rows that are whole in what is left. An answer counts where it holds the
figures that plain Python computes.

Bias: the session is made of questions that have one answer, which is what Millpond is for; a model that is asked to summarise prose gains
nothing. All that goes in is counted alike, where a host's prompt cache makes what went in before cheaper. The calls are written by hand, so that no way pays for a model's mistakes. Results come as one text block, which all three tools
replace; beside `structuredContent` jmunch-mcp leaves that as it is and ctxtual writes its notice twice, and some clients show the model
both. What a cut leaves costs little because most rows are gone.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

from lib.client import Client
from lib.counting import count
from lib.cuts import CUTS, cut_by
from lib.payloads import Channel, result
from lib.session import DEFINITIONS, ISSUES, QUESTIONS, TOOLS, filled, rows_of
from lib.sheet import Rounds, Sheet, run
from lib.ways import OWN, opened, others, reference, served

ROUNDS, QUICK_ROUNDS = 7, 5
CHANNELS: tuple[Channel, ...] = ("text", "both")
_number = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def compact(value: object) -> str:
    """JSON as it is sent, without white space."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def measure(sheet: Sheet) -> None:
    """Rounds of definitions, one result, and a session; names that are drawn anew in each make it a token more or less."""
    ways = (*OWN, *others(sheet))
    rounds = Rounds()
    cut_sessions(rounds)
    for _ in range(QUICK_ROUNDS if sheet.quick else ROUNDS):
        for channel in CHANNELS:
            results = {tool: result(compact(rows_of(tool)), channel) for tool in TOOLS}
            with served(results, DEFINITIONS) as server, opened(ways, server, sheet) as clients:
                one_round(rounds, channel, clients)
    rounds.note(sheet)


def one_round(rounds: Rounds, channel: Channel, clients: Mapping[str, Client]) -> None:
    """Through each way and as the clients cut it, in new processes."""
    if channel == "text":
        definitions(rounds, clients)
        for name, client in clients.items():
            session(rounds, name, client)
    for name, client in clients.items():
        one_result(rounds, f"{ISSUES} rows, {channel}/{name}", client)


def definitions(rounds: Rounds, clients: Mapping[str, Client]) -> None:
    """What is added to the tools and the instructions."""
    direct = clients["direct"]
    for name, client in clients.items():
        if client is direct:
            continue
        tools = {tool["name"]: compact(tool) for tool in client.tools}
        added = [text for tool, text in tools.items() if tool not in DEFINITIONS]
        changed = [len(tools[tool]) - len(compact(one)) for tool, one in DEFINITIONS.items()]
        instructions = client.server.get("instructions", "")
        rounds.add(f"definitions/{name}/tools", "count", len(added))
        rounds.add(f"definitions/{name}/characters", "characters", sum(map(len, added)) + sum(changed))
        rounds.add(f"definitions/{name}/instructions", "characters", len(instructions))
        rounds.add(f"definitions/{name}/tokens", "tokens", sum(map(count, added)) + count(instructions))


def texts_of(line: bytes) -> tuple[str, str]:
    """The text of an answer, and the whole of what it holds for a model: text, then `structuredContent`."""
    found = json.loads(line).get("result", {})
    text = "\n".join(block["text"] for block in found.get("content", ()) if block.get("type") == "text")
    return text, text + (compact(found["structuredContent"]) if "structuredContent" in found else "")


def one_result(rounds: Rounds, name: str, client: Client) -> None:
    """The tokens of a result as one text, and with what else a client may show."""
    text, whole = texts_of(client.call("list_issues")[0])
    rounds.add(f"{name}/text", "tokens", count(text))
    rounds.add(f"{name}/whole", "tokens", count(whole))


class Context:
    """What a model has before it, request by request."""

    def __init__(self, start: int) -> None:
        self.size = start
        self.sent = 0
        """All that went in over the requests so far."""

    def add(self, *texts: str) -> None:
        """A call and its answer, or a question: they stay."""
        self.size += sum(map(count, texts))

    def request(self) -> None:
        """The model is asked: all of it goes in."""
        self.sent += self.size


def session(rounds: Rounds, name: str, client: Client) -> None:
    """The session through one way, with the questions that its answers hold the figures of."""
    instructions = client.server.get("instructions", "")
    context = Context(sum(count(compact(tool)) for tool in client.tools) + count(instructions))
    references: dict[str, str] = {}
    right = 0
    answers = 0
    for question in QUESTIONS:
        context.add(question.text)
        if question.about not in references:
            context.request()
            text, _ = texts_of(client.call(question.about)[0])
            context.add(question.about, text)
            references[question.about] = reference(name, text)
        verb = question.verbs.get(name)
        if verb is not None:
            context.request()
            tool, arguments = verb[0], filled(verb[1], references[question.about])
            text, _ = texts_of(client.call(tool, arguments)[0])
            context.add(tool, compact(arguments), text)
            answers += count(text)
            right += holds(text, question.expected(rows_of(question.about)))
        context.request()
    finish(rounds, name, context)
    if name != "direct":
        rounds.add(f"session/{name}/answers", "tokens", answers)
        rounds.add(f"session/{name}/answered", "count", right, "higher")


def holds(text: str, expected: Sequence[float]) -> bool:
    """Whether an answer has these figures; sums of doubles may have drifted."""
    numbers = list(map(float, _number.findall(text)))
    return all(any(math.isclose(one, each, rel_tol=1e-9) for each in numbers) for one in expected)


def finish(rounds: Rounds, name: str, context: Context) -> None:
    """Note what the session came to."""
    rounds.add(f"session/{name}/at the end", "tokens", context.size)
    rounds.add(f"session/{name}/over all requests", "tokens", context.sent)


def cut_sessions(rounds: Rounds) -> None:
    """The same session with the results as each client cuts them."""
    tools = sum(count(compact(one)) for one in DEFINITIONS.values())
    for client, cut in CUTS.items():
        left = {tool: cut(document(tool)).of(document(tool)) for tool in TOOLS}
        context = Context(tools)
        seen: set[str] = set()
        for question in QUESTIONS:
            context.add(question.text)
            if question.about not in seen:
                seen.add(question.about)
                context.request()
                context.add(question.about, left[question.about])
            context.request()
        finish(rounds, cut_by(client), context)
        rows = sum(whole_rows(tool, text) for tool, text in left.items())
        rounds.add(f"session/{cut_by(client)}/rows left", "rows", rows, "higher")
    rounds.add("session/rows", "rows", sum(number for number, _ in TOOLS.values()), "higher")


def document(tool: str) -> str:
    """The text of a tool's result."""
    return f'{{"items":{compact(rows_of(tool))}}}'


def whole_rows(tool: str, text: str) -> int:
    """How many rows stand whole in what is left of a result."""
    return sum(compact(row) in text for row in rows_of(tool))


if __name__ == "__main__":
    run("tokens", __doc__, measure)
