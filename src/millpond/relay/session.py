"""Session: what is done with each line, without a byte of input or output of its own.

Rule: a line goes on as it came unless it is one of the few that are edited or answered here; a call that worked never
becomes an error. Drivers feed lines and carry out the actions, whatever the transport. Imports `core`, msgspec and
the relay's modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from millpond.core.argument_names import is_kept
from millpond.core.model import Call, Outcome, Verdict
from millpond.relay.actions import Action, Ask, Learn, Look, Policy, Say, Stop, Take, ToClient, ToServer
from millpond.relay.collector import Collector, PageAsked
from millpond.relay.degraded import degraded_error
from millpond.relay.envelope import Envelope, read_envelope, read_whole
from millpond.relay.own_tools import misnamed, offers_tools, own_name, own_tool, read_listing, with_instructions
from millpond.relay.records import Records
from millpond.relay.remarks import with_remark
from millpond.relay.requests import (
    MAX_PENDING,
    MAX_TASKS,
    Remembered,
    Request,
    error_line,
    id_key,
    is_modern,
    raw_member,
    read_request,
    result_line,
    task_begun,
)
from millpond.relay.resources import (
    LISTS,
    empty_list,
    last_page,
    missing_line,
    offers_resources,
    own_uri,
    read_line,
    with_capability,
    with_tables,
    with_templates,
)
from millpond.relay.results import is_error
from millpond.relay.siblings import Shown
from millpond.relay.spans import Edit, Member, edited, members_of, string_value

OPENING = ("initialize", "server/discover")
LISTEN = "subscriptions/listen"
TASK_TOLD = "notifications/tasks"
"""What the server tells of a task of 2026-07-28 by itself; its result may be in it."""


class Session:
    """One client and one server."""

    def __init__(self, policy: Policy, now: Callable[[], str], own: Shown | None = None) -> None:
        """`now` gives the time as ISO 8601 in UTC; `own` are the own tools where the client was shown them before."""
        self._policy = policy
        self._records = Records(policy, now)
        self._pending: Remembered[Request] = Remembered(MAX_PENDING)
        self._tasks: Remembered[Request] = Remembered(MAX_TASKS)
        self._asked: set[bytes] = set()
        self._has_tools = True
        self._has_resources: bool | None = None
        """Whether the server offers resources; None until it has said so."""
        self._has_looked = False
        self._has_replaced = policy.keeps
        """True once a handle told of a table, maybe in an earlier session: before that, lists of the server stay as they came."""
        self._is_opened = False
        self._names: set[str] = set()
        self._own = None if own is None else own.query
        self._collector = Collector(policy, self._records, own)
        self._is_compared = False
        """True once the tools that the configuration names were looked for."""
        self._ended: str | None = None

    @property
    def awaited(self) -> int:
        """Requests whose answer is still to come; a subscription's is its end, and nobody waits for it."""
        sent = sum(not request.is_cancelled and request.method != LISTEN for request in self._pending.values())
        return sent + self._collector.awaited

    @property
    def own(self) -> Shown | None:
        """The own tools, once the client was shown them."""
        return None if self._own is None else Shown(self._own, self._collector.siblings)

    @property
    def wants_engine(self) -> bool:
        """True once the server is known to have tools: before that, nothing can come of an engine."""
        return self._is_opened or self._own is not None or self._records.last_number > 0 or self._has_looked

    # --- from the client ----------------------------------------------------------------------------------------

    def from_client(self, line: bytes) -> list[Action]:
        """What is done with a line of the client."""
        envelope = read_envelope(line)
        if envelope is None or envelope.method is None:
            return [ToServer(line)]
        if envelope.id is None:
            return self._notification(envelope)
        key = id_key(envelope.id)
        request = read_request(envelope, envelope.id, self._tasks, self._policy.conversation_keys)
        if (own := self._answered_here(envelope, envelope.id, request)) is not None:
            return own
        if (begun := self._collector.begin(envelope, request)) is not None:
            return begun
        if request.method == "tools/list" and raw_member(envelope, "cursor") in (None, b"null"):
            self._names.clear()
            self._collector.begin_listing()
        self._pending.add(key, request)
        return [ToServer(line)]

    def _answered_here(self, envelope: Envelope, raw_id: bytes, request: Request) -> list[Action] | None:
        """What is done with a request that the server does not get; None for one that it gets."""
        if request.method == "tools/call" and self._own is not None and request.tool == self._own:
            key = id_key(raw_id)
            self._asked.add(key)
            call = self._records.call(request, replaceable=False, note=None) if is_kept(request.arguments) else None
            token, conversation = request.progress_token, request.conversation
            return [Ask(key, raw_id, request.arguments, self._own, request.is_modern, call, token, conversation)]
        if (uri := own_uri(envelope)) is not None and self._policy.resources != "never":
            return [self._read(envelope, raw_id, uri)]
        if self._ended is not None:
            return [ToClient(error_line(raw_id, self._ended))]
        if request.method in LISTS and self._lists_alone:
            return [self._listed_resources(empty_list(request.method, raw_id, is_modern(envelope)), request.method)]
        return None

    def _notification(self, envelope: Envelope) -> list[Action]:
        if envelope.method == "notifications/cancelled":
            raw = raw_member(envelope, "requestId")
            key = id_key(raw or b"")
            if key in self._asked:
                self._asked.discard(key)
                return [Stop(key)]
            if (stopped := self._collector.cancelled(key)) is not None:
                return stopped
            request = self._pending.get(key)
            if request is not None:  # An answer may still come, and may be too long for the client.
                self._pending.add(key, replace(request, arguments=b"", is_cancelled=True))
        return [ToServer(envelope.line)]

    # --- from the server ----------------------------------------------------------------------------------------

    def from_server(self, line: bytes) -> list[Action]:
        """What is done with a line of the server."""
        envelope = read_whole(line)
        if envelope is None:
            return [ToClient(line)]
        if envelope.method is not None or envelope.id is None:
            return self._told(envelope)
        if (page := self._collector.answered(envelope.id)) is not None:
            return self._paged(page, envelope)
        request = self._pending.pop(id_key(envelope.id))
        if request is None:
            return [ToClient(line)]
        if request.tool is not None:
            return self._tool_answer(envelope, request)
        if request.method in LISTS and envelope.result is not None:
            return [self._listed_resources(envelope, request.method)]
        return [ToClient(line)] if envelope.result is None else self._other_answer(request, line, envelope.result)

    def _other_answer(self, request: Request, line: bytes, result: Member) -> list[Action]:
        if request.method in OPENING:
            return [ToClient(self._opened(line, result))]
        if request.method == "tools/list" and self._has_tools:
            return self._listed(line, result)
        return [ToClient(line)]

    def _opened(self, line: bytes, result: Member) -> bytes:
        self._has_tools = self._is_opened = offers_tools(line, result)
        self._has_resources = offers_resources(line, result)
        if not self._has_tools:
            return line
        opened = with_capability(line, result) if self._lists_alone else line
        return with_instructions(opened, Member(result.delimiter, result.start, result.stop + len(opened) - len(line)))

    def _listed(self, line: bytes, result: Member) -> list[Action]:
        listing = read_listing(line, result)
        if listing is None:
            return [ToClient(line)]
        self._names |= listing.names
        self._collector.see(listing)
        own: tuple[bytes, ...] = ()
        more: list[Action] = []
        if listing.is_last and self._names:
            self._own = own_name(self._names)
            siblings, said = self._collector.offer(self._names, self._own)
            own = (own_tool(self._own, exports=self._policy.exports), *siblings)
            more += (*self._misnamed(), *said)
        if texts := listing.texts(self._may_replace):
            more.append(Learn(texts))
        return [ToClient(listing.edited(self._may_replace, own)), *more]

    def _may_replace(self, tool: str) -> bool:
        return self._policy.mode(tool) != "never"

    def _misnamed(self) -> list[Action]:
        """What is to be said of tools that the configuration names and the server does not have; once."""
        missing = [] if self._is_compared else [name for name in self._policy.modes if name not in self._names]
        self._is_compared = True
        return [Say(misnamed(name, sorted(self._names))) for name in missing]

    # --- resources ----------------------------------------------------------------------------------------------

    @property
    def _lists_alone(self) -> bool:
        """True where resources are offered for a server that has none of its own."""
        return self._policy.resources == "always" and self._has_resources is False and self._has_tools

    def _read(self, envelope: Envelope, raw_id: bytes, uri: str) -> Action:
        is_new = is_modern(envelope)
        if not self._has_tools:
            return ToClient(missing_line(raw_id, uri, is_new, f"There is no resource {uri}: this server has no tools."))
        self._has_looked = True
        key = id_key(raw_id)
        self._asked.add(key)
        return Look(uri, key=key, id=raw_id, is_modern=is_new)

    def _listed_resources(self, envelope: Envelope, method: str) -> Action:
        """What is done with a list of the server's, or an empty one in its place."""
        line, result = envelope.line, envelope.result
        is_merged = (self._has_replaced and self._policy.resources != "never") or self._lists_alone
        listing = last_page(line, result, method) if is_merged and result is not None else None
        if listing is None:
            return ToClient(line)
        if method != "resources/list":
            return ToClient(with_templates(listing))
        if not self._records.last_number and not self._policy.keeps:  # Without a call there is no table.
            return ToClient(line)
        self._has_looked = True
        return Look("", listing)

    def looked(self, look: Look, found: bytes) -> bytes:
        """The client's line for what the engine said of a resource, or of all tables."""
        self._asked.discard(look.key)
        if look.listing is not None:
            return with_tables(look.listing, found)
        return read_line(look.id, look.uri, look.is_modern, found)

    # --- results of tools ---------------------------------------------------------------------------------------

    def _tool_answer(self, envelope: Envelope, request: Request) -> list[Action]:
        line, result = envelope.line, envelope.result
        if result is None:
            return self._tool_error(envelope, request)
        members = members_of(line, result)
        if request.method == "tasks/get":
            return self._task_result(line, members.get("result"), request)
        kind = string_value(line, members.get("resultType"))
        begun = task_begun(line, members, request, kind)
        if begun is not None:
            self._tasks.add(id_key(begun), request)
        if begun is not None or kind not in (None, "complete"):
            return [ToClient(line)]
        return self._tool_result(line, result, members, request)

    def _told(self, envelope: Envelope) -> list[Action]:
        """A notification or a request of the server; the first may bring the result of a task."""
        line = envelope.line
        if envelope.id is not None:
            self._collector.asks(envelope.method or "")
        task = raw_member(envelope, "taskId") if envelope.method == TASK_TOLD else None
        request = self._tasks.get(id_key(task)) if task is not None else None
        return (
            [ToClient(line)]
            if request is None
            else self._task_result(line, envelope.of_params().get("result"), request)
        )

    def _task_result(self, line: bytes, result: Member | None, request: Request) -> list[Action]:
        """A line that tells of a task, with its result where it has come."""
        if result is None:
            return [ToClient(line)]
        return self._tool_result(line, result, members_of(line, result), request)

    def _tool_error(self, envelope: Envelope, request: Request) -> list[Action]:
        line, error = envelope.line, envelope.error
        if error is None:
            return [ToClient(line)]
        is_too_long = len(line) > self._policy.max_line_bytes
        sent = ToClient(degraded_error(line, error) if is_too_long else line)
        if not self.wants_engine:
            return [sent]
        call = self._records.call(request, replaceable=False, note="answered with a protocol error")
        return [sent, self._records.kept(call, line, error)]

    def _tool_result(
        self, line: bytes, result: Member, members: Mapping[str, Member], request: Request
    ) -> list[Action]:
        note = "answered after it was cancelled; its arguments are not kept" if request.is_cancelled else None
        replaceable = self._own is not None and not is_error(line, members) and not request.is_cancelled
        call = self._records.call(request, replaceable=replaceable, note=note)
        why = self._why_not_taken(call, request, result.stop - result.start)
        if why is None:
            return [Take(call, line, result, self._own or own_name(()))]
        return [ToClient(self._records.carried(line, result, why)), self._records.kept(call, line, result)]

    def _why_not_taken(self, call: Call, request: Request, size_bytes: int) -> str | None:
        """Why a result is recorded only; None where the engine decides on it."""
        if request.is_cancelled:
            return "the call was cancelled"
        if size_bytes > self._policy.max_result_bytes:
            return f"the limit max_result_bytes is {self._policy.max_result_bytes:,}"
        if call.mode == "never":
            return "results of this tool are never stored as tables"
        is_small = call.mode == "auto" and size_bytes <= self._policy.inline_rows_bytes
        return "nothing was to be stored" if is_small or not call.replaceable else None

    # --- pages that are collected -------------------------------------------------------------------------------

    def _paged(self, page: PageAsked, envelope: Envelope) -> list[Action]:
        """What is done with an answer to a request of ours; a refused first page is answered as a call of the tool itself."""
        answer = self._collector.first_refused(page, envelope)
        if answer is None:
            return self._collector.came(page, envelope)
        return [Stop(id_key(answer.id or b"")), *self._tool_answer(answer, page.request)]

    def overdue(self, key: bytes) -> list[Action]:
        """The time of an alarm has come."""
        return self._collector.overdue(key)

    # --- what the engine said -----------------------------------------------------------------------------------

    def taken(self, take: Take, outcome: Outcome) -> bytes:
        """The client's line for a result that was given to the engine."""
        if outcome.verdict is Verdict.REPLACE and outcome.body is not None:
            self._has_replaced = True
            body = outcome.body if take.said is None else with_remark(outcome.body, take.said)
            return edited(take.line, Edit(take.result.start, take.result.stop, body))
        why = outcome.note or "it holds no list of rows"
        return (
            self._records.carried(take.line, take.result, why)
            if take.said is None
            else self._records.remarked(take, take.said, why)
        )

    def answered(self, ask: Ask, result: bytes) -> bytes:
        """The client's line for an own call, in the caller's era."""
        self._asked.discard(ask.key)
        if ask.is_modern:
            end = result.rindex(b"}")
            result = edited(result, Edit(end, end, b',"resultType":"complete"'))
        return result_line(ask.id, result)[0]

    # --- the server's end ---------------------------------------------------------------------------------------

    def server_ended(self, why: str) -> list[Action]:
        """What answers what the server will not: an error, or the pages that came; requests that still come are answered alike."""
        self._ended = why
        pending = [request for request in self._pending.clear() if not request.is_cancelled]
        answers: list[Action] = [ToClient(error_line(request.raw_id, why)) for request in pending]
        return [*answers, *self._collector.server_ended(why)]
