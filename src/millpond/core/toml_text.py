"""TOML text: keys and strings as a configuration file writes them, and what of one is printed in a message.

Rule: what is written is read back as it was; what is printed is one line, whatever it holds. Imports the standard library only.
"""

from __future__ import annotations

import json
import re

_SHOWN_CHARACTERS = 60


def quoted(key: str) -> str:
    """A key as TOML writes it: quoted unless it is a bare key."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else basic_string(key)


def basic_string(text: str) -> str:
    """A string as TOML writes it; what JSON leaves as it is and TOML refuses is DEL alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def one_line(message: str) -> str:
    """The message without line breaks and control characters, whatever a file's or key's name holds."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in message)


def shown(value: object) -> str:
    """A value of the file as it is printed in a message, cut to one short line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # An integer too long to be printed: TOML has hexadecimal ones of any length.
        text = "an integer of thousands of digits"
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
