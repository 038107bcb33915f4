"""What our HTTP client takes for granted of the SDK's: names of headers, and what values look like in them."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from mcp.client import streamable_http
from mcp.shared import inbound
from mcp_types import version
from mcp_types.jsonrpc import INTERNAL_ERROR, METHOD_NOT_FOUND

from millpond.http import failures, headers
from millpond.relay import requests


def test_the_headers_have_the_sdks_names() -> None:
    """HTTPC-03, HTTPC-04"""
    assert headers.SESSION_ID == streamable_http.MCP_SESSION_ID
    assert headers.LAST_EVENT_ID == streamable_http.LAST_EVENT_ID
    assert headers.PROTOCOL_VERSION == inbound.MCP_PROTOCOL_VERSION_HEADER
    assert headers.METHOD == inbound.MCP_METHOD_HEADER
    assert headers.NAME == inbound.MCP_NAME_HEADER
    assert headers.PARAMETER.decode() == inbound.X_MCP_HEADER_KEY
    assert dict(inbound.NAME_BEARING_METHODS) == headers.NAMED_BY


def test_errors_have_the_sdks_codes() -> None:
    """HTTPC-13"""
    assert (failures.METHOD_NOT_FOUND, requests.INTERNAL_ERROR) == (METHOD_NOT_FOUND, INTERNAL_ERROR)


@given(st.text(max_size=20))
@example("=?base64?x?=")
@example("=?base64?")
@example(" edge")
@example("")
def test_a_value_is_encoded_as_the_sdk_encodes_it_or_is_decoded_to_the_same(text: str) -> None:
    """HTTPC-04"""
    assert inbound.decode_header_value(headers.header_value(text)) == text
    plain = text.isascii() and text.isprintable() and text == text.strip()
    if plain and not text.startswith("=?base64?"):
        assert headers.header_value(text) == inbound.encode_header_value(text) == text


def test_the_eras_are_those_that_were_looked_at() -> None:
    """HTTPC-04: a new revision may bring rules of its own."""
    assert version.MODERN_PROTOCOL_VERSIONS == ("2026-07-28",)
    assert version.HANDSHAKE_PROTOCOL_VERSIONS[-1] == "2025-11-25"
