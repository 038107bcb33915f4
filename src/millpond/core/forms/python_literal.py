"""Python literals: what `repr` writes of lists, dicts, tuples and sets, alone, one a line, or one a text block.

Rule: nothing is evaluated; the source is rewritten as JSON, numbers by their own lexemes. What has plain strings and words only goes
through one regular expression, the rest through a parser of its own. Imports `forms.text`, `forms.python_parser` and msgspec only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from millpond.core.forms.json_text import WHITE_SPACE, join_values
from millpond.core.forms.python_parser import NotLiteral, parse_literal
from millpond.core.forms.text import Form, FormText, json_string, make_strict, visible
from millpond.core.relaxed import is_strict, relax

_OPENERS, _CLOSERS = ("[", "{", "("), ("]", "}", ")")
_MAX_REMEMBERED_CHARACTERS = 64
_MAX_REMEMBERED = 4096
_STEP_TOKENS = 4096
_step = re.compile(
    r"""(?:[^'"]++|'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+"){1,%d}+""" % _STEP_TOKENS, re.DOTALL
)
"""A stretch of whole tokens, so that a large text is rewritten in parts."""
_token = re.compile(r"""'[^'\\\n]*+'|"[^"\\\n]*+"|['"]|(?<![\w.])[A-Za-z_]\w*""")
_WORDS = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}


def read_python_literal(text: str) -> FormText | None:
    """The form of a text that is one literal, or at least two, each on its own line."""
    source = text.strip(WHITE_SPACE)
    if not source.startswith(_OPENERS) or not source.endswith(_CLOSERS):
        return None
    written = rewrite_literal(source)
    if written is not None:
        return make_strict(Form.PYTHON_LITERAL, written)
    lines = [stripped for line in source.split("\n") if (stripped := line.strip(WHITE_SPACE))]
    if len(lines) < 2:
        return None
    values = literal_values(lines)
    return None if values is None else join_values(Form.PYTHON_LITERAL, values)


def literal_values(texts: Sequence[str]) -> list[bytes] | None:
    """Each text's one literal as relaxed JSON, or None where one holds something else."""
    values: list[bytes] = []
    for text in texts:
        written = rewrite_literal(text.strip(WHITE_SPACE))
        if written is None:
            return None
        values.append(written)
    return values


def rewrite_literal(source: str) -> bytes | None:
    """A list, dict, tuple or set as relaxed JSON; None where the source is anything else."""
    if not source.startswith(_OPENERS) or not source.endswith(_CLOSERS):
        return None
    quick = _rewrite_plain(source)
    if quick is not None and (is_strict(quick) or relax(quick) is not None):
        return quick
    try:
        return parse_literal(source).encode()
    except (NotLiteral, RecursionError):
        return None


class _Rewriter:
    """Tokens as JSON; short ones, such as keys, are remembered."""

    def __init__(self) -> None:
        self.known = dict(_WORDS)

    def __call__(self, found: re.Match[str]) -> str:
        token = found[0]
        written = self.known.get(token)
        if written is None:
            if token[0] not in "'\"" or len(token) == 1:
                raise NotLiteral  # a word, or a string with escapes: not for this way
            written = json_string(token[1:-1])
            if len(token) <= _MAX_REMEMBERED_CHARACTERS and len(self.known) < _MAX_REMEMBERED:
                self.known[token] = written
        return written


def _rewrite_plain(source: str) -> bytes | None:
    """The source with strings and words rewritten, where it has no others than plain ones; whether it is JSON is not looked at."""
    rewriter = _Rewriter()
    parts: list[bytes] = []
    at = 0
    try:
        while at < len(source):
            step = _step.match(source, at)
            if step is None:
                return None
            parts.append(visible(_token.sub(rewriter, step[0])).encode())
            at = step.end()
    except NotLiteral:
        return None
    return b"".join(parts)
