"""Payload: which part of a result is the data, and what stays beside the handle.

Rule: `structuredContent` first, else the text blocks; nothing of either is judged by its name. Imports `core.forms`, `core.raw`,
`core.relaxed` and msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from millpond.core.forms import Form, FormText, read_blocks, read_text
from millpond.core.raw import ARRAY, OBJECT, STRING, child_path, first_byte, read_elements, read_members, read_string
from millpond.core.relaxed import holds_no_long_integer, relax

MAX_COMPARED_BYTES = 32 << 20
"""Text beside `structuredContent` that is compared with it value by value; what is longer is only compared as written."""
MOST_WHITE_SPACE = 20
"""Times as long as a text that says the same `structuredContent` can be: indented and escaped, not more."""
MAX_SAID_CHARACTERS = 200
"""A short text beside `structuredContent` that is repeated in the handle."""

MAX_UNREAD_MEMBER_BYTES = 4_096
"""A member (`isError`, `_meta`, `resultType`) of this size stays beside the handle of a result that cannot be read."""
UNREAD_NOTE = "it is nested too deep or is no valid JSON, so it was not read"


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """The data of a result, as strict JSON."""

    document: msgspec.Raw
    root: str
    """The document's path in the result: `$`, or `$.result` where a member's text was opened."""
    form: Form
    markers: Mapping[bytes, bytes]
    notes: tuple[str, ...]
    kept: tuple[msgspec.Raw, ...]
    """Content blocks that are no data: they go beside the handle as they came."""
    members: Mapping[str, msgspec.Raw]
    """The result's members but `content` and `structuredContent`."""
    data_bytes: int
    """Bytes of the result without the kept blocks."""


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    resource: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Resource(msgspec.Struct, rename="camel"):
    text: str | None = None
    mime_type: str = ""


_block = msgspec.json.Decoder(_Block)
_resource = msgspec.json.Decoder(_Resource)
_text_first = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*"', re.DOTALL)
_DATA_TYPES = ("json", "csv", "tab-separated", "ndjson")


def find_payloads(result: bytes | memoryview) -> Iterator[Payload]:
    """The data of a raw `result` value: that of `structuredContent`, then that of the text blocks, none where there is none.

    Raises `msgspec.DecodeError` where the result is no JSON that can be read at all (nesting past the decoders' bounds).
    """
    markers: Mapping[bytes, bytes] = {}
    notes: tuple[str, ...] = ()
    members = _strict_members(result)
    if members is None:
        relaxed = relax(bytes(result))
        if relaxed is None:
            raise msgspec.DecodeError("no JSON of a bounded depth")
        members, markers, notes = read_members(relaxed.json), relaxed.markers, relaxed.notes
    content = members.pop("content", None)
    structured = members.pop("structuredContent", None)
    texts, kept = _sort_blocks(read_elements(content) if content is not None else ())
    beside = _Beside(kept=kept, members=members, data_bytes=len(result) - sum(map(len, kept)))
    same: tuple[str, ...] | None = None
    if structured is not None and first_byte(structured) in (OBJECT, ARRAY):
        same = _compare(structured, texts)
        opened = _open_member(structured)
        if opened is None:
            yield beside.payload(structured, "$", Form.JSON, markers, notes + same)
        else:
            root, read = opened
            yield beside.payload(msgspec.Raw(read.json), root, read.form, read.markers, notes + same + read.notes)
    if texts and same != ():
        read = read_blocks(texts)
        said = () if same is None else ("from the text blocks; structuredContent holds other data",)
        yield beside.payload(msgspec.Raw(read.json), "$", read.form, read.markers, notes + said + read.notes)


def _strict_members(result: bytes | memoryview) -> dict[str, msgspec.Raw] | None:
    """The members of a result that is strict JSON, in one pass over it; None where it has to be made strict."""
    try:
        members = read_members(result)
    except (msgspec.DecodeError, RecursionError):
        return None
    return members if holds_no_long_integer(result) else None


def unread_payload(result: bytes | memoryview) -> Payload:
    """What stands for the data of a result that is not looked into; members that are short are still kept."""
    try:
        members = read_members(result)
    except (msgspec.DecodeError, RecursionError):
        members = {}
    kept = {
        name: raw
        for name, raw in members.items()
        if name not in ("content", "structuredContent") and len(raw) <= MAX_UNREAD_MEMBER_BYTES
    }
    return _Beside(kept=(), members=kept, data_bytes=len(result)).payload(
        msgspec.Raw(b"null"), "$", Form.LINES, {}, (UNREAD_NOTE,)
    )


