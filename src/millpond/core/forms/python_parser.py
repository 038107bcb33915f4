"""A parser for the literals that `repr` writes, which gives relaxed JSON.

Rule: linear, without evaluation; a call is taken only where its name is one that `forms.python_calls` knows; numbers
keep their lexemes. Imports `forms.python_calls`, `forms.python_strings`, `forms.text` and the standard library only.
"""

from __future__ import annotations

import re

from millpond.core.forms.python_calls import UTC, Argument, NotLiteral, write_call
from millpond.core.forms.python_strings import read_string
from millpond.core.forms.text import json_string

__all__ = ["NotLiteral", "parse_value"]

MAX_NESTING = 100
"""Lists, dicts and calls inside one another; deeper text is no literal to this parser."""

_token = re.compile(
    r"""\s*+(?:
      (?P<string>[bBuUrR]{0,2}(?:'''(?:[^'\\]++|\\.|'(?!''))*'''|\"""(?:[^"\\]++|\\.|"(?!""))*\"""
        |'(?!'')(?:[^'\\\n]++|\\.)*+'|"(?!"")(?:[^"\\\n]++|\\.)*+"|''|""))
      |(?P<number>(?:0|[1-9](?:_?[0-9])*+)(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]++)?+(?![\w.])|\.[0-9]++(?:[eE][+-]?[0-9]++)?+(?![\w.]))
      |(?P<word>[A-Za-z_]\w*+(?:\.\w++)*+)
      |(?P<mark>[\[\](){},:=+-])
      |(?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS = {
    "None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity",
    "datetime.timezone.utc": UTC, "timezone.utc": UTC,
}  # fmt: skip
_PLAIN_TEXT = {"null": "None", "true": "True", "false": "False"}


def parse_value(source: str) -> str:
    """One value of any kind, strings and calls too, as relaxed JSON. Raises `NotLiteral` where it is anything else."""
    word = _CONSTANTS.get(source)
    if word is not None:
        return word
    if source[0] in "'\"" and "\\" not in source and len(source) > 1:
        return json_string(source[1:-1])
    parser = _Parser(source)
    written = parser.value(0)
    if parser.kind != "end":
        raise NotLiteral
    return written


class _Parser:
    """The source, and the token that comes next."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.kind = ""
        self.token = ""
        self.advance()

    def advance(self) -> None:
        found = _token.match(self.source, self.at)
        if found is None or found.lastgroup is None:
            raise NotLiteral
        self.kind, self.token, self.at = found.lastgroup, found[found.lastgroup], found.end()

    def take(self, mark: str) -> bool:
        """Pass over this mark, if it is what comes next."""
        if self.kind != "mark" or self.token != mark:
            return False
        self.advance()
        return True

    def need(self, mark: str) -> None:
        if not self.take(mark):
            raise NotLiteral

    def value(self, depth: int) -> str:
        """The value that begins here, as JSON."""
        if depth > MAX_NESTING:
            raise NotLiteral
        if self.kind == "string":
            return json_string(self._strings())
        if self.kind == "number":
            return self._number()
        return self._word(depth) if self.kind == "word" else self._marked(depth)

    def _marked(self, depth: int) -> str:
        """The value that begins with a mark: a bracket or a sign."""
        if self.take("["):
            return self._elements("]", depth, [])
        if self.take("("):
            return self._tuple(depth)
        if self.take("{"):
            return self._braces(depth)
        return self._signed()

    def _strings(self) -> str:
        text = read_string(self.token)
        self.advance()
        while self.kind == "string":
            text += read_string(self.token)
            self.advance()
        return text

    def _number(self) -> str:
        lexeme = self.token.replace("_", "")
        self.advance()
        whole, point, fraction = lexeme.partition(".")
        if point and not fraction[:1].isdigit():
            fraction = "0" + fraction
        return f"{whole or '0'}{point}{fraction}"

    def _signed(self) -> str:
        sign = self.token
        if not (self.take("-") or self.take("+")):
            raise NotLiteral
        if self.kind == "number" or (self.kind == "word" and self.token == "inf"):
            return ("-" if sign == "-" else "") + self.value(0)
        raise NotLiteral

    def _word(self, depth: int) -> str:
        word = self.token
        self.advance()
        if self.take("("):
            pairs = self._pairs(depth) if word.rpartition(".")[2] == "OrderedDict" else None
            return pairs or write_call(word, self._arguments(depth))
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        raise NotLiteral

    def _elements(self, closer: str, depth: int, elements: list[str]) -> str:
        """The rest of a list after its opening mark, or after the first elements and their comma."""
        while not self.take(closer):
            elements.append(self.value(depth + 1))
            if not self.take(","):
                self.need(closer)
                break
        return f"[{','.join(elements)}]"

    def _tuple(self, depth: int) -> str:
        if self.take(")"):
            return "[]"
        first = self.value(depth + 1)
        self.need(",")  # without one it is a value in parentheses
        return self._elements(")", depth, [first])

    def _braces(self, depth: int) -> str:
        if self.take("}"):
            return "{}"
        key = self._key(depth)
        if not self.take(":"):
            if self.take(","):
                return self._elements("}", depth, [key[0]])
            self.need("}")
            return f"[{key[0]}]"
        members = [f"{key[1]}:{self.value(depth + 1)}"]
        while self.take(",") and not (self.kind == "mark" and self.token == "}"):
            name = self._key(depth)[1]
            self.need(":")
            members.append(f"{name}:{self.value(depth + 1)}")
        self.need("}")
        return f"{{{','.join(members)}}}"

    def _key(self, depth: int) -> tuple[str, str]:
        """A key as the value that it is, and as the text that names a member."""
        start = self.at - len(self.token)
        value = self.value(depth + 1)
        if value.startswith('"'):
            return value, value
        if value.startswith("["):
            source = self.source[start : self.at - len(self.token)]
            return value, json_string(source.strip())
        return value, json_string(_PLAIN_TEXT.get(value, value))

    def _pairs(self, depth: int) -> str | None:
        """The object that `OrderedDict([('a', 1), ...])` is, after its opening mark; None where it is written otherwise."""
        if not self.take("["):
            return None
        members: list[str] = []
        while not self.take("]"):
            self.need("(")
            key = self._key(depth)[1]
            self.need(",")
            members.append(f"{key}:{self.value(depth + 1)}")
            self.need(")")
            if not self.take(","):
                self.need("]")
                break
        self.need(")")
        return f"{{{','.join(members)}}}"

    def _arguments(self, depth: int) -> list[Argument]:
        """The arguments of a call after its opening mark."""
        arguments: list[Argument] = []
        while not self.take(")"):
            name = None
            if self.kind == "word" and self.source.startswith("=", self.at):
                name = self.token
                self.advance()
                self.need("=")
            arguments.append(Argument(name, self.value(depth + 1)))
            if not self.take(","):
                self.need(")")
                break
        return arguments
