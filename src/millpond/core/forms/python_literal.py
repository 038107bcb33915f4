"""Python literals: what `repr` writes of lists, dicts, tuples and sets, alone, one a line, or one a text block.

Rule: nothing is evaluated; the source is rewritten as JSON, numbers by their own lexemes. Lists, dicts and flat tuples
go through one regular expression, and what that does not know through a parser of its own. Imports `forms.json_text`,
`forms.python_parser`, `forms.text` and `core.relaxed` only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from millpond.core.forms.json_text import WHITE_SPACE, join_values
from millpond.core.forms.python_parser import NotLiteral, parse_value
from millpond.core.forms.text import Form, FormText, make_strict
from millpond.core.relaxed import is_strict, relax

_OPENERS, _CLOSERS = ("[", "{", "("), ("]", "}", ")")
_tuple_end = re.compile(r"(?:,\s*+)?\)")
_flat_tuple = re.compile(r"\(\s*+\)|\([^()\[\]{},]++,[^()\[\]{}]*+\)")
_MAX_REMEMBERED_CHARACTERS = 64
_MAX_REMEMBERED = 1 << 14
_STEP_TOKENS = 1024
_step = re.compile(
    rf"""(?:[^'"]{{1,1000}}+[\w.(]*+|'(?:[^'\\]++|\\.)*+'\)?|"(?:[^"\\]++|\\.)*+"\)?){{1,{_STEP_TOKENS}}}+""", re.DOTALL
)
"""A stretch of whole tokens, so that a large text is rewritten in parts."""
_token = re.compile(
    r"""('(?:[^'\\\n]++|\\.)*+'|"(?:[^"\\\n]++|\\.)*+"|['"]"""
    r"""|(?<![\w.])[A-Za-z_](?:[\w.]*+\((?:'[^'"\\\n]*+'|[^()'"]*+)\)|\w*+))""",
    re.DOTALL,
)
"""A string, a call without other brackets inside, or a word."""


def read_python_literal(text: str) -> FormText | None:
    """The form of a text that is one literal, or at least two, each on its own line."""
    source = text.strip(WHITE_SPACE)
    if not source.startswith(_OPENERS) or not source.endswith(_CLOSERS):
        return None
    first, newline, _ = source.partition("\n")
    if newline and literal_values([first]) is not None:  # so the text as a whole is more than one literal
        values = literal_values([line for line in source.split("\n") if line.strip(WHITE_SPACE)])
        return None if values is None else join_values(Form.PYTHON_LITERAL, values)
    written = _rewrite(source, _Written())
    return None if written is None else make_strict(Form.PYTHON_LITERAL, written)


def literal_values(texts: Sequence[str]) -> list[bytes] | None:
    """Each text's one literal as relaxed JSON, or None where one holds something else."""
    values: list[bytes] = []
    written = _Written()
    for text in texts:
        value = _rewrite(text.strip(WHITE_SPACE), written)
        if value is None:
            return None
        values.append(value)
    return values


def _rewrite(source: str, known: _Written) -> bytes | None:
    """A list, dict, tuple or set as relaxed JSON; None where the source is anything else."""
    if not source.startswith(_OPENERS) or not source.endswith(_CLOSERS):
        return None
    quick = _rewrite_plain(source, known)
    if quick is not None and (is_strict(quick) or relax(quick) is not None):
        return quick
    try:
        return parse_value(source).encode()
    except (NotLiteral, RecursionError):
        return None


class _Written(dict[str, str]):
    """Tokens as JSON; short ones, such as keys, are remembered."""

    def __missing__(self, token: str) -> str:
        written = parse_value(token)
        if len(token) <= _MAX_REMEMBERED_CHARACTERS and len(self) < _MAX_REMEMBERED:
            self[token] = written
        return written


def _rewrite_plain(source: str, written: _Written) -> bytes | None:
    """The source with strings, words and flat calls rewritten; whether the rest of it is JSON is not looked at."""
    parts: list[bytes] = []
    between: list[str] = []
    at = 0
    try:
        while at < len(source):
            step = _step.match(source, at)
            if step is None:
                return None
            pieces = _token.split(step[0])
            pieces[1::2] = map(written.__getitem__, pieces[1::2])
            if "(" in step[0] or ")" in step[0]:
                between.append("x".join(pieces[::2]))
                pieces[::2] = [_tuple_end.sub("]", gap).replace("(", "[") for gap in pieces[::2]]
            parts.append("".join(pieces).encode())
            at = step.end()
    except NotLiteral:
        return None
    return b"".join(parts) if _has_flat_tuples_only("".join(between)) else None


def _has_flat_tuples_only(between: str) -> bool:
    """Whether each bracket of what stands between the tokens belongs to a tuple, and none has another list in it."""
    count = between.count("(")
    return count == between.count(")") and (count == 0 or len(_flat_tuple.findall(between)) == count)
