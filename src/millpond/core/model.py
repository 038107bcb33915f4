"""The values that pass between the stages, and between the relay and the engine.

Rule: frozen to the bottom, no behaviour that decides anything. Imports msgspec and the standard library only.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Protocol

import msgspec

Resources = Literal["auto", "always", "never"]
"""What `[canvas] resources` may be: `auto` where the server offers resources itself, `always` also elsewhere, `never` nowhere."""
Mode = Literal["auto", "always", "never"]
"""What `[tools."NAME"] mode` may be: `auto` follows sizes, `always` replaces all with rows, `never` none."""

OWN_TABLES = ("calls", "results")
"""What every canvas has beside the tables of its results."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a stored table, as `_meta["millpond/handle"]` gives it."""

    name: str
    type: str
    """DuckDB's type, as a cast takes it: the fields of a STRUCT in quotes."""
    exact: bool = True
    """False where values were rounded (DOUBLE) or changed kind (mixed kinds in one VARCHAR)."""
    renamed_from: str | None = None
    """The key in the result, where the column's name is another."""
    note: str | None = None
    """One short phrase for the handle (`ISO 8601`, `mixed number, text`); not part of `_meta`."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the canvas, made from one list found in one result."""

    name: str
    path: str
    """JSON path of the list in the result: `$.items`."""
    rows: int
    columns: tuple[Column, ...]


class ToolNotes(msgspec.Struct, frozen=True, kw_only=True):
    """What the configuration says that one tool's results mean."""

    tool: str
    note: str = ""
    """Of all its tables."""
    tables: tuple[tuple[str, str], ...] = ()
    """(JSON path of a list, note)."""
    columns: tuple[tuple[str, str], ...] = ()
    """(column, or field as `user.login`, note), in whichever table has it."""


class ToolText(msgspec.Struct, frozen=True, kw_only=True):
    """What the server itself says of one tool."""

    name: str
    description: str = ""
    schema: bytes = b""
    """The raw JSON of its `outputSchema`; empty where it has none, or one that is too large."""


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine process is told once, at its start."""

    directory: str
    """The canvas's private directory; the database file lies in it."""
    canvas: str
    """The canvas's id, at least 60 random bits."""
    tag: str
    """Six characters that mark this canvas's table names; they tell nothing of the id."""
    memory_bytes: int
    """Budget of the engine process; DuckDB gets a part of it, the process's ceiling is this above its size at start."""
    inline_rows_bytes: int
    inline_text_bytes: int
    max_result_bytes: int
    max_line_bytes: int
    handle_tokens: int
    timeout_seconds: float
    max_rows: int
    max_answer_bytes: int
    max_cell_bytes: int
    max_calls: int
    max_tables: int
    max_canvas_bytes: int
    export_directory: str = ""
    """The user's folder for exported files, absolute; empty where none is named."""
    max_export_bytes: int = 1 << 30
    notes: tuple[ToolNotes, ...] = ()
    checkpoint_factor: int = 1
    """How much rarer checkpoints are than by default: each one that found the disk full has put the next off."""
    is_kept: bool = False
    """True where the file outlives the session, and a failure of the machine: commits wait for the disk."""
    begun_anew: str | None = None
    """Why an earlier canvas of the same session is gone; `calls` says it in its first row."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a tool of the server, as `calls` keeps it."""

    number: int
    """Counts from 1 in the order in which results came; in a canvas that was kept, from the last that it has."""
    tool: str
    arguments: bytes
    """The raw JSON text of `params.arguments`."""
    time: str
    """When the result came: ISO 8601 in UTC."""
    mode: Mode = "auto"
    replaceable: bool = True
    """False where the own tools were not shown yet, or the result is an error: it is only recorded."""
    note: str | None = None
    """What `calls` says of how it was answered, where that was not with a result in due time."""
    conversation: str | None = None
    """What the client says of the conversation that it is a part of, whose canvas keeps it; None is the session's own."""
    unkept_bytes: int = 0
    """Size of a result that is too large to be kept: it is recorded without its text. 0 where it is kept."""


# --- requests: relay to engine --------------------------------------------------------------------------------------


class Take(msgspec.Struct, frozen=True, tag="take", kw_only=True):
    """Decide on a result and store it. The frame's body is the raw `result` value. Answered by `Taken`."""

    id: int
    call: Call
    query_tool: str = "query"


class Record(msgspec.Struct, frozen=True, tag="record", kw_only=True):
    """Keep a result that already went on as it came. The body is the raw `result` value. Not answered."""

    call: Call


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """A query that concerns two canvases: it comes from another's conversation, or keeps here what another has answered."""

    lend: str | None = None
    """A file's name in the folder for exchange: the whole answer is put there, for the other canvas to keep."""
    borrow: str | None = None
    """A file's name there, which another canvas has filled: its rows are the answer, and the statement is not run."""
    notes: tuple[str, ...] = ()
    """What the other canvas said of these rows."""


