"""`wrap`, `unwrap` and `clients` on a home of their own: what is printed, what is written, what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from client_files import FILES, SERVER, place_of
from millpond.cli import main
from millpond.clients.places import Surroundings
from millpond.commands.program import own_program, runner_note
from millpond.core.errors import ConfigError

Run = Callable[..., tuple[int, str, str]]
ENTRY = '{"command": "npx", "args": ["x"]}'


@pytest.fixture
def run(around: Surroundings, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line; gives the exit code, stdout and stderr."""

    def run_words(*words: str) -> tuple[int, str, str]:
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return run_words


def cursor(around: Surroundings, text: str, scope: str = "user") -> Path:
    """Write Cursor's file."""
    path = Path(place_of("cursor", around, scope).file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def servers(**entries: str) -> str:
    return '{"mcpServers": {' + ", ".join(f'"{name}": {entry}' for name, entry in entries.items()) + "}}"


def test_it_says_what_it_did_and_how_to_undo_it(run: Run, around: Surroundings) -> None:
    """CLIENTS-17, CLIENTS-20"""
    path = cursor(around, servers(files=ENTRY))
    code, out, err = run("wrap", "cursor")
    backup = next((Path(around.home) / ".local/state/millpond/backups").glob("mcp.json.*"), None)
    assert (code, err) == (0, "")
    if sys.platform == "linux":
        assert backup is not None
        assert backup.read_text() == servers(files=ENTRY)
        assert out == (
            f"Cursor, user: {path}\n  files: wrapped\nBackup: {backup}\n"
            "Restart Cursor, or its servers, for it to take effect. To undo it: millpond unwrap cursor --all\n"
        )
    assert run("wrap", "cursor", "files")[1].endswith(
        "files: stays as it is, it is behind Millpond already\nNothing was changed.\n"
    )
    assert run("unwrap", "cursor")[0] == 0
    assert path.read_text() == servers(files=ENTRY)


def test_a_dry_run_shows_the_lines_that_change_and_changes_nothing(run: Run, around: Surroundings) -> None:
    """CLIENTS-18"""
    text = '{"mcpServers": {"files": {\n"command": "npx",\n"args": ["x"],\n"env": {"TOKEN": "s3cret"}}}}'
    path = cursor(around, text)
    code, out, _ = run("wrap", "cursor", "files", "--dry-run", "--program", "/opt/millpond")
    assert code == 0
    assert path.read_text() == text
    assert out.splitlines()[1:] == [
        "  files: would be wrapped",
        "--- mcp.json",
        "+++ mcp.json (changed)",
        "@@ -2,2 +2,2 @@",
        '-"command": "npx",',
        '-"args": ["x"],',
        '+"command": "/opt/millpond",',
        '+"args": ["--", "npx", "x"],',
        "Nothing was changed.",
    ]
    assert not (Path(around.home) / ".local").exists()


@pytest.mark.parametrize("text", ["s3cret/\u00e9", "s3cret\\u00e9", "s3cret\\/\u00e9", "on", "it's s3cret"])
def test_a_dry_run_shows_no_values_of_variables_and_headers(run: Run, around: Surroundings, text: str) -> None:
    """CLIENTS-18: all of a file may stand on one line."""
    remote = '{"url": "https://x.example/mcp", "headers": {"X-A": "s3cret"}}'
    cursor(around, servers(a=f'{{"command": "npx", "env": {{"K": "{text}"}}}}', b=remote))
    code, out, _ = run("wrap", "cursor", "--all", "--dry-run")
    assert (code, out.count("would be wrapped")) == (0, 2)
    assert "s3cret" not in out
    assert '"on"' not in out
    assert '"MILLPOND_HEADER_X_A": "***"' in out


def test_all_wraps_what_can_be_and_says_why_the_rest_stays(run: Run, around: Surroundings) -> None:
    """CLIENTS-19"""
    path = cursor(around, servers(files=ENTRY, docs='{"url": "https://x.example"}', odd="1"))
    project = cursor(around, servers(other=ENTRY), "project")
    code, out, _ = run("wrap", "cursor", "--all")
    assert code == 0
    assert "  files: wrapped\n" in out
    assert "  other: wrapped\n" in out
    assert "  odd: stays as it is, its entry is no object\n" in out
    assert "  docs: stays as it is, " in out
    assert run("unwrap", "cursor", "--all")[0] == 0
    assert path.read_text() == servers(files=ENTRY, docs='{"url": "https://x.example"}', odd="1")
    assert project.read_text() == servers(other=ENTRY)


def test_a_named_server_that_cannot_be_wrapped_stops_everything(run: Run, around: Surroundings) -> None:
    """CLIENTS-19"""
    path = cursor(around, servers(files=ENTRY, odd="1"))
    code, out, err = run("wrap", "cursor", "files", "odd")
    assert (code, out) == (2, "")
    assert err == f"millpond: {path}: odd stays as it is: its entry is no object; nothing was changed\n"
    assert path.read_text() == servers(files=ENTRY, odd="1")
    assert "it is not behind Millpond" not in run("unwrap", "cursor", "files")[2]


def test_without_a_name_several_servers_are_an_error_that_names_them(run: Run, around: Surroundings) -> None:
    """CLIENTS-20"""
    path = cursor(around, servers(a=ENTRY, b=ENTRY))
    code, _, err = run("wrap", "cursor")
    assert code == 2
    assert err.endswith(f"{path}: expected the name of a server, got none; name some of a, b, or say --all\n")
    assert "expected a server for this, got none" in run("unwrap", "cursor")[2]


def test_a_name_in_two_files_needs_a_scope(run: Run, around: Surroundings) -> None:
    """CLIENTS-03, CLIENTS-14"""
    user, project = cursor(around, servers(a=ENTRY)), cursor(around, servers(a=ENTRY), "project")
    code, _, err = run("wrap", "cursor", "a")
    assert (code, err) == (
        2,
        "millpond: a: expected a server of that name once, got 2; add --scope project or user\n",
    )
    assert run("wrap", "cursor", "a", "--scope", "user")[0] == 0
    assert "millpond" in user.read_text()
    assert project.read_text() == servers(a=ENTRY)
    assert "expected --scope project or user, got x" in run("wrap", "cursor", "a", "--scope", "x")[2]


def test_a_file_can_be_named(run: Run, around: Surroundings, tmp_path: Path) -> None:
    """CLIENTS-03"""
    path = tmp_path / "profile.json"
    path.write_text(servers(a=ENTRY))
    assert run("wrap", "cursor", "--file", str(path))[0] == 0
    assert "millpond" in path.read_text()


def test_claude_codes_servers_of_a_folder_are_found_in_the_users_file(run: Run, around: Surroundings) -> None:
    """CLIENTS-03"""
    path = Path(place_of("claude-code", around, "user").file)
    text = json.dumps({"mcpServers": {"a": {"command": "x"}}, "projects": {os.getcwd(): json.loads(servers(b=ENTRY))}})
    path.write_text(text)
    assert run("wrap", "claude-code", "b")[0] == 0
    values = json.loads(path.read_text())
    assert values["mcpServers"] == {"a": {"command": "x"}}
    assert values["projects"][os.getcwd()]["mcpServers"]["b"]["args"] == ["--", "npx", "x"]
    assert run("unwrap", "claude-code", "b")[0] == 0
    assert path.read_text() == text


def test_two_scopes_of_one_file_change_in_one_step(run: Run, around: Surroundings) -> None:
    """CLIENTS-03, CLIENTS-19"""
    path = Path(place_of("claude-code", around, "user").file)
    text = json.dumps({"mcpServers": {"a": {"command": "x"}}, "projects": {os.getcwd(): json.loads(servers(b=ENTRY))}})
    path.write_text(text)
    code, out, err = run("wrap", "claude-code", "--all")
    assert (code, err) == (0, "")
    assert out.count("Backup: ") == 1
    values = json.loads(path.read_text())
    assert values["mcpServers"]["a"]["args"] == ["--", "x"]
    assert values["projects"][os.getcwd()]["mcpServers"]["b"]["args"] == ["--", "npx", "x"]
    assert run("unwrap", "claude-code", "a", "b")[0] == 0
    assert path.read_text() == text


def test_a_read_only_file_among_several_stops_everything(run: Run, around: Surroundings) -> None:
    """CLIENTS-16, CLIENTS-19"""
    user, project = cursor(around, servers(a=ENTRY)), cursor(around, servers(b=ENTRY), "project")
    user.chmod(0o444)
    code, _, err = run("wrap", "cursor", "--all")
    assert code == 2
    assert err == f"millpond: {user}: expected a file that can be written, got a read-only one; nothing was changed\n"
    assert (user.read_text(), project.read_text()) == (servers(a=ENTRY), servers(b=ENTRY))


def test_a_reader_that_has_gone_does_not_stop_a_change(around: Surroundings) -> None:
    """CLIENTS-16"""
    path = cursor(around, servers(a=ENTRY))
    words = [sys.executable, "-m", "millpond", "wrap", "cursor", "a"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout
        assert started.stderr
        started.stdout.close()
        assert started.wait(60) == 0
        assert started.stderr.read() == b""
    assert "millpond" in path.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("wrap",), "expected a CLIENT; see millpond wrap --help"),
        (("wrap", "cursr"), "got cursr; did you mean cursor?"),
        (("wrap", "emacs"), "got emacs; for another client see millpond wrap --print"),
        (("wrap", "cursor", "--", "x"), "expected no -- for wrap"),
        (("wrap", "--print"), "expected a command or a URL"),
        (("wrap", "--print", "https://x.example", "--", "x"), "expected a command or a URL"),
        (("wrap", "--print", "files"), "expected a URL like https://host/mcp"),
        (("wrap", "cursor", "--no"), "unrecognized arguments: --no; see millpond wrap --help"),
        (("wrap", "cursor", "--program", "/opt/mp"), "expected a program named millpond after --program, got /opt/mp"),
        (("unwrap",), "expected a CLIENT; see millpond unwrap --help"),
        (("clients", "x"), "unrecognized arguments: x"),
    ],
)
def test_a_wrong_argument_is_one_line(run: Run, words: tuple[str, ...], says: str) -> None:
    """CLI-04"""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_client_that_is_not_there_is_said_with_where_it_was_looked_for(run: Run, around: Surroundings) -> None:
    """CLIENTS-25"""
    code, _, err = run("wrap", "cursor", "a")
    files = [str(place_of("cursor", around, scope).file) for scope in ("project", "user")]
    assert code == 2
    assert f"Cursor: expected a configuration file, got none at {files[0]}, {files[1]}; " in err


