"""Python's string literals: what stands between the quotes.

Rule: escapes are read as Python reads them; bytes are read as UTF-8, and what is none is shown as `\\xNN`. Imports the
standard library only.
"""

from __future__ import annotations

import re
import unicodedata

_escape = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|N\{([^}]{1,100})\}|(.))", re.DOTALL
)
_SIMPLE = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def read_string(token: str) -> str:
    """The text of a string or bytes literal, prefix and quotes included in the token."""
    start = min(at for quote in "'\"" if (at := token.find(quote)) >= 0)
    prefix = token[:start].lower()
    width = 3 if len(token) - start >= 6 and token[start : start + 3] == token[start] * 3 else 1
    body = token[start + width : -width]
    if "\\" in body and "r" not in prefix:
        body = _escape.sub(_bytes_escape if "b" in prefix else _text_escape, body)
    if "b" in prefix:
        return body.encode("latin-1", "replace").decode("utf-8", "backslashreplace")
    return body


def _text_escape(found: re.Match[str]) -> str:
    if found[5] is not None:
        try:
            return unicodedata.lookup(found[5])
        except KeyError:
            return found[0]
    return _bytes_escape(found)


def _bytes_escape(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits:
        number = int(digits, 16)
        return chr(number) if number < 0x110000 else found[0]
    if found[4]:
        return chr(int(found[4], 8))
    if found[6] == "\n":
        return ""
    return _SIMPLE.get(found[6] or "", found[0])
