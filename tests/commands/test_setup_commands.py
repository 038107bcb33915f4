"""`init` and `config`: the file that is written, and the settings that are shown."""

from __future__ import annotations

import json
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_files import place_of
from millpond.cli import main
from millpond.clients.entries import read_entries
from millpond.clients.places import Surroundings
from millpond.commands.template import of_command, of_entry, toml_text
from millpond.core.config import SETTINGS, Canvas, Query, RemoteServer, Results, Server
from millpond.core.config_file import parse_config
from millpond.core.errors import ConfigError


def server_in(text: str | bytes, **environ: str) -> Server:
    """The command's server that a file holds."""
    data = text.encode() if isinstance(text, str) else text
    server = parse_config(data, "f", environ).server
    assert isinstance(server, Server)
    return server


def template(client: str, **values: object):
    [entry] = read_entries({"s": {"a": values}}, ("s",))
    return of_entry(client, entry)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(st.lists(words, min_size=1, max_size=4).filter(lambda command: command[0] != ""))
def test_any_command_line_is_written_and_loads_as_it_was(command: list[str]) -> None:
    """SETUP-01, SETUP-02"""
    text = toml_text(of_command(tuple(command)))
    config = parse_config(text.encode(), "f", {})
    assert server_in(text).command == tuple(command)
    assert (config.results, config.query, config.canvas) == (Results(), Query(), Canvas())


