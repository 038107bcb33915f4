"""What is built of the checkout: a wheel and a source distribution that work where nothing else of it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pytest

import installed
import millpond

ROOT = Path(__file__).parent.parent
SERVER = ROOT / "tests" / "servers" / "raw_server.py"
MINUTES = 300.0
"""The longest that a build or an installation may take, in seconds."""
OPENING = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"test","version":"1"}}}\n'
)


@pytest.fixture(scope="module")
def tools() -> Path:
    """The folder of `uv` and `pipx`."""
    return installed.packaging_tools()


@pytest.fixture(scope="module")
def built(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that was built of it."""
    folder = tmp_path_factory.mktemp("dist")
    run([str(tools / "uv"), "build", "--quiet", "--out-dir", str(folder), str(ROOT)])
    return folder


def wheel_of(built: Path) -> Path:
    """The one wheel."""
    [wheel] = built.glob("*.whl")
    return wheel


def run(words: Sequence[str], given: bytes = b"", **variables: str) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run(
        words, input=given, capture_output=True, timeout=MINUTES, check=False, env={**os.environ, **variables}
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout.decode()


def kept_sources() -> set[str]:
    """The package's files that the repository keeps."""
    listed = run(["git", "-C", str(ROOT), "ls-files", "src/millpond"])
    return {line.removeprefix("src/") for line in listed.splitlines()}


def test_the_version_stands_in_one_place() -> None:
    assert metadata.version("millpond") == millpond.__version__


@pytest.mark.servers
def test_the_wheel_has_every_file_of_the_package_and_no_other(built: Path) -> None:
    with zipfile.ZipFile(wheel_of(built)) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        rest = {name.split(".dist-info/")[1] for name in wheel.namelist() if ".dist-info/" in name}
    assert names == kept_sources()
    assert "millpond/py.typed" in names
    assert {"METADATA", "entry_points.txt", "licenses/LICENSE"} <= rest


@pytest.mark.servers
def test_the_source_distribution_has_what_builds_and_tests_it(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "example.toml", "src/millpond/py.typed", "tests/pond.py"} <= names


@pytest.mark.servers
def test_uvx_puts_the_wheel_before_a_server(built: Path, tools: Path) -> None:
    words = [
        str(tools / "uvx"),
        "--quiet",
        "--from",
        str(wheel_of(built)),
        "millpond",
        "--",
        sys.executable,
        str(SERVER),
    ]
    [line] = run(words, OPENING).splitlines()
    assert json.loads(line)["result"]["instructions"].startswith("Large results")


@pytest.mark.servers
def test_pipx_runs_the_wheel(built: Path, tools: Path, tmp_path: Path) -> None:
    words = [
        str(tools / "pipx"),
        "run",
        "--python",
        sys.executable,
        "--spec",
        str(wheel_of(built)),
        "millpond",
        "--version",
    ]
    assert run(words, PIPX_HOME=str(tmp_path), USE_EMOJI="0") == f"millpond {millpond.__version__}\n"
