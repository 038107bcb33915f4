"""Payload: which part of a result is the data, and what is said of the other."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from millpond.core.forms import Form
from millpond.core.payload import MAX_SAID_CHARACTERS, Payload, find_payloads

IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


def result(*blocks: str | dict[str, Any], **members: object) -> bytes:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return json.dumps({"content": content, **members}).encode()


def found(raw: bytes) -> list[Payload]:
    return list(find_payloads(raw))


def document(payload: Payload) -> Any:
    return json.loads(bytes(payload.document))


def test_structured_content_comes_first_and_differing_text_second() -> None:
    """PAYLOAD-01"""
    first, second = found(result('[{"b":2}]', structuredContent={"a": 1, "c": 2}))
    assert (document(first), first.root, first.form, first.notes) == (
        {"a": 1, "c": 2},
        "$",
        Form.JSON,
        ('text beside it: [{"b":2}]',),
    )
    assert (document(second), second.root, second.form) == ([{"b": 2}], "$", Form.JSON)
    assert second.notes == ("from the text blocks; structuredContent holds other data",)


@pytest.mark.parametrize("structured", [None, 5, "text", True])
def test_structured_content_that_is_neither_object_nor_list_is_passed_over(structured: object) -> None:
    """PAYLOAD-01"""
    (only,) = found(result('{"a":1,"b":2}', structuredContent=structured))
    assert (document(only), only.notes) == ({"a": 1, "b": 2}, ())


def test_a_result_without_either_has_no_data() -> None:
    """PAYLOAD-01"""
    assert found(b"{}") == []
    assert found(result(IMAGE)) == []


@pytest.mark.parametrize(
    ("structured", "texts"),
    [
        ({"a": [1, 2]}, ['{ "a" : [1, 2] }']),
        ({"result": [1, 2]}, ["[1,2]"]),
        ({"result": [{"a": 1}, {"a": 2}]}, ['{"a":1}', '{"a":2}']),
        ({"result": [7]}, ["7"]),
        ({"result": "plain words"}, ["plain words"]),
        ({"result": "5"}, ["5"]),
        ({"result": ["one", "two"]}, ["one", "two"]),
        ({"b": 1, "a": 2}, ['{"a":2,"b":1}']),
        ([{"a": 1}], ['[{"a":1}]']),
        ({"a": 1}, []),
        ({"a": 1}, [""]),
    ],
)
def test_text_that_says_the_same_is_not_mentioned(structured: object, texts: list[str]) -> None:
    """PAYLOAD-03"""
    payloads = found(result(*texts, structuredContent=structured))
    assert [payload.notes for payload in payloads] == [()]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("12  rows\nfound", "text beside it: 12 rows found"),
        ("w" * MAX_SAID_CHARACTERS, "text beside it: " + "w" * MAX_SAID_CHARACTERS),
        (
            "w" * (MAX_SAID_CHARACTERS + 1),
            f"the text blocks ({MAX_SAID_CHARACTERS + 1} characters) differ from structuredContent; they are in results",
        ),
        ('{"a":2}', 'text beside it: {"a":2}'),
        ("[" * 5000, "the text blocks (5000 characters) differ from structuredContent; they are in results"),
    ],
)
def test_text_that_differs_is_repeated_or_said_to_differ(text: str, note: str) -> None:
    """PAYLOAD-03"""
    first, _ = found(result(text, structuredContent={"a": 1}))
    assert first.notes == (note,)


@pytest.mark.parametrize(
    ("structured", "root", "form"),
    [
        ({"result": "[1,2]"}, "$.result", Form.JSON),
        ({"odd key": "a,b\n1,2\n3,4\n5,6"}, '$."odd key"', Form.CSV),
        ({"result": "words"}, "$.result", Form.LINES),
        ({"result": "[1,2]", "more": 1}, "$", Form.JSON),
        ({"result": ["[1,2]"]}, "$", Form.JSON),
        (["[1,2]"], "$", Form.JSON),
    ],
)
def test_an_only_member_that_is_text_is_opened(structured: object, root: str, form: Form) -> None:
    """PAYLOAD-02"""
    (only,) = found(result(structuredContent=structured))
    assert (only.root, only.form) == (root, form)


def test_what_the_opened_text_needed_is_said() -> None:
    """PAYLOAD-02 PAYLOAD-06"""
    (only,) = found(result(structuredContent={"result": '[{"v":NaN},{"v":1}]'}))
    assert b"NaN" in only.markers.values()
    assert len(only.notes) == 1


@pytest.mark.parametrize(
    ("mime_type", "data"),
    [
        ("application/json", True),
        ("application/vnd.api+json", True),
        ("application/x-ndjson", True),
        ("text/csv", True),
        ("text/tab-separated-values", True),
        ("text/plain", False),
        ("text/html", False),
        ("", False),
    ],
)
def test_a_text_resource_of_a_data_type_is_data(mime_type: str, data: bool) -> None:
    """PAYLOAD-04"""
    block = {"type": "resource", "resource": {"uri": "a:b", "mimeType": mime_type, "text": "[1,2]"}}
    payloads = found(result(block, "[3]" if not data else ""))
    assert [json.loads(bytes(raw)) for raw in payloads[0].kept] == ([] if data else [block])


@pytest.mark.parametrize(
    "block",
    [
        IMAGE,
        {"type": "resource_link", "uri": "a:b", "name": "n"},
        {"type": "resource", "resource": {"uri": "a:b", "mimeType": "application/json", "blob": "AAAA"}},
        {"type": "resource"},
        {"type": "resource", "resource": 5},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": 5, "text": "x"},
        {"text": "no type"},
    ],
)
def test_any_other_block_is_kept_as_it_came_and_does_not_count(block: dict[str, Any]) -> None:
    """PAYLOAD-04 PLAN-04"""
    raw = result("[1,2]", block)
    (only,) = found(raw)
    assert list(map(bytes, only.kept)) == [json.dumps(block).encode()]
    assert only.data_bytes == len(raw) - len(json.dumps(block))
    assert document(only) == [1, 2]


def test_members_of_others_are_kept_by_their_bytes() -> None:
    """PAYLOAD-05"""
    raw = b'{"content":[],"structuredContent":{"a":[1]},"_meta":{"x":1.0},"vendor": 1e2}'
    (only,) = found(raw)
    assert {key: bytes(value) for key, value in only.members.items()} == {"_meta": b'{"x":1.0}', "vendor": b"1e2"}


def test_a_result_that_strict_json_refuses_is_read_and_says_what_was_changed() -> None:
    """PAYLOAD-06"""
    (only,) = found(b'{"structuredContent":{"a":[NaN,1]},"content":[]}')
    assert only.notes
    restored = bytes(only.document)
    for marker, word in only.markers.items():
        restored = restored.replace(marker, word)
    assert restored == b'{"a":[NaN,1]}'


def test_text_that_strict_json_refuses_is_read_too() -> None:
    """PAYLOAD-06"""
    (only,) = found(result('[{"v":NaN}]'))
    assert (b"NaN" in only.markers.values(), only.root, only.form) == (True, "$", Form.RELAXED_JSON)


def test_several_texts_are_repeated_as_one() -> None:
    """PAYLOAD-03"""
    assert found(result("one", "two", structuredContent={"a": 1}))[0].notes == ("text beside it: one two",)


def test_a_long_integer_is_kept_as_text_and_said() -> None:
    """PAYLOAD-06"""
    (only,) = found(b'{"structuredContent":{"a":[' + b"7" * 5000 + b"]}}")
    assert document(only) == {"a": ["7" * 5000]}
    assert only.notes


@pytest.mark.parametrize("raw", [b"[1", b'{"content":' + b"[" * 100_000, b"nope"])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        found(raw)


def test_bytes_and_views_are_read_alike() -> None:
    raw = result("[1,2]")
    assert document(found(raw)[0]) == document(next(find_payloads(memoryview(raw))))
