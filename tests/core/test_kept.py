"""Which kept canvas is whose, and what is written beside it."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.claim import Claim, words_of
from millpond.core.config import RemoteServer, Server
from millpond.core.kept import DAY_SECONDS, Identity, is_over, read, written

IDENTITY = Identity(canvas="0123456789abcdef0123", tag="k7q2xd", keep_days=7)


def test_every_difference_of_server_folder_caller_and_conversation_is_another_canvas() -> None:
    """CANVAS-19"""
    local = Server(name="a", command=("npx", "x"))
    servers = (
        local,
        Server(name="b", command=("npx", "x")),
        Server(name="a", command=("npx", "x", "y")),
        Server(name="a", command=("npx", "x"), cwd="/srv"),
        Server(name="a", command=("npx", "x"), env={"TOKEN": "1"}),
        Server(name="a", command=("npx", "x"), env={"TOKEN": "2"}),
        RemoteServer(name="a", url="https://h/mcp"),
        RemoteServer(name="a", url="https://h/mcp", headers={"Authorization": "1"}),
        RemoteServer(name="a", url="https://h/mcp", headers={"Authorization": "2"}),
    )
    claims = [
        *(Claim(server=words_of(server), folder="/w") for server in servers),
        Claim(server=words_of(local), folder="/v"),
        Claim(server=words_of(local), folder="/w", token="t"),
    ]
    keys = [claim.key(None) for claim in claims]
    keys += [Claim(server=words_of(server)).key("c") for server in servers]
    keys += [Claim(server=words_of(local), token="t").key("c"), Claim(server=words_of(local)).key("d")]
    assert all(one != other for one, other in combinations(keys, 2))


def test_a_conversation_is_found_from_any_folder_and_the_sessions_own_canvas_from_none_but_its_own() -> None:
    """CANVAS-19"""
    server = words_of(Server(name="a", command=("x",), env={"B": "1", "A": "2"}))
    assert server == words_of(Server(name="a", command=("x",), env={"A": "2", "B": "1"}))
    assert Claim(server=server, folder="/w").key("c") == Claim(server=server, folder="/v").key("c")
    assert Claim(server=server).key(None) is None


def test_what_was_written_is_read_again() -> None:
    """CANVAS-17"""
    assert read(written(IDENTITY)) == IDENTITY


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2},
        {"canvas": "x"},
        {"tag": "../../.."},
        {"keep_days": 0},
        {"keep_days": "7"},
    ],
)
def test_what_another_version_or_another_hand_wrote_is_nothing(changes: dict[str, object]) -> None:
    """CANVAS-20"""
    import msgspec

    assert read(msgspec.json.encode({**msgspec.to_builtins(IDENTITY), **changes})) is None


@given(st.binary() | st.binary().map(lambda tail: written(IDENTITY)[: len(tail)] + tail))
def test_any_bytes_are_an_identity_or_nothing(data: bytes) -> None:
    """CANVAS-20"""
    assert read(data) is None or isinstance(read(data), Identity)


def test_a_canvas_is_over_when_its_days_have_passed_and_not_at_that_moment() -> None:
    """CANVAS-21"""
    assert not is_over(1_000.0, 2, 1_000.0 + 2 * DAY_SECONDS)
    assert is_over(1_000.0, 2, 1_001.0 + 2 * DAY_SECONDS)
    assert not is_over(5_000.0, 1, 1_000.0)
