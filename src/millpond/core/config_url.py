"""Config URL: what is wrong with a server's URL and headers.

Rule: a verdict in words that never say the value, which may be a secret. Imports the standard library only.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

OWN_HEADERS = frozenset({"connection", "content-length", "last-event-id", "transfer-encoding"})
"""Set for each request by what it is, as is every name that begins with `mcp-`. So are `Accept` and `Content-Type`, but
many configurations name them, with the values that are sent."""
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?")


def looks_like_a_url(word: str) -> bool:
    """True of a word that can only be meant as a URL."""
    return "://" in word


def url_problem(url: str) -> str | None:
    """What was expected and what came; None of a URL that can be used."""
    expected = "expected a URL like https://host/mcp"
    if any(character.isspace() or not character.isprintable() for character in url):
        return f"{expected}, got one with a space or a control character"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return f"{expected}, got one with an impossible host or port"
    if parts.scheme not in ("http", "https"):
        return f"{expected}, got one that begins with neither http:// nor https://"
    return None if host else f"{expected}, got one without a host"


def shown_origin(url: str) -> str:
    """`https://host:port`: all of a URL that is ever shown, for its path and query may hold a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def header_in(word: str) -> tuple[str, str]:
    """Name and value in `NAME: VALUE`; an empty name where there is none."""
    name, colon, value = word.partition(":")
    return (name.strip(), value.strip()) if colon else ("", "")


def header_of_variable(word: str) -> str:
    """`NAME: ${VARIABLE}` for `NAME=VARIABLE`."""
    name, _, variable = word.partition("=")
    return f"{name}: ${{{variable}}}"


def name_problem(name: str) -> str | None:
    """What was expected and what came; None of a header's name that may be given."""
    if not _TOKEN.fullmatch(name):
        return "expected a header's name of letters, digits and -, got another"
    if name.lower() in OWN_HEADERS or name.lower().startswith("mcp-"):
        return "expected a header of yours, got one that Millpond sets by itself"
    return None


def value_problem(value: str) -> str | None:
    """What was expected and what came; None of a value that a header can carry."""
    if not _VALUE.fullmatch(value):
        return "expected a value of printable ASCII characters, got another or none"
    return None
