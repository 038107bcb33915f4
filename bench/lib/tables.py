"""Tables: the results as Markdown, one function a table, named as the marker that it stands between.

Rule: no figure is written by hand; what was not measured is a dash. Imports the library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from lib.figures import Result
from lib.goals import GOALS, OTHERS, Results, percent
from lib.stages import STAGES, WHOLE
from lib.words import NOTHING, milliseconds, number, table, times, unit

WAYS = ("direct", "millpond", *OTHERS)


def figures(results: Results) -> str:
    """What Millpond is to reach, and what was measured."""
    head = ("question", "to reach", "measured", *OTHERS, "reached")
    return table(head, (goal.row(results) for goal in GOALS))


def machine(results: Results) -> str:
    """What it was measured on."""
    machines = dict.fromkeys(_listed(result) for result in results.values())
    rows = [
        (name, result.commit, "quick" if result.quick else "whole", f"{result.seconds:.0f} s")
        for name, result in results.items()
    ]
    return "\n".join((*machines, "", table(("bench", "commit", "run", "took"), rows)))


def _listed(result: Result) -> str:
    about = result.machine
    versions = ", ".join(f"{package} {version}" for package, version in result.versions.items())
    return f"- {about['cpu']}, {about['cores']} cores, {about['memory']}, {about['system']}; {versions}"


def notes(results: Results) -> str:
    """What could not be measured."""
    found = [(name, what, why) for name, result in results.items() for what, why in result.notes.items()]
    return table(("bench", "what", "why"), found) if found else "Everything could be measured."


def startup(results: Results) -> str:
    """Starts."""
    found = results["startup"]
    rows = [
        (
            way,
            milliseconds(found.value(f"start/{way}")),
            milliseconds(found.value(f"start/{way}/added")),
            milliseconds(found.value(f"first 1 MiB/{way}")),
        )
        for way in WAYS
    ]
    return table(("", "until its tools are known", "added", "1 MiB right after"), rows)


def latency(results: Results) -> str:
    """Small calls, one by one."""
    found = results["latency"]
    names = [f"{tool}/{{}}/p{percent} added" for tool in ("word", "few") for percent in (50, 95, 99)]
    rows = [(way, *(milliseconds(found.value(name.format(way))) for name in names)) for way in WAYS[1:]]
    head = (
        "added to a call",
        *(f"{size}, {what}" for size in ("60 bytes", "2 KiB") for what in ("median", "p95", "p99")),
    )
    return table(head, rows)


def at_once(results: Results) -> str:
    """Small calls sent together."""
    found = results["latency"]
    counts = sorted({int(figure.name.split()[0]) for figure in found.figures if " at once/" in figure.name})
    rows = [(way, *(milliseconds(found.value(f"{count} at once/{way}")) for count in counts)) for way in WAYS]
    return table(("until the last is answered", *(f"{count} at once" for count in counts)), rows)


def speed(results: Results) -> str:
    """Large results by size."""
    found = results["throughput"]
    rows = [
        (f"{size} MiB, {channel}", *(_speed_cell(found, f"{channel}/{size}", way) for way in WAYS))
        for channel in ("structured", "text")
        for size in _sizes(found, channel)
    ]
    return table(("until the answer is there", *WAYS), rows)


def _sizes(found: Result, channel: str) -> list[str]:
    return sorted({name.split("/")[0] for name in found.under(f"{channel}/")}, key=float)


def _speed_cell(found: Result, name: str, way: str) -> str:
    ratio = found.value(f"{name}/{way}/ratio")
    shown = milliseconds(found.value(f"{name}/{way}"))
    return shown if math.isnan(ratio) else f"{shown} ({times(ratio)})"


def sdk(results: Results) -> str:
    """With the SDK's client."""
    found = results["throughput"]
    rows = [
        (f"{size} MiB, {channel}", *(_speed_cell(found, f"sdk/{channel}/{size}", way) for way in WAYS))
        for channel in ("structured", "text")
        for size in _sizes(found, f"sdk/{channel}")
    ]
    return table(("until `call_tool` returns", *WAYS), rows)