def test_a_broken_file_stops_everything(run: Run, around: Surroundings) -> None:
    """CLIENTS-13"""
    path = cursor(around, '{"mcpServers": {"a": ')
    code, _, err = run("wrap", "cursor", "a")
    assert code == 2
    assert err.startswith(f"millpond: {path}: expected JSON, line 1, column 22: Expecting value")
    path.write_bytes(b'{"mcpServers": "\xff"}')
    assert "expected UTF-8 text, got another byte at offset 16" in run("wrap", "cursor", "a")[2]


def test_the_entry_for_another_client_is_printed(run: Run) -> None:
    """CLIENTS-21"""
    code, out, _ = run("wrap", "--print", "--config", "my.toml", "--", "npx", "-y", "caf\u00e9")
    entry = json.loads(out)
    assert code == 0
    assert entry["command"] == own_program()[0]
    assert json.loads(run("wrap", "--print", "https://x.example/mcp")[1])["args"][-1] == "https://x.example/mcp"
    assert entry["args"][-6:] == ["--config", os.path.abspath("my.toml"), "--", "npx", "-y", "caf\u00e9"]


def test_the_program_is_this_one_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLIENTS-22"""
    (tmp_path / "millpond").touch()
    monkeypatch.chdir(tmp_path)
    assert own_program("./millpond") == (str(tmp_path / "millpond"),)
    assert runner_note(own_program("./millpond")) == runner_note((sys.executable, "-m", "millpond")) == ""
    assert os.path.isabs(own_program("/elsewhere/pytest")[0])


@pytest.mark.parametrize(
    ("folder", "runner", "program"),
    [
        ("uv/archive-v0/x/bin", "uvx", ("/r/uvx", "millpond")),
        ("uv/environments-v2/x/bin", "uvx", ("/r/uvx", "millpond")),
        (".cache/pipx/x/bin", "pipx", ("/r/pipx", "run", "millpond")),
    ],
)
def test_a_temporary_environment_is_not_written_but_its_runner(
    folder: str, runner: str, program: tuple[str, ...], tmp_path: Path
) -> None:
    """CLIENTS-22"""
    path = tmp_path / folder / "millpond"
    path.parent.mkdir(parents=True)
    path.touch()
    assert own_program(str(path), lambda name: f"/r/{name}") == program
    says = f"expected {runner} on the PATH, .* install it for good: (uv tool|pipx) install millpond, or name one"
    with pytest.raises(ConfigError, match=says):
        own_program(str(path), lambda name: None)
    words = " ".join((runner, *program[1:]))
    assert runner_note(program).startswith(f"{words} is what clients start: it takes the published millpond; ")


def test_a_configuration_file_of_ours_is_given_by_its_absolute_path(run: Run, around: Surroundings) -> None:
    """CLIENTS-22"""
    path = cursor(around, servers(a=ENTRY))
    assert run("wrap", "cursor", "a", "--config", "limits.toml")[0] == 0
    args = json.loads(path.read_text())["mcpServers"]["a"]["args"]
    assert args == ["--config", os.path.abspath("limits.toml"), "--", "npx", "x"]
    assert run("unwrap", "cursor", "a")[0] == 0
    assert path.read_text() == servers(a=ENTRY)


def test_the_clients_of_the_machine_are_listed_with_their_servers(run: Run, around: Surroundings) -> None:
    """CLIENTS-23"""
    path = cursor(around, servers(a=ENTRY, odd="1"))
    broken = cursor(around, "{", "project")
    FILES["zed"].write("zed", around, Path("/x/server.py"))
    run("wrap", "zed", SERVER)
    code, out, err = run("clients")
    assert (code, err) == (0, "")
    assert f"Cursor (cursor)\n  project: {broken}\n    {broken}: expected JSON, line 1" in out
    assert f"  user: {path}\n    a: can be wrapped\n    odd: its entry is no object\n" in out
    assert f"    {SERVER}: wrapped\n    extension: its entry names neither a command nor an address\n" in out
    assert out.endswith("No files of: claude-code, claude-desktop, cline, codex, copilot, gemini, vscode, windsurf\n")
    rows = json.loads(run("clients", "--json")[1])
    assert {"client": "cursor", "scope": "user", "file": str(path), "server": "a", "state": "can be wrapped"} in rows


def test_help_has_examples_for_every_command(run: Run) -> None:
    """CLI-07"""
    for name in ("wrap", "unwrap", "clients", "init", "config", "doctor"):
        code, out, _ = run(name, "--help")
        assert code == 0
        assert out.startswith(f"usage: millpond {name} ")
        assert "\nexamples:\n" in out
        assert out.isascii()
        assert max(map(len, out.splitlines())) <= 120


def test_a_start_of_the_proxy_imports_none_of_it(tmp_path: Path) -> None:
    """CLIENTS-26"""
    script = (
        "import sys; from millpond.cli import load_config, parse_arguments; import millpond.app;"
        "load_config(parse_arguments(['--', 'x']), {});"
        "sys.exit(' '.join(n for n in sys.modules if n.startswith(('millpond.clients', 'millpond.commands.', 'tomlkit'))"
        " and n != 'millpond.commands.parser') or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
