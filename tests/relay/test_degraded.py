import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies_relay as some
from millpond.relay.degraded import FIRST_PART_BYTES, degraded_error, degraded_line
from millpond.relay.envelope import read_envelope
from relay_talk import answer


def degraded(result: str) -> str:
    """The text of what is left of a result."""
    line = answer(result)
    envelope = read_envelope(line)
    assert envelope is not None
    assert envelope.result is not None
    decoded = json.loads(degraded_line(line, envelope.result, "a reason"))["result"]
    (block,) = decoded["content"]
    text: str = block["text"]
    return text.split("\n\n", 1)[1]


def blocks(*texts: str) -> str:
    return json.dumps({"content": [{"type": "text", "text": text} for text in texts]})


@pytest.mark.parametrize("before", range(13))
def test_a_cut_never_falls_inside_of_a_character(before: int) -> None:
    """RELAY-11"""
    text = "x" * before + "\U0001f600" * 20_000
    first = degraded(blocks(text))
    assert text.startswith(first)
    assert len(first.encode()) <= FIRST_PART_BYTES
    assert len(first) > 2_000


def test_the_largest_part_is_what_is_shown() -> None:
    """RELAY-11"""
    assert degraded(blocks("small", "l" * 50)) == "l" * 50
    assert (
        degraded('{"content":[{"type":"text","text":"done"}],"structuredContent":{"n":1.10,"v":NaN}}')
        == '{"n":1.10,"v":NaN}'
    )
    assert degraded('{"content":[{"type":"image","data":"aaaa"}]}').startswith('{"content":[{"type":"image"')
    assert degraded('"no object"') == '"no object"'


def test_a_text_that_strict_json_refuses_is_shown_as_it_stands() -> None:
    """RELAY-11, RELAY-04"""
    assert degraded('{"content":[{"type":"text","text":"a \\ud800 b"}]}') == '"a \\ud800 b"'


@given(some.values, st.sampled_from(["", '"isError":true,', '"_meta":{"a":1},']))
def test_of_any_result_a_legal_line_is_left(value: str, member: str) -> None:
    """RELAY-11"""
    degraded(f'{{{member}"content":{value}}}')


def test_an_error_without_code_or_message_is_still_one() -> None:
    """RELAY-11"""
    line = b'{"jsonrpc":"2.0","id":1,"error":{"data":"' + b"x" * 99_999 + b'"}}\n'
    envelope = read_envelope(line)
    assert envelope is not None
    assert envelope.error is not None
    assert json.loads(degraded_error(line, envelope.error))["error"]["code"] == -32603
