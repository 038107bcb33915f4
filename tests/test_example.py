"""`example.toml` against the table of settings."""

from __future__ import annotations

import re
from pathlib import Path

from millpond.core.config import SETTINGS, Canvas, Http, PagingLimits, Query, RemoteServer, Results, Server, Stats
from millpond.core.config_file import parse_config
from millpond.core.config_text import settings_toml

EXAMPLE = Path(__file__).parent.parent / "example.toml"
ENVIRON = {"HOME": "/home/x", "NOTES_TOKEN": "t"}


def test_the_example_works_as_it_stands() -> None:
    """CONFIG-14"""
    config = parse_config(EXAMPLE.read_bytes(), "example.toml", ENVIRON)
    assert isinstance(config.server, Server)
    assert config.server.name == "files"
    assert config.server.command[-1] == "/home/x/notes"
    assert config.modes == {"read_text_file": "never", "list_orders": "auto"}
    assert [notes.tool for notes in config.notes] == ["list_orders"]


def test_what_is_commented_out_is_valid_and_every_setting_is_there_at_its_default() -> None:
    """CONFIG-14"""
    text = re.sub(r"^# ([a-z_]+ = )", r"\1", EXAMPLE.read_text(), flags=re.MULTILINE)
    config = parse_config(text.encode(), "example.toml", ENVIRON)
    assert (config.results, config.query, config.canvas, config.http) == (Results(), Query(), Canvas(), Http())
    assert config.stats == Stats()
    assert config.paging == PagingLimits()
    assert isinstance(config.server, Server)
    assert (config.server.env, config.server.cwd) == ({"API_TOKEN": "t"}, "/srv/notes")
    for setting in SETTINGS:
        assert f"\n{setting.name} = " in text


def test_every_setting_stands_under_its_reason_and_bounds() -> None:
    """CONFIG-14"""
    assert EXAMPLE.read_text().endswith(f"\n\n{settings_toml()}\n")


def test_the_server_at_a_url_and_the_paging_that_it_shows_are_some() -> None:
    """CONFIG-14, CONFIG-15, CONFIG-16"""
    text = "".join(re.findall(r"^#   (.*\n)", EXAMPLE.read_text(), flags=re.MULTILINE))
    config = parse_config(text.encode(), "example.toml", {"ISSUES_TOKEN": "t"})
    assert (config.collected["list_issues"].page, config.collected["list_issues"].max_pages) == ("cursor", 20)
    assert config.server == RemoteServer(
        name="issues", url="https://mcp.example.com/mcp", headers={"Authorization": "Bearer t"}
    )
