"""Listen: where Millpond itself is served over HTTP, and for whom.

Rule: what would let a stranger in is refused before anything is started. Values of tokens are never printed. Imports
`core.errors` and the standard library only.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from millpond.core.errors import ConfigError

LEAST_TOKEN_CHARACTERS = 16
"""A shorter token can be guessed."""
LOOPBACK_NAME = "localhost"
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_HOST = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """An address and who may use it."""

    host: str
    """An address, or a name that has one."""
    port: int
    """0 to 65,535; 0 takes a free one."""
    tokens: tuple[str, ...] = ()
    """Any of these has to come with a request; none: no token is demanded."""
    origins: tuple[str, ...] = ()
    """Web pages of these origins may connect, besides those of this machine on a loopback address."""
    hosts: tuple[str, ...] = ()
    """Names, besides `localhost` and the given host, by which this machine is called; addresses always are."""

    @property
    def is_loopback(self) -> bool:
        """True where only this machine can connect."""
        return self.host == LOOPBACK_NAME or (is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)


def is_address(host: str) -> bool:
    """True for an IP address, without the brackets of one of version 6."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def read_listen(
    address: str,
    *,
    token_names: Sequence[str] = (),
    origins: Sequence[str] = (),
    hosts: Sequence[str] = (),
    without_token: bool = False,
    environ: Mapping[str, str],
) -> Listen:
    """The value of `--http` and what goes with it.

    `token_names` are variables of the environment. Raises `ConfigError` for what cannot be used, and for an address that
    others can reach while no token is demanded, unless `without_token`.
    """
    host, port = _host_and_port(address)
    listen = Listen(
        host=host,
        port=port,
        tokens=tuple(_token(name, environ) for name in token_names),
        origins=tuple(_origin(origin) for origin in origins),
        hosts=tuple(_name(name) for name in hosts),
    )
    if not (listen.is_loopback or listen.tokens or without_token):
        why = "whoever can reach it could call the server's tools and read its results"
        advice = "add --token-env NAME, or --without-token where something else keeps strangers away"
        raise ConfigError(f"--http: expected a token with the address {host}, got none: {why}; {advice}")
    return listen


def _host_and_port(address: str) -> tuple[str, int]:
    host, colon, port = address.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    usable = host and (is_address(host) or _HOST.fullmatch(host))
    if not (colon and usable and port.isascii() and port.isdigit() and int(port) <= 65_535):
        advice = "write for example --http 127.0.0.1:8000"
        raise ConfigError(f"--http: expected HOST:PORT, got {address}; {advice}")
    return host, int(port)


def _token(name: str, environ: Mapping[str, str]) -> str:
    token = environ.get(name, "")
    if not token:
        advice = "set it to a long random text before the start"
        raise ConfigError(f"--token-env: expected the environment variable {name} to hold a token, got none; {advice}")
    if len(token) < LEAST_TOKEN_CHARACTERS or not all("!" <= character <= "~" for character in token):
        expected = f"at least {LEAST_TOKEN_CHARACTERS} letters, digits and signs of ASCII without blanks in {name}"
        raise ConfigError(f"--token-env: expected {expected}, got another text; make one with openssl rand -hex 32")
    return token


def _origin(origin: str) -> str:
    if not _ORIGIN.fullmatch(origin):
        advice = "write for example --allow-origin https://app.example.com"
        raise ConfigError(f"--allow-origin: expected SCHEME://HOST or SCHEME://HOST:PORT, got {origin}; {advice}")
    return origin


def _name(name: str) -> str:
    if not _HOST.fullmatch(name):
        advice = "write for example --allow-host mill.example.com"
        raise ConfigError(f"--allow-host: expected a host's name without a port, got {name}; {advice}")
    return name.lower()
