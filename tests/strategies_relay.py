"""Strategies: streams in pieces, and lines as servers write them, legal and not."""

from __future__ import annotations

import json

from hypothesis import strategies as st

pieces = st.lists(st.binary(max_size=20) | st.sampled_from([b"\n", b"a\nb", b"\r\n", b"\n\n", b"\r"]), max_size=12)
"""What a descriptor gave, read by read."""

names = st.text(st.characters(exclude_categories=("Cs",)), max_size=6) | st.sampled_from(
    ['"', "\\", "id", "result", "{", "}"]
)
"""Names of members."""

_scalars = st.sampled_from(
    [
        "1",
        "-0.0",
        "1e400",
        "true",
        "null",
        '""',
        '"\\ud800"',
        '"NaN"',
        '"}"',
        '"\\""',
        "NaN",
        "-Infinity",
        "9" * 40,
        '"\\\\ud83d"',
    ]
)
spaces = st.sampled_from(["", "", " ", "\t", " \r\n"])


def _object(members: dict[str, str], space: str) -> str:
    parts = (f"{space}{json.dumps(name)}{space}:{space}{value}{space}" for name, value in members.items())
    return "{" + (",".join(parts) or space) + "}"


def _list(elements: list[str], space: str) -> str:
    return "[" + (",".join(f"{space}{element}{space}" for element in elements) or space) + "]"


values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.builds(_object, st.dictionaries(names, inner, max_size=4), spaces),
        st.builds(_list, st.lists(inner, max_size=4), spaces),
    ),
    max_leaves=8,
)
"""Texts of JSON values, with what Python servers write besides (NaN, lone surrogates)."""

members = st.dictionaries(names, values, max_size=5)
"""The members of an object, by name, as text."""

elements = st.lists(values, max_size=5)
"""The elements of a list, as text."""

junk = st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"") + b"\n")
ids = st.sampled_from(["1", '"1"', "1.0", "-7", '"a\\"b"', "null", '"\\u00e9"'])
methods = st.sampled_from(
    ["ping", "tools/list", "tools/call", "initialize", "tasks/result", "notifications/cancelled", "x"]
)
_parts = st.fixed_dictionaries(
    {"jsonrpc": st.just('"2.0"')},
    optional={"id": ids, "method": methods.map(json.dumps), "params": values, "result": values, "error": values},
)


def _line(text: str) -> bytes:
    return text.replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n"


lines = st.one_of(junk, st.builds(_object, _parts, spaces).map(_line), st.lists(values, max_size=3).map(str).map(_line))
"""Lines of either side: messages of all kinds, and what is none."""
