"""The relay's line reader, its spans and its envelope: places in a line, held against what the standard library reads there.

The first two bytes say how the stream is cut; the rest is the stream.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from fuzzing.target import JSON_WORDS, Members, Target, as_json, deepest, has_lone_surrogate
from millpond.relay.envelope import Envelope, read_envelope
from millpond.relay.lines import Lines
from millpond.relay.spans import Edit, Member, edited, list_elements, object_members

SURE_DEPTH = 200
"""Nesting that the decoder takes, whatever the stack it is called on."""
_SPACE = b" \t\r\n"


def check(data: bytes) -> None:
    """The bytes come out as lines, and each line's parts lie where they are said to lie."""
    stream, lines = data[2:], list[bytes]()
    reader, random, at = Lines(), Random(data[:2]), 0
    while at < len(stream):
        size = random.choice((1, 2, 7, 64, 4096))
        lines += reader.feed(stream[at : at + size])
        at += size
    assert reader.waiting_bytes == len(stream) - sum(map(len, lines))
    rest = reader.rest()
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
    assert b"".join((*lines, rest)) == stream
    for line in (*lines, rest):
        _check_members(line)
        _check_elements(line)
        _check_envelope(line)


def _read(raw: bytes) -> tuple[object] | None:
    """What the standard library reads, of text that is UTF-8 and not nested too deep."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return as_json(text) if deepest(text) <= SURE_DEPTH else None


def _check_members(line: bytes) -> None:
    members, read = object_members(line), _read(line)
    if members is None:
        if read is not None and isinstance(read[0], Members):
            names = [name for name, _ in read[0]]
            assert len(set(names)) < len(names) or _is_harmed(line), "an object without places"
        return
    _check_places(line, list(members.values()), b"{}")
    if read is None:
        return
    assert isinstance(read[0], Members), "places in what is no object"
    names = [name for name, _ in read[0]]
    if any(map(has_lone_surrogate, names)):
        return
    assert names == list(members)
    for (name, value), place in zip(read[0], members.values(), strict=True):
        assert _read(line[place.start : place.stop]) == (value,), name
        changed = _read(edited(line, Edit(place.start, place.stop, b'"new"')))
        assert changed == (Members((other, "new" if other == name else kept) for other, kept in read[0]),)


def _is_harmed(line: bytes) -> bool:
    """Whether two names may be the same in the copy in which what strict JSON refuses is replaced."""
    return any(word in line for word in (b"NaN", b"Infinity", b"\\ud", b"\\uD", b"\\u0"))


def _check_elements(line: bytes) -> None:
    elements, read = list_elements(line, 0, len(line)), _read(line)
    if elements is not None:
        _check_places(line, elements, b"[]")
    if read is None:
        return
    assert (elements is not None) is isinstance(read[0], list)
    if elements is not None:
        assert [_read(line[place.start : place.stop]) for place in elements] == [(one,) for one in read[0]]  # pyright: ignore[reportUnknownVariableType,reportGeneralTypeIssues]


def _check_places(line: bytes, places: list[Member], brackets: bytes) -> None:
    """They lie in the line one after the other, each behind its delimiter, with nothing but spaces around them all."""
    if not places:
        assert line.strip(_SPACE).translate(None, _SPACE) == brackets
        return
    assert line[: places[0].delimiter].strip(_SPACE) == b""
    assert line[places[-1].stop :].strip(_SPACE) == brackets[1:]
    assert [line[place.delimiter] for place in places] == [brackets[0], *b"," * (len(places) - 1)]
    assert all(place.delimiter < place.start < place.stop for place in places)
    assert all(line[one.stop : two.delimiter].strip(_SPACE) == b"" for one, two in pairwise(places))


def _check_envelope(line: bytes) -> None:
    envelope, read = read_envelope(line), _read(line)
    if envelope is not None:
        _check_envelope_places(envelope)
    if read is None or not isinstance(read[0], Members) or object_members(line) is None:
        return
    members = dict(read[0])
    method = members.get("method")
    assert envelope is not None or (members.get("id") is None and type(method) is not str)
    if envelope is None:
        return
    assert envelope.method == (method if type(method) is str else None) or has_lone_surrogate(method)
    assert (envelope.id is None) is (members.get("id") is None)
    for name, place in (("params", envelope.params), ("result", envelope.result), ("error", envelope.error)):
        assert (place is None) is (name not in members)
        assert place is None or _read(line[place.start : place.stop]) == (members[name],)


def _check_envelope_places(envelope: Envelope) -> None:
    places = (envelope.id_place, envelope.params, envelope.result, envelope.error)
    found = sorted(place for place in places if place is not None)
    assert all(0 <= place.delimiter < place.start <= place.stop < len(envelope.line) for place in found)
    assert all(one.stop <= two.delimiter for one, two in pairwise(found))
    assert all(envelope.line[place.delimiter] in b"{," for place in found)
    assert envelope.id_place is None or envelope.id == envelope.line[envelope.id_place.start : envelope.id_place.stop]


_SEEDS = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"n":NaN,"s":"\\ud800"}}}\n',
    b'  {"method":"notifications/initialized","jsonrpc":"2.0"}\r\n{"id":"a\\"b","result":{"content":[]},"jsonrpc":"2.0"}\n',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","id":2.0,"error":{"code":1,"message":""}}]\n\n',
    b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 1500 + b"]" * 1500 + b',"x":1,"id":null}\n',
    b'{"id":1,"result":{"a":"raw \x01 control"},"jsonrpc":"2.0"}\nServer listening\n',
    b'{"NaN":1,"0.0":NaN,"a":Infinity,"a":2}',
    b"[1, -0.0 ,1e400,[],{} , null]",
)
TARGET = Target(
    check=check,
    seeds=tuple(b"ab" + seed for seed in _SEEDS),
    words=(
        *JSON_WORDS,
        b"\n",
        b"\r\n",
        b'"id":',
        b'"method":',
        b'"result":',
        b'"error":',
        b'"params":',
        b'"jsonrpc":"2.0"',
    ),
)