class _Beside(msgspec.Struct, frozen=True):
    """What a result holds beside its data."""

    kept: tuple[msgspec.Raw, ...]
    members: Mapping[str, msgspec.Raw]
    data_bytes: int

    def payload(
        self, document: msgspec.Raw, root: str, form: Form, markers: Mapping[bytes, bytes], notes: tuple[str, ...]
    ) -> Payload:
        """The payload of a document that was read so."""
        return Payload(
            document=document,
            root=root,
            form=form,
            markers=markers,
            notes=notes,
            kept=self.kept,
            members=self.members,
            data_bytes=self.data_bytes,
        )


def _sort_blocks(blocks: Sequence[msgspec.Raw]) -> tuple[tuple[str, ...], tuple[msgspec.Raw, ...]]:
    """The texts of the blocks that hold data, and the blocks that do not."""
    texts: list[str] = []
    kept: list[msgspec.Raw] = []
    for raw in blocks:
        text = _data_text(raw)
        if text is None:
            kept.append(raw)
        else:
            texts.append(text)
    return tuple(texts), tuple(kept)


def _data_text(raw: msgspec.Raw) -> str | None:
    try:
        block = _block.decode(raw)
        if block.type == "text":
            return block.text
        if block.type == "resource" and block.resource is not msgspec.UNSET:
            resource = _resource.decode(block.resource)
            if any(name in resource.mime_type for name in _DATA_TYPES):
                return resource.text
    except msgspec.DecodeError:
        return None
    return None


def _open_member(structured: msgspec.Raw) -> tuple[str, FormText] | None:
    """Where the only member is a text (`{"result": "..."}`), its path and what it holds."""
    if not _text_first.match(memoryview(structured)) or (only := _only_member(structured)) is None:
        return None
    key, value = only
    return (child_path("$", key), read_text(read_string(value))) if first_byte(value) == STRING else None


def _only_member(structured: msgspec.Raw) -> tuple[str, msgspec.Raw] | None:
    """The one member of an object that has just one, as SDKs wrap what is no object."""
    members = read_members(structured) if first_byte(structured) == OBJECT else {}
    return next(iter(members.items())) if len(members) == 1 else None


def _compare(structured: msgspec.Raw, texts: Sequence[str]) -> tuple[str, ...]:
    """What is to be said of the text blocks beside `structuredContent`."""
    if not texts or not any(texts):
        return ()
    if _same_value(structured, texts):
        return ()
    joined = "\n".join(texts)
    if len(joined) <= MAX_SAID_CHARACTERS:
        return (f"text beside it: {' '.join(joined.split())}",)
    return (f"the text blocks ({len(joined)} characters) differ from structuredContent; they are in results",)


def _same_value(structured: msgspec.Raw, texts: Sequence[str]) -> bool:
    """Whether the texts say what `structuredContent`, or its only member, holds; each is looked at only where it can be so."""
    try:
        compact = _compact(texts[0]) if len(texts) == 1 else None
        if len(texts) == 1 and compact is None:  # no JSON: it can only be a string's text
            only = _only_member(structured) if _text_first.match(memoryview(structured)) else None
            return only is not None and first_byte(only[1]) == STRING and read_string(only[1]) == texts[0]
        size = sum(map(len, texts))
        if len(structured) > MOST_WHITE_SPACE * (size + 100):
            return False
        only = _only_member(structured)
        candidates = [structured] if only is None else [structured, only[1]]
        if any(msgspec.json.format(bytes(raw), indent=-1).decode() == compact for raw in candidates if compact):
            return True
        return max(size, len(structured)) <= MAX_COMPARED_BYTES and _decoded_texts_match(candidates, texts)
    except (msgspec.DecodeError, RecursionError):
        return False


def _compact(text: str) -> str | None:
    """JSON without white space between its tokens, or None where the text is none."""
    try:
        return msgspec.json.format(text, indent=-1)
    except msgspec.DecodeError:
        return None


def _decoded_texts_match(candidates: Sequence[msgspec.Raw], texts: Sequence[str]) -> bool:
    values = [msgspec.json.decode(raw) for raw in candidates]
    if len(texts) == 1 and texts[0] in values:
        return True
    read = [_json_or_text(text) for text in texts]
    return read in values or (len(read) == 1 and read[0] in values)


def _json_or_text(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
