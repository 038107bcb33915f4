import json

import pytest
from hypothesis import given

import strategies_relay as some
from millpond.relay.spans import Edit, edited, harmless, list_elements, object_members


def written(members: dict[str, str], space: str) -> bytes:
    inner = ",".join(f"{space}{json.dumps(name)}{space}:{space}{value}{space}" for name, value in members.items())
    return ("{" + (inner or space) + "}").encode()


@given(some.members, some.spaces, some.spaces)
def test_members_lie_where_they_were_written(members: dict[str, str], space: str, around: str) -> None:
    """RELAY-04"""
    text = around.encode() + written(members, space) + around.encode()
    found = object_members(text)
    assert found is not None
    assert {name: text[member.start : member.stop] for name, member in found.items()} == {
        name: value.encode() for name, value in members.items()
    }
    assert all(text[member.delimiter : member.delimiter + 1] in (b"{", b",") for member in found.values())


@given(some.elements, some.spaces)
def test_elements_lie_where_they_were_written(elements: list[str], space: str) -> None:
    """RELAY-04"""
    inner = ",".join(f"{space}{element}{space}" for element in elements) or space
    text = f"before [{inner}]after".encode()
    found = list_elements(text, 7, len(text) - 5)
    assert found is not None
    assert [text[element.start : element.stop] for element in found] == [element.encode() for element in elements]


@given(some.members, some.spaces)
def test_an_edit_of_a_member_changes_nothing_else(members: dict[str, str], space: str) -> None:
    text = written(members, space)
    for name, member in (object_members(text) or {}).items():
        assert edited(text, Edit(member.start, member.stop, b"0")) == written({**members, name: "0"}, space)


@given(some.values)
def test_the_harmless_copy_has_the_same_length(value: str) -> None:
    assert len(harmless(value.encode())) == len(value.encode())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'"a"',
        b'{"a":1',
        b'{"a":1} x',
        b'{"a":1,"b":2,"a":3}',
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_object_or_cannot_be_edited_exactly_has_no_members(text: bytes) -> None:
    assert object_members(text) is None


@pytest.mark.parametrize("text", [b"", b"{}", b"[1", b"[1] x", b"[" * 100_000 + b"]" * 100_000])
def test_what_is_no_list_has_no_elements(text: bytes) -> None:
    assert list_elements(text, 0, len(text)) is None
