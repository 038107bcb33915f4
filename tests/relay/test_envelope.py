import pytest
from hypothesis import given

import strategies_relay as some
from millpond.relay.envelope import read_envelope

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "result",
    [
        '{"a":NaN}',
        '[-Infinity,"\\ud800"]',
        '"tab\tinside"',
        "9" * 5_000,
        DEEP,
        '{"id":2,"result":3}',
        "null",
        '"\\"id\\":7"',
    ],
    ids=lambda text: text[:20],
)
@pytest.mark.parametrize(
    "form",
    [
        '{{"jsonrpc":"2.0","id":1,"result":{}}}\n',
        '{{"result":{},"jsonrpc":"2.0","id":1}}\n',
        ' {{ "jsonrpc" : "2.0" , "result" : {} , "id" : 1 }} \r\n',
        '{{"id":1,"result":{},"jsonrpc":"2.0"}}',
    ],
)
def test_a_result_lies_exactly_where_it_was_written(form: str, result: str) -> None:
    """RELAY-04"""
    line = form.format(result).encode()
    envelope = read_envelope(line)
    assert envelope is not None
    assert (envelope.id, envelope.method) == (b"1", None)
    assert envelope.result is not None
    assert line[envelope.result.start : envelope.result.stop].rstrip() == result.encode()


def test_an_id_inside_of_params_is_not_taken_for_the_message_s() -> None:
    """RELAY-04"""
    line = f'{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":{DEEP},"id":5}}}}\n'.encode()
    envelope = read_envelope(line)
    assert envelope is not None
    assert (envelope.id, envelope.method) == (None, "notifications/x")


def test_an_invalid_byte_in_a_value_is_no_hindrance() -> None:
    """RELAY-02"""
    line = b'{"jsonrpc":"2.0","id":1,"result":{"text":"\xff\xfe"}}\n'
    envelope = read_envelope(line)
    assert envelope is not None
    assert envelope.result is not None
    assert line[envelope.result.start : envelope.result.stop] == b'{"text":"\xff\xfe"}'


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"\r\n",
        b"junk\n",
        b"{not json}\n",
        b"{}\n",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n',
        b'{"id":1',
        b"\xff\n",
    ],
)
def test_what_is_no_single_message_has_no_envelope(line: bytes) -> None:
    """RELAY-02"""
    assert read_envelope(line) is None


@given(some.lines)
def test_any_line_has_an_envelope_or_none_and_its_places_lie_in_it(line: bytes) -> None:
    """RELAY-02"""
    envelope = read_envelope(line)
    for member in (envelope.params, envelope.result, envelope.error) if envelope else ():
        assert member is None or 0 <= member.delimiter < member.start <= member.stop <= len(line)
