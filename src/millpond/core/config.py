"""Config: what a configuration says, as frozen values, and the one table of settings.

Rule: a setting's name, unit, default, bounds and reason stand here and nowhere else; parsing, `--help`, the
table in `spec/config.md` and the check of `example.toml` are derived from them. A number's name ends in its unit.
Imports `core.model`, `core.paging`, msgspec and the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, TypeVar, get_args

import msgspec

from millpond.core.model import EngineSettings, Mode, Resources, ToolNotes
from millpond.core.paging import Paging, sibling_name

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
MAX_RESULT_BYTES = 256 * MIB
"""The largest result that is taken where `max_result_bytes` is 0 and the memory budget allows it."""
MEMORY_PARTS_A_RESULT = 6
"""A result may be one part in so many of the memory budget: decoding and storing it takes up to six times its bytes."""

_Value = TypeVar("_Value", int, float, str)


def _setting(default: _Value, minimum: float, maximum: float, reason: str, *, empty: str = "") -> _Value:
    """A field of a section with its line of the table; see `Setting` for the parts."""
    line = {"minimum": minimum, "maximum": maximum, "reason": reason, "empty": empty}
    return field(default=default, metadata=line)


def _choice(default: str, choices: tuple[str, ...], reason: str) -> Any:
    """The same of a word that is one of a few."""
    line = {"minimum": 1, "maximum": max(map(len, choices)), "reason": reason, "empty": "", "choices": choices}
    return field(default=default, metadata=line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The wrapped server as a command."""

    name: str
    """NAME of `[servers.NAME]`, or the command's last path part: for messages only."""
    command: tuple[str, ...]
    """The command and its arguments; at least one, none with a NUL character."""
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Variables that are set for the server on top of the whole environment."""
    cwd: str | None = None
    """The folder it starts in; None is the one that Millpond was started in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """The wrapped server at a URL."""

    name: str
    """NAME of `[servers.NAME]`, or the URL's host: for messages only."""
    url: str = field(repr=False)
    """Of http or https, with a host; its path and query may hold a secret."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Sent with every request to the URL's origin, and to no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """`[results]`: what is replaced by a handle, and how large a result may be."""

    inline_rows_bytes: int = _setting(
        4_096, 0, 10 * MIB, "rows up to this size stay as they came; a handle takes 800 to 1,800 bytes"
    )
    inline_text_bytes: int = _setting(
        32_768, 0, 10 * MIB, "prose, a file or one record up to this size stays as it came, so that reading one works"
    )
    max_result_bytes: int = _setting(
        0,
        64 * KIB,
        4 * GIB,
        "a larger result gets no table: it goes on as it came, or its first part where no line can carry it",
        empty="256 MiB, or a sixth of memory_bytes if that is less",
    )
    max_line_bytes: int = _setting(
        10 * MIB, 64 * KIB, GIB, "no longer line is sent: hosts on the TypeScript SDK drop the connection beyond 10 MiB"
    )
    handle_tokens: int = _setting(
        300, 100, 4_000, "the most that a handle takes of the context; its preview gives way first"
    )
    max_waiting_bytes: int = _setting(
        512 * MIB, MIB, 64 * GIB, "results that wait to be stored; beyond it they go on without a table"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """`[query]`: what one query may take, and how much it may answer."""

    timeout_seconds: float = _setting(10.0, 0.1, 3_600, "a query is answered by then, with an error if it must be")
    grace_seconds: float = _setting(
        2.0, 0.1, 60, "a query that does not stop is ended with the engine's process after this"
    )
    max_rows: int = _setting(100, 1, 100_000, "rows in one answer; the agent can ask for fewer, or page")
    max_answer_bytes: int = _setting(64 * KIB, KIB, 10 * MIB, "one answer; common hosts cut at about 25,000 tokens")
    max_cell_bytes: int = _setting(512, 16, MIB, "one cell; the answer says how to get the rest")


@dataclass(frozen=True, slots=True, kw_only=True)
class PagingLimits:
    """`[paging]`: how much of a listing one call of `NAME_all` collects; a tool's own table may say otherwise."""

    max_pages: int = _setting(100, 1, 100_000, "pages of one listing; then the answer says where to go on")
    max_bytes: int = _setting(
        64 * MIB,
        64 * KIB,
        4 * GIB,
        "results of one listing, at most max_result_bytes; then the answer says where to go on",
    )
    max_seconds: float = _setting(
        50.0, 1, 3_600, "for one listing; hosts on the TypeScript SDK give up a call after 60 seconds"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """`[canvas]`: the private database of one session."""

    memory_bytes: int = _setting(
        0,
        128 * MIB,
        1_024 * GIB,
        "memory that the engine's process may take for results and queries",
        empty="a quarter of the machine's or the container's, at most 4 GiB; over HTTP half of it for all engines",
    )
    max_calls: int = _setting(10_000, 1, 10_000_000, "calls that are kept; the oldest go first, and it is said")
    max_tables: int = _setting(
        2_000,
        1,
        1_000_000,
        "tables at once, each 100 to 400 KiB of memory; the calls with the oldest go first, and it is said",
    )
    max_canvas_bytes: int = _setting(
        4 * GIB,
        16 * MIB,
        1_024 * GIB,
        "results kept, as they came; the file takes twice that; the oldest calls go first, and it is said",
    )
    conversation_keys: str = _setting(
        "vscode.conversationId openai/session threadId",
        0,
        1_024,
        "keys of a call's _meta that tell its conversation (VS Code, ChatGPT, Codex), each with a canvas of its own",
    )
    max_conversations: int = _setting(
        16,
        1,
        10_000,
        "canvases of conversations in one session; the one not used longest ends for another, with its tables",
    )
    engine_idle_seconds: float = _setting(
        300.0, 1, 604_800, "an engine that nobody asks for so long ends; it starts again when it is asked, in 0.3 s"
    )
    directory: str = _setting(
        "", 1, 4_096, "where the private folder of the database is made", empty="the temporary folder of the system"
    )
    keep_days: int = _setting(
        0,
        1,
        3_650,
        "for so long after its last use a canvas is found again, with all its tables: rows stay on the disk, in directory",
        empty="a canvas ends with its session",
    )
    resources: Resources = _choice(  # noqa: RUF009  # a field, as the others are
        "auto",
        get_args(Resources),
        "tables as MCP resources: where the server offers resources itself, always, or never",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """`[export]`: where answers of `query` may be written as files."""

    directory: str = _setting(
        "",
        1,
        4_096,
        "an existing folder, by its absolute path, in which query may write new files (CSV, Parquet, JSON Lines)",
        empty="query writes no files",
    )
    max_export_bytes: int = _setting(
        GIB, KIB, 1_024 * GIB, "one file; a larger one is refused, and nothing of it is left"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """`[http]`: what holds where Millpond itself is served over HTTP (`--http`)."""

    max_body_bytes: int = _setting(4 * MIB, KIB, GIB, "the body of one request; a larger one is answered 413")
    max_sessions: int = _setting(
        32, 1, 10_000, "sessions at once, each with a server and a canvas of its own; one more is answered 503"
    )
    max_engines: int = _setting(
        8, 1, 1_000, "engines at once; the one that nobody asked longest ends for another, one at work never"
    )
    session_idle_seconds: float = _setting(
        1_800.0, 1, 604_800, "a session that no client is connected to for so long is ended, and its tables with it"
    )
    max_kept_bytes: int = _setting(
        16 * MIB, 64 * KIB, 4 * GIB, "what a session keeps for a client that lost its connection and comes back"
    )
    poll_seconds: float = _setting(
        0.0,
        0.1,
        3_600,
        "a connection that waits longer for its answer is closed, and the client comes back: for gateways with limits",
        empty="never",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    """`[inspect]`: what `millpond inspect` can show of a session."""

    max_kept_bytes: int = _setting(
        4 * MIB,
        0,
        GIB,
        "handles, queries and answers kept for the page of millpond inspect; 0 keeps the session off it",
    )
    directory: str = _setting(
        "", 1, 4_096, "where sessions are found by millpond inspect", empty="a folder of this user alone in /tmp"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """`[stats]`: the local record that `millpond stats` reads: names of servers and tools, and numbers."""

    keep_days: int = _setting(
        90, 0, 3_650, "a session's counts stay in the local record for so long, at most twice; with 0 none are written"
    )
    max_record_bytes: int = _setting(
        MIB, 256 * KIB, GIB, "the local record of counts; a session takes about 500 bytes, and the oldest go first"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All that a start needs to know."""

    server: Server | RemoteServer
    results: Results = field(default_factory=Results)
    query: Query = field(default_factory=Query)
    paging: PagingLimits = field(default_factory=PagingLimits)
    canvas: Canvas = field(default_factory=Canvas)
    export: Export = field(default_factory=Export)
    http: Http = field(default_factory=Http)
    inspect: Inspect = field(default_factory=Inspect)
    stats: Stats = field(default_factory=Stats)
    modes: Mapping[str, Mode] = field(default_factory=lambda: MappingProxyType({}))
    """A mode for each tool that `[tools."NAME"]` names; the others are `auto`."""
    notes: tuple[ToolNotes, ...] = ()
    """What it says that their tables and columns mean."""
    collected: Mapping[str, Paging] = field(default_factory=lambda: MappingProxyType({}))
    """How the pages of a tool are collected, for each that has `[tools."NAME".all]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One line of the table of settings."""

    section: str
    name: str
    default: int | float | str
    """Its type is the setting's type; a float takes whole numbers too."""
    minimum: float
    """Inclusive; of a text, its length in characters."""
    maximum: float
    """Inclusive; of a text, its length in characters."""
    reason: str
    """What it bounds and why the default is what it is: one line."""
    empty: str
    """What 0 (or an empty text) means where that is the default, else empty."""
    choices: tuple[str, ...] = ()
    """Of a word, those that it may be; else empty."""

    @property
    def key(self) -> str:
        """`results.handle_tokens`."""
        return f"{self.section}.{self.name}"

    @property
    def unit(self) -> str:
        """`bytes`, `seconds`, `tokens`, `rows`, `calls`, `days` and so on: the last word of the name. Of a text, `path` or `word`."""
        if self.choices:
            return "word"
        return "path" if isinstance(self.default, str) else self.name.rpartition("_")[2]


_Section = Results | Query | PagingLimits | Canvas | Export | Http | Inspect | Stats
SECTIONS: Mapping[str, type[_Section]] = MappingProxyType(
    {
        "results": Results,
        "query": Query,
        "paging": PagingLimits,
        "canvas": Canvas,
        "export": Export,
        "http": Http,
        "inspect": Inspect,
        "stats": Stats,
    }
)
"""The tables of the file that hold settings."""


def _line(section: str, entry: Field[Any]) -> Setting:
    default: Any = entry.default
    return Setting(section=section, name=entry.name, default=default, **entry.metadata)


SETTINGS: tuple[Setting, ...] = tuple(
    _line(section, entry) for section, values in SECTIONS.items() for entry in fields(values)
)
"""The one table, in the order in which it is printed."""


def engine_settings(config: Config, directory: str, canvas: str, tag: str, memory_bytes: int) -> EngineSettings:
    """What the engine process is told.

    `memory_bytes` is the budget that holds: `config.canvas.memory_bytes`, or what 0 comes to on this machine (above 0).
    """
    results, query = config.results, config.query
    return EngineSettings(
        directory=directory,
        canvas=canvas,
        tag=tag,
        memory_bytes=memory_bytes,
        inline_rows_bytes=results.inline_rows_bytes,
        inline_text_bytes=results.inline_text_bytes,
        max_result_bytes=results.max_result_bytes or min(MAX_RESULT_BYTES, memory_bytes // MEMORY_PARTS_A_RESULT),
        max_line_bytes=results.max_line_bytes,
        handle_tokens=results.handle_tokens,
        timeout_seconds=query.timeout_seconds,
        max_rows=query.max_rows,
        max_answer_bytes=query.max_answer_bytes,
        max_cell_bytes=query.max_cell_bytes,
        max_calls=config.canvas.max_calls,
        max_tables=config.canvas.max_tables,
        max_canvas_bytes=config.canvas.max_canvas_bytes,
        export_directory=config.export.directory,
        max_export_bytes=config.export.max_export_bytes,
        notes=_notes(config),
    )


def _notes(config: Config) -> tuple[ToolNotes, ...]:
    """The notes on all tools: what is noted of a tool holds for the table of all its pages."""
    collected = (notes for notes in config.notes if notes.tool in config.collected)
    return (*config.notes, *(msgspec.structs.replace(notes, tool=sibling_name(notes.tool)) for notes in collected))
