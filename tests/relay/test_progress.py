"""Progress of own calls, without a server, an engine or a clock: pauses end when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from engine_link import on_loop
from millpond.core.model import Call, Engine, Outcome, ToolText
from millpond.relay.driver import MOST_WAITING_BYTES, ClientEnd, Driver
from millpond.relay.log import Log
from millpond.relay.requests import progress_line
from millpond.relay.server_end import ServerEnd
from relay_talk import answer, request, session, show_tools

RESULT = b'{"content":[]}'


class Gate:
    """An engine whose queries end, and whose pauses end, when that is opened."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[bytes, Call | None]] = asyncio.Queue()
        self.results: asyncio.Queue[bytes] = asyncio.Queue()
        self.pauses: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()

    async def take(self, call: Call, result: bytes | memoryview, query_tool: str) -> Outcome:
        raise NotImplementedError

    def learn(self, tools: tuple[ToolText, ...]) -> None:
        raise NotImplementedError

    def record(self, call: Call, result: bytes | memoryview) -> None:
        raise NotImplementedError

    def of(self, conversation: str) -> Gate:
        return self

    async def query(self, arguments: bytes | memoryview, query_tool: str, call: Call | None = None) -> bytes:
        await self.asked.put((bytes(arguments), call))
        return await self.results.get()

    async def look(self, uri: str) -> bytes:
        raise NotImplementedError

    async def pause(self, seconds: float) -> None:
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await self.pauses.put(over)
        await over


class Reader:
    """A client's end: what it was sent, in order."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.waiting_bytes = 0

    def write(self, line: bytes) -> None:
        self.lines.put_nowait(line)

    def hear(self, wanted: bool) -> None:
        pass

    def is_gone(self) -> bool:
        return False

    async def drain(self) -> None:
        pass


class Server:
    """A server's end that takes all and says nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given: None


class Talk:
    """A driver whose client has been shown the own tool."""

    def __init__(self) -> None:
        self.gate, self.reader = Gate(), Reader()
        relay = session()
        show_tools(relay)
        client: ClientEnd = self.reader
        engine: Engine = self.gate
        self.driver = Driver(relay, engine, Log(), client, self.gate.pause)

        async def started() -> None:
            return

        self.driver.start(lambda owner: cast(ServerEnd, Server()), started)

    async def ask(self, meta: str, id: str = "1", arguments: str = '{"sql":"x"}') -> Call | None:
        params = f'{{"name":"query","arguments":{arguments}{meta}}}'
        self.driver.from_client(request("tools/call", params, id))
        return (await self.gate.asked.get())[1]

    async def pass_time(self) -> None:
        (await self.gate.pauses.get()).set_result(None)


TOKENS = ["7", "-1", '"t\\u00e9"', '""', "123456789012345678901234567890"]


@pytest.mark.parametrize("token", TOKENS)
@on_loop
async def test_progress_rises_from_second_to_second_until_the_answer(token: str) -> None:
    """TOOLS-13"""
    talk = Talk()
    await talk.ask(f',"_meta":{{"progressToken":{token}}}')
    for seconds in (1, 2, 3):
        await talk.pass_time()
        assert await talk.reader.lines.get() == (
            b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}\n'
            % (token.encode(), seconds)
        )
    talk.gate.results.put_nowait(RESULT)
    assert await talk.reader.lines.get() == answer(RESULT)


@on_loop
async def test_none_comes_after_the_answer_though_its_time_has_come() -> None:
    """TOOLS-13"""
    talk = Talk()
    await talk.ask(',"_meta":{"progressToken":7}')
    pause = await talk.gate.pauses.get()
    talk.gate.results.put_nowait(RESULT)
    pause.set_result(None)
    assert await talk.reader.lines.get() == answer(RESULT)
    await talk.ask("", "2")
    talk.gate.results.put_nowait(RESULT)
    assert await talk.reader.lines.get() == answer(RESULT, "2")


@on_loop
async def test_none_comes_after_a_cancellation() -> None:
    """TOOLS-08 TOOLS-13"""
    talk = Talk()
    await talk.ask(',"_meta":{"progressToken":7}')
    pause = await talk.gate.pauses.get()
    talk.driver.from_client(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n')
    await asyncio.wait([pause])
    assert pause.cancelled()
    assert talk.reader.lines.empty()


@pytest.mark.parametrize(
    "meta", ["", ',"_meta":{}', ',"_meta":{"progressToken":null}', ',"_meta":{"progressToken":[1]}']
)
@on_loop
async def test_without_a_token_that_is_one_nothing_is_told(meta: str) -> None:
    """TOOLS-13"""
    talk = Talk()
    await talk.ask(meta)
    assert talk.gate.pauses.empty()
    talk.gate.results.put_nowait(RESULT)
    assert await talk.reader.lines.get() == answer(RESULT)


@on_loop
async def test_a_client_that_does_not_read_is_not_told_more() -> None:
    """TOOLS-13"""
    talk = Talk()
    await talk.ask(',"_meta":{"progressToken":7}')
    talk.reader.waiting_bytes = MOST_WAITING_BYTES + 1
    await talk.pass_time()
    second = await talk.gate.pauses.get()
    assert talk.reader.lines.empty()
    talk.reader.waiting_bytes = 0
    second.set_result(None)
    assert await talk.reader.lines.get() == progress_line(b"7", 2)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        ('{"sql":"x"}', None),
        ('{"sql":"x","save_as":null}', None),
        ('{"sql":"x","save_as":" "}', None),
        ('{"sql":"x","save_as":5}', None),
        ("[]", None),
        ('{"sql":"x","save_as":"t"}', 1),
        ('{"sql":"x","save\\u005fas":"t"}', 1),
    ],
)
@on_loop
async def test_an_own_call_whose_answer_is_kept_has_a_number(arguments: str, number: int | None) -> None:
    """RELAY-14"""
    call = await Talk().ask("", arguments=arguments)
    assert (call and call.number) == number
    assert call is None or (call.tool, call.arguments.decode()) == ("query", arguments)
