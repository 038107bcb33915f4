"""The README against the code and against what `.ci/run` runs."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path, PurePosixPath

from millpond.cli import COMMANDS, parse_arguments
from millpond.clients.places import CLIENTS, Surroundings
from millpond.core.config import Config, Server
from millpond.core.config_text import settings_markdown

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CHECKS = ("ruff check", "ruff format --check", "lint-imports", "pyright", "pytest")


def commands() -> list[str]:
    """The shell blocks of the README that are marked as commands."""
    return re.findall(r"<!-- command: \w+ -->\n```sh\n(.*?)```\n", README, re.DOTALL)


def test_the_settings_are_those_of_the_code() -> None:
    whole = (ROOT / "spec" / "config.md").read_text()
    assert f"\n{settings_markdown()}\n" in whole, "replace the table by millpond.core.config_text.settings_markdown()"
    shown = re.findall(r"^\| `\w+\.\w+` .*", README, re.MULTILINE)
    assert 5 <= len(shown) <= 12
    assert set(shown) <= set(settings_markdown().splitlines())


def test_there_are_two_commands_and_ci_runs_them_word_by_word() -> None:
    shown = subprocess.run(
        ["bash", str(ROOT / ".ci" / "run"), "--show"], capture_output=True, text=True, check=True, timeout=60
    )
    assert len(commands()) == 2
    assert shown.stdout == "".join(commands())


def test_the_first_shows_the_main_job_and_the_second_runs_every_check() -> None:
    demo, tests = commands()
    assert demo.rstrip().endswith("millpond demo")
    assert [check for check in CHECKS if check not in tests] == []
    assert "'.[test]'" in tests


def test_the_snippet_for_clients_is_a_command_line_that_is_understood() -> None:
    [block] = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    [server] = json.loads(block)["mcpServers"].values()
    assert server["command"] == "millpond"
    assert parse_arguments(server["args"]).command == tuple(server["args"][1:])


def test_the_commands_in_the_text_are_known() -> None:
    shown = re.findall(r"^millpond (\w+) ", README, re.MULTILINE)
    assert len(shown) == 4
    assert set(shown) <= set(COMMANDS)


def client_rows() -> str:
    """A line for each client: how one of its servers is wrapped, and the files of Linux that may hold it."""
    around = Surroundings(platform="linux", environ={}, home=PurePosixPath("~"), folder=PurePosixPath())
    return "\n".join(
        f"| {client.title} | `millpond wrap {client.name} SERVER` | "
        f"{', '.join(dict.fromkeys(f'`{place.file}`' for place in client.places(around)))} |"
        for client in CLIENTS.values()
    )


def test_every_client_has_its_line() -> None:
    assert f"\n{client_rows()}\n" in README, f"the lines are\n{client_rows()}"


def test_the_sizes_in_the_text_are_the_defaults() -> None:
    results = Config(server=Server(name="x", command=("x",))).results
    assert f"up to {results.inline_rows_bytes:,} bytes" in README
    assert f"up to {results.inline_text_bytes:,} bytes" in README


def test_what_the_readme_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_readme_is_about_a_page_and_its_tables() -> None:
    assert len([line for line in README.splitlines() if not line.startswith("|")]) <= 130
