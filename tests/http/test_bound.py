"""The sockets of the front: what is written to a connection is on its way at once."""

from __future__ import annotations

import asyncio
import socket

from millpond.core.listen import Listen
from millpond.http.serve import bound


def test_no_answer_waits_for_the_acknowledgement_of_its_first_piece() -> None:
    """HTTPF-26"""

    async def option() -> int:
        options: asyncio.Queue[int] = asyncio.Queue()

        async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            options.put_nowait(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        (one,) = bound(Listen(host="127.0.0.1", port=0))
        async with asyncio.timeout(30), await asyncio.start_server(on_connection, sock=one):
            _, writer = await asyncio.open_connection(*one.getsockname())
            writer.close()
            return await options.get()

    assert asyncio.run(option())
