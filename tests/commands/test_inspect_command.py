"""`inspect` as a command: what it prints, what it refuses, and whom its server answers."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from engine_link import on_loop
from millpond.cli import main
from relay_client import SECONDS, SERVERS, Client
from viewer_session import shown

HEAVY = {"starlette", "uvicorn", "sse_starlette", "millpond.viewer.page", "millpond.viewer.knock"}


def status(url: str, **headers: str) -> int:
    """What a request is answered with."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=SECONDS) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@on_loop
async def test_the_running_sessions_are_named(tmp_path: Path) -> None:
    """INSPECT-15"""
    async with shown(tmp_path) as session:
        command = [sys.executable, "-m", "millpond", "inspect", "--list", "--directory", str(session.directory)]
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        out, _ = await process.communicate()
        assert out.decode() == "files (process 7, since 2026-11-30T12:00:00.000Z)\n"


def test_without_a_session_it_says_what_starts_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """INSPECT-15"""
    assert main(["inspect", "--list", "--directory", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("No session is running. Start your client")


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """INSPECT-18"""
    assert main(["inspect", "--list", "--directory", str(tmp_path / "none")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'none'} does not exist, so no session has been there.")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("open", "can be reached by other users (mode 0755, expected 0700)"),
        ("link", "is a link, expected a folder"),
        ("file", "is a file, expected a folder"),
        ("file/below", "Not a directory"),
    ],
)
def test_a_folder_that_no_session_uses_is_refused(
    tmp_path: Path, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """INSPECT-18"""
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    (tmp_path / "file").touch()
    assert main(["inspect", "--list", "--directory", str(tmp_path / name)]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert said in printed.err


def test_a_folder_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """INSPECT-18"""
    another = tmp_path.stat().st_uid + 1
    monkeypatch.setattr("os.getuid", lambda: another)
    assert main(["inspect", "--list", "--directory", str(tmp_path)]) == 2
    assert f"{tmp_path} belongs to another user; name a folder of your own" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--", "npx", "x"], "the page shows sessions that run already; start millpond -- npx x as you do"),
        (["--port", "70000"], "--port: expected a number from 0 to 65,535, got 70000"),
        (["--prot", "1"], "unrecognized arguments: --prot 1; see millpond inspect --help"),
    ],
)
def test_what_it_cannot_use_is_one_line(
    tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """INSPECT-15"""
    assert main(["inspect", "--directory", str(tmp_path), *words]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert said in printed.err


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """INSPECT-15"""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["inspect", "--directory", str(tmp_path), "--port", str(taken.getsockname()[1])]) == 2
    assert "leave it out for a free one" in capsys.readouterr().err


def test_the_proxy_imports_no_http_library_for_it() -> None:
    """INSPECT-17"""
    code = f"import sys, millpond.app; sys.exit(sorted({HEAVY} & set(sys.modules)) or 0)"
    assert subprocess.run([sys.executable, "-c", code], timeout=SECONDS, check=False).returncode == 0


def test_a_session_is_found_and_served_under_a_new_secret_until_an_interrupt(tmp_path: Path) -> None:
    """INSPECT-02, INSPECT-14, INSPECT-16, INSPECT-20"""
    doors, config = tmp_path / "doors", tmp_path / "millpond.toml"
    config.write_text(f"[inspect]\ndirectory = {json.dumps(str(doors))}\n")
    doors.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(doors / "0123456789ab.sock"))
    command = ["--config", str(config), "--", sys.executable, str(SERVERS / "giving_server.py")]
    inspect = [sys.executable, "-m", "millpond", "inspect", "--directory", str(doors)]
    with Client([sys.executable, "-m", "millpond", *command]).open():
        tokens = set[str]()
        for _ in range(2):
            pipe = subprocess.PIPE
            with subprocess.Popen(inspect, stdout=pipe, stderr=pipe, text=True) as server:
                assert server.stdout
                assert server.stderr
                line, named = server.stdout.readline(), server.stdout.readline()
                url, token = re.findall(r"(http://127\.0\.0\.1:\d+/([\w-]{43})/)", line)[0]
                tokens.add(token)
                assert [status(f"{url}sessions"), status(url.replace(token, "")), status(url[:-2])] == [200, 404, 404]
                assert status(url, Host="evil.example") == 421
                server.send_signal(signal.SIGINT)
                rest, errors = server.communicate(timeout=SECONDS)
                assert (server.returncode, errors) == (0, "")
                assert "giving_server.py (process " in named
                assert token not in rest
        assert len(tokens) == 2
        assert not (doors / "0123456789ab.sock").exists()
    assert list(doors.iterdir()) == []
