"""Diagnosis: what would happen to a server's tools and answers behind Millpond, and whether that helps.

Rule: pure; an answer is judged by the very stages that judge it in a session. Imports `core`, the clients' `limits`, the
commands' `noted`, `paging` and `probe` and the relay's `own_tools`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import msgspec

from millpond.clients.limits import definition_problems, looks_like_a_list, name_problems
from millpond.commands.noted import note_problems
from millpond.commands.paging import Proposal, pages_somehow, propose
from millpond.commands.probe import Meeting, Trial
from millpond.core import clip, plan
from millpond.core.config import Config
from millpond.core.model import Mode
from millpond.core.tokens import estimate_tokens, estimate_tokens_of
from millpond.relay.own_tools import own_name

Gain = Literal["yes", "maybe", "no"]
ERROR_CHARACTERS = 300
"""Of a tool's error that are shown."""
NAMED_TOOLS = 3
"""Tools that the sentence names."""
WHAT_HAPPENS: Mapping[Mode, str] = {
    "auto": "large results become tables",
    "always": "every result with rows becomes a table",
    "never": "stays as it is",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolView:
    """A tool, and what would happen to it."""

    name: str
    mode: Mode
    what_happens: str
    drops_output_schema: bool
    is_read_only: bool
    looks_like_a_list: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialView:
    """An answer, and what would happen to it."""

    tool: str
    arguments: str
    """As JSON."""
    seconds: float
    bytes: int
    """Of the raw result."""
    tokens: int
    """Estimated."""
    rows: int
    """Of all the tables that it would make."""
    is_replaced: bool
    problem: str
    """Why there is no answer, or what is wrong with it; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All that is said of a server."""

    server: str
    protocol: str
    name: str
    start_seconds: float
    list_seconds: float
    tools: Sequence[ToolView]
    definition_tokens: int
    own_tool: str
    trials: Sequence[TrialView]
    proposals: Sequence[Proposal]
    """Entries that would collect the pages of tools."""
    notes: Sequence[str]
    gains: Gain
    sentence: str


def diagnose(meeting: Meeting, config: Config, server: str = "") -> Diagnosis:
    """Everything that the meeting tells, under this configuration; `server` is its name in a client's, where it has one."""
    names = [str(tool["name"]) for tool in meeting.tools]
    tools = [_tool(tool, config) for tool in meeting.tools]
    trials = [_trial(trial, config) for trial in meeting.trials]
    gains, sentence = verdict(tools, trials)
    return Diagnosis(
        server=config.server.name,
        protocol=meeting.version,
        name=meeting.name,
        start_seconds=meeting.start_seconds,
        list_seconds=meeting.list_seconds,
        tools=tools,
        definition_tokens=estimate_tokens(json.dumps(list(meeting.tools), ensure_ascii=False)),
        own_tool=own_name(names) if names else "",
        trials=trials,
        proposals=_proposals(meeting, config),
        notes=(
            *meeting.notes,
            *_called(tools, trials),
            *_untried(meeting, config),
            *_notes(meeting.tools, server, config),
            *note_problems(meeting, config),
        ),
        gains=gains,
        sentence=sentence,
    )


def _tool(tool: Mapping[str, Any], config: Config) -> ToolView:
    name = str(tool["name"])
    mode = config.modes.get(name, "auto")
    annotations = tool.get("annotations")
    return ToolView(
        name=name,
        mode=mode,
        what_happens=WHAT_HAPPENS[mode],
        drops_output_schema=mode != "never" and "outputSchema" in tool,
        is_read_only=isinstance(annotations, Mapping) and annotations.get("readOnlyHint") is True,  # pyright: ignore[reportUnknownMemberType]
        looks_like_a_list=looks_like_a_list(name, tool.get("outputSchema")),
    )


def _proposals(meeting: Meeting, config: Config) -> list[Proposal]:
    """The entries for tools that page and have none; a tool that was tried is judged by its last answer that is no error."""
    answers = {trial.tool: trial.reply.raw for trial in meeting.trials if not _judged(trial, config)[2]}
    tools = [tool for tool in meeting.tools if str(tool["name"]) not in config.collected]
    found = (propose(tool, answers.get(str(tool["name"]))) for tool in tools)
    return [proposal for proposal in found if proposal is not None]


def _untried(meeting: Meeting, config: Config) -> list[str]:
    """The tools whose answers have to be seen before their pages can be collected."""
    known = {*config.collected, *(trial.tool for trial in meeting.trials)}
    paging = ((str(tool["name"]), pages_somehow(tool)) for tool in meeting.tools)
    return [
        f"{name}: it pages by {argument}; --try it for an entry that collects its pages"
        for name, argument in paging
        if argument is not None and name not in known
    ]


def _called(tools: Sequence[ToolView], trials: Sequence[TrialView]) -> list[str]:
    read_only = {tool.name for tool in tools if tool.is_read_only}
    called = dict.fromkeys(trial.tool for trial in trials)
    return [
        f"{name}: called because you named it; the server does not mark it read-only"
        for name in called
        if name not in read_only
    ]


def _notes(tools: Sequence[Mapping[str, Any]], server: str, config: Config) -> list[str]:
    names = [str(tool["name"]) for tool in tools]
    notes = [f"{name}: two tools have this name" for name in dict.fromkeys(names) if names.count(name) > 1]
    for name, tool in zip(names, tools, strict=True):
        notes += [*name_problems(server, name), *definition_problems(name, tool)]
    return notes + [
        f"{name}: the configuration names it, but the server has no such tool"
        for name in config.modes
        if name not in names
    ]


def _trial(trial: Trial, config: Config) -> TrialView:
    raw = trial.reply.raw
    rows, is_replaced, problem = _judged(trial, config)
    return TrialView(
        tool=trial.tool,
        arguments=json.dumps(trial.arguments, ensure_ascii=False),
        seconds=trial.reply.seconds,
        bytes=len(raw),
        tokens=estimate_tokens_of(raw),
        rows=rows,
        is_replaced=is_replaced,
        problem=problem,
    )


def _judged(trial: Trial, config: Config) -> tuple[int, bool, str]:
    """How many rows an answer has, whether it would be replaced, and what is wrong with it."""
    if trial.reply.error:
        return 0, False, trial.reply.error
    try:
        values = trial.reply.values
        if values.get("isError") is True:
            return 0, False, f"the tool answered with an error{_error_text(values.get('content'))}"
        if values.get("resultType") == "input_required":
            return 0, False, "the tool asks for more input"
        reading = plan.read(trial.reply.raw)
    except (msgspec.DecodeError, RecursionError):
        return 0, False, "the answer cannot be read, and would go on as it came"
    if reading is None:
        return 0, False, ""
    results = config.results
    thresholds = plan.Thresholds(
        inline_rows_bytes=results.inline_rows_bytes, inline_text_bytes=results.inline_text_bytes
    )
    rows = sum(len(row_set.rows) for row_set in reading.shape.row_sets)
    return rows, plan.is_replaced(reading, config.modes.get(trial.tool, "auto"), thresholds), ""


def _error_text(content: object) -> str:
    """What an answer that is an error says, on one line; empty where it says nothing."""
    parts = cast("list[object]", content) if isinstance(content, list) else []
    texts = (cast("Mapping[str, object]", part).get("text") for part in parts if isinstance(part, Mapping))
    said = " ".join(" ".join(text for text in texts if isinstance(text, str)).split())
    return f": {clip.shown(said, ERROR_CHARACTERS)}" if said else ""


def verdict(tools: Sequence[ToolView], trials: Sequence[TrialView]) -> tuple[Gain, str]:
    """Whether the server gains from Millpond, with the reason in one sentence."""
    replaced = [trial for trial in trials if trial.is_replaced]
    if replaced:
        most = max(replaced, key=lambda trial: trial.tokens)
        return "yes", (
            f"This server gains from Millpond: {most.tool} answered with {most.bytes:,} bytes, about {most.tokens:,}"
            " tokens, and a handle takes at most about 300."
        )
    if not tools:
        return "no", "This server gains nothing from Millpond: it has no tools."
    open_tools = [tool for tool in tools if tool.mode != "never"]
    if not open_tools:
        return "no", "This server gains nothing from Millpond: every tool of it has mode never."
    likely = [tool.name for tool in open_tools if tool.looks_like_a_list]
    likely.sort(key=lambda name: not looks_like_a_list(name, None))  # A name tells more than a schema.
    if not likely:
        return (
            "no",
            "This server probably gains little from Millpond: none of its tools looks as if it answers with lists.",
        )
    named = ", ".join(likely[:NAMED_TOOLS]) + (", ..." if len(likely) > NAMED_TOOLS else "")
    if any(not trial.problem for trial in trials):
        return "maybe", f"What was tried stays as it is; other answers may be larger: {named}."
    return "maybe", (
        f"This server may gain from Millpond: {len(likely)} of {len(tools)} tools look as if they answer with lists"
        f" ({named}); see with --try {likely[0]} '{{...}}'."
    )
