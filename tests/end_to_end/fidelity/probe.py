"""Probe: a short talk, as text for bytes, that holds something a proxy may lose. The tables are `PROTOCOL` and `WRITING`.

`> ` is a line of the client, `< ` one of the server, sent when all that stands above has come; `>>` and `<<` lack the
line's end. `%id` is a number of the probe's own. `%meta,` and `%version,` are what every request of 2026-07-28 carries
and `%type,` what every result does; in earlier revisions they are nothing. Lone surrogates stand for single bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
ALL, LEGACY, TASKS, MODERN = REVISIONS, REVISIONS[:2], REVISIONS[1:2], REVISIONS[2:]
"""TASKS is 2025-11-25 alone: tasks, sampling with tools, elicitation by URL."""

VERSION = (
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    '"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1.0","icons":[{"src":"data:,"}]},'
    '"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}},"extensions":{"x.example/y":{"n":1.0}}}'
)
ASKED_FOR = '> {"jsonrpc":"2.0","method":"notifications/x.example/your-turn"}'
"""Put before a talk that the server begins, so that it begins when all before has come."""
ROW = '{"large":1.10,"name":"a row of some length"}'
PARTS = {
    "%prose": "Nothing in here is a table. " * 700,
    "%rows": '{"content":[],"structuredContent":{"items":[' + ",".join([ROW] * 150) + "]}}",
    "%long": "x" * (2 << 20),
    "%digits": "7" * 5_000,
    "%lists": "[" * 1_900 + "]" * 1_900,
}
"""What is too long to stand in the table."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One talk."""

    name: str
    revisions: tuple[str, ...]
    talk: str
    edits: tuple[str, ...] = ()
    """The rules whose edits it shows."""

    def steps(self, number: int, revision: str) -> tuple[tuple[bytes, bytes], ...]:
        """What the client sends and what the server then sends, in turns."""
        lines = self.talk.strip("\n").split("\n")
        turns: list[tuple[bytes, bytes]] = []
        for line in lines if lines[0].startswith(">") else (ASKED_FOR, *lines):
            mark, text = _mark(line)
            data = _written(text, number, revision) + (b"" if len(mark) == 2 else b"\n")
            if mark[0] == "<" and turns:
                turns[-1] = (turns[-1][0], turns[-1][1] + data)
            elif mark[0] == ">" and turns and not turns[-1][1]:
                turns[-1] = (turns[-1][0] + data, b"")
            else:
                turns.append((data, b"") if mark[0] == ">" else (b"", data))
        return tuple(turns)


def _mark(line: str) -> tuple[str, str]:
    mark = line[:2] if line[:2] in (">>", "<<") else line[:1]
    assert mark in (">", "<", ">>", "<<"), line
    return mark, line[len(mark) :].removeprefix(" ")


def _written(text: str, number: int, revision: str) -> bytes:
    is_modern = revision in MODERN
    meta, kind = f'"_meta":{{{VERSION}}}', '"resultType":"complete"'
    for name, value in (("%meta", meta), ("%version", VERSION), ("%type", kind)):
        text = text.replace(f"{name},", f"{value}," if is_modern else "").replace(name, value if is_modern else "")
    for name, value in PARTS.items():
        text = text.replace(name, value)
    return text.replace("%revision", revision).replace("%id", str(1000 + number)).encode("utf-8", "surrogateescape")
