"""Many clients' requests become those of one, and what comes back is told apart."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.http.edge import Edge
from millpond.relay.envelope import read_envelope
from strategies_relay import spaces

IDS = [b"1", b'"1"', b"1.0", b'"\\u0031"', b"-7", b"12345678901234567890123", b'"a b"']


def sent(edge: Edge, line: bytes) -> tuple[int, bytes]:
    envelope = read_envelope(line)
    assert envelope
    found = edge.sent(envelope)
    assert found
    return found


def request(ident: bytes, method: bytes = b"x", params: bytes = b"{}") -> bytes:
    return b'{"jsonrpc":"2.0","id":' + ident + b',"method":"' + method + b'","params":' + params + b"}\n"


@given(st.lists(st.sampled_from(IDS), min_size=1, max_size=8), spaces, st.randoms())
def test_every_answer_comes_back_with_the_id_that_its_client_wrote(
    idents: list[bytes], space: str, random: Random
) -> None:
    """HTTPF-12"""
    edge, gap = Edge(), space.encode()
    numbers = [sent(edge, request(ident))[0] for ident in idents]
    assert len(set(numbers)) == len(idents)
    pairs = list(zip(numbers, idents, strict=True))
    random.shuffle(pairs)
    for number, ident in pairs:
        answer = b'{"result":{"odd":1.0,"id":%d},' % number + gap + b'"id":' + gap
        returned = edge.came(answer + b"%d" % number + gap + b"}\n")
        assert returned
        assert (returned.number, returned.line) == (number, answer + ident + gap + b"}\n")
        assert returned.asked
        assert returned.asked.id == ident
    assert edge.open() == ()


def test_only_the_id_and_the_progress_token_of_a_request_are_replaced() -> None:
    """HTTPF-12"""
    line = b'{"params":{"a":1.0,"a2":NaN,"_meta":{"x":1e2,"progressToken": "id"}},"method":"x", "id" : "id" }\n'
    number, came = sent(Edge(), line)
    assert came == line.replace(b'"progressToken": "id"', b'"progressToken": %d' % number).replace(
        b'"id" : "id"', b'"id" : %d' % number
    )


def test_equal_progress_tokens_do_not_meet() -> None:
    """HTTPF-12"""
    edge = Edge()
    line = request(b"1", params=b'{"_meta":{"progressToken":"t\\u0041"}}')
    first, second = sent(edge, line)[0], sent(edge, line)[0]
    notification = b'{"method":"notifications/progress","params":{"progress":1.0,"progressToken":%b}}\n'
    for number in (second, first):
        returned = edge.came(notification % b"%d" % number)
        assert returned
        assert (returned.number, returned.line) == (number, notification % b'"t\\u0041"')
    edge.forget(first)
    assert edge.came(notification % b"%d" % first) is None


def test_a_subscriptions_id_is_the_requests_own_in_all_that_it_sends() -> None:
    """HTTPF-12"""
    edge = Edge()
    number, _ = sent(edge, request(b'"mine"', b"subscriptions/listen"))
    meta = b'{"_meta":{"io.modelcontextprotocol/subscriptionId":%b},"n":1.0}'
    for line in (
        b'{"method":"notifications/tools/list_changed","params":' + meta + b"}\n",
        b'{"method":"notifications/cancelled","params":{"requestId":%b}}\n',
    ):
        returned = edge.came(line % b"%d" % number)
        assert returned
        assert (returned.number, returned.line) == (number, line % b'"mine"')
    assert edge.open() == ()
    returned = edge.came(b'{"id":%d,"result":' % number + meta % b"%d" % number + b"}\n")
    assert returned
    assert returned.line == b'{"id":"mine","result":' + meta % b'"mine"' + b"}\n"


def test_a_message_that_names_no_request_is_for_whoever_is_there() -> None:
    """HTTPF-12"""
    edge = Edge()
    number, _ = sent(edge, request(b"1"))
    line = b'{"method":"notifications/message","params":{"data":1.0}}\n'
    returned = edge.came(line)
    assert returned
    assert (returned.number, returned.line, edge.open()) == (None, line, (number,))


@pytest.mark.parametrize("line", [b"junk\n", b'{"id":99,"result":{}}\n', b'{"id":"x","result":{}}\n', b"[]\n"])
def test_what_nobody_waits_for_is_nobodys(line: bytes) -> None:
    """HTTPF-12"""
    edge = Edge()
    sent(edge, request(b"1"))
    assert edge.came(line) is None


def test_a_name_that_stands_twice_is_not_passed_on() -> None:
    """HTTPF-12"""
    for params in (b'{"a":1,"a":2}', b"[1]"):
        envelope = read_envelope(request(b"1", params=params))
        assert envelope
        assert Edge().sent(envelope) is None
    _, came = sent(Edge(), request(b"1", params=b'{"arguments":{"a":1,"a":2}}'))
    assert b'{"a":1,"a":2}' in came
    assert json.loads(came)["id"] == 1
