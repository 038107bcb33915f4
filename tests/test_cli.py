"""The command line as a process: exit code, stdout and stderr."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from millpond import __version__
from millpond.cli import Arguments, Exit, config_path, load_config, main, parse_arguments
from millpond.core.config import SETTINGS, Config, Query, RemoteServer, Server
from millpond.core.errors import ConfigError

LIMIT_SECONDS = 60


def run(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, its input closed."""
    return subprocess.run(
        [sys.executable, "-m", "millpond", *arguments],
        cwd=cwd,
        env={**{k: v for k, v in os.environ.items() if k != "MILLPOND_CONFIG"}, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )


def test_all_after_the_first_dashes_is_the_servers() -> None:
    """CLI-01"""
    command = ("npx", "--", "--help", "--config", "", "demo")
    assert parse_arguments(["--", *command]) == Arguments("run", None, command)
    assert parse_arguments(["--config", "f", "--", "x"]) == Arguments("run", "f", ("x",))


def test_a_named_file_comes_before_the_variable_and_that_before_the_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CLI-02"""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "millpond.toml").touch()
    environ = {"MILLPOND_CONFIG": "variable.toml"}
    assert config_path(Arguments("run", "named.toml", None), environ) == Path("named.toml")
    assert config_path(Arguments("run", None, None), environ) == Path("variable.toml")
    assert config_path(Arguments("run", None, None), {"MILLPOND_CONFIG": ""}) == Path("millpond.toml")


def test_with_a_command_only_a_named_file_applies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-03"""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "millpond.toml").write_text("[query]\nmax_rows = 7")
    arguments = parse_arguments(["--", "npx", "x"])
    assert load_config(arguments, {}).query == Query()
    named = load_config(arguments, {"MILLPOND_CONFIG": "millpond.toml"})
    assert (named.query.max_rows, named.server) == (7, Server(name="npx", command=("npx", "x")))


