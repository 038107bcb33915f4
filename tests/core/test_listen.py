"""Where Millpond is served, and for whom."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.errors import ConfigError
from millpond.core.listen import Listen, read_listen

TOKEN = "0123456789abcdef"
ENVIRON = {"TOKEN": TOKEN, "SHORT": "0123", "BLANK": "0123456789 abcdef", "EMPTY": ""}


@pytest.mark.parametrize(
    ("address", "host", "port", "is_loopback"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000, True),
        ("localhost:0", "localhost", 0, True),
        ("[::1]:65535", "::1", 65535, True),
        ("0.0.0.0:80", "0.0.0.0", 80, False),
        ("mill.example.com:80", "mill.example.com", 80, False),
        ("192.168.1.5:80", "192.168.1.5", 80, False),
    ],
)
def test_an_address_is_a_host_and_a_port(address: str, host: str, port: int, is_loopback: bool) -> None:
    """HTTPF-19"""
    listen = read_listen(address, without_token=True, environ={})
    assert (listen.host, listen.port, listen.is_loopback) == (host, port, is_loopback)


def test_all_that_is_given_is_kept() -> None:
    """HTTPF-19"""
    listen = read_listen(
        "0.0.0.0:1",
        token_names=["TOKEN"],
        origins=["https://app.example.com", "http://[::1]:80"],
        hosts=["Mill.example.com"],
        environ=ENVIRON,
    )
    origins = ("https://app.example.com", "http://[::1]:80")
    assert listen == Listen(host="0.0.0.0", port=1, tokens=(TOKEN,), origins=origins, hosts=("mill.example.com",))


@pytest.mark.parametrize("address", ["8000", ":8000", "localhost", "localhost:", "a b:1", "h:65536", "h:-1", "h:१"])
def test_what_is_no_address_is_refused(address: str) -> None:
    """HTTPF-19"""
    with pytest.raises(ConfigError, match="expected HOST:PORT"):
        read_listen(address, without_token=True, environ={})


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:1", "192.168.1.5:1", "mill.example.com:1"])
def test_an_address_that_others_can_reach_takes_a_token_or_a_word(address: str) -> None:
    """HTTPF-19"""
    with pytest.raises(ConfigError, match="whoever can reach it"):
        read_listen(address, environ={})
    assert read_listen(address, token_names=["TOKEN"], environ=ENVIRON).tokens == (TOKEN,)
    assert read_listen(address, without_token=True, environ={}).tokens == ()


@pytest.mark.parametrize("name", ["SHORT", "BLANK", "EMPTY", "MISSING"])
def test_a_token_that_can_be_guessed_or_not_be_sent_is_refused_without_being_shown(name: str) -> None:
    """HTTPF-19"""
    with pytest.raises(ConfigError, match=name) as caught:
        read_listen("127.0.0.1:1", token_names=[name], environ=ENVIRON)
    assert not ENVIRON.get(name) or ENVIRON[name] not in str(caught.value)


@pytest.mark.parametrize("origin", ["*", "null", "app.example.com", "https://app.example.com/", "https://a b"])
def test_an_origin_is_a_scheme_and_a_host(origin: str) -> None:
    """HTTPF-19"""
    with pytest.raises(ConfigError, match="--allow-origin"):
        read_listen("127.0.0.1:1", origins=[origin], environ={})


@pytest.mark.parametrize("host", ["*", "mill.example.com:80", "", "a/b"])
def test_a_host_is_a_name(host: str) -> None:
    """HTTPF-19"""
    with pytest.raises(ConfigError, match="--allow-host"):
        read_listen("127.0.0.1:1", hosts=[host], environ={})


@given(st.text(), st.text(), st.text())
def test_any_text_gives_a_value_or_our_error(address: str, origin: str, host: str) -> None:
    """HTTPF-19"""
    with suppress(ConfigError):
        assert read_listen(address, origins=[origin], hosts=[host], environ={}).is_loopback
