"""Payload: which part of a result is the data, and what stays beside the handle.

Rule: `structuredContent` first, else the text blocks; nothing of either is judged by its name. Imports `core.forms` and msgspec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from millpond.core.forms import Form, FormText, read_blocks, read_text
from millpond.core.relaxed import is_strict, relax

MAX_COMPARED_BYTES = 32 << 20
"""Text beside `structuredContent` that is compared with it value by value; longer text is only compared as written."""
MAX_SAID_CHARACTERS = 200
"""A short text beside `structuredContent` that is repeated in the handle."""


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


_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_blocks = msgspec.json.Decoder(list[msgspec.Raw])
_block = msgspec.json.Decoder(_Block)
_resource = msgspec.json.Decoder(_Resource)
_DATA_TYPES = ("json", "csv", "tab-separated", "ndjson")


def find_payloads(result: bytes | memoryview) -> Iterator[Payload]:
    """The data of a raw `result` value: that of `structuredContent`, then that of the text blocks, none where there is none.

    Raises `msgspec.DecodeError` where the result is no JSON that can be read at all (nesting past the decoders' bounds).
    """
    markers: Mapping[bytes, bytes] = {}
    notes: tuple[str, ...] = ()
    if is_strict(result):
        members = _members.decode(result)
    else:
        relaxed = relax(bytes(result))
        if relaxed is None:
            raise msgspec.DecodeError("no JSON of a bounded depth")
        members, markers, notes = _members.decode(relaxed.json), relaxed.markers, relaxed.notes
    content = members.pop("content", None)
    structured = members.pop("structuredContent", None)
    texts, kept = _sort_blocks(_blocks.decode(content) if content is not None else ())
    beside = _Beside(kept=kept, members=members, data_bytes=len(result) - sum(map(len, kept)))
    same: tuple[str, ...] | None = None
    if structured is not None and memoryview(structured)[0] in b"[{":
        document, root, form = _open_member(structured)
        same = _compare(structured, texts)
        if form is None:
            yield beside.payload(FormText(form=Form.JSON, json=b"", notes=same, markers=markers), root, document, notes)
        else:
            yield beside.payload(form, root, msgspec.Raw(form.json), notes + same)
    if texts and same != ():
        read = read_blocks(texts)
        beside_text = () if same is None else ("from the text blocks; structuredContent holds other data",)
        yield beside.payload(read, "$", msgspec.Raw(read.json), notes + beside_text)


class _Beside(msgspec.Struct, frozen=True):
    """What a result holds beside its data."""

    kept: tuple[msgspec.Raw, ...]
    members: Mapping[str, msgspec.Raw]
    data_bytes: int

    def payload(self, read: FormText, root: str, document: msgspec.Raw, notes: tuple[str, ...]) -> Payload:
        """The payload of a document that was read so."""
        return Payload(
            document=document,
            root=root,
            form=read.form,
            markers=read.markers,
            notes=notes + read.notes,
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


def _open_member(structured: msgspec.Raw) -> tuple[msgspec.Raw, str, FormText | None]:
    """The document itself, or, where its only member is a text (`{"result": "..."}`), what that text holds."""
    if memoryview(structured)[0] != ord("{"):
        return structured, "$", None
    members = _members.decode(structured)
    if len(members) != 1:
        return structured, "$", None
    ((key, value),) = members.items()
    if memoryview(value)[0] != ord('"'):
        return structured, "$", None
    path = f"$.{key}" if key.isidentifier() and key.isascii() else f"$.{msgspec.json.encode(key).decode()}"
    return structured, path, read_text(msgspec.json.decode(value, type=str))


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
    candidates = [structured]
    if memoryview(structured)[0] == ord("{"):
        members = _members.decode(structured)
        if len(members) == 1:
            candidates.extend(members.values())
    try:
        if len(texts) == 1:
            compact = msgspec.json.format(texts[0], indent=-1)
            if any(msgspec.json.format(bytes(raw), indent=-1).decode() == compact for raw in candidates):
                return True
        if sum(map(len, texts)) > MAX_COMPARED_BYTES:
            return False
        return _decoded_texts_match(candidates, texts)
    except (msgspec.DecodeError, RecursionError):
        return False


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