def test_the_file_is_written_and_says_how_it_is_used(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-01"""
    assert main(["init", "--", "npx", "-y", "caf\u00e9", "$${HOME} ${X}"]) == 0
    path = Path("millpond.toml")
    assert f'"args": ["--config", "{path.absolute()}"]' in capsys.readouterr().out
    assert server_in(path.read_bytes()).command == ("npx", "-y", "caf\u00e9", "$${HOME} ${X}")
    text = path.read_text()
    for setting in SETTINGS:
        assert f"# {setting.name} = " in text
    uncommented = tomllib.loads(text.replace("# max_rows", "max_rows"))
    assert uncommented["query"] == {"max_rows": 100}


def test_a_file_that_is_there_stays_without_force(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-03"""
    path = Path("millpond.toml")
    path.write_text("mine")
    assert main(["init", "--", "npx"]) == 2
    assert "expected no such file yet, got one; name another with --output, or --force" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main(["init", "--force", "--", "npx"]) == 0
    assert "[servers.npx]" in path.read_text()
    assert main(["init", "--output", "no/such/folder.toml", "--", "npx"]) == 2
    assert "it cannot be written: No such file" in capsys.readouterr().err


def test_a_clients_entry_is_written_with_its_variables(
    around: Surroundings, capsys: pytest.CaptureFixture[str]
) -> None:
    """SETUP-01, SETUP-02, SETUP-04, SETUP-05"""
    path = Path(place_of("cursor", around, "user").file)
    path.parent.mkdir()
    entry = {
        "command": "npx",
        "args": ["--", "$x"],
        "env": {"A B": "${env:NOT_SET_HERE}", "C": "s3cret"},
        "cwd": "/srv",
    }
    path.write_text(json.dumps({"mcpServers": {"git hub": entry}}))
    assert main(["init", "cursor", "git hub", "--output", "g.toml"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("It needs variables of the environment that are not set here: NOT_SET_HERE\n")
    assert "s3cret" not in out
    server = server_in(Path("g.toml").read_bytes(), NOT_SET_HERE="v")
    assert (server.name, server.command, server.cwd) == ("git hub", ("npx", "--", "$x"), "/srv")
    assert server.env == {"A B": "v", "C": "s3cret"}
    if sys.platform != "win32":
        assert stat.S_IMODE(Path("g.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("client", "written", "ours"),
    [
        ("cursor", "a${env:X}b", "a${X}b"),
        ("windsurf", "${env:X}${Y}", "${X}$${Y}"),
        ("claude-code", "${X}", "${X}"),
        ("gemini", "$X ${X}", "$X ${X}"),
        ("claude-desktop", "${X}", "$${X}"),
        ("claude-desktop", "$${X}", "$$${X}"),
    ],
)
def test_a_clients_variables_are_translated(client: str, written: str, ours: str) -> None:
    """SETUP-02"""
    assert template(client, command="x", args=[written]).words == ("x", ours)


@pytest.mark.parametrize(
    ("client", "written"),
    [
        ("vscode", "${input:token}"),
        ("cursor", "${workspaceFolder}/x"),
        ("claude-code", "${X:-default}"),
        ("vscode", "${"),
    ],
)
def test_a_variable_that_only_the_client_fills_in_is_an_error(client: str, written: str) -> None:
    """SETUP-02"""
    with pytest.raises(ConfigError, match="which only the client can fill in; set a variable"):
        template(client, command="x", env={"A": written})


def test_an_address_is_written_with_its_headers(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-01, SETUP-02, SETUP-04"""
    path = Path(place_of("cursor", around, "user").file)
    path.parent.mkdir()
    entry = {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-A": "s3cret"}}
    path.write_text(json.dumps({"mcpServers": {"docs": entry}}))
    assert main(["init", "cursor", "docs"]) == 0
    assert "s3cret" not in capsys.readouterr().out
    server = parse_config(Path("millpond.toml").read_bytes(), "f", {"TOKEN": "v"}).server
    headers = {"Authorization": "Bearer v", "X-A": "s3cret"}
    assert server == RemoteServer(name="docs", url="https://x.example/mcp", headers=headers)
    if sys.platform != "win32":
        assert stat.S_IMODE(Path("millpond.toml").stat().st_mode) == 0o600


def test_an_address_behind_millpond_keeps_its_headers() -> None:
    """SETUP-01, DOCTOR-13"""
    args = ["--header-env", "X-A=MILLPOND_HEADER_X_A", "https://x.example/mcp"]
    found = template("cursor", command="/bin/millpond", args=args, env={"MILLPOND_HEADER_X_A": "${env:T}"})
    assert (found.url, found.headers) == ("https://x.example/mcp", {"X-A": "${T}"})


def test_a_url_is_written(around: Surroundings) -> None:
    """SETUP-01"""
    assert main(["init", "https://x.example/mcp?key=${X}"]) == 0
    server = parse_config(Path("millpond.toml").read_bytes(), "f", {}).server
    assert server == RemoteServer(name="x.example", url="https://x.example/mcp?key=${X}")


def test_a_server_that_cannot_be_started_is_refused() -> None:
    """SETUP-01"""
    with pytest.raises(ConfigError, match="expected a server that can be started, got another: it signs in by OAuth"):
        template("cursor", url="https://x.example", oauth={"clientId": "1"})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["init"], "expected -- COMMAND ARGS..., a URL, or CLIENT SERVER; see millpond init --help"),
        (["init", "cursor"], "expected -- COMMAND ARGS..., a URL, or CLIENT SERVER"),
        (["init", "ftp://x"], "neither http:// nor https://"),
        (["init", "cursor", "--", "x"], "expected no cursor before a command"),
        (["init", "--", ""], "expected a command behind --, got none"),
        (["config", "--config", "gone.toml"], "gone.toml: expected a file that can be read: No such file"),
        (["config", "x"], "expected a URL like https://host/mcp"),
        (["config", "https://x.example", "--", "x"], "expected a URL or -- COMMAND, got both"),
    ],
)
def test_a_wrong_argument_is_one_line(
    arguments: list[str], says: str, around: Surroundings, capsys: pytest.CaptureFixture[str]
) -> None:
    """CLI-04"""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The rows of `config --json`, by name."""
    assert main(["config", "--json", *arguments]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_every_setting_is_shown_with_where_it_comes_from(
    around: Surroundings, capsys: pytest.CaptureFixture[str]
) -> None:
    """SETUP-06, SETUP-08"""
    Path("millpond.toml").write_text(
        '[servers.a]\ncommand = "x"\n[query]\nmax_rows = 7\n[tools."b c"]\nmode = "never"\n'
        'note = "old"\ntables = { "$.x" = "new" }\ncolumns = { amount = "in cents" }\n'
    )
    shown = rows(capsys)
    assert {setting.key for setting in SETTINGS} < set(shown)
    assert (shown["query.max_rows"]["value"], shown["query.max_rows"]["source"]) == (7, "millpond.toml")
    assert (shown["query.max_cell_bytes"]["value"], shown["query.max_cell_bytes"]["source"]) == (512, "default")
    assert (shown['tools."b c".mode']["value"], shown['tools."b c".mode']["source"]) == ("never", "millpond.toml")
    noted = {name: row["value"] for name, row in shown.items() if name.startswith('tools."b c".')}
    assert noted == {
        'tools."b c".mode': "never",
        'tools."b c".note': "old",
        'tools."b c".tables."$.x"': "new",
        'tools."b c".columns.amount': "in cents",
    }
    assert int(shown["canvas.memory_bytes"]["means"].replace(",", "")) > 0
    assert shown["canvas.directory"]["means"] == "the temporary folder of the system"
    assert main(["config"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "query.max_rows = 7  [millpond.toml]" in lines
    assert "results.inline_rows_bytes = 4,096  [default]" in lines


def test_values_of_a_server_are_not_shown(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-07"""
    text = '[servers.a]\ncommand = "npx"\nargs = ["--token", "s3cret"]\nenv = { API_TOKEN = "s3cret" }\ncwd = "/srv"\n'
    Path("f.toml").write_text(text)
    assert main(["config", "--config", "f.toml"]) == 0
    out = capsys.readouterr().out
    assert "server = a: npx, 2 arguments (not shown), env API_TOKEN (values not shown), cwd /srv  [f.toml]\n" in out
    assert "s3cret" not in out


def test_a_url_is_not_shown_but_for_its_origin(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-07"""
    text = '[servers.a]\nurl = "https://x.example/s3cret"\nheaders = { Authorization = "s3cret" }\n'
    Path("f.toml").write_text(text)
    assert main(["config", "--config", "f.toml"]) == 0
    out = capsys.readouterr().out
    assert "server = a: https://x.example, headers Authorization (values not shown)  [f.toml]\n" in out
    assert rows(capsys, "https://x.example/s3cret")["server"]["source"] == "command line"
    assert "s3cret" not in out


def test_without_a_file_the_defaults_are_shown(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-08"""
    shown = rows(capsys)
    assert "server" not in shown
    assert {row["source"] for row in shown.values()} == {"default"}
    assert rows(capsys, "--", "npx", "x")["server"]["source"] == "command line"


def test_a_file_without_a_server_is_shown_too(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> None:
    """SETUP-08"""
    Path("limits.toml").write_text("[query]\nmax_rows = 7\n")
    assert rows(capsys, "--config", "limits.toml")["query.max_rows"]["value"] == 7
    Path("limits.toml").write_text("[query]\nmax_rows = 0\n")
    assert main(["config", "--config", "limits.toml"]) == 2
    assert "limits.toml: [query] max_rows: expected a whole number" in capsys.readouterr().err
