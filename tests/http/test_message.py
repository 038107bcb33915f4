"""What a line is to an HTTP server, and what answers it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.http.message import Waiting, answered_keys, one_line, read_message, with_id


@pytest.mark.parametrize(
    ("line", "ids", "method"),
    [
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}\n', (b"1.0",), "ping"),
        (b'{"jsonrpc":"2.0","method":"notifications/x"}\r\n', (), "notifications/x"),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', (), None),
        (
            b'[{"id":1,"method":"a"},{"id":"b","method":"b"},{"method":"c"},{"id":2,"result":{}}]\n',
            (b"1", b'"b"'),
            None,
        ),
        (b"[1, {}, junk]\n", (), None),
        (b"junk\n", (), None),
    ],
)
def test_a_line_holds_these_requests(line: bytes, ids: tuple[bytes, ...], method: str | None) -> None:
    """HTTPC-01, HTTPC-13"""
    message = read_message(line)
    assert message is not None
    assert (message.body, message.ids, message.method) == (line.rstrip(b"\r\n"), ids, method)


@pytest.mark.parametrize("line", [b"\n", b"", b" \t\r\n"])
def test_a_blank_line_is_no_message(line: bytes) -> None:
    """HTTPC-01"""
    assert read_message(line) is None


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        (b'{"id":1,"result":{}}', (b"1",)),
        (b'{"id":1,"method":"ping"}', ()),
        (b'{"id":null,"error":{}}', ()),
        (b'[{"id":1,"result":{}},{"id":"a","error":{}},{"method":"x"}]', (b"1", b'"a"')),
        (b"junk", ()),
    ],
)
def test_a_line_answers_these_requests(line: bytes, keys: tuple[bytes, ...]) -> None:
    """HTTPC-13"""
    assert answered_keys(line) == keys


@pytest.mark.parametrize(
    ("line", "edited"),
    [
        (b'{"error":{"n":1.0},"id":null,"jsonrpc":"2.0"}', b'{"error":{"n":1.0},"id":7,"jsonrpc":"2.0"}'),
        (b'{ "error":{},"jsonrpc":"2.0"}', b'{"id":7, "error":{},"jsonrpc":"2.0"}'),
        (b'{"jsonrpc":"2.0", "error":{}}', b'{"jsonrpc":"2.0","id":7, "error":{}}'),
        (b'{"jsonrpc":"2.0","id":"server-error","error":{}}', b'{"jsonrpc":"2.0","id":7,"error":{}}'),
        (b'{"jsonrpc":"2.0","id":1,"error":{}}', None),
        (b'{"jsonrpc":"2.0","id":null,"result":{}}', None),
        (b'{"jsonrpc":"2.0","method":"x","error":{}}', None),
        (b'{"error":"invalid_token","error_description":"expired"}', None),
        (b'{"error":{"code":401,"message":"expired"}}', None),
        (b'{"jsonrpc":"2.0","error":"expired"}', None),
        (b"junk", None),
    ],
)
def test_an_error_that_names_no_request_gets_the_id_of_ours(line: bytes, edited: bytes | None) -> None:
    """HTTPC-13"""
    assert with_id(line, b"7") == edited


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_value_is_the_same_on_one_line(value: object) -> None:
    """HTTPC-01"""
    for indent in (None, 2):
        text = json.dumps(value, indent=indent).encode()
        line = one_line(text.replace(b"\n", b"\r\n"))
        assert line.count(b"\n") == 1
        assert json.loads(line) == value
        assert one_line(line) is line


def test_what_waits_is_struck_out_by_its_key() -> None:
    """HTTPC-13"""
    waiting = Waiting((b"1", b'"\\u0061"'))
    assert not waiting.take((b"1.0",))
    assert waiting.take((b'"a"', b"2"))
    assert waiting.left == (b"1",)
