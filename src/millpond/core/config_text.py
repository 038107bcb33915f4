"""Config text: the table of settings as people read it.

Rule: README, `--help` and `example.toml` show these texts, and tests compare them; nothing is written by hand twice.
Imports `core.config` and the standard library only.
"""

from __future__ import annotations

import json

from millpond.core.config import SECTIONS, SETTINGS, Setting


def settings_markdown() -> str:
    """The README's table: one row a setting."""
    rows = ["| setting | default | bounds | what it bounds, and why |", "|---|---|---|---|"]
    rows += [f"| `{s.key}` | {default_text(s)} | {bounds_text(s)} | {s.reason} |" for s in SETTINGS]
    return "\n".join(rows)


def settings_help() -> str:
    """The lines of `--help`: name and default, then the reason."""
    lines: list[str] = []
    for section in SECTIONS:
        lines.append(f"  [{section}]")
        for setting in _of(section):
            lines += [f"    {setting.name} = {default_text(setting)}", f"        {setting.reason}"]
    return "\n".join(lines)


def settings_toml() -> str:
    """The tables of `example.toml`: every setting commented out at its default, under its reason and bounds."""
    blocks: list[str] = []
    for section in SECTIONS:
        lines = [f"[{section}]"]
        for setting in _of(section):
            lines += [f"# {line}" for line in (setting.reason, f"({bounds_text(setting)})")]
            if setting.empty:
                lines.append(f"# {_empty(setting)}: {setting.empty}.")
            lines.append(f"# {setting.name} = {json.dumps(setting.default)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def default_text(setting: Setting) -> str:
    """`4,096`, or what 0 or an empty text means where that is the default."""
    if setting.empty:
        return f"{_empty(setting)} ({setting.empty})"
    return f"{setting.default:,}"


def bounds_text(setting: Setting) -> str:
    """`0 to 10,485,760 bytes`."""
    if isinstance(setting.default, str):
        return f"at most {setting.maximum:,} characters"
    return f"{setting.minimum:,} to {setting.maximum:,} {setting.unit}"


def _of(section: str) -> list[Setting]:
    return [setting for setting in SETTINGS if setting.section == section]


def _empty(setting: Setting) -> str:
    return "empty" if isinstance(setting.default, str) else "0"
