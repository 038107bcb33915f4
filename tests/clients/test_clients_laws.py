"""Laws over generated configuration files: what wraps unwraps to the byte, and nothing else is touched."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from contextlib import suppress

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from millpond.clients import jsonc, toml
from millpond.clients.change import File, file_of, unwrapped, wrapped
from millpond.clients.entries import State
from millpond.clients.text import Broken, Span, decode
from strategies_clients import Written, jsonc_files, toml_files

PROGRAM = ("/opt/caf\u00e9 bar/millpond",)
WITH_OPTIONS = ("C:\\Tools\\uvx.exe", "millpond", "--config", "/etc/m p.toml")
programs = st.sampled_from([PROGRAM, WITH_OPTIONS])


def json_file(text: str) -> File:
    return file_of("mcp.json", text, ("mcpServers",), is_toml=False)


def toml_file(text: str) -> File:
    return file_of("config.toml", text, ("mcp_servers",), is_toml=True)


def check_round_trip(file: File, written: Written, program: tuple[str, ...], names: Sequence[str]) -> None:
    """Wrap the names, look at the values, and unwrap again."""
    new = wrapped(file, names, program)
    assert new.done == tuple(names)
    after = File(file.name, new.text, file.keys, file.form)
    for entry in after.entries():
        before = written.servers[entry.name]
        words = (before["command"], *before.get("args", []))
        is_wrapped = entry.name in names
        assert entry.words == ((*program, "--", *words) if is_wrapped else words)
        assert (entry.state is State.WRAPPED) is is_wrapped
        others = {key: value for key, value in entry.values.items() if key not in ("command", "args")}
        assert others == {key: value for key, value in before.items() if key not in ("command", "args")}
    again = wrapped(after, names, program)
    assert (again.text, again.done) == (new.text, ())
    assert unwrapped(after, names).text == file.text


@given(jsonc_files(), programs, st.data())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_json_file_unwraps_to_the_byte_and_only_command_and_args_change(
    written: Written, program: tuple[str, ...], data: st.DataObject
) -> None:
    """CLIENTS-04, CLIENTS-05, CLIENTS-06, CLIENTS-07"""
    names = data.draw(st.lists(st.sampled_from(sorted(written.servers)), min_size=1, unique=True))
    check_round_trip(json_file(written.text), written, program, names)


@given(toml_files(), programs, st.data())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_toml_file_unwraps_to_the_byte_and_only_command_and_args_change(
    written: Written, program: tuple[str, ...], data: st.DataObject
) -> None:
    """CLIENTS-04, CLIENTS-05, CLIENTS-06, CLIENTS-07"""
    names = data.draw(st.lists(st.sampled_from(sorted(written.servers)), min_size=1, unique=True))
    check_round_trip(toml_file(written.text), written, program, names)


@given(jsonc_files(), st.booleans())
def test_a_byte_order_mark_stays(written: Written, has_mark: bool) -> None:
    """CLIENTS-05"""
    data = (b"\xef\xbb\xbf" if has_mark else b"") + written.text.encode()
    source = decode(data, "mcp.json")
    new = wrapped(json_file(source.text), None, PROGRAM).text
    assert source.encoded(new).startswith(b"\xef\xbb\xbf") is has_mark
    assert source.encoded(unwrapped(json_file(new), None).text) == data


@given(jsonc_files())
def test_comments_and_trailing_commas_are_blanked_in_place(written: Written) -> None:
    """CLIENTS-13"""
    plain = jsonc.plain(written.text)
    assert len(plain) == len(written.text)
    assert json.loads(plain)["mcpServers"] == written.servers


pieces = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        '"mcpServers"',
        '"command"',
        "1",
        "null",
        "//x\n",
        "/*",
        "*/",
        '"',
        "\\",
        " ",
        "\n",
        "'",
    ]
)


@given(st.lists(pieces, max_size=30).map("".join) | st.text(max_size=40))
@example("/")
@example('{"a": 1 /')
@example("{//")
def test_any_text_gives_values_whose_places_are_known_or_one_sentence(text: str) -> None:
    """CLIENTS-13"""
    try:
        values = jsonc.read(text)
        places = jsonc.locate('{"x":' + text + "\n}", (), ["x"])["x"]
    except Broken:
        return
    for name, place in places.items():
        found = place.value.of('{"x":' + text + "\n}")
        assert json.loads(jsonc.plain(found)) == values[name]


@given(st.text(max_size=60))
def test_any_toml_gives_values_or_one_sentence(text: str) -> None:
    """CLIENTS-13"""
    with suppress(Broken):
        assert toml.read(text) == tomllib.loads(text)


@given(st.text(st.characters(codec="utf-8")))
def test_a_string_reads_as_it_was_meant_in_either_format(text: str) -> None:
    """CLIENTS-04"""
    assert json.loads(jsonc.literal(text)) == text
    assert tomllib.loads(f"x = {toml.literal(text)}")["x"] == text
    array = f"[{toml.literal(text)}]"
    assert toml.elements(array, Span(0, len(array))) == [Span(1, len(array) - 1)]
