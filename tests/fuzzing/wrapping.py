"""The editor of clients' configuration files, in both formats.

The first byte's bits say which format (1), whether servers are named (2) and where the servers stand (4); the rest is the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from client_files import FILES
from fuzzing.target import Target
from millpond.clients.change import NO_BACKUP, File, file_of, unwrapped, wrapped
from millpond.clients.entries import Entry, State
from millpond.clients.text import decode
from millpond.core.errors import ConfigError

PROGRAM = ("/opt/café bar/millpond", "--config", "/etc/m p.toml")
OWN = frozenset({"command", "args"})
"""The members of an entry that change."""
OWN_OF_ADDRESS = OWN | {"url", "httpUrl", "serverUrl", "headers", "env", "type"}
_JSON_KEYS, _TOML_KEYS = (("mcpServers",), ("mcp", "servers")), (("mcp_servers",), ("a", "b"))


def check(data: bytes) -> None:
    """A file is refused by a `ConfigError`, or wrapped so that it unwraps to the byte and says all else as before."""
    bits, raw = data[:1] or b"\0", data[1:]
    try:
        source = decode(raw, "file")
    except ConfigError:
        return
    assert source.encoded(source.text) == raw
    is_toml = bits[0] & 1 == 1
    file = file_of("file", source.text, (_TOML_KEYS if is_toml else _JSON_KEYS)[bits[0] >> 2 & 1], is_toml=is_toml)
    _check_unwrapping(file)
    try:
        names = [entry.name for entry in file.entries()] if bits[0] & 2 else None
        change = wrapped(file, names, PROGRAM)
    except ConfigError:
        return
    after = replace(file, text=change.text)
    _check_values(file, after, change.done)
    again = wrapped(after, change.done, PROGRAM)
    assert (again.text, again.done) == (after.text, ())
    back = unwrapped(after, change.done, [file.text])
    if is_toml and back.left:  # Where a whole entry lies in TOML is not known, so that an address does not come back.
        assert set(back.left.values()) == {NO_BACKUP}
    else:
        assert (back.text, back.done) == (file.text, change.done)


def _check_unwrapping(file: File) -> None:
    """Whatever stands in a file, unwrapping it leaves a file, in which nothing else is another thing."""
    try:
        change = unwrapped(file, None)
    except ConfigError:
        return
    after = replace(file, text=change.text)
    _check_values(file, after, change.done)


def _check_values(before: File, after: File, done: tuple[str, ...]) -> None:
    entries = {entry.name: entry for entry in before.entries()}
    assert [entry.name for entry in after.entries()] == list(entries)
    kept = [_without(file, {name: _own(entries[name]) for name in done}) for file in (before, after)]
    assert repr(kept[0]) == repr(kept[1])


def _own(entry: Entry) -> frozenset[str]:
    return OWN_OF_ADDRESS if entry.state in (State.REMOTE, State.WRAPPED_REMOTE) else OWN


def _without(file: File, own: Mapping[str, frozenset[str]]) -> Any:
    """The values of a file without what may change."""
    return _rest(file.form.read(file.text), file.keys, own)


def _rest(value: Mapping[str, Any], keys: tuple[str, ...], own: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    if keys:
        return {name: _rest(inner, keys[1:], own) if name == keys[0] else inner for name, inner in value.items()}
    return {name: _rest_of_entry(entry, own[name]) if name in own else entry for name, entry in value.items()}


def _rest_of_entry(entry: Mapping[str, Any], own: frozenset[str]) -> dict[str, Any]:
    command = entry.get("command")
    inner = {"command": _without_own(command, OWN | {"path"})} if isinstance(command, Mapping) else {}
    return {**inner, **_without_own(entry, own if not inner else frozenset({"command"}))}


def _without_own(values: Any, own: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in cast("Mapping[str, Any]", values).items() if name not in own}


def _text(text: str) -> bytes:
    """A file of a client, with a server in it."""
    return text.replace("@COMMAND@", '"npx"').replace("@SCRIPT@", '"a b"').replace("@FOLDER@", '"/x"').encode()


_JSON_SEEDS = (
    '{"mcpServers":{"a":{"command":"npx","args":["-y","x"]},"b":{"url":"https://x.example/mcp","headers":{"A":"b"},"type":"http"}}}',
    '// a\n{\r\n  "mcpServers": {\n    "a": {\n      "command": "uvx", // why\n      "env": {"K": "v"},\n    },\n  },\n}\n',
    '{"mcpServers":{"z":{"command":{"path":"npx","args":[]}},"w":{"command":"/opt/millpond","args":["--","npx","a"]}}}',
    '{"mcp":{"servers":{"a":{"command":"\\u006epx","args":[ "x" /* y */ , ]}}},"n":9e999}',
)
_TOML_SEEDS = (
    '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", \'x\', # c\n]\n\n[mcp_servers."b c".env]\nT = "1"\n',
    'mcp_servers.a = { command = "npx", args = [] }\n',
    '[mcp_servers]\na.command = \'\'\'npx\'\'\'\r\na . args = ["""x"""]\r\n[a.b.c]\ncommand="uvx"\n',
    '[mcp_servers.r]\nurl = "http://localhost:1/mcp"\n[mcp_servers.w]\ncommand = "/opt/millpond"\nargs = ["--","npx"]\n',
)
TARGET = Target(
    check=check,
    seeds=(
        *(bytes((bits,)) + seed.encode() for seed in _JSON_SEEDS for bits in (0, 2, 4)),
        *(bytes((bits,)) + seed.encode() for seed in _TOML_SEEDS for bits in (1, 3, 5)),
        *(bytes((bits,)) + _text(file.text) for file in FILES.values() for bits in (2, 3)),
    ),
    words=(
        b'"mcpServers":{', b'"a":{', b'"command":"npx"', b'"args":[', b'"--"', b'"url":"http://localhost/x"', b'"headers":{"A":"b"}', b'"env":{',
        b'"type":"http"', b"// c\n", b"/* c */", b"/*", b"*/", b",}", b",]", b"\r\n", b"\n", b'"path":"x"', b"millpond", b"[mcp_servers.a]\n",
        b"[[a.b]]\n", b'command = "npx"\n', b"args = []\n", b'"""', b"'''", b"= {", b", ", b"# c\n", b".", b"\\u0061", b"\\", b"1979-05-27T07:32:00Z",
        b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0c", b'"oauth":1', b"millpond finds its place",
    ),
)  # fmt: skip