def test_a_url_is_a_server_and_a_named_file_holds_its_settings(tmp_path: Path) -> None:
    """CLI-12, CLI-13, CLI-03"""
    url, file = "https://host.example/mcp", tmp_path / "limits.toml"
    file.write_text("[query]\nmax_rows = 7")
    server = RemoteServer(name="host.example", url=url)
    assert load_config(parse_arguments([url]), {}) == Config(server=server)
    headed = RemoteServer(name="host.example", url=url, headers={"A": "Bearer t", "B": "c: d"})
    words = ["--header", "A: Bearer ${T}", url, "--header", "B: c: d"]
    assert load_config(parse_arguments(words), {"T": "t"}) == Config(server=headed)
    words = ["--header-env", "A=T", url, "--header", "B: c: d"]
    dollars = replace(headed, headers={"A": "$${x} ${T}", "B": "c: d"})
    assert load_config(parse_arguments(words), {"T": "$${x} ${T}"}) == Config(server=dollars)
    for arguments in (["--config", str(file), url], [url, "--config", str(file)]):
        assert load_config(parse_arguments(arguments), {}) == Config(server=server, query=Query(max_rows=7))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("https://h", "--", "x"), "expected a URL or -- COMMAND, got both"),
        (("https://h", "https://h"), "unrecognized arguments"),
        (("--header", "X: s3cret"), "expected a URL beside --header"),
        (("--header", "X: s3cret", "--", "x"), "expected a URL beside --header"),
        (("--header", "s3cret", "https://h"), "--header: expected a header's name of letters"),
        (("--header", "X: ${NOT_SET_HERE}", "https://h"), "environment variable NOT_SET_HERE to be set"),
        (("--header-env", "X=NOT_SET_HERE", "https://h"), "environment variable NOT_SET_HERE to be set"),
        (("--header-env", "X", "https://h"), "expected ${NAME} of letters"),
        (("ftp://h/s3cret",), "got one that begins with neither http:// nor https://; write millpond https://host/mcp"),
        (("--config", "wrong.toml", "npx"), "begins with neither http:// nor https://"),
        ((), "no server: no --config, no $MILLPOND_CONFIG, no ./millpond.toml"),
        (("--",), "expected a command after `--`"),
        (("--", ""), "expected a command after `--`"),
        (("--config",), "expected one argument"),
        (("--confg", "x"), "unrecognized arguments: --confg"),
        (("--conf=x",), "unrecognized arguments: --conf=x"),
        (("--config", "gone.toml"), "gone.toml: expected a file that can be read: No such file"),
        (("--config", ""), ": expected a file that can be read"),
        (("--config", "."), ".: expected a file that can be read: Is a directory"),
        (("--config", "large.toml"), "large.toml: expected at most 1,048,576 bytes"),
        (("--config", "wrong.toml"), "wrong.toml: servers: expected one server"),
        (("--config", "wrong\n.toml"), r"wrong\n.toml: expected a file that can be read"),
        (("warp", "cursor"), "got warp; did you mean millpond wrap? a server's command follows --: millpond -- warp"),
        (("npx", "x"), "got npx; a server's command follows --: millpond -- npx x"),
        (("demo", "x"), "expected nothing beside demo"),
        (("demo", "--", "x"), "expected nothing beside demo"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_two(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    """CLI-04"""
    (tmp_path / "large.toml").write_text("#" * ((1 << 20) + 1))
    (tmp_path / "wrong.toml").touch()
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == Exit.USAGE == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert done.stderr.startswith("millpond: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command", [("no-such-command-anywhere",), ("/nowhere/server",), (sys.executable, "-c", "raise SystemExit('gone')")]
)
def test_a_server_that_does_not_start_is_exit_code_one(command: tuple[str, ...], tmp_path: Path) -> None:
    """CLI-05"""
    arguments = [sys.executable, "-m", "millpond", "--", *command]
    with subprocess.Popen(
        arguments, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:  # Its input stays open: it is the server that ends first.
        assert started.wait(LIMIT_SECONDS) == Exit.SERVER == 1
        assert started.stdout
        assert started.stderr
        errors = started.stderr.read().splitlines()
        assert started.stdout.read() == ""
    assert [line for line in errors if line.startswith("millpond: ")] == errors[-1:]


def test_a_command_without_dashes_is_shown_with_them(tmp_path: Path) -> None:
    """CLI-06"""
    done = run("npx", "-y", "server", cwd=tmp_path)
    assert done.returncode == Exit.USAGE
    assert done.stderr.endswith("millpond -- npx -y server\n")


def test_help_shows_examples_exit_codes_and_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-07"""
    assert main(["--help"]) == Exit.OK
    text = capsys.readouterr().out
    assert "millpond -- npx" in text
    assert "exit codes: 0 " in text
    assert text.isascii()
    for setting in SETTINGS:
        assert f"    {setting.name} = " in text
        assert setting.reason in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-07"""
    assert main(["--version"]) == Exit.OK
    assert capsys.readouterr().out == f"millpond {__version__}\n"


def test_reading_the_command_line_imports_nothing_heavy(tmp_path: Path) -> None:
    """CLI-08"""
    script = (
        "import sys; from millpond.cli import load_config, parse_arguments;"
        "load_config(parse_arguments(['--', 'x']), {});"
        "sys.exit(' '.join({'duckdb', 'mcp', 'anyio', 'pydantic'} & set(sys.modules)) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_module_and_the_command_are_the_same(tmp_path: Path) -> None:
    """CLI-09"""
    command = Path(sysconfig.get_path("scripts")) / "millpond"
    done = subprocess.run(
        [str(command), "--help"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS
    )
    assert run("--help", cwd=tmp_path).stdout == done.stdout


def test_an_interrupt_while_reading_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("millpond.cli.run", interrupted)
    assert main(["--", "x"]) == Exit.INTERRUPTED


def test_an_argument_error_names_the_command_line() -> None:
    with pytest.raises(ConfigError, match=r"^command line: "):
        parse_arguments(["--nonsense"])


def test_an_interrupt_while_it_is_being_loaded_prints_nothing() -> None:
    """CLI-14"""
    script = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "millpond.core.config":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
import millpond.__main__
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_help_of_the_demo_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """CLI-07"""
    assert main(["demo", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: millpond demo ")