def memory(results: Results) -> str:
    """Memory of each process."""
    found = results["throughput"]
    rows = [
        (
            f"{size} MiB, {channel}",
            *(_memory_cell(found, f"memory/{channel}/{size}/{who}") for who in ("millpond/proxy", "millpond/engine")),
            *(_memory_cell(found, f"memory/{channel}/{size}/{way}/proxy") for way in OTHERS),
        )
        for channel in ("structured", "text")
        for size in _sizes(found, f"memory/{channel}")
    ]
    return table(("most memory", "relay", "engine", *OTHERS), rows)


def _memory_cell(found: Result, name: str) -> str:
    value, ratio = found.value(name), found.value(f"{name}/ratio")
    shown = NOTHING if math.isnan(value) else f"{value:,.0f} MiB"
    return shown if math.isnan(ratio) else f"{shown} ({times(ratio)})"


def stages(results: Results) -> str:
    """Where the time goes."""
    found = results["throughput"]
    payloads = list(dict.fromkeys(name.split("/")[0] for name in found.under("inside/")))
    rows: list[Sequence[str]] = []
    for one in payloads:
        each = [found.value(f"inside/{one}/{stage}") for stage in STAGES]
        rows.append(
            (
                f"{one} MiB" if one[0].isdigit() else one,
                *(percent(value, sum(each)) for value in each),
                milliseconds(sum(each)),
                *(milliseconds(found.value(f"inside/{one}/{name}")) for name in (WHOLE, "read_json", "polars")),
                *(times(found.value(f"inside/{one}/to {name}")) for name in ("read_json", "polars")),
            )
        )
    head = (
        "",
        *STAGES,
        "sum",
        "as it runs",
        "`read_json`",
        "`polars.read_json`",
        "its speed to DuckDB's",
        "to polars'",
    )
    return table(head, rows)


def shapes(results: Results) -> str:
    """By shape and channel."""
    found = results["throughput"]
    names = list(dict.fromkeys(name.split("/")[0] for name in found.under("shape/")))
    rows = [
        (
            name,
            *(_speed_cell(found, f"shape/{name}/{channel}", "millpond") for channel in ("structured", "text", "both")),
        )
        for name in names
    ]
    return table(("rows", "structured", "text", "both"), rows)


def scale(results: Results) -> str:
    """Rows, columns, calls."""
    found = results["scale"]
    rows: list[tuple[str, str, str]] = []
    for name in found.under("rows/"):
        count, _, way = name.partition("/")
        if way == "millpond":
            growth = times(found.value(f"rows/{count}/growth"))
            rows.append((f"{count} rows", milliseconds(found.value(f"rows/{count}/millpond")), f"{growth} the tenth's"))
    for name in (name for name in found.under("columns/") if "/" not in name):
        ratio = times(found.value(f"columns/{name}/ratio"))
        rows.append((f"{name} columns", milliseconds(found.value(f"columns/{name}")), f"{ratio} that of 10"))
    for figure in found.figures:
        count, _, what = figure.name.partition(" at once/")
        if what == "millpond":
            ratio = times(found.value(f"{count} at once/to one by one"))
            rows.append((f"{count} results of 100 KiB at once", milliseconds(figure.value), f"{ratio} one by one"))
    return table(("", "until the last handle", "ratio"), rows)


def context(results: Results) -> str:
    """What a session costs the context."""
    found = results["tokens"]
    rows = [(way, *_context_cells(found, way)) for way in (*WAYS, *found.cuts())]
    return table(
        (
            "session of 3 results, 7 questions",
            "context at its end",
            "in over all requests",
            "questions answered",
            "rows left",
        ),
        rows,
    )