class Query(msgspec.Struct, frozen=True, tag="query", kw_only=True):
    """Run the own tool. The body is the raw JSON text of `params.arguments`. Answered by `Answered`."""

    id: int
    query_tool: str = "query"
    call: Call | None = None
    """What `calls` has of it, where its answer is to be kept. Sent again, it has the same number."""
    visit: Visit | None = None
    """Where another canvas has a part in it."""
    is_resource: bool = False
    """True where the body is a `millpond://` URI, or nothing for what there is; the answer is a `Looked`, or an own error."""


class Cancel(msgspec.Struct, frozen=True, tag="cancel", kw_only=True):
    """Stop a query; it is then answered with the reason. `why` is `timeout` when the deadline passed."""

    id: int
    why: Literal["cancelled", "timeout"]


class Learn(msgspec.Struct, frozen=True, tag="learn", kw_only=True):
    """Know what the server says of its tools, for the comments of tables that are made from now on. Not answered."""

    tools: tuple[ToolText, ...]


Request = Take | Record | Query | Cancel | Learn


# --- answers: engine to relay ---------------------------------------------------------------------------------------


class Ready(msgspec.Struct, frozen=True, tag="ready", kw_only=True):
    """The engine has opened its database and takes requests."""

    last_number: int
    """The highest call number that is stored, 0 in a new canvas."""


class Verdict(StrEnum):
    """What the client gets for a result."""

    KEEP = "keep"
    """The result as it came: the frame has no body."""
    REPLACE = "replace"
    """The body is the `result` value to send instead."""
    FAILED = "failed"
    """The engine could not store it (`note` says why); nothing of it is kept."""
    NO_MEMORY = "no_memory"
    """The load ran out of memory; worth one more try when nothing else runs."""


class Taken(msgspec.Struct, frozen=True, tag="taken", kw_only=True):
    """The answer to `Take`. It is sent after the transaction is committed."""

    id: int
    verdict: Verdict
    note: str | None = None
    evicted: int = 0
    """Calls that were evicted since the process began."""


class Answered(msgspec.Struct, frozen=True, tag="answered", kw_only=True):
    """The answer to `Query`. The body is the `result` value, an own error included (`isError`, `_meta`)."""

    id: int


class Kept(msgspec.Struct, frozen=True, tag="kept", kw_only=True):
    """Recorded results that are committed now: no kill takes them any more. No body."""

    numbers: tuple[int, ...]
    """The calls' numbers, of `Record` and of `Take` answered with `KEEP`."""
    evicted: int = 0
    """Calls that were evicted since the process began."""


Answer = Ready | Taken | Answered | Kept


# --- what is known of a table's name --------------------------------------------------------------------------------


class TableState(StrEnum):
    """What the canvas knows of a name; names compare without ASCII case, as DuckDB compares them."""

    STORED = "stored"
    PENDING = "pending"
    """A small result's table: it is made when it is first named."""
    EVICTED = "evicted"
    """It was there, and went to make room."""
    DROPPED = "dropped"
    """It was there, and the agent had it dropped."""
    UNKNOWN = "unknown"


# --- what the relay asks of the engine's link -----------------------------------------------------------------------


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a result that was given to the engine."""

    verdict: Verdict
    """`KEEP`, `REPLACE` or `FAILED`; the link itself has tried again where trying again can help."""
    body: bytes | None = None
    """The `result` value to send instead, with `REPLACE`."""
    note: str | None = None
    """Why it failed, in a few words for the agent, with `FAILED`."""


class Engine(Protocol):
    """The engine as the relay sees it. Every method is called on the event loop, and none blocks it."""

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        """Have a result stored. Never raises but for cancellation; a full queue or a dead engine is `FAILED`."""
        ...

    def record(self, call: Call, result: bytes | memoryview) -> None:
        """Have a result kept that already went on. In order with the others; dropped with a log line at the bound."""
        ...

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        """Know what the server says of these tools; of each, the latest counts."""
        ...

    async def query(self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None) -> bytes:
        """The `result` value of the own tool for these raw arguments, errors included. Cancelling the task stops it.

        `call` is what `calls` gets of it, where its answer is to be kept.
        """
        ...

    async def look(self, uri: str) -> bytes:
        """What a `millpond://` URI names, or where it is empty what there is: a `core.resources.Looked` as JSON, or an own error.

        Cancelling the task stops it.
        """
        ...


class SessionEngine(Engine, Protocol):
    """The engine of a session, and those of its conversations."""

    def of(self, conversation: str) -> Engine:
        """The engine of one conversation."""
        ...
