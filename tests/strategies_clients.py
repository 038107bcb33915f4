"""Configuration files of clients as people and programs write them, with the values that are in them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from hypothesis import strategies as st

JSON_TRIVIA = ("", "", " ", "  ", "\n", "\n    ", "\t", " // note: {[\n ", "/* a, b */", '\n  // "x": 1,\n  ', "/**/ ")
TOML_SPACE = ("", " ", "  ", "\t")
TOML_LINES = ("", "", "\n", "# note = [\n", "  # 'x'\n\n")
ARRAY_SPACE = ("", " ", "\n  ", " # one, two ]\n\t")
words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from("\"\\/'#,[]{}\u00e9\u6771"),
    max_size=12,
)
commands = st.sampled_from(
    ["npx", "uvx", "C:\\Program Files\\node\\npx.cmd", "/opt/caf\u00e9/server", "./run.sh", "docker"]
)
names = st.sampled_from(["files", "git hub", "\u6771\u4eac", "a.b", 'q"uote', "command", "args", "x_1"])


@dataclass(frozen=True, slots=True)
class Written:
    """A text, and the values that its format must find in it."""

    text: str
    servers: Mapping[str, Mapping[str, Any]]


@st.composite
def jsonc_files(draw: st.DrawFn) -> Written:
    """A file with `mcpServers` somewhere in it."""
    servers = draw(st.dictionaries(names, _entries(), min_size=1, max_size=3))
    others: dict[str, Any] = {"theme": "dark", "$n": [1, {"command": "no", "args": []}], "e": {}, "l": []}
    members = draw(st.permutations([*others.items(), ("mcpServers", servers)]))
    trivia = itertools.cycle(draw(st.lists(st.sampled_from(JSON_TRIVIA), min_size=1, max_size=12)))
    style = _JsonStyle(trivia, draw(st.booleans()), draw(st.booleans()), draw(st.booleans()))
    text = style.space() + style.value(dict(members)) + style.space()
    return Written(_line_ends(draw, text), servers)


def _entries() -> st.SearchStrategy[dict[str, Any]]:
    """The members of an entry, in any order."""
    optional = {
        "args": st.lists(words, max_size=3),
        "env": st.dictionaries(st.sampled_from(["TOKEN", "args"]), words, max_size=2),
        "disabled": st.booleans(),
    }
    entries = st.fixed_dictionaries({"command": commands}, optional=optional)
    return entries.flatmap(lambda entry: st.permutations(list(entry.items())).map(dict))


@dataclass(frozen=True, slots=True)
class _JsonStyle:
    trivia: Iterator[str]
    is_ascii: bool
    has_trailing_commas: bool
    escapes_slashes: bool

    def space(self) -> str:
        return next(self.trivia)

    def string(self, text: str) -> str:
        written = json.dumps(text, ensure_ascii=self.is_ascii)
        return written.replace("/", "\\/") if self.escapes_slashes else written

    def value(self, value: Any) -> str:
        if isinstance(value, dict):
            return self.inside(
                "{}",
                [
                    f"{self.string(k)}{self.space()}:{self.space()}{self.value(v)}"
                    for k, v in cast("dict[str, Any]", value).items()
                ],
            )
        if isinstance(value, list):
            return self.inside("[]", [self.value(item) for item in cast("list[Any]", value)])
        return self.string(value) if isinstance(value, str) else json.dumps(value)

    def inside(self, brackets: str, items: list[str]) -> str:
        body = ",".join(f"{self.space()}{item}{self.space()}" for item in items)
        comma = "," if items and self.has_trailing_commas else ""
        return f"{brackets[0]}{body}{comma}{self.space()}{brackets[1]}"


@st.composite
def toml_files(draw: st.DrawFn) -> Written:
    """A file with `mcp_servers` in one of the forms of TOML."""
    servers = draw(st.dictionaries(names, _entries(), min_size=1, max_size=3))
    style = _TomlStyle(draw)
    form = draw(st.sampled_from(["tables", "inline", "dotted"]))
    head = f'{style.lines()}model = "o4"{style.space()}# chosen\n{style.lines()}'
    tail = f'{style.lines()}[projects."/x"]\ntrust_level = "trusted"\n'
    body = "".join(style.server(form, name, entry) for name, entry in servers.items())
    if form != "tables":
        body = f"[mcp_servers]\n{body}"
    text = head + body + tail if draw(st.booleans()) else head + body.removesuffix("\n")
    return Written(_line_ends(draw, text), servers)


@dataclass(frozen=True, slots=True)
class _TomlStyle:
    draw: st.DrawFn

    def space(self) -> str:
        return self.draw(st.sampled_from(TOML_SPACE))

    def lines(self) -> str:
        return self.draw(st.sampled_from(TOML_LINES))

    def server(self, form: str, name: str, entry: Mapping[str, Any]) -> str:
        key = self.string(name, is_key=True)
        if form == "inline":
            body = ", ".join(
                f"{k}{self.space()}={self.space()}{self.value(v, is_inline=True)}" for k, v in entry.items()
            )
            return f"{self.space()}{key} = {{ {body} }}{self.space()}\n{self.lines()}"
        prefix = f"{key}{self.space()}.{self.space()}" if form == "dotted" else ""
        head = "" if form == "dotted" else f"[mcp_servers.{key}]{self.space()}\n"
        indent = self.space()
        return head + "".join(f"{self.lines()}{indent}{prefix}{self.member(k, v)}\n" for k, v in entry.items())

    def member(self, key: str, value: Any) -> str:
        written = self.draw(st.sampled_from([key, f'"{key}"', f"'{key}'"]))
        comment = self.draw(st.sampled_from(["", " # [why = {"]))
        return f"{written}{self.space()}={self.space()}{self.value(value)}{comment}"

    def value(self, value: Any, *, is_inline: bool = False) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k} = {self.string(v)}" for k, v in cast("dict[str, Any]", value).items()) + "}"
        if isinstance(value, list):
            return self.array([self.string(item) for item in cast("list[Any]", value)], is_inline=is_inline)
        return self.string(value) if isinstance(value, str) else json.dumps(value)

    def array(self, items: list[str], *, is_inline: bool) -> str:
        spaces = (" ",) if is_inline else ARRAY_SPACE
        body = ",".join(
            f"{self.draw(st.sampled_from(spaces))}{item}{self.draw(st.sampled_from(spaces))}" for item in items
        )
        comma = "," if items and not is_inline and self.draw(st.booleans()) else ""
        return f"[{body}{comma}{self.draw(st.sampled_from(spaces))}]"

    def string(self, text: str, *, is_key: bool = False) -> str:
        kinds = [json.dumps(text, ensure_ascii=False)]
        if "'" not in text:
            kinds.append(f"'{text}'")
            if not is_key and text:
                kinds.append(f"'''{text}'''")
        return self.draw(st.sampled_from(kinds))


def _line_ends(draw: st.DrawFn, text: str) -> str:
    return draw(st.sampled_from([text, text.replace("\n", "\r\n")]))
