"""Report: a diagnosis and a machine as people read them.

Rule: a line each, whatever a server's names hold. Imports `core` and the commands' `diagnosis` and `machine`.
"""

from __future__ import annotations

from millpond.commands.diagnosis import Diagnosis, TrialView
from millpond.commands.machine import Machine
from millpond.core.config import GIB
from millpond.core.sizes import counted
from millpond.core.toml_text import one_line


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """What was found, but for the sentence."""
    lines = [
        f"server    {diagnosis.server}" + (f" ({diagnosis.name})" if diagnosis.name else ""),
        f"start     {diagnosis.start_seconds:.2f} s to its first answer, {diagnosis.list_seconds:.2f} s for its tools",
        f"protocol  {diagnosis.protocol}",
        f"tools     {len(diagnosis.tools)}, about {diagnosis.definition_tokens:,} tokens of definitions",
    ]
    for tool in diagnosis.tools:
        lines.append(
            f"  {tool.name}: {tool.what_happens}{'; outputSchema dropped' if tool.drops_output_schema else ''}"
        )
    if diagnosis.own_tool:
        lines.append(f"  {diagnosis.own_tool}: added by Millpond")
    if any(tool.drops_output_schema for tool in diagnosis.tools):
        lines.append("  (An outputSchema is dropped where a handle may come instead, for it would not fit.)")
    lines += ["tried"] * bool(diagnosis.trials) + [f"  {_trial_text(trial)}" for trial in diagnosis.trials]
    if diagnosis.proposals:
        lines.append("pages     collected in one table by NAME_all, with this in the configuration file:")
    lines += [f"  {line}" for proposal in diagnosis.proposals for line in proposal.toml.splitlines()]
    lines += ["notes"] * bool(diagnosis.notes) + [f"  {note}" for note in diagnosis.notes]
    return "".join(f"{one_line(line)}\n" for line in lines)


def _trial_text(trial: TrialView) -> str:
    called = f"{trial.tool} {trial.arguments}"
    if trial.problem:
        return f"{called}: {trial.problem}"
    rows = f", {counted(trial.rows, 'row')}" if trial.rows else ""
    fate = "would be replaced by a handle" if trial.is_replaced else "would stay as it is"
    return f"{called}: {trial.bytes:,} bytes, about {trial.tokens:,} tokens{rows}, in {trial.seconds:.2f} s; {fate}"


def machine_text(around: Machine) -> str:
    """Versions, memory, disk and what is wrong with them."""
    lines = [
        f"versions  millpond {around.millpond}, Python {around.python}, duckdb {around.duckdb}, mcp {around.mcp},"
        f" {around.system}",
        f"memory    {around.budget_bytes / GIB:.1f} GiB for the engine, of {around.memory_bytes / GIB:.1f}",
        f"disk      {around.free_bytes / GIB:.1f} GiB free in {around.folder}",
        *([f"kept      canvases, for {around.keep_days} days after their last use"] if around.keep_days else []),
        *(f"problem   {problem}" for problem in around.problems),
    ]
    return "".join(f"{line}\n" for line in lines)