def _context_cells(found: Result, way: str) -> list[str]:
    every = found.value("session/rows")
    is_cut = way in found.cuts()
    left = found.value(f"session/{way}/rows left") if is_cut else every
    answered = found.value(f"session/{way}/answered")
    return [
        *(number(found.value(f"session/{way}/{what}")) for what in ("at the end", "over all requests")),
        NOTHING if math.isnan(answered) else f"{number(answered)} of 7",
        f"{number(left)} of {number(every)}" if way == "direct" or is_cut else "all, kept beside",
    ]


def tokens(results: Results) -> str:
    """Definitions and one result."""
    found = results["tokens"]
    rows = [
        (
            way,
            *(number(found.value(f"definitions/{way}/{what}")) for what in ("tools", "characters", "instructions", "tokens")),
            *(number(found.value(f"412 rows, {channel}/{way}/{what}")) for channel, what in
              (("text", "text"), ("both", "text"), ("both", "whole"))),
        )
        for way in WAYS
    ]  # fmt: skip
    head = (
        "", "tools added", "characters", "of instructions", "tokens", "412 rows: tokens", "sent in both channels: the text",
        "and both",
    )  # fmt: skip
    return table(head, rows)


def questions(results: Results) -> str:
    """All questions, and those with a trap: how many are answered right."""
    found = results["accuracy"]
    titles = (
        "",
        "questions",
        "SQL through Millpond",
        *_verbs_titles(),
        *(f"reading what is left, {client}" for client in found.cuts()),
    )
    return table(titles, (_answered(found, group) for group in ("all", "traps")))


def accuracy(results: Results) -> str:
    """Questions answered right, result by result."""
    found = results["accuracy"]
    groups = dict.fromkeys(figure.name.partition("/")[0] for figure in found.figures)
    return table(
        ("result", "questions", "millpond", *_verbs_titles(), *found.cuts()),
        (_answered(found, group) for group in groups),
    )


def _verbs_titles() -> list[str]:
    return [f"{tool}'s verbs" for tool in OTHERS]


def _answered(found: Result, group: str) -> Sequence[str]:
    count, ours, *cuts = (number(found.value(f"{group}/{who}")) for who in ("questions", "millpond", *found.cuts()))
    return group, count, ours, *(_verbs_cell(found, f"{group}/{tool}") for tool in OTHERS), *cuts


def _verbs_cell(found: Result, name: str) -> str:
    """How many are right, and in brackets what became of the others."""
    rest = [f"{number(one.value)} {outcome}" for outcome, one in found.under(f"{name}/").items() if one.value]
    return f"{number(found.value(name))} ({', '.join(rest)})" if rest else number(found.value(name))


def forms(results: Results) -> str:
    """Other forms and types."""
    found = results["forms"].under("form/")
    return table(
        ("form or type", "CPU time a byte, to plain objects"), [(name, times(one.value)) for name, one in found.items()]
    )


def bounds(results: Results) -> str:
    """What the settings' own numbers rest on."""
    return _all_figures(results["bounds"], "by which the settings explain themselves")


def soak(results: Results) -> str:
    """A long session."""
    return _all_figures(results["soak"], "over a session")


def soak_http(results: Results) -> str:
    """Many sessions over HTTP."""
    return _all_figures(results["soak_http"], "over many sessions at once")


def _all_figures(found: Result, title: str) -> str:
    show = {"x": times, "ms": milliseconds, "count": number, "seen": number}
    rows = [
        (figure.name, show[figure.unit](figure.value) if figure.unit in show else unit(figure.value, figure.unit))
        for figure in found.figures
    ]
    return table((title, "measured"), rows)


TABLES: Mapping[str, Callable[[Results], str]] = {
    one.__name__: one
    for one in (
        figures, machine, notes, startup, latency, at_once, speed, sdk, memory, stages, shapes, scale, context, tokens, questions, accuracy, forms, bounds, soak,
        soak_http,
    )
}  # fmt: skip
