"""Config text: the table of settings as people read it.

Rule: `spec/config.md`, README, `--help` and `example.toml` show these texts, and tests compare them; nothing is written by hand twice.
Imports `core.config` and the standard library only.
"""

from __future__ import annotations

import json
import textwrap

from millpond.core.config import GIB, KIB, MIB, SECTIONS, SETTINGS, Setting

_WIDTH = 118
_SIZES = (("GiB", GIB), ("MiB", MIB), ("KiB", KIB), ("bytes", 1))


def settings_markdown() -> str:
    """The table of `spec/config.md`, some of whose rows the README shows: one row a setting."""
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
        blocks.append(f"[{section}]")
        for setting in _of(section):
            empty = f" {_empty(setting).capitalize()}: {setting.empty}." if setting.empty else ""
            text = f"{setting.reason[0].upper()}{setting.reason[1:]} ({bounds_text(setting)}).{empty}"
            lines = textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ")
            blocks.append("\n".join([*lines, f"# {setting.name} = {json.dumps(setting.default)}"]))
    return "\n\n".join(blocks)


def default_text(setting: Setting) -> str:
    """`4,096`, a text in quotes, or what 0 or an empty text means where that is the default."""
    if setting.choices:
        return str(setting.default)
    if isinstance(setting.default, str) and setting.default:
        return json.dumps(setting.default)
    if isinstance(setting.default, str) or setting.empty:
        return f"{_empty(setting)}: {setting.empty}"
    return _number(setting.default, setting.unit)


def bounds_text(setting: Setting) -> str:
    """`64 KiB to 4 GiB`, `1 to 100,000 rows`."""
    if setting.choices:
        return ", ".join(setting.choices)
    if isinstance(setting.default, str):
        return f"at most {setting.maximum:,} characters"
    low, high = (_number(bound, setting.unit) for bound in (setting.minimum, setting.maximum))
    if not high.endswith("iB"):
        return f"{low} to {high} {setting.unit}"
    return f"{low} to {high}" if low.endswith("iB") or low == "0" else f"{low} bytes to {high}"


def _number(value: float, unit: str) -> str:
    """Bytes from 16 KiB on in the largest unit of which they are a whole number."""
    if unit != "bytes" or value < 16 * KIB:
        return f"{value:,}"
    name, size = next((name, size) for name, size in _SIZES if value % size == 0)
    return f"{value // size:,} {name}"


def _of(section: str) -> list[Setting]:
    return [setting for setting in SETTINGS if setting.section == section]


def _empty(setting: Setting) -> str:
    return "empty" if isinstance(setting.default, str) else "0"
